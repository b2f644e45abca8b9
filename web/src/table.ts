/** The table of answers as a file of comma-separated values (RFC 4180). */

import { agentOr, cellOf, file } from "./asking";
import type { Cell, Table, TableText } from "./core";
import { verdictInWords } from "./words";

/** A row for each URL; for each crawler its answer, and the line that decides. */
export function table({ text, dialect, agents, urls, isFirst }: Table): TableText {
  const robots = file(text, dialect);
  const columns = agents.map((token) => agentOr(robots, token));
  const rows = urls
    .split("\n")
    .filter(Boolean)
    .map((url) => [url, ...columns.flatMap((agent) => written(cellOf(agent, url)))]);
  const names = ["url", ...agents.flatMap((token) => [token, `${token} line`])];
  const lines = (isFirst ? [names, ...rows] : rows).map((row) => row.map(field).join(","));
  return { kind: "table", csv: lines.map((line) => `${line}\r\n`).join("") };
}

function written({ verdict, line }: Cell): string[] {
  return [verdictInWords(verdict), line === null ? "" : `${line}`];
}

/** A spreadsheet would compute what begins as a formula does. */
function field(text: string): string {
  const shown = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
