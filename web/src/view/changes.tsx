/** Changes: what the file opens and closes against an earlier version, with a URL that proves it. */

import type { Change, Changed, Known } from "../core";
import type { Page } from "../page";
import { Button, Empty, Icon, LineLink, counted } from "./bits";

const MOST_NAMES = 8;
const MOST_CHANGES = 50;

export function Changes({ page }: { page: Page }) {
  const { studied, studying, differences, known } = page.shown;
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
            {summary(
              before === page.text,
              studied.changed,
              studied.changedCount,
              studied.comparedCount,
            )}
          </p>
          {studied.changed.map((each) => (
            <ForCrawlers key={each.tokens[0]} changed={each} page={page} known={known} />
          ))}
        </>
      )}
    </div>
  );
}

function summary(isSame: boolean, changed: Changed[], count: number, of: number) {
  if (isSame) {
    return "Nothing has changed since the file was opened. Edit a line, and see here which URLs it opens or closes, and for whom.";
  }
  if (changed.length === 0)
    return "No answer changes: other lines decide the same, or only layout and comments differ.";
  return (
    <>
      <strong>Answers change for {counted(count, "crawler")}</strong> of {of.toLocaleString("en")}.
      All URLs were compared.
    </>
  );
}

function ForCrawlers(props: { changed: Changed; page: Page; known: Known | null }) {
  const { changed, page } = props;
  const shown = changed.changes.slice(0, MOST_CHANGES);
  const rest = changed.changes.length - shown.length;
  const isShown = (token: string) => page.asked.agents.includes(token);
  const agent = changed.tokens.find(isShown) ?? changed.tokens[0] ?? "*";
  return (
    <section class="changed">
      <h3>{namesOf(changed)}</h3>
      <ul>
        {shown.map((change) => (
          <OneChange change={change} page={page} agent={agent} />
        ))}
      </ul>
      {rest > 0 && <p class="below">and {rest} more regions</p>}
      {!changed.complete && (
        <p class="below">These are not all: finding the others takes too many steps.</p>
      )}
    </section>
  );
}

function namesOf({ tokens, others }: Changed): string {
  const names = tokens.filter((token) => token !== "*");
  if (others) {
    const some =
      names.length > 0 ? `, ${names.length.toLocaleString("en")} known ones among them` : "";
    return `Every crawler that no group names${some}`;
  }
  const rest = names.length - MOST_NAMES;
  return names.slice(0, MOST_NAMES).join(", ") + (rest > 0 ? ` and ${rest} more` : "");
}

function OneChange({ change, page, agent }: { change: Change; page: Page; agent: string }) {
  const { opens, region, witness, oldLine, newLine } = change;
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
        <code class="region">{region}</code>
        <p class="below">
          for example{" "}
          <button type="button" class="line-link" onClick={show} title="Add it to the table">
            <code>{witness}</code>
          </button>
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
