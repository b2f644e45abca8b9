// Texts and bytes. A text of a file or a URL may hold bytes that are not UTF-8, as the lone
// surrogates U+DC80 to U+DCFF, as in Python (PEP 383); nothing is lost either way.

import { memory, scratch } from "./memory.js";

const encoder = new TextEncoder();

/** The bytes of a text. */
export function bytesOf(text: string): Uint8Array {
  return isWellFormed(text) ? encoder.encode(text) : bytesOfIllFormed(text);
}

/** The most characters of a text that is written into the scratch of the core. */
const MOST_WRITTEN = 1 << 21;
const MOST_BYTES = 3;
let room = new Uint8Array(0);

/** Write a text into the scratch of the core, behind `at` bytes of others; return where it ends, or -1
 * if it does not fit, or has bytes that are not UTF-8. */
export function written(text: string, at = 0, most = text.length + (text.length >> 3)): number {
  if (text.length > MOST_WRITTEN) return -1;
  if (room.length <= at + most) room = roomFor(at + most + 1);
  const { read, written: length } = encoder.encodeInto(text, at ? room.subarray(at) : room);
  if (read < text.length) return written(text, at, text.length * MOST_BYTES);
  const isAscii = length === text.length;
  return isAscii || isEncoded(text, room.subarray(at, at + length)) ? at + length : -1;
}

/** Whether these are the bytes of a text. A lone surrogate becomes U+FFFD, whose bytes begin with 0xEF
 * as those of few others do, except a byte order mark: most texts need no second look, which takes as
 * long as the first. */
function isEncoded(text: string, bytes: Uint8Array): boolean {
  const bom = text.startsWith("\uFEFF") ? MOST_BYTES : 0;
  return bytes.indexOf(0xef, bom) < 0 || isWellFormed(text);
}

/** Memory moves when it grows: then the room has no bytes, and this is asked again. */
function roomFor(needed: number): Uint8Array<ArrayBuffer> {
  const length = Math.max(needed, room.length, 1 << 14);
  const start = scratch(length);
  return new Uint8Array(memory().buffer as ArrayBuffer, start, length);
}

/** The bytes of several texts, one after another, and the end of each. */
export function joined(texts: readonly string[]): [Uint8Array, Uint32Array] {
  const pieces = texts.map(bytesOf);
  const ends = new Uint32Array(texts.length);
  let length = 0;
  pieces.forEach((piece, at) => (ends[at] = length += piece.length));
  const bytes = new Uint8Array(length);
  pieces.forEach((piece, at) => bytes.set(piece, (ends[at] ?? 0) - piece.length));
  return [bytes, ends];
}

const ILL_FORMED = /\p{Surrogate}/u;

const isWellFormed: (text: string) => boolean =
  "isWellFormed" in String.prototype
    ? (text) => (text as string & { isWellFormed(): boolean }).isWellFormed()
    : (text) => !ILL_FORMED.test(text);

const REPLACED = /[\p{Surrogate}\ufffd]/gu;
const NO_BYTE = /[\ud800-\udc7f\udd00-\udfff]/u;

/** Lone surrogates are the bytes that they stand for; if one stands for none, all are three bytes. The
 * encoder writes U+FFFD for each, which is mended here. */
function bytesOfIllFormed(text: string): Uint8Array {
  const allAreBytes = !NO_BYTE.test(text);
  const meant = text.match(REPLACED) ?? [];
  const bytes = encoder.encode(text);
  let [end, seen] = [0, 0];
  for (let at = 0; at < bytes.length; at++) {
    if (!isReplacement(bytes, at)) {
      bytes[end++] = bytes[at] ?? 0;
      continue;
    }
    const point = meant[seen++]?.charCodeAt(0) ?? 0;
    const isByte = allAreBytes && point !== 0xfffd;
    for (const byte of isByte ? [point - 0xdc00] : threeBytesOf(point)) bytes[end++] = byte;
    at += 2;
  }
  return bytes.slice(0, end);
}

function isReplacement(bytes: Uint8Array, at: number): boolean {
  return bytes[at] === 0xef && bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd;
}

function threeBytesOf(point: number): number[] {
  return [0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)];
}
