/** Asks the core, at once what is on the screen. Nothing here decides: it picks and translates. */

import {
  type Agent,
  DIALECTS,
  type Decision,
  type Dialect,
  type RobotsTxt,
  origin,
  ownDialect,
  parse,
  productToken,
  reasonInWords,
  verdictOf,
  version,
} from "verger";
import { CRAWLERS, PURPOSES, SOURCES, agentOf, binds, find } from "verger/crawlers";

import { beginsWithAddress, isAddress, urlOf } from "./address";
import { Bytes } from "./columns";
import type {
  Addresses,
  Answer,
  Cell,
  CellAsked,
  DialectRows,
  Dialects,
  Explained,
  Headers,
  Known,
  LineMark,
  Marked,
  Names,
  Question,
  Row,
  Rule,
} from "./core";

const MOST_FINDINGS = 300;

type DialectName = keyof typeof DIALECTS;

/** The last file, in each dialect that was asked about: the next question is often about it. */
let held: { text: string; bytes: Bytes; robots: Map<string, RobotsTxt> } | null = null;

export function read(text: string): Bytes {
  if (held?.text !== text) {
    held?.robots.forEach((robots) => robots.free());
    held = { text, bytes: new Bytes(text), robots: new Map() };
  }
  return held.bytes;
}

export function file(text: string, dialect: string): RobotsTxt {
  read(text);
  const found = held?.robots.get(dialect) ?? parse(text, dialectNamed(dialect));
  held?.robots.set(dialect, found);
  return found;
}

export function dialectNamed(name: string): DialectName {
  return name in DIALECTS ? (name as DialectName) : "rfc9309";
}

export function answer(asked: Question): Answer {
  const robots = file(asked.text, asked.dialect);
  const bytes = read(asked.text);
  const columns = asked.agents.map((token) => agentOr(robots, token));
  const { findings } = robots;
  return {
    kind: "answer",
    bytes: bytes.length,
    bytesRead: robots.bytesRead,
    lineCount: robots.numberOfLines,
    groups: robots.groups.map(({ productTokens, startLines, rules }) => ({
      tokens: [...productTokens],
      startLines: [...startLines],
      ruleLines: rules.map(({ line }) => line),
    })),
    findings: findings.slice(0, MOST_FINDINGS).map(({ line, code, message, severity }) => ({
      line,
      code,
      message,
      severity,
    })),
    findingCount: findings.length,
    marks: marksOf(robots, bytes, asked.lines),
    from: asked.from,
    rows: asked.urls.map((url) => ({ url, cells: columns.map((agent) => cellOf(agent, url)) })),
    explained: asked.cell && explained(asked.text, asked.dialect, asked.cell),
    addresses: addressesIn(asked.text),
  };
}

const MOST_ADDRESSES = 100_000;

/** The URLs of a text that has nothing else, also without `https://`; null for any other text. */
function addressesIn(text: string): Addresses | null {
  if (!beginsWithAddress(text)) return null;
  const words = text.trim().split(/\s+/, MOST_ADDRESSES);
  if (!words.every(isAddress)) return null;
  const urls = words.map(urlOf);
  try {
    return { urls, file: `${origin(urls[0]!)}/robots.txt` };
  } catch {
    return null;
  }
}

export function dialects(asked: Dialects): DialectRows {
  const names = Object.keys(DIALECTS);
  const agents = names.map((name) => agentOr(file(asked.text, name), asked.agent));
  const rows = asked.urls.map((url): Row => ({
    url,
    cells: agents.map((agent) => cellOf(agent, url)),
  }));
  return { kind: "dialects", names, from: asked.from, rows };
}

export function names({ lines }: Headers): Names {
  return { kind: "names", tokens: lines.flatMap((line) => productToken(line) ?? []) };
}

// Cells

/** The rules of a crawler, or why there are none. */
export type AgentOr = Agent | { failed: string };

export function agentOr(robots: RobotsTxt, token: string): AgentOr {
  try {
    return agentOf(robots, token);
  } catch (error) {
    return { failed: messageOf(error) };
  }
}

export function cellOf(agent: AgentOr, url: string): Cell {
  if ("failed" in agent) return { verdict: "invalid", line: null, reason: agent.failed };
  try {
    return cellFor(agent.decide(url));
  } catch (error) {
    return { verdict: "invalid", line: null, reason: messageOf(error) };
  }
}

function cellFor({ allowed, line, reason }: Decision): Cell {
  return { verdict: verdictOf(allowed), line, reason: reasonInWords(reason) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

// The explanation of one cell

function explained(
  text: string,
  ownDialect: string,
  { url, agent: token, dialect }: CellAsked,
): Explained {
  const robots = file(text, dialect);
  const agent = agentOr(robots, token);
  const cell = cellOf(agent, url);
  const said = {
    url,
    agent: token,
    dialect: dialect === ownDialect ? null : dialect,
    cell,
    follows: "failed" in agent ? null : agent.follows,
    source: sourceOf(token),
    unbound: "failed" in agent || binds(token, agent.named) ? null : UNBOUND,
    own: "failed" in agent ? null : ownReading(text, robots.dialect, { url, agent: token }, cell),
  };
  if ("failed" in agent || cell.verdict === "invalid")
    return { ...said, ...NOTHING, target: markedOf(url, []) };
  const decision = agent.decide(url);
  const { rule, section, target, specificity, beaten } = decision;
  return {
    ...said,
    section,
    rule: rule && ruleOf(rule),
    pattern: rule && markedBy(rule.pattern, decision, 0),
    column: rule ? columnOf(robots, read(text), rule) : 0,
    target: markedBy(target, decision, 1),
    specificity,
    start: lineOf(robots, decision.startLine),
    beaten: beaten.map(ruleOf),
  };
}

/** The answer in the dialect of the crawler's operator, if it is another one. */
function ownReading(
  text: string,
  asked: Dialect,
  { url, agent }: { url: string; agent: string },
  { verdict }: Cell,
): Explained["own"] {
  const dialect = ownDialect(agent, asked)?.name;
  if (!dialect || verdict === "invalid") return null;
  const cell = cellOf(agentOr(file(text, dialect), agent), url);
  return cell.verdict === verdict ? null : { dialect, cell };
}

const UNBOUND = "Its operator says that these rules do not bind it.";

/** The page on which its operator says what a crawler follows. */
function sourceOf(token: string): string | null {
  return SOURCES[find(token)?.sources[0] ?? ""]?.title ?? null;
}

const NOTHING = {
  section: "",
  rule: null,
  pattern: null,
  column: 0,
  specificity: null,
  start: null,
  beaten: [],
};

function ruleOf({ line, allow, pattern }: Rule): Rule {
  return { line, allow, pattern };
}

/** One side of what matched, the pattern or the target, with each part a star's or not. */
function markedBy(text: string, { matched, stars }: Decision, side: 0 | 1): Marked {
  const own = new Bytes(text);
  return markedOf(
    text,
    matched.map((pair, at) => ({ span: own.columns(pair[side]), star: stars[at] ?? false })),
  );
}

function markedOf(text: string, parts: Marked["parts"]): Marked {
  return { text, parts };
}

function columnOf(
  robots: RobotsTxt,
  bytes: Bytes,
  { line, span }: { line: number; span: readonly [number, number] },
): number {
  const start = robots.linesFrom(line - 1, line)[0]?.span[0] ?? 0;
  return bytes.columns(span, start)[0];
}

function lineOf(robots: RobotsTxt, number: number | null): Explained["start"] {
  const [line] = number === null ? [] : robots.linesFrom(number - 1, number);
  return line ? { line: line.number, text: `${line.key ?? ""}: ${line.value ?? ""}` } : null;
}

// How lines are read

function marksOf(
  robots: RobotsTxt,
  bytes: Bytes,
  [first, last]: readonly [number, number],
): LineMark[] {
  const lines = robots.linesFrom(Math.max(0, first - 1), Math.min(last, robots.numberOfLines));
  return lines.map(({ number, span, kind, key, field, valueSpan, comment }): LineMark => {
    const text = bytes.slice(...span);
    const keyAt = key === null ? -1 : text.indexOf(key);
    const commentAt = comment === null ? -1 : text.lastIndexOf(comment);
    return {
      line: number,
      kind,
      key: key === null || keyAt < 0 ? null : [keyAt, keyAt + key.length],
      value: valueSpan && bytes.columns(valueSpan, span[0]),
      comment: comment === null || commentAt < 0 ? null : [commentAt, commentAt + comment.length],
      allow: kind === "rule" ? field === "allow" : null,
    };
  });
}

export function known(): Known {
  return {
    kind: "known",
    version,
    dialects: Object.values(DIALECTS).map(({ name, title }) => ({ name, title })),
    crawlers: CRAWLERS.map(({ token, operator, purposes }) => ({ token, operator, purposes })),
    purposes: Object.entries(PURPOSES).map(([name, does]) => ({ name, does })),
  };
}
