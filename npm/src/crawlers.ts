// Known crawlers: who operates them, what for, and whose groups they follow. The registry is that of
// verger for Python, written by `make npm`.

import {
  type Agent,
  Answer,
  binds,
  type Decision,
  type DialectName,
  type Follower,
  followers,
  ownDialect,
  parse,
  policyTokens,
  type Use,
  RobotsError,
  RobotsTxt,
  type Standing,
  type Token,
  type UseDecision,
} from "verger";
import registry from "#crawlers";
import { expectOf, expectOptions, expectText, expectTexts } from "./expect.js";
import { frozen } from "./values.js";

export { binds, ownDialect, policyTokens };

/** Whether a crawler obeys robots.txt, as its operator or a list claims; never measured. */
export type Respects = "yes" | "no" | "partial" | "unknown";

/** What decides whose groups a crawler follows: what its operator says, or its name alone. */
export type Bindings = "operators" | "file";

/** A mechanism that speaks about use, and that an operator says it reads. */
export interface Honoured {
  readonly mechanism: string;
  /** The page that says so. */
  readonly title: string;
  /** The date of the version that was read. */
  readonly date: string;
}

/** A page or list that facts come from. */
export interface Source {
  readonly title: string;
  readonly date: string;
  readonly licence: string;
  readonly url: string | null;
  /** Whether it only tells what another document says. */
  readonly secondary: boolean;
}

/** The facts about one crawler. */
export interface Crawler {
  /** Its product token, as it is usually written. */
  readonly token: string;
  /** Its operator; null if unknown. */
  readonly operator: string | null;
  /** What it is for, names from `PURPOSES`, what it does first of all first. */
  readonly purposes: readonly string[];
  readonly respects: Respects;
  /** The URL of its description, from a list; null if no list has one. */
  readonly url: string | null;
  /** The sources, names from `SOURCES`: first the page that was read. */
  readonly sources: readonly string[];
  /** `policy-token`: no crawler sends it; files use it to say how pages may be used. */
  readonly kind: "crawler" | "policy-token";
  /** What binds it, according to its operator: the groups that name it, else those of `*` (RFC 9309
   * section 2.2.1); only the groups that name it; nothing in the file. */
  readonly boundBy: "groups" | "named-groups" | "nothing";
  /** The crawlers whose groups it follows if none names it, before those of `*`. */
  readonly follows: readonly string[];
  /** The dialect in which it reads, by the documents of its operator; null if these are unknown. */
  readonly dialect: DialectName | null;
  /** Whether the facts about it were written from memory, and not checked. */
  readonly isUnverified: boolean;
  /** Whether it is a policy token that only a secondary source spells. */
  readonly isHearsay: boolean;
  /** The mechanisms about use that its operator says it reads. */
  readonly honours: readonly Honoured[];
}

/** What crawlers are for, as one word and as what such a crawler does. */
export const PURPOSES: Readonly<Record<string, string>> = Object.freeze(registry.purposes);

/** What content may be used for, each with the purpose of crawlers that fetch for it. */
export const USES: Readonly<Record<Use, string>> = Object.freeze(registry.uses);

/** The pages and lists that the facts come from. */
export const SOURCES: Readonly<Record<string, Source>> = frozen(registry.sources);

/** Every known crawler, sorted by token. */
export const CRAWLERS: readonly Crawler[] = frozen(
  registry.crawlers.map((facts) => ({ ...registry.usual, ...facts }) as Crawler),
);

const byToken = new Map(CRAWLERS.map((crawler) => [crawler.token.toLowerCase(), crawler]));

/** `followers`, with their tokens as these are usually written: for `changes`. */
export const FOLLOWERS: readonly Follower[] = frozen(
  followers().map((each) => ({ ...each, token: find(each.token)?.token ?? each.token })),
);

/** The crawler of a product token; ASCII letters are compared without case. Null if it is unknown. */
export function find(token: string): Crawler | null {
  expectText("token", token);
  return (/^[\0-\x7f]*$/.test(token) && byToken.get(token.toLowerCase())) || null;
}

/**
 * The rules that a crawler follows: the groups that name it, else those of another crawler if its
 * operator says so, else those of `*`, unless its operator says that they do not bind it. With several
 * tokens, the registry is not used.
 *
 * @throws InvalidProductToken.
 */
export function agentOf(robots: RobotsTxt, token: Token, bindings: Bindings = "operators"): Agent {
  expectOf(RobotsTxt, "robots", "a RobotsTxt", robots);
  expectBindings(bindings);
  return bindings === "file" ? robots.agent(token) : robots._agentByOperator(token);
}

/** The names in a file that the registry does not know, as they are written first. */
export function unlisted(robots: RobotsTxt): readonly string[] {
  expectOf(RobotsTxt, "robots", "a RobotsTxt", robots);
  return robots._names().filter((name) => find(name) === null);
}

/** The start-group lines of a file by number, each with the name that it begins with: `*` for those that
 * no group names, and an empty text where it names nobody. */
export function startNames(robots: RobotsTxt): readonly (readonly [line: number, name: string])[] {
  expectOf(RobotsTxt, "robots", "a RobotsTxt", robots);
  return robots._startNames();
}

/** Crawlers by what a file means for them, as `agentOf` and `binds` say for each.
 *
 * @throws InvalidProductToken. */
export function standings(robots: RobotsTxt, tokens: readonly string[]): readonly Standing[] {
  expectOf(RobotsTxt, "robots", "a RobotsTxt", robots);
  expectTexts("tokens", tokens);
  return robots._standings(tokens);
}

/** Decide one URL by the rules that the crawler follows; see `agentOf`. */
export function decide(
  robots: RobotsTxt,
  url: string,
  token: Token,
  bindings: Bindings = "operators",
): Decision {
  return agentOf(robots, token, bindings).decide(url);
}

/** How `check` answers. */
export interface Checking {
  /** Whose groups the crawler follows. */
  readonly bindings?: Bindings;
  /** The name of the file, as the answer says it. */
  readonly file?: string | null;
}

/** The answer to one question, as `verger check` gives it: `JSON.stringify` writes its object. A URL
 * that the file does not decide is an answer with a problem. */
export function check(robots: RobotsTxt, url: string, token: Token, how: Checking = {}): Answer {
  expectOptions(how, ["bindings", "file"]);
  const { bindings = "operators", file = null } = how;
  if (file !== null) expectText("file", file);
  const asked = (read: RobotsTxt): Answer => {
    const agent = agentOf(read, token, bindings);
    const bound = bindings === "file" || binds(token, agent.named);
    return Answer.of(agent, url, file, bound, () => ownReading(read));
  };
  const ownReading = (read: RobotsTxt): Answer | null => {
    const alone = aloneOf(token);
    const dialect = alone === null ? null : ownDialect(alone, read.dialect);
    return dialect && asked(parse(read.body, { dialect, url: read.url }));
  };
  return asked(robots);
}

/**
 * Whether the content of a URL may be used for a purpose, and which lines say so; see `Agent.mayUse`.
 *
 * @throws UnknownName for a purpose, InvalidProductToken, InvalidTarget, OutOfScope.
 */
export function mayUse(
  robots: RobotsTxt,
  url: string,
  token: Token,
  purpose: Use,
  bindings: Bindings = "operators",
): UseDecision {
  return agentOf(robots, token, bindings).mayUse(url, purpose);
}

/** The token of a crawler that has only one. */
function aloneOf(token: Token): string | null {
  if (typeof token === "string") return token;
  return token.length === 1 ? (token[0] ?? null) : null;
}

function expectBindings(word: unknown): void {
  if (word === "operators" || word === "file") return;
  throw new RobotsError(`unknown bindings \`${String(word)}\``, "pass `operators` or `file`");
}
