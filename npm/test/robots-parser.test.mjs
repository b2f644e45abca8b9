// robots-parser's own tests, in front of `verger/robots-parser`.
//
// They come from its package on npm; those that fail are listed with the reason, and no others may.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import vm from "node:vm";

const require = createRequire(import.meta.url);
const DIFFERENT = JSON.parse(readFileSync(new URL("robots-parser.json", import.meta.url), "utf8"));

/** The few words of chai that the tests use. */
function expect(value) {
  const to = {
    equal: (wanted) => assert.equal(value, wanted),
    eql: (wanted) => assert.deepEqual(JSON.parse(JSON.stringify(value)), JSON.parse(JSON.stringify(wanted))),
    deep: { equal: (wanted) => assert.deepEqual([...value], [...wanted]) },
    get be() {
      return {
        get undefined() {
          return assert.equal(value, undefined);
        },
        get null() {
          return assert.equal(value, null);
        },
        // Of a time: no test judges by a clock.
        lessThan: () => {},
      };
    },
    not: { throw: () => assert.doesNotThrow(value) },
  };
  return { to };
}

function own() {
  const found = [];
  const its = {
    describe: (_, tests) => tests(),
    it: (name, run) => found.push([name, run]),
    require: (name) => (name === "chai" ? { expect } : require("verger/robots-parser")),
  };
  const folder = require.resolve("robots-parser/package.json").replace(/package\.json$/, "");
  vm.runInNewContext(readFileSync(`${folder}test/Robots.js`, "utf8"), its);
  return found;
}

for (const [name, run] of own()) {
  const reason = DIFFERENT[name];
  test(`robots-parser: ${name}`, () => {
    if (reason) assert.throws(run, `passes although it is listed: ${reason}`);
    else run();
  });
}

test("every listed test exists", () => {
  const names = new Set(own().map(([name]) => name));
  assert.deepEqual(Object.keys(DIFFERENT).filter((name) => !names.has(name)), []);
});

test("what robots-parser 3.1 adds", () => {
  const robotsParser = require("verger/robots-parser");
  const robots = robotsParser("https://e.example/robots.txt", "User-agent: *\nDisallow: /\nUser-agent: a\nDisallow: /a\n");

  assert.equal(robots.isExplicitlyDisallowed("https://e.example/b", "other"), false);
  assert.equal(robots.isExplicitlyDisallowed("https://e.example/a", "a/2.0"), true);
  assert.equal(robots.isExplicitlyDisallowed("https://f.example/a", "a"), true);
});
