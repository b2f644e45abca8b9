// Answers: what a file says to one question, or why it says nothing.

import type { Agent } from "./agent.js";
import type { Decision, DecisionObject } from "./decision.js";
import { InvalidTarget, OutOfScope, type RobotsError } from "./errors.js";
import { quoted } from "./plain.js";
import { decidedBy, inspectedAsText } from "./shown.js";

/** An answer as JSON has it: the object of `verger check --format jsonl`, without `schema`. */
export interface AnswerObject extends Omit<DecisionObject, "allowed" | "reason" | "section" | "target"> {
  readonly file: string | null;
  readonly truncated: boolean;
  readonly allowed: boolean | null;
  readonly reason: string | null;
  readonly section: string | null;
  readonly target: string | null;
  readonly bound: boolean | null;
  readonly error: ProblemObject | null;
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

  private constructor(
    agent: Agent,
    url: string,
    file: string | null,
    bound: boolean,
    decided: Decision | RobotsError,
  ) {
    this.agent = agent;
    this.url = url;
    this.file = file;
    this.#bound = bound;
    this.decision = decided instanceof Error ? null : decided;
    this.problem = decided instanceof Error ? decided : null;
  }

  /** @internal Ask the rules of a crawler. */
  static of(agent: Agent, url: string, file: string | null, bound: boolean): Answer {
    return new Answer(agent, url, file, bound, decisionOrProblem(agent, url));
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
    const word = allowed === null ? "unanswered" : allowed ? "allowed" : "disallowed";
    const by = decidedBy(decision?.rule ?? null);
    return `Answer(${word}, ${by}reason=${decision?.reason ?? null}, url=${quoted(url)})`;
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
      error: problem && problemObject(problem),
    };
  }
}

inspectedAsText(Answer);

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
