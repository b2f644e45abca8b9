/** Starts the page, with what a link holds, what was there before a reload, or the example. */

import { render } from "preact";

import { EXAMPLE, EXAMPLE_AGENTS, EXAMPLE_URLS } from "./example";
import { sharedIn } from "./link";
import { type Work, forget, former, kept } from "./kept";
import { Page, messageOf } from "./page";
import { Store, UNNAMED, type View, initially } from "./state";
import { App } from "./view/app";

async function start(): Promise<void> {
  const work = kept<Work>("work");
  const given = await givenBy(work);
  const shown = given.work ?? example();
  const store = new Store({
    ...initially(),
    view: VIEWS.find((each) => each === shown.view) ?? "crawlers",
    selected: shown.selected,
  });
  const page = new Page(store, shown);
  page.setTheme(kept<"light" | "dark" | "system">("theme") ?? "system");
  const root = document.getElementById("page");
  if (!root) return;
  root.textContent = "";
  render(<App page={page} />, root);
  remind(page, shown, work);
  if (given.wrong) page.tell("warning", "file", given.wrong);
  window.addEventListener("pagehide", () => page.leave());
  window.addEventListener("beforeunload", (event) => {
    // The browser asks whether to leave, since the text would be lost.
    if (page.shown.canUndo && !page.leave()) event.preventDefault();
  });
  window.addEventListener("hashchange", () => void opened(page));
}

const VIEWS: readonly View[] = ["crawlers", "dialects", "changes"];

/** What a link holds, unless it was opened before the reload; or what was there then. */
async function givenBy(work: Work | null): Promise<{ work: Work | null; wrong?: string }> {
  const link = location.hash;
  if (work?.link === link) return { work };
  try {
    const shared = await sharedIn(link);
    return { work: shared ? { ...shared, named: UNNAMED, link } : work };
  } catch (error) {
    return { work, wrong: messageOf(error) };
  }
}

/** Says what is not shown: a text that a link replaced, that was lost, or that another tab had. */
function remind(page: Page, shown: Work, work: Work | null): void {
  forget(shown.text);
  const [last] = former();
  if (work && work.text !== shown.text) page.putAside(work);
  else if (kept<boolean>("lost")) page.tell("warning", "file", LOST);
  else if (last) page.offer(last);
}

const LOST =
  "Your last text is gone: it was too large for the browser to keep. Open the file again.";

function example(): Work {
  const asked = { urls: EXAMPLE_URLS, agents: EXAMPLE_AGENTS, dialect: "rfc9309", before: EXAMPLE };
  const selected = { row: 1, column: 0 };
  return { text: EXAMPLE, asked, view: "crawlers", selected, named: UNNAMED, link: "" };
}

/** A link was pasted into the address of the page that is open. */
async function opened(page: Page): Promise<void> {
  try {
    const shared = await sharedIn(location.hash);
    if (shared) page.take(shared);
  } catch (error) {
    page.tell("warning", "file", messageOf(error));
  }
}

void start();
