// What rules mean for all URLs at once: proved, and not sampled.

import { Bindings, followers as followersOf, type Rules, steps as mostSteps } from "#wasm";
import { Agent } from "./agent.js";
import { asked } from "./errors.js";
import { expectArray, expectObject, expectOf, expectOptions } from "./expect.js";
import { expectText, expectTexts, expectWhole } from "./expect.js";
import { quoted } from "./plain.js";
import { RobotsTxt } from "./robots.js";
import { shownAs } from "./shown.js";
import { bytesOf, joined } from "./text.js";
import { frozen, type Posture, read, type Rule } from "./values.js";

/** What one rule does among the others. */
export interface RuleEffect {
  /** The rule. */
  readonly rule: Rule;
  /** `decides` some URL; `shadowed`: others that outrank it match whatever it matches;
   * `matches-nothing`, or has no path; `unknown`: the proof takes too many steps. */
  readonly effect: "decides" | "shadowed" | "matches-nothing" | "unknown";
  /** A URL that it decides, as short as can be: a path; null if it decides none. */
  readonly witness: string | null;
  /** The rules that shadow it; nearly always one. */
  readonly by: readonly Rule[];
  /** Whether a client can request the witness: none requests a path with dot segments. */
  readonly isRequested: boolean;
}

/** The rules without which no answer changes, removed one after the other, the last first. */
export interface Redundant {
  readonly rules: readonly Rule[];
  /** Whether each remaining rule is proved to be needed. */
  readonly isExact: boolean;
}

/** A region of URLs, some of which only one of two crawlers may fetch. */
export interface Change {
  /** Whether only the second may fetch them. */
  readonly opened: boolean;
  /** The region as a path pattern. More specific rules may exempt some of it. */
  readonly region: string;
  /** The path of a URL in it whose answer differs; no shorter one does. */
  readonly witness: string;
  /** The rule of the first that decides the witness; null if none does. */
  readonly before: Rule | null;
  /** The rule of the second. */
  readonly after: Rule | null;
  /** Whether a client can request the witness. */
  readonly isRequested: boolean;
}

/** How the rules of two crawlers differ. */
export interface Difference {
  /** Where answers differ: no region is inside another of the same direction. */
  readonly changes: readonly Change[];
  /** Whether these are all. */
  readonly isExact: boolean;
}

/** Where nothing changes within a region. */
export interface Exempt {
  /** The parts that stay closed although the region was opened, or open although it was closed, and
   * those that were so before, as path patterns. */
  readonly parts: readonly string[];
  /** Whether these are all. */
  readonly isExact: boolean;
  /** How many steps that took. */
  readonly steps: number;
}

/** What a new version changes for crawlers that both versions treat alike. */
export interface Changed {
  /** Their product tokens as the files write them; `*` for those that neither names. */
  readonly tokens: readonly string[];
  /** Whether a group names them, before and after. */
  readonly named: readonly [before: boolean, after: boolean];
  /** How much they may fetch afterwards. */
  readonly posture: Posture;
  /** What changes. */
  readonly difference: Difference;
}

/** What a field that is no rule says to some crawlers, where it changed. */
export interface SaidOtherwise {
  /** The field, such as `Crawl-delay`. */
  readonly field: string;
  /** The value as a file could write it; null for none. */
  readonly before: string | null;
  readonly after: string | null;
  /** The product tokens of the crawlers. */
  readonly tokens: readonly string[];
}

/** A record of the whole file that only one of two versions has, or has more often. */
export interface RecordChange {
  /** Its field, in lower case. */
  readonly field: string;
  /** Its field as it is written. */
  readonly key: string;
  /** Its value as written. */
  readonly value: string;
  /** Whether the new version has it. */
  readonly added: boolean;
  /** The number of its line, in the version that has it. */
  readonly line: number;
}

/** What a new version changes besides rules. */
export interface OtherRecords {
  readonly values: readonly SaidOtherwise[];
  /** The records of the whole file that were removed, then those that were added. */
  readonly records: readonly RecordChange[];
}

/** How far a proof goes. */
export interface Proving {
  /** The most steps; what takes more is `unknown`, or not exact. The result is the same on every
   * machine. */
  readonly steps?: number;
}

/** Whose groups a crawler follows if none names it. */
export interface Follower {
  readonly token: string;
  readonly follows: readonly string[];
  readonly byStar: boolean;
}

/** The crawlers that do not only follow the groups that name them, else those of `*`, as their operators
 * say; by their tokens in lower case. */
export function followers(): readonly Follower[] {
  return frozen(read<Follower[]>(followersOf()));
}

/** For whom two files are compared. */
export interface Comparing extends Proving {
  /** Product tokens; by default all that either file names, and `*`. */
  readonly crawlers?: readonly string[];
  /** Crawlers that follow other groups than those that name them; `FOLLOWERS` of `verger/crawlers` are
   * those that are known. */
  readonly followers?: readonly Follower[];
}

/** What each rule of a crawler does among the others, in file order. */
export function effects(agent: Agent, options: Proving = {}): readonly RuleEffect[] {
  expectAgent("agent", agent);
  const steps = stepsOf(options);
  return frozen(read<RuleEffect[]>(agent._proved((rules) => rules.effects(steps))));
}

/** The rules of a crawler without which no answer changes. */
export function redundant(agent: Agent, options: Proving = {}): Redundant {
  expectAgent("agent", agent);
  const steps = stepsOf(options);
  return frozen(read<Redundant>(agent._proved((rules) => rules.redundant(steps))));
}

/** Those of them of which each can also be removed alone: with all others there, no answer changes,
 * and no other line is read otherwise. */
export function redundantAlone(agent: Agent, options: Proving = {}): readonly Rule[] {
  expectAgent("agent", agent);
  const steps = stepsOf(options);
  return frozen(read<Rule[]>(agent._proved((rules) => rules.redundantAlone(steps))));
}

/** How the answers of two crawlers differ, or of one in two files or in two dialects. */
export function difference(before: Agent, after: Agent, options: Proving = {}): Difference {
  expectAgent("before", before);
  expectAgent("after", after);
  const steps = stepsOf(options);
  const said = proved(before, after, (old, now) => old.difference(now, steps));
  return frozen(shownDifference(read<Difference>(said)));
}

/** Where nothing changes in the region of a change, as `verger diff` shows it: what more specific rules
 * of the second crawler exempt from it, and what those of the first allowed or disallowed before. */
export function exempt(change: Change, before: Agent, after: Agent, options: Proving = {}): Exempt {
  expectObject("change", change);
  expectAgent("before", before);
  expectAgent("after", after);
  const { opened, region } = change;
  expectText("region", region);
  const steps = stepsOf(options);
  return frozen(read<Exempt>(proved(before, after, (old, now) => old.exempt(now, opened, bytesOf(region), steps))));
}

/** What is proved from the rules of two crawlers. */
function proved(before: Agent, after: Agent, prove: (old: Rules, now: Rules) => string): string {
  [before, after].forEach(({ robots }) => robots._source());
  return before._proved((old) => after._proved((now) => prove(old, now)));
}

/**
 * What a new version of a file, in the same dialect, changes for each set of crawlers that both treat
 * alike, without those for which nothing changes.
 *
 * @throws InvalidProductToken.
 */
export function changes(
  before: RobotsTxt,
  after: RobotsTxt,
  options: Comparing = {},
): readonly Changed[] {
  expectOf(RobotsTxt, "before", "a RobotsTxt", before);
  expectOf(RobotsTxt, "after", "a RobotsTxt", after);
  const steps = stepsOf(options, ["crawlers", "followers"]);
  const { crawlers = [], followers = [] } = options;
  expectTexts("crawlers", crawlers);
  const bindings = bindingsOf(followers);
  const [words, ends] = joined(crawlers);
  const [old, now] = [before._source(), after._source()];
  const said = read<Changed[]>(asked(() => old.changes(now, words, ends, bindings, steps)));
  return frozen(said.map(shownChanged));
}

/** What a new version of a file, in the same dialect, changes besides rules, for crawlers that follow whom
 * their operators say.
 *
 * @throws InvalidProductToken. */
export function otherRecords(
  before: RobotsTxt,
  after: RobotsTxt,
  crawlers: readonly string[],
): OtherRecords {
  expectOf(RobotsTxt, "before", "a RobotsTxt", before);
  expectOf(RobotsTxt, "after", "a RobotsTxt", after);
  expectTexts("crawlers", crawlers);
  const [words, ends] = joined(crawlers);
  const [old, now] = [before._source(), after._source()];
  return frozen(read<OtherRecords>(asked(() => old.other_records(now, words, ends))));
}

/** A set of crawlers that shows itself as `Changed('*', Difference(...))`. */
function shownChanged(changed: Changed): Changed {
  shownDifference(changed.difference);
  return shownAs(changed, ({ tokens, difference }) => {
    return `Changed(${[...tokens.map(quoted), String(difference)].join(", ")})`;
  });
}

/** A difference whose parts show themselves, too: `Difference(Change(opened, '/a', witness='/a'))`. */
function shownDifference(difference: Difference): Difference {
  difference.changes.forEach((change) => shownAs(change, textOfChange));
  return shownAs(difference, ({ changes, isExact }) => {
    return `Difference(${[...changes.map(String), ...(isExact ? [] : ["not exact"])].join(", ")})`;
  });
}

function textOfChange({ opened, region, witness }: Change): string {
  return `Change(${opened ? "opened" : "closed"}, ${quoted(region)}, witness=${quoted(witness)})`;
}

function bindingsOf(followers: readonly Follower[]): Bindings {
  expectArray("followers", "an array", followers);
  for (const each of followers) {
    expectObject("followers", each);
    expectText("token", each.token);
    expectTexts("follows", each.follows);
  }
  const bindings = new Bindings();
  followers.forEach(({ token, follows, byStar }) => bindings.add(token, ...joined(follows), byStar));
  return bindings;
}

function expectAgent(name: string, value: unknown): asserts value is Agent {
  expectOf(Agent, name, "an Agent", value);
}

function stepsOf(options: Proving, others: readonly string[] = []): number {
  expectOptions(options, ["steps", ...others]);
  const { steps = mostSteps() } = options;
  expectWhole("steps", steps);
  return steps;
}
