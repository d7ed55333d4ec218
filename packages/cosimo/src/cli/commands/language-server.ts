/**
 * `cosimo language-server --stdio`: what editors start to understand scenarios, `.sa`, `.mci`,
 * `.mcl` and `.hint` files. It runs until the editor goes away.
 */
import { type Command, type ExitCode, UsageError } from "../command.ts";
import { VERSION } from "../version.ts";

export const languageServerCommand: Command = {
  name: "language-server",
  summary:
    "Serve an editor: checks, completion, explanations, renaming and formatting of scenarios, .sa, .mci, .mcl and .hint files.",
  usage: "cosimo language-server --stdio",
  details:
    "Speaks the Language Server Protocol on standard input and output; editors start it, people do not. How to configure an editor is in the\n" +
    "guide (docs/guide/editors.md). Inner units are opened and modules are run, as 'cosimo adapt' does, in a thread of their own.",
  arguments: [],
  options: {
    "--stdio": "speak on standard input and output",
    "--clientProcessId <pid>": "end when this process does; editors give it",
  },
  examples: {
    "cosimo language-server --stdio": "what to write into the configuration of an editor",
  },
  async run(args): Promise<ExitCode> {
    if (!args.has("stdio"))
      throw new UsageError(
        "language-server is started by editors, which talk to it",
        "write 'cosimo language-server --stdio' into the configuration of the editor",
      );
    const { serveOnStdio } = await import("../../host/language-server/server.ts");
    serveOnStdio({ version: VERSION });
    // The connection ends the process: with 0 after 'shutdown' and 'exit'.
    return new Promise<ExitCode>(() => undefined);
  },
};
