// An example that the types of the package are checked by.

import { type Decision, DIALECTS, parse, RobotsError, type RobotsTxt, type UseDecision } from "verger";
import { agentOf, check, type Crawler, find, mayUse } from "verger/crawlers";
import { start } from "verger/start";
import robotsParser, { type Robot } from "verger/robots-parser";

const robots: RobotsTxt = parse("User-agent: GPTBot\nDisallow: /\n", { dialect: "google" });
const decision: Decision = robots.decide("https://example.com/", "GPTBot");
const line: number | null = decision.line;
const reason: "NO_GROUP" | string = decision.reason;
const tie = DIALECTS.google.replace({ tie: "disallow" });
const known: Crawler | null = find("GPTBot");
const use: UseDecision = mayUse(robots, "/", "GPTBot", "ai-train");
const old: Robot = robotsParser("https://example.com/robots.txt", "");

const started: void = start(new Uint8Array());

// @ts-expect-error: a dialect that does not exist
parse("", { dialect: "gogle" });
// @ts-expect-error: values are read-only
decision.allowed = true;
// @ts-expect-error: a purpose that does not exist
robots.agent("GPTBot").mayUse("/", "training");

try {
  using other = parse(new Uint8Array(), { dialect: tie, url: "https://example.com/robots.txt" });
  const posture: "all" | "some" | "none" | "unknown" = agentOf(other, ["a", "b"]).posture;
  console.log(posture, line, reason, known?.operator, use.allowed, old.isAllowed("/"));
  console.log(started, JSON.stringify(check(other, "/", "GPTBot")));
} catch (error) {
  if (error instanceof RobotsError) console.log(error.hint);
}
