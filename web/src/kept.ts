/**
 * What the page keeps, and nothing where the browser does not let it: the work of a tab over a reload,
 * and the last texts of all tabs, so that none is lost with its tab.
 */

import type { Shared } from "./link";
import type { Named } from "./state";

/** What a tab holds: what a link would, and what none does. */
export interface Work extends Shared {
  named: Named;
  /** The fragment of the address: the link that it came from, until it is edited. */
  link: string;
}

/** A text that a tab had, and when. */
export interface Former {
  at: number;
  work: Work;
}

const MOST_FORMER = 10;

/** Whether it was kept: not in sandboxes, nor if it is larger than the browser's store. An older value
 * does not stay in its place. */
export function keep(name: string, value: unknown, store = () => sessionStorage): boolean {
  try {
    store().removeItem(`verger.${name}`);
    store().setItem(`verger.${name}`, JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

export function kept<T>(name: string, store = () => sessionStorage): T | null {
  try {
    const text = store().getItem(`verger.${name}`);
    return text === null ? null : (JSON.parse(text) as T);
  } catch {
    return null;
  }
}

const ofAllTabs = () => localStorage;

const PREFIX = "former.";

/** The last texts of all tabs, the newest first. Each has an entry of its own: tabs are closed at the
 * same time, and none waits for another. */
export function former(): (Former & { name: string })[] {
  return namesOfFormer()
    .flatMap((name) => {
      const found = kept<Former>(name, ofAllTabs);
      return found ? [{ ...found, name }] : [];
    })
    .sort((one, other) => other.at - one.at);
}

function namesOfFormer(): string[] {
  try {
    const names = Object.keys(localStorage).map((key) => key.replace(/^verger\./, ""));
    return names.filter((name) => name.startsWith(PREFIX));
  } catch {
    return [];
  }
}

const newName = () => `${PREFIX}${Date.now()}.${Math.random()}`;

/** Where this tab keeps its text: a later one takes its place. */
let own = newName();

/** Keeps what the tab holds, for other tabs and later ones; whether it was kept. */
export function keepForAll(work: Work): boolean {
  forget(work.text);
  for (const { name } of former().slice(MOST_FORMER - 1)) remove(name);
  return keep(own, { at: Date.now(), work }, ofAllTabs);
}

/** Keeps a text that makes place for another one. */
export function putAside(work: Work): void {
  keepForAll(work);
  own = newName();
}

export function forget(text: string): void {
  for (const { name, work } of former()) if (work.text === text) remove(name);
}

function remove(name: string): void {
  localStorage.removeItem(`verger.${name}`);
}
