// What a value shows of itself: what Python's `repr` shows.

import { quoted } from "./plain.js";
import type { Rule } from "./values.js";

const INSPECTED = Symbol.for("nodejs.util.inspect.custom");

/** Lets Node's `console.log` show what `toString` returns, and not the parts. */
export function inspectedAsText(kind: { readonly prototype: object }): void {
  const value = function (this: object) {
    return String(this);
  };
  Object.defineProperty(kind.prototype, INSPECTED, { value });
}

/** Lets a plain value show a text. Its members stay all that is compared, written as JSON, or sent to a
 * worker, since the two functions are not enumerable. */
export function shownAs<T extends object>(value: T, text: (value: T) => string): T {
  const shown = { value: () => text(value) };
  return Object.defineProperties(value, { toString: shown, [INSPECTED]: shown });
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
