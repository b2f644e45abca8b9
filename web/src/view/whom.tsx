/** For whom: what crawlers of each purpose may fetch, and what the pages may be used for. */

import { memo } from "./memo";
import type { Cell, Known, Posture, Standing, Studied, Use, UseCell } from "../core";
import type { Page } from "../page";
import { counted } from "../words";
import { spelled } from "../special";
import { Answered, Button, Empty, LineLink, Literal, clipped } from "./bits";

const USES: Record<Use, string> = {
  "ai-train": "to train AI models?",
  "ai-input": "in AI answers?",
  search: "in search results?",
};

const POSTURES: Record<Posture, string> = {
  all: "all",
  some: "some",
  none: "nothing",
  unknown: "unknown",
};

const SAYS = {
  url: ["allowed", "disallowed"],
  site: ["may fetch all", "may not fetch all"],
} as const;

const UNLISTED = "unlisted";
const MOST_PLAIN = 60;

export function Whom({ page }: { page: Page }) {
  const { known, studied, studying, scope } = page.shown;
  if (!known || !studied) return <Empty>Looking at all known crawlers…</Empty>;
  return (
    <div class={`whom ${studying ? "stale" : ""}`}>
      <p class="about">
        About{" "}
        <code class="about-url">
          <Literal text={clipped(page.url())} />
        </code>
      </p>
      <Uses studied={studied} agent={page.agent()} go={(line) => page.goTo(line)} />
      <div class="heading-row">
        <h3 id="fetch-heading">Who may fetch it?</h3>
        <div class="switch" role="group" aria-label="About">
          {(["url", "site"] as const).map((each) => (
            <button
              type="button"
              aria-pressed={scope === each}
              onClick={() => page.store.set({ scope: each })}
            >
              {each === "url" ? "this URL" : "whole site"}
            </button>
          ))}
        </div>
      </div>
      <Purposes
        known={known}
        studied={studied}
        scope={scope}
        agents={page.asked.agents}
        add={(token) => page.addAgents(token)}
      />
    </div>
  );
}

function Uses(props: { studied: Studied; agent: string; go: (line: number) => void }) {
  const { studied, agent, go } = props;
  return (
    <table class="uses">
      <caption>May it be used…</caption>
      <thead>
        <tr>
          <td />
          <th scope="col" title={spelled(agent)}>
            <Literal text={agent === "*" ? "any crawler" : agent} />
          </th>
          {agent !== "*" && <th scope="col">others</th>}
        </tr>
      </thead>
      <tbody>
        {studied.uses.map(({ use, asked, others }) => (
          <tr>
            <th scope="row">{USES[use]}</th>
            <UseAnswer cell={asked} go={go} />
            {agent !== "*" && <UseAnswer cell={others} go={go} />}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function UseAnswer({ cell, go }: { cell: UseCell; go: (line: number) => void }) {
  return (
    <td>
      <Answered cell={{ verdict: cell.verdict, line: null, reason: "" }} words />
      <span class="below">
        {cell.why} {cell.line !== null && <LineLink line={cell.line} go={go} />}
      </span>
    </td>
  );
}

interface Listed {
  token: string;
  operator: string | null;
  standing: Standing;
}

interface PurposesProps {
  known: Known;
  studied: Studied;
  scope: "url" | "site";
  agents: readonly string[];
  add: (token: string) => void;
}

const Purposes = memo(function Purposes(props: PurposesProps) {
  const { known, studied, scope } = props;
  const purposes = [
    ...known.purposes,
    { name: UNLISTED, does: "names of this file that are not in the list of known crawlers" },
  ];
  const byPurpose = sorted(known, studied.standings);
  return (
    <div class="purposes" aria-labelledby="fetch-heading" role="group">
      {purposes.map(({ name, does }) => {
        const members = byPurpose.get(name) ?? [];
        if (members.length === 0) return null;
        return (
          <Purpose key={name} {...props} name={name} does={does} members={members} scope={scope} />
        );
      })}
    </div>
  );
});

function sorted(known: Known, standings: readonly Standing[]): Map<string, Listed[]> {
  const listed = new Map(known.crawlers.map((each) => [each.token, each]));
  const found = new Map<string, Listed[]>();
  for (const standing of standings) {
    for (const token of standing.tokens) {
      if (token === "*") continue;
      const crawler = listed.get(token);
      for (const purpose of crawler?.purposes ?? [UNLISTED]) {
        const members = found.get(purpose) ?? [];
        members.push({ token, operator: crawler?.operator ?? null, standing });
        found.set(purpose, members);
      }
    }
  }
  return found;
}

function Purpose(props: PurposesProps & { name: string; does: string; members: Listed[] }) {
  const { name, does, members, scope } = props;
  const open = members.filter(({ standing }) => isOpen(standing, scope));
  const closed = members.length - open.length;
  const named = members.filter(({ standing }) => standing.named).sort(byToken);
  const rest = members.filter(({ standing }) => !standing.named).sort(byToken);
  return (
    <details>
      <summary>
        <span class="purpose">
          <strong>{name}</strong>
          <span class="below">{does}</span>
        </span>
        <span class="count">
          <span class="share" aria-hidden="true">
            <span class="closed" style={{ width: `${(100 * closed) / members.length}%` }} />
          </span>
          {closed === 0
            ? "all may"
            : closed === members.length
              ? "none may"
              : `${closed.toLocaleString("en")} of ${members.length.toLocaleString("en")} may not`}
        </span>
      </summary>
      <ul>
        {named.map((member) => (
          <Member key={member.token} member={member} {...props} />
        ))}
      </ul>
      {rest.length > 0 && <Rest rest={rest} scope={scope} isAll={named.length === 0} />}
    </details>
  );
}

function isOpen(standing: Standing, scope: "url" | "site"): boolean {
  return scope === "url" ? standing.cell.verdict === "allowed" : standing.posture === "all";
}

function byToken(one: Listed, other: Listed): number {
  return one.token.localeCompare(other.token, "en", { sensitivity: "base" });
}

function Member(props: PurposesProps & { member: Listed }) {
  const { member, scope, agents, add } = props;
  const { token, operator, standing } = member;
  return (
    <li>
      <span class="token">
        <Literal text={token} />
        {operator && <span class="below">{operator}</span>}
        {!standing.bound && <span class="below">; says the file does not bind it</span>}
      </span>
      {scope === "url" ? <Briefly cell={standing.cell} /> : <Extent standing={standing} />}
      {agents.includes(token) ? (
        <span class="spacer" />
      ) : (
        <Button
          icon="plus"
          label={`Add ${spelled(token)} to the table`}
          quiet
          kind="small"
          onClick={() => add(token)}
        />
      )}
    </li>
  );
}

/** A sign and the line; a word where no line decides. */
function Briefly({ cell }: { cell: Cell }) {
  if (cell.line === null) return <Answered cell={cell} words />;
  return (
    <span class="brief">
      <Answered cell={{ ...cell, line: null }} /> <span class="below">line {cell.line}</span>
    </span>
  );
}

function Extent({ standing }: { standing: Standing }) {
  const verdict: Cell["verdict"] =
    standing.posture === "all" ? "allowed" : standing.posture === "none" ? "disallowed" : "silent";
  return (
    <span class={`answered ${standing.posture === "some" ? "some" : verdict}`}>
      {POSTURES[standing.posture]}
    </span>
  );
}

function Rest({ rest, scope, isAll }: { rest: Listed[]; scope: "url" | "site"; isAll: boolean }) {
  const names = rest.slice(0, MOST_PLAIN).map(({ token }) => token);
  const more = rest.length - names.length;
  const said = saidOf(rest, scope);
  return (
    <p class="rest">
      {isAll ? "No group names any" : `${counted(rest.length, "other")} that no group names`}:{" "}
      {said}. <Literal text={names.join(", ")} />
      {more > 0 && ` and ${more.toLocaleString("en")} more`}
    </p>
  );
}

function saidOf(rest: Listed[], scope: "url" | "site"): string {
  const open = rest.filter(({ standing }) => isOpen(standing, scope)).length;
  const [yes, no] = SAYS[scope];
  if (open === rest.length) return yes;
  return open === 0 ? no : `${open.toLocaleString("en")} ${yes}`;
}
