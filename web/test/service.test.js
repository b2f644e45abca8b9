// The page as `verger serve` serves it: it may ask this service for the file of a site.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { after, test } from "node:test";

import { content, exported, open, paste, stopBrowser } from "./browser.js";

const FILE = "User-agent: *\nDisallow: /from-the-site\n";
const PYTHON = fileURLToPath(new URL("../../.venv/bin/python", import.meta.url));

const started = [];

after(async () => {
  started.forEach((each) => each.kill());
  await stopBrowser();
});

/** Answers from a folder with the file of one site; its port is in its first line. */
async function service() {
  const folder = mkdtempSync(join(tmpdir(), "verger-"));
  writeFileSync(join(folder, "a.example"), FILE);
  const words = ["-m", "verger", "serve", "--snapshot", folder, "--listen", "127.0.0.1:0"];
  const child = spawn(PYTHON, words, { stdio: ["ignore", "ignore", "pipe"] });
  started.push(child);
  for await (const line of createInterface({ input: child.stderr })) {
    return `http://127.0.0.1:${JSON.parse(line).port}/`;
  }
}

test("the file of a site is loaded, and one that is not there is told", async () => {
  const url = await service();
  const { page, errors, context } = await open({ url });

  await paste(page, "https://gone.example/a");
  await page.getByRole("button", { name: "Load from site" }).click();
  await page.getByText("https://gone.example/robots.txt was not opened").waitFor();
  assert.match(await content(page).textContent(), /gone\.example/);

  await paste(page, "https://a.example/b?c=1");
  await page.getByRole("button", { name: "Load from site" }).click();
  await page.locator(".editor").getByText("/from-the-site").waitFor();
  assert.equal(await exported(page), FILE);
  assert.deepEqual(
    errors.filter((each) => !each.includes("404")),
    [],
  );
  await context.close();
});

test("a page from a folder has no such button", async () => {
  const { page, requests, context } = await open();
  await paste(page, "https://a.example/b");
  await page.getByText("this page fetches nothing").waitFor();

  assert.equal(await page.getByRole("button", { name: "Load from site" }).count(), 0);
  assert.ok(requests.every((each) => /^(file|blob|data):/.test(each)));
  await context.close();
});
