// Decisions: one answer of a file.

import type { Rules } from "#wasm";
import type { Agent } from "./agent.js";
import type { Dialect } from "./dialect.js";
import { asked } from "./errors.js";
import { drawn, type Explanation } from "./excerpt.js";
import type { RobotsTxt } from "./robots.js";
import { decidedBy, inspectedAsText } from "./shown.js";
import { bytesOf, joined } from "./text.js";
import type { Group, Reason, Rule, Span } from "./values.js";
import { frozen, read } from "./values.js";
import { verdictOf } from "./words.js";

/** What the core writes of a decision. */
interface Written {
  readonly allowed: boolean;
  readonly reason: Reason;
  readonly section: string;
  readonly line: number | null;
  readonly rule: Rule | null;
  readonly group: number | null;
  readonly target: string;
  readonly specificity: number | null;
  readonly matched: readonly (readonly [Span, Span])[];
}

/** The answer to one question, with its reason. */
export class Decision {
  /** The URL as given. */
  readonly url: string;
  /** The rules that answered. */
  readonly agent: Agent;
  readonly #written: Written;
  #beaten: readonly Rule[] | undefined;

  /** @internal */
  constructor(agent: Agent, url: string, rules: Rules) {
    this.agent = agent;
    this.url = url;
    this.#written = frozen(read<Written>(asked(() => rules.decide(bytesOf(url)))));
  }

  /** Whether the crawler may fetch the URL. */
  get allowed(): boolean {
    return this.#written.allowed;
  }

  /** Why. */
  get reason(): Reason {
    return this.#written.reason;
  }

  /** The source of this answer, such as "RFC 9309 section 2.2.2". */
  get section(): string {
    return this.#written.section;
  }

  /** The 1-based line of the rule that decided; null if no rule did. */
  get line(): number | null {
    return this.#written.line;
  }

  /** The rule that decided; null if no rule did. */
  get rule(): Rule | null {
    return this.#written.rule;
  }

  /** The group of the rule; without a rule, the first group of the crawler, if any. */
  get group(): Group | null {
    const { group } = this.#written;
    return group === null ? null : this.robots._group(group);
  }

  /** Which of the product tokens this group names, of a crawler with several; null for a group of `*`,
   * and without a group. */
  get token(): string | null {
    const { group } = this.#written;
    if (group === null) return null;
    const at = this.agent._rules().token_of_group(group, ...joined(this.tokens));
    return at === undefined ? null : (this.tokens[at] ?? null);
  }

  /** The line of this group that names the crawler, or whom it follows, most clearly; null without a
   * group. */
  get startLine(): number | null {
    const { group } = this.#written;
    return group === null ? null : this.agent._rules().start_line(group, ...joined(this.tokens));
  }

  /** The product tokens of the crawler, as asked for. */
  get tokens(): readonly string[] {
    return this.agent.tokens;
  }

  /** The file that answered. */
  get robots(): RobotsTxt {
    return this.agent.robots;
  }

  /** The dialect that it was read in. */
  get dialect(): Dialect {
    return this.agent.robots.dialect;
  }

  /** What the patterns were compared with: path and query in normal form. */
  get target(): string {
    return this.#written.target;
  }

  /** The number of bytes of the rule's pattern in normal form, which decides precedence (RFC 9309
   * section 2.2.2); null if no rule decided. */
  get specificity(): number | null {
    return this.#written.specificity;
  }

  /** For each piece of the pattern, a pair of spans in bytes: its place in the rule's value as
   * written, and what it matched in `target`. Empty if no rule decided. */
  get matched(): readonly (readonly [Span, Span])[] {
    return this.#written.matched;
  }

  /** For each of these pairs, whether it is a `*` of the pattern and what that stands for; computed
   * lazily. */
  get stars(): readonly boolean[] {
    return Array.from(asked(() => this.agent._rules().stars(bytesOf(this.url))), Boolean);
  }

  /** The other matching rules, in file order; computed lazily. */
  get beaten(): readonly Rule[] {
    const beaten = () => this.agent._rules().beaten(bytesOf(this.url));
    return (this.#beaten ??= frozen(read<Rule[]>(asked(beaten))));
  }

  /** The lines of the file that led to this answer, as `verger check` prints them; `verbose` also
   * names what the rule was compared with, and the rules that it beats. */
  explain({ verbose = false }: { readonly verbose?: boolean } = {}): string {
    const rules = this.agent._rules();
    const told = () => rules.explain(bytesOf(this.url), ...joined(this.tokens), verbose === true);
    return drawn(this.allowed, read<Explanation>(asked(told)));
  }

  /** What Python's `repr` shows, such as `Decision(allowed, reason=NO_GROUP)`. */
  toString(): string {
    return `Decision(${verdictOf(this.allowed)}, ${decidedBy(this.rule)}reason=${this.reason})`;
  }

  /** The members that `verger check --format jsonl` writes of a decision, in its words. */
  toJSON(): DecisionObject {
    const { rule, group } = this;
    return {
      url: this.url,
      tokens: this.tokens,
      dialect: this.dialect.name,
      allowed: this.allowed,
      reason: this.reason,
      section: this.section,
      line: this.line,
      rule,
      group: group && { product_tokens: group.productTokens, start_lines: group.startLines },
      target: this.target,
      matched: this.matched.map(([pattern, target]) => ({ pattern, target })),
    };
  }
}

inspectedAsText(Decision);

/** A decision as JSON has it. */
export interface DecisionObject {
  readonly url: string;
  readonly tokens: readonly string[];
  readonly dialect: string;
  readonly allowed: boolean;
  readonly reason: Reason;
  readonly section: string;
  readonly line: number | null;
  readonly rule: Rule | null;
  readonly group: {
    readonly product_tokens: readonly string[];
    readonly start_lines: readonly number[];
  } | null;
  readonly target: string;
  readonly matched: readonly { readonly pattern: Span; readonly target: Span }[];
}
