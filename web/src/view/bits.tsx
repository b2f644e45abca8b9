/** Small parts: icons, answers as a sign with a word, buttons that copy. */

import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

import type { Cell } from "../core";
import { SIGN, nameOf, piecesOf } from "../special";
import { verdictInWords } from "../words";

const PATHS = {
  allowed: "M3 8.5l3.2 3.2L13 5",
  disallowed: "M4 4l8 8M12 4l-8 8",
  silent: "M3.5 8h9",
  invalid: "M8 3.5v5.5M8 12v.5",
  undo: "M6 3L3 6l3 3M3 6h6a4 4 0 010 8H7",
  redo: "M10 3l3 3-3 3M13 6H7a4 4 0 000 8h2",
  open: "M2 13V4h4l1.5 2H14v7zM2 8h12",
  export: "M8 2v8M5 7l3 3 3-3M3 13h10",
  share: "M6.5 9.5l3-3M7 4.5l1-1a3 3 0 014.5 4.5l-1 1M9 11.5l-1 1A3 3 0 013.5 8l1-1",
  terminal: "M2 3h12v10H2zM4.5 6l2 2-2 2M8.5 10h3",
  sun: "M8 5a3 3 0 100 6 3 3 0 000-6zM8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13 9.5A5.5 5.5 0 016.5 3 5.5 5.5 0 1013 9.5z",
  half: "M8 2a6 6 0 100 12A6 6 0 008 2zM8 2v12M8 5h4.5M8 8h6M8 11h4.5",
  close: "M4 4l8 8M12 4l-8 8",
  plus: "M8 3v10M3 8h10",
  copy: "M5 5V2.5h8V11h-2.5M3 5h8v8.5H3z",
  chevron: "M6 4l4 4-4 4",
  error: "M5.5 2h5L14 5.5v5L10.5 14h-5L2 10.5v-5zM8 5v3.5M8 11v.3",
  warning: "M8 2.5L14.5 13.5h-13zM8 6.5v3.2M8 11.8v.2",
  note: "M8 2a6 6 0 100 12A6 6 0 008 2zM8 7.5V11M8 5v.2",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[name]} />
    </svg>
  );
}

/** An answer: a sign, a word for who does not see signs, and the line that decides. */
export function Answered({ cell, words = false }: { cell: Cell; words?: boolean }) {
  const line = cell.line === null ? "" : words ? ` by line ${cell.line}` : `${cell.line}`;
  return (
    <span class={`answered ${cell.verdict}`}>
      <Icon name={cell.verdict} />
      <span class={words ? "" : "unseen"}>{verdictInWords(cell.verdict)}</span>
      {!words && cell.line !== null && <span class="unseen"> by line </span>}
      {line && <span class="by">{line}</span>}
    </span>
  );
}

interface ButtonProps {
  icon?: IconName;
  label: string;
  /** Whether the label is only for who does not see the icon, and for phones. */
  quiet?: boolean;
  /** What a pointer is told; by default the label. */
  hint?: string;
  disabled?: boolean;
  kind?: string;
  onClick: () => void;
}

export function Button({ icon, label, quiet = false, hint = label, kind = "", ...rest }: ButtonProps) {
  return (
    <button type="button" class={`button ${kind}`} title={hint} {...rest}>
      {icon && <Icon name={icon} />}
      <span class={quiet ? "unseen" : "label"}>{label}</span>
    </button>
  );
}

export function Copy({ text, label = "Copy" }: { text: string; label?: string }) {
  const [said, say] = useState("");
  const copy = () => {
    copyText(text).then(
      () => say("Copied"),
      () => say("Select the text and copy it"),
    );
  };
  return (
    <>
      <Button icon="copy" label={label} onClick={copy} kind="small" />
      <span role="status" class="copied">
        {said}
      </span>
    </>
  );
}

/** From a folder, some browsers have no clipboard for pages. */
async function copyText(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

export function LineLink({ line, go }: { line: number; go: (line: number) => void }) {
  return (
    <button type="button" class="line-link" onClick={() => go(line)}>
      line {line}
    </button>
  );
}

/** A text of a stranger, in which every character is seen. */
export function Literal({ text }: { text: string }) {
  return (
    <>
      {piecesOf(text).map((piece) =>
        typeof piece === "string" ? (
          piece
        ) : (
          <span class="special" role="img" title={nameOf(piece)} aria-label={nameOf(piece)}>
            {SIGN}
          </span>
        ),
      )}
    </>
  );
}

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

const MOST_SHOWN = 200;

/** A text of a stranger, no longer than a few lines. */
export function clipped(text: string): string {
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
