// The known word that a misspelt one most likely means: the `get_close_matches` of Python's difflib,
// so that both languages give the same hint.

/** How alike two words must be. */
const ALIKE = 0.6;
const LONGEST = 100;

/** The known word that is closest, if any is close. */
export function closest(word: string, known: readonly string[]): string | null {
  const asked = word.slice(0, LONGEST).toLowerCase();
  const rated = known.map((name) => ({ name, ratio: ratioOf(name.toLowerCase(), asked) }));
  const near = rated.filter(({ ratio }) => ratio >= ALIKE);
  const better = (one: { name: string; ratio: number }, other: typeof one) =>
    other.ratio > one.ratio || (other.ratio === one.ratio && other.name > one.name) ? other : one;
  return near.length ? near.reduce(better).name : null;
}

/** A hint with the closest word, if there is one. */
export function closeHint(word: string, known: readonly string[]): string | null {
  const near = closest(word, known);
  return near && `did you mean \`${near}\`?`;
}

/** The same, or else all known words. */
export function choiceHint(word: string, known: readonly string[]): string {
  return closeHint(word, known) ?? `choose from ${known.map((name) => `\`${name}\``).join(", ")}`;
}

/** Twice the characters in matching blocks, of all characters of both. */
function ratioOf(one: string, other: string): number {
  const length = one.length + other.length;
  return length ? (2 * matching(one, other)) / length : 1;
}

/** The characters of the longest common block, and of those to its left and right. */
function matching(one: string, other: string): number {
  const [start, at, size] = longestBlock(one, other);
  if (!size) return 0;
  const left = matching(one.slice(0, start), other.slice(0, at));
  return size + left + matching(one.slice(start + size), other.slice(at + size));
}

/** The first of the longest common blocks: where it begins in both, and its length. */
function longestBlock(one: string, other: string): [number, number, number] {
  let best: [number, number, number] = [0, 0, 0];
  for (let start = 0; start < one.length; start++) {
    for (let at = 0; at < other.length; at++) {
      let size = 0;
      while (start + size < one.length && one[start + size] === other[at + size]) size++;
      if (size > best[2]) best = [start, at, size];
    }
  }
  return best;
}
