// Builds dist/index.html: one file that holds the page, its script, and the core as WebAssembly.

import { build } from "esbuild";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";



const options = {
  bundle: true,
  write: false,
  minify: true,
  format: "iife",
  target: ["chrome111", "firefox113", "safari16.4"],
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
  alias: { verger: "../build/npm/verger.js" },
};

// The page may be opened from a folder, where browsers refuse to fetch a module: the module is text
// in the script, compressed, since not every host compresses.
const wasmAsText = {
  name: "wasm as text",
  setup({ onLoad }) {
    onLoad({ filter: /\.wasm$/ }, ({ path }) => {
      const packed = gzipSync(readFileSync(path), { level: 9 }).toString("base64");
      return { contents: packed, loader: "text" };
    });
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
    plugins: [wasmAsText],
  });
  const page = await build({
    ...options,
    entryPoints: ["src/main.tsx"],
    jsx: "automatic",
    jsxImportSource: "preact",
    plugins: [workerAsText(worker.outputFiles[0].text)],
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
  const folders = new Set(inputs.map((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+\//.exec(path)?.[0]));
  return [...folders].filter(Boolean).filter(isOfOthers).sort().map(notice).join("\n");
}

function isOfOthers(folder) {
  return folder !== "node_modules/verger/";
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(`${folder}package.json`));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${name} has no licence file`);
  const rule = "-".repeat(80);
  return `${rule}\n${name} ${version} (${license})\n${rule}\n\n${readFileSync(folder + file)}\n`;
}

await main();
