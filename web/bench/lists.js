// How long a pasted list of URLs holds the page up: `node web/bench/lists.js` prints milliseconds, each
// until the frame after it, for a real Ctrl+V into the list and into the field, for the table, and for a
// keystroke in a file of 1,000 lines with that list beside it: how long the page can do nothing else,
// and until the new answer is shown.

import { content, open, paste, settled, stopBrowser } from "../test/browser.js";
import { median, quantile, round } from "./common.js";

const ROBOTS = [
  "User-agent: *",
  ...Array.from({ length: 998 }, (_, at) => `Disallow: /section-${at % 40}/page-${at}/*.html$`),
  "Disallow: /x",
].join("\n");

const KEYS = 100;

function urlsOf(count) {
  return Array.from({ length: count }, (_, at) => `https://news.example/section/${at}/story.html`);
}

/** From a call in the page until the second frame after it. */
function painted(page, what) {
  return page.evaluate((what) => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const since = performance.now();
    const element = document.querySelector(what);
    element.click();
    return frame().then(frame).then(() => performance.now() - since);
  }, what);
}

async function pressed(page, keys) {
  await page.evaluate(() => {
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    window.pressed = new Promise((resolve) =>
      window.addEventListener(
        "keydown",
        (event) => {
          if (event.key !== "v") return;
          const since = performance.now();
          void frame().then(frame).then(() => resolve(performance.now() - since));
        },
        { capture: true },
      ),
    );
  });
  await page.keyboard.press(keys);
  return page.evaluate(() => window.pressed);
}

async function measured(count) {
  const { page, context } = await open({ init: () => {} });
  await paste(page, ROBOTS);
  const text = urlsOf(count).join("\n");
  await page.evaluate((text) => navigator.clipboard.writeText(text), text);
  await page.getByRole("button", { name: "Edit list" }).click();
  const list = page.getByRole("textbox", { name: "One URL or path on each line" });
  await list.click();
  await page.keyboard.press("ControlOrMeta+a");
  const pasted = await pressed(page, "ControlOrMeta+v");
  const used = await painted(page, "dialog .button.main");
  await page.locator(`[aria-rowcount="${count + 1}"]`).waitFor();
  await settled(page);

  await page.getByRole("button", { name: "Edit list" }).click();
  await list.click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.getByRole("button", { name: "Use these" }).click();
  await page.getByLabel("Add URLs").click();
  const added = await pressed(page, "ControlOrMeta+v");
  await page.locator(`[aria-rowcount="${count + 1}"]`).waitFor();
  await settled(page);

  const keys = await keystrokes(page);
  await context.close();
  return {
    urls: count,
    pasted_ms: round(pasted),
    used_ms: round(used),
    field_ms: round(added),
    ...timesOf("wait", keys.waits),
    ...timesOf("answer", keys.answered),
  };
}

function timesOf(name, times) {
  return {
    [`${name}_median_ms`]: round(median(times)),
    [`${name}_p90_ms`]: round(quantile(times, 0.9)),
    [`${name}_most_ms`]: round(Math.max(...times)),
  };
}

/** How long the page can do nothing else at most, for each key; and until the document holds another
 * answer, as `pages.js` counts. */
async function keystrokes(page) {
  await content(page).click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.evaluate(() => {
    const times = (window.times = []);
    const turn = new MessageChannel();
    let [last, gap] = [performance.now(), 0];
    turn.port1.onmessage = () => {
      const now = performance.now();
      [last, gap] = [now, Math.max(gap, now - last)];
      turn.port2.postMessage(null);
    };
    turn.port2.postMessage(null);
    window.longestWait = () => {
      const found = gap;
      gap = 0;
      return found;
    };
    let since = 0;
    window.addEventListener("keydown", () => (since = performance.now()), { capture: true });
    const what = { childList: true, subtree: true, characterData: true, attributes: true };
    new MutationObserver(() => {
      if (since) times.push(performance.now() - since);
      since = 0;
    }).observe(document.querySelector(".pane-file .below"), what);
  });
  const waits = [];
  for (let key = 0; key < KEYS; key++) {
    await page.evaluate(() => window.longestWait());
    const before = await page.evaluate(() => window.times.length);
    await page.keyboard.press(key % 2 ? "Backspace" : "b");
    await page.waitForFunction((count) => window.times.length > count, before);
    await page.waitForTimeout(key % 5 ? 30 : 400); // at times the study begins
    waits.push(await page.evaluate(() => window.longestWait()));
  }
  return { waits, answered: await page.evaluate(() => window.times) };
}

const rows = [];
for (const count of [20_000, 100_000]) rows.push(await measured(count));
console.table(rows);
await stopBrowser();
