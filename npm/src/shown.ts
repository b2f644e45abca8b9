// What a value shows of itself: what Python's `repr` shows.

import { quoted } from "./plain.js";
import type { Rule } from "./values.js";

/** Lets Node's `console.log` show what `toString` returns, and not the parts. */
export function inspectedAsText(kind: { readonly prototype: object }): void {
  const value = function (this: object) {
    return String(this);
  };
  Object.defineProperty(kind.prototype, Symbol.for("nodejs.util.inspect.custom"), { value });
}

/** A count of something, in English. */
export function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

/** The rule that decided, and its line, if one did. */
export function decidedBy(rule: Rule | null): string {
  if (!rule) return "";
  const record = `${rule.allow ? "Allow" : "Disallow"}: ${rule.pattern}`;
  return `line=${rule.line}, rule=${quoted(record)}, `;
}
