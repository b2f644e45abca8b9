// Builds dist/index.html: one file that holds the page, its script, and the core as WebAssembly.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";

const options = {
  bundle: true,
  write: false,
  minify: true,
  format: "iife",
  target: ["chrome111", "firefox113", "safari16.4"],
  legalComments: "none",
  logLevel: "warning",
  // The glue of the core could fetch it; this page does not.
  logOverride: { "empty-import-meta": "silent" },
  metafile: true,
};

const STAGE = resolve("../build/npm-stage");

// The package as it is, but for its start: the page unpacks the core once, and hands it to both
// workers. Inside the package, its text would be twice as long, and read twice.
const corePackage = {
  name: "core",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^verger$/ }, () => ({ path: resolve("../npm/src/api.ts") }));
    onResolve({ filter: /^verger\/start$/ }, () => ({ path: resolve("../npm/src/memory.ts") }));
    onResolve({ filter: /^verger\/crawlers$/ }, () => ({
      path: resolve("../npm/src/crawlers.ts"),
    }));
    onResolve({ filter: /^#crawlers$/ }, () => ({ path: `${STAGE}/crawlers.json` }));
    onResolve({ filter: /^#wasm$/ }, () => ({ path: `${STAGE}/wasm.js` }));
    // The page may be opened from a folder, where browsers refuse to fetch a module: it is text in
    // the script, compressed, since not every host compresses.
    onResolve({ filter: /^core:packed$/ }, () => ({
      path: `${STAGE}/verger.wasm`,
      namespace: "core",
    }));
    onLoad({ filter: /.*/, namespace: "core" }, ({ path }) => ({
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
  const worker = await build({
    ...options,
    entryPoints: ["src/worker.ts"],
    plugins: [corePackage],
  });
  const page = await build({
    ...options,
    entryPoints: ["src/main.tsx"],
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [corePackage, workerAsText(worker.outputFiles[0].text)],
  });
  const style = await build({ ...options, entryPoints: ["src/style.css"] });

  mkdirSync("dist", { recursive: true });
  writeFileSync("dist/index.html", html(page.outputFiles[0].text, style.outputFiles[0].text));
  writeFileSync("dist/THIRD-PARTY-NOTICES.txt", notices([worker.metafile, page.metafile]));
}

function html(code, css) {
  const script = code.trim().replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");
  const style = css.trim();
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
  const parts = { policy, icon, style, script };
  return readFileSync("src/index.html", "utf8").replace(
    /\s*\{\{(\w+)\}\}\s*(?=<)|\{\{(\w+)\}\}/g,
    (_, alone, inside) => parts[alone ?? inside],
  );
}

function hashOf(text) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

function notices(metafiles) {
  const inputs = metafiles.flatMap((each) => Object.keys(each.inputs));
  const folders = new Set(
    inputs.map((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(path)?.[0]),
  );
  return [...folders].filter(Boolean).sort().map(notice).join("\n");
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}package.json`));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${name} has no licence file`);
  const rule = "-".repeat(80);
  return `${rule}\n${name} ${version} (${license})\n${rule}\n\n${readFileSync(folder + file)}\n`;
}

await main();
