// Untrusted text, made safe to show: every character is visible, and none has an effect.

// What is invisible although it counts as printable.
const INVISIBLE =
  /[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\u180b-\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]/u;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|[^\P{Zs} ]/u;
const SHORT: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** The text with invisible characters escaped, such as `\x1b` or `\u202e`. */
export function printable(text: string): string {
  return /^[ -~]*$/.test(text) ? text : Array.from(text, glyph).join("");
}

/** What to show for one character. */
export function glyph(character: string): string {
  if (!UNPRINTABLE.test(character) && !INVISIBLE.test(character)) return character;
  const code = character.codePointAt(0) ?? 0;
  return SHORT[character] ?? escaped(code >= 0xdc80 && code <= 0xdcff ? code - 0xdc00 : code);
}

/** A text as Python's `repr` writes it. */
export function quoted(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const shown = Array.from(text, (each) => {
    if (each === mark || each === "\\") return `\\${each}`;
    return SHORT[each] ?? (UNPRINTABLE.test(each) ? escaped(each.codePointAt(0) ?? 0) : each);
  });
  return `${mark}${shown.join("")}${mark}`;
}

function escaped(code: number): string {
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, "0")}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, "0")}`;
  return `\\U${code.toString(16).padStart(8, "0")}`;
}

/** The text; if it is longer than `most`, its two ends around `...`. */
export function shortenedTo(text: string, most: number): string {
  if (text.length <= most) return text;
  const characters = Array.from(text);
  if (characters.length <= most) return text;
  const tail = Math.floor(most / 3);
  return [...characters.slice(0, most - tail - 3), "...", ...characters.slice(-tail)].join("");
}

const LONGEST = 80;

/** At most 80 characters of untrusted text, to be put between backticks. */
export function shortened(text: string): string {
  const characters = Array.from(text);
  const shown = printable(characters.slice(0, LONGEST).join("")).replaceAll("`", "\\x60");
  return characters.length > LONGEST ? `${shown}…` : shown;
}
