// The package as its users meet it: what is thrown, what is bad, and what memory it takes.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { inspect } from "node:util";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import { build } from "esbuild";
import * as verger from "verger";
import {
  agentOf, binds, check, CRAWLERS, find, FOLLOWERS, mayUse, ownDialect, policyTokens, PURPOSES, standings, startNames,
  unlisted,
} from "verger/crawlers";

const { DIALECTS, KNOBS, parse } = verger;
const require = createRequire(import.meta.url);
const ROBOTS = "User-agent: *\nDisallow: /private\nAllow: /private/press\nSitemap: https://e.example/s\n";

test("the answer has its reason", () => {
  const decision = parse(ROBOTS).decide("https://example.com/private/press/a", "ExampleBot");

  assert.equal(decision.allowed, true);
  assert.equal(decision.line, 3);
  assert.equal(decision.reason, "MOST_SPECIFIC_RULE");
  assert.deepEqual(decision.matched, [[[0, 14], [0, 14]]]);
  assert.deepEqual(decision.beaten.map((rule) => rule.line), [2]);
  assert.deepEqual(decision.group?.productTokens, ["*"]);
});

test("a text is read as its bytes, whatever it holds", () => {
  const texts = [
    "", "a", "\ufeffa: \u00e9", "\ufeffa\udcff", "\udcffa: \u00e9", "\uff1a\ud83d", "\ufffd\u{1f916}",
    "\u00e9".repeat(100_000), "\u20ac".repeat(1_000_000), "x".repeat(3_000_000),
  ];
  for (const text of texts) {
    const file = parse(text, { url: "https://b\u00fccher.example/robots.txt" });

    assert.deepEqual(file.lines, parse(file.body).lines);
    assert.ok(file.governs("https://xn--bcher-kva.example/"));
  }
});

test("both kinds of modules share one core", () => {
  const required = require("verger");
  assert.equal(required.parse, parse);
  assert.ok(parse("") instanceof required.RobotsTxt);
  assert.equal(require("verger/crawlers").find, find);
});

test("the module with the core inside gives the same answers", async () => {
  const inline = await import(new URL("../../build/npm/verger.js", import.meta.url));
  const asked = ["https://bücher.example/private", "ExampleBot"];
  const url = "https://xn--bcher-kva.example/robots.txt";
  const [one, other] = [inline, verger].map((each) => each.parse(ROBOTS, { url }).decide(...asked));
  assert.equal(JSON.stringify(one), JSON.stringify(other));
});

test("a bundle has the core in a place of its own, and starts it", async () => {
  const contents = `
    import { start } from "verger/start";
    start(globalThis.core);
    const { parse } = await import("verger");
    const { check } = await import("verger/crawlers");
    const robots = parse("User-agent: *\\nDisallow: /a");
    export const { line } = check(robots, "/a", "ExampleBot").decision;
    export const { name } = check(robots, "a", "ExampleBot").problem;`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: new URL(".", import.meta.url).pathname },
    bundle: true,
    conditions: ["verger-start"],
    format: "esm",
    logOverride: { "empty-import-meta": "silent" },
    minify: true,
    tsconfigRaw: "{}", // not that of this package
    write: false,
  });
  const [{ text }] = outputFiles;
  globalThis.core = readFileSync(new URL("../../build/npm/verger.wasm", import.meta.url));
  const { line, name } = await import(`data:text/javascript,${encodeURIComponent(text)}`);

  assert.equal(line, 2);
  assert.equal(name, "InvalidTarget");
  assert.ok(!text.includes(Buffer.from("\0asm").toString("base64").slice(0, 5)));
});

test("a core that has not started says so", async () => {
  const unstarted = import(new URL("../../build/npm/unstarted/verger.js", import.meta.url));
  await assert.rejects(unstarted, { name: "RobotsError", message: /has not started/, hint: /`verger\/start`/ });
});

test("several tokens are not confused with one that looks like them", () => {
  const robots = parse("User-agent: a\nDisallow: /\n", "googlebot-cpp");
  for (const tokens of [["zz", "a"], ["a"]]) {
    for (const end of ["", "\n"]) {
      assert.equal(robots.allowed("/a", JSON.stringify([tokens, null]) + end), true);
    }
    assert.equal(robots.allowed("/a", tokens), false);
    assert.equal(robots.allowed("/a", JSON.stringify([tokens, null])), true);
  }
});

test("a dialect is passed as such, by its name, or as an option", () => {
  const options = [DIALECTS.google, "google", { dialect: "google" }, { dialect: DIALECTS.google, url: undefined }];
  assert.deepEqual(options.map((each) => parse("", each).dialect), options.map(() => DIALECTS.google));
});

test("bytes of another realm, and views of any kind, are bytes", () => {
  const [buffer, bytes] = runInNewContext("const b = new Uint8Array([97, 10]); [b.buffer, b]");
  for (const body of [buffer, bytes, new Uint16Array(buffer), new DataView(buffer)]) {
    assert.deepEqual([...parse(body).body], [97, 10]);
  }
});

test("lone surrogates stand for bytes, unless one of them does not", () => {
  const bytes = (text) => Buffer.from(parse(text).body).toString("latin1");
  assert.equal(bytes("a\u{1f916}\udc80\udcffb\udc81"), "a\xf0\x9f\xa4\x96\x80\xffb\x81");
  assert.equal(bytes("\udc80\u00e9\ud800"), "\xed\xb2\x80\xc3\xa9\xed\xa0\x80");
  assert.equal(bytes("\ufffd\udc80\ufffe"), "\xef\xbf\xbd\x80\xef\xbf\xbe");
  assert.equal(bytes("\udc7f\udc80"), "\xed\xb1\xbf\xed\xb2\x80");
});

test("some of the lines, as far as there are any", () => {
  const numbers = (...asked) => file.linesFrom(...asked).map(({ number }) => number);
  assert.deepEqual(numbers(2), [3, 4]);
  assert.deepEqual(numbers(3, 1), []);
  assert.deepEqual(numbers(2, 2 ** 32 + 1), [3, 4]);
  assert.deepEqual(numbers(2 ** 32, 2 ** 32 + 2), []);
});

test("it starts in a worker", async () => {
  const script = `const { parse } = require("verger");
    require("node:worker_threads").parentPort.postMessage(parse("User-agent: *\\nDisallow: /").allowed("/", "a"));`;
  const worker = new Worker(script, { eval: true });
  assert.equal(await new Promise((resolve) => worker.once("message", resolve)), false);
});

/** What a call throws. */
function thrown(ask) {
  try {
    ask();
  } catch (error) {
    return error;
  }
  return assert.fail("nothing was thrown");
}

const file = parse(ROBOTS, { url: "https://example.com/robots.txt" });

for (const [name, ask, message, hint] of [
  ["InvalidTarget", () => file.allowed("example.com/a", "a"), /^`example\.com\/a` is not a URL to ask about: it begins neither/, /^pass `https:\/\/example\.com\/a`/],
  ["OutOfScope", () => file.allowed("https://example.org/", "a"), /is out of the scope of .*: it governs only `https:\/\/example\.com`/, /own scheme, host and port/],
  ["InvalidProductToken", () => file.allowed("/", "Example/1.0"), /^`Example\/1\.0` is not a product token: `\/` at offset 7/, /^pass `Example`$/],
  ["InvalidProductToken", () => file.allowed("/", []), /^no product token was given/, /ExampleBot/],
  ["InvalidProductToken", () => file.allowed("/", "a\u202e\u001b[0m`\udcff"), /^`a\\u202e\\x1b\[0m\\x60\\xff` is not/, /./],
  ["UnknownName", () => parse("", { dialect: "gogle" }), /^unknown dialect `gogle`$/, /did you mean `google`\?/],
  ["UnknownName", () => DIALECTS.google.replace({ ties: "allow" }), /^unknown knob `ties`$/, /did you mean `tie`\?/],
  ["UnknownName", () => DIALECTS.google.replace({ tie: "alow" }), /^`alow` is not a value of `tie`: expected one of `allow`, `disallow`$/, /did you mean `allow`\?/],
  ["UnknownName", () => file.agent("a").mayUse("/", "training"), /^unknown use `training`$/, /`ai-train`/],
  ["InvalidOption", () => DIALECTS.google.replace({ parse_limit: 5 }), /^`parse_limit` is 5: rules behind/, /512000/],
  ["InvalidOption", () => DIALECTS.google.replace({ tie: "disallow" }, { name: "bing" }), /^dialect name `bing` is taken$/, /./],
  ["TypeError", () => parse(5), /^`body` must be .*, not number$/],
  ["TypeError", () => parse(null), /^`body` must be .*, not null$/],
  ["TypeError", () => file.allowed(undefined, "a"), /^`url` must be a string, not undefined$/],
  ["TypeError", () => file.allowed("/", 5), /^`token` must be a string or an array of strings, not number$/],
  ["TypeError", () => file.allowed("/", [5]), /^`token` must be a string, not number$/],
  ["TypeError", () => parse("", { url: 5 }), /^`url` must be a string, not number$/],
  ["TypeError", () => parse("", { dialect: 5 }), /^`dialect` must be a name or a Dialect, not number$/],
  ["RangeError", () => file.agent("a").requestRateAt(1440), /^`minute` must be a whole number from 0 to 1439, not 1440$/],
  ["TypeError", () => file.agent("a").requestRateAt("5"), /^`minute` must be a whole number, not string$/],
  ["TypeError", () => parse("", 1), /^`options` must be a dialect or an object, not number$/],
  ["TypeError", () => parse("", null), /^`options` must be a dialect or an object, not null$/],
  ["TypeError", () => parse("", ["google"]), /^`options` must be a dialect or an object, not Array$/],
  ["TypeError", () => parse("", { dialekt: "google" }), /^unknown option `dialekt`: did you mean `dialect`\?$/],
  ["TypeError", () => file.linesFrom("1"), /^`start` must be a whole number, not string$/],
  ["RangeError", () => file.linesFrom(-1), /^`start` must be a whole number from 0 to \d+, not -1$/],
  ["RangeError", () => file.linesFrom(0, 1.5), /^`end` must be a whole number from 0 to \d+, not 1\.5$/],
  ["TypeError", () => file.allowedMany("/a", "a"), /^`urls` must be an array or another iterable of strings, not string$/],
  ["TypeError", () => file.allowedMany(5, "a"), /^`urls` must be .*, not number$/],
  ["TypeError", () => file.agent("a").mayUse("/", "ai-train", "abc"), /^`policyTokens` must be an array of pairs .*, not string$/],
  ["TypeError", () => file.agent("a").mayUse("/", "ai-train", ["abc"]), /^`policyTokens` must be .*, not string$/],
  ["TypeError", () => file.agent("a").mayUse("/", "ai-train", [["abc"]]), /^`section` must be a string, not undefined$/],
  ["TypeError", () => DIALECTS.google.replace(), /^`knobs` must be an object, not undefined$/],
  ["TypeError", () => DIALECTS.google.replace({}, { nam: "a" }), /^unknown option `nam`: did you mean `name`\?$/],
  ["TypeError", () => verger.effects(1), /^`agent` must be an Agent, not number$/],
  ["TypeError", () => verger.redundant(file), /^`agent` must be an Agent, not RobotsTxt$/],
  ["TypeError", () => verger.difference(file.agent("a")), /^`after` must be an Agent, not undefined$/],
  ["TypeError", () => verger.exempt(null, file.agent("a"), file.agent("a")), /^`change` must be an object, not null$/],
  ["TypeError", () => verger.changes(1, 2), /^`before` must be a RobotsTxt, not number$/],
  ["TypeError", () => verger.changes(file, file, { crawlers: "a" }), /^`crawlers` must be an array of strings, not string$/],
  ["TypeError", () => verger.changes(file, file, { followers: [1] }), /^`followers` must be an object, not number$/],
  ["TypeError", () => verger.effects(file.agent("a"), { step: 1 }), /^unknown option `step`: did you mean `steps`\?$/],
  ["RangeError", () => verger.effects(file.agent("a"), { steps: -1 }), /^`steps` must be a whole number from 0 to \d+, not -1$/],
  ["TypeError", () => find(null), /^`token` must be a string, not null$/],
  ["TypeError", () => agentOf(null, "a"), /^`robots` must be a RobotsTxt, not null$/],
  ["TypeError", () => agentOf(file, null), /^`token` must be a string or an array of strings, not null$/],
  ["TypeError", () => check(file, "/", "a", "file"), /^`options` must be an object, not string$/],
  ["TypeError", () => policyTokens("GPTBot", "ai-train"), /^`tokens` must be an array of strings, not string$/],
  ["UnknownName", () => policyTokens(["GPTBot"], "abc"), /^unknown use `abc`$/, /`ai-train`/],
  ["TypeError", () => require("verger/robots-parser")("", "").isAllowed("/", {}), /^`ua` must be a string, not Object$/],
]) {
  test(`${name}: ${message}`, () => {
    const error = thrown(ask);
    assert.ok(error instanceof Error);
    assert.equal(error.name, name);
    assert.match(error.message, message);
    if (hint) assert.match(error.hint, hint);
  });
}

/** Everything that a file has. */
function everything(robots) {
  const { groups, lines, records, findings, sitemaps, body, bytesRead, truncated } = robots;
  const agent = robots.agent("ExampleBot");
  const { posture, rules, crawlDelay, contentSignals } = agent;
  const decision = agent.decide("/a");
  const use = agent.mayUse("/a", "ai-train");
  const analysed = [verger.effects(agent), verger.redundant(agent), verger.difference(agent, agent)];
  return JSON.stringify([groups, lines, records, findings, sitemaps, body.length, bytesRead, truncated, posture, rules, crawlDelay, contentSignals, decision, use, analysed]);
}

const random = (length) => Uint8Array.from({ length }, (_, at) => (at * 2654435761) >>> 24);

for (const [name, body] of Object.entries({
  "5 MB of rules": "User-agent: *\n" + "Disallow: /a*b$\n".repeat(330_000),
  "5 MB in one line": "a".repeat(5_000_000),
  binary: random(100_000),
  "UTF-16": new Uint8Array(Buffer.from("\ufeffUser-agent: *\nDisallow: /a\n", "utf16le")),
  "lone surrogates": "User-agent: \ud800\nDisallow: /\udcff\ud83d\n",
  "an HTML page": "<!doctype html><title>404</title>",
  "nothing": "",
  "an ArrayBuffer": random(10).buffer,
  "a view of bytes": new DataView(random(100).buffer, 10, 50),
})) {
  test(`bad input: ${name}`, () => {
    for (const dialect of Object.keys(DIALECTS)) {
      const robots = parse(body, { dialect });
      if (robots.bytesRead > 1_000_000) assert.equal(typeof robots.allowed("/a", "ExampleBot"), "boolean");
      else assert.ok(everything(robots));
    }
  });
}

test("what a caller changes afterwards changes nothing", () => {
  const body = new TextEncoder().encode("User-agent: *\nDisallow: /\n");
  const robots = parse(body);
  body.fill(0);
  robots.body.fill(0);
  robots.free();
  assert.equal(robots.allowed("/", "a"), false);
});

test("values are frozen", () => {
  assert.throws(() => (file.groups[0].rules[0].allow = true), TypeError);
  assert.throws(() => file.lines.push(1), TypeError);
  assert.throws(() => (DIALECTS.google.knobs.tie = "disallow"), TypeError);
  assert.throws(() => file.agent("a").groups.push(1), TypeError);
  assert.throws(() => find("gptbot").purposes.push("x"), TypeError);
  assert.throws(() => policyTokens(["GPTBot"], "ai-train").push(["a", "b"]), TypeError);
  const given = [["a", "b"]];
  const use = file.agent("x").mayUse("/", "ai-train", given);
  given[0][0] = "c";
  assert.deepEqual(use.policyTokens, [["a", "b"]]);
  assert.throws(() => use.policyTokens.push(1), TypeError);
  assert.throws(() => use.conflicts.push(1), TypeError);
});

test("a file that was freed answers again", () => {
  const robots = parse(ROBOTS);
  const agent = robots.agent("ExampleBot");
  const decision = agent.decide("/private");
  robots[Symbol.dispose]();
  assert.equal(agent.allowed("/private"), false);
  assert.equal(decision.group.startLines[0], 1);
  assert.equal(robots.lines.length, 4);
});

test("100,000 files do not grow the memory of the core", () => {
  const script = `
    const { parse } = require("verger");
    const held = [];
    for (let n = 0; n < 100_000; n++) {
      const robots = parse("User-agent: *\\nDisallow: /private" + n + "\\n");
      if (robots.allowed("/private" + n, "a")) throw new Error("wrong");
      if (n % 1_000 === 0) held.push(robots);
    }
    if (held.some((robots, n) => robots.allowed("/private" + n * 1_000, "a"))) throw new Error("lost");
    console.log(require("verger").coreBytes());`;
  const held = Number(execFileSync("node", ["-e", script], { cwd: import.meta.dirname ?? "." }));
  assert.ok(held < 32 << 20, `${held} bytes`);
});

test("proofs for many crawlers of many files do not grow the memory of the core", () => {
  const rules = Array.from({ length: 1_000 }, (_, n) => `Disallow: /p${n}\n`).join("");
  const agents = Array.from({ length: 20 }, () => parse(`User-agent: *\n${rules}`)).flatMap((robots) =>
    Array.from("abcdefghijklmnop", (token) => robots.agent(token)),
  );
  const before = verger.coreBytes();
  for (const agent of agents) {
    assert.equal(agent.posture, "some");
    assert.deepEqual(verger.difference(agents[0], agent).changes, []);
  }
  for (const agent of agents.slice(0, 50)) assert.equal(verger.effects(agent, { steps: 9 }).length, 1_000);

  assert.ok(verger.coreBytes() - before < 4 << 20, `${verger.coreBytes() - before} bytes more`);
  assert.ok(agents.every((agent) => !agent.allowed("/p7") && agent.allowed("/")));
});

test("the rules of many crawlers of many files do not grow the memory of the core", () => {
  const names = Array.from("abcdefghijklmnop", (letter) => `agent${letter}`);
  const starts = names.map((name) => `User-agent: ${name}\n`);
  const rules = Array.from({ length: 1_000 }, (_, n) => `Disallow: /p${n}\n`).join("");
  const text = starts.join("") + rules + starts.map((start) => `${start}Allow: /${start.at(-2)}\n`).join("");
  const urls = Array.from({ length: 500 }, (_, n) => `/p${n}`);
  const before = verger.coreBytes();
  const files = Array.from({ length: 40 }, () => parse(text));
  for (const robots of files) {
    for (const name of names) assert.ok(!robots.allowedMany(urls, name).includes(true));
  }

  assert.ok(verger.coreBytes() - before < 8 << 20, `${verger.coreBytes() - before} bytes more`);
});

test("knobs are data", () => {
  const dialect = DIALECTS.rfc9309.replace({ tie: "disallow", extensions: ["sitemap"], parse_limit: null });
  assert.equal(dialect.name, "rfc9309+parse_limit=None+extensions=sitemap+tie=disallow");
  assert.equal(parse("User-agent: *\nAllow: /a\nDisallow: /a\n", { dialect }).allowed("/a", "a"), false);
  assert.equal(KNOBS.length, Object.keys(dialect.knobs).length);
});

test("a name says which knobs differ, as in Python", () => {
  const usage = parse("User-agent: *\nContent-Usage: train-ai=n\n", { dialect: "rfc9309+content-usage" });
  assert.equal(usage.agent("a").mayUse("/", "ai-train").allowed, false);
  assert.equal(usage.dialect.name, "rfc9309+content-usage");
  assert.equal(parse("", "google+tie=allow").dialect, DIALECTS.google);
  const unlimited = DIALECTS.yandex.replace({ parse_limit: null, ignore_star: true });
  assert.deepEqual(parse("", unlimited.name).dialect.knobs, unlimited.knobs);
});

test("what means nothing in the name of a dialect is told", () => {
  const told = (dialect) => {
    try {
      parse("", { dialect });
    } catch ({ name, message, hint }) {
      return [name, message, hint];
    }
  };
  assert.deepEqual(told("rfc9309+content-usag"), ["UnknownName", "unknown knob `content-usag`", "did you mean `content-usage`?"]);
  assert.deepEqual(told("rfc+tie=allow")?.slice(0, 2), ["UnknownName", "unknown dialect `rfc`"]);
  assert.deepEqual(told("google+tie=first")?.slice(0, 2), ["UnknownName", "`first` is not a value of `tie`: expected one of `allow`, `disallow`"]);
  assert.match(told("google+parse_limit=5")?.[1], /^`parse_limit` is 5: rules behind/);
});

test("an answer says what it is in its operator's own reading", () => {
  const blank = "User-agent: *\n\nDisallow: /\n";
  const answer = check(parse(blank), "/a", "YandexBot");
  assert.equal(answer.allowed, false);
  assert.equal(answer.ownReading.allowed, true);
  const { own_reading } = JSON.parse(JSON.stringify(answer));
  assert.deepEqual([own_reading.dialect, own_reading.allowed, own_reading.line], ["yandex", true, null]);
  for (const [token, dialect] of [["GPTBot", "rfc9309"], ["YandexBot", "yandex"], ["Googlebot", "rfc9309"]]) {
    assert.equal(check(parse(blank, dialect), "/a", token).ownReading, null);
  }
  assert.equal(check(parse(blank), "/a", ["YandexBot", "GPTBot"]).ownReading, null);
  assert.equal(find("yandexbot").dialect, "yandex");
  assert.equal(ownDialect("YandexBot", "rfc9309+tie=disallow").name, "yandex+tie=disallow");
  assert.equal(ownDialect("YandexBot", "yandex"), null);
});

test("the registry knows whose groups bind a crawler", () => {
  const robots = parse("User-agent: Googlebot\nDisallow: /a\nUser-agent: *\nDisallow: /\n");
  assert.equal(agentOf(robots, "Googlebot-Image").allowed("/b"), true);
  assert.equal(agentOf(robots, "AdsBot-Google").allowed("/a"), true);
  assert.equal(agentOf(robots, "AdsBot-Google", "file").allowed("/a"), false);
  assert.equal(check(robots, "/a", "AdsBot-Google").bound, false);
  assert.equal(check(robots, "nothing", "GPTBot").problem.name, "InvalidTarget");
  assert.equal(find("gptbot").operator, "OpenAI");
  assert.ok(CRAWLERS.length > 700 && Object.keys(PURPOSES).length === 16);
});

test("crawlers stand together that a file treats alike", () => {
  const robots = parse("User-agent: Googlebot\nUser-agent: ÉBot/1\nUser-agent: ébot\nUser-agent: éBOT\nDisallow: /a\n");
  const tokens = ["GPTBot", "Googlebot-Image", "AdsBot-Google", "Amzn-User", "Googlebot", "*"];
  const found = standings(robots, tokens);

  assert.deepEqual(found.map(({ tokens, follows }) => [tokens, follows]), [
    [["GPTBot", "*"], [null, null]],
    [["Googlebot-Image", "Googlebot"], ["Googlebot", null]],
    [["AdsBot-Google"], [null]],
    [["Amzn-User"], [null]],
  ]);
  assert.deepEqual(found.map(({ named, bound }) => [named, bound]), [[false, true], [true, true], [false, false], [false, false]]);
  for (const { tokens, follows, named, bound } of standings(robots, CRAWLERS.map(({ token }) => token))) {
    for (const [at, token] of tokens.entries()) {
      const agent = agentOf(robots, token);
      assert.deepEqual([agent.follows, agent.named, binds(token, named)], [follows[at], named, bound]);
    }
  }
  assert.deepEqual(unlisted(robots), ["ÉBot", "ébot"]);
  assert.throws(() => standings(robots, ["a b"]), verger.InvalidProductToken);
  assert.throws(() => unlisted(null), /^TypeError: `robots` must be a RobotsTxt, not null$/);
});

test("what an operator's policy token says is heard", () => {
  const robots = parse("User-agent: Google-Extended\nDisallow: /\n");
  const decision = mayUse(robots, "/a", "Googlebot", "ai-train");
  assert.deepEqual(robots.agent("Googlebot").mayUse("/a", "ai-train").toJSON(), decision.toJSON());
  assert.equal(robots.agent("Googlebot").mayUse("/a", "ai-train", []).allowed, null);
  assert.deepEqual(policyTokens(["Googlebot"], "ai-train"), decision.policyTokens);
  assert.equal(decision.allowed, false);
  assert.equal(decision.reason, "POLICY_TOKEN");
  assert.equal(decision.signals.find((each) => each.token === "Google-Extended").verdict, "disallow");
});

test("the crawlers that follow others are those of the registry, as the core says", () => {
  const special = CRAWLERS.filter(({ follows, boundBy }) => follows.length || boundBy === "named-groups");
  const facts = special.map(({ token, follows, boundBy }) => ({ token, follows, byStar: boundBy !== "named-groups" }));
  const sorted = (all) => [...all].sort((one, other) => (one.token < other.token ? -1 : 1));

  assert.ok(FOLLOWERS.length > 5);
  assert.deepEqual(sorted(FOLLOWERS), sorted(facts));
});

test("a star is one where the dialect has wildcards", () => {
  const stars = (dialect) => parse("User-agent: *\nDisallow: /a*b\n", { dialect }).decide("/a*b", "x").stars;

  assert.deepEqual([stars("rfc9309"), stars("original-1994")], [[false, true, false], [false]]);
  assert.deepEqual(parse("").decide("/", "x").stars, []);
});

test("a start-group line has the name that it begins with, as its dialect reads it", () => {
  const text = "User-agent:\nUser-agent: GPTBot/1.0\nUser-agent: *\nUser-agent: *a\nDisallow: /\n";

  assert.deepEqual(startNames(parse(text)), [[1, ""], [2, "GPTBot"], [3, "*"], [4, ""]]);
});

test("the start line of a decision is the one that Python's explanation shows", () => {
  const startLine = (text, token) => agentOf(parse(text), token).decide("/").startLine;

  assert.equal(startLine("User-agent: Bar\nUser-agent: *\nDisallow: /\n", "Foo"), 2);
  assert.equal(startLine("User-agent: Bingbot\nUser-agent: Googlebot\nDisallow: /\n", "Googlebot-Image"), 2);
  assert.equal(startLine("User-agent: Bar\nDisallow: /\n", "Foo"), null);
  const robots = parse("User-agent: Bingbot\nUser-agent: Googlebot\nDisallow: /\n");
  assert.match(agentOf(robots, "Googlebot-Image").decide("/").explain(), /  2 \| User-agent: Googlebot\n/);
});

test("what a change opens is proved, with a witness", () => {
  const [before, after] = [ROBOTS, ROBOTS.replace("/private\n", "/private/x\n")].map((text) => parse(text));
  const [changed] = verger.changes(before, after, { followers: FOLLOWERS });
  const [change] = changed.difference.changes;

  assert.deepEqual(changed.tokens, ["*"]);
  assert.ok(change.opened && changed.difference.isExact);
  assert.equal(before.allowed(change.witness, "a"), false);
  assert.equal(after.allowed(change.witness, "a"), true);
});

test("changes show what they say, and are plain values", () => {
  const [before, after] = [ROBOTS, ROBOTS.replace("/private\n", "/private/x\n")].map((text) => parse(text));
  const sets = verger.changes(before, after);
  const [{ difference }] = sets;
  const text = "Change(opened, '/private', witness='/private')";

  assert.equal(inspect(difference.changes[0]), text);
  assert.equal(inspect(sets[0]), `Changed('*', Difference(${text}))`);
  const agents = [before, after].map((file) => file.agent("a"));
  assert.equal(`${verger.difference(...agents)}`, `Difference(${text})`);
  assert.equal(`${verger.difference(...agents, { steps: 1 })}`, "Difference(not exact)");
  assert.equal(`${verger.difference(agents[0], agents[0])}`, "Difference()");
  assert.deepStrictEqual(difference, JSON.parse(JSON.stringify(difference)));
  assert.deepStrictEqual(difference, structuredClone(difference));
});

test("what a new version changes besides rules", () => {
  const before = parse("Sitemap: /a\nSitemap: /a\nUser-agent: *\nCrawl-delay: 1.0\nDisallow:\nUser-agent: GPTBot\nVisit-time: 0600-2400\n");
  const after = parse("SITEMAP: /a\nSite-map: /b\nUser-agent: *\nCrawl-delay: 1\nContent-Signal: ai-train=no,use=full\nDisallow:\nUser-agent: GPTBot\nRequest-rate: 1/5 2300-0100\n");
  const { values, records } = verger.otherRecords(before, after, ["GPTBot", "*", "ExampleBot", "AdsBot-Google"]);

  assert.deepEqual(values, [
    { field: "Request-rate", before: null, after: "1/5 2300-0100", tokens: ["GPTBot"] },
    { field: "Visit-time", before: "0600-2400", after: null, tokens: ["GPTBot"] },
    { field: "Content-Signal", before: null, after: "ai-train=no, use=full", tokens: ["*", "ExampleBot"] },
  ]);
  assert.deepEqual(records, [
    { field: "sitemap", key: "Sitemap", value: "/a", added: false, line: 2 },
    { field: "sitemap", key: "Site-map", value: "/b", added: true, line: 2 },
  ]);
  assert.deepEqual(verger.otherRecords(before, before, ["*"]), { values: [], records: [] });
});

test("where nothing changes within a change is named", () => {
  const texts = ["User-agent: *\nDisallow: /private/in\n", ROBOTS];
  const [was, is] = texts.map((text) => parse(text).agent("a"));
  const [change] = verger.difference(was, is).changes;
  const { parts, isExact, steps } = verger.exempt(change, was, is);

  assert.deepEqual([change.region, isExact], ["/private", true]);
  assert.deepEqual(parts, ["/private/press", "/private/in"]);
  assert.ok(steps > 0);
  assert.equal(verger.exempt(change, was, is, { steps: 1 }).isExact, false);
});

test("two long files are compared, although both are more than the core keeps", () => {
  const text = `User-agent: *\nDisallow: /a\n#${"x".repeat(4_000_000)}\n`;
  const dialect = DIALECTS.rfc9309.replace({ parse_limit: null });
  const files = [text, text.replace("/a", "/b")].map((each) => parse(each, { dialect }));
  assert.equal(verger.changes(...files).length, 1);
  assert.equal(verger.difference(...files.map((each) => each.agent("a"))).changes.length, 2);
});

test("what each rule does", () => {
  const agent = parse("User-agent: *\nDisallow: /a\nDisallow: /a/b\nAllow: /c\n").agent("a");
  assert.deepEqual(verger.effects(agent).map((each) => each.effect), ["decides", "decides", "decides"]);
  assert.deepEqual(verger.redundant(agent).rules.map((rule) => rule.line), [3, 4]);
  // `Allow: /c` decides nothing, but a policy token would say with it that a use is allowed.
  assert.deepEqual(verger.redundantAlone(agent).map((rule) => rule.line), [3]);
  assert.deepEqual(verger.effects(agent).map((each) => each.witness), ["/a", "/a/b", "/c"]);
});

test("what can be removed alone, and not only with others", () => {
  const alone = (text, token = "a") => {
    const agent = parse(text).agent(token);
    const lines = (rules) => rules.map(({ line }) => line);
    return [lines(verger.redundant(agent).rules), lines(verger.redundantAlone(agent))];
  };
  assert.deepEqual(alone("User-agent: *\nDisallow: /\nAllow: /b\nDisallow: /b*\n"), [[3, 4], [3]]);
  const groups = "User-agent: a\nDisallow: /\nUser-agent: a\nDisallow: /a\nUser-agent: b\nAllow: /\n";
  assert.deepEqual(alone(groups), [[4], []]);
});

test("whatever is compiled into the core has its licence in the notices", () => {
  const built = (name) => readFileSync(new URL(`../../build/npm/${name}`, import.meta.url), "latin1");
  const sources = built("verger.wasm").matchAll(/(\/rust\/deps)?\/([a-z\d_-]+)-(\d+\.\d+\.\d+)\/src\//g);
  const crates = Array.from(sources, ([, ofRust, name, version]) =>
    ofRust ? `\`${name}\`` : `| ${name} | ${version} |`,
  );
  const notices = built("THIRD-PARTY-NOTICES.md");

  assert.ok(crates.some((each) => each.startsWith("| sfv |")));
  assert.deepEqual(crates.filter((each) => !notices.includes(each)), []);
  assert.match(notices, /^## [^\n]*sfv[^\n]*\n\n```text\n/m);
});

test("its names are in its types", () => {
  const types = readFileSync(new URL("../../build/npm/types/api.d.ts", import.meta.url), "utf8");
  assert.deepEqual(Object.keys(verger).filter((name) => !types.includes(name)), []);
});
