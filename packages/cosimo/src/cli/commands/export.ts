/**
 * `cosimo export`: a scenario or an adaptation in a form that other tools read. The ending of `-o`
 * decides: .ssp is a package of the system as it is written, .fmu is one FMU that does what the
 * whole does.
 */
import { dirname, extname, isAbsolute, join, resolve } from "node:path";
import { DiagnosticsError, hasErrors, unwrap } from "../../base/diagnostic.ts";
import type { ExportedFile } from "../../host/export-fmu.ts";
import { loadScenario } from "../../host/load-scenario.ts";
import { userTrust } from "../../host/trust.ts";
import { fileKind } from "../../model/source-kind.ts";
import { saveSspFile } from "../../platform/node/ssp-file.ts";
import { createTempFolder } from "../../platform/node/temp-folder.ts";
import { writeSsp } from "../../ssp/write-ssp.ts";
import {
  type Command,
  checkFormats,
  type ExitCode,
  type ParsedArguments,
  TRUST,
  UsageError,
} from "../command.ts";
import { printFindings } from "../findings.ts";
import { isSystemError } from "../protocol/worker-failure.ts";
import { checkWritable, unwritableFile } from "../supervisor/write-outputs.ts";
import { print, printJson } from "../terminal.ts";
import { VERSION } from "../version.ts";

export const exportCommand: Command = {
  name: "export",
  summary: "Write a scenario or an adaptation as an FMU or a package that other tools read.",
  usage:
    "cosimo export <scenario|adaptation.sa> -o <model.fmu|system.ssp> [--fmi 2|3] [--sources-only] [--ssp 1.0|2.0] [--json]",
  details:
    "-o model.fmu: one FMU for Co-Simulation that does what Cosimo does with the adaptation, or with the scenario and its fixed-step\n" +
    "plan. Its C sources are generated and compiled with your compiler (CC, cc, gcc or clang); the FMUs inside lie in its resources.\n" +
    "A scenario shows the ports it exposes; one that exposes none shows all outputs, free inputs and parameters as unit.port.\n\n" +
    "-o system.ssp: the system structure with connectors, connections, parameters and units, and copies of the FMUs. What SSP has no\n" +
    "words for (the master, input approximations) is kept as an annotation that Cosimo reads back.",
  arguments: [
    { name: "<file>", help: "a scenario.yaml, an .ssd or an .ssp; for an FMU also an .sa" },
  ],
  options: {
    "-o, --out <file>":
      "what to write: .fmu or .ssp (default: where an adaptation says, 'at \"x.fmu\"')",
    "--fmi <version>": "version of FMI: 2 (default) or 3",
    "--sources-only": "an FMU without binary, to be compiled where it is used",
    "--ssp <version>": "version of SSP: 1.0 (default) or 2.0",
    ...TRUST,
    "--json": "what was written as JSON",
  },
  examples: {
    "cosimo export window.sa -o window.fmu": "an adapted unit for any tool",
    "cosimo export scenario.yaml -o system.fmu --fmi 3": "a whole scenario as one FMU",
    "cosimo export scenario.yaml -o system.ssp": "for any tool that imports SSP 1.0",
  },
  async run(args) {
    const out = args.one("out") ?? (await targetOf(args.first));
    if (out === undefined)
      throw new UsageError(
        "-o is missing",
        "say what to write: -o model.fmu or -o system.ssp; an adaptation may say it itself: 'semantic adaptation … at \"./model.fmu\"'",
      );
    checkFormats([out], [".fmu", ".ssp"], "-o");
    const isFmu = extname(out).toLowerCase() === ".fmu";
    refuseOptionsOf(isFmu ? "ssp" : "fmu", args, out);
    const unwritable = checkWritable([out]);
    printFindings(unwritable);
    if (unwritable.length > 0) return 1;
    const temp = createTempFolder();
    try {
      const source = args.first;
      return isFmu
        ? await writeFmu(source, out, args, temp.path)
        : await writePackage(source, out, args, temp.path);
    } catch (error) {
      if (isSystemError(error)) throw new DiagnosticsError([unwritableFile(out, error)]);
      throw error;
    } finally {
      temp.remove();
    }
  },
};

/** Where an adaptation says itself that it goes: `semantic adaptation … at "./window.fmu"`. */
async function targetOf(source: string): Promise<string | undefined> {
  if (fileKind(source) !== "adaptation") return undefined;
  const [{ readAdaptationText }, { splitAdaptationPath }, { diskFiles }] = await Promise.all([
    import("../../host/adaptation-text.ts"),
    import("../../host/sources/adaptation.ts"),
    import("../../host/sources/files.ts"),
  ]);
  const { parseSa } = await import("../../lang/sa/parse-sa.ts");
  const { importsFrom } = await import("../../lang/sa/imports.ts");
  const { file, name } = splitAdaptationPath(source);
  const text = unwrap(readAdaptationText(file));
  const find = importsFrom(diskFiles(userTrust(false)), file);
  const { target } = unwrap(parseSa(text, file, find, name));
  if (target === undefined || isAbsolute(target)) return target;
  return join(dirname(file), target);
}

/** An option that the chosen format has no use for is a mistake, and not ignored. */
function refuseOptionsOf(other: "ssp" | "fmu", args: ParsedArguments, out: string): void {
  const unused = (other === "ssp" ? ["ssp"] : ["fmi", "sources-only"]).find(args.has);
  if (unused !== undefined)
    throw new UsageError(
      `--${unused} is about .${other}, but -o is '${out}'`,
      `omit it, or write -o something.${other}`,
    );
}

async function writeFmu(
  source: string,
  out: string,
  args: ParsedArguments,
  folder: string,
): Promise<ExitCode> {
  const version = args.choice("fmi", ["2", "3"]);
  // Only this way of exporting needs the generators.
  const { exportFmuFile } = await import("../../host/export-fmu.ts");
  const { value, diagnostics } = await exportFmuFile(source, out, {
    version: version === "2" ? 2 : 3,
    sourcesOnly: args.has("sources-only"),
    tool: `Cosimo ${VERSION}`,
    trust: userTrust(args.has("trust")),
    folder,
  });
  printFindings(diagnostics);
  if (value === undefined) return 1;
  if (args.has("json")) printJson({ file: out, fmi: version, ...value });
  else for (const line of summary(out, version, value)) print(line);
  return 0;
}

function summary(out: string, version: string, fmu: ExportedFile): string[] {
  const state = fmu.canSerializeState
    ? "its state can be saved, restored and written to bytes"
    : fmu.canSaveState
      ? "its state can be saved and restored"
      : "its state cannot be saved, because an FMU inside cannot";
  return [
    `${out}: '${fmu.modelName}' as FMI ${version}.0 Co-Simulation, ${fmu.variables} variables`,
    `  inside: ${fmu.inner.join(", ")}`,
    `  binary: ${fmu.binary === undefined ? "none, compile sources/ where it is used" : `${fmu.binary}, by ${fmu.compiler}`}`,
    `  ${state}`,
  ];
}

async function writePackage(
  path: string,
  out: string,
  args: ParsedArguments,
  folder: string,
): Promise<ExitCode> {
  const version = args.choice("ssp", ["1.0", "2.0"]);
  const loaded = await loadScenario(path, userTrust(args.has("trust")), folder);
  printFindings(loaded.diagnostics);
  if (loaded.value === undefined) return 1;
  const { draft, tree } = loaded.value;
  const base = dirname(draft.file);
  const written = writeSsp(draft, {
    version,
    describe: (_, __, unit) => tree.describe(unit),
    load: (nested) => tree.drafts.get(resolve(base, nested)),
  });
  printFindings(written.diagnostics);
  if (written.value === undefined || hasErrors(written.diagnostics)) return 1;
  saveSspFile(out, written.value, base);
  const files = written.value.files.size;
  if (args.has("json")) printJson({ file: out, ssp: version, files });
  else print(`${out}: ${files} files, SSP ${version}`);
  return 0;
}
