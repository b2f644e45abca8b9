/** From the bytes of the core to the characters of the editor. */

import type { Span } from "./core";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

const ASCII = /^[\x00-\x7f]*$/;

/** A text, and where its bytes are among its characters. */
export class Bytes {
  readonly #bytes: Uint8Array | null;

  constructor(readonly text: string) {
    this.#bytes = ASCII.test(text) ? null : encoder.encode(text);
  }

  get length(): number {
    return this.#bytes?.length ?? this.text.length;
  }

  /** The text of a span of bytes. */
  slice(from: number, to: number): string {
    return this.#bytes ? decoder.decode(this.#bytes.subarray(from, to)) : this.text.slice(from, to);
  }

  /** The columns of a span of bytes, counted from another byte. */
  columns([from, to]: readonly [number, number], start = 0): Span {
    if (!this.#bytes) return [from - start, to - start];
    const before = this.slice(start, from).length;
    return [before, before + this.slice(from, to).length];
  }
}
