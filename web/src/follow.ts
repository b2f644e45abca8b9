/** Whose groups a crawler follows if none names it. */

import type { RobotsTxt } from "verger";
import { find } from "verger/crawlers";

/** The crawler whose groups another follows, since none names it; null if it follows nobody. */
export function followedBy(robots: RobotsTxt, token: string): string | null {
  const follows = find(token)?.follows ?? [];
  if (follows.length === 0 || robots.agent(token).named) return null;
  return follows.find((each) => robots.agent(each).named) ?? null;
}
