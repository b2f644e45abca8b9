/** Files: bytes become the text of the editor, and the text becomes a file again. */

import type { Named } from "./state";

export interface Opened {
  text: string;
  /** What the text does not show of the bytes; null if it shows all. */
  remark: string | null;
}

/** Larger files would make each keystroke slow; no crawler reads as much. */
export const MOST_BYTES = 20_000_000;

export async function textOfFile(file: Blob): Promise<Opened> {
  if (file.size > MOST_BYTES) {
    const size = (file.size / 1e6).toFixed(0);
    throw new RangeError(`the file has ${size} MB; this page opens up to ${MOST_BYTES / 1e6} MB`);
  }
  return textOfBytes(new Uint8Array(await file.arrayBuffer()));
}

/** The editor holds text: bytes that are no UTF-8 are shown as what they probably are. */
export function textOfBytes(bytes: Uint8Array): Opened {
  const wide = utf16Of(bytes);
  if (wide) {
    const remark =
      "The file is in UTF-16, which most crawlers do not read: they find no rule in it. " +
      "Shown and judged is its text, as if it were in UTF-8.";
    return { text: new TextDecoder(wide).decode(bytes), remark };
  }
  try {
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { text: decoder.decode(bytes), remark: null };
  } catch {
    const remark =
      "The file is not in UTF-8. Its bytes are shown as Latin-1, and judged as this text in " +
      "UTF-8; `verger check` judges the bytes themselves.";
    return { text: new TextDecoder("windows-1252").decode(bytes), remark };
  }
}

/** The editor has one kind of line end: CRLF if the file has any. */
export function lineEndsOf(text: string): Pick<Named, "lineEnd" | "isMixed"> {
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  return { lineEnd, isMixed: text !== text.replace(/\r\n?|\n/g, lineEnd) };
}

function utf16Of(bytes: Uint8Array): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return null;
}

/** The words of a text: URLs stand between blanks and line ends. */
export function wordsOf(text: string): string[] {
  return text.split(/\s+/).filter((each) => each !== "");
}

export function save(name: string, parts: string[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type: `${type};charset=utf-8` }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Asks for a file; nothing comes if none is chosen. */
export function choose(chosen: (file: File) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = ".txt,text/plain,*/*";
  input.addEventListener("change", () => {
    const file = input.files?.[0];
    if (file) chosen(file);
  });
  input.click();
}
