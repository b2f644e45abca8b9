/**
 * The editor: its state holds the file and what is asked about it, with one history for both.
 *
 * It parses nothing: colours, underlines, findings and groups come from the core with each answer.
 */

import {
  defaultKeymap,
  history,
  historyKeymap,
  invertedEffects,
  isolateHistory,
} from "@codemirror/commands";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { unifiedMergeView } from "@codemirror/merge";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import {
  Compartment,
  EditorState,
  type Extension,
  StateEffect,
  StateField,
  Text,
} from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  type ViewUpdate,
  placeholder,
} from "@codemirror/view";

import { beginsWithAddress } from "./address";
import type { Answer, Studied } from "./core";
import { EXAMPLE, askedOf } from "./example";
import { marksOf, groupGutter, showAnswer, showStudy, shownMarks } from "./marks";
import { SIGN, SPECIAL, nameOf } from "./special";
import { type Asked, type Named, UNNAMED } from "./state";
import { theme } from "./theme";

/** Differences of longer texts are shown by the answers alone. */
export const MOST_COMPARED = 1_000_000;

/** Lines that are longer are not wrapped: measuring them takes too long. */
const LONG_LINE = 20_000;

export const changeAsked = StateEffect.define<Asked>();

export const asked = StateField.define<Asked>({
  create: () => ({ urls: [], agents: [], dialect: "rfc9309", before: "" }),
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(changeAsked)) return effect.value;
    return value;
  },
});

const changeNamed = StateEffect.define<Named>();

export const named = StateField.define<Named>({
  create: () => UNNAMED,
  update(value, transaction) {
    for (const effect of transaction.effects) if (effect.is(changeNamed)) return effect.value;
    return value;
  },
});

/** What undoes a change of what is asked, or of the file's name: the value before it. */
const undoesEffects = invertedEffects.of(({ effects, startState }) =>
  effects.flatMap((effect): StateEffect<unknown>[] => {
    if (effect.is(changeAsked)) return [changeAsked.of(startState.field(asked))];
    return effect.is(changeNamed) ? [changeNamed.of(startState.field(named))] : [];
  }),
);

/** A file that is pasted over the whole example, or over an address, is opened: it is no version of
 * these. */
const opensPasted = EditorState.transactionExtender.of((transaction) => {
  const { startState, newDoc } = transaction;
  const { from, to } = startState.selection.main;
  const isWhole = from === 0 && to === startState.doc.length;
  const before = startState.field(asked);
  if (!isWhole || !transaction.isUserEvent("input.paste")) return null;
  if (before.before !== EXAMPLE && !beginsWithAddress(before.before)) return null;
  return { effects: changeAsked.of(askedOf(newDoc.toString(), before)) };
});

const differences = new Compartment();
const wrapping = new Compartment();

export interface Changed {
  text: boolean;
  asked: boolean;
  /** Whether it is another file: opened, or pasted over the whole text. */
  file: boolean;
  viewport: boolean;
}

export function makeEditor(
  parent: HTMLElement,
  text: string,
  first: { asked: Asked; named: Named },
  changed: (change: Changed) => void,
): EditorView {
  // In a shadow root, styles are sheets that a strict policy admits; elements of style it refuses.
  const root = parent.attachShadow({ mode: "open" });
  const view = new EditorView({
    root,
    parent: root,
    state: EditorState.create({
      doc: text,
      extensions: [
        asked.init(() => first.asked),
        named.init(() => first.named),
        undoesEffects,
        opensPasted,
        history({ newGroupDelay: 600 }),
        extensions,
        EditorView.updateListener.of((update) => {
          const change = {
            text: update.docChanged,
            asked: update.startState.field(asked) !== update.state.field(asked),
            file: isOther(update),
            viewport: update.viewportChanged,
          };
          if (Object.values(change).some(Boolean)) changed(change);
        }),
      ],
    }),
  });
  return view;
}

function isOther({ startState, state, changes }: ViewUpdate): boolean {
  let isWhole = startState.field(named) !== state.field(named);
  changes.iterChangedRanges((from, to) => (isWhole ||= from === 0 && to === startState.doc.length && to > 0));
  return isWhole;
}

const specialChars = highlightSpecialChars({ specialChars: SPECIAL, render: signFor });

/** The same sign as beside the editor. */
function signFor(code: number): HTMLElement {
  const sign = document.createElement("span");
  sign.className = "cm-specialChar";
  sign.textContent = SIGN;
  sign.role = "img";
  sign.title = sign.ariaLabel = nameOf(code);
  return sign;
}

/** An editor for a list or another text, however long: a field of the browser takes seconds for it. */
export function makePlainEditor(parent: HTMLElement, text: string, label: string): EditorView {
  const root = parent.attachShadow({ mode: "open" });
  const extensions = [
    history(),
    drawSelection(),
    specialChars,
    keymap.of([...historyKeymap, ...defaultKeymap]),
    EditorView.contentAttributes.of({ ...ATTRIBUTES, "aria-label": label }),
    theme,
  ];
  return new EditorView({ root, parent: root, state: EditorState.create({ doc: text, extensions }) });
}

const ATTRIBUTES = { spellcheck: "false", autocapitalize: "off", tabindex: "0" };

const extensions: Extension = [
  lineNumbers(),
  groupGutter,
  lintGutter(),
  specialChars,
  drawSelection(),
  highlightActiveLine(),
  highlightSelectionMatches(),
  search({ top: true }),
  shownMarks,
  differences.of([]),
  wrapping.of(EditorView.lineWrapping),
  placeholder("Paste a robots.txt file here, drop one, or open one."),
  keymap.of([...lintKeymap, ...searchKeymap, ...historyKeymap, ...defaultKeymap]),
  EditorView.contentAttributes.of({ ...ATTRIBUTES, "aria-label": "robots.txt file" }),
  theme,
];

/** Shows what the core read in the text that the editor still has. */
export function showIn(view: EditorView, answer: Answer): void {
  const { doc } = view.state;
  const diagnostics: Diagnostic[] = answer.findings
    .filter(({ line }) => line <= doc.lines)
    .map(({ line, code, message, severity }) => {
      const { from, to } = doc.line(Math.max(1, line));
      return { from, to, severity: severity === "note" ? "info" : severity, message, source: code };
    });
  view.dispatch(setDiagnostics(view.state, diagnostics), {
    effects: showAnswer.of({ answer, decorations: marksOf(doc, answer) }),
  });
}

export function showStudyIn(view: EditorView, studied: Studied): void {
  view.dispatch({ effects: showStudy.of(studied) });
}

/** Shows the lines that differ from another version, with a button that takes each back. */
export function compareIn(view: EditorView, before: string | null): void {
  const shown =
    before === null
      ? []
      : unifiedMergeView({
          original: Text.of(before.split(/\r\n?|\n/)),
          mergeControls: false,
          highlightChanges: true,
          gutter: false,
          diffConfig: { scanLimit: 500, timeout: 200 },
        });
  view.dispatch({ effects: differences.reconfigure(shown) });
}

/** Replaces the whole text, so that undo brings the old one back. */
export function replaceText(
  view: EditorView,
  text: string,
  change: Partial<Asked>,
  name: Named,
): void {
  const isLong = text.split(/[\r\n]/).some((line) => line.length > LONG_LINE);
  view.dispatch({
    changes: { from: 0, to: view.state.doc.length, insert: text },
    effects: [
      changeAsked.of({ ...view.state.field(asked), ...change }),
      changeNamed.of(name),
      wrapping.reconfigure(isLong ? [] : EditorView.lineWrapping),
    ],
    annotations: isolateHistory.of("full"),
    selection: { anchor: 0 },
    scrollIntoView: true,
  });
}

export function change(view: EditorView, change: Partial<Asked>): void {
  view.dispatch({
    effects: changeAsked.of({ ...view.state.field(asked), ...change }),
    annotations: isolateHistory.of("full"),
  });
}

export function goToLine(view: EditorView, number: number, { focus }: { focus: boolean }): void {
  const { doc } = view.state;
  const line = doc.line(Math.min(Math.max(1, number), doc.lines));
  view.dispatch({
    ...(focus ? { selection: { anchor: line.from } } : {}),
    effects: EditorView.scrollIntoView(line.from, { y: "nearest", yMargin: 60 }),
  });
  if (focus) view.focus();
}

/** The lines in view, and some around them. */
export function linesInView(view: EditorView): [number, number] {
  const { from, to } = view.viewport;
  const { doc } = view.state;
  return [doc.lineAt(from).number, doc.lineAt(to).number];
}
