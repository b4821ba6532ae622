// Starts `gchr lsp` for .trs and .chr texts.

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

function activate() {
  const command = workspace.getConfiguration("gchr").get("command");
  client = new LanguageClient(
    "gchr",
    "gchr",
    { command, args: ["lsp"] },
    { documentSelector: [{ language: "gchr-trs" }, { language: "gchr-chr" }] }
  );
  return client.start();
}

function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
