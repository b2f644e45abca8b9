// Says what test_texts.py asks: lines of JSON in, lines of JSON out, all in ASCII.
//
// In: {robots, file, url, token, value}. Out: what is shown of each answer, and what becomes of the texts.

import { inspect } from "node:util";
import { isRobotsTxt, leadingName, origin, parse, productToken, requestedUrl } from "verger";
import { check, mayUse } from "verger/crawlers";
import { answerLines, thrown as raised } from "./lines.mjs";

/** What a question gives, or its error as a list. */
function thrown(ask) {
  const said = raised(ask);
  return said?.constructor === Object && "hint" in said ? Object.values(said) : said;
}

/** What the console shows, which is the value as a text. */
function shown(value) {
  const text = inspect(value);
  if (text !== String(value)) throw new Error(`${text} is not ${value}`);
  return text;
}

function said({ robots: body, file, url, token, value }) {
  const robots = thrown(() => parse(body, { url: file }));
  const ofFile = (ask) => (Array.isArray(robots) ? null : thrown(() => ask(robots)));
  return {
    shown: [
      ofFile((robots) => shown(robots)),
      ofFile(({ dialect }) => shown(dialect)),
      ofFile((robots) => shown(robots.agent(token))),
      ofFile((robots) => shown(robots.decide(url, token))),
      ofFile((robots) => shown(mayUse(robots, url, token, "ai-train"))),
      ofFile((robots) => shown(check(robots, url, token))),
    ],
    file: Array.isArray(robots) ? robots : robots.url,
    target: ofFile((robots) => robots.decide(url, token).target),
    many: ofFile((robots) => robots.allowedMany([url, "/a"], token)),
    clean: ofFile((robots) => robots.clean(url)),
    governs: ofFile((robots) => robots.governs(url)),
    requested: thrown(() => requestedUrl(url)),
    origin: thrown(() => origin(url)),
    is_file: isRobotsTxt(url),
    name: leadingName(value),
    token: productToken(value),
  };
}

await answerLines((asked) => [said(asked)]);
