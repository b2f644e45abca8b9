// Takes the pictures of docs/images, in Chromium: `node web/shots.js [FOLDER]`.

import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { cell, content, open, settled, stopBrowser } from "./test/browser.js";

const FOLDER = process.argv[2] ?? fileURLToPath(new URL("../docs/images", import.meta.url));
const QUALITY = 82;

async function shoot(page, name) {
  await settled(page);
  await page.mouse.move(0, 0);
  const session = await page.context().newCDPSession(page);
  const { data } = await session.send("Page.captureScreenshot", {
    format: "webp",
    quality: QUALITY,
  });
  writeFileSync(`${FOLDER}/tester-${name}.webp`, Buffer.from(data, "base64"));
  if (process.env.PNG) await page.screenshot({ path: `${FOLDER}/tester-${name}.png` });
}

async function pictured(name, options, reach = async () => {}) {
  const { page, context } = await open({ viewport: { width: 1360, height: 820 }, ...options });
  await reach(page);
  await shoot(page, name);
  await context.close();
}

/** Types at the end of a line; of those that wrap, each row counts. */
async function typeAfter(page, line, text) {
  await content(page).click();
  await page.keyboard.press("ControlOrMeta+Home");
  for (let down = 1; down < line; down++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.type(text);
  await settled(page);
}

mkdirSync(FOLDER, { recursive: true });
await pictured("light", { colorScheme: "light" });
await pictured("dark", { colorScheme: "dark" });
await pictured("explained", { colorScheme: "light" }, async (page) => {
  await cell(page, 6, 1).click();
  await page.locator(".purposes summary", { hasText: "training" }).click();
});
await pictured("dialects", { colorScheme: "light" }, async (page) => {
  await page.getByRole("tab", { name: "Dialects" }).click();
  await cell(page, 2, 0).click();
});
await pictured("changes", { colorScheme: "light" }, async (page) => {
  await typeAfter(page, 25, "0");
  await typeAfter(page, 15, "\nAllow: /2026/");
  await typeAfter(page, 5, "*.html$");
  await page.getByRole("tab", { name: "Changes" }).click();
  await page.getByLabel("Old lines in the editor").check();
});
await pictured(
  "phone",
  { colorScheme: "light", viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
  async (page) => {
    await page.getByRole("tab", { name: "Answers" }).click();
    await cell(page, 1, 0).click();
  },
);
await stopBrowser();
