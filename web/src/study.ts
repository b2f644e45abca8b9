/** The study of a file: what takes longer than a keystroke may, for all known crawlers. */

import {
  type Agent,
  type Change as Region,
  type Use,
  type RobotsTxt,
  type Standing as Alike,
  changes,
  effects,
  exempt,
  type OtherRecords,
  otherRecords,
  parse,
  reasonInWords,
  redundantAlone,
  verdictOf,
} from "verger";
import { CRAWLERS, FOLLOWERS, USES, agentOf, find, mayUse, standings, startNames, unlisted } from "verger/crawlers";

import { type AgentOr, agentOr, cellOf, dialectNamed, file } from "./asking";
import type {
  Change,
  Changed,
  Effect,
  Standing,
  Studied,
  Study,
  UseCell,
  UseRow,
} from "./core";

/** What AI does comes first. */
const ALL_USES = (Object.keys(USES) as Use[]).reverse();

/** No honest file names as many. */
const MOST_UNLISTED = 1_000;
/** Rules of so many sets of groups are proved to decide something. */
const MOST_SETS = 40;
/** So many answers are counted for the totals of columns. */
const MOST_COUNTED = 1_000_000;
const MOST_CHANGES = 50;
const MOST_CHANGED = 50;
/** The steps of finding what regions exempt, as many as `verger diff` takes. */
const EXEMPT_STEPS = 1 << 22;

export function study(asked: Study): Studied {
  const robots = file(asked.text, asked.dialect);
  const url = asked.cell?.url ?? "/";
  const token = asked.cell?.agent ?? "*";
  const known = CRAWLERS.map((crawler) => crawler.token);
  const tokens = ["*", ...known, ...namesIn(robots)];
  const sets = setsOf(robots, tokens);
  const { changed, values, records } = changedSince(asked, robots, tokens);
  return {
    kind: "study",
    standings: sets.map(({ agent, tokens, bound, named }): Standing => ({
      tokens: [...tokens],
      bound,
      named,
      posture: agent.posture,
      cell: cellOf(agent, url),
    })),
    uses: ALL_USES.map((use): UseRow => ({
      use,
      asked: useOf(robots, url, token, use),
      others: useOf(robots, url, "*", use),
    })),
    effects: effectsIn(sets),
    bound: boundIn(robots, sets),
    changed: changed.slice(0, MOST_CHANGED),
    changedCount: changed.reduce(
      (sum, each) => sum + each.tokens.filter((one) => one !== "*").length,
      0,
    ),
    comparedCount: tokens.length - 1,
    values: values.slice(0, MOST_CHANGED),
    valueCount: values.length,
    records: records.slice(0, MOST_CHANGED),
    recordCount: records.length,
    totals: totalsOf(robots, asked.agents, asked.urls.split("\n").filter(Boolean)),
  };
}

// Crawlers that follow the same groups

function namesIn(robots: RobotsTxt): readonly string[] {
  return unlisted(robots).slice(0, MOST_UNLISTED);
}

type CrawlerSet = Alike & { agent: Agent };

function setsOf(robots: RobotsTxt, tokens: readonly string[]): CrawlerSet[] {
  return standings(robots, tokens).map((alike) => ({
    ...alike,
    agent: agentOf(robots, alike.tokens[0] ?? "*"),
  }));
}

function totalsOf(
  robots: RobotsTxt,
  agents: readonly string[],
  urls: readonly string[],
): number[] {
  const some = agents.slice(0, Math.floor(MOST_COUNTED / Math.max(1, urls.length)));
  return some.map((token) => totalOf(agentOr(robots, token), urls));
}

function totalOf(agent: AgentOr, urls: readonly string[]): number {
  return "failed" in agent ? 0 : urls.filter((url) => isAllowed(agent, url)).length;
}

function isAllowed(agent: Agent, url: string): boolean {
  try {
    return agent.allowed(url);
  } catch {
    return false;
  }
}

// Use

function useOf(robots: RobotsTxt, url: string, token: string, use: Use): UseCell {
  try {
    const { allowed, line, reason } = mayUse(robots, url, token, use);
    return { verdict: verdictOf(allowed), line, why: reasonInWords(reason) };
  } catch (error) {
    return { verdict: "invalid", line: null, why: error instanceof Error ? error.message : "" };
  }
}

// What rules do

function effectsIn(sets: readonly CrawlerSet[]): Effect[] {
  const found = new Map<number, Effect>();
  const needed = new Set<number>();
  for (const [at, { agent }] of distinct(sets).entries()) {
    const idle = at < MOST_SETS ? effectsOf(agent) : new Map<number, Effect>();
    for (const { line } of agent.rules) {
      const effect = idle.get(line);
      if (effect) found.set(line, effect);
      else needed.add(line);
    }
  }
  return [...found.values()].filter(({ line }) => !needed.has(line));
}

/** Sets with other rules than those before. */
function distinct(sets: readonly CrawlerSet[]): CrawlerSet[] {
  const byRules = new Map<string, CrawlerSet>();
  for (const set of sets) {
    const key = set.agent.rules.map(({ line }) => line).join();
    if (!byRules.has(key)) byRules.set(key, set);
  }
  return [...byRules.values()];
}

/** The rules of one crawler that decide nothing, or that no answer needs, by line. */
function effectsOf(agent: Agent): Map<number, Effect> {
  const idle = new Map<number, Effect>();
  for (const { line, pattern } of redundantAlone(agent)) {
    if (pattern !== "") idle.set(line, { line, effect: "redundant", by: [] });
  }
  for (const { rule, effect, by } of effects(agent)) {
    if (rule.pattern === "" || effect === "decides" || effect === "unknown") continue;
    idle.set(rule.line, { line: rule.line, effect, by: by.map(({ line }) => line) });
  }
  return idle;
}

// What groups bind

function boundIn(robots: RobotsTxt, sets: readonly CrawlerSet[]): { line: number; text: string }[] {
  const followers = followersIn(sets);
  const byStar = sets
    .filter(({ agent, bound, named }) => !named && bound && agent.groups.length > 0)
    .reduce((sum, { tokens }) => sum + tokens.filter((token) => token !== "*").length, 0);
  return startNames(robots).map(([line, name]) => {
    const ofStar = `binds ${byStar} of ${CRAWLERS.length} known crawlers`;
    return {
      line,
      text: name === "*" ? ofStar : wordsFor(name, followers.get(name.toLowerCase()) ?? 0),
    };
  });
}

/** How many crawlers follow the groups of another, since none names them. */
function followersIn(sets: readonly CrawlerSet[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const followed of sets.flatMap(({ follows }) => follows)) {
    const key = followed?.toLowerCase();
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}

function wordsFor(name: string, followers: number): string {
  if (name === "") return "names nobody";
  const crawler = find(name);
  const who = crawler
    ? [crawler.operator, crawler.purposes.filter((each) => each !== "unknown").join(", ")].filter(
        Boolean,
      )
    : ["not a known crawler"];
  if (followers > 0)
    who.push(followers === 1 ? "1 other follows it" : `${followers} others follow it`);
  return who.join(" · ");
}

// Changes

type Changes = OtherRecords & { changed: Changed[] };

function changedSince(
  { before, text, dialect }: Study,
  robots: RobotsTxt,
  tokens: readonly string[],
): Changes {
  if (before === text) return { changed: [], values: [], records: [] };
  const old = parse(before, dialectNamed(dialect));
  const asked = [...new Set([...tokens, ...namesIn(old)])];
  const { values, records } = otherRecords(old, robots, asked);
  const found = { changed: rulesChanged(old, robots, asked), values, records };
  old.free();
  return found;
}

function rulesChanged(old: RobotsTxt, robots: RobotsTxt, tokens: readonly string[]): Changed[] {
  const found = changes(old, robots, { crawlers: tokens, followers: FOLLOWERS });
  const budget = { left: EXEMPT_STEPS };
  const changed = found.map(({ tokens, difference }): Changed => {
    const [was, is] = [agentOr(old, tokens[0] ?? "*"), agentOr(robots, tokens[0] ?? "*")];
    return {
      tokens: [...tokens],
      complete: difference.isExact,
      changeCount: difference.changes.length,
      changes: difference.changes.slice(0, MOST_CHANGES).map((change): Change => ({
        opens: change.opened,
        region: change.region,
        ...(difference.isExact ? exceptIn(change, was, is, budget) : UNKNOWN_EXCEPT),
        witness: change.witness,
        requested: change.isRequested,
        oldLine: change.before?.line ?? null,
        newLine: change.after?.line ?? null,
      })),
    };
  });
  return joined(changed);
}

/** Crawlers for which the same changes, together, though they follow other groups. */
function joined(changed: readonly Changed[]): Changed[] {
  const found = new Map<string, Changed>();
  for (const each of changed) {
    const key = JSON.stringify({ ...each, tokens: [] });
    const same = found.get(key);
    if (same) same.tokens.push(...each.tokens);
    else found.set(key, each);
  }
  return [...found.values()];
}

type Except = Pick<Change, "except" | "exceptAll">;

const UNKNOWN_EXCEPT: Except = { except: [], exceptAll: false };

/** Where a region did not change: what the present rules exempt, and what was so before. */
function exceptIn(change: Region, was: AgentOr, is: AgentOr, budget: { left: number }): Except {
  if ("failed" in was || "failed" in is || budget.left === 0) return UNKNOWN_EXCEPT;
  const { parts, isExact, steps } = exempt(change, was, is, { steps: budget.left });
  budget.left = Math.max(0, budget.left - steps);
  return { except: [...parts], exceptAll: isExact };
}
