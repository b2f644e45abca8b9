// The protocol half of the extension's language client, driven against `verger lsp`: the messages
// are written, read and framed by the same packages that VS Code's client uses.

"use strict";

const assert = require("node:assert/strict");
const { spawn } = require("node:child_process");
const { after, before, test } = require("node:test");
const protocol = require("vscode-languageserver-protocol/node");

const [COMMAND, ...ARGS] = JSON.parse(process.env.VERGER_COMMAND ?? '["verger", "lsp"]');
const URI = "file:///site/robots.txt";
const SHOP = "User-agent: *\nDisallow: /x\nAllow: /x\nDisallow: /x\n\nUser-agent: GPTBot\nDissalow: /\n";

let server, connection;
const told = [];
const waiting = [];

before(async () => {
  server = spawn(COMMAND, ARGS, { stdio: ["pipe", "pipe", "inherit"] });
  connection = protocol.createProtocolConnection(
    new protocol.StreamMessageReader(server.stdout),
    new protocol.StreamMessageWriter(server.stdin),
  );
  connection.onNotification(protocol.PublishDiagnosticsNotification.type, (params) => {
    const next = waiting.shift();
    if (next) next(params);
    else told.push(params);
  });
  connection.listen();
});

after(() => server.kill());

function problems() {
  return told.length ? told.shift() : new Promise((resolve) => waiting.push(resolve));
}

const textDocument = { uri: URI };
const whole = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };

test("a session as VS Code has it", async () => {
  const { capabilities } = await connection.sendRequest(protocol.InitializeRequest.type, {
    processId: process.pid,
    rootUri: null,
    initializationOptions: { dialect: null },
    capabilities: {
      general: { positionEncodings: ["utf-16"] },
      textDocument: { hover: { contentFormat: ["markdown", "plaintext"] } },
    },
  });
  assert.equal(capabilities.positionEncoding, "utf-16");
  assert.equal(capabilities.textDocumentSync.change, protocol.TextDocumentSyncKind.Incremental);

  await connection.sendNotification(protocol.InitializedNotification.type, {});
  await connection.sendNotification(protocol.DidChangeConfigurationNotification.type, {
    settings: { verger: { command: ["verger", "lsp"], dialect: null, trace: { server: "off" } } },
  });
  await connection.sendNotification(protocol.DidOpenTextDocumentNotification.type, {
    textDocument: { uri: URI, languageId: "robots-txt", version: 1, text: SHOP },
  });
  const { diagnostics, version } = await problems();
  assert.equal(version, 1);
  assert.ok(diagnostics.every((each) => each.source === "verger"));
  const repeated = diagnostics.find((each) => each.data.name === "repeated-rule");
  assert.ok(repeated, JSON.stringify(diagnostics));

  const actions = await connection.sendRequest(protocol.CodeActionRequest.type, {
    textDocument,
    range: repeated.range,
    context: { diagnostics: [repeated] },
  });
  const fix = actions.find((each) => each.isPreferred);
  assert.equal(fix.kind, protocol.CodeActionKind.QuickFix);
  const edit = fix.edit.changes[URI][0];

  await connection.sendNotification(protocol.DidChangeTextDocumentNotification.type, {
    textDocument: { uri: URI, version: 2 },
    contentChanges: [{ range: edit.range, text: edit.newText }],
  });
  const after = await problems();
  assert.equal(after.version, 2);
  assert.ok(!after.diagnostics.some((each) => each.data.name === "repeated-rule"));
});

test("every feature answers", async () => {
  const position = { line: 1, character: 12 };
  const ask = (type, params) => connection.sendRequest(type, { textDocument, ...params });

  const hover = await ask(protocol.HoverRequest.type, { position });
  assert.equal(hover.contents.kind, "markdown");
  assert.match(hover.contents.value, /^\*\*Disallows\*\* paths that begin with `\/x`/);
  const { items } = await ask(protocol.CompletionRequest.type, { position: { line: 0, character: 12 } });
  assert.ok(items.some((each) => each.label === "GPTBot" && each.detail === "OpenAI · training"));
  const symbols = await ask(protocol.DocumentSymbolRequest.type, {});
  assert.deepEqual(symbols.map((each) => each.name), ["*", "GPTBot"]);
  assert.ok((await ask(protocol.FoldingRangeRequest.type, {})).length);
  assert.ok((await ask(protocol.SemanticTokensRequest.type, {})).data.length % 5 === 0);
  assert.ok((await ask(protocol.InlayHintRequest.type, { range: whole })).length);
  assert.equal((await ask(protocol.CodeLensRequest.type, {})).length, 2);
  const options = { tabSize: 4, insertSpaces: true };
  assert.ok(Array.isArray(await ask(protocol.DocumentFormattingRequest.type, { options })));
});

test("nonsense is an error, and the server lives on", async () => {
  await assert.rejects(connection.sendRequest("verger/nothing", {}), {
    code: protocol.ErrorCodes.MethodNotFound,
  });
  await assert.rejects(connection.sendRequest("textDocument/hover", { textDocument }), {
    code: protocol.ErrorCodes.InvalidParams,
  });
});

test("the end", async () => {
  const ended = new Promise((resolve) => server.on("exit", resolve));
  await connection.sendRequest(protocol.ShutdownRequest.type);
  await connection.sendNotification(protocol.ExitNotification.type);
  assert.equal(await ended, 0);
});
