// Files, links and lists that nobody expects: the page stays alive, says what it does not do, and
// loses no text.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import {
  cell,
  content,
  drop,
  exported,
  open,
  paste,
  pasteInto,
  settled,
  stopBrowser,
} from "../browser.js";

after(stopBrowser);

/** The page still answers, and undo brings the text back that was there. */
async function isAlive(page) {
  await paste(page, "User-agent: *\nDisallow: /\n");
  await page.locator(".explanation").getByText("Line 2 decides").waitFor();
}

test("a file of 5 MB", async () => {
  const { page, errors, context } = await open();
  const text = "User-agent: *\n" + "Disallow: /a-path-of-a-large-file/*.html$\n".repeat(125_000);
  await drop(page, "large.txt", Buffer.from(text));
  await page.getByText(/of which the first 51\d,\d{3} are read/).waitFor();
  await page.getByText("over-parsing-limit").waitFor();

  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("dialog").or(page.getByText("too large for a link")).waitFor();
  await page.keyboard.press("Escape");
  assert.equal((await exported(page)).length, text.length);
  await isAlive(page);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a binary file", async () => {
  const { page, errors, context } = await open();
  const bytes = Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 167) % 256));
  await drop(page, "image.png", bytes);
  await page.getByText("The file is not in UTF-8").waitFor();
  await isAlive(page);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a file in UTF-16", async () => {
  const { page, context } = await open();
  const text = "User-agent: *\nDisallow: /\n";
  await drop(page, "robots.txt", Buffer.from(`\ufeff${text}`, "utf16le"));
  await page.getByText("The file is in UTF-16, which most crawlers do not read").waitFor();
  assert.equal(await exported(page), text);
  await isAlive(page);
  await context.close();
});

test("an HTML page in place of a file, whose text is never markup", async () => {
  const { page, errors, requests, context } = await open();
  const html =
    "<!doctype html><title>x</title>\n<img src=https://evil.example/a onerror=alert(1)>\n" +
    "<script>document.title='taken'</script>\nUser-agent: <b>GPTBot</b>\nDisallow: /<img src=x>\n";
  await paste(page, html);
  await page.getByLabel("Add a crawler").fill("<img/src=x>");
  await page.keyboard.press("Enter");
  await page.getByLabel("Add URLs").fill("/<img/src=https://evil.example/b>");
  await page.keyboard.press("Enter");
  await settled(page);

  await page.locator(".findings").getByText("the line has no known field").first().waitFor();
  assert.equal(await page.title(), "verger: robots.txt tester");
  assert.equal(await page.locator("img:not(.cm-widgetBuffer)").count(), 0);
  assert.deepEqual(
    requests.filter((url) => url.includes("evil")),
    [],
  );
  await paste(page, "<!doctype html>\n<html><body>Not found</body></html>\n");
  await page.locator(".findings").getByText("html", { exact: true }).waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test("links that are damaged, foreign, or a bomb", async () => {
  const bomb = await packed(JSON.stringify({ text: "a".repeat(40_000_000) }));
  const wrong = await packed(JSON.stringify({ text: 7 }));
  for (const hash of ["#v1.!!!", "#v1.AAAA", `#v1.${wrong}`, `#v1.${bomb}`]) {
    const { page, errors, context } = await open({ hash });
    await page.getByText("The link is damaged").waitFor();
    assert.match(await exported(page), /robots\.txt of a newspaper/);
    assert.deepEqual(errors, []);
    await context.close();
  }
  for (const hash of ["#v9.AAAA", "#v2.broken", "#/?text=User-agent"]) {
    const { page, context } = await open({ hash });
    await page.getByText("made by a newer version of this page").waitFor();
    await context.close();
  }
  const { page, context } = await open({ hash: "#anything-else" });
  assert.equal(await page.locator(".notice").count(), 0);
  await context.close();
});

test("a link with an unknown dialect, a row that is not there, and too many crawlers", async () => {
  const asked = {
    urls: ["/a"],
    agents: Array.from({ length: 5_000 }, (_, at) => `bot-${at}`),
    dialect: "klingon",
    before: "",
  };
  const shared = {
    text: "User-agent: *\nDisallow: /a\n",
    asked,
    view: "x",
    selected: { row: -3, column: 9e9 },
  };
  const { page, errors, context } = await open({
    hash: `#v1.${await packed(JSON.stringify(shared))}`,
  });
  await page.getByText("This page does not know the dialect klingon").waitFor();
  await page.getByText("bot-49 may not fetch /a").waitFor();
  assert.equal(await page.locator(".grid thead .title").count(), 50);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a damaged link that is pasted into an open page leaves the text as it is", async () => {
  const { page, context } = await open();
  await paste(page, "User-agent: *\nDisallow: /kept\n");
  await page.evaluate(() => (location.hash = "#v1.broken"));
  await page.getByText("The link is damaged").waitFor();
  assert.equal(await exported(page), "User-agent: *\nDisallow: /kept\n");
  await context.close();
});

test("10,000 URLs, of which those in view are drawn", async () => {
  const { page, errors, context } = await open();
  const urls = Array.from({ length: 10_000 }, (_, at) => `https://news.example/press/${at}`);
  await pasteInto(page.getByLabel("Add URLs"), urls.join("\n"));
  await settled(page);

  assert.ok((await page.locator(".grid tbody tr").count()) < 300);
  assert.equal(await page.getByRole("grid").getAttribute("aria-rowcount"), "10007");
  await cell(page, 0, 0).click();
  await page.keyboard.press("Control+End");
  await page.getByText("/press/9999").first().waitFor();
  await page.getByText("A crawler that no group names may fetch").waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

test("patterns that are made to be slow", async () => {
  const { page, errors, context } = await open();
  const rules = Array.from({ length: 3_000 }, (_, at) => `Disallow: /*word${at}*x$*`);
  await paste(page, `User-agent: *\n${rules.join("\n")}\nDisallow: /${"*a".repeat(2_000)}\n`);
  await page.getByLabel("Add URLs").fill(`/${"a".repeat(2_000)}`);
  await page.keyboard.press("Enter");
  await settled(page);
  await isAlive(page);
  assert.deepEqual(errors, []);
  await context.close();
});

test("URLs and crawlers that are none say so in their cells", async () => {
  const { page, context } = await open();
  await page.getByLabel("Add URLs").fill("mailto:a@b.example");
  await page.keyboard.press("Enter");
  await page.getByText("gets no answer for mailto:a@b.example").waitFor();
  await page.getByLabel("Add a crawler").fill("Bot/2.1");
  await page.keyboard.press("Enter");
  await page.getByText("Bot/2.1 gets no answer for").waitFor();
  await page.locator(".explanation").getByText("is not a product token").waitFor();
  await context.close();
});

test("names and URLs of thousands of characters, or that turn the text around them", async () => {
  const { page, errors, context } = await open({ viewport: { width: 1280, height: 800 } });
  await page.getByLabel("Add a crawler").fill("b".repeat(5_000));
  await page.keyboard.press("Enter");
  await page.getByLabel("Add URLs").fill(`/${"u".repeat(20_000)}`);
  await page.keyboard.press("Enter");
  await settled(page);
  await page.locator(".explanation .asked", { hasText: "b… " }).waitFor();
  for (const pane of [".pane-answers", ".pane-whom .whom", ".explanation", ".page"]) {
    const wider = (element) => element.scrollWidth - element.clientWidth;
    assert.equal(await page.locator(pane).evaluate(wider), 0, pane);
  }
  const about = await page.locator(".about-url").textContent();
  assert.ok(about.length < 300, about);

  await page.getByLabel("Add URLs").fill("/a\u202eb");
  await page.keyboard.press("Enter");
  const path = page.locator(".grid tbody .path", { hasText: "/a•b" });
  assert.equal(await path.evaluate((each) => getComputedStyle(each).unicodeBidi), "isolate");
  assert.deepEqual(errors, []);
  await context.close();
});

test("an empty file, and nothing asked", async () => {
  const { page, errors, context } = await open();
  await content(page).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.getByText("Paste a robots.txt file here").waitFor();
  await page.getByText("The file is empty: nothing is disallowed").waitFor();
  await page.getByRole("button", { name: "Edit list" }).click();
  await page.getByRole("textbox", { name: "One URL or path on each line" }).fill("");
  await page.getByRole("button", { name: "Use these" }).click();
  await page.getByText("Add a URL and a crawler").waitFor();
  assert.deepEqual(errors, []);
  await context.close();
});

async function packed(text) {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return Buffer.from(await new Response(stream).arrayBuffer()).toString("base64url");
}
