/**
 * What the page asks and what the worker answers: the only shapes that cross between the two.
 *
 * Lines are numbered from 1. Columns and spans count UTF-16 units from the start of their line or
 * text, as the editor does; the core counts bytes, and `worker.ts` translates.
 */

import type { RecordChange, SaidOtherwise, Use } from "verger";

export type Verdict = "allowed" | "disallowed" | "silent" | "invalid";
export type Span = [from: number, to: number];
export type Severity = "error" | "warning" | "note";
export type Posture = "all" | "some" | "none" | "unknown";
export type { RecordChange, SaidOtherwise, Use };

/** What is asked at every keystroke: only what is on the screen. */
export interface Question {
  kind: "answer";
  text: string;
  dialect: string;
  agents: string[];
  /** The URLs of the rows in view. */
  urls: string[];
  /** The number of the first of them. */
  from: number;
  /** The lines of the editor in view, to be coloured. */
  lines: Span;
  /** The cell that is explained. */
  cell: CellAsked | null;
}

export interface CellAsked {
  url: string;
  agent: string;
  dialect: string;
}

export interface Finding {
  line: number;
  code: string;
  message: string;
  severity: Severity;
}

/** How one line is read: its parts, as columns. */
export interface LineMark {
  line: number;
  kind: string;
  key: Span | null;
  value: Span | null;
  comment: Span | null;
  /** Whether the rule allows; null if it is none. */
  allow: boolean | null;
}

export interface Group {
  tokens: string[];
  startLines: number[];
  ruleLines: number[];
}

export interface Cell {
  verdict: Verdict;
  line: number | null;
  reason: string;
}

export interface Row {
  url: string;
  /** Why the URL or a crawler cannot be asked about. */
  cells: Cell[];
}

export interface Rule {
  line: number;
  allow: boolean;
  pattern: string;
}

/** A text and its parts: what matched literally, and what a `*` stands for. */
export interface Marked {
  text: string;
  parts: { span: Span; star: boolean }[];
}

export interface Explained {
  url: string;
  agent: string;
  /** The dialect, if it is not that of the page. */
  dialect: string | null;
  cell: Cell;
  /** The source of the answer, such as "RFC 9309 section 2.2.2". */
  section: string;
  rule: Rule | null;
  /** The value of the rule, and the target, with what matched; null without a rule. */
  pattern: Marked | null;
  /** The column of the value in its line. */
  column: number;
  target: Marked;
  specificity: number | null;
  /** The start-group line that counts, and its text; null if no group speaks to the crawler. */
  start: { line: number; text: string } | null;
  /** The lines of the group's rules. */
  beaten: Rule[];
  /** The crawler whose groups it follows, since none names it. */
  follows: string | null;
  /** The page that says so. */
  source: string | null;
  /** Why the rules may not bind it: what its operator says. */
  unbound: string | null;
  /** The answer in the dialect of its operator, if it is another one. */
  own: { dialect: string; cell: Cell } | null;
}

export interface Answer {
  kind: "answer";
  bytes: number;
  lineCount: number;
  bytesRead: number;
  groups: Group[];
  /** The first findings, and how many there are. */
  findings: Finding[];
  findingCount: number;
  marks: LineMark[];
  from: number;
  rows: Row[];
  explained: Explained | null;
  addresses: Addresses | null;
}

/** What a text is that has only URLs, and is no file. */
export interface Addresses {
  urls: string[];
  /** The robots.txt file that governs the first of them. */
  file: string;
}

/** What takes longer than a keystroke may: asked when typing pauses, of a worker of its own. */
export interface Study {
  kind: "study";
  text: string;
  before: string;
  dialect: string;
  agents: string[];
  /** All URLs, one on each line. */
  urls: string;
  cell: CellAsked | null;
}

/** The crawlers that follow the same groups. */
export interface Standing {
  tokens: string[];
  /** Whether a group names them, or whom they follow. */
  named: boolean;
  /** Whether the file binds them, as their operators say. */
  bound: boolean;
  posture: Posture;
  /** The answer for the URL that is asked about. */
  cell: Cell;
}

export interface UseRow {
  use: Use;
  /** For the crawler that is asked about, and for those that no group names. */
  asked: UseCell;
  others: UseCell;
}

export interface UseCell {
  verdict: Verdict;
  line: number | null;
  why: string;
}

/** What one rule does among the others of a group. */
export interface Effect {
  line: number;
  effect: "shadowed" | "matches-nothing" | "redundant";
  by: number[];
}

export interface Change {
  opens: boolean;
  region: string;
  /** The parts of the region that more specific rules exempt, and whether these are all. */
  except: string[];
  exceptAll: boolean;
  witness: string;
  /** Whether a client can request the witness. */
  requested: boolean;
  oldLine: number | null;
  newLine: number | null;
}

export interface Changed {
  tokens: string[];
  /** The first changes, and how many there are. */
  changes: Change[];
  changeCount: number;
  complete: boolean;
}

export interface Studied {
  kind: "study";
  standings: Standing[];
  uses: UseRow[];
  effects: Effect[];
  /** What start-group lines bind, in words, by line. */
  bound: { line: number; text: string }[];
  changed: Changed[];
  /** How many crawlers have another answer for some URL, of how many. */
  changedCount: number;
  comparedCount: number;
  /** The first changes of other records, and how many there are. */
  values: readonly SaidOtherwise[];
  valueCount: number;
  records: readonly RecordChange[];
  recordCount: number;
  /** How many of all URLs each crawler may fetch; those that are missing take too long. */
  totals: number[];
}

/** One crawler in all dialects. */
export interface Dialects {
  kind: "dialects";
  text: string;
  agent: string;
  urls: string[];
  from: number;
}

export interface DialectRows {
  kind: "dialects";
  names: string[];
  from: number;
  rows: Row[];
}

/** Lines that hold identification strings: what crawlers send to servers. */
export interface Headers {
  kind: "names";
  lines: string[];
}

/** The product tokens in them. */
export interface Names {
  kind: "names";
  tokens: string[];
}

/** Some rows of the table of answers, for an export. */
export interface Table {
  kind: "table";
  text: string;
  dialect: string;
  agents: string[];
  /** The URLs, one on each line. */
  urls: string;
  /** Whether the names of the columns come before them. */
  isFirst: boolean;
}

/** The rows as RFC 4180 has them. */
export interface TableText {
  kind: "table";
  csv: string;
}

/** What is known of crawlers and dialects, sent once when a worker starts. */
export interface Known {
  kind: "known";
  version: string;
  dialects: { name: string; title: string }[];
  crawlers: { token: string; operator: string | null; purposes: readonly string[] }[];
  purposes: { name: string; does: string }[];
}

export type Asked = Question | Study | Dialects | Headers | Table;

/** The answer to each kind of question. */
export interface Answers {
  answer: Answer;
  study: Studied;
  dialects: DialectRows;
  names: Names;
  table: TableText;
}

export type Answered = Answers[keyof Answers];
export type Reply = { seq: number; answered: Answered } | { seq: number; failed: string } | Known;
