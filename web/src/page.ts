/** The page: what its parts do to the file, to what is asked, and to what is shown. */

import { redo, redoDepth, undo, undoDepth } from "@codemirror/commands";
import type { EditorView } from "@codemirror/view";

import { Analyst } from "./analyst";
import { Aside } from "./aside";
import type { Answered, Asked as Sent, Known, Row } from "./core";
import {
  MOST_COMPARED,
  type Changed,
  asked,
  change,
  compareIn,
  goToLine,
  linesInView,
  makeEditor,
  named,
  replaceText,
  showIn,
  showStudyIn,
} from "./editor";
import { EXAMPLE, askedOf } from "./example";
import { type Opened, choose, lineEndsOf, save, textOfFile, wordsOf } from "./files";
import { type Former, type Work, forget, keep, keepForAll, putAside } from "./kept";
import { MOST_CHARACTERS, type Shared, fragmentOf } from "./link";
import { fileOfSite } from "./service";
import { unpacked } from "./unpack";
import {
  type Asked,
  MOST_AGENTS,
  MOST_URLS,
  type Named,
  type Notice,
  type Selected,
  type Shown,
  type Store,
  type Theme,
  UNNAMED,
  type View,
} from "./state";
import { counted } from "./words";

/** The answers that are made for an export before another question has its turn. */
export const CELLS_AT_ONCE = 20_000;

/** After so many milliseconds without a key, the study begins. */
const PAUSE = 150;
const PATIENCE = { answer: 5_000, study: 10_000 };

export class Page {
  readonly #quick: Analyst;
  readonly #thorough: Analyst;
  /** Asked for what must not be lost to a newer question. */
  readonly #aside: Aside;
  #editor: EditorView | null = null;
  #text: string | null = null;
  #timer = 0;

  constructor(
    readonly store: Store,
    private readonly first: { text: string; asked: Asked; named: Named },
  ) {
    const listener = {
      known: (known: Known) => this.#learned(known),
      answered: (answered: Answered, sent: Sent, isLast: boolean) =>
        this.#answered(answered, sent, isLast),
      failed: (sent: Sent, why: string) => this.#failed(sent, why),
    };
    const core = unpacked();
    core.catch((error: unknown) =>
      this.tell("warning", "page", `The core does not start: ${messageOf(error)}.`),
    );
    store.set({ selected: this.#within(this.shown.selected) });
    this.#quick = new Analyst(core, listener, PATIENCE.answer);
    this.#thorough = new Analyst(core, listener, PATIENCE.study);
    this.#aside = new Aside((hear) => new Analyst(core, hear, PATIENCE.answer));
  }

  get shown(): Shown {
    return this.store.get();
  }

  get editor(): EditorView {
    if (!this.#editor) throw new Error("the editor is not there yet");
    return this.#editor;
  }

  get asked(): Asked {
    return this.#editor?.state.field(asked) ?? this.first.asked;
  }

  get named(): Named {
    return this.#editor?.state.field(named) ?? this.first.named;
  }

  get text(): string {
    this.#text ??= this.#editor?.state.doc.toString() ?? this.first.text;
    return this.#text;
  }

  /** Puts the editor into the page, once. */
  mount(parent: HTMLElement): void {
    if (this.#editor) return;
    this.#editor = makeEditor(parent, this.first.text, this.first, (change) =>
      this.#changed(change),
    );
    this.ask();
  }

  // What is asked of the workers

  /** Asks anew; what is scrolled before the editor is there waits for it. */
  ask(): void {
    if (!this.#editor) return;
    this.#askAnswer();
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.#askMore(), PAUSE);
  }

  #askAnswer(): void {
    const { urls, agents, dialect } = this.asked;
    const { from, to } = this.shown.rows;
    this.#quick.ask({
      kind: "answer",
      text: this.text,
      dialect,
      agents: [...agents],
      urls: urls.slice(from, to),
      from,
      lines: linesInView(this.editor),
      cell: this.cell(),
    });
  }

  #askMore(): void {
    const { urls, agents, dialect, before } = this.asked;
    const { view, rows } = this.shown;
    if (view === "dialects") {
      this.#quick.ask({
        kind: "dialects",
        text: this.text,
        agent: this.agent(),
        urls: urls.slice(rows.from, rows.to),
        from: rows.from,
      });
    }
    this.#thorough.ask({
      kind: "study",
      text: this.text,
      before,
      dialect,
      agents: [...agents],
      urls: linesOf(urls),
      cell: this.cell(),
    });
  }

  #answered(answered: Answered, sent: Sent, isLast: boolean): void {
    const isCurrent = sent.kind !== "names" && sent.text === this.text;
    if (answered.kind === "answer") {
      answered.rows = keptRows(this.shown.answer?.rows ?? [], answered.rows);
      this.store.set({ answer: answered });
      if (isCurrent) showIn(this.editor, answered);
    } else if (answered.kind === "dialects") {
      answered.rows = keptRows(this.shown.dialects?.rows ?? [], answered.rows);
      this.store.set({ dialects: answered });
    } else if (answered.kind === "study") {
      this.store.set({ studied: answered, studying: !(isCurrent && isLast) });
      if (isCurrent) showStudyIn(this.editor, answered);
    }
  }

  /** A link may name a dialect of another version. */
  #learned(known: Known): void {
    this.store.set({ known });
    const { dialect } = this.asked;
    if (known.dialects.some(({ name }) => name === dialect)) return;
    this.setDialect("rfc9309");
    this.tell(
      "warning",
      "asked",
      `This page does not know the dialect ${dialect}: it reads the file as RFC 9309.`,
    );
  }

  #failed(sent: Sent, why: string): void {
    const what = sent.kind === "study" ? "analysis" : "answer";
    this.tell("warning", "text", `The ${what} failed (${why}). Your text is unchanged.`);
    this.store.set({ studying: false });
  }

  #changed({ text, asked: isAsked, file, viewport }: Changed): void {
    if (text) this.#text = null;
    if (text) this.forgetNotice("text");
    if (isAsked || file) this.forgetNotice("asked");
    if (file) this.forgetNotice("file");
    if (text || isAsked) {
      const { state } = this.editor;
      leaveLink();
      this.store.set({
        studying: true,
        canUndo: undoDepth(state) > 0,
        canRedo: redoDepth(state) > 0,
        selected: this.#within(this.shown.selected),
      });
      if (isAsked && this.shown.differences) this.showDifferences(true);
      this.ask();
    } else if (viewport) {
      this.#askAnswer();
    }
  }

  #within({ row, column }: Selected): Selected {
    const { urls, agents } = this.asked;
    return {
      row: Math.max(0, Math.min(row, urls.length - 1)),
      column: Math.max(0, Math.min(column, agents.length - 1)),
    };
  }

  // What is selected

  agent(): string {
    return this.asked.agents[this.shown.selected.column] ?? "*";
  }

  url(): string {
    return this.asked.urls[this.shown.selected.row] ?? "/";
  }

  cell(): { url: string; agent: string; dialect: string } | null {
    if (this.asked.urls.length === 0) return null;
    return {
      url: this.url(),
      agent: this.agent(),
      dialect: this.shown.inDialect ?? this.asked.dialect,
    };
  }

  select(selected: Selected, { scroll = true } = {}): void {
    this.store.set({ selected: this.#within(selected), inDialect: null });
    this.#isToScroll = scroll;
    this.ask();
  }

  selectDialect(row: number, dialect: string): void {
    this.store.set({ selected: { ...this.shown.selected, row }, inDialect: dialect });
    this.ask();
  }

  #isToScroll = false;

  /** Brings the deciding line into view, after a cell was selected. */
  reveal(): void {
    const line =
      this.shown.answer?.explained?.rule?.line ?? this.shown.answer?.explained?.start?.line;
    if (!this.#isToScroll || !line) return;
    this.#isToScroll = false;
    goToLine(this.editor, line, { focus: false });
  }

  /** Opens the list of all crawlers, and brings it into view. */
  showAll(): void {
    this.store.set({ pane: "whom", scope: "url" });
    requestAnimationFrame(() => {
      for (const each of document.querySelectorAll<HTMLDetailsElement>(".purposes details")) {
        each.open = true;
      }
      document.getElementById("fetch-heading")?.scrollIntoView({ block: "start" });
    });
  }

  goTo(line: number): void {
    this.store.set({ pane: "file" });
    requestAnimationFrame(() => goToLine(this.editor, line, { focus: true }));
  }

  see(rows: { from: number; to: number }): void {
    const { from, to } = this.shown.rows;
    if (from === rows.from && to === rows.to) return;
    this.store.set({ rows });
    this.ask();
  }

  show(view: View): void {
    this.store.set({ view, inDialect: null });
    this.ask();
  }

  // What is asked about the file

  addUrls(text: string): void {
    const found = wordsOf(text);
    const urls = this.#putUrls([...this.asked.urls, ...found]);
    const row = found[0] === undefined ? -1 : urls.indexOf(found[0]);
    if (row >= 0) this.select({ ...this.shown.selected, row });
  }

  /** Puts URLs that stand in place of a file into the table. */
  askAbout(urls: readonly string[]): void {
    this.addUrls(urls.join("\n"));
    this.store.set({ view: "crawlers", pane: "answers" });
  }

  setUrls(text: string): void {
    this.#putUrls(wordsOf(text));
  }

  #putUrls(all: readonly string[]): readonly string[] {
    const urls = [...new Set(all)];
    change(this.editor, { urls: urls.slice(0, MOST_URLS) });
    if (urls.length > MOST_URLS) {
      const most = MOST_URLS.toLocaleString("en");
      const rest = counted(urls.length - MOST_URLS, "URL");
      this.tell("warning", "asked", `This page asks about ${most} URLs at most: ${rest} left out.`);
    }
    return urls;
  }

  removeUrl(row: number): void {
    change(this.editor, { urls: this.asked.urls.filter((_, at) => at !== row) });
  }

  addAgents(text: string): void {
    const lines = text.split(/[\r\n]+/);
    if (!lines.some(isHeader)) {
      this.#putAgents(text.split(/[\s,]+/));
      return;
    }
    this.#aside.ask({ kind: "names", lines }).then(
      ({ tokens }) => this.#putAgents(tokens),
      (error: unknown) => this.tell("warning", "asked", `No name was found: ${messageOf(error)}.`),
    );
  }

  #putAgents(tokens: readonly string[]): void {
    const found = tokens.filter((each) => each !== "");
    const [first] = found;
    if (first === undefined) {
      this.tell("warning", "asked", "No name of a crawler was found in this text.");
      return;
    }
    const agents = [...new Set([...this.asked.agents, ...found])];
    change(this.editor, { agents: agents.slice(0, MOST_AGENTS) });
    this.select({ ...this.shown.selected, column: agents.indexOf(first) });
    if (agents.length <= MOST_AGENTS) return;
    const rest = counted(agents.length - MOST_AGENTS, "crawler");
    this.tell("warning", "asked", `This table has ${MOST_AGENTS} crawlers at most: ${rest} left out.`);
  }

  removeAgent(column: number): void {
    change(this.editor, { agents: this.asked.agents.filter((_, at) => at !== column) });
  }

  setDialect(dialect: string): void {
    change(this.editor, { dialect });
  }

  // Files

  open(): void {
    choose((file) => void this.openFile(file));
  }

  async openFile(file: File): Promise<void> {
    try {
      this.#load(file.name, await textOfFile(file));
    } catch (error) {
      this.#refused(file, error);
    }
  }

  /** Opens the file of a site, which the service fetches. */
  async openSite(route: string, url: string): Promise<void> {
    try {
      this.#load("robots.txt", await textOfFile(await fileOfSite(route, url)));
    } catch (error) {
      this.#refused({ name: url }, error);
    }
  }

  #load(name: string, { text, remark }: Opened): void {
    const asked = askedOf(text.replace(/\r\n?/g, "\n"), this.asked);
    replaceText(this.editor, text, asked, { name, ...lineEndsOf(text) });
    this.store.set({ notice: null });
    if (remark) this.tell("warning", "file", remark);
  }

  #refused({ name }: { name: string }, error: unknown): void {
    const why = `${name} was not opened: ${messageOf(error)}. Your text is unchanged.`;
    this.tell("warning", "text", why);
  }

  openBefore(): void {
    choose((file) => {
      textOfFile(file).then(
        ({ text }) => this.setBefore(text),
        (error: unknown) => this.#refused(file, error),
      );
    });
  }

  setBefore(before: string): void {
    change(this.editor, { before });
    this.show("changes");
  }

  showDifferences(differences: boolean): void {
    const { before } = this.asked;
    if (differences && before.length + this.text.length > MOST_COMPARED) {
      const why = "The texts are too long to be shown line by line; the answers are compared.";
      this.tell("warning", "text", why);
      differences = false;
    }
    this.store.set({ differences });
    compareIn(this.editor, differences ? before : null);
  }

  export(): void {
    const { name, lineEnd, isMixed } = this.named;
    this.close();
    save(name, [this.text.replaceAll("\n", lineEnd)], "text/plain");
    if (!isMixed) return;
    const kind = lineEnd === "\n" ? "LF" : "CRLF";
    const said = `${name} had line ends of several kinds: all are ${kind} in what was exported.`;
    this.tell("info", "text", said);
  }

  /** Exports the table of answers; closing the dialog stops it. */
  async exportAnswers(): Promise<void> {
    const { urls, agents, dialect } = this.asked;
    const about = { kind: "table" as const, text: this.text, dialect, agents: [...agents] };
    const most = Math.max(1, Math.floor(CELLS_AT_ONCE / Math.max(1, agents.length)));
    const parts: string[] = [];
    try {
      for (let from = 0; from === 0 || from < urls.length; from += most) {
        this.store.set({ exported: from });
        const some = linesOf(urls.slice(from, from + most));
        parts.push((await this.#aside.ask({ ...about, urls: some, isFirst: from === 0 })).csv);
        if (this.shown.dialog !== "export") return;
      }
      this.close();
      save("answers.csv", parts, "text/csv");
    } catch (error) {
      this.close();
      this.tell("warning", "text", `The answers were not exported: ${messageOf(error)}.`);
    } finally {
      this.store.set({ exported: null });
    }
  }

  undo(): void {
    undo(this.editor);
  }

  redo(): void {
    redo(this.editor);
  }

  // Sharing

  async share(): Promise<void> {
    const fragment = await fragmentOf(this.whole());
    if (fragment.length > MOST_CHARACTERS) {
      const why = "The file is too large for a link: export it, and send the file.";
      this.tell("warning", "text", why);
      return;
    }
    history.replaceState(null, "", fragment);
    this.store.set({ dialog: "share", link: location.href });
  }

  /** All that a link holds. */
  whole(): Shared {
    const { view, selected } = this.shown;
    return { text: this.text, asked: this.asked, view, selected };
  }

  /** Shows what a link holds, or another tab had; undo brings back what was there. */
  take({ text, asked, selected }: Shared, named = UNNAMED): void {
    if (text !== this.text) this.putAside(this.work());
    replaceText(this.editor, text, asked, named);
    this.select(selected);
  }

  // What is kept

  work(): Work {
    return { ...this.whole(), named: this.named, link: location.hash };
  }

  /** Keeps the text for a reload, and for other tabs; whether it can be left. */
  leave(): boolean {
    const work = this.work();
    keep("lost", !keep("work", work));
    return !isOwn(work) || keepForAll(work);
  }

  /** A text that a link or another one replaces; said, with a way back. */
  putAside(work: Work): void {
    if (!isOwn(work)) return;
    putAside(work);
    const back = { label: "Back to your text", does: () => this.restore(work) };
    this.tell("info", "page", "Your text was replaced by that of the link.", [back]);
  }

  restore(work: Work): void {
    this.take(work, work.named);
    forget(work.text);
    this.store.set({ notice: null });
  }

  /** Offers the last text of another tab, or of one that was closed. */
  offer({ at, work }: Former): void {
    const when = new Date(at).toLocaleString("en", { dateStyle: "long", timeStyle: "short" });
    this.tell("info", "page", `This page had another text, ${work.named.name}, on ${when}.`, [
      { label: "Restore it", does: () => this.restore(work) },
      { label: "Forget it", does: () => forget(work.text) },
    ]);
  }

  setTheme(theme: Theme): void {
    this.store.set({ theme });
    keep("theme", theme);
    document.documentElement.style.colorScheme = theme === "system" ? "" : theme;
    document.documentElement.dataset.theme = theme;
  }

  close(): void {
    this.store.set({ dialog: null });
  }

  tell(
    tone: Notice["tone"],
    about: Notice["about"],
    text: string,
    actions: Notice["actions"] = [],
  ): void {
    this.store.set({ notice: { tone, about, text, actions } });
  }

  /** Takes away a notice of what has gone. */
  forgetNotice(about: Notice["about"]): void {
    if (this.shown.notice?.about === about) this.store.set({ notice: null });
  }
}

/** The rows, each as it was before if nothing in it has changed: then it is not drawn again. */
function keptRows(before: readonly Row[], rows: readonly Row[]): Row[] {
  return rows.map((row, at) => {
    const old = before[at];
    return old && JSON.stringify(old) === JSON.stringify(row) ? old : row;
  });
}

const joined = new WeakMap<readonly string[], string>();

/** URLs as one text: a worker is handed a list of 100,000 texts one by one. */
function linesOf(urls: readonly string[]): string {
  const lines = joined.get(urls) ?? urls.join("\n");
  joined.set(urls, lines);
  return lines;
}

/** Whether a text would be missed. */
function isOwn({ text }: Work): boolean {
  return text !== EXAMPLE && text.trim() !== "";
}

/** The address no longer says what the page holds; the same link can be opened in it again. */
function leaveLink(): void {
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
}

/** Whether a line is a whole identification string, as servers log it, and no list of names. */
function isHeader(line: string): boolean {
  return /\(|\/\S*\s/.test(line.trim());
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
