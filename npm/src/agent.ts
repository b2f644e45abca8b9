// The rules of one crawler in a file.

import type { Rules } from "#wasm";
import { Decision } from "./decision.js";
import { asked, errorOf } from "./errors.js";
import { expectText, expectWhole, wrongType } from "./expect.js";
import type { Kept } from "./kept.js";
import { quoted } from "./plain.js";
import type { RobotsTxt } from "./robots.js";
import { count, inspectedAsText } from "./shown.js";
import { bytesOf, joined, written } from "./text.js";
import { UseDecision, type PolicyToken } from "./use.js";
import type {
  ContentSignal,
  Group,
  Posture,
  Use,
  RequestRate,
  Rule,
  Token,
  VisitTime,
} from "./values.js";
import { frozen, read } from "./values.js";

interface Facts {
  readonly crawlDelay: number | null;
  readonly requestRate: RequestRate | null;
  readonly requestRates: readonly RequestRate[];
  readonly visitTime: VisitTime | null;
  readonly contentSignals: ContentSignal;
}

/** @internal The tokens of a crawler. */
export function tokensOf(token: Token): readonly string[] {
  if (typeof token === "string") return [token];
  if (!Array.isArray(token)) throw wrongType("token", "a string or an array of strings", token);
  token.forEach((each) => expectText("token", each));
  return [...token];
}

/** A text has characters, which are not URLs. */
function listOf(urls: unknown): string[] {
  const isList = typeof urls === "object" && urls !== null && Symbol.iterator in urls;
  if (!isList) throw wrongType("urls", "an array or another iterable of strings", urls);
  return [...(urls as Iterable<string>)];
}

/** @internal Whether rules in the core allow a URL. */
export function isAllowed(rules: Rules, url: string): boolean {
  expectText("url", url);
  const length = written(url);
  try {
    return length < 0 ? rules.allowed(bytesOf(url)) : rules.allowed_scratch(length);
  } catch (complaint) {
    throw errorOf(complaint);
  }
}

/** @internal By what the rules of a crawler are found again: its token, or JSON. A token that looks like
 * JSON is written as JSON, too, so that no two crawlers have the same key. */
export function keyOf(tokens: readonly string[], byOperator: boolean): string {
  const [only] = tokens;
  const isAlone = !byOperator && only !== undefined && tokens.length === 1;
  return isAlone && !only.startsWith("[") ? only : JSON.stringify([tokens, byOperator]);
}

/** The rules of one crawler in one file, from `RobotsTxt.agent`. */
export class Agent {
  /** The file. */
  readonly robots: RobotsTxt;
  /** The product tokens of the crawler, as asked for. */
  readonly tokens: readonly string[];
  readonly #kept: Kept;
  readonly #byOperator: boolean;
  readonly #key: string;
  #facts: Facts | undefined;
  #posture: Posture | undefined;
  #ownRules: readonly Rule[] | undefined;

  /** @internal */
  constructor(robots: RobotsTxt, kept: Kept, token: Token, byOperator = false) {
    this.robots = robots;
    this.tokens = Object.freeze(tokensOf(token));
    this.#kept = kept;
    this.#byOperator = byOperator;
    this.#key = keyOf(this.tokens, byOperator);
    this._rules();
  }

  /** @internal The rules in the core. */
  _rules(): Rules {
    return this.#kept.rules(this.#key, this.tokens, this.#byOperator);
  }

  /** @internal What is proved from the rules. What proofs are made of would stay with the rules in the
   * core, where it takes more than they do: they are freed afterwards. */
  _proved<T>(prove: (rules: Rules) => T): T {
    try {
      return prove(this._rules());
    } finally {
      this.#kept.forget(this.#key);
    }
  }

  /**
   * Whether the crawler may fetch the URL.
   *
   * @param url an absolute URL, or a path that begins with `/`.
   * @throws InvalidTarget, OutOfScope.
   */
  allowed(url: string): boolean {
    return isAllowed(this._rules(), url);
  }

  /** Whether the crawler may fetch each of many URLs. */
  allowedMany(urls: Iterable<string>): boolean[] {
    const texts = listOf(urls);
    texts.forEach((url) => expectText("url", url));
    const [bytes, ends] = joined(texts);
    return Array.from(asked(() => this._rules().allowed_many(bytes, ends)), Boolean);
  }

  /**
   * Decide one URL, with the line and the reason.
   *
   * @throws InvalidTarget, OutOfScope.
   */
  decide(url: string): Decision {
    expectText("url", url);
    return new Decision(this, url, this._rules());
  }

  /**
   * Whether the content of a URL may be used for a purpose, and which lines say so.
   *
   * The rules of the crawler, groups for policy tokens, `Content-Signal` and, if the dialect reads it,
   * `Content-Usage` are heard; any that disallows the use decides, then any that allows it. A rule that
   * only allows fetching allows no use.
   *
   * @param policyTokens the product tokens that stand for this use, of the crawler's operator and of
   * everyone, each with the document that says so; by default those that the registry knows. For one of
   * these itself, the groups of `*` do not speak.
   * @throws UnknownName for an unknown purpose, InvalidProductToken, InvalidTarget, OutOfScope.
   */
  mayUse(url: string, purpose: Use, policyTokens?: readonly PolicyToken[]): UseDecision {
    expectText("url", url);
    return new UseDecision(this, url, purpose, policyTokens);
  }

  /** Whether a group names this crawler; if not, it follows the wildcard groups. */
  get named(): boolean {
    return this._rules().named();
  }

  /** The crawler whose groups it follows as its operator says, if none names it; otherwise null. */
  get follows(): string | null {
    return this._rules().follows() ?? null;
  }

  /** The groups that this crawler follows, in file order. */
  get groups(): readonly Group[] {
    return frozen(Array.from(this._rules().groups(), (index) => this.robots._group(index)));
  }

  /** The rules of its groups, in file order. */
  get rules(): readonly Rule[] {
    return (this.#ownRules ??= frozen(read<Rule[]>(this._rules().rules())));
  }

  /**
   * How much of the site this crawler may fetch, by its rules (RFC 9309 section 2.2.2).
   *
   * Exact: proved from the rules, not found by testing sample URLs. `unknown` if the proof would take
   * too many steps.
   */
  get posture(): Posture {
    return (this.#posture ??= this._proved((rules) => rules.posture() as Posture));
  }

  get #said(): Facts {
    return (this.#facts ??= frozen(read<Facts>(this._rules().facts())));
  }

  /** Seconds between two requests: the largest valid value; at most 30 in bing. Null also if the
   * dialect does not read `Crawl-delay`. */
  get crawlDelay(): number | null {
    return this.#said.crawlDelay;
  }

  /** The rate that applies at all times: the first without a window, otherwise the first. */
  get requestRate(): RequestRate | null {
    return this.#said.requestRate;
  }

  /** Every rate of the crawler's groups, in file order. */
  get requestRates(): readonly RequestRate[] {
    return this.#said.requestRates;
  }

  /** The rate that applies at a minute of the day, UTC: the first whose window contains it, otherwise
   * the first without a window. */
  requestRateAt(minute: number): RequestRate | null {
    expectWhole("minute", minute, 1439);
    return frozen(read<RequestRate | null>(this._rules().request_rate_at(minute)));
  }

  /** The hours in which to visit: the first valid window of the crawler's groups. */
  get visitTime(): VisitTime | null {
    return this.#said.visitTime;
  }

  /** The site's signals for search, AI input and AI training; the most restrictive wins. */
  get contentSignals(): ContentSignal {
    return this.#said.contentSignals;
  }

  /** What Python's `repr` shows, such as `Agent('ExampleBot', 2 rules)`. */
  toString(): string {
    return `Agent(${[...this.tokens.map(quoted), count(this.rules.length, "rule")].join(", ")})`;
  }

  /**
   * The usage preferences for one URL: `train-ai`, `search` and `ai-use`, as far as the file sets them.
   *
   * Null if the dialect does not read the field; empty if the file sets none, and for a URL that may
   * not be fetched (draft-ietf-aipref-attach-05).
   */
  contentUsage(url: string): Readonly<Record<string, boolean>> | null {
    expectText("url", url);
    const said = read<[string, boolean][] | null>(
      asked(() => this._rules().content_usage(bytesOf(url))),
    );
    return said && Object.freeze(Object.fromEntries(said));
  }
}

inspectedAsText(Agent);
