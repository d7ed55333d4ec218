/**
 * `cosimo format file`: rewrites texts of the languages that have a formatter. Comments stay, and
 * the meaning does not change.
 */
import type { Command, ExitCode } from "../command.ts";
import { formatFile } from "../format-file.ts";
import { readBytes } from "../read-file.ts";

export const formatCommand: Command = {
  name: "format",
  summary:
    "Rewrite adaptations (.sa), interfaces (.mci), specifications (.mcl) and hints (.hint) in one style.",
  usage: "cosimo format <file>... [--check]",
  arguments: [{ name: "<file>", help: "an .sa, .mci, .mcl or .hint file", many: true }],
  options: { "--check": "write nothing, exit with 1 if something would change" },
  examples: {
    "cosimo format system.mcl plant.mci": "tidy them up",
    "cosimo format --check *.mci": "are they as the formatter writes them?",
  },
  async run(args) {
    let code: ExitCode = 0;
    for (const path of args.positionals) {
      const { value, diagnostics } = readBytes(path);
      const text =
        value === undefined ? { diagnostics } : { value: value.toString("utf8"), diagnostics };
      const command = `cosimo format ${path}`;
      const ended = formatFile(path, text, { checkOnly: args.has("check"), command });
      if (ended !== 0) code = ended;
    }
    return code;
  },
};
