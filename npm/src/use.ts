// Decisions about use: may the content of a URL be used for a purpose?

import { policy_tokens, uses } from "#wasm";
import type { Agent } from "./agent.js";
import { asked, UnknownName } from "./errors.js";
import { drawn, type Explanation } from "./excerpt.js";
import { expectArray, expectText, expectTexts, wrongType } from "./expect.js";
import { shortened } from "./plain.js";
import type { RobotsTxt } from "./robots.js";
import { inspectedAsText } from "./shown.js";
import { bytesOf, joined } from "./text.js";
import type { Use, UseReason, UseSignal } from "./values.js";
import { frozen, read } from "./values.js";
import { verdictOf } from "./words.js";

/** A product token that stands for a use, with the document that says so. */
export type PolicyToken = readonly [token: string, section: string];

/** What the core writes: tokens are places among the policy tokens. */
interface Written {
  readonly allowed: boolean | null;
  readonly purpose: Use;
  readonly reason: UseReason;
  readonly deciding: number | null;
  readonly line: number | null;
  readonly signals: readonly (Omit<UseSignal, "token"> & { readonly tokens: readonly number[] })[];
  readonly conflicts: readonly (readonly [number, number])[];
  readonly licenses: readonly string[];
  readonly use: "immediate" | "reference" | "full" | null;
}

/** Whether the content of a URL may be used for a purpose, with the lines that say so. It is not legal
 * advice. */
export class UseDecision {
  /** The URL as given. */
  readonly url: string;
  /** The rules of the crawler. */
  readonly agent: Agent;
  /** The product tokens that stand for the use, each with the document that says so: a copy. */
  readonly policyTokens: readonly PolicyToken[];
  /** What each mechanism says that the dialect reads, also those that say nothing. */
  readonly signals: readonly UseSignal[];
  readonly #written: Written;

  /** @internal */
  constructor(agent: Agent, url: string, purpose: Use, given?: readonly PolicyToken[]) {
    expectUse(purpose);
    const policyTokens = given ? checked(given) : policyTokensOf(agent.tokens, purpose);
    const asking = joined(agent.tokens);
    const speaking = joined(policyTokens.map(([token]) => token));
    const written = () => agent._rules().may_use(bytesOf(url), purpose, ...asking, ...speaking);
    this.agent = agent;
    this.url = url;
    this.policyTokens = policyTokens;
    this.#written = frozen(read<Written>(asked(written)));
    this.signals = frozen(this.#written.signals.map((each) => signalOf(each, policyTokens)));
  }

  /** Whether the use is allowed; null if no line mentions it, which is no permission. */
  get allowed(): boolean | null {
    return this.#written.allowed;
  }

  /** The use that was asked about. */
  get purpose(): Use {
    return this.#written.purpose;
  }

  /** The mechanism that decided; `NO_SIGNAL` if none did. */
  get reason(): UseReason {
    return this.#written.reason;
  }

  /** The document that says what this mechanism means; null if none decided. */
  get section(): string | null {
    const { deciding } = this.#written;
    return deciding === null ? null : (this.signals[deciding]?.section ?? null);
  }

  /** The 1-based line that decided; null if none did. */
  get line(): number | null {
    return this.#written.line;
  }

  /** The signals that contradict each other: pairs of one that allows the use and one that does not. */
  get conflicts(): readonly (readonly [UseSignal, UseSignal])[] {
    const pairs = this.#written.conflicts.map(
      ([yes, no]) => [this.signals[yes], this.signals[no]] as unknown as [UseSignal, UseSignal],
    );
    return frozen(pairs);
  }

  /** The URLs of the site's licences, as written: conditions of every use, never a verdict. */
  get licenses(): readonly string[] {
    return this.#written.licenses;
  }

  /** How much of the content may be shown: the key `use` of `Content-Signal`; null if unset. */
  get use(): "immediate" | "reference" | "full" | null {
    return this.#written.use;
  }

  /** The product tokens of the crawler, as asked for. */
  get tokens(): readonly string[] {
    return this.agent.tokens;
  }

  /** The file that answered. */
  get robots(): RobotsTxt {
    return this.agent.robots;
  }

  /** The lines of the file that speak about the use, as `verger check --use` prints them; `verbose` also
   * names the mechanisms that are silent. */
  explain({ verbose = false }: { readonly verbose?: boolean } = {}): string {
    const { agent, url, purpose, policyTokens, line, allowed } = this;
    const policies = [0, 1].flatMap((at) => policyTokens.map((policy) => policy[at] ?? ""));
    const [texts, ends] = joined([...agent.tokens, ...policies]);
    const how = [agent.tokens.length, verbose === true] as const;
    const told = () => agent._rules().explain_use(bytesOf(url), purpose, texts, ends, ...how);
    return drawn(line === null ? null : allowed, read<Explanation>(asked(told)));
  }

  /** What Python's `repr` shows, such as `UseDecision(silent, purpose=search, reason=NO_SIGNAL)`. */
  toString(): string {
    const { allowed, purpose, line, reason } = this;
    const by = line === null ? "" : `line=${line}, `;
    return `UseDecision(${verdictOf(allowed)}, purpose=${purpose}, ${by}reason=${reason})`;
  }

  /** The object `use` of `verger check --use --format jsonl`. */
  toJSON(): UseObject {
    const { allowed, purpose, reason, line, conflicts, licenses, use } = this.#written;
    const { section, signals } = this;
    return { purpose, allowed, reason, section, line, signals, conflicts, licenses, extent: use };
  }
}

inspectedAsText(UseDecision);

/** A decision about use as JSON has it; conflicts are places of signals. */
export interface UseObject {
  readonly purpose: Use;
  readonly allowed: boolean | null;
  readonly reason: UseReason;
  readonly section: string | null;
  readonly line: number | null;
  readonly signals: readonly UseSignal[];
  readonly conflicts: readonly (readonly [number, number])[];
  readonly licenses: readonly string[];
  readonly extent: "immediate" | "reference" | "full" | null;
}

function signalOf(
  written: Written["signals"][number],
  policyTokens: readonly PolicyToken[],
): UseSignal {
  const policies = written.tokens.flatMap((at) => [policyTokens[at] ?? []]);
  const { mechanism, verdict, line, pattern, span } = written;
  const token = policies.length > 0 ? policies.map(([name]) => name).join(",") : null;
  const section = (mechanism === "policy-token" && policies[0]?.[1]) || written.section;
  return { mechanism, verdict, line, pattern, section, token, span };
}

/** The product tokens that stand for a use of what a crawler fetches, its operator's and everyone's,
 * each with the title of the page that says so. */
export function policyTokensOf(
  tokens: readonly string[],
  purpose: Use,
): readonly PolicyToken[] {
  expectTexts("tokens", tokens);
  expectUse(purpose);
  return frozen(read<PolicyToken[]>(policy_tokens(...joined(tokens), purpose)));
}

/** A copy, which the caller cannot change. */
function checked(given: unknown): readonly PolicyToken[] {
  const expected = "an array of pairs of a token and the document that says so";
  expectArray("policyTokens", expected, given);
  const pairOf = (each: unknown): PolicyToken => {
    if (!Array.isArray(each)) throw wrongType("policyTokens", expected, each);
    const [token, section] = each;
    expectText("token", token);
    expectText("section", section);
    return [token, section];
  };
  return frozen(given.map(pairOf));
}

/** One of the uses. */
function expectUse(purpose: unknown): void {
  if (typeof purpose !== "string") throw wrongType("purpose", "a string", purpose);
  const names = read<string[]>(uses());
  if (names.includes(purpose)) return;
  const known = names.map((word) => `\`${word}\``).join(", ");
  throw new UnknownName(`unknown use \`${shortened(purpose)}\``, `choose from ${known}`);
}
