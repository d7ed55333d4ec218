/**
 * `.sa` file or scenario → FMU on disk: loads it, makes the C, compiles it with the user's
 * compiler, packs it with the FMUs inside.
 */
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, extname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type Checked,
  type Diagnostic,
  DiagnosticsError,
  diagnose,
  hasErrors,
} from "../base/diagnostic.ts";
import { EXPORT_FMU_RULES } from "../export/export-diagnostics.ts";
import { type ExportedFmu, exportFmu } from "../export/exported-fmu.ts";
import { fmuVariables } from "../export/fmu-variables.ts";
import type { ExportVersion } from "../export/versions.ts";
import { binariesFolder, platformTuple } from "../fmi/archive-contents.ts";
import { fmiVersion } from "../fmi/versions/table.ts";
import { fileKind, isUnitFile } from "../model/source-kind.ts";
import type { FmuFile } from "../platform/node/fmu-file.ts";
import { withOwnSymbols } from "../platform/node/own-symbols.ts";
import { writeWholeFile } from "../platform/node/whole-file.ts";
import { packZip } from "../ssp/pack-ssp.ts";
import { adaptationTree, type ExportTree, scenarioTree } from "./export-tree.ts";
import { loadAdaptationFile } from "./load-adaptation.ts";
import { loadScenario } from "./load-scenario.ts";
import { loadUnit } from "./load-unit.ts";
import type { Trust } from "./trust.ts";

export interface ExportFmuOptions {
  readonly version: ExportVersion;
  /** Without a binary: the FMU is compiled where it is used. */
  readonly sourcesOnly: boolean;
  /** Name and version of the tool, for the description. */
  readonly tool: string;
  /** Which modules may be run. */
  readonly trust: Trust;
  /** A folder to work in, which the caller removes. */
  readonly folder: string;
}

export interface ExportedFile {
  readonly modelName: string;
  readonly modelIdentifier: string;
  readonly token: string;
  readonly variables: number;
  /** Path of the binary inside the FMU. */
  readonly binary?: string;
  readonly compiler?: string;
  /** Folders below `resources/` with the FMUs inside. */
  readonly inner: readonly string[];
  readonly canSaveState: boolean;
  readonly canSerializeState: boolean;
}

/**
 * Writes the FMU of `source` to `out`, all or nothing.
 * @returns what was written, and everything noticed; no value where it cannot become an FMU.
 * @throws what the disk throws.
 */
export async function exportFmuFile(
  source: string,
  out: string,
  options: ExportFmuOptions,
): Promise<Checked<ExportedFile>> {
  const diagnostics: Diagnostic[] = [];
  const report = (diagnostic: Diagnostic): void => void diagnostics.push(diagnostic);
  const tree = await loadTree(source, options, report);
  if (tree === undefined || hasErrors(diagnostics)) return { diagnostics };
  const made = exportFmu(tree.root, {
    version: options.version,
    tool: options.tool,
    runtime: runtimeFiles(),
    hash: (text) => createHash("sha256").update(text).digest("hex"),
  });
  made.diagnostics.forEach(report);
  if (made.value === undefined || hasErrors(diagnostics)) return { diagnostics };
  const built = options.sourcesOnly ? undefined : build(made.value, source, options, report);
  if (hasErrors(diagnostics)) return { diagnostics };
  const files = filesOf(made.value, tree.inner, built);
  writeWholeFile(out, packZip(files));
  const { description } = tree.root;
  const { rollback, serialize } = description.capabilities;
  const value: ExportedFile = {
    modelName: description.name,
    modelIdentifier: made.value.modelIdentifier,
    token: made.value.token,
    variables: fmuVariables(description, options.version).length,
    ...(built && { binary: built.path, compiler: built.compiler }),
    inner: [...tree.inner.keys()],
    canSaveState: rollback,
    canSerializeState: rollback && serialize,
  };
  return { value, diagnostics };
}

async function loadTree(
  source: string,
  { folder, trust, sourcesOnly }: ExportFmuOptions,
  report: (diagnostic: Diagnostic) => void,
): Promise<ExportTree | undefined> {
  const needsBinaries = !sourcesOnly;
  const kind = fileKind(source);
  if (isUnitFile(kind)) {
    const name = basename(source, kind === "adaptation" ? extname(source) : "");
    const file = { path: source, name, trust, folder };
    const loaded = await (kind === "adaptation"
      ? loadAdaptationFile(file)
      : loadUnit({ ...file, kind }));
    loaded.diagnostics.forEach(report);
    if (loaded.value === undefined) return undefined;
    const { source: root, tree } = loaded.value;
    return adaptationTree(root, name, tree, { needsBinaries, report });
  }
  const loaded = await loadScenario(source, trust, folder);
  loaded.diagnostics.forEach(report);
  if (loaded.value === undefined) return undefined;
  const { scenario, tree } = loaded.value;
  return scenarioTree(scenario, tree, { needsBinaries, report });
}

/** The C runtime that is part of this package. */
function runtimeFiles(): Map<string, string> {
  const folder = fileURLToPath(new URL("../../c-runtime/", import.meta.url));
  return new Map(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), "utf8")]),
  );
}

// ---- compiling ----------------------------------------------------------------------------------

interface Built {
  /** Inside the FMU. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly compiler: string;
}

const EXTENSIONS: Readonly<Record<string, string>> = { darwin: ".dylib", win32: ".dll" };
/** Results must not depend on what a compiler fuses. */
const FLAGS = ["-std=c11", "-O2", "-fPIC", "-shared", "-fvisibility=hidden", "-ffp-contract=off"];
const OUTPUT_LINES = 12;

function build(
  { files, sources, modelIdentifier }: ExportedFmu,
  source: string,
  { folder, version }: ExportFmuOptions,
  report: (diagnostic: Diagnostic) => void,
): Built | undefined {
  const place = { file: source };
  const work = join(folder, "build");
  mkdirSync(work, { recursive: true });
  for (const [path, text] of files)
    if (path.startsWith("sources/")) writeFileSync(join(work, basename(path)), text);
  const library = `${modelIdentifier}${EXTENSIONS[process.platform] ?? ".so"}`;
  // Missing symbols fail here, when it is linked, and not when it is loaded.
  const libraries = process.platform === "linux" ? ["-Wl,-z,defs", "-lm", "-ldl"] : [];
  const given = process.env["CC"]?.trim();
  const candidates = given ? [given] : ["cc", "gcc", "clang"];
  for (const compiler of candidates) {
    const [command, ...own] = commandOf(compiler);
    const args = [...own, ...FLAGS, "-o", library, ...sources, ...libraries];
    const run = spawnSync(command, args, { cwd: work, encoding: "utf8" });
    if ((run.error as NodeJS.ErrnoException | undefined)?.code === "ENOENT") continue;
    if (run.status !== 0) {
      const said = run.stderr.split("\n").slice(0, OUTPUT_LINES).join("\n").trim();
      const output = run.error?.message ?? (said || `exit code ${run.status}, without a word`);
      const params = { compiler, output };
      report(diagnose(EXPORT_FMU_RULES, "export-compiler-failed", params, place));
      return undefined;
    }
    const tuple = platformTuple(process.platform, process.arch);
    const platform = binariesFolder(fmiVersion({ major: version }).folderSchemes[0], tuple);
    const bytes = readFileSync(join(work, library));
    return { path: `binaries/${platform}/${library}`, bytes, compiler };
  }
  const params = { tried: candidates.join(", ") };
  report(diagnose(EXPORT_FMU_RULES, "export-no-compiler", params, place));
  return undefined;
}

/**
 * As make has it: CC may carry options ("ccache gcc", "gcc -m64"), and a path is one from where the
 * user is.
 */
function commandOf(compiler: string): [string, ...string[]] {
  const [command = "", ...options] = compiler.split(/\s+/);
  return [command.includes("/") ? resolve(command) : command, ...options];
}

// ---- packing ------------------------------------------------------------------------------------

function filesOf(
  exported: ExportedFmu,
  inner: ReadonlyMap<string, FmuFile>,
  built: Built | undefined,
): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  for (const [path, text] of exported.files) files.set(path, Buffer.from(text, "utf8"));
  if (built) files.set(built.path, built.bytes);
  for (const [folder, fmu] of inner) {
    const contents = new Map<string, Uint8Array>();
    for (const name of fmu.contents.files) {
      const { value, diagnostics } = fmu.read(name);
      if (value === undefined) throw new DiagnosticsError(diagnostics);
      contents.set(name, value);
    }
    for (const [name, content] of withOwnSymbols(contents))
      files.set(`resources/${folder}/${name}`, content);
  }
  return files;
}
