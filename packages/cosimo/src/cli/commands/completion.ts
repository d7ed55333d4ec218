/**
 * `cosimo completion bash`: the script that makes a shell complete commands, options and their
 * values. A new shell is a row here.
 */
import { nearest } from "../../base/nearest.ts";
import { type Command, type CommandTable, UsageError } from "../command.ts";
import { bashCompletion } from "../completion/bash.ts";
import { type CompletedTable, completedTable } from "../completion/completed-command.ts";
import { fishCompletion } from "../completion/fish.ts";
import { zshCompletion } from "../completion/zsh.ts";
import { printJson, printPlain } from "../terminal.ts";

const SHELLS: Readonly<Record<string, (table: CompletedTable) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};
const NAMES = Object.keys(SHELLS);

/** @param table of all commands, this one included. */
export function completionCommand(table: CommandTable): Command {
  return {
    name: "completion",
    summary: "Print the script that makes a shell complete commands, options and their values.",
    usage: `cosimo completion <${NAMES.join("|")}>`,
    details:
      "The script is made from the commands of this version. For this shell only, run what the examples show; to keep it, put the same line\n" +
      "into ~/.bashrc or ~/.zshrc (behind compinit), or write the script to ~/.config/fish/completions/cosimo.fish.",
    arguments: [{ name: "<shell>", help: NAMES.join(", ") }],
    options: { "--json": "print commands and options as JSON, for another shell or editor" },
    values: { "": NAMES },
    examples: {
      'eval "$(cosimo completion bash)"': "bash",
      "source <(cosimo completion zsh)": "zsh",
      "cosimo completion fish | source": "fish",
    },
    async run(args) {
      const shell = SHELLS[args.first];
      if (shell === undefined) {
        const guess = nearest(args.first, NAMES);
        throw new UsageError(
          `there is no completion for '${args.first}'`,
          guess ? `did you mean ${guess}?` : `one of ${NAMES.join(", ")}`,
        );
      }
      const completed = await completedTable(table);
      if (args.has("json")) printJson(completed);
      else printPlain(shell(completed));
      return 0;
    },
  };
}
