/**
 * Checks of an FMU's files against its description: what is named must be there, and where tools
 * look for it.
 */
import { append, type Diagnostic } from "../../base/diagnostic.ts";
import { binariesFolder, type FmuContents, type PlatformFolder } from "../archive-contents.ts";
import { parseBuildDescription } from "../build-description.ts";
import type { FmuDescription, FmuInterface } from "../description.ts";
import { parseTerminals, type Terminal } from "../terminals.ts";
import { fmiVersion } from "../versions/table.ts";
import { Findings } from "./findings.ts";

export interface ValidateFilesOptions {
  /** What places name as the file: the FMU. */
  readonly file?: string;
  /**
   * The text of one of the FMU's files, for the rules about what they name; undefined when it
   * cannot be read.
   */
  readonly read?: (name: string) => string | undefined;
}

/**
 * Everything that is wrong with the files of an FMU, as far as it shows without loading a binary.
 */
export function validateFiles(
  contents: FmuContents,
  description: FmuDescription,
  options: ValidateFilesOptions = {},
): Diagnostic[] {
  const findings = new Findings(options.file ?? "fmu");
  const diagnostics: Diagnostic[] = [];
  checkBinaries(contents, description, findings);
  const read = options.read ?? (() => undefined);
  const look: Look = { contents, description, findings, diagnostics, read };
  checkSources(look);
  checkTerminals(look);
  checkDocumentation(contents, findings);
  return [...findings.finish(), ...diagnostics];
}

function interfacesOf(d: FmuDescription): FmuInterface[] {
  return [d.modelExchange, d.coSimulation, d.scheduledExecution].filter((i) => i !== undefined);
}

function checkBinaries(contents: FmuContents, d: FmuDescription, findings: Findings): void {
  const platforms = contents.platforms.filter(({ libraries }) => libraries.length > 0);
  if (platforms.length === 0 && contents.sources.length === 0) {
    findings.report("no-implementation", {});
  }
  const identifiers = new Set(interfacesOf(d).map((i) => i.modelIdentifier));
  const { folderSchemes } = fmiVersion(d);
  for (const platform of platforms) {
    const { folder, platform: tuple } = platform;
    if (tuple === undefined) continue;
    for (const identifier of identifiers) checkBinary(platform, tuple, identifier, findings);
    if (!folderSchemes.some((scheme) => binariesFolder(scheme, tuple) === folder)) {
      const [name = ""] = identifiers;
      findings.report("platform-folder-version", { folder, tuple, name });
    }
  }
}

function checkBinary(
  { folder, libraries }: PlatformFolder,
  tuple: string,
  identifier: string,
  findings: Findings,
): void {
  const name = `${identifier}${suffixOf(tuple)}`;
  if (libraries.includes(`binaries/${folder}/${name}`)) return;
  const [only, ...more] = libraries;
  if (only !== undefined && more.length === 0) {
    const found = only.slice(only.lastIndexOf("/") + 1);
    findings.report("binary-name", { folder, name, found });
  } else findings.report("binary-missing", { folder, name });
}

function suffixOf(platform: string): string {
  if (platform.endsWith("windows")) return ".dll";
  return platform.endsWith("darwin") ? ".dylib" : ".so";
}

/** What files are looked at with, and where findings go. */
interface Look {
  readonly contents: FmuContents;
  readonly description: FmuDescription;
  readonly findings: Findings;
  readonly diagnostics: Diagnostic[];
  readonly read: NonNullable<ValidateFilesOptions["read"]>;
}

function checkSources({ contents, description: d, findings, diagnostics, read }: Look): void {
  const { files, sources, buildDescription } = contents;
  const present = new Set(files);
  const missing = new Set<string>();
  for (const { sourceFiles } of interfacesOf(d)) {
    for (const name of sourceFiles) if (!present.has(`sources/${name}`)) missing.add(name);
  }
  if (fmiVersion(d).needsBuildDescription && sources.length > 0 && buildDescription === undefined) {
    findings.report("build-description-missing", {});
  }
  const text = buildDescription === undefined ? undefined : read(buildDescription);
  if (text !== undefined) {
    const parsed = parseBuildDescription(text, buildDescription);
    append(diagnostics, parsed.diagnostics);
    const identifiers = new Set(interfacesOf(d).map((i) => i.modelIdentifier));
    for (const { modelIdentifier: name, fileSets } of parsed.value?.configurations ?? []) {
      if (!identifiers.has(name)) findings.report("build-identifier-unknown", { name });
      for (const source of fileSets.flatMap((set) => set.files)) {
        if (!present.has(`sources/${source}`)) missing.add(source);
      }
    }
  }
  for (const name of missing) findings.report("source-missing", { name });
}

const TERMINALS_FOLDER = "terminalsAndIcons/";

function checkTerminals({ contents, description: d, findings, diagnostics, read }: Look): void {
  const { files, terminalsAndIcons } = contents;
  const present = new Set(files);
  for (const folder of [TERMINALS_FOLDER, "documentation/"]) {
    for (const picture of ["icon", "diagram"]) {
      const [svg, png] = [`${folder}${picture}.svg`, `${folder}${picture}.png`];
      if (present.has(svg) && !present.has(png)) {
        findings.report("picture-missing", { name: png, because: `'${svg}' needs it beside it` });
      }
    }
  }
  if (terminalsAndIcons === undefined) return;
  if (!terminalsAndIcons.startsWith(TERMINALS_FOLDER)) {
    findings.report("terminals-folder", { name: terminalsAndIcons });
  }
  const text = read(terminalsAndIcons);
  if (text === undefined) return;
  const parsed = parseTerminals(text, terminalsAndIcons);
  append(diagnostics, parsed.diagnostics);
  const names = new Set(d.variables.flatMap((v) => [v.name, ...v.aliases.map((a) => a.name)]));
  for (const terminal of parsed.value?.terminals ?? []) {
    checkTerminal(terminal, terminal.name, names, present, findings);
  }
}

function checkTerminal(
  terminal: Terminal,
  path: string,
  names: ReadonlySet<string>,
  present: ReadonlySet<string>,
  findings: Findings,
): void {
  const check = (name: string, missing: string): void => {
    if (names.has(missing)) return;
    const params = {
      terminal: path,
      name,
      missing,
      nearest: findings.suggest("terminal-variable-unknown", missing, names),
    };
    findings.report("terminal-variable-unknown", params);
  };
  for (const member of terminal.members) {
    check(member.memberName ?? member.variableName, member.variableName);
  }
  for (const stream of terminal.streamMembers) {
    check(stream.inStreamMemberName, stream.inStreamVariableName);
    check(stream.outStreamMemberName, stream.outStreamVariableName);
  }
  if (terminal.graphics !== undefined) {
    const name = `${TERMINALS_FOLDER}${terminal.graphics.iconBaseName}.png`;
    if (!present.has(name)) {
      findings.report("picture-missing", { name, because: `terminal '${path}' is drawn with it` });
    }
  }
  for (const inner of terminal.terminals) {
    checkTerminal(inner, `${path}.${inner.name}`, names, present, findings);
  }
}

function checkDocumentation(
  { files, documentation, licenses }: FmuContents,
  findings: Findings,
): void {
  const pages = files.filter(
    (name) =>
      /^documentation\/[^/]+$/.test(name) && !/\/(diagram|externalDependencies)\./.test(name),
  );
  if (pages.length > 0 && documentation === undefined) {
    findings.report("documentation-entry-missing", {});
  }
  const entry = licenses.some((name) =>
    /^documentation\/licenses\/license\.(txt|html|spdx)$/.test(name),
  );
  if (licenses.length > 0 && !entry) findings.report("license-entry-missing", {});
}
