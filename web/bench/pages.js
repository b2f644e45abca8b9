// How soon the page is there, and how soon a keystroke is answered; writes ../build/bench/page.json.
//
// A keystroke is answered when the row of the table that it changes is drawn: the time is taken in
// the page, from the event of the key to the change of the cell. The file has 1,000 lines.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

import { PAGE, content, open, paste, settled, startBrowser, stopBrowser } from "./test/browser.js";

const KEYS = 200;
const STARTS = 15;
const OUT = fileURLToPath(new URL("../build/bench/page.json", import.meta.url));

const FILE = [
  "User-agent: *",
  ...Array.from({ length: 996 }, (_, at) => `Disallow: /section-${at % 40}/page-${at}/*.html$`),
  "",
  "User-agent: GPTBot",
  "Disallow: /x",
].join("\n");

function median(numbers) {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];
}

function quantile(numbers, share) {
  return numbers.toSorted((one, other) => one - other)[Math.floor((numbers.length - 1) * share)];
}

async function starts() {
  const drawn = [];
  const answered = [];
  const browser = await startBrowser();
  for (let start = 0; start < STARTS; start++) {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.addInitScript(() => {
      new MutationObserver(() => {
        if (!window.drawn && document.querySelector(".panes")) window.drawn = performance.now();
        if (!window.answered && document.querySelector(".grid td .answered")) {
          window.answered = performance.now();
        }
      }).observe(document, { childList: true, subtree: true });
    });
    await page.goto(pathToFileURL(PAGE).href);
    await page.waitForFunction(() => window.answered);
    drawn.push(await page.evaluate(() => window.drawn));
    answered.push(await page.evaluate(() => window.answered));
    await page.close();
  }
  return { drawn: median(drawn), answered: median(answered) };
}

async function keystrokes() {
  const { page, context } = await open();
  await paste(page, FILE);
  await page.getByLabel("Add URLs").fill("/xaaa");
  await page.keyboard.press("Enter");
  await settled(page);
  await page.evaluate(() => {
    const times = (window.times = []);
    let since = 0;
    window.addEventListener("keydown", () => (since = performance.now()), { capture: true });
    new MutationObserver(() => {
      if (since) times.push(performance.now() - since);
      since = 0;
    }).observe(document.querySelector(".explanation"), {
      childList: true,
      subtree: true,
      characterData: true,
      attributes: true,
    });
  });
  await content(page).click();
  await page.keyboard.press("ControlOrMeta+End");
  // Each letter makes the last rule match `/xaaa` or not, so that each changes the answer.
  for (let key = 0; key < KEYS; key++) {
    const before = await page.evaluate(() => window.times.length);
    await page.keyboard.press(key % 2 ? "Backspace" : "b");
    await page.waitForFunction((count) => window.times.length > count, before);
    await page.waitForTimeout(30);
  }
  const times = await page.evaluate(() => window.times);
  await context.close();
  return times;
}

const html = readFileSync(PAGE);
const start = await starts();
const times = await keystrokes();
await stopBrowser();
const result = {
  bytes: html.length,
  gzipped: gzipSync(html, { level: 9 }).length,
  drawn_ms: round(start.drawn),
  answered_ms: round(start.answered),
  keystrokes: times.length,
  keystroke_median_ms: round(median(times)),
  keystroke_p90_ms: round(quantile(times, 0.9)),
};
mkdirSync(fileURLToPath(new URL("../build/bench", import.meta.url)), { recursive: true });
writeFileSync(OUT, `${JSON.stringify(result, null, 2)}\n`);
console.log(result);

function round(number) {
  return Math.round(number * 10) / 10;
}
