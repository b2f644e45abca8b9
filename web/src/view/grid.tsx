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
  const { columns, urls, rows, from } = props;
  const { scroller, look, keyed } = useMoves(props);
  const origin = commonOrigin(urls);
  const above = Math.min(from, urls.length) * ROW;
  const below = Math.max(0, urls.length - from - rows.length) * ROW;
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
        <Headings first={props.first} origin={origin} columns={columns} />
        <tbody>
          {above > 0 && <Spacer height={above} width={columns.length + 1} />}
          {answerRows(props, origin)}
          {below > 0 && <Spacer height={below} width={columns.length + 1} />}
        </tbody>
      </table>
      {props.children}
    </div>
  );
}

/** What moves through the table: its scroller, the rows in view, and the keys. */
function useMoves({ columns, urls, selected, select, see }: Props) {
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

  const move = ({ row, column }: Selected) => {
    isMoved.current = true;
    const box = scroller.current;
    if (box && Math.abs(row * ROW - box.scrollTop) > box.clientHeight) box.scrollTop = row * ROW;
    select({ row, column });
  };

  const keyed = (event: KeyboardEvent) => {
    if ((event.target as HTMLElement).closest("button")) return;
    const way = wayOf(event, selected, { row: urls.length - 1, column: columns.length - 1 });
    if (!way) return;
    event.preventDefault();
    move(way);
  };

  return { scroller, look, keyed };
}

const PAGE = 10;

/** The cell to which a key moves; null for other keys. */
function wayOf(event: KeyboardEvent, { row, column }: Selected, last: Selected): Selected | null {
  const ways: Record<string, [number, number]> = {
    ArrowUp: [row - 1, column],
    ArrowDown: [row + 1, column],
    ArrowLeft: [row, column - 1],
    ArrowRight: [row, column + 1],
    PageUp: [row - PAGE, column],
    PageDown: [row + PAGE, column],
    Home: event.ctrlKey ? [0, 0] : [row, 0],
    End: event.ctrlKey ? [last.row, last.column] : [row, last.column],
  };
  const way = ways[event.key];
  if (!way) return null;
  const within = (place: number, most: number) => Math.max(0, Math.min(place, most));
  return { row: within(way[0], last.row), column: within(way[1], last.column) };
}

/** The rows in view. */
function answerRows({ rows, from, selected, select, remove, marked }: Props, origin: string) {
  return rows.map((row, at) => (
    <AnswerRow
      key={from + at}
      row={row}
      number={from + at}
      origin={origin}
      mark={marked?.(row) ?? null}
      selected={from + at === selected.row ? selected.column : null}
      select={select}
      remove={remove}
    />
  ));
}

interface HeadingsProps {
  first: string;
  /** What all URLs begin with. */
  origin: string;
  columns: readonly Column[];
}

function Headings({ first, origin, columns }: HeadingsProps) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col" class="corner">
          {first}
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
