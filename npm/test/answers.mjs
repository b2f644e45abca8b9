// Answers what test_answers.py asks: lines of JSON in, lines of JSON out, all in ASCII.
//
// In: {robots, url, dialect, questions: [[url, token, purpose]], views}. Out: a line for each question,
// then one for the views of the file, if asked for. Or {header}, and out: its product token. With
// `explained`, the answers are explained.

import { parse, productToken } from "verger";
import { check, mayUse } from "verger/crawlers";
import { answerLines, thrown } from "./lines.mjs";

function answer(robots, [url, token, purpose], { bindings, explained }) {
  const how = { bindings };
  const used = () => mayUse(robots, url, token, purpose);
  if (explained) {
    const decided = () => (purpose ? used() : robots.decide(url, token));
    return thrown(() => decided().explain({ verbose: true }));
  }
  return thrown(() => (purpose ? used() : check(robots, url, token, how)));
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

function* answers({ header, robots: body, url, dialect, questions, tokens, ...how }) {
  if (header !== undefined) return yield productToken(header);
  const robots = parse(Buffer.from(body, "base64"), { url, dialect });
  for (const question of questions) yield answer(robots, question, how);
  if (tokens) yield views(robots, tokens);
}

await answerLines(answers);
