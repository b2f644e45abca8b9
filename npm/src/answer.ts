// Answers: what a file says to one question, or why it says nothing.

import type { Agent } from "./agent.js";
import type { Decision, DecisionObject } from "./decision.js";
import { InvalidTarget, OutOfScope, type RobotsError } from "./errors.js";
import { quoted } from "./plain.js";
import { decidedBy, inspectedAsText } from "./shown.js";
import { verdictOf } from "./words.js";

/** An answer as JSON has it: the object of `verger check --format jsonl`, without `schema`. */
export interface AnswerObject extends Omit<DecisionObject, "allowed" | "reason" | "section" | "target"> {
  readonly file: string | null;
  readonly truncated: boolean;
  readonly allowed: boolean | null;
  readonly reason: string | null;
  readonly section: string | null;
  readonly target: string | null;
  readonly bound: boolean | null;
  readonly own_reading: OwnReadingObject | null;
  readonly error: ProblemObject | null;
}

/** The answer in the dialect of the crawler's operator, as JSON has it. */
export interface OwnReadingObject {
  readonly dialect: string;
  readonly allowed: boolean | null;
  readonly reason: string | null;
  readonly section: string | null;
  readonly line: number | null;
}

/** Why there is no answer, as JSON has it. */
export interface ProblemObject {
  readonly type: "invalid-target" | "out-of-scope";
  readonly message: string;
  readonly hint: string | null;
}

const NOTHING = {
  allowed: null,
  reason: null,
  section: null,
  line: null,
  rule: null,
  group: null,
  target: null,
  matched: [],
} as const;

/** The answer to one question, from `check` of `verger/crawlers`. */
export class Answer {
  /** The URL as given. */
  readonly url: string;
  /** The rules of the crawler. */
  readonly agent: Agent;
  /** The decision; null if the file does not decide the URL. */
  readonly decision: Decision | null;
  /** Why there is no decision. */
  readonly problem: RobotsError | null;
  /** The name of the file. */
  readonly file: string | null;
  readonly #bound: boolean;
  readonly #readAgain: () => Answer | null;
  #own: Answer | null | undefined;

  private constructor(
    agent: Agent,
    url: string,
    file: string | null,
    bound: boolean,
    decided: Decision | RobotsError,
    readAgain: () => Answer | null,
  ) {
    this.agent = agent;
    this.url = url;
    this.file = file;
    this.#bound = bound;
    this.#readAgain = readAgain;
    this.decision = decided instanceof Error ? null : decided;
    this.problem = decided instanceof Error ? decided : null;
  }

  /** @internal Ask the rules of a crawler; `readAgain` asks in the dialect of its operator. */
  static of(
    agent: Agent,
    url: string,
    file: string | null,
    bound: boolean,
    readAgain: () => Answer | null,
  ): Answer {
    return new Answer(agent, url, file, bound, decisionOrProblem(agent, url), readAgain);
  }

  /** Whether the URL may be fetched; null if there is no answer. */
  get allowed(): boolean | null {
    return this.decision?.allowed ?? null;
  }

  /** Whether the answer binds the crawler, as its operator says; null if there is none. */
  get bound(): boolean | null {
    return this.decision ? this.#bound : null;
  }

  /** What Python's `repr` shows, such as `Answer(allowed, reason=NO_GROUP, url='/a')`. */
  toString(): string {
    const { allowed, decision, url } = this;
    const by = decidedBy(decision?.rule ?? null);
    const word = allowed === null ? "unanswered" : verdictOf(allowed);
    return `Answer(${word}, ${by}reason=${decision?.reason ?? null}, url=${quoted(url)})`;
  }

  /** The answer in the dialect of the crawler's operator, as the registry knows it; null if it is the
   * same there, or nothing is known of it. */
  get ownReading(): Answer | null {
    if (!this.decision) return null;
    if (this.#own === undefined) this.#own = this.#readAgain();
    return this.#own?.allowed === this.allowed ? null : this.#own;
  }

  /** The object of `verger check --format jsonl`, without `schema`. */
  toJSON(): AnswerObject {
    const { url, agent, problem } = this;
    const { allowed, reason, section, line, rule, group, target, matched } =
      this.decision?.toJSON() ?? NOTHING;
    return {
      url,
      tokens: agent.tokens,
      dialect: agent.robots.dialect.name,
      file: this.file,
      truncated: agent.robots.truncated,
      allowed,
      reason,
      section,
      line,
      rule,
      group,
      target,
      matched,
      bound: this.bound,
      own_reading: this.ownReading && readingObject(this.ownReading),
      error: problem && problemObject(problem),
    };
  }
}

inspectedAsText(Answer);

function readingObject({ agent, decision }: Answer): OwnReadingObject {
  const { allowed, reason, section, line } = decision ?? NOTHING;
  return { dialect: agent.robots.dialect.name, allowed, reason, section, line };
}

function decisionOrProblem(agent: Agent, url: string): Decision | RobotsError {
  try {
    return agent.decide(url);
  } catch (error) {
    if (error instanceof InvalidTarget || error instanceof OutOfScope) return error;
    throw error;
  }
}

function problemObject(problem: RobotsError): ProblemObject {
  const type = problem instanceof OutOfScope ? "out-of-scope" : "invalid-target";
  return { type, message: problem.message, hint: problem.hint };
}
