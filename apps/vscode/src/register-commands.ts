/**
 * The commands of the extension: tasks that run `cosimo` in a terminal, with its findings as
 * problems.
 */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { COMMANDS, type CommandRow, callOf } from "./commands.mts";

export function registerCommands(context: vscode.ExtensionContext): void {
  for (const row of COMMANDS)
    context.subscriptions.push(
      vscode.commands.registerCommand(row.id, (uri?: vscode.Uri) => start(row, uri)),
    );
}

async function start(row: CommandRow, clicked: vscode.Uri | undefined): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  const file = (clicked ?? editor?.document.uri)?.fsPath;
  const call = file && callOf(row, file, vscode.workspace.isTrusted);
  if (!file || !call) {
    const kinds = row.endings.join(", ");
    void vscode.window.showWarningMessage(`Cosimo: ${row.title} is for ${kinds} files.`);
    return;
  }
  if (editor?.document.uri.fsPath === file) await editor.document.save();
  const folder = vscode.workspace.getWorkspaceFolder(vscode.Uri.file(file));
  const program = programFor(folder?.uri.fsPath ?? dirname(file));
  if (row.shows !== undefined) await show(program, call.args, row.shows);
  else await runTask(row, folder, program, call.args, row.opens ? call.made : undefined);
}

/** The setting, the package of the folder, or what the terminal finds. */
function programFor(folder: string): string {
  const set = vscode.workspace.getConfiguration("cosimo").get<string>("command") ?? "";
  if (set !== "") return set;
  const name = process.platform === "win32" ? "cosimo.cmd" : "cosimo";
  const local = join(folder, "node_modules", ".bin", name);
  return existsSync(local) ? local : "cosimo";
}

async function runTask(
  row: CommandRow,
  folder: vscode.WorkspaceFolder | undefined,
  program: string,
  args: readonly string[],
  opened: string | undefined,
): Promise<void> {
  const task = new vscode.Task(
    { type: "cosimo", command: row.id },
    folder ?? vscode.TaskScope.Workspace,
    row.title,
    "cosimo",
    new vscode.ShellExecution(program, [...args]),
    "$cosimo",
  );
  task.presentationOptions = { clear: true, showReuseMessage: false };
  const running = await vscode.tasks.executeTask(task);
  if (opened === undefined) return;
  const ended = vscode.tasks.onDidEndTaskProcess(({ execution, exitCode }) => {
    if (execution !== running) return;
    ended.dispose();
    if (exitCode === 0) void vscode.env.openExternal(vscode.Uri.file(opened));
  });
}

/** The output as a text of its own, beside the file. */
async function show(program: string, args: readonly string[], language: string): Promise<void> {
  const content = await new Promise<string>((resolve) => {
    const options = { shell: process.platform === "win32", maxBuffer: 1 << 26 };
    execFile(program, [...args], options, (error, stdout, stderr) => {
      if (error !== null)
        void vscode.window.showErrorMessage(`Cosimo: ${stderr.trim() || error.message}`);
      resolve(error === null ? stdout : "");
    });
  });
  if (content === "") return;
  const document = await vscode.workspace.openTextDocument({ content, language });
  await vscode.window.showTextDocument(document, vscode.ViewColumn.Beside);
}
