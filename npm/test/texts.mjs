// Says what test_texts.py asks: lines of JSON in, lines of JSON out, all in ASCII.
//
// In: {robots, file, url, token, value}. Out: what is shown of each answer, and what becomes of the texts.

import { createInterface } from "node:readline";
import { inspect } from "node:util";
import { isRobotsTxt, leadingName, origin, parse, productToken, requestedUrl } from "verger";
import { check, mayUse } from "verger/crawlers";

function ascii(value) {
  const hex = (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replace(/[\u007f-\uffff]/g, hex);
}

function thrown(ask) {
  try {
    return ask();
  } catch ({ name, message, hint }) {
    return [name, message, hint];
  }
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

for await (const line of createInterface({ input: process.stdin })) {
  console.log(ascii(said(JSON.parse(line))));
}
