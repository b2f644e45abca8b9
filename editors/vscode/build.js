// Bundles the extension into dist/, with the licences of the packages whose code is in the bundle.

"use strict";

const { build } = require("esbuild");
const { cpSync, readdirSync, readFileSync, writeFileSync } = require("node:fs");
const { join } = require("node:path");

const PACKAGE = /^node_modules\/(?:.*\/node_modules\/)?((?:@[^/]+\/)?[^/]+)\//;

async function main() {
  const { metafile } = await build({
    entryPoints: ["extension.js"],
    outfile: "dist/extension.js",
    bundle: true,
    minify: true,
    platform: "node",
    target: "node20",
    format: "cjs",
    external: ["vscode"],
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
  });
  const folders = new Set(Object.keys(metafile.inputs).map(folderOf).filter(Boolean));
  writeFileSync("dist/THIRD-PARTY-NOTICES.txt", [...folders].sort().map(notice).join("\n"));
  cpSync("../../LICENSE", "LICENSE.txt");
}

function folderOf(path) {
  return PACKAGE.exec(path)?.[0];
}

function notice(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json")));
  const file = readdirSync(folder).find((each) => /^licen[cs]e/i.test(each));
  if (!file) throw new Error(`${name} has no licence file`);
  const rule = "-".repeat(80);
  return `${rule}\n${name} ${version} (${license})\n${rule}\n\n${readFileSync(join(folder, file))}\n`;
}

main();
