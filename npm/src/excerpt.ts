// One decision explained: the lines of the file that led to it, and what matched, as Python draws them.
// `^` underlines the bytes that matched literally, `~` a `*` and what it matched; `=` starts a remark.

import { printable, shortenedTo } from "./plain.js";
import { columns } from "./width.js";
import { verdictOf } from "./words.js";

/** The most characters to show, and pieces of text, each with the mark under it. */
type Section = readonly [most: number, pieces: readonly (readonly [text: string, mark: string])[]];

/** A text of ours; or an untrusted one with the most characters to show, null for one in backticks. */
type Word = string | readonly [text: string, most: number | null];

/** A line of the file, which has a number; marks, with sections and words; what a pattern was compared
 * with, with sections alone; or a remark. */
interface Part {
  readonly number: number | null;
  readonly sections: readonly Section[];
  readonly said: readonly Word[] | null;
}

/** @internal What the core writes of an explanation. */
export interface Explanation {
  readonly because: string;
  readonly widest: number;
  readonly lines: readonly Part[];
  readonly remarks: readonly Part[];
}

/** The printed text of each character, and the mark under it. */
type Cell = readonly [text: string, mark: string];

const LONGEST_QUOTE = 2_000;

/** The whole explanation as text. */
export function drawn(allowed: boolean | null, told: Explanation): string {
  const gutter = 2 + `${told.widest}`.length;
  const parts = [...told.lines, ...told.remarks].flatMap((part) => linesOf(part, gutter));
  const headline = `${verdictOf(allowed)}${told.because}`;
  return [headline, ...(parts.length > 0 || allowed !== null ? [""] : []), ...parts].join("\n");
}

function linesOf({ number, sections, said }: Part, gutter: number): string[] {
  const margin = " ".repeat(gutter);
  const cells = sections.flatMap(cellsOf);
  const words = (said ?? []).map(wordOf).join("");
  const marks = marksUnder(cells);
  if (number !== null) return [`${`${number}`.padStart(gutter)} | ${textOf(cells)}`];
  if (sections.length === 0) return [`${margin} = ${words}`];
  if (said) return [`${margin} | ${" ".repeat(indentOf(cells))}${marks} ${words}`];
  const target = `${margin} = target ${textOf(cells)}`;
  return marks ? [target, `${margin}${" ".repeat(" = target ".length)}${marks}`] : [target];
}

function wordOf(word: Word): string {
  if (typeof word === "string") return word;
  const [text, most] = word;
  if (most !== null) return shortenedTo(printable(text), most);
  return `\`${shortenedTo(printable(text).replaceAll("`", "\\x60"), LONGEST_QUOTE)}\``;
}

function cellsOf([most, pieces]: Section): Cell[] {
  const cells = pieces.flatMap(([text, mark]) =>
    Array.from(text.replaceAll("\t", " "), (each): Cell => [printable(each), mark]),
  );
  if (cells.length <= most) return cells;
  const tail = Math.floor(most / 3);
  const gap: Cell = ["...", cells[most - tail]?.[1] ?? " "];
  return [...cells.slice(0, most - tail), gap, ...cells.slice(-tail)];
}

function textOf(cells: readonly Cell[]): string {
  return cells.map(([text]) => text).join("").trimEnd();
}

/** The columns before the first mark. */
function indentOf(cells: readonly Cell[]): number {
  const first = cells.findIndex(([, mark]) => mark !== " ");
  const before = first < 0 ? cells : cells.slice(0, first);
  return before.reduce((sum, [text]) => sum + columns(text), 0);
}

/** The line of marks, from the first to the last. */
function marksUnder(cells: readonly Cell[]): string {
  return cells.map(([text, mark]) => mark.repeat(columns(text))).join("").trim();
}
