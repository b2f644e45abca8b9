// What arguments must be: a wrong one is a TypeError or a RangeError that says what was expected.

import { choiceHint } from "./closest.js";
import { shortened } from "./plain.js";

/** A TypeError: what was expected, and what was passed. */
export function wrongType(name: string, expected: string, value: unknown): TypeError {
  return new TypeError(`\`${name}\` must be ${expected}, not ${kindOf(value)}`);
}

function kindOf(value: unknown): string {
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  return shortened(String(value.constructor?.name ?? "object"));
}

/** A text argument. */
export function expectText(name: string, value: unknown): asserts value is string {
  if (typeof value !== "string") throw wrongType(name, "a string", value);
}

/** An array of texts. */
export function expectTexts(name: string, value: unknown): asserts value is readonly string[] {
  expectArray(name, "an array of strings", value);
  value.forEach((each) => expectText(name, each));
}

/** An array of anything. */
export function expectArray(
  name: string,
  expected: string,
  value: unknown,
): asserts value is readonly unknown[] {
  if (!Array.isArray(value)) throw wrongType(name, expected, value);
}

/** A whole number from 0 on. */
export function expectWhole(
  name: string,
  value: unknown,
  most: number = Number.MAX_SAFE_INTEGER,
): asserts value is number {
  if (typeof value !== "number") throw wrongType(name, "a whole number", value);
  if (Number.isInteger(value) && value >= 0 && value <= most) return;
  throw new RangeError(`\`${name}\` must be a whole number from 0 to ${most}, not ${value}`);
}

/** A value of a class of this package. */
export function expectOf<T>(
  kind: abstract new (...args: never[]) => T,
  name: string,
  expected: string,
  value: unknown,
): asserts value is T {
  if (!(value instanceof kind)) throw wrongType(name, expected, value);
}

/** Whether a value is an object without a kind of its own, in whatever realm it was made. */
function isPlain(value: unknown): value is object {
  return Object.prototype.toString.call(value) === "[object Object]";
}

/** An object with values by name. */
export function expectObject(name: string, value: unknown): asserts value is object {
  if (!isPlain(value)) throw wrongType(name, "an object", value);
}

/** An object with some of these options, and no others. */
export function expectOptions(value: unknown, known: readonly string[], expected = "an object"): void {
  if (!isPlain(value)) throw wrongType("options", expected, value);
  const other = Object.keys(value).find((name) => !known.includes(name));
  if (other === undefined) return;
  throw new TypeError(`unknown option \`${shortened(other)}\`: ${choiceHint(other, known)}`);
}
