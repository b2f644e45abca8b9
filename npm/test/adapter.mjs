// The adapter of the package for the robots.txt test suite (docs/guides/suite.md).

import { createInterface } from "node:readline";
import { parse, RobotsError } from "verger";

function answer({ robots, agent, url, dialect }) {
  try {
    const { allowed, line } = parse(Buffer.from(robots, "base64"), { dialect }).decide(url, agent);
    return { allowed, line };
  } catch (error) {
    if (error instanceof RobotsError) return { cannot: error.message };
    throw error;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const asked = JSON.parse(line);
  console.log(JSON.stringify({ id: asked.id, ...answer(asked) }));
}
