// The package of JavaScript beside robots-parser, in one run: parse a file and answer one question.
//
// In: a folder of real files. Out: ratios of the processor's time, medians of seven rounds in turn, and
// sizes. `make bench-npm` builds and runs it.

import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const built = join(dirname(fileURLToPath(import.meta.url)), "../build/npm");
const { parse } = await import(join(built, "node.mjs"));
const robotsParser = createRequire(join(built, "../../npm/build.js"))("robots-parser");

const [folder] = process.argv.slice(2);
const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
const FILE = "https://example.com/robots.txt";
const URL_ASKED = "https://example.com/some/page.html?x=1";
const ROUNDS = 7;

const contests = {
  "robots-parser": (text) => robotsParser(FILE, text).isAllowed(URL_ASKED, "ExampleBot"),
  verger: (text) => parse(text, { url: FILE }).allowed(URL_ASKED, "ExampleBot"),
  "verger, any origin": (text) => parse(text).allowed(URL_ASKED, "ExampleBot"),
};

/** Microseconds of the processor for a file. */
function round(answer) {
  const before = process.cpuUsage();
  files.forEach(answer);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / files.length;
}

const times = Object.fromEntries(Object.keys(contests).map((name) => [name, []]));
for (let number = 0; number < ROUNDS; number++) {
  for (const [name, answer] of Object.entries(contests)) times[name].push(round(answer));
}
const medianOf = (numbers) => numbers.slice().sort((one, other) => one - other)[ROUNDS >> 1];
const base = medianOf(times["robots-parser"]);
console.log(`parse and one answer, ${files.length} real files`);
for (const [name, own] of Object.entries(times)) {
  const median = medianOf(own);
  const ratio = `${(base / median).toFixed(1)}x`;
  console.log(`${name.padEnd(20)} ${median.toFixed(1).padStart(6)} us a file ${ratio.padStart(7)}`);
}
for (const name of ["verger.wasm", "node.cjs", "verger.js", "crawlers.js", "robots-parser.js"]) {
  const bytes = readFileSync(join(built, name));
  const packed = gzipSync(bytes, { level: 9 }).length;
  console.log(`${name.padEnd(20)} ${bytes.length.toLocaleString("en")} bytes, ${packed.toLocaleString("en")} gzipped`);
}
