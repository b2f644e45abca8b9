// The page under a strict policy and from a folder: it asks for nothing, and works.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, test } from "node:test";

import { open, policyOfPage, serve, stopBrowser } from "./browser.js";

after(stopBrowser);

test("the page's own policy admits no other script, no style and no request", () => {
  const policy = policyOfPage();

  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'sha256-[^']+' 'wasm-unsafe-eval';/);
  assert.match(policy, /style-src 'sha256-[^']+';/);
  assert.doesNotMatch(policy, /unsafe-inline|'unsafe-eval'|connect-src|https?:/);
});

test("served with that policy as a header, it works and asks the server for itself alone", async () => {
  const { url, asked, stop } = await serve(policyOfPage());
  const { page, errors, requests, context } = await open({ url });
  await page.getByText("GPTBot may not fetch").waitFor();
  await page.getByRole("tab", { name: "Dialects" }).click();
  await page.getByText("the dialects").waitFor();

  assert.deepEqual(asked, ["/"]);
  assert.deepEqual(
    requests.filter((each) => !isOwn(each, url)),
    [],
  );
  assert.deepEqual(errors, []);
  await context.close();
  await stop();
});

test("opened from a folder, it works and asks for nothing", async () => {
  const { page, errors, requests, context } = await open();
  await page.getByText("GPTBot may not fetch").waitFor();

  assert.deepEqual(
    requests.filter((each) => !isOwn(each, "file:")),
    [],
  );
  assert.deepEqual(errors, []);
  await context.close();
});

test("without a network, it works", async () => {
  const { page, context } = await open();
  await context.setOffline(true);
  await page.reload();
  await page.getByText("GPTBot may not fetch").waitFor();
  await context.close();
});

test("whatever the page is made of has its licence beside the page", () => {
  const [page, notices] = ["index.html", "THIRD-PARTY-NOTICES.txt"].map((name) =>
    readFileSync(new URL(`../dist/${name}`, import.meta.url), "utf8"),
  );
  const { dependencies } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url)));

  for (const [name, version] of Object.entries(dependencies)) {
    assert.ok(page.slice(0, 1_000).includes(`${name} ${version} (`), name);
    assert.ok(notices.includes(`| ${name} | ${version} |`), name);
  }
  assert.ok(notices.includes("| memchr |"));
  assert.match(notices, /^## [^\n]*preact[^\n]*\n\n```text\n/m);
});

function isOwn(request, url) {
  return request.startsWith(url) || request.startsWith("blob:") || request.startsWith("data:");
}
