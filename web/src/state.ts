/**
 * What the page shows besides the file: what is selected, and what the workers answered.
 *
 * The file and what is asked about it (`Asked`) belong to the editor's state, so that one history
 * undoes both; see `editor.ts`.
 */

import type { Answer, DialectRows, Known, Studied } from "./core";

export type View = "crawlers" | "dialects" | "changes";
export type Pane = "file" | "answers" | "whom";
export type Theme = "system" | "light" | "dark";

export const MOST_URLS = 100_000;
export const MOST_AGENTS = 50;

/** What is asked about the file. */
export interface Asked {
  urls: readonly string[];
  agents: readonly string[];
  dialect: string;
  /** The version that changes are compared with. */
  before: string;
}

/** What a file has besides its text. */
export interface Named {
  name: string;
  lineEnd: "\n" | "\r\n";
  /** Whether it had line ends of several kinds: the text has one. */
  isMixed: boolean;
}

export const UNNAMED: Named = { name: "robots.txt", lineEnd: "\n", isMixed: false };

export interface Selected {
  row: number;
  column: number;
}

/**
 * What happened, in a line that stays until it is closed or replaced, or until what it is about has
 * gone: what is `asked`, the `text`, or the `file` that was opened.
 */
export interface Notice {
  tone: "info" | "warning";
  text: string;
  about: "page" | "asked" | "text" | "file";
  /** What can be done about it; each closes the notice. */
  actions?: { label: string; does: () => void }[];
}

export interface Shown {
  view: View;
  pane: Pane;
  theme: Theme;
  selected: Selected;
  /** The dialect whose answer is explained, if it is not that of the page. */
  inDialect: string | null;
  /** The rows of the matrix in view. */
  rows: { from: number; to: number };
  /** Whether the pane of crawlers is about the selected URL or the whole site. */
  scope: "url" | "site";
  differences: boolean;
  notice: Notice | null;
  dialog: "commands" | "share" | "export" | "urls" | "before" | null;
  link: string;
  /** Of how many URLs the table that is exported has the answers; null while none is made. */
  exported: number | null;
  known: Known | null;
  answer: Answer | null;
  studied: Studied | null;
  dialects: DialectRows | null;
  /** Whether the study is of the file as it is now. */
  studying: boolean;
  canUndo: boolean;
  canRedo: boolean;
}

export class Store {
  #shown: Shown;
  #listeners = new Set<() => void>();
  #isTold = false;

  constructor(shown: Shown) {
    this.#shown = shown;
  }

  get(): Shown {
    return this.#shown;
  }

  set(change: Partial<Shown>): void {
    this.#shown = { ...this.#shown, ...change };
    if (this.#isTold) return;
    this.#isTold = true;
    queueMicrotask(() => {
      this.#isTold = false;
      for (const listener of this.#listeners) listener();
    });
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export function initially(): Shown {
  return {
    view: "crawlers",
    pane: "file",
    theme: "system",
    selected: { row: 0, column: 0 },
    inDialect: null,
    rows: { from: 0, to: 60 },
    scope: "url",
    differences: false,
    notice: null,
    dialog: null,
    link: "",
    exported: null,
    known: null,
    answer: null,
    studied: null,
    dialects: null,
    studying: true,
    canUndo: false,
    canRedo: false,
  };
}
