/**
 * `cosimo mci model.fmu`: the interface of a unit, as far as its description tells. No binary is
 * loaded.
 */

import { dirname, relative, resolve, sep } from "node:path";
import { hasErrors } from "../../base/diagnostic.ts";
import { describeUnitFile, unitNameOf } from "../../host/describe-interface.ts";
import { diskFiles } from "../../host/sources/files.ts";
import { userTrust } from "../../host/trust.ts";
import { interfaceOf } from "../../lang/mci/describe-mci.ts";
import { printMci } from "../../lang/mci/print-mci.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import { writeWholeFile } from "../../platform/node/whole-file.ts";
import { type Command, checkFormats, TRUST } from "../command.ts";
import { printFindings } from "../findings.ts";
import { checkWritable } from "../supervisor/write-outputs.ts";
import { print, printJson, printPlain } from "../terminal.ts";

export const mciCommand: Command = {
  name: "mci",
  summary: "Write the interface (.mci) of a unit from its description.",
  usage: "cosimo mci <model> [-o <file.mci>]",
  details:
    "An interface says what the ports of a unit mean: natures, events, temporal references. Inputs and outputs come from the unit's description;\n" +
    "what no description can tell (that an output is piecewise constant in fact) is yours to add. 'cosimo check file.mci' compares an\n" +
    "interface with its unit.",
  arguments: [
    { name: "<model>", help: "an FMU, or another unit: .machine.yaml, .sa, .mjs, a scenario" },
  ],
  options: {
    "-o, --out <file>": "write it to this file; paths in it are relative to the file",
    ...TRUST,
    "--json": "print the interface as JSON, as a text",
  },
  examples: {
    "cosimo mci plant.fmu": "what would its interface be?",
    "cosimo mci plant.fmu -o plant.mci": "a file to complete, and to load in an .mcl",
  },
  async run(args) {
    const out = args.one("out");
    if (out !== undefined) checkFormats([out], [".mci"], "-o");
    const path = args.first;
    const temp = createTempFolder();
    try {
      const files = diskFiles(userTrust(args.has("trust")));
      const { value, diagnostics } = await describeUnitFile(
        resolve(path),
        unitNameOf(path),
        { file: path },
        temp.path,
        files,
      );
      printFindings(diagnostics);
      if (value === undefined || hasErrors(diagnostics)) return 1;
      const from = out === undefined ? "." : dirname(out);
      const text = printMci(interfaceOf(value, relative(from, path).split(sep).join("/")));
      if (out === undefined) {
        if (args.has("json")) printJson({ interface: text });
        else printPlain(text);
        return 0;
      }
      const unwritable = checkWritable([out]);
      printFindings(unwritable);
      if (unwritable.length > 0) return 1;
      writeWholeFile(out, text);
      if (args.has("json")) printJson({ file: out, interface: text });
      else print(`${out}: written`);
      return 0;
    } finally {
      temp.remove();
    }
  },
};
