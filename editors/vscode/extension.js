// Starts `verger lsp` and connects VS Code with it. What the server can do, VS Code asks it.

"use strict";

const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

const SECTION = "verger";

let client;

async function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("verger.restart", restart),
    vscode.workspace.onDidChangeConfiguration(async (event) => {
      if (event.affectsConfiguration(`${SECTION}.command`)) await restart();
    }),
  );
  await start();
}

async function deactivate() {
  await client?.dispose();
  client = undefined;
}

async function restart() {
  await deactivate();
  await start();
}

async function start() {
  const settings = vscode.workspace.getConfiguration(SECTION);
  const [command, ...args] = settings.get("command");
  client = new LanguageClient(
    SECTION,
    "verger",
    { command, args },
    {
      documentSelector: [{ language: "robots-txt" }],
      initializationOptions: { dialect: settings.get("dialect") },
      synchronize: { configurationSection: SECTION },
    },
  );
  try {
    await client.start();
  } catch (error) {
    await client.dispose().catch(() => {});
    client = undefined;
    vscode.window.showErrorMessage(
      `verger: \`${[command, ...args].join(" ")}\` does not start: ${error.message ?? error}. ` +
        "Install verger as its README says, or set `verger.command`.",
    );
  }
}

module.exports = { activate, deactivate };
