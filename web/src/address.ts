/** What people type to say which site they mean, in place of its file. */

const URL_BEGINS = /^https?:\/\/./i;
/** A host as people type it, `shop.example/a`; the name of a file is none. */
const HOST = /^(?:[\p{L}\p{N}-]+\.)+(?!txt$)\p{L}{2,63}(?::\d+)?(?:\/.*)?$/u;
const LONGEST_HOST = 300;

export function isAddress(word: string): boolean {
  return URL_BEGINS.test(word) || HOST.test(word);
}

/** Whether the first word of a text is one, which may be long. */
export function beginsWithAddress(text: string): boolean {
  const [head] = text.trimStart().slice(0, LONGEST_HOST).split(/\s/, 1);
  return isAddress(head ?? "");
}

/** Its URL. */
export function urlOf(address: string): string {
  return URL_BEGINS.test(address) ? address : `https://${address}`;
}
