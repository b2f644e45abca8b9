/**
 * Links: the file and what is asked about it, in the fragment, which browsers send to no server.
 *
 * `#v1.` and the JSON, compressed by the browser's own CompressionStream, in base64url.
 */

import { wordsOf } from "./files";
import { type Asked, MOST_AGENTS, MOST_URLS } from "./state";

export interface Shared {
  text: string;
  asked: Asked;
  view: string;
  selected: { row: number; column: number };
}

const PREFIX = "#v1.";

/** Longer links are cut by browsers and messengers. */
export const MOST_CHARACTERS = 1_000_000;

/** A link may come from anyone: no more than this is unpacked. */
const MOST_BYTES = 16_000_000;

export async function fragmentOf(shared: Shared): Promise<string> {
  const { text, asked } = shared;
  // A long text would be there twice: compression looks back 32 KB.
  const before = asked.before === text ? undefined : asked.before;
  const whole = { ...shared, asked: { ...asked, before } };
  const json = new TextEncoder().encode(JSON.stringify(whole));
  return PREFIX + base64urlOf(await piped(json, new CompressionStream("deflate-raw")));
}

/** The name of a place in a page, such as `#top`. */
const ANCHOR = /^(#[\w-]{0,60})?$/;

export const DAMAGED =
  "The link is damaged: the file in it cannot be read. Ask for it again, or for the file itself.";

const UNKNOWN =
  "The link cannot be read: it is damaged, or made by a newer version of this page. " +
  "Ask for the file itself.";

/** Returns what a link holds; null for a fragment that is none. Throws an error that says what is wrong
 * with it. */
export async function sharedIn(fragment: string): Promise<Shared | null> {
  if (ANCHOR.test(fragment)) return null;
  if (!fragment.startsWith(PREFIX)) throw new Error(UNKNOWN);
  return unpackedFrom(fragment).catch(() => {
    throw new Error(DAMAGED);
  });
}

async function unpackedFrom(fragment: string): Promise<Shared> {
  const packed = bytesOf(fragment.slice(PREFIX.length));
  const json = await piped(packed, new DecompressionStream("deflate-raw"));
  return checked(JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(json)));
}

async function piped(
  bytes: Uint8Array<ArrayBuffer>,
  through: CompressionStream | DecompressionStream,
): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([bytes]).stream().pipeThrough(through).getReader();
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    chunks.push(value);
    size += value.length;
    if (size > MOST_BYTES) {
      await reader.cancel();
      throw new RangeError("too large");
    }
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function base64urlOf(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const raw = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(raw, (character) => character.charCodeAt(0));
}

/** A link is written by anyone: each part has its type, or the link is damaged. */
function checked(value: unknown): Shared {
  const { text, asked, view, selected } = value as Shared;
  const before = asked.before ?? text;
  const parts = [text, view, asked.dialect, before, ...asked.urls, ...asked.agents];
  const numbers = [selected.row, selected.column];
  if (!parts.every((each) => typeof each === "string") || !numbers.every(Number.isInteger)) {
    throw new TypeError("not what a link holds");
  }
  return {
    text,
    asked: {
      urls: wordsOf(asked.urls.join("\n")).slice(0, MOST_URLS),
      agents: asked.agents.slice(0, MOST_AGENTS),
      dialect: asked.dialect,
      before,
    },
    view,
    selected: { row: selected.row, column: selected.column },
  };
}
