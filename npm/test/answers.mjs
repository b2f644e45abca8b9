// Answers what test_answers.py asks: lines of JSON in, lines of JSON out, all in ASCII.
//
// In: {robots, url, dialect, questions: [[url, token, purpose]], views}. Out: a line for each question,
// then one for the views of the file, if asked for. Or {header}, and out: its product token. With
// `explained`, the answers are explained.

import { createInterface } from "node:readline";
import { parse, productToken } from "verger";
import { check, mayUse } from "verger/crawlers";

function ascii(value) {
  const hex = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, hex);
}

function thrown(ask) {
  try {
    return ask();
  } catch ({ name, message, hint }) {
    return { name, message, hint };
  }
}

function answer(robots, [url, token, purpose], { bindings, explained }) {
  const how = { bindings };
  if (explained) return thrown(() => robots.decide(url, token).explain({ verbose: true }));
  const ask = () => (purpose ? mayUse(robots, url, token, purpose) : check(robots, url, token, how));
  return thrown(ask);
}

function views(robots, tokens) {
  const { groups, lines, records, findings, sitemaps, bytesRead, truncated } = robots;
  const agents = tokens.map((token) => {
    const agent = robots.agent(token);
    const { named, posture, crawlDelay, requestRates, visitTime, contentSignals, rules } = agent;
    return { named, posture, crawlDelay, requestRates, visitTime, contentSignals, rules };
  });
  return { groups, lines, findings, records, sitemaps, bytesRead, truncated, agents };
}

for await (const line of createInterface({ input: process.stdin })) {
  const { header, robots: body, url, dialect, questions, tokens, ...how } = JSON.parse(line);
  if (header !== undefined) {
    console.log(ascii(productToken(header)));
    continue;
  }
  const robots = parse(Buffer.from(body, "base64"), { url, dialect });
  for (const question of questions) console.log(ascii(answer(robots, question, how)));
  if (tokens) console.log(ascii(views(robots, tokens)));
}
