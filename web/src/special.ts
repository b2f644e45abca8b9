/**
 * Characters that nobody sees, or that turn the text around them: the editor and everything beside it
 * show the same sign in their place.
 */

const BLANK = "\\p{Zl}\\p{Zp}\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000";
const UNSEEN =
  "\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u2800\\u3164\\uffa0\\u180b-\\u180f\\ufe00-\\ufe0f\\u{e0100}-\\u{e01ef}";

/** Each of them; tabs and line ends have a look of their own. */
export const SPECIAL = new RegExp(`(?![\\t\\n])[\\p{Cc}\\p{Cf}\\p{Cs}${BLANK}${UNSEEN}]`, "gu");

const NAMES: Readonly<Record<number, string>> = {
  0x0d: "carriage return",
  0xa0: "no-break space",
  0xad: "soft hyphen",
  0x200b: "zero width space",
  0x200c: "zero width non-joiner",
  0x200d: "zero width joiner",
  0x200e: "left-to-right mark",
  0x200f: "right-to-left mark",
  0x2028: "line separator",
  0x202a: "left-to-right embedding",
  0x202b: "right-to-left embedding",
  0x202c: "end of a change of direction",
  0x202d: "left-to-right override",
  0x202e: "right-to-left override",
  0x2066: "left-to-right isolate",
  0x2067: "right-to-left isolate",
  0x2068: "isolate",
  0x2069: "end of an isolate",
  0xfeff: "byte order mark",
};

/** What stands in the place of each. */
export const SIGN = "•";

/** What a special character is, such as `U+202E, right-to-left override`. */
export function nameOf(code: number): string {
  const number = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return code in NAMES ? `${number}, ${NAMES[code]}` : number;
}

/** A text where no sign can stand, such as a tooltip: each is its number. */
export function spelled(text: string): string {
  return text.replace(SPECIAL, (each) => `[${nameOf(each.codePointAt(0) ?? 0)}]`);
}

/** A text in pieces: what is seen, and the codes of what is not. */
export function piecesOf(text: string): (string | number)[] {
  const pieces: (string | number)[] = [];
  let end = 0;
  for (const found of text.matchAll(SPECIAL)) {
    pieces.push(text.slice(end, found.index), found[0].codePointAt(0) ?? 0);
    end = found.index + found[0].length;
  }
  return [...pieces, text.slice(end)].filter((each) => each !== "");
}
