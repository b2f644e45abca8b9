// The grammar, in the tokenizer of VS Code.

"use strict";

const assert = require("node:assert/strict");
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { test } = require("node:test");
const oniguruma = require("vscode-oniguruma");
const { INITIAL, Registry } = require("vscode-textmate");

const FILE = join(__dirname, "..", "syntaxes", "robots-txt.tmLanguage.json");
const CASES = [
  ["User-agent: GPTBot # x", [["User-agent", "keyword.control.user-agent"], [":", "punctuation.separator.key-value"], ["GPTBot", "entity.name.type.crawler"], ["# x", "comment.line.number-sign"]]],
  ["user-agent:*", [["user-agent", "keyword.control.user-agent"], [":", "punctuation.separator.key-value"], ["*", "constant.language.wildcard"]]],
  ["Disallow: /a*$b%20c$", [["Disallow", "keyword.other.disallow"], [":", "punctuation.separator.key-value"], ["/a", "string.unquoted.path"], ["*", "keyword.operator.wildcard"], ["$", "string.unquoted.path"], ["b", "string.unquoted.path"], ["%20", "constant.character.escape"], ["c", "string.unquoted.path"], ["$", "keyword.operator.wildcard"]]],
  ["Allow : /", [["Allow", "keyword.other.allow"], [":", "punctuation.separator.key-value"], ["/", "string.unquoted.path"]]],
  ["Sitemap: https://a.example/s.xml", [["Sitemap", "keyword.other.record"], [":", "punctuation.separator.key-value"], ["https://a.example/s.xml", "string.unquoted.url"]]],
  ["Crawl-delay: 2.5", [["Crawl-delay", "keyword.other.record"], [":", "punctuation.separator.key-value"], ["2.5", "constant.numeric"]]],
  ["Content-Signal: ai-train=no", [["Content-Signal", "keyword.other.record"], [":", "punctuation.separator.key-value"], ["ai-train", "variable.parameter.signal"], ["=", "keyword.operator.assignment"], ["no", "constant.language"]]],
  ["# Disallow: /", [["# Disallow: /", "comment.line.number-sign"]]],
  ["no field", []],
];

async function grammar() {
  const wasm = readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength));
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (sources) => new oniguruma.OnigScanner(sources),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    loadGrammar: async () => JSON.parse(readFileSync(FILE, "utf8")),
  });
  return registry.loadGrammar("text.robots-txt");
}

test("each part of a line has its scope", async () => {
  const found = await grammar();
  for (const [line, expected] of CASES) {
    const { tokens } = found.tokenizeLine(line, INITIAL);
    const parts = tokens
      .map(({ startIndex, endIndex, scopes }) => [line.slice(startIndex, endIndex), scopes.at(-1).replace(/\.robots-txt$/, "")])
      .filter(([text, scope]) => text.trim() && scope !== "text");
    assert.deepEqual(parts.filter(([, scope]) => scope !== "text.robots-txt"), expected, line);
  }
});
