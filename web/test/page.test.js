// What a person does with the page, in Chromium, from a folder.

import assert from "node:assert/strict";
import { after, test } from "node:test";

import {
  cell,
  content,
  drop,
  exported,
  noteSent,
  open,
  paste,
  pasteInto,
  settled,
  stopBrowser,
} from "./browser.js";

after(stopBrowser);

const FILE = `User-agent: GPTBot
User-agent: CCBot
Allow: /private/press
Disallow: /private
Disallow: /*/draft-*.html$

User-agent: *
Disallow:
`;

async function ask(page, agents, urls) {
  await page.getByRole("button", { name: "Edit list" }).click();
  await page.getByRole("textbox", { name: "One URL or path on each line" }).fill(urls.join("\n"));
  await page.getByRole("button", { name: "Use these" }).click();
  for (const name of await page.locator(".grid thead .title").allTextContents()) {
    await page.getByRole("button", { name: `Remove ${name}`, exact: true }).click({ force: true });
  }
  await page.getByLabel("Add a crawler").fill(agents.join(","));
  await page.keyboard.press("Enter");
  await settled(page);
}

/** The rows of the table in words, without the URL. */
async function answers(page) {
  const rows = await page.locator(".grid tbody tr:not([aria-hidden])").all();
  return Promise.all(
    rows.map(async (row) => {
      const cells = await row.getByRole("gridcell").allTextContents();
      return cells.map((text) =>
        text.replace("disallowed", "no").replace("allowed", "yes").replace(" by line ", " "),
      );
    }),
  );
}

test("a pasted file is answered, and every edit answers anew", async () => {
  const { page, errors, context } = await open();

  await paste(page, FILE);
  await ask(page, ["GPTBot", "ExampleBot"], ["/private/a", "/private/press/a", "/b/draft-7.html"]);
  assert.deepEqual(await answers(page), [
    ["no 4", "yes"],
    ["yes 3", "yes"],
    ["no 5", "yes"],
  ]);

  await content(page).click();
  await page.keyboard.press("ControlOrMeta+End");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("End");
  await page.keyboard.type(" /b");
  await page
    .locator(".grid tbody tr")
    .nth(2)
    .getByRole("gridcell", { name: "disallowed by line 8" })
    .waitFor();
  assert.deepEqual(await answers(page), [
    ["no 4", "yes"],
    ["yes 3", "yes"],
    ["no 5", "no 8"],
  ]);

  assert.deepEqual(errors, []);
  await context.close();
});

test("a cell explains itself: the line, the characters that matched, what it beats, who else", async () => {
  const { page, context } = await open();
  await paste(page, FILE);
  await ask(page, ["GPTBot"], ["/private/press/a", "/b/draft-7.html"]);

  await cell(page, 0, 0).click();
  const explanation = page.getByRole("region", { name: "Explanation" });
  await explanation.getByText("GPTBot may fetch /private/press/a").waitFor();
  await explanation.getByText("Line 3 decides: most specific match, 14 bytes").waitFor();
  await explanation.getByText("RFC 9309 section 2.2.2").waitFor();
  await explanation.getByText("It beats line 4").waitFor();

  await cell(page, 1, 0).click();
  await explanation.getByText("GPTBot may not fetch /b/draft-7.html").waitFor();
  await explanation.getByText("by name also CCBot").waitFor();
  const matched = page.locator(".picture .source").nth(1);
  assert.deepEqual(await matched.locator(".literal").allTextContents(), [
    "/",
    "/draft-",
    ".html",
    "$",
  ]);
  assert.deepEqual(await matched.locator(".star").allTextContents(), ["*", "*"]);
  const target = page.locator(".picture .source").nth(2);
  assert.deepEqual(await target.locator(".star").allTextContents(), ["b", "7"]);
  assert.equal(
    await page.locator(".cm-line.v-decides").textContent(),
    "Disallow: /*/draft-*.html$",
  );

  await context.close();
});

test("an answer that the operator of the crawler reads otherwise says so", async () => {
  const { page, context } = await open();
  await paste(page, "User-agent: *\n\nDisallow: /\n");
  await ask(page, ["YandexBot", "GPTBot"], ["/a"]);

  await cell(page, 0, 0).click();
  const explanation = page.getByRole("region", { name: "Explanation" });
  await explanation.getByText("In its operator’s own reading: allowed (yandex)").waitFor();
  await cell(page, 0, 1).click();
  await explanation.getByText("GPTBot may not fetch /a").waitFor();
  assert.equal(await explanation.getByText("own reading").count(), 0);

  await context.close();
});

test("dialects stand side by side, and a cell explains one of them", async () => {
  const { page, context } = await open();
  await paste(page, FILE);
  await ask(page, ["GPTBot"], ["/private/press/a", "/c"]);

  await page.getByRole("tab", { name: "Dialects" }).click();
  await page.getByText("the dialects disagree about 1 of 2 URLs").waitFor();
  const heads = await page.locator(".grid thead .title").allTextContents();
  assert.deepEqual(heads.length, 8);
  await cell(page, 0, heads.indexOf("original-1994")).click();
  await page.getByText("GPTBot may not fetch /private/press/a").waitFor();
  await page.getByText("in the dialect original-1994").waitFor();

  await context.close();
});

test("a changed line shows what it opens and closes, for whom, with a URL that proves it", async () => {
  const { page, context } = await open();
  await drop(page, "robots.txt", Buffer.from(FILE));
  await settled(page);
  await page.getByRole("tab", { name: "Changes" }).click();
  await page.getByText("Nothing has changed since the file was opened").waitFor();

  await content(page).click();
  await page.keyboard.press("ControlOrMeta+Home");
  for (let line = 0; line < 4; line++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Shift+ArrowUp");
  await page.keyboard.press("Delete");
  await settled(page);
  const change = page.locator(".changed");
  await change.getByText("CCBot, GPTBot").waitFor();
  assert.match(await change.locator("li").first().textContent(), /opened\/private/);
  await page.getByText("Answers change for 2 crawlers").waitFor();

  await page.getByLabel("Old lines in the editor").check();
  await page.locator(".cm-deletedChunk", { hasText: "Disallow: /private" }).waitFor();

  await change.getByTitle("Add it to the table").first().click();
  await page.getByRole("tab", { name: "Crawlers", selected: true }).waitFor();
  await page.getByText("GPTBot may fetch /private").waitFor();

  await context.close();
});

test("a change names what other rules exempt, and other records that changed", async () => {
  const { page, errors, context } = await open();
  const before = `${FILE}Crawl-delay: 1\nSitemap: https://news.example/old.xml\n`;
  await drop(page, "robots.txt", Buffer.from(before));
  await settled(page);
  const text = before.replace("Disallow:\n", "Disallow: /a\nAllow: /a/b\n");
  await paste(page, text.replace("delay: 1", "delay: 5").replace("old.xml", "new.xml"));
  await page.getByRole("tab", { name: "Changes" }).click();

  const [answers, records] = await page.locator(".changed").all();
  assert.match(await answers.locator("li").textContent(), /^closed\/a except \/a\/b/);
  const [delay, ...sitemaps] = await records.locator("li").allTextContents();
  assert.match(delay, /^changedCrawl-delay: 5 in place of 1Every crawler that no group names/);
  assert.deepEqual(sitemaps, [
    "removedSitemap: https://news.example/old.xmlline 10 before, for every crawler",
    "addedSitemap: https://news.example/new.xmlline 11, for every crawler",
  ]);
  assert.deepEqual(errors, []);
  await context.close();
});

test("a change does not claim what was so before", async () => {
  const { page, context } = await open();
  const before = "User-agent: *\nAllow: /blog/public/\nDisallow: /blog/\n";
  await drop(page, "robots.txt", Buffer.from(before));
  await settled(page);
  await paste(page, before.replace("Disallow: /blog/", "Disallow: /blog/2025/"));
  await page.getByRole("tab", { name: "Changes" }).click();

  const change = await page.locator(".changed li").textContent();
  assert.match(change, /^opened\/blog\/ except \/blog\/2025\/ and \/blog\/public\//);
  await context.close();
});

test("identification strings, as servers log them, are taken for the crawlers that they name", async () => {
  const { page, context } = await open();
  const strings = [
    "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; PerplexityBot/1.2; +https://a.example/b)",
    "CCBot/2.0 (https://commoncrawl.org/faq/)",
  ];
  await pasteInto(page.getByLabel("Add a crawler"), strings.join("\n"));
  await page.locator(".grid thead .title", { hasText: "CCBot" }).waitFor();

  const names = await page.locator(".grid thead .title").allTextContents();
  assert.deepEqual(names.slice(-3), ["*", "PerplexityBot", "CCBot"]);
  await context.close();
});

test("at 1280 pixels, all of the example's columns are in view, and one that is added", async () => {
  const { page, context } = await open({ viewport: { width: 1280, height: 800 } });
  const isInView = async (name) => {
    const heading = page.locator(".grid thead th").filter({ has: page.getByText(name, { exact: true }) });
    const [own, grid] = await Promise.all([heading.boundingBox(), page.locator(".grid").boundingBox()]);
    return own.x >= grid.x && own.x + own.width <= grid.x + grid.width + 1;
  };
  assert.ok(await isInView("*"));

  await page.getByLabel("Add a crawler").fill("CCBot,PerplexityBot,ClaudeBot,YandexBot");
  await page.keyboard.press("Enter");
  await page.getByLabel("Add a crawler").fill("Applebot-Extended");
  await page.keyboard.press("Enter");
  await page.getByText("Applebot-Extended gets").or(page.getByText("Applebot-Extended may")).waitFor();
  assert.ok(await isInView("Applebot-Extended"));
  await context.close();
});

test("who else has an answer is listed by name", async () => {
  const { page, context } = await open({ viewport: { width: 1280, height: 800 } });
  await page.getByRole("button", { name: "See all" }).click();
  await page.locator(".purposes .token", { hasText: "ClaudeBot" }).first().waitFor();
  assert.equal(await page.locator(".purposes details:not([open])").count(), 0);
  await context.close();
});

test("a file in place of the example is compared with itself, and asked about its own URLs", async () => {
  const { page, context } = await open();
  await paste(page, FILE);
  await page.getByRole("tab", { name: "Changes", exact: true }).click();
  await page.getByText("Nothing has changed since the file was opened").waitFor();
  await page.getByRole("tab", { name: "Crawlers" }).click();
  assert.deepEqual(await page.locator(".grid tbody .url").allTextContents(), ["/"]);

  await page.getByLabel("Add URLs").fill("https://shop.example/a https://shop.example/b");
  await page.keyboard.press("Enter");
  await settled(page);
  assert.deepEqual(await page.locator(".grid tbody .url").allTextContents(), ["/", "/a", "/b"]);
  await page.getByLabel("Add URLs").fill("https://other.example/c");
  await page.keyboard.press("Enter");
  await page.locator(".grid tbody .origin", { hasText: "other.example" }).waitFor();

  await paste(page, FILE.replace("Disallow: /private\n", ""));
  await page.getByRole("tab", { name: /Changes/ }).click();
  await page.getByText("Answers change for 2 crawlers").waitFor();
  await context.close();
});

test("crawlers for which the same changes stand together, whatever groups they follow", async () => {
  const { page, context } = await open();
  await drop(page, "robots.txt", Buffer.from(`${FILE}\nUser-agent: GPTBot\nDisallow: /only\n`));
  await content(page).click();
  await page.keyboard.press("ControlOrMeta+Home");
  for (let line = 0; line < 3; line++) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.type("/x");
  await page.getByRole("tab", { name: /Changes/ }).click();
  await settled(page);

  assert.deepEqual(await page.locator(".changed h3").allTextContents(), ["CCBot, GPTBot"]);
  await context.close();
});

test("a link holds the file and what is asked, and opens as it was", async () => {
  const { page, context } = await open();
  await paste(page, FILE);
  await ask(page, ["CCBot", "b"], ["/private/ü"]);
  await page.getByRole("button", { name: "Share" }).click();
  const link = await page.getByLabel("Link", { exact: true }).inputValue();
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.getByText("Copied").waitFor();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), link);
  await context.close();

  const other = await open({ url: link });
  assert.deepEqual(await answers(other.page), [["no 4", "yes"]]);
  assert.equal(await exported(other.page), FILE);
  assert.deepEqual(other.errors, []);
  await other.context.close();
});

test("undo takes back what was opened, typed and asked, in this order, and redo brings it again", async () => {
  const { page, context } = await open();
  const example = await exported(page);
  await drop(page, "other.txt", Buffer.from(FILE));
  await page.getByRole("heading", { name: "other.txt" }).waitFor();
  await page.getByRole("button", { name: "Remove GPTBot", exact: true }).click({ force: true });
  await page.locator(".grid thead .title", { hasText: "GPTBot" }).waitFor({ state: "detached" });

  const undo = page.getByRole("button", { name: "Undo" });
  await undo.click();
  await page.locator(".grid thead .title", { hasText: "GPTBot" }).waitFor();
  assert.equal(await exported(page), FILE);
  await undo.click();
  await settled(page);
  assert.equal(await exported(page), example);
  await page.getByRole("button", { name: "Redo" }).click();
  await settled(page);
  assert.equal(await exported(page), FILE);

  await context.close();
});

test("a worker that is gone is replaced, and no text is lost", async () => {
  const { page, context } = await open({ init: () => {} });
  await paste(page, FILE);
  for (const worker of page.workers()) await worker.evaluate(() => self.close());

  await content(page).click();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("# typed while nobody answers\n");
  await page.locator(".pane-file .below", { hasText: "9 lines" }).waitFor();
  await settled(page);

  assert.equal(await exported(page), `# typed while nobody answers\n${FILE}`);
  await context.close();
});

test("a reload keeps what was typed", async () => {
  const { page, context } = await open();
  await paste(page, FILE);
  await page.reload();
  await settled(page);

  assert.equal(await exported(page), FILE);
  await context.close();
});

test("everything is reached by the keyboard alone", async () => {
  const { page, context } = await open();
  const tabTo = async (locator) => {
    for (let presses = 0; presses < 80; presses++) {
      await page.keyboard.press("Tab");
      if (await locator.evaluate((element) => element.matches(":focus, :focus-within"))) return;
    }
    assert.fail("the Tab key does not reach it");
  };

  await tabTo(page.getByLabel("Dialect"));
  await tabTo(content(page));
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(FILE);
  await tabTo(page.getByRole("tab", { name: "Crawlers", exact: true }));
  await tabTo(page.getByLabel("Add URLs"));
  await page.keyboard.type("/private/press/a");
  await page.keyboard.press("Enter");
  await tabTo(page.getByRole("gridcell", { selected: true }));
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("Control+End");
  await page.keyboard.press("Home");
  await page.getByText("GPTBot may fetch /private/press/a").waitFor();
  await page.keyboard.press("ArrowRight");
  await page.getByText("Googlebot may fetch /private/press/a").waitFor();
  await tabTo(page.locator(".purposes summary").first());
  await page.keyboard.press("Enter");
  await page.locator(".purposes details[open]").waitFor();

  await context.close();
});

test("on a phone, one pane is shown at a time, and nothing is wider than the screen", async () => {
  const { page, context } = await open({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);

  assert.equal(await width(), 390);
  await page.getByRole("tab", { name: "Answers" }).tap();
  await cell(page, 1, 0).tap();
  await page.getByText("GPTBot may not fetch").waitFor();
  assert.equal(await width(), 390);
  await page.getByRole("tab", { name: "For whom" }).tap();
  await page.locator(".purposes summary").first().tap();
  assert.equal(await width(), 390);
  await page.getByRole("tab", { name: "File" }).tap();
  await content(page).waitFor();

  await context.close();
});

test("on a phone, each button has its name below it, and what is added can be removed", async () => {
  const { page, context } = await open({
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  for (const button of await page.locator(".head button").all()) {
    const { width, height } = await button.locator("span").boundingBox();
    assert.ok(width > 10 && height > 8, await button.textContent());
  }
  await page.getByText("Dialect", { exact: true }).waitFor();

  await page.getByRole("tab", { name: "Answers" }).tap();
  const remove = page.getByRole("button", { name: "Remove GPTBot", exact: true });
  assert.equal(await remove.evaluate((each) => getComputedStyle(each).opacity), "1");
  await remove.tap();
  await remove.waitFor({ state: "detached" });
  await context.close();
});

test("100,000 URLs are pasted into the list, drawn as far as they are in view, and sent as one text", async () => {
  const { page, errors, context } = await open({ init: noteSent });
  const urls = Array.from({ length: 100_000 }, (_, at) => `https://news.example/press/${at}`);
  await page.getByRole("button", { name: "Edit list" }).click();
  const list = page.getByRole("textbox", { name: "One URL or path on each line" });
  await list.click();
  await page.keyboard.press("ControlOrMeta+a");
  await pasteInto(list, urls.join("\n"));
  assert.ok((await page.locator("dialog .cm-line").count()) < 200);
  await page.evaluate(() => (window.sent.length = 0));
  await page.getByRole("button", { name: "Use these" }).click();
  await page.locator('[aria-rowcount="100001"]').waitFor();
  await settled(page);

  assert.ok((await page.locator(".grid tbody tr").count()) < 300);
  const sent = await page.evaluate(() =>
    window.sent.map(({ kind, urls }) => [kind, typeof urls, Array.isArray(urls) && urls.length]),
  );
  assert.deepEqual(
    sent.find(([kind]) => kind === "study"),
    ["study", "string", false],
  );
  const rows = sent.filter(([kind]) => kind === "answer").map(([, , count]) => count);
  assert.ok(rows.length > 0 && rows.every((count) => count <= 300), rows.join());
  assert.deepEqual(errors, []);
  await context.close();
});

test("the table of answers is exported, in parts that leave the page free, and no cell is a formula", async () => {
  const { page, context } = await open({ init: noteSent });
  await paste(page, FILE);
  await ask(page, ["GPTBot", "ExampleBot"], ["/private/a", '/b,"c"', "=1+2"]);
  assert.deepEqual((await exported(page, "The table of answers")).split("\r\n"), [
    "url,GPTBot,GPTBot line,ExampleBot,ExampleBot line",
    "/private/a,disallowed,4,allowed,",
    '"/b,""c""",allowed,,allowed,',
    "'=1+2,not answered,,not answered,",
    "",
  ]);
  await page.getByRole("dialog").waitFor({ state: "detached" });

  const urls = Array.from({ length: 25_000 }, (_, at) => `/private/${at}`);
  await pasteInto(page.getByLabel("Add URLs"), urls.join("\n"));
  const lines = (await exported(page, "The table of answers")).split("\r\n");
  assert.equal(lines.length, 1 + 3 + urls.length + 1);
  assert.equal(lines.at(-2), "/private/24999,disallowed,4,allowed,");
  const parts = await page.evaluate(() =>
    window.sent
      .filter(({ kind }) => kind === "table")
      .map(({ urls, agents }) => urls.split("\n").length * agents.length),
  );
  assert.deepEqual(parts, [6, 20_000, 20_000, 10_006]);
  await context.close();
});

test("a notice goes with what it is about", async () => {
  const { page, context } = await open();
  const notice = page.locator(".notice");
  const add = page.getByLabel("Add a crawler");
  const none = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)";
  await add.fill(none);
  await page.keyboard.press("Enter");
  await notice.getByText("No name of a crawler was found").waitFor();
  await add.fill("CC");
  await notice.waitFor({ state: "detached" });

  await add.fill(none);
  await page.keyboard.press("Enter");
  await notice.getByText("No name of a crawler was found").waitFor();
  await page.getByRole("button", { name: "Remove GPTBot", exact: true }).click({ force: true });
  await notice.waitFor({ state: "detached" });

  await drop(page, "latin.txt", Buffer.from("User-agent: *\nDisallow: /\xe4\n", "latin1"));
  await notice.getByText("The file is not in UTF-8").waitFor();
  await content(page).click();
  await page.keyboard.type("#");
  await settled(page);
  assert.equal(await notice.count(), 1);
  await paste(page, FILE);
  await notice.waitFor({ state: "detached" });
  await context.close();
});

test("a URL in place of a file is told that the page fetches nothing, and where the file is", async () => {
  const { page, requests, context } = await open();
  await paste(page, " https://shop.example:443/a/b?c\n");
  const told = page.locator(".addresses");
  await told.getByText("This is a URL, not a robots.txt file, and this page fetches nothing").waitFor();
  const link = told.getByRole("link");
  assert.equal(await link.getAttribute("href"), "https://shop.example/robots.txt");
  assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
  await told.getByRole("button", { name: "Ask about this URL" }).click();
  await page.locator(".grid tbody .path", { hasText: "/a/b?c" }).waitFor();

  for (const [text, file] of [
    ["shop.example", "https://shop.example/robots.txt"],
    ["www.shop.example:8443/a/robots.txt\n", "https://www.shop.example:8443/robots.txt"],
    ["bücher.example", "https://xn--bcher-kva.example/robots.txt"],
  ]) {
    await paste(page, text);
    await told.getByRole("link", { name: file, exact: true }).waitFor();
  }
  await paste(page, FILE);
  await told.waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Changes", exact: true }).click();
  await page.getByText("Nothing has changed since the file was opened").waitFor();
  for (const text of ["robots.txt", "a..example", "Disallow", "shop.example is closed"]) {
    await paste(page, text);
    assert.equal(await told.count(), 0, text);
  }
  assert.deepEqual(
    requests.filter((url) => url.includes("shop")),
    [],
  );
  await context.close();
});

test("characters that nobody sees have the sign that they have in the editor", async () => {
  const { page, context } = await open();
  await paste(page, "User-agent: *\nDisallow: /a\u202eb\u00a0c\u200b\n");
  await ask(page, ["*", "x\u200by"], ["/a\u202eb/c"]);
  const signs = (within) =>
    within.locator(".special, .cm-specialChar").evaluateAll((all) => all.map((each) => each.title));

  const [override, space] = ["U+202E, right-to-left override", "U+200B, zero width space"];
  assert.deepEqual(await signs(content(page)), [override, "U+00A0, no-break space", space]);
  assert.deepEqual(await signs(page.locator(".grid tbody")), [override]);
  assert.deepEqual(await signs(page.locator(".grid thead")), [space]);
  assert.deepEqual(await signs(page.locator(".about")), [override]);
  assert.deepEqual(await signs(page.locator(".explanation .asked code")), [override]);
  const title = await page.locator(".grid tbody th").getAttribute("title");
  assert.equal(title, `/a[${override}]b/c`);
  await context.close();
});

test("a long link says that programs cut it, and long numbers have their room", async () => {
  const { page, context } = await open({ viewport: { width: 1280, height: 800 } });
  const rules = Array.from({ length: 11_000 }, (_, at) => `Disallow: /${(at * 7919) % 10_007}/${at}`);
  const lines = ["#\n".repeat(150_000) + "User-agent: *", ...rules, ""];
  await drop(page, "long.txt", Buffer.from(lines.join("\n")));
  await page.getByRole("heading", { name: "long.txt" }).waitFor();
  await page.getByLabel("Add URLs").fill("/0/0");
  await page.keyboard.press("Enter");
  await page.getByText("Line 150002 decides").waitFor();
  for (const number of await page.locator(".picture button.of").all()) {
    const wider = (element) => element.scrollWidth - element.clientWidth;
    assert.equal(await number.evaluate(wider), 0);
  }

  await page.getByRole("button", { name: "Share" }).click();
  await page.getByText("mail and chat programs cut links").waitFor();
  const link = await page.getByLabel("Link", { exact: true }).inputValue();
  assert.ok(link.length > 20_000, `${link.length}`);
  await page.keyboard.press("Escape");
  await content(page).click();
  await page.keyboard.type("#");
  await page.getByRole("button", { name: "Share" }).click();
  const other = await page.getByLabel("Link", { exact: true }).inputValue();
  assert.ok(other.length > 1.5 * link.length, "with another version to compare with, there are two");
  await context.close();
});

test("commands are filled in, and name what the page does not do", async () => {
  const { page, context } = await open();
  await page.getByRole("button", { name: "Commands" }).click();
  const lines = await page.locator(".command code").allTextContents();

  assert.ok(lines.includes("verger lint robots.txt"), lines.join("\n"));
  assert.ok(
    lines.includes("verger block --robots robots.txt --agent GPTBot /2026/11/story.html"),
    lines.join("\n"),
  );
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });

  await context.close();
});
