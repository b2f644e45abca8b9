// Parsers in JavaScript behind the protocol of the robots.txt test suite: `node adapter.js PEER`.
"use strict";

const fs = require("node:fs");
const readline = require("node:readline");

const PEERS = { "robots-parser": askRobotsParser, exclusion: askExclusion };

function askRobotsParser(robots, agent, url) {
  const robotsParser = require("robots-parser");
  return robotsParser(new URL("/robots.txt", url).href, robots).isAllowed(url, agent);
}

// Takes the path of a URL, not the URL. Its documentation says `require`, which fails.
async function askExclusion(robots, agent, url) {
  const { RobotsTxt } = await import("exclusion");
  const rest = url.slice(url.indexOf("://") + 3);
  const path = rest.includes("/") ? rest.slice(rest.indexOf("/")) : "/";
  return new RobotsTxt(robots).isPathAllowed(path, agent);
}

const ask = PEERS[process.argv[2]];
readline.createInterface({ input: process.stdin }).on("line", async (line) => {
  const asked = JSON.parse(line);
  const answer = { id: asked.id };
  try {
    const allowed = await ask(Buffer.from(asked.robots, "base64").toString(), asked.agent, asked.url);
    Object.assign(answer, allowed === undefined ? { cannot: "undefined" } : { allowed });
  } catch (why) {
    answer.cannot = String(why);
  }
  fs.writeSync(1, JSON.stringify(answer) + "\n");
});
