/**
 * A table of answers of which only the rows in view are there, moved through by the arrow keys.
 *
 * One cell is selected, and it is the one that the Tab key reaches.
 */

import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

import type { Row } from "../core";
import type { Selected } from "../state";
import { spelled } from "../special";
import { Answered, Button, Literal } from "./bits";
import { memo } from "./memo";

export interface Column {
  title: string;
  below?: string;
  hint?: string;
  remove?: () => void;
}

interface Props {
  label: string;
  first: string;
  columns: readonly Column[];
  urls: readonly string[];
  /** The answers for the rows from `from` on. */
  rows: readonly Row[];
  from: number;
  selected: Selected;
  upright?: boolean;
  marked?: (row: Row) => string | null;
  select: (selected: Selected) => void;
  see: (rows: { from: number; to: number }) => void;
  remove: (row: number) => void;
  children?: ComponentChildren;
}

const ROW = 32;
const AROUND = 20;

export function Grid(props: Props) {
  const { columns, urls, rows, from, selected, select, see } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const isMoved = useRef(false);

  const look = () => {
    const box = scroller.current;
    if (!box) return;
    const first = Math.floor(box.scrollTop / ROW / AROUND) * AROUND - AROUND;
    const count = Math.ceil(box.clientHeight / ROW / AROUND) * AROUND + 3 * AROUND;
    see({ from: Math.max(0, first), to: Math.max(0, first) + count });
  };
  useEffect(look, []);

  useLayoutEffect(() => {
    if (!isMoved.current) return;
    const cell = scroller.current?.querySelector<HTMLElement>('[tabindex="0"]');
    if (!cell) return;
    isMoved.current = false;
    cell.focus({ preventScroll: true });
    cell.scrollIntoView({ block: "nearest", inline: "nearest" });
  });

  // An answer may come later than its column.
  useLayoutEffect(() => {
    const heading = scroller.current?.querySelectorAll("thead th")[selected.column + 1];
    heading?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [selected.column, columns.length]);

  const move = (row: number, column: number) => {
    isMoved.current = true;
    const to = {
      row: Math.max(0, Math.min(row, urls.length - 1)),
      column: Math.max(0, Math.min(column, columns.length - 1)),
    };
    const box = scroller.current;
    if (box && Math.abs(to.row * ROW - box.scrollTop) > box.clientHeight) {
      box.scrollTop = to.row * ROW;
    }
    select(to);
  };

  const keyed = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).closest("button")) return;
    const { row, column } = selected;
    const page = 10;
    const ways: Record<string, [number, number]> = {
      ArrowUp: [row - 1, column],
      ArrowDown: [row + 1, column],
      ArrowLeft: [row, column - 1],
      ArrowRight: [row, column + 1],
      PageUp: [row - page, column],
      PageDown: [row + page, column],
      Home: event.ctrlKey ? [0, 0] : [row, 0],
      End: event.ctrlKey ? [urls.length - 1, columns.length - 1] : [row, columns.length - 1],
    };
    const way = ways[event.key];
    if (!way) return;
    event.preventDefault();
    move(...way);
  };

  const shown = rows;
  const origin = commonOrigin(urls);
  const above = Math.min(from, urls.length) * ROW;
  const below = Math.max(0, urls.length - from - shown.length) * ROW;
  return (
    <div class="grid" ref={scroller} onScroll={look}>
      <table
        role="grid"
        class={props.upright ? "upright" : ""}
        aria-label={props.label}
        aria-rowcount={urls.length + 1}
        aria-colcount={columns.length + 1}
        onKeyDown={keyed}
      >
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col" class="corner">
              {props.first}
              {origin && (
                <span class="below">
                  <Literal text={origin} />
                </span>
              )}
            </th>
            {columns.map((column) => (
              <Heading key={column.title} column={column} />
            ))}
          </tr>
        </thead>
        <tbody>
          {above > 0 && <Spacer height={above} width={columns.length + 1} />}
          {shown.map((row, at) => (
            <AnswerRow
              key={from + at}
              row={row}
              number={from + at}
              origin={origin}
              mark={props.marked?.(row) ?? null}
              selected={from + at === selected.row ? selected.column : null}
              select={select}
              remove={props.remove}
            />
          ))}
          {below > 0 && <Spacer height={below} width={columns.length + 1} />}
        </tbody>
      </table>
      {props.children}
    </div>
  );
}

const LOOKED_AT = 200;

/** The scheme and host that a URL begins with, if any. */
function originOf(url: string): string {
  return /^https?:\/\/[^/?#\s]+(?=\/)/i.exec(url)?.[0] ?? "";
}

/** What all URLs begin with that are no paths, so that paths have the room; empty if they differ. */
function commonOrigin(urls: readonly string[]): string {
  const whole = urls.slice(0, LOOKED_AT).filter((url) => !url.startsWith("/"));
  const origin = originOf(whole[0] ?? "");
  return whole.every((url) => originOf(url) === origin) ? origin : "";
}

function Heading({ column }: { column: Column }) {
  return (
    <th scope="col" title={spelled(column.hint ?? column.title)}>
      <span class="title">
        <Literal text={column.title} />
      </span>
      {column.below && <span class="below">{column.below}</span>}
      {column.remove && (
        <Button
          icon="close"
          label={`Remove ${spelled(column.title)}`}
          quiet
          kind="remove"
          onClick={column.remove}
        />
      )}
    </th>
  );
}

interface RowProps {
  row: Row;
  number: number;
  /** What all URLs begin with. */
  origin: string;
  mark: string | null;
  /** The selected column, if this is the selected row. */
  selected: number | null;
  select: (selected: Selected) => void;
  remove: (row: number) => void;
}

/** A row, drawn again only if it changes: most keystrokes change the answers of few. */
const AnswerRow = memo(function AnswerRow(props: RowProps) {
  const { row, number, selected, select, mark, origin } = props;
  const own = originOf(row.url);
  return (
    <tr aria-rowindex={number + 2} class={selected === null ? "" : "selected"}>
      <th scope="row" title={spelled(row.url)}>
        <span class="url">
          {own && own !== origin && (
            <span class="origin">
              <Literal text={own.replace(/^https?:../i, "")} />
            </span>
          )}
          <span class="path">
            <Literal text={row.url.slice(own.length)} />
          </span>
        </span>
        {mark && <span class="mark">{mark}</span>}
        <Button
          icon="close"
          label={`Remove ${spelled(row.url)}`}
          quiet
          kind="remove"
          onClick={() => props.remove(number)}
        />
      </th>
      {row.cells.map((cell, column) => {
        const isCell = column === selected;
        return (
          <td
            key={column}
            role="gridcell"
            tabIndex={isCell ? 0 : -1}
            aria-selected={isCell}
            title={cell.reason}
            onClick={() => select({ row: number, column })}
          >
            <Answered cell={cell} />
          </td>
        );
      })}
    </tr>
  );
});

function Spacer({ height, width }: { height: number; width: number }) {
  return (
    <tr aria-hidden="true">
      <td colSpan={width} class="spacer" style={{ height: `${height}px` }} />
    </tr>
  );
}
