/**
 * `cosimo export`: a scenario in a form that other tools read.
 */
import { dirname, resolve } from "node:path";
import { formatDiagnostic, hasErrors } from "../../base/diagnostic.ts";
import { loadScenario } from "../../host/load-scenario.ts";
import { saveSspFile } from "../../platform/node/ssp-file.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import { writeSsp } from "../../ssp/write-ssp.ts";
import {
  type Command,
  type CommandSpec,
  checkFormats,
  type ExitCode,
  type ParsedArguments,
  UsageError,
} from "../command.ts";

const spec: CommandSpec = {
  name: "export",
  summary: "Write a scenario as a package that other tools read.",
  usage: "cosimo export <scenario.yaml|system.ssd> -o <system.ssp> [--ssp 1.0|2.0]",
  details:
    "The package holds the system structure with connectors, connections, parameters and units, and copies of the FMUs.\n" +
    "What SSP has no words for (the master, input approximations) is kept as an annotation that Cosimo reads back.",
  arguments: [{ name: "<scenario>", help: "a scenario.yaml, an .ssd or an .ssp" }],
  options: {
    out: { short: "o", value: "<file>", help: "the package to write: .ssp" },
    ssp: { value: "<version>", help: "version of SSP: 1.0 (default) or 2.0" },
  },
  examples: [
    {
      command: "cosimo export scenario.yaml -o system.ssp",
      does: "for any tool that imports SSP 1.0",
    },
  ],
};

export const exportCommand: Command = {
  spec,
  async run(args: ParsedArguments): Promise<ExitCode> {
    const out = args.one("out");
    if (out === undefined)
      throw new UsageError("-o is missing", "say where to write: -o system.ssp");
    checkFormats([out], [".ssp"], "-o");
    const version = args.one("ssp") ?? "1.0";
    if (version !== "1.0" && version !== "2.0") {
      throw new UsageError(`--ssp is 1.0 or 2.0, not '${version}'`, "leave it away for 1.0");
    }
    const temp = createTempFolder();
    try {
      return await write(args.positionals[0]!, out, version, temp.path);
    } finally {
      temp.remove();
    }
  },
};

async function write(
  path: string,
  out: string,
  version: "1.0" | "2.0",
  folder: string,
): Promise<ExitCode> {
  const loaded = await loadScenario(path, folder);
  for (const diagnostic of loaded.diagnostics) console.error(formatDiagnostic(diagnostic));
  if (loaded.value === undefined) return 1;
  const { draft, drafts, describe } = loaded.value;
  const base = dirname(draft.file);
  const written = writeSsp(draft, {
    version,
    describe,
    load: (nested) => drafts.get(resolve(base, nested)),
  });
  for (const diagnostic of written.diagnostics) console.error(formatDiagnostic(diagnostic));
  if (written.value === undefined || hasErrors(written.diagnostics)) return 1;
  saveSspFile(out, written.value, base);
  console.log(`${out}: ${written.value.files.size} files, SSP ${version}`);
  return 0;
}
