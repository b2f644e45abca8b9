/** The study of a file: what takes longer than a keystroke may, for all known crawlers. */

import { type AgentOr, agentOr, cellOf, file } from "./asking";
import type { Standing, Study, Studied } from "./core";
import { CRAWLERS } from "./crawlers";

export function study(asked: Study): Studied {
  const robots = file(asked.text, asked.dialect);
  const url = asked.cell?.url ?? "/";
  const agents = asked.agents.map((token) => agentOr(robots, token));
  const tokens = ["*", ...CRAWLERS.map(({ token }) => token)];
  const classes = new Map<string, Standing>();
  for (const token of tokens) {
    const agent = agentOr(robots, token);
    if ("failed" in agent) continue;
    const key = `${agent.named} ${agent.groups.map(({ startLines }) => startLines[0]).join()}`;
    const found = classes.get(key);
    if (found) found.tokens.push(token);
    else {
      classes.set(key, { tokens: [token], named: agent.named, posture: agent.posture, cell: cellOf(agent, url) });
    }
  }
  return {
    kind: "study",
    standings: [...classes.values()],
    uses: [],
    effects: [],
    bound: [],
    changed: [],
    changedCount: 0,
    comparedCount: tokens.length,
    totals: agents.map((agent) => totalOf(agent, asked.urls)),
  };
}

function totalOf(agent: AgentOr, urls: readonly string[]): number {
  return "failed" in agent ? 0 : urls.filter((url) => cellOf(agent, url).verdict === "allowed").length;
}
