// Debian's Chromium with the built page, from a folder or a server with a strict policy.

import { createServer } from "node:http";
import { readFileSync } from "node:fs";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const PAGE = fileURLToPath(new URL("../dist/index.html", import.meta.url));

const CHROMIUM = process.env.CHROMIUM || "/usr/bin/chromium";

// A browser of its own asks for updates and lists; what is left are the requests of the page.
const SWITCHES = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// As the tests of Python wait (`LONG` of tests/patience.py): no test fails since the machine is busy.
const PATIENCE = 300_000;

let browser;

export async function startBrowser() {
  browser ??= await chromium.launch({
    executablePath: CHROMIUM,
    args: SWITCHES,
    timeout: PATIENCE,
  });
  return browser;
}

export async function stopBrowser() {
  await browser?.close();
  browser = undefined;
}

/** The page gives up a worker that takes some seconds, which a busy machine may need. */
function waitLonger() {
  const begin = window.setTimeout;
  window.setTimeout = (call, milliseconds, ...rest) =>
    begin(call, milliseconds < 1_000 ? milliseconds : 60 * milliseconds, ...rest);
}

/** A page, with what it asked for and what went wrong in it; `init` is done before its script. */
export async function open({
  url = pathToFileURL(PAGE).href,
  hash = "",
  init = waitLonger,
  ...options
} = {}) {
  await startBrowser();
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    permissions: ["clipboard-read", "clipboard-write"],
    ...options,
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  await page.addInitScript(init);
  const requests = [];
  const errors = [];
  context.on("request", (request) => requests.push(request.url()));
  page.on("console", (message) => {
    if (message.type() === "error") errors.push(message.text());
  });
  page.on("pageerror", (error) => errors.push(error.message));
  await page.goto(url + hash);
  await settled(page);
  return { page, context, requests, errors };
}

/** The page is drawn, and its study is of the file as it is. */
export async function settled(page) {
  await page.locator(".pane-whom .whom:not(.stale)").waitFor({ state: "attached" });
  await page.locator(".starting").waitFor({ state: "detached" });
}

/** Serves the page as a careful host does: with a policy of its own, and nothing else. */
export async function serve(policy) {
  const body = readFileSync(PAGE);
  const asked = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    if (request.url.split("?")[0] !== "/") {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": policy,
      "cross-origin-opener-policy": "same-origin",
      "x-content-type-options": "nosniff",
    });
    response.end(body);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${server.address().port}/`;
  const stop = () => new Promise((resolve) => server.close(resolve));
  return { url, asked, stop };
}

/** The policy that the page itself names. */
export function policyOfPage() {
  const found = /http-equiv="Content-Security-Policy"\s+content="([^"]*)"/.exec(
    readFileSync(PAGE, "utf8"),
  );
  return found[1];
}

export const content = (page) => page.locator(".cm-content");

/** Replaces the text of the editor as a person pastes it. */
export async function paste(page, text) {
  await content(page).click();
  await page.keyboard.press("ControlOrMeta+a");
  await pasteInto(content(page), text);
  await settled(page);
}

export async function pasteInto(locator, text) {
  await locator.evaluate((element, text) => {
    const data = new DataTransfer();
    data.setData("text/plain", text);
    element.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
    );
  }, text);
}

/** The text of the editor, as it is exported, or the table of answers. */
export async function exported(page, what = "The file") {
  await page.getByRole("button", { name: "Export" }).click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: what, exact: true }).click(),
  ]);
  return readFileSync(await download.path(), "utf8");
}

/** Notes what the page sends to its workers, in `window.sent`. */
export function noteSent() {
  window.sent = [];
  const post = Worker.prototype.postMessage;
  Worker.prototype.postMessage = function (message, ...rest) {
    window.sent.push(message.asked ?? {});
    return post.call(this, message, ...rest);
  };
}

/** Drops a file onto the page. */
export async function drop(page, name, bytes) {
  const data = await page.evaluateHandle(
    ({ name, base64 }) => {
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const transfer = new DataTransfer();
      transfer.items.add(new File([bytes], name, { type: "text/plain" }));
      return transfer;
    },
    { name, base64: Buffer.from(bytes).toString("base64") },
  );
  await page.dispatchEvent(".page", "drop", { dataTransfer: data });
}

/** The answer of a cell, such as `disallowed by line 3`. */
export function cell(page, row, column) {
  return page
    .locator(".grid")
    .getByRole("row")
    .nth(row + 1)
    .getByRole("gridcell")
    .nth(column);
}
