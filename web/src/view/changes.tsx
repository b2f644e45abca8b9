/** Changes: what the file opens and closes against an earlier version, with a URL that proves it. */

import type { Change, Changed, RecordChange, SaidOtherwise, Studied } from "../core";
import type { Page } from "../page";
import { counted } from "../words";
import { Button, Empty, Icon, LineLink, Literal } from "./bits";

const MOST_NAMES = 8;
const MOST_PARTS = 3;

export function Changes({ page }: { page: Page }) {
  const { studied, studying, differences } = page.shown;
  const { before } = page.asked;
  return (
    <div class={`changes ${studying ? "stale" : ""}`}>
      <div class="tools">
        <label class="tick">
          <input
            type="checkbox"
            checked={differences}
            onChange={({ currentTarget }) => page.showDifferences(currentTarget.checked)}
          />
          Old lines in the editor
        </label>
        <Button label="Compare from here on" onClick={() => page.setBefore(page.text)} />
        <Button label="Other version…" onClick={() => page.store.set({ dialog: "before" })} />
      </div>
      {!studied || (studying && studied.changed.length === 0) ? (
        <Empty>Comparing all URLs, for all crawlers…</Empty>
      ) : (
        <>
          <p class="summary" aria-live="polite">
            {summary(before === page.text, studied)}
          </p>
          {studied.changed.map((each) => (
            <ForCrawlers key={each.tokens[0]} changed={each} page={page} />
          ))}
          <OtherRecords studied={studied} page={page} />
        </>
      )}
    </div>
  );
}

function summary(isSame: boolean, studied: Studied) {
  const { changed, changedCount, comparedCount, valueCount, recordCount } = studied;
  if (isSame) {
    return "Nothing has changed since the file was opened. Edit a line, and see here which URLs it opens or closes, and for whom.";
  }
  if (changed.length === 0) {
    return valueCount + recordCount > 0
      ? "No answer changes, but other records do."
      : "No answer changes: other lines decide the same, or only layout and comments differ.";
  }
  return (
    <>
      <strong>Answers change for {counted(changedCount, "crawler")}</strong> of{" "}
      {comparedCount.toLocaleString("en")}. All URLs were compared.
    </>
  );
}

function ForCrawlers({ changed, page }: { changed: Changed; page: Page }) {
  const rest = changed.changeCount - changed.changes.length;
  const isShown = (token: string) => page.asked.agents.includes(token);
  const agent = changed.tokens.find(isShown) ?? changed.tokens[0] ?? "*";
  return (
    <section class="changed">
      <h3>
        <Literal text={namesOf(changed.tokens)} />
      </h3>
      <ul>
        {changed.changes.map((change) => (
          <OneChange change={change} page={page} agent={agent} />
        ))}
      </ul>
      {rest > 0 && <p class="below">and {counted(rest, "more region")}</p>}
      {!changed.complete && (
        <p class="below">These are not all: finding the others takes too many steps.</p>
      )}
    </section>
  );
}

function namesOf(tokens: readonly string[]): string {
  const names = tokens.filter((token) => token !== "*");
  if (names.length < tokens.length) {
    const some =
      names.length > 0 ? `, ${names.length.toLocaleString("en")} known ones among them` : "";
    return `Every crawler that no group names${some}`;
  }
  const rest = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(", ") + (rest > 0 ? ` and ${rest.toLocaleString("en")} more` : "");
}

function OneChange({ change, page, agent }: { change: Change; page: Page; agent: string }) {
  const { opens, region, witness, requested, oldLine, newLine } = change;
  const show = () => {
    page.addAgents(agent);
    page.addUrls(witness);
    page.show("crawlers");
  };
  return (
    <li class={opens ? "allowed" : "disallowed"}>
      <span class={`answered ${opens ? "allowed" : "disallowed"}`}>
        <Icon name={opens ? "allowed" : "disallowed"} />
        {opens ? "opened" : "closed"}
      </span>
      <div>
        <code class="region">
          <Literal text={region} />
        </code>
        <Except change={change} />
        <p class="below">
          for example{" "}
          <button type="button" class="line-link" onClick={show} title="Add it to the table">
            <code>
              <Literal text={witness} />
            </code>
          </button>
          {requested ? "" : " (no client requests it)"}
          {": "}
          {oldLine === null ? "no rule" : `line ${oldLine}`} before,{" "}
          {newLine === null ? (
            "no rule"
          ) : (
            <LineLink line={newLine} go={(line) => page.goTo(line)} />
          )}{" "}
          now
        </p>
      </div>
    </li>
  );
}

/** Where a region did not change. */
function Except({ change: { except, exceptAll } }: { change: Change }) {
  if (except.length === 0) return exceptAll ? null : <> (perhaps not all of it)</>;
  const shown = except.slice(0, MOST_PARTS);
  const rest = except.length - shown.length;
  return (
    <>
      {exceptAll ? " except " : " except at least "}
      {shown.map((part, at) => (
        <>
          {at > 0 && (rest === 0 && at === shown.length - 1 ? " and " : ", ")}
          <code>
            <Literal text={part} />
          </code>
        </>
      ))}
      {rest > 0 && ` and ${rest.toLocaleString("en")} more`}
    </>
  );
}

/** Records that are no rules: what they say to crawlers, and those of the whole file. */
function OtherRecords({ studied, page }: { studied: Studied; page: Page }) {
  const { values, valueCount, records, recordCount } = studied;
  if (valueCount + recordCount === 0) return null;
  const rest = valueCount + recordCount - values.length - records.length;
  return (
    <section class="changed">
      <h3>Other records</h3>
      <ul>
        {values.map((value) => (
          <OneValue value={value} />
        ))}
        {records.map((record) => (
          <OneRecord record={record} page={page} />
        ))}
      </ul>
      {rest > 0 && <p class="below">and {rest.toLocaleString("en")} more</p>}
    </section>
  );
}

function OneValue({ value }: { value: SaidOtherwise }) {
  const { field, before, after, tokens } = value;
  return (
    <li>
      <span class="answered">
        {before === null ? "added" : after === null ? "removed" : "changed"}
      </span>
      <div>
        <code class="region">
          {field}: <Literal text={after ?? before ?? ""} />
        </code>
        {before !== null && after !== null && (
          <>
            {" "}
            in place of{" "}
            <code>
              <Literal text={before} />
            </code>
          </>
        )}
        <p class="below">
          <Literal text={namesOf(tokens)} />
        </p>
      </div>
    </li>
  );
}

function OneRecord({ record, page }: { record: RecordChange; page: Page }) {
  const { key, value, added, line } = record;
  return (
    <li>
      <span class="answered">{added ? "added" : "removed"}</span>
      <div>
        <code class="region">
          <Literal text={`${key}: ${value}`} />
        </code>
        <p class="below">
          {added ? (
            <LineLink line={line} go={(line) => page.goTo(line)} />
          ) : (
            `line ${line} before`
          )}
          , for every crawler
        </p>
      </div>
    </li>
  );
}
