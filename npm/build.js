// Builds the package in ../build/npm from what `make npm` has compiled in ../build/npm-stage.

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
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

async function scripts() {
  const inline = { ...common, platform: "neutral" };
  await build({ ...inline, format: "esm", entryPoints: ["src/index-inline.ts"], outfile: `${out}/verger.js` });
  await build({
    ...common,
    platform: "node",
    format: "cjs",
    entryPoints: ["src/index-node.ts"],
    outfile: `${out}/node.cjs`,
  });
}

/** In Node, both kinds of modules share one core: the names of the one are those of the other. */
async function moduleOfNode() {
  const names = Object.keys(await import(join(out, "node.cjs"))).filter((name) => /^\w+$/.test(name));
  const own = names.filter((name) => !["default", "module"].includes(name) && !name.startsWith("__"));
  writeFileSync(
    join(out, "node.mjs"),
    `import verger from "./node.cjs";\nexport const { ${own.join(", ")} } = verger;\n`,
  );
}

function manifest() {
  const { scripts, devDependencies, private: _, ...own } = JSON.parse(readFileSync(join(here, "package.json")));
  const version = /^version = "(.*)"$/m.exec(readFileSync(join(here, "../Cargo.toml"), "utf8"))[1];
  writeFileSync(join(out, "package.json"), JSON.stringify({ ...own, version }, null, 2) + "\n");
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
cpSync(wasm, join(out, "verger.wasm"));
await scripts();
await moduleOfNode();
execFileSync(join(here, "node_modules/.bin/tsc"), ["-p", here], { stdio: "inherit" });
for (const name of ["README.md"]) cpSync(join(here, name), join(out, name));
cpSync(join(here, "../LICENSE"), join(out, "LICENSE"));
manifest();
