// What the package exports, whatever starts the core.

import { binds as bindsOf, check_product_tokens, leading_name, origin as originOf, product_token } from "#wasm";
import { is_robots_txt, own_dialect, requested_url, version as versionOf } from "#wasm";
import { tokensOf } from "./agent.js";
import { allDialects, allKnobs, type DerivedName, type Dialect, dialectOf, type DialectName } from "./dialect.js";
import { asked } from "./errors.js";
import { expectText } from "./expect.js";
import { memory } from "./memory.js";
import { bytesOf, joined } from "./text.js";
import { read, type Token } from "./values.js";

memory(); // Nothing of what follows is there before the core.

/** The eight named dialects, oldest first. */
export const DIALECTS = allDialects();

/** The choices of a dialect, in the order of the pipeline. */
export const KNOBS = allKnobs();

/** The version. */
export const version: string = versionOf();

/** How many bytes of memory the core has, of which it gives none back. */
export function coreBytes(): number {
  return memory().buffer.byteLength;
}

/** The product token in an identification string, or null if there is none (RFC 9309 section 2.2.1). */
export function productToken(header: string): string | null {
  expectText("header", header);
  return product_token(bytesOf(header)) ?? null;
}

/**
 * Throw InvalidProductToken if a text cannot be the product token of a crawler; its hint says what was
 * probably meant (RFC 9309 section 2.2.1).
 */
export function checkProductToken(token: Token, dialect: DialectName | DerivedName | Dialect = "rfc9309"): void {
  const [words, ends] = joined(tokensOf(token));
  asked(() => check_product_tokens(words, ends, dialectOf(dialect)._text));
}

/**
 * The dialect in which a crawler reads, by the documents of its operator; null if these are unknown, or
 * give the one that is asked about. Knobs that differ in this one differ there, too.
 */
export function ownDialect(
  token: string,
  asked: DialectName | DerivedName | Dialect = "rfc9309",
): Dialect | null {
  expectText("token", token);
  const name = own_dialect(bytesOf(token), dialectOf(asked)._text);
  return name === undefined ? null : dialectOf(name as DerivedName);
}

/** Whether a file binds a crawler, according to its operator; `named`: whether a group names it, or one
 * that it follows. With several tokens, the registry is not used: the file binds. */
export function binds(token: Token, named: boolean): boolean {
  const [alone, ...others] = tokensOf(token);
  return alone === undefined || others.length > 0 || bindsOf(bytesOf(alone), named);
}

/** The product token that the value of a start-group line begins with, or an empty text. */
export function leadingName(value: string): string {
  expectText("value", value);
  return leading_name(bytesOf(value));
}

/**
 * The origin whose robots.txt file governs a URL, as `scheme://host:port` in canonical form.
 *
 * @throws InvalidTarget, also for a scheme without robots.txt (RFC 9309 section 2.3).
 */
export function origin(url: string): string {
  expectText("url", url);
  return read<string>(asked(() => originOf(bytesOf(url))));
}

/**
 * The URL that an HTTP client requests for a URL: without dot segments, user and fragment. A path
 * stays a path.
 *
 * @throws InvalidTarget, also for a scheme without robots.txt.
 */
export function requestedUrl(url: string): string {
  expectText("url", url);
  const other = asked(() => requested_url(bytesOf(url)));
  return other === undefined ? url : read<string>(other);
}

/** Whether a URL is that of a robots.txt file that governs an origin. */
export function isRobotsTxt(url: string): boolean {
  expectText("url", url);
  return is_robots_txt(bytesOf(url));
}

export { Agent } from "./agent.js";
export {
  type Change,
  type Changed,
  changes,
  type Comparing,
  difference,
  type Difference,
  effects,
  exempt,
  type Exempt,
  type Follower,
  followers,
  otherRecords,
  type OtherRecords,
  type Proving,
  type RecordChange,
  redundant,
  redundantAlone,
  type Redundant,
  type RuleEffect,
  type SaidOtherwise,
} from "./analysis.js";
export { Answer, type AnswerObject, type OwnReadingObject, type ProblemObject } from "./answer.js";
export { Decision, type DecisionObject } from "./decision.js";
export {
  type DerivedName,
  Dialect,
  type DialectName,
  type Knob,
  type KnobValue,
  type Replacing,
} from "./dialect.js";
export {
  InvalidOption,
  InvalidProductToken,
  InvalidTarget,
  OutOfScope,
  RobotsError,
  UnknownName,
} from "./errors.js";
export { parse, type Parsing, RobotsTxt } from "./robots.js";
export { type PolicyToken, policyTokensOf as policyTokens, UseDecision, type UseObject } from "./use.js";
export { reasonInWords, verdictOf } from "./words.js";
export type {
  CleanParam, ContentSignal, ContentUsage, FileRecord, Finding, Group, Host, License, Line, LineKind,
  Mechanism, Posture, Reason, RecordValue, RequestRate, Rule, Sitemap, Span, Standing, Token, Use, UseReason,
  UseSignal, VisitTime,
} from "./values.js";
