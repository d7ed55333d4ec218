/**
 * `cosimo info model.fmu`: a page about an FMU, for a person who has just received it.
 */
import { hasErrors } from "../../base/diagnostic.ts";
import { type FmuFile, openFmuFile } from "../../platform/node/fmu-file.ts";
import type { Command, ExitCode } from "../command.ts";
import { printFindings } from "../findings.ts";
import { infoPage } from "../info/info-page.ts";
import { variableTable } from "../info/variable-table.ts";
import { print, printError, printJson } from "../terminal.ts";

export const infoCommand: Command = {
  name: "info",
  summary:
    "Explain an FMU: identity, interfaces, variables, and what it can do in a co-simulation.",
  usage: "cosimo info <model.fmu> … [--variables [pattern]] [--json]",
  arguments: [
    {
      name: "<model.fmu>",
      help: "an FMU of FMI 1.0, 2.0 or 3.0, packed or unpacked; several of them one after the other",
      many: true,
    },
  ],
  options: {
    "--variables [pattern]": "list all variables, or those whose name matches (* and ?)",
    "--json": "print the whole description as JSON; of several FMUs a list",
  },
  examples: {
    "cosimo info BouncingBall.fmu": "what is this, and what can it do?",
    "cosimo info Engine.fmu --variables 'temp*'": "all variables whose names begin with temp",
    "cosimo info *.fmu": "what are these?",
    "cosimo info Engine.fmu --json | jq '.variables | length'": "the description for machines",
  },
  async run(args) {
    const isSeveral = args.positionals.length > 1;
    const answers: unknown[] = [];
    let code: ExitCode = 0;
    for (const [i, path] of args.positionals.entries()) {
      const opened = openFmuFile(path);
      printFindings(opened.diagnostics.slice(0, MAX_SHOWN));
      if (opened.diagnostics.length > MAX_SHOWN)
        printError(`… and ${opened.diagnostics.length - MAX_SHOWN} more; see 'cosimo validate'`);
      const fmu = opened.value;
      if (fmu === undefined || hasErrors(opened.diagnostics)) code = 1;
      if (args.has("json")) {
        const { diagnostics } = opened;
        if (fmu !== undefined) answers.push(fmuFacts(fmu));
        else if (isSeveral) answers.push({ path, diagnostics });
      } else if (fmu !== undefined) {
        if (isSeveral) print(`${i === 0 ? "" : "\n"}== ${path}`);
        print(
          args.has("variables")
            ? variableTable(fmu.description, args.one("variables") || "*")
            : infoPage(fmu),
        );
      }
    }
    if (answers.length > 0) printJson(isSeveral ? answers : answers[0], jsonValue);
    return code;
  },
};

/** What `--json` prints. */
export function fmuFacts({ path, description, contents }: FmuFile): object {
  return { path, ...description, contents };
}

const MAX_SHOWN = 10;

/** 64-bit integers and bytes have no JSON form: decimal text and hexadecimal text. */
function jsonValue(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (value instanceof Map) return Object.fromEntries(value);
  return value;
}
