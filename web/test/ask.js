// Asks the workers of the page in Chromium what they answer: lines of JSON in, each a question of
// `src/core.ts`, and lines of JSON out, all in ASCII; test_answers_of_page.py compares them.

import { createInterface } from "node:readline";

import { open, stopBrowser } from "./browser.js";

const BATCH = 200;

/** The page starts two workers: one for what is on the screen, and one for studies. */
function keepWorkers() {
  window.workers = [];
  window.Worker = class extends Worker {
    constructor(...options) {
      super(...options);
      window.workers.push(this);
    }
  };
}

/** Texts cross as ASCII, since a browser would replace lone surrogates. */
async function answersTo(lines) {
  const [quick, thorough] = window.workers;
  const answerTo = (line) =>
    new Promise((resolve) => {
      const asked = JSON.parse(line);
      const worker = asked.kind === "study" ? thorough : quick;
      // The page counts from 1, and passes over other replies.
      const seq = -(window.asked = (window.asked ?? 0) + 1);
      const hear = ({ data }) => {
        if (data.seq !== seq) return;
        worker.removeEventListener("message", hear);
        resolve(data.answered ?? data);
      };
      worker.addEventListener("message", hear);
      worker.postMessage({ seq, asked });
    });
  const hex = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  const answers = [];
  for (const line of lines) answers.push(JSON.stringify(await answerTo(line)));
  return answers.map((text) => text.replace(/[\u007f-\uffff]/g, hex));
}

const { page } = await open({ init: keepWorkers });
let batch = [];
const answer = async () => {
  for (const line of await page.evaluate(answersTo, batch)) console.log(line);
  batch = [];
};
for await (const line of createInterface({ input: process.stdin })) {
  if (batch.push(line) === BATCH) await answer();
}
await answer();
await stopBrowser();
