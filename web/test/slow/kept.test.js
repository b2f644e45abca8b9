// Texts outlive their tab, and what replaces them: a closed tab, a link, a file that is too large.

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import { after, test } from "node:test";

import { PAGE, content, drop, exported, open, paste, settled, stopBrowser } from "../browser.js";

after(stopBrowser);

const FILE = "User-agent: *\nDisallow: /kept\n";
const OTHER = "User-agent: *\nDisallow: /other\n";
const HOME = pathToFileURL(PAGE).href;

const press = (page, name) => page.getByRole("button", { name, exact: true }).click();

async function linkOf(page) {
  await press(page, "Share");
  const link = await page.getByLabel("Link", { exact: true }).inputValue();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  return link;
}

/** Closes a tab as a person does. */
async function closed(page) {
  await Promise.all([page.waitForEvent("close"), page.close({ runBeforeUnload: true })]);
}

async function inNewTab(context, url = HOME) {
  const page = await context.newPage();
  await page.goto(url);
  await settled(page);
  return page;
}

test("the text of a closed tab is offered in the next one, until it is forgotten", async () => {
  const { page, context } = await open();
  await paste(page, FILE);
  await closed(page);

  const next = await inNewTab(context);
  await next.getByText("This page had another text, robots.txt, on").waitFor();
  await press(next, "Restore it");
  await settled(next);
  assert.equal(await exported(next), FILE);
  await closed(next);

  const last = await inNewTab(context);
  await press(last, "Forget it");
  await last.reload();
  await settled(last);
  assert.equal(await last.locator(".notice").count(), 0);
  await context.close();
});

test("the texts of two tabs that are closed together are both offered, one after the other", async () => {
  const { page, context } = await open();
  const second = await inNewTab(context);
  await paste(page, FILE);
  await paste(second, OTHER);
  await Promise.all([closed(page), closed(second)]);

  const third = await inNewTab(context);
  await press(third, "Restore it");
  const fourth = await inNewTab(context);
  await press(fourth, "Restore it");
  await Promise.all([settled(third), settled(fourth)]);
  assert.deepEqual(
    [await exported(third), await exported(fourth)].sort(),
    [FILE, OTHER].sort(),
  );
  await context.close();
});

test("a link that replaces a text says so, and the text comes back, after a reload as well", async () => {
  const { page, context } = await open();
  await paste(page, OTHER);
  const link = await linkOf(page);
  await paste(page, FILE);
  for (const enter of [
    () => page.evaluate((hash) => (location.hash = hash), new URL(link).hash),
    () => page.goto("about:blank").then(() => page.goto(link)),
  ]) {
    await enter();
    await page.getByText("Your text was replaced by that of the link").waitFor();
    await settled(page);
    assert.equal(await exported(page), OTHER);
    await press(page, "Back to your text");
    await settled(page);
    assert.equal(await exported(page), FILE);
  }

  await page.evaluate((hash) => (location.hash = hash), new URL(link).hash);
  await page.getByText("Your text was replaced by that of the link").waitFor();
  await page.reload();
  await press(page, "Restore it");
  await settled(page);
  assert.equal(await exported(page), FILE);
  await context.close();
});

test("a tab opens its own link again after an edit, and the address holds no link that is outdated", async () => {
  const { page, context } = await open();
  await paste(page, FILE);
  const link = await linkOf(page);
  await paste(page, OTHER);
  assert.equal(new URL(page.url()).hash, "");
  await page.goto(link);
  await page.getByText("Your text was replaced by that of the link").waitFor();
  await settled(page);

  assert.equal(await exported(page), FILE);
  await context.close();
});

test("a text that the browser does not keep leaves no older one in its place", async () => {
  const { page, context } = await open();
  page.on("dialog", (dialog) => dialog.accept());
  await paste(page, FILE);
  await page.reload();
  await settled(page);
  await drop(page, "large.txt", Buffer.from(`${"#".repeat(80)}\n`.repeat(80_000)));
  await page.getByRole("heading", { name: "large.txt" }).waitFor();
  await content(page).click();
  await page.reload();
  await page.getByText("Your last text is gone: it was too large").waitFor();

  assert.match(await exported(page), /robots\.txt of a newspaper/);
  await context.close();
});

test("undo after a file was opened brings name and line ends back, a reload keeps them", async () => {
  const { page, context } = await open();
  const crlf = FILE.replaceAll("\n", "\r\n");
  await paste(page, OTHER);
  await drop(page, "windows.txt", Buffer.from(crlf));
  await page.getByRole("heading", { name: "windows.txt" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "windows.txt" }).waitFor();
  assert.equal(await exported(page), crlf);

  await drop(page, "unix.txt", Buffer.from(OTHER));
  await page.getByRole("heading", { name: "unix.txt" }).waitFor();
  await press(page, "Undo");
  await page.getByRole("heading", { name: "windows.txt" }).waitFor();
  assert.equal(await exported(page), crlf);
  await context.close();
});

test("an export says that it has other line ends than the file", async () => {
  const { page, context } = await open();
  await drop(page, "mixed.txt", Buffer.from("User-agent: *\r\nDisallow: /\n"));
  await page.getByRole("heading", { name: "mixed.txt" }).waitFor();
  assert.equal(await exported(page), "User-agent: *\r\nDisallow: /\r\n");
  await page.getByText("mixed.txt had line ends of several kinds: all are CRLF").waitFor();
  await context.close();
});
