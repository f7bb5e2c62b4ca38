// Starts accache lsp for C files; everything it shows comes from there.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

const start = async () => {
  const settings = vscode.workspace.getConfiguration("accache");
  const server = { command: settings.get("command"), args: ["lsp", ...settings.get("arguments")] };
  client = new LanguageClient("accache", "accache", server, { documentSelector: [{ scheme: "file", language: "c" }] });
  try {
    await client.start();
  } catch (error) {
    vscode.window.showErrorMessage(`accache lsp does not start (pip install '.[lsp]' in a checkout of accache): ${error.message}`);
  }
};

exports.activate = async (context) => {
  const restart = async () => {
    await client?.stop();
    await start();
  };
  context.subscriptions.push(
    vscode.commands.registerCommand("accache.restart", restart),
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration("accache") && restart()),
  );
  await start();
};

exports.deactivate = () => client?.stop();
