// What programs of the tests share: lines of JSON in, lines of JSON out, all in ASCII.

import { createInterface } from "node:readline";

function ascii(value) {
  const hex = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, hex);
}

/** What a question gives, or what the error that it throws says. */
export function thrown(ask) {
  try {
    return ask();
  } catch ({ name, message, hint }) {
    return { name, message, hint };
  }
}

/** Answer each line with what a generator yields for it. */
export async function answerLines(answers) {
  for await (const line of createInterface({ input: process.stdin })) {
    for (const answer of answers(JSON.parse(line))) console.log(ascii(answer));
  }
}
