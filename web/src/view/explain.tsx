/** Why: the lines that led to one answer, and the characters that matched. */

import { useEffect } from "preact/hooks";

import type { Explained, Marked, Standing } from "../core";
import type { Page } from "../page";
import { counted } from "../words";
import { Answered, LineLink, Literal, clipped } from "./bits";

const MOST_BEATEN = 5;
const MOST_NAMES = 6;

export function Explanation({ page }: { page: Page }) {
  const { answer, studied, studying } = page.shown;
  const explained = answer?.explained;
  useEffect(() => page.reveal(), [explained]);
  if (!explained) return null;
  const { cell } = explained;
  const go = (line: number) => page.goTo(line);
  return (
    <section class={`explanation ${cell.verdict}`} aria-label="Explanation">
      <p class="asked" aria-live="polite">
        <strong>
          <Literal text={clipped(nameOf(explained.agent))} />
        </strong>{" "}
        {SAYS[cell.verdict]}{" "}
        <code>
          <Literal text={clipped(explained.url)} />
        </code>
      </p>
      <Picture explained={explained} go={go} />
      <p class="because">{because(explained)}</p>
      <Beaten rules={explained.beaten} go={go} />
      {explained.follows && (
        <p>
          No group names <Literal text={explained.agent} />: it follows the groups of {explained.follows}, says its
          operator{explained.source ? ` (${explained.source})` : ""}.
        </p>
      )}
      {explained.unbound && <p class="remark">{explained.unbound}</p>}
      {explained.own && (
        <p class="remark">
          In its operator&rsquo;s own reading: <Answered cell={explained.own.cell} words />
          <span class="section"> ({explained.own.dialect})</span>
        </p>
      )}
      {studied && !studying && !explained.dialect && (
        <Others page={page} standings={studied.standings} />
      )}
    </section>
  );
}

type Go = (line: number) => void;

/** The lines that decided, and the URL, with what matched. */
function Picture({ explained, go }: { explained: Explained; go: Go }) {
  const { start, rule, pattern, target } = explained;
  return (
    <div class="picture">
      {start && (
        <Source line={start.line} go={go}>
          <Literal text={start.text} />
        </Source>
      )}
      {rule && (
        <Source line={rule.line} go={go}>
          {rule.allow ? "Allow: " : "Disallow: "}
          <Parts marked={pattern ?? { text: rule.pattern, parts: [] }} />
        </Source>
      )}
      {rule && (
        <div class="source">
          <span class="of">URL</span>
          <code>
            <Parts marked={target} />
          </code>
        </div>
      )}
    </div>
  );
}

/** The rules that match as well, and do not decide. */
function Beaten({ rules, go }: { rules: Explained["beaten"]; go: Go }) {
  if (rules.length === 0) return null;
  const more = rules.length - MOST_BEATEN;
  return (
    <p>
      It beats{" "}
      {rules.slice(0, MOST_BEATEN).map((each, at) => (
        <>
          {at > 0 && ", "}
          <LineLink line={each.line} go={go} />{" "}
          <code>
            {each.allow ? "Allow" : "Disallow"}: <Literal text={each.pattern} />
          </code>
        </>
      ))}
      {more > 0 && ` and ${more.toLocaleString("en")} more`}
    </p>
  );
}

const SAYS = {
  allowed: "may fetch",
  disallowed: "may not fetch",
  silent: "gets no answer for",
  invalid: "gets no answer for",
};

function nameOf(agent: string): string {
  return agent === "*" ? "A crawler that no group names" : agent;
}

function because({ cell, rule, specificity, section, dialect }: Explained) {
  const length = specificity === null ? "" : `, ${counted(specificity, "byte")}`;
  return (
    <>
      {rule ? `Line ${rule.line} decides: ` : ""}
      {cell.reason}
      {rule ? length : ""}
      {section && <span class="section"> ({section})</span>}
      {dialect && <span class="section"> in the dialect {dialect}</span>}
    </>
  );
}

function Source(props: {
  line: number;
  go: Go;
  children: preact.ComponentChildren;
}) {
  return (
    <div class="source">
      <button
        type="button"
        class="of"
        aria-label={`Go to line ${props.line}`}
        onClick={() => props.go(props.line)}
      >
        {props.line}
      </button>
      <code>{props.children}</code>
    </div>
  );
}

/** A text with its matched parts underlined: solid for characters, waved for what `*` stands for. */
export function Parts({ marked }: { marked: Marked }) {
  const { text, parts } = marked;
  const end = parts.at(-1)?.span[1] ?? 0;
  return (
    <>
      {parts.map(({ span, star }) => {
        const part = text.slice(span[0], span[1]);
        if (part !== "") {
          return (
            <span class={star ? "star" : "literal"}>
              <Literal text={part} />
            </span>
          );
        }
        return star ? <span class="star nothing" title="* matches nothing here" /> : null;
      })}
      <Literal text={text.slice(end)} />
    </>
  );
}

/** Who else has this answer. */
function Others({ page, standings }: { page: Page; standings: readonly Standing[] }) {
  const { known } = page.shown;
  const verdict = page.shown.answer?.explained?.cell.verdict;
  if (!known || (verdict !== "allowed" && verdict !== "disallowed")) return null;
  const agent = page.agent().toLowerCase();
  const alike = standings.filter((each) => each.cell.verdict === verdict);
  const total = countOf(standings);
  const named = alike.filter((each) => each.named).flatMap((each) => each.tokens);
  const others = named.filter((each) => each.toLowerCase() !== agent);
  const count = countOf(alike);
  const rest = others.length - MOST_NAMES;
  return (
    <p class="others">
      <Answered cell={{ verdict, line: null, reason: "" }} words /> for {count.toLocaleString("en")}{" "}
      of {counted(total, "crawler")}
      {others.length > 0 && (
        <>
          ; by name also <Literal text={others.slice(0, MOST_NAMES).join(", ")} />
          {rest > 0 && ` and ${rest.toLocaleString("en")} more`}
        </>
      )}
      .{" "}
      <button
        type="button"
        class="line-link"
        onClick={() => page.showAll()}
      >
        See all
      </button>
    </p>
  );
}

/** How many crawlers these are; `*` is none. */
function countOf(standings: readonly Standing[]): number {
  return standings.reduce(
    (sum, { tokens }) => sum + tokens.filter((token) => token !== "*").length,
    0,
  );
}
