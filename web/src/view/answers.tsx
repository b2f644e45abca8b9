/** The answers: URLs by crawlers, by dialects, and against an earlier version. */

import { useRef } from "preact/hooks";

import type { Row } from "../core";
import type { Page } from "../page";
import type { View } from "../state";
import { counted } from "../words";
import { Button, Empty, Icon, Literal } from "./bits";
import { Changes } from "./changes";
import { Explanation } from "./explain";
import { Grid } from "./grid";

const VIEWS: { view: View; title: string }[] = [
  { view: "crawlers", title: "Crawlers" },
  { view: "dialects", title: "Dialects" },
  { view: "changes", title: "Changes" },
];

export function AnswersPane({ page }: { page: Page }) {
  const { view, studied } = page.shown;
  const changes = studied?.changedCount ?? 0;
  return (
    <>
      <div class="pane-head">
        <h2 class="unseen">Answers</h2>
        <Tabs
          label="Answers"
          prefix="view"
          tabs={VIEWS.map((each) => ({
            id: each.view,
            title: each.title,
            badge: each.view === "changes" && changes > 0 ? changes : null,
          }))}
          selected={view}
          select={(id) => page.show(id as View)}
        />
      </div>
      <div class="view" role="tabpanel" id="view-panel" aria-labelledby={`view-${view}`}>
        {view === "crawlers" && <Crawlers page={page} />}
        {view === "dialects" && <ByDialects page={page} />}
        {view === "changes" && <Changes page={page} />}
      </div>
    </>
  );
}

interface TabsProps {
  label: string;
  prefix: string;
  tabs: { id: string; title: string; badge: number | null }[];
  selected: string;
  select: (id: string) => void;
}

export function Tabs({ label, prefix, tabs, selected, select }: TabsProps) {
  const list = useRef<HTMLDivElement>(null);
  const keyed = (event: KeyboardEvent) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    const at = tabs.findIndex(({ id }) => id === selected);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    event.preventDefault();
    select(next.id);
    list.current?.querySelector<HTMLElement>(`#${prefix}-${next.id}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label={label} ref={list} onKeyDown={keyed}>
      {tabs.map(({ id, title, badge }) => (
        <button
          type="button"
          role="tab"
          id={`${prefix}-${id}`}
          aria-selected={id === selected}
          aria-controls={`${prefix}-panel`}
          tabIndex={id === selected ? 0 : -1}
          onClick={() => select(id)}
        >
          {title}
          {badge !== null && (
            <span class="badge">
              {badge.toLocaleString("en")}
              <span class="unseen">
                {badge === 1 ? " crawler" : " crawlers"} with other answers
              </span>
            </span>
          )}
        </button>
      ))}
    </div>
  );
}

function Crawlers({ page }: { page: Page }) {
  const { urls, agents } = page.asked;
  const { answer, studied, selected, known } = page.shown;
  const operators = new Map(
    known?.crawlers.map(({ token, operator }) => [token.toLowerCase(), operator]),
  );
  const columns = agents.map((agent, column) => ({
    title: agent,
    ...below(agent, operators),
    hint: hintFor(agent, studied?.totals[column], urls.length),
    remove: () => page.removeAgent(column),
  }));
  return (
    <>
      <Ask page={page} />
      {urls.length === 0 || agents.length === 0 ? (
        <Empty>
          Add a URL and a crawler, and see here whether it may fetch it, and which line says so.
        </Empty>
      ) : (
        <Grid
          label="Which crawler may fetch which URL"
          first="URL"
          columns={columns}
          urls={urls}
          rows={answer?.rows ?? []}
          from={answer?.from ?? 0}
          selected={selected}
          select={(to) => page.select(to)}
          see={(rows) => page.see(rows)}
          remove={(row) => page.removeUrl(row)}
        />
      )}
      <Legend />
      <Explanation page={page} />
    </>
  );
}

function Legend() {
  return (
    <p class="legend">
      <Icon name="allowed" /> allowed <Icon name="disallowed" /> disallowed{" "}
      <Icon name="invalid" /> not answered; the number is the line that decides
    </p>
  );
}

function below(agent: string, operators: Map<string, string | null>): { below?: string } {
  if (agent === "*") return { below: "others" };
  const operator = operators.get(agent.toLowerCase());
  return operator ? { below: operator } : {};
}

function hintFor(agent: string, total: number | undefined, of: number): string {
  return total === undefined ? agent : `${agent} may fetch ${total.toLocaleString("en")} of ${counted(of, "URL")}`;
}

const LONG_LINE = 20_000;

/** Two fields that add a crawler and URLs; a list of URLs may be pasted. */
function Ask({ page }: { page: Page }) {
  const { known } = page.shown;
  const typed = () => page.forgetNotice("asked");
  return (
    <div class="tools">
      <Field
        label="Add a crawler"
        list="known-crawlers"
        add={(text) => page.addAgents(text)}
        typed={typed}
      />
      <datalist id="known-crawlers">
        <option value="*">crawlers that no group names</option>
        {known?.crawlers.map(({ token, operator, purposes }) => (
          <option value={token}>{[operator, ...purposes].filter(Boolean).join(", ")}</option>
        ))}
      </datalist>
      <Field label="Add URLs" add={(text) => page.addUrls(text)} typed={typed} />
      <Button label="Edit list" onClick={() => page.store.set({ dialog: "urls" })} />
    </div>
  );
}

interface FieldProps {
  label: string;
  list?: string;
  add: (text: string) => void;
  typed: () => void;
}

function Field(props: FieldProps) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const input = (event.currentTarget as HTMLFormElement).elements.namedItem("added");
    if (!(input instanceof HTMLInputElement) || input.value.trim() === "") return;
    props.add(input.value);
    input.value = "";
  };
  // A field of one line would join the lines of a list, and takes long for a line of 100,000 words.
  const pasted = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!/[\r\n]/.test(text.trim()) && text.length < LONG_LINE) return;
    event.preventDefault();
    props.add(text);
  };
  return (
    <form class="field" onSubmit={submit}>
      <input
        name="added"
        aria-label={props.label}
        placeholder={`${props.label}…`}
        list={props.list}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        onPaste={pasted}
        onInput={props.typed}
      />
      <button type="submit" class="button small">
        Add
      </button>
    </form>
  );
}

function ByDialects({ page }: { page: Page }) {
  const { urls, dialect } = page.asked;
  const { dialects, selected, inDialect, known } = page.shown;
  if (!dialects || !known) return <Empty>Asking all dialects…</Empty>;
  const titles = new Map(known.dialects.map(({ name, title }) => [name, title]));
  const columns = dialects.names.map((name) => ({ title: name, hint: titles.get(name) ?? name }));
  const column = dialects.names.indexOf(inDialect ?? dialect);
  const differing = dialects.rows.filter((row) => differs(row)).length;
  return (
    <>
      <p class="summary">
        <Literal text={page.agent()} />: {summaryOf(differing, dialects.rows.length)}
      </p>
      <Grid
        label={`${page.agent()} in each dialect`}
        first="URL"
        columns={columns}
        urls={urls}
        rows={dialects.rows}
        from={dialects.from}
        selected={{ row: selected.row, column }}
        upright
        marked={(row) => (differs(row) ? "differs" : null)}
        select={({ row, column }) => page.selectDialect(row, dialects.names[column] ?? dialect)}
        see={(rows) => page.see(rows)}
        remove={(row) => page.removeUrl(row)}
      />
      <Explanation page={page} />
    </>
  );
}

function differs(row: Row): boolean {
  return new Set(row.cells.map(({ verdict }) => verdict)).size > 1;
}

function summaryOf(differing: number, of: number): string {
  if (differing === 0) return `all dialects agree about ${counted(of, "URL")}.`;
  return `the dialects disagree about ${differing.toLocaleString("en")} of ${counted(of, "URL")}.`;
}
