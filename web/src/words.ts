/** Answers in words, and counts. */

import type { Verdict } from "./core";

/** What an answer is called: as the core calls it, but for what it does not answer. */
export function verdictInWords(verdict: Verdict): string {
  return verdict === "invalid" ? "not answered" : verdict;
}

export function counted(number: number, one: string, many = `${one}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}
