// Builds dist/index.html: one file that holds the page, its script, and the core as WebAssembly. Prints
// the folders of the packages that it bundled.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const options = {
  bundle: true,
  write: false,
  minify: true,
  format: "iife",
  conditions: ["verger-start"],
  target: ["chrome111", "firefox113", "safari16.4"],
  legalComments: "none",
  logLevel: "warning",
  // The glue of the core could fetch it; this page does not.
  logOverride: { "empty-import-meta": "silent" },
  metafile: true,
};

// The page may be opened from a folder, where browsers refuse to fetch a module: the core is text in the
// script, compressed, since not every host compresses. The page unpacks it once, for both workers.
const packedCore = {
  name: "core",
  setup({ onLoad }) {
    onLoad({ filter: /\.wasm$/ }, ({ path }) => ({
      contents: gzipSync(readFileSync(path), { level: 9 }).toString("base64"),
      loader: "text",
    }));
  },
};

// A worker needs a script of its own, which is text in the script of the page, too.
function workerAsText(code) {
  return {
    name: "worker as text",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^worker:code$/ }, () => ({ path: "worker", namespace: "worker" }));
      onLoad({ filter: /.*/, namespace: "worker" }, () => ({ contents: code, loader: "text" }));
    },
  };
}

async function main() {
  const worker = await build({ ...options, entryPoints: ["src/worker.ts"] });
  const page = await build({
    ...options,
    entryPoints: ["src/main.tsx"],
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [packedCore, workerAsText(worker.outputFiles[0].text)],
  });
  const style = await build({ ...options, entryPoints: ["src/style.css"] });

  mkdirSync("dist", { recursive: true });
  const folders = foldersOf([worker.metafile, page.metafile]);
  const parts = [page, style].map(({ outputFiles }) => outputFiles[0].text.trim());
  writeFileSync("dist/index.html", html(...parts, folders.map(named).join(", ")));
  console.log(folders.join("\n"));
}

function html(code, style, packages) {
  const script = code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const policy = [
    "default-src 'none'",
    `script-src '${hashOf(script)}' 'wasm-unsafe-eval'`,
    `style-src '${hashOf(style)}'`,
    "worker-src blob:",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const icon = `data:image/svg+xml,${encodeURIComponent(readFileSync("src/icon.svg", "utf8").trim())}`;
  const parts = { policy, icon, style, script, packages };
  return readFileSync("src/index.html", "utf8").replace(
    /\s*\{\{(\w+)\}\}\s*(?=<)|\{\{(\w+)\}\}/g,
    (_, alone, inside) => parts[alone ?? inside],
  );
}

function hashOf(text) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** The folders of the packages whose code is in the page. */
function foldersOf(metafiles) {
  const inputs = metafiles.flatMap((each) => Object.keys(each.inputs));
  const found = inputs.map((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0]);
  return [...new Set(found)].filter(Boolean).sort();
}

function named(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`));
  return `${name} ${version} (${license})`;
}

await main();
