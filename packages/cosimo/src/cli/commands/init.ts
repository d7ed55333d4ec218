/**
 * `cosimo init *.fmu`: a scenario to begin with. What follows from the descriptions is there,
 * what cannot is a comment.
 */

import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { DiagnosticsError, hasErrors } from "../../base/diagnostic.ts";
import { describeUnitFile, unitNameOf } from "../../host/describe-interface.ts";
import { diskFiles, type Files } from "../../host/sources/files.ts";
import { userTrust } from "../../host/trust.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import { writeWholeFile } from "../../platform/node/whole-file.ts";
import {
  type Command,
  checkFormats,
  type ParsedArguments,
  STDIO,
  TRUST,
  UsageError,
} from "../command.ts";
import { counted, printFindings } from "../findings.ts";
import { type InitScenario, type InitUnit, initScenario } from "../init/scenario-text.ts";
import { checkWritable } from "../supervisor/write-outputs.ts";
import { print, printFile, printJson } from "../terminal.ts";

const DEFAULT_FILE = "scenario.yaml";

export const initCommand: Command = {
  name: "init",
  summary: "Write a scenario from FMUs: units, connections by name, open inputs as comments.",
  usage: "cosimo init <model.fmu> … [-o <scenario.yaml>] [--force] [--json]",
  details:
    "An output feeds the inputs that have its name and its unit, where it is the only one. Inputs that remain are listed as comments, with the\n" +
    "outputs that could feed them. Stop time and step are those that the FMUs declare. The scenario runs as it is written; no binary is loaded.",
  arguments: [
    {
      name: "<model.fmu> …",
      help: "FMUs, packed or unpacked; also state machines (.machine.yaml), adaptations (.sa) and modules",
      many: true,
    },
  ],
  options: {
    "-o, --out <file>": `the scenario to write (default: ${DEFAULT_FILE}); - is standard output`,
    "--force": "replace a file that is there",
    ...TRUST,
    "--json": "print units, connections and open inputs as JSON",
  },
  examples: {
    "cosimo init *.fmu": "couple the FMUs of this folder",
    "cosimo init engine.fmu gearbox.fmu -o car.yaml && cosimo run car.yaml --plot car.html":
      "from two FMUs to a picture",
  },
  async run(args) {
    const out = args.one("out") ?? DEFAULT_FILE;
    checkFormats([out], [".yaml", ".yml"], "-o", true);
    if (out === STDIO && args.has("json"))
      throw new UsageError(
        "-o - and --json both write to standard output",
        "name a file: -o car.yaml",
      );
    if (out !== STDIO && existsSync(out) && !args.has("force"))
      throw new UsageError(
        `${out} is there already, and is not replaced`,
        "--force replaces it; -o writes another file",
      );
    const unwritable = checkWritable([out]);
    if (unwritable.length > 0) throw new DiagnosticsError(unwritable);
    const units = await describeUnits(args, out);
    const folder = basename(dirname(resolve(out)));
    const name =
      out === STDIO || out === DEFAULT_FILE ? folder : basename(out).replace(/\.ya?ml$/i, "");
    const made = initScenario(name, out === STDIO ? DEFAULT_FILE : out, units);
    if (out === STDIO) printFile(made.text);
    else writeWholeFile(out, made.text);
    if (args.has("json")) printJson({ file: out, units: units.map(unitJson), inputs: made.inputs });
    else if (out !== STDIO) print(summary(out, units, made));
    return 0;
  },
};

/** @throws DiagnosticsError that says what is wrong with all of them. */
async function describeUnits(args: ParsedArguments, out: string): Promise<InitUnit[]> {
  const base = out === STDIO ? "." : dirname(out);
  const temp = createTempFolder();
  const files = diskFiles(userTrust(args.has("trust")));
  const taken = new Set<string>();
  try {
    const units: InitUnit[] = [];
    for (const path of args.positionals) {
      const name = freeName(unitNameOf(path), taken);
      const unit = await describeOne(path, name, files, temp.path);
      const way = relative(base, path).split(sep).join("/");
      if (unit !== undefined) units.push({ name, path: way, ...unit });
    }
    if (units.length < args.positionals.length) throw new DiagnosticsError([]);
    return units;
  } finally {
    temp.remove();
  }
}

async function describeOne(
  path: string,
  name: string,
  files: Files,
  folder: string,
): Promise<Pick<InitUnit, "description" | "isUnpacked"> | undefined> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  const isUnpacked = isFolder && existsSync(join(path, "modelDescription.xml"));
  const { value, diagnostics } = await describeUnitFile(
    resolve(path),
    name,
    { file: path },
    folder,
    files,
    isUnpacked ? "fmu" : undefined,
  );
  printFindings(diagnostics);
  return value === undefined || hasErrors(diagnostics)
    ? undefined
    : { description: value, isUnpacked };
}

/**
 * `motor-2.1` → `motor-2_1`: what a scenario can write before a dot. A second one of a name gets a
 * number.
 */
function freeName(file: string, taken: Set<string>): string {
  const plain = file.replaceAll(/[^\p{L}\p{N}_-]+/gu, "_").replace(/^[^\p{L}_]+/u, "") || "unit";
  let name = plain;
  for (let n = 2; taken.has(name); n++) name = `${plain}_${n}`;
  taken.add(name);
  return name;
}

function unitJson({ name, path, description }: InitUnit): unknown {
  return { name, path, model: description.name };
}

function summary(out: string, units: readonly InitUnit[], { inputs }: InitScenario): string {
  const open = inputs.filter(({ from }) => from === undefined).length;
  const connections = counted(inputs.length - open, "connection");
  const rest =
    open === 0
      ? "every input is connected"
      : `${counted(open, "input")} left open, see the comments`;
  return `${out}: ${counted(units.length, "unit")}, ${connections}, ${rest}\n  next: cosimo check ${out}; cosimo run ${out} --plot run.html`;
}
