// The columns that printable text takes in a terminal, as Python counts them.

// Two columns each (Unicode 14.0, EastAsianWidth.txt: W and F, and what is unassigned between them).
const WIDE = new RegExp(
  "[" +
    String.raw`\u{1100}-\u{115f}\u{231a}-\u{231b}\u{2329}-\u{232a}\u{23e9}-\u{23ec}\u{23f0}\u{23f3}` +
    String.raw`\u{25fd}-\u{25fe}\u{2614}-\u{2615}\u{2648}-\u{2653}\u{267f}\u{2693}\u{26a1}` +
    String.raw`\u{26aa}-\u{26ab}\u{26bd}-\u{26be}\u{26c4}-\u{26c5}\u{26ce}\u{26d4}\u{26ea}` +
    String.raw`\u{26f2}-\u{26f3}\u{26f5}\u{26fa}\u{26fd}\u{2705}\u{270a}-\u{270b}\u{2728}\u{274c}` +
    String.raw`\u{274e}\u{2753}-\u{2755}\u{2757}\u{2795}-\u{2797}\u{27b0}\u{27bf}\u{2b1b}-\u{2b1c}` +
    String.raw`\u{2b50}\u{2b55}\u{2e80}-\u{303e}\u{3041}-\u{3247}\u{3250}-\u{4dbf}\u{4e00}-\u{a4c6}` +
    String.raw`\u{a960}-\u{a97c}\u{ac00}-\u{d7a3}\u{f900}-\u{fad9}\u{fe10}-\u{fe19}` +
    String.raw`\u{fe30}-\u{fe6b}\u{ff01}-\u{ff60}\u{ffe0}-\u{ffe6}\u{16fe0}-\u{1b2fb}\u{1f004}` +
    String.raw`\u{1f0cf}\u{1f18e}\u{1f191}-\u{1f19a}\u{1f200}-\u{1f320}\u{1f32d}-\u{1f335}` +
    String.raw`\u{1f337}-\u{1f37c}\u{1f37e}-\u{1f393}\u{1f3a0}-\u{1f3ca}\u{1f3cf}-\u{1f3d3}` +
    String.raw`\u{1f3e0}-\u{1f3f0}\u{1f3f4}\u{1f3f8}-\u{1f43e}\u{1f440}\u{1f442}-\u{1f4fc}` +
    String.raw`\u{1f4ff}-\u{1f53d}\u{1f54b}-\u{1f54e}\u{1f550}-\u{1f567}\u{1f57a}` +
    String.raw`\u{1f595}-\u{1f596}\u{1f5a4}\u{1f5fb}-\u{1f64f}\u{1f680}-\u{1f6c5}\u{1f6cc}` +
    String.raw`\u{1f6d0}-\u{1f6d2}\u{1f6d5}-\u{1f6df}\u{1f6eb}-\u{1f6ec}\u{1f6f4}-\u{1f6fc}` +
    String.raw`\u{1f7e0}-\u{1f7f0}\u{1f90c}-\u{1f93a}\u{1f93c}-\u{1f945}\u{1f947}-\u{1f9ff}` +
    String.raw`\u{1fa70}-\u{1faf6}\u{20000}-\u{3134a}` +
    "]",
  "u",
);

/** How many columns printable text takes. */
export function columns(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  return Array.from(text).reduce((sum, each) => sum + columnsOf(each), 0);
}

function columnsOf(character: string): number {
  return 1 + Number(WIDE.test(character)) - Number(isCombining(character));
}

/** One of combining class 1, and one of class 230, which is a high one. */
const LOW = "\u0334";
const HIGH = "\u0300";

/** Whether the combining class is not 0: marks are sorted by their class, 0 stays where it is. Three
 * signs of class 0 are made of two others. */
function isCombining(character: string): boolean {
  if (/[\u0f73\u0f75\u0f81]/.test(character)) return false;
  const before = (first: string, then: string) => `${then}${first}`.normalize("NFD").startsWith(first);
  return character === LOW || before(LOW, character) || before(character, HIGH);
}
