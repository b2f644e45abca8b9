// The values of a file, with the words of RFC 9309. A text of the file may hold lone surrogates, which
// are bytes that are not UTF-8; spans are in bytes: the first, and the one after the last.

/** The first byte, and the one after the last. */
export type Span = readonly [start: number, end: number];

/** Why a URL may or may not be fetched. */
export type Reason =
  | "MOST_SPECIFIC_RULE"
  | "FIRST_MATCHING_RULE"
  | "EMPTY_RULE"
  | "NO_MATCHING_RULE"
  | "GROUP_WITHOUT_RULES"
  | "NO_GROUP"
  | "ROBOTS_TXT_ITSELF"
  | "FILE_OVER_LIMIT";

/** What content may be used for. */
export type Use = "search" | "ai-input" | "ai-train";

/** How a file speaks about use. */
export type Mechanism =
  | "crawl-rules"
  | "policy-token"
  | "content-signal"
  | "content-usage"
  | "license";

/** The mechanism that decided about a use. */
export type UseReason =
  | "CRAWL_RULES"
  | "POLICY_TOKEN"
  | "CONTENT_SIGNAL"
  | "CONTENT_USAGE"
  | "NO_SIGNAL";

/** How much of the site a crawler may fetch. */
export type Posture = "all" | "some" | "none" | "unknown";

/** What the dialect reads in a line; `dropped`: a limit for lines skips it; `beyond-limit`: the file
 * is not read so far. */
export type LineKind =
  | "blank"
  | "comment"
  | "start-group"
  | "rule"
  | "record"
  | "unknown"
  | "dropped"
  | "beyond-limit";

/** An `allow` or `disallow` record. */
export interface Rule {
  /** The number of its line, from 1. */
  readonly line: number;
  /** Whether it is an `Allow`. */
  readonly allow: boolean;
  /** The value as written. */
  readonly pattern: string;
  /** The span of the value in the file. */
  readonly span: Span;
}

/** Start-group lines and the rules they head. */
export interface Group {
  /** The values of its `User-agent` lines as written, in file order. */
  readonly productTokens: readonly string[];
  /** The numbers of these lines, from 1. */
  readonly startLines: readonly number[];
  /** Its rules, in file order. */
  readonly rules: readonly Rule[];
}

/** Something in the file that was tolerated, cut or skipped. */
export interface Finding {
  /** The number of its line, from 1. */
  readonly line: number;
  /** Its kind, such as `misspelt-key`. */
  readonly code: string;
  /** What was found, in a sentence. */
  readonly message: string;
  /** `error` if something written has no effect, or not the effect it seems to have; `warning` if it
   * is read, but perhaps not as intended; otherwise `note`. */
  readonly severity: "error" | "warning" | "note";
  /** The section of the documentation that explains it. */
  readonly page: string | null;
}

/** One line of the file. Its span includes the line end; the spans tile the file. */
export interface Line {
  /** Its number, from 1. */
  readonly number: number;
  /** Its bytes in the file. */
  readonly span: Span;
  /** What the dialect reads in it. */
  readonly kind: LineKind;
  /** The key as written. */
  readonly key: string | null;
  /** The field that the dialect reads, in lower case. */
  readonly field: string | null;
  /** The value as written, without blanks around it; null if there is none. */
  readonly value: string | null;
  /** The bytes of the value in the file. */
  readonly valueSpan: Span | null;
  /** The comment from its `#` on, as written; null if there is none. */
  readonly comment: string | null;
  /** What was tolerated, cut or skipped in it. */
  readonly findings: readonly Finding[];
}

/** A window of the day in minutes, UTC; `start > end` spans midnight. */
export interface VisitTime {
  /** The first minute of the day, from 0 to 1439. */
  readonly start: number;
  /** The last minute of the day, from 0 to 1439. */
  readonly end: number;
}

/** `documents` in `seconds`, within an optional window (Conner 1996; Seznam). */
export interface RequestRate {
  /** How many documents may be fetched. */
  readonly documents: number;
  /** In how many seconds. */
  readonly seconds: number;
  /** When; null for always. */
  readonly window: VisitTime | null;
}

/** The URL of a sitemap, as written (sitemaps.org protocol). */
export interface Sitemap {
  /** The value as written. */
  readonly url: string;
  /** Whether it is an absolute URL. */
  readonly absolute: boolean;
  /** A relative URL resolved against the file's own. */
  readonly resolved: string | null;
}

/** The main mirror of a site (Yandex Webmaster help, Host; retired in March 2018). */
export interface Host {
  /** `http` or `https`; null if the record names none. */
  readonly scheme: string | null;
  /** In A-label form, lower-case. */
  readonly host: string;
  /** The port; null if the record names none. */
  readonly port: number | null;
}

/** Query parameters without meaning, below a path (Yandex Webmaster help, Clean-param). */
export interface CleanParam {
  /** The names of the parameters. */
  readonly params: readonly string[];
  /** The path, as written; empty if the record names none. */
  readonly path: string;
}

/** Permitted uses of the content; null if unset (Cloudflare documentation, Content Signals). */
export interface ContentSignal {
  /** Whether a search index may be built from it. */
  readonly search: boolean | null;
  /** Whether AI models may be given it to answer from. */
  readonly aiInput: boolean | null;
  /** Whether AI models may be trained on it. */
  readonly aiTrain: boolean | null;
  /** How much of it may be shown. */
  readonly use: "immediate" | "reference" | "full" | null;
}

/** Usage preferences for a path; null if unknown (draft-ietf-aipref-attach-05). */
export interface ContentUsage {
  /** The path that the preferences are for, as written; empty if the record names none. */
  readonly path: string;
  /** Whether AI models may be trained on it. */
  readonly trainAi: boolean | null;
  /** Whether it may be used for search. */
  readonly search: boolean | null;
  /** Whether AI models may use it. */
  readonly aiUse: boolean | null;
  /** Unknown labels, each with what follows it as written: they have no effect. */
  readonly other: readonly (readonly [string, string])[];
}

/** The URL of a licence, as written (RSL, guide "Adding RSL to robots.txt"). */
export interface License {
  /** As written. */
  readonly url: string;
}

/** The value of a record: a delay is a number of seconds, and free text a string. */
export type RecordValue =
  | number
  | string
  | RequestRate
  | VisitTime
  | Sitemap
  | Host
  | CleanParam
  | ContentSignal
  | ContentUsage
  | License;

/** An extension record: its raw text, and a typed value if it is well-formed. */
export interface FileRecord {
  /** The number of its line, from 1. */
  readonly line: number;
  /** Its field, in lower case, such as `crawl-delay`. */
  readonly field: string;
  /** The value as written. */
  readonly raw: string;
  /** The value with its type; null if it is not well-formed. */
  readonly value: RecordValue | null;
  /** Whether it is for the crawlers of a group, or for everyone. */
  readonly scope: "group" | "file";
  /** The group that it is in; null if it is in none. */
  readonly group: Group | null;
  /** What was tolerated in it. */
  readonly findings: readonly Finding[];
}

/** What one mechanism says about one use. */
export interface UseSignal {
  /** The mechanism. */
  readonly mechanism: Mechanism;
  /** What it says. */
  readonly verdict: "allow" | "disallow" | "silent";
  /** The number of the line that says so, from 1; null if none does. */
  readonly line: number | null;
  /** The path pattern that it is limited to, as written; null for every path. */
  readonly pattern: string | null;
  /** The document that says what the mechanism means. */
  readonly section: string;
  /** The policy token, if it is one, or is said in a group that names one; `a,b` if several do. */
  readonly token: string | null;
  /** The span of the words that say so in the file. */
  readonly span: Span | null;
}

/** Crawlers that follow the same groups of a file, and that it binds alike. */
export interface Standing {
  /** Their product tokens. */
  readonly tokens: readonly string[];
  /** For each, the crawler whose groups it follows, if none names it; otherwise null. */
  readonly follows: readonly (string | null)[];
  /** Whether a group names them, or whom they follow. */
  readonly named: boolean;
  /** Whether the file binds them, as their operators say. */
  readonly bound: boolean;
}

/** A crawler: its product token, or its tokens in the order in which it prefers them. */
export type Token = string | readonly string[];

/** @internal A value and all that is in it, so that nobody changes what others see. */
export function frozen<T>(value: T): T {
  if (value !== null && typeof value === "object" && !Object.isFrozen(value)) {
    Object.values(value).forEach(frozen);
    Object.freeze(value);
  }
  return value;
}

/** @internal What the core wrote. */
export function read<T>(json: string): T {
  return JSON.parse(json) as T;
}
