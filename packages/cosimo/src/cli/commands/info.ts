/**
 * `cosimo info model.fmu`: a page about an FMU, for a person who has just received it.
 */
import { hasErrors } from "../../base/diagnostic.ts";
import { openFmuFile } from "../../platform/node/fmu-file.ts";
import type { Command } from "../command.ts";
import { printFindings } from "../findings.ts";
import { infoPage } from "../info/info-page.ts";
import { variableTable } from "../info/variable-table.ts";
import { print, printError, printJson } from "../terminal.ts";

export const infoCommand: Command = {
  name: "info",
  summary:
    "Explain an FMU: identity, interfaces, variables, and what it can do in a co-simulation.",
  usage: "cosimo info <model.fmu> [--variables [pattern]] [--json]",
  arguments: [{ name: "<model.fmu>", help: "an FMU of FMI 2.0 or 3.0, packed or unpacked" }],
  options: {
    "--variables [pattern]": "list all variables, or those whose name matches (* and ?)",
    "--json": "print the whole description as JSON",
  },
  examples: {
    "cosimo info BouncingBall.fmu": "what is this, and what can it do?",
    "cosimo info Engine.fmu --variables 'temp*'": "all variables whose names begin with temp",
    "cosimo info Engine.fmu --json | jq '.variables | length'": "the description for machines",
  },
  async run(args) {
    const opened = openFmuFile(args.first);
    printFindings(opened.diagnostics.slice(0, MAX_SHOWN));
    if (opened.diagnostics.length > MAX_SHOWN) {
      printError(`… and ${opened.diagnostics.length - MAX_SHOWN} more; see 'cosimo validate'`);
    }
    const fmu = opened.value;
    if (fmu === undefined) return 1;
    if (args.has("json")) {
      const answer = { path: fmu.path, ...fmu.description, contents: fmu.contents };
      printJson(answer, jsonValue);
    } else if (args.has("variables")) {
      print(variableTable(fmu.description, args.one("variables") || "*"));
    } else {
      print(infoPage(fmu));
    }
    return hasErrors(opened.diagnostics) ? 1 : 0;
  },
};

const MAX_SHOWN = 10;

/** 64-bit integers and bytes have no JSON form: decimal text and hexadecimal text. */
function jsonValue(_key: string, value: unknown): unknown {
  if (typeof value === "bigint") return value.toString();
  if (value instanceof Uint8Array) return Buffer.from(value).toString("hex");
  if (value instanceof Map) return Object.fromEntries(value);
  return value;
}
