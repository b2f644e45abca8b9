/**
 * Commands for what the page does not do itself, filled in with what is on it.
 *
 * Checks, fixes, formatting and edits that prove what they change are parts of the Python package.
 */

import type { Asked } from "./state";

export interface Command {
  does: string;
  line: string;
}

const MOST_URLS = 20;

export function commandsFor(name: string, asked: Asked, agent: string, url: string): Command[] {
  const file = quoted(name);
  const dialect = asked.dialect === "rfc9309" ? "" : ` --dialect ${quoted(asked.dialect)}`;
  const agents = asked.agents.map((each) => ` --agent ${quoted(each)}`).join("");
  const urls = asked.urls.slice(0, MOST_URLS).map(quoted).join(" ");
  const one = quoted(agent);
  return [
    { does: "Find mistakes, with reasons and fixes", line: `verger lint ${file}${dialect}` },
    { does: "Fix what changes no answer", line: `verger lint --fix ${file}${dialect}` },
    { does: "Format", line: `verger fmt ${file}` },
    {
      does: "Remove rules that decide nothing",
      line: `verger minimise --robots ${file}${dialect}`,
    },
    {
      does: `Close a path to ${agent}, and prove that nothing else changes`,
      line: `verger block --robots ${file} --agent ${one}${dialect} ${quoted(pathOf(url))}`,
    },
    {
      does: `Open a path to ${agent}, and prove that nothing else changes`,
      line: `verger allow --robots ${file} --agent ${one}${dialect} ${quoted(pathOf(url))}`,
    },
    { does: "Compare two versions", line: `verger diff before.txt ${file}${dialect}` },
    { does: "This table", line: `verger check --robots ${file}${agents}${dialect} ${urls}`.trim() },
  ];
}

/** A word for a POSIX shell. */
export function quoted(word: string): string {
  if (/^[\w./:@%+=-]+$/.test(word) && !word.startsWith("-")) return word;
  return `'${word.replaceAll("'", "'\\''")}'`;
}

function pathOf(url: string): string {
  const path = /^[a-z]+:\/\/[^/?#]*([^#]*)/i.exec(url)?.[1] ?? url;
  return path.startsWith("/") ? path : `/${path}`;
}
