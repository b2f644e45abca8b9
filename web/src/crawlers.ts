/** What is known of crawlers: the registry, and whose groups each follows. */

import type { Agent, RobotsTxt } from "verger";

import registry from "../../python/verger/crawlers/registry.json";

export const CRAWLERS = registry.crawlers.map(({ token, operator, purposes }) => ({
  token,
  operator,
  purposes,
}));

export const PURPOSES = [{ name: "training", does: "collects training data" }];

export function agentOf(robots: RobotsTxt, token: string): Agent {
  return robots.agent(token);
}
