/**
 * The part that lives inside VS Code: it starts the language server beside it, passes on whether
 * the folder is trusted, and registers the commands. Everything else is the server's business.
 */
import * as vscode from "vscode";
import { LanguageClient, TransportKind } from "vscode-languageclient/node.js";
import { registerCommands } from "./register-commands.ts";

let client: LanguageClient | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  registerCommands(context);
  const { isTrusted } = vscode.workspace;
  const patienceSeconds = vscode.workspace
    .getConfiguration("cosimo")
    .get<number>("patienceSeconds");
  const started = new LanguageClient(
    "cosimo",
    "Cosimo",
    {
      module: context.asAbsolutePath("dist/server/modules/server.js"),
      transport: TransportKind.stdio,
    },
    {
      documentSelector: ["sa", "mci", "mcl", "hint", "yaml"].map((language) => ({ language })),
      initializationOptions: { trusted: isTrusted, patienceSeconds },
    },
  );
  client = started;
  const trust = vscode.workspace.onDidGrantWorkspaceTrust(() =>
    started.sendNotification("cosimo/trusted"),
  );
  context.subscriptions.push(trust);
  await started.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
