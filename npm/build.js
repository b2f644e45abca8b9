// Builds the package in ../build/npm from what `make npm` has compiled in ../build/npm-stage.

import { execFileSync } from "node:child_process";
import { appendFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const stage = join(here, "../build/npm-stage");
const out = join(here, "../build/npm");
const wasm = join(stage, "verger.wasm");

const core = {
  name: "core",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^#wasm$/ }, () => ({ path: join(stage, "wasm.js"), sideEffects: false }));
    onResolve({ filter: /^#wasm-base64$/ }, () => ({ path: wasm, namespace: "base64" }));
    onResolve({ filter: /^#crawlers$/ }, () => ({ path: join(stage, "crawlers.json") }));
    onLoad({ filter: /.*/, namespace: "base64" }, () => ({
      contents: `export default "${readFileSync(wasm).toString("base64")}"`,
    }));
  },
};

const common = {
  absWorkingDir: here,
  bundle: true,
  charset: "utf8",
  // What the core holds is freed by src/kept.ts: a registry for each value costs more than the value.
  define: { FinalizationRegistry: "undefined" },
  legalComments: "none",
  logLevel: "warning",
  logOverride: { "empty-import-meta": "silent" },
  minifySyntax: true,
  minifyWhitespace: true,
  plugins: [core],
  target: "es2022",
};

// What else the package exports stands on the same core, as `verger`.
const PARTS = ["crawlers", "robots-parser"];

function besides(main) {
  const setup = ({ onResolve }) =>
    onResolve({ filter: /^verger$/ }, () => ({ path: main, external: true }));
  return [core, { name: "verger", setup }];
}

async function scripts() {
  const inline = { ...common, platform: "neutral", format: "esm" };
  const node = { ...common, platform: "node", format: "cjs" };
  await build({ ...inline, entryPoints: ["src/index-inline.ts"], outfile: `${out}/verger.js` });
  await build({ ...node, entryPoints: ["src/index-node.ts"], outfile: `${out}/node.cjs` });
  for (const part of PARTS) {
    const entryPoints = [`src/${part}.ts`];
    await build({ ...inline, entryPoints, outfile: `${out}/${part}.js`, plugins: besides("./verger.js") });
    await build({ ...node, entryPoints, outfile: `${out}/${part}.cjs`, plugins: besides("./node.cjs") });
  }
  await unstarted(inline);
  // Its own users call what they require.
  appendFileSync(
    join(out, "robots-parser.cjs"),
    "module.exports = Object.assign(module.exports.default, module.exports);\n",
  );
}

/** The same without the core, for bundles that have it in a place of their own and start it. */
async function unstarted(inline) {
  const outdir = `${out}/unstarted`;
  const entryPoints = { start: "src/start.ts", verger: "src/api.ts" };
  await build({ ...inline, entryPoints, outdir, splitting: true, chunkNames: "core" });
  const parts = PARTS.map((part) => `src/${part}.ts`);
  await build({ ...inline, entryPoints: parts, outdir, plugins: besides("./verger.js") });
}

/** In Node, both kinds of modules share one core: the names of the one are those of the other. */
async function moduleOfNode(name) {
  const names = Object.keys(createRequire(import.meta.url)(join(out, `${name}.cjs`)));
  const own = names.filter((name) => name !== "default");
  const lines = [`import all from "./${name}.cjs";`];
  if (own.length) lines.push(`export const { ${own.join(", ")} } = all;`);
  if (own.length < names.length) lines.push("export default all.default;");
  writeFileSync(join(out, `${name}.mjs`), `${lines.join("\n")}\n`);
}

/** Types find each other by their places: a folder that npm links is in no package of this name,
 * for TypeScript that resolves as `node10` does. What is required has the types of CommonJS; and
 * robots-parser is called as it is required. */
function placeTypes() {
  const folder = `${out}/types/cjs`;
  const types = readdirSync(`${out}/types`);
  mkdirSync(folder);
  for (const name of types) {
    const text = readFileSync(`${out}/types/${name}`, "utf8");
    const placed = text.replace('from "verger"', 'from "./index-node.js"');
    for (const kind of [`${out}/types`, folder]) writeFileSync(`${kind}/${name}`, placed);
  }
  writeFileSync(`${folder}/package.json`, '{ "type": "commonjs" }\n');
  cpSync(join(here, "src/required.d.cts"), `${folder}/required.d.ts`);
}

function manifest() {
  const own = JSON.parse(readFileSync(join(here, "manifest.json"), "utf8"));
  const cargo = readFileSync(join(here, "../Cargo.toml"), "utf8");
  const [, version] = /^version = "(.*)"$/m.exec(cargo);
  writeFileSync(join(out, "package.json"), `${JSON.stringify({ ...own, version }, null, 2)}\n`);
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
cpSync(wasm, join(out, "verger.wasm"));
await scripts();
for (const name of ["node", ...PARTS]) await moduleOfNode(name);
// Older TypeScript, with which the tests resolve as `node10` does, has a `tsc` as well.
const tsc = join(here, "node_modules/typescript/bin/tsc");
execFileSync(process.execPath, [tsc, "-p", here], { stdio: "inherit" });
for (const own of ["kept", "memory"]) rmSync(join(out, `types/${own}.d.ts`)); // of the core
placeTypes();
for (const name of ["README.md", "../LICENSE"]) cpSync(join(here, name), join(out, basename(name)));
cpSync(join(stage, "THIRD-PARTY-NOTICES.md"), join(out, "THIRD-PARTY-NOTICES.md"));
manifest();
