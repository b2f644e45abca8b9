// axe-core finds nothing: in both themes, in each view, in each dialog, and on a phone.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { after, test } from "node:test";

import { open, paste, settled, stopBrowser } from "./browser.js";

after(stopBrowser);

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** What axe finds, in both themes, of which the second differs in colours alone. */
async function problems(page) {
  // Injected by the debugger, which no policy stops.
  await page.evaluate(AXE);
  const light = await violations(page, {});
  await page.emulateMedia({ colorScheme: "dark" });
  return [...light, ...(await violations(page, { runOnly: COLOURS }))];
}

const COLOURS = ["color-contrast", "link-in-text-block"];

async function violations(page, options) {
  const found = await page.evaluate((options) => globalThis.axe.run(document, options), options);
  return found.violations.map(({ id, nodes }) => [
    id,
    ...nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`),
  ]);
}

const STATES = {
  "first load": async () => {},
  dialects: (page) => page.getByRole("tab", { name: "Dialects" }).click(),
  changes: async (page) => {
    await page.locator(".cm-content").click();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.type("\nUser-agent: PerplexityBot\nDisallow: /\n");
    await page.getByRole("tab", { name: "Changes" }).click();
    await page.getByText("Answers change for").waitFor();
    await page.getByLabel("Old lines in the editor").check();
  },
  "open lists": async (page) => {
    for (const summary of await page.locator(".purposes summary").all()) await summary.click();
  },
  commands: (page) => page.getByRole("button", { name: "Commands" }).click(),
  export: (page) => page.getByRole("button", { name: "Export" }).click(),
  "list of URLs": (page) => page.getByRole("button", { name: "Edit list" }).click(),
  "a URL and what nobody sees": async (page) => {
    await paste(page, "https://shop.example/a");
    await page.getByLabel("Add URLs").fill("/a\u202eb");
    await page.keyboard.press("Enter");
  },
  share: async (page) => {
    await page.getByRole("button", { name: "Share" }).click();
    await page.getByRole("dialog").waitFor();
  },
  search: async (page) => {
    await page.locator(".cm-content").click();
    await page.keyboard.press("ControlOrMeta+f");
  },
};

for (const [name, reach] of Object.entries(STATES)) {
  test(`axe finds nothing: ${name}`, async () => {
    const { page, context } = await open();
    await reach(page);
    await settled(page);
    assert.deepEqual(await problems(page), []);
    await context.close();
  });
}

test("axe finds nothing on a phone", async () => {
  const { page, context } = await open({ viewport: { width: 390, height: 844 } });
  for (const pane of ["File", "Answers", "For whom"]) {
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("tab", { name: pane }).click();
    assert.deepEqual(await problems(page), [], pane);
  }
  await context.close();
});
