// The package of JavaScript beside others of npm: how large, how soon there, how fast.
//
// In: a folder of real files. Out: for each package its size as esbuild bundles it for browsers,
// compressed; the time from its import to its first answer, in Node and in Chromium, each in a new
// process or page; and the processor's time for parsing a file and answering one question, in Node,
// in rounds in turn. Medians; writes build/bench/packages.json. `make bench-npm` runs it.

import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";

import { startBrowser, stopBrowser } from "../test/browser.js";
import { median, round, serve, write } from "./common.js";

const [folder] = process.argv.slice(2);
const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
const FILE = "https://example.com/robots.txt";
const PATH = "/some/page.html?x=1";
const URL_ASKED = `https://example.com${PATH}`;
const ROUNDS = 7;
const STARTS = 15;

/** How each is asked the same question; `answer` takes the text of a file. */
const PACKAGES = {
  verger: `import { parse } from "verger";
    export const answer = (text) =>
      parse(text, { url: "${FILE}" }).allowed("${URL_ASKED}", "ExampleBot");`,
  "robots-parser": `import robotsParser from "robots-parser";
    export const answer = (text) =>
      robotsParser("${FILE}", text).isAllowed("${URL_ASKED}", "ExampleBot");`,
  "robots-txt-parser": `import robotsParser from "robots-txt-parser";
    export const answer = (text) => {
      const robots = robotsParser({ userAgent: "ExampleBot" });
      robots.parseRobots("${FILE}", text);
      return robots.canCrawlSync("${URL_ASKED}");
    };`,
  "robots-txt-parse and -guard": `import parse from "robots-txt-parse";
    import guard from "robots-txt-guard";
    import { Readable } from "node:stream";
    export const answer = async (text) =>
      guard(await parse(Readable.from([text]))).isAllowed("ExampleBot", "${PATH}");`,
};

/** A folder inside this one, so that imports find what is installed here. */
const OUT = fileURLToPath(new URL("../dist/bench/", import.meta.url));
rmSync(OUT, { recursive: true, force: true });
mkdirSync(OUT, { recursive: true });
const fileOf = (name, kind) => join(OUT, `${name.replaceAll(" ", "-")}.${kind}`);

/** The bundle for browsers; null where a package needs what only Node has. */
async function bundled(name) {
  const options = { bundle: true, minify: true, format: "esm", platform: "browser" };
  const entryPoints = [fileOf(name, "mjs")];
  try {
    await build({ ...options, entryPoints, outfile: fileOf(name, "js"), logLevel: "silent" });
    return readFileSync(fileOf(name, "js"));
  } catch {
    return null;
  }
}

const FIRST = "User-agent: *\nDisallow: /private\n";

function startInNode(name) {
  const script = `const since = performance.now();
    const { answer } = await import(${JSON.stringify(pathToFileURL(fileOf(name, "mjs")))});
    await answer(${JSON.stringify(FIRST)});
    console.log(performance.now() - since);`;
  return Number(execFileSync("node", ["--input-type=module", "-e", script]));
}

async function startInBrowser(browser, url, name) {
  const page = await browser.newPage();
  await page.goto(`${url}/blank.html`);
  const path = `/${name.replaceAll(" ", "-")}.js`;
  const taken = await page.evaluate(
    async ([path, text]) => {
      const since = performance.now();
      const { answer } = await import(path);
      await answer(text);
      return performance.now() - since;
    },
    [path, FIRST],
  );
  await page.close();
  return taken;
}

/** A package, asked about one file after another; it may throw. */
async function measured(name) {
  const { answer } = await import(pathToFileURL(fileOf(name, "mjs")));
  return { answer, taken: [], thrown: 0 };
}

/** Microseconds of the processor for a file, and how many files made it throw. */
async function time({ answer }) {
  const before = process.cpuUsage();
  let thrown = 0;
  for (const text of files) {
    try {
      await answer(text);
    } catch {
      thrown++;
    }
  }
  const { user, system } = process.cpuUsage(before);
  return { taken: (user + system) / files.length, thrown };
}

async function times() {
  const found = {};
  for (const name of Object.keys(PACKAGES)) found[name] = await measured(name);
  for (let number = 0; number < ROUNDS; number++) {
    for (const each of Object.values(found)) {
      const { taken, thrown } = await time(each);
      each.taken.push(taken);
      each.thrown = thrown;
    }
  }
  return found;
}

writeFileSync(join(OUT, "blank.html"), "<!doctype html>");
for (const [name, code] of Object.entries(PACKAGES)) writeFileSync(fileOf(name, "mjs"), code);
const answered = await times();
const { url, stop } = await serve({ "/": OUT });
const browser = await startBrowser();
const repeated = async (start) => {
  const taken = [];
  for (let number = 0; number < STARTS; number++) taken.push(await start());
  return round(median(taken));
};
const result = {};
for (const name of Object.keys(PACKAGES)) {
  const bundle = await bundled(name);
  result[name] = {
    gzipped: bundle && gzipSync(bundle, { level: 9 }).length,
    node_start_ms: await repeated(() => startInNode(name)),
    chromium_start_ms: bundle && (await repeated(() => startInBrowser(browser, url, name))),
    file_us: round(median(answered[name].taken)),
    files_thrown_on: answered[name].thrown,
  };
}
await stopBrowser();
await stop();
console.log(`${files.length} files, Node ${process.version}, Chromium; medians`);
write("packages.json", result);
