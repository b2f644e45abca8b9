// How soon a page is there, and how soon a keystroke is answered: the tester page, and beside it other
// pages in the same browser, if they were built: `node web/bench/pages.js ruff=FOLDER`.
// Writes build/bench/pages.json; `make bench-page OTHERS="..."` runs it.
//
// Every page comes from the same server, compressed. `bytes` is what is transferred until it can be
// used; `usable_ms` is from the navigation to the frame in which its first answers are in the document,
// or, if it answers only when it is asked, in which it can be asked; in a new browser. A keystroke is answered when the document holds another answer: the
// time is taken in the page, from the event of the key. Every file has 1,000 lines.

import { fileURLToPath } from "node:url";

import { content, paste, settled, startBrowser, stopBrowser } from "../test/browser.js";
import { median, quantile, round, serve, write } from "./common.js";

const KEYS = 200;
const STARTS = 15;
const VIEW = { viewport: { width: 1440, height: 900 } };

const ROBOTS = [
  "User-agent: *",
  ...Array.from({ length: 996 }, (_, at) => `Disallow: /section-${at % 40}/page-${at}/*.html$`),
  "",
  "User-agent: GPTBot",
  "Disallow: /x",
].join("\n");

const PYTHON = [
  "import os",
  "",
  ...Array.from({ length: 499 }, (_, at) => `def page_${at}(section):\n    return os.sep + section`),
  "x",
].join("\n");

/** The pages: whether they can be used, where the answer is, and what a key is. */
const PAGES = {
  "verger tester": {
    mounts: () => ({ "/": fileURLToPath(new URL("../dist/", import.meta.url)) }),
    usable: () => document.querySelector(".grid td .answered"),
    answer: ".explanation",
    async prepare(page) {
      await settled(page);
      await paste(page, ROBOTS);
      await page.getByLabel("Add URLs").fill("/xaaa");
      await page.keyboard.press("Enter");
      await settled(page);
      await content(page).click();
      await page.keyboard.press("ControlOrMeta+End");
    },
    // Each letter makes the last rule match `/xaaa` or not.
    press: letterOrBackspace,
  },
  // The playground of the linter ruff, at 0.16.4, as its repository builds it, with its WebAssembly
  // from npm, and the editor beside it and not on another host.
  ruff: {
    mounts: (folder) => ({ "/": folder }),
    usable: () => document.body?.textContent.includes("imported but unused"),
    answer: "text=/Diagnostics \\(/ >> xpath=..",
    async prepare(page) {
      await page.locator(".view-lines").first().click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.evaluate((text) => navigator.clipboard.writeText(text), PYTHON);
      await page.keyboard.press("ControlOrMeta+v");
      await page.getByText("Undefined name `x`").waitFor();
      await page.keyboard.press("ControlOrMeta+End");
    },
    // Each letter makes another name, which is not defined.
    press: letterOrBackspace,
  },
  // RyotaSugawara/robots-txt-wasm, of 2025: Google's parser in Rust; it answers when it is asked to.
  "robots-txt-wasm": {
    mounts: (folder) => ({ "/": folder }),
    usable: () => document.forms.form?.onsubmit,
    answer: "[data-status], #result",
    async prepare(page) {
      await page.locator("#body").fill(ROBOTS);
      await page.locator("#useragent").fill("GPTBot");
      await page.locator("#url").fill("https://example.com/xaaa");
    },
    press: async (page) => page.keyboard.press("Enter"),
  },
};

async function letterOrBackspace(page, key) {
  await page.keyboard.press(key % 2 ? "Backspace" : "b");
}

/** A new browser, since one that has seen a page has compiled its WebAssembly. */
async function start(url, { usable }) {
  const browser = await startBrowser();
  const page = await browser.newPage(VIEW);
  let bytes = 0;
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  session.on("Network.loadingFinished", ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.addInitScript(`
    const look = () => {
      if ((${usable})()) window.usable = performance.now();
      else requestAnimationFrame(look);
    };
    look();`);
  await page.goto(url);
  await page.waitForFunction(() => window.usable);
  const taken = await page.evaluate(() => window.usable);
  await page.waitForLoadState("networkidle");
  await stopBrowser();
  return { taken, bytes };
}

async function keystrokes(url, { answer, prepare, press }) {
  const browser = await startBrowser();
  const permissions = ["clipboard-read", "clipboard-write"];
  const context = await browser.newContext({ ...VIEW, permissions });
  const page = await context.newPage();
  await page.goto(url);
  await prepare(page);
  const answers = await page.locator(answer).elementHandles();
  await page.evaluate((answers) => {
    const times = (window.times = []);
    let since = 0;
    const answered = () => {
      if (since) times.push(performance.now() - since);
      since = 0;
    };
    window.addEventListener("keydown", () => (since = performance.now()), { capture: true });
    const what = { childList: true, subtree: true, characterData: true, attributes: true };
    for (const each of answers) new MutationObserver(answered).observe(each, what);
  }, answers);
  for (let key = 0; key < KEYS; key++) {
    const before = await page.evaluate(() => window.times.length);
    await press(page, key);
    await page.waitForFunction((count) => window.times.length > count, before);
    await page.waitForTimeout(30);
  }
  const times = await page.evaluate(() => window.times);
  await stopBrowser();
  return times;
}

async function measured(name, folder) {
  const about = PAGES[name];
  const { url, stop } = await serve(about.mounts(folder));
  const starts = [];
  for (let number = 0; number < STARTS; number++) starts.push(await start(url, about));
  const times = await keystrokes(url, about);
  await stop();
  return {
    bytes: median(starts.map(({ bytes }) => bytes)),
    usable_ms: round(median(starts.map(({ taken }) => taken))),
    keystrokes: times.length,
    keystroke_median_ms: round(median(times)),
    keystroke_p90_ms: round(quantile(times, 0.9)),
  };
}

const others = Object.fromEntries(process.argv.slice(2).map((word) => word.split("=")));
const result = { "verger tester": await measured("verger tester") };
for (const [name, folder] of Object.entries(others)) result[name] = await measured(name, folder);
write("pages.json", result);
