// What is thrown: misuse by the caller, never the content of a file.

import { shortened } from "./plain.js";

/** The base of the package's errors: `message` says what is wrong and where, `hint` what to do. */
export class RobotsError extends Error {
  /** The name of its class, also in bundles that shorten the names of classes. */
  override readonly name: string = "RobotsError";
  /** What to do; null if there is no remedy. */
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.hint = hint;
  }
}

/** The text is neither an absolute URL nor a path beginning with `/`. */
export class InvalidTarget extends RobotsError {
  override readonly name = "InvalidTarget";
}

/** The text cannot be a product token (RFC 9309 section 2.2.1). */
export class InvalidProductToken extends RobotsError {
  override readonly name = "InvalidProductToken";
}

/** The URL does not belong to the origin of the file (RFC 9309 section 2.3). */
export class OutOfScope extends RobotsError {
  override readonly name = "OutOfScope";
}

/** No dialect, knob, value or purpose has this name. */
export class UnknownName extends RobotsError {
  override readonly name = "UnknownName";
}

/** A setting of a dialect makes no sense. */
export class InvalidOption extends RobotsError {
  override readonly name = "InvalidOption";
}

const CLASSES = { InvalidTarget, InvalidProductToken, OutOfScope };

/** The error of what the core complains about: it throws the complaint as a text. */
export function errorOf(complaint: unknown): unknown {
  if (typeof complaint !== "string") return complaint;
  const { class: name, message, hint } = JSON.parse(complaint);
  return new CLASSES[name as keyof typeof CLASSES](visible(message), visible(hint));
}

/** Whatever the core complains about, thrown as an error. */
export function asked<T>(ask: () => T): T {
  try {
    return ask();
  } catch (complaint) {
    throw errorOf(complaint);
  }
}

/** The core marks what is untrusted, with stand-ins for bytes that are not text. */
function visible(told: string): string {
  return told.replace(/\u{F0000}([^\u{F0001}]*)\u{F0001}/gu, (_, text: string) =>
    shortened(text.replace(/[\u{F0100}-\u{F01FF}]/gu, byteOf)),
  );
}

function byteOf(standIn: string): string {
  return String.fromCharCode((standIn.codePointAt(0) ?? 0) - 0xf0100 + 0xdc00);
}
