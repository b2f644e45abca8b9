// The page under a strict policy and from a folder: it asks for nothing, and works.

import assert from "node:assert/strict";
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

function isOwn(request, url) {
  return request.startsWith(url) || request.startsWith("blob:") || request.startsWith("data:");
}
