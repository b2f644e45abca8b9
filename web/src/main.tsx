/** Starts the page, with what a link holds, what was there before a reload, or the example. */

import { render } from "preact";

import { EXAMPLE, EXAMPLE_AGENTS, EXAMPLE_URLS } from "./example";
import { type Shared, sharedIn } from "./link";
import { kept, keep } from "./kept";
import { Page } from "./page";
import { type Notice, Store, type View, initially } from "./state";
import { App } from "./view/app";

async function start(): Promise<void> {
  const { shared, notice } = await given();
  const store = new Store({
    ...initially(),
    notice,
    view: VIEWS.find((each) => each === shared.view) ?? "crawlers",
    selected: shared.selected,
  });
  const page = new Page(store, { text: shared.text, asked: shared.asked });
  page.setTheme(kept<"light" | "dark" | "system">("theme") ?? "system");
  const root = document.getElementById("page");
  if (!root) return;
  root.textContent = "";
  render(<App page={page} />, root);
  window.addEventListener("pagehide", () => keep("work", page.whole()));
  window.addEventListener("beforeunload", (event) => {
    // The browser asks whether to leave, since a reload would lose the text.
    if (page.shown.canUndo && !keep("work", page.whole())) event.preventDefault();
  });
  window.addEventListener("hashchange", () => void opened(page));
}

const VIEWS: readonly View[] = ["crawlers", "dialects", "changes"];

async function given(): Promise<{ shared: Shared; notice: Notice | null }> {
  const work = kept<Shared>("work");
  try {
    const shared = await sharedIn(location.hash);
    if (shared && work && work.text !== shared.text && isReload())
      return { shared: work, notice: null };
    return { shared: shared ?? work ?? example(), notice: null };
  } catch {
    return { shared: work ?? example(), notice: DAMAGED };
  }
}

const DAMAGED: Notice = {
  tone: "warning",
  text: "The link is damaged: the file in it cannot be read. Ask for it again, or for the file itself.",
};

/** After a reload, what was edited counts, and not what the link once held. */
function isReload(): boolean {
  const [entry] = performance.getEntriesByType("navigation");
  return entry instanceof PerformanceNavigationTiming && entry.type === "reload";
}

function example(): Shared {
  const asked = { urls: EXAMPLE_URLS, agents: EXAMPLE_AGENTS, dialect: "rfc9309", before: EXAMPLE };
  return { text: EXAMPLE, asked, view: "crawlers", selected: { row: 1, column: 0 } };
}

/** A link was pasted into the address of the page that is open. */
async function opened(page: Page): Promise<void> {
  try {
    const shared = await sharedIn(location.hash);
    if (shared) page.take(shared);
  } catch {
    page.tell(DAMAGED.tone, DAMAGED.text);
  }
}

void start();
