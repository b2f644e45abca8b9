/** What an answer looks like in the editor: colours, the deciding line, and what groups bind. */

import { RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  GutterMarker,
  WidgetType,
  gutter,
} from "@codemirror/view";

import type { Answer, Effect, Group, LineMark, Span, Studied } from "./core";

export const showAnswer = StateEffect.define<{ answer: Answer; decorations: DecorationSet }>();
export const showStudy = StateEffect.define<Studied>();

interface Marks {
  syntax: DecorationSet;
  remarks: DecorationSet;
  groups: ReadonlyMap<number, GroupPlace>;
}

interface GroupPlace {
  marker: GroupMarker;
}

export const shownMarks = StateField.define<Marks>({
  create: () => ({ syntax: Decoration.none, remarks: Decoration.none, groups: new Map() }),
  update(marks, transaction) {
    let { syntax, remarks, groups } = marks;
    if (transaction.docChanged) {
      syntax = syntax.map(transaction.changes);
      remarks = remarks.map(transaction.changes);
    }
    for (const effect of transaction.effects) {
      if (effect.is(showAnswer)) {
        syntax = effect.value.decorations;
        groups = placesOf(effect.value.answer.groups);
      } else if (effect.is(showStudy)) {
        remarks = remarksOf(transaction.newDoc, effect.value);
      }
    }
    return { syntax, remarks, groups };
  },
  provide: (field) => [
    EditorView.decorations.from(field, ({ syntax }) => syntax),
    EditorView.decorations.from(field, ({ remarks }) => remarks),
  ],
});

// Colours and underlines

const styles = new Map<string, Decoration>();

function style(name: string): Decoration {
  const found = styles.get(name) ?? Decoration.mark({ class: name });
  styles.set(name, found);
  return found;
}

const decidingLine = {
  allowed: Decoration.line({ class: "v-decides v-allowed" }),
  disallowed: Decoration.line({ class: "v-decides v-disallowed" }),
};
const startLine = Decoration.line({ class: "v-starts" });

export function marksOf(doc: Text, answer: Answer): DecorationSet {
  const found: { from: number; to: number; value: Decoration }[] = [];
  const { explained } = answer;
  for (const mark of answer.marks) addMark(found, doc, mark);
  if (explained?.rule && explained.rule.line <= doc.lines) {
    const { from } = doc.line(explained.rule.line);
    const kind = explained.rule.allow ? "allowed" : "disallowed";
    found.push({ from, to: from, value: decidingLine[kind] });
    for (const { span, star } of explained.pattern?.parts ?? []) {
      const at = from + explained.column;
      add(found, doc, at + span[0], at + span[1], star ? "v-star" : "v-literal");
    }
  }
  if (explained?.start && explained.start.line <= doc.lines) {
    const { from } = doc.line(explained.start.line);
    found.push({ from, to: from, value: startLine });
  }
  return Decoration.set(
    found.map(({ from, to, value }) => value.range(from, to)),
    true,
  );
}

type Found = { from: number; to: number; value: Decoration }[];

function addMark(found: Found, doc: Text, mark: LineMark): void {
  if (mark.line > doc.lines) return;
  const { from } = doc.line(mark.line);
  const part = (span: Span | null, name: string) => {
    if (span) add(found, doc, from + span[0], from + span[1], name);
  };
  const key = mark.allow === null ? mark.kind : mark.allow ? "allow" : "disallow";
  part(mark.key, `v-key v-key-${key}`);
  part(mark.value, `v-value v-value-${mark.kind}`);
  part(mark.comment, "v-comment");
}

function add(found: Found, doc: Text, from: number, to: number, name: string): void {
  if (from < to && to <= doc.length) found.push({ from, to, value: style(name) });
}

// What groups bind

class GroupMarker extends GutterMarker {
  constructor(
    private readonly number: number,
    private readonly part: "start" | "rule" | "between",
    private readonly title: string,
  ) {
    super();
  }

  override eq(other: GroupMarker): boolean {
    return this.number === other.number && this.part === other.part && this.title === other.title;
  }

  override toDOM(): Node {
    const bar = document.createElement("span");
    bar.className = `v-bar v-bar-${this.number % 6} v-bar-${this.part}`;
    bar.title = this.title;
    return bar;
  }
}

function placesOf(groups: readonly Group[]): ReadonlyMap<number, GroupPlace> {
  const places = new Map<number, GroupPlace>();
  groups.forEach((group, number) => {
    const title = `binds ${listed(group.tokens)}`;
    const starts = new Set(group.startLines);
    const rules = new Set(group.ruleLines);
    const first = group.startLines[0] ?? 1;
    const last = Math.max(group.startLines.at(-1) ?? first, group.ruleLines.at(-1) ?? first);
    for (let line = first; line <= last; line++) {
      const part = starts.has(line) ? "start" : rules.has(line) ? "rule" : "between";
      places.set(line, { marker: new GroupMarker(number, part, title) });
    }
  });
  return places;
}

const MOST_LISTED = 8;

function listed(tokens: readonly string[]): string {
  const rest = tokens.length - MOST_LISTED;
  return tokens.slice(0, MOST_LISTED).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

export const groupGutter = gutter({
  class: "v-groups",
  lineMarker(view, line) {
    const number = view.state.doc.lineAt(line.from).number;
    return view.state.field(shownMarks).groups.get(number)?.marker ?? null;
  },
  lineMarkerChange: (update) =>
    update.startState.field(shownMarks).groups !== update.state.field(shownMarks).groups,
});

// Remarks behind lines

class Remark extends WidgetType {
  constructor(
    private readonly text: string,
    private readonly tone: string,
  ) {
    super();
  }

  override eq(other: Remark): boolean {
    return this.text === other.text && this.tone === other.tone;
  }

  override toDOM(): HTMLElement {
    const remark = document.createElement("span");
    remark.className = `v-remark v-remark-${this.tone}`;
    remark.textContent = this.text;
    remark.ariaHidden = "true";
    return remark;
  }

  override ignoreEvent(): boolean {
    return true;
  }
}

function remarksOf(doc: Text, studied: Studied): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const remarks = new Map<number, Remark>();
  for (const { line, text } of studied.bound) remarks.set(line, new Remark(text, "bound"));
  for (const effect of studied.effects) {
    remarks.set(effect.line, new Remark(wordsFor(effect), "effect"));
  }
  for (const [line, widget] of [...remarks].sort(([one], [other]) => one - other)) {
    if (line > doc.lines) continue;
    const { to } = doc.line(line);
    builder.add(to, to, Decoration.widget({ widget, side: 1 }));
  }
  return builder.finish();
}

function wordsFor({ effect, by }: Effect): string {
  const lines = by.length > 0 ? `: line ${by.join(", ")} outranks it` : "";
  if (effect === "shadowed") return `never decides${lines}`;
  if (effect === "matches-nothing") return "matches no URL";
  return "changes no answer";
}
