/**
 * Everything that a scenario or an adaptation names, read once, and then resolved once. The tree
 * decides what is read and keeps it; how each kind of source is read is decided in the files beside
 * this one (kinds.ts).
 */
import { basename, dirname, extname, join, resolve } from "node:path";
import {
  append,
  type Checked,
  type Diagnostic,
  diagnose,
  hasErrors,
  type Place,
} from "../../base/diagnostic.ts";
import { DEFAULT_ARCHIVE_LIMITS } from "../../fmi/archive.ts";
import { parseScenarioYaml } from "../../lang/scenario/parse-scenario.ts";
import { resolveScenario } from "../../model/resolve-scenario.ts";
import type {
  FormulaSource,
  Scenario,
  ScenarioDraft,
  UnitDraft,
  UnitSource,
} from "../../model/scenario.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { withFaultFiles } from "../load-faults.ts";
import { withGuard } from "../load-guard.ts";
import { readMcl, withInterfaces } from "../load-interfaces.ts";
import { withRequirementFiles } from "../load-requirements.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "../scenario-diagnostics.ts";
import { isScenarioPath } from "../scenario-path.ts";
import type { Files } from "./files.ts";
import { formulaSource } from "./formula.ts";
import { SOURCE_KINDS } from "./kinds.ts";
import {
  givenNumbers,
  lazily,
  type NamedUnit,
  type Source,
  type SourceKind,
  type SourceRequest,
} from "./source.ts";

/** A package may hold itself, under a new path each time that it is unpacked. */
const MAX_DEPTH = 20;
const MAX_PACKAGES = 200;

export class SourceTree {
  readonly diagnostics: Diagnostic[] = [];
  /** Drafts of scenario files inside, by absolute path. */
  readonly drafts: Map<string, ScenarioDraft> = new Map();
  readonly files: Files;
  /** Where packages (.ssp) are unpacked. */
  readonly folder: string;
  private readonly sources = new Map<UnitSource, Source>();
  private readonly requests = new Map<UnitSource, SourceRequest>();
  private readonly kept = new Map<string, unknown>();
  private readonly nested = new Map<ScenarioDraft, () => Scenario | undefined>();
  private packages = 0;
  /** By folder, the package that was unpacked there. */
  private readonly unpacked = new Map<string, string>();
  /** Scenario files around the one that is being read. */
  private depth = 0;
  /**
   * What all packages together may still take on the disk: a package inside another is unpacked
   * beside it.
   */
  private bytesLeft = DEFAULT_ARCHIVE_LIMITS.maxTotalBytes;
  private entriesLeft = DEFAULT_ARCHIVE_LIMITS.maxEntries;

  constructor(files: Files, folder: string) {
    this.files = files;
    this.folder = folder;
  }

  report(...diagnostics: readonly Diagnostic[]): undefined {
    append(
      this.diagnostics,
      diagnostics.map((d) => this.shown(d)),
    );
  }

  /** The finding with the names of packages in place of the folders that they are unpacked into. */
  shown(diagnostic: Diagnostic): Diagnostic {
    const { message, place } = diagnostic;
    return {
      ...diagnostic,
      message: this.shownPath(message),
      place: { ...place, file: this.shownPath(place.file) },
    };
  }

  /** A path, or a text about it, as messages say it. */
  shownPath(path: string): string {
    let found = path;
    // The innermost folder may lie in a package that lies in another.
    for (const [folder, archive] of [...this.unpacked].reverse())
      found = found.replaceAll(folder, archive);
    return found;
  }

  /** The file behind a unit cannot be used. */
  broken({ name, place }: NamedUnit, path: string, reason: string): undefined {
    const params = { unit: name, path, reason };
    return this.report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "unit-source-broken", params, place));
  }

  /**
   * Elsewhere large and small letters are the same, so a name of another tool may differ in them.
   */
  private whyAbsent(path: string): string {
    const name = basename(path).toLowerCase();
    const near = this.files.list?.(dirname(path)).find((one) => one.toLowerCase() === name);
    if (near === undefined) return "there is no such file";
    return `there is no such file, but one called '${near}': large and small letters differ`;
  }

  /** What `make` gives for `key`, made again only where there was nothing. */
  async once<T>(key: string, make: () => Promise<T>): Promise<T> {
    if (this.kept.has(key)) return this.kept.get(key) as T;
    const made = await make();
    if (made !== undefined) this.kept.set(key, made);
    return made;
  }

  /** What was read for a unit of a scenario that was resolved. */
  sourceOf(source: UnitSource | FormulaSource): Source {
    if (source.kind === "formula") return formulaSource(source);
    const found = this.sources.get(source);
    if (found === undefined)
      throw new Error("internal: a unit was resolved whose source was not read");
    return found;
  }

  /** How it was asked for: another process can ask the same. */
  requestOf(source: UnitSource): SourceRequest | undefined {
    return this.requests.get(source);
  }

  /** Whether a unit's source could be read. */
  has(source: UnitSource): boolean {
    return this.sources.has(source);
  }

  /** For units that are in no file. */
  add(source: UnitSource, made: Source): void {
    this.sources.set(source, made);
  }

  /** Reads what the units of `draft` name, nested scenarios included. */
  async readUnits(draft: ScenarioDraft, around: readonly string[] = []): Promise<void> {
    for (const unit of draft.units) {
      const { readDraft } = kindOf(unit.source);
      if (readDraft === undefined) await this.read(unit, draft.file, around);
      else await readDraft(requestFor(unit, draft.file, around), this);
    }
  }

  /**
   * Reads what stands behind one unit.
   * @param file names it; paths are relative to its folder.
   * @param around absolute paths of the adaptations that it is inside of.
   * @returns undefined after a report.
   */
  async read(
    unit: UnitDraft,
    file: string,
    around: readonly string[],
  ): Promise<Source | undefined> {
    const request = requestFor(unit, file, around);
    const { path, source } = request;
    // A variant of a package is named behind a hash.
    const [archive = path] = path.split("#", 1);
    if (path !== "" && !this.files.exists(path) && !this.files.exists(archive))
      return this.broken(unit, path, this.whyAbsent(archive));
    const found = await kindOf(source).read(request, this);
    if (found !== undefined) {
      this.sources.set(source, found);
      this.requests.set(source, request);
    }
    return found;
  }

  /** A scenario file and all that its units name. @param place of what names it. */
  async nestedDraft(
    path: string,
    place: Place,
    around: readonly string[],
  ): Promise<ScenarioDraft | undefined> {
    const known = this.drafts.get(path);
    if (known !== undefined) return known;
    if (this.depth >= MAX_DEPTH) {
      const params = { path: basename(path), limit: MAX_DEPTH };
      return this.report(diagnose(SCENARIO_LOAD_DIAGNOSTICS, "scenario-too-deep", params, place));
    }
    this.depth++;
    const draft = await this.readDraft(path);
    if (draft !== undefined) {
      this.drafts.set(path, draft);
      await this.readUnits(draft, around);
    }
    this.depth--;
    return draft;
  }

  /** A scenario file alone. */
  async readDraft(path: string): Promise<ScenarioDraft | undefined> {
    const place = { file: path };
    if (!isScenarioPath(path))
      return this.report(
        diagnose(SCENARIO_LOAD_DIAGNOSTICS, "scenario-format-unknown", { path }, place),
      );
    try {
      const { value, diagnostics } = await this.readText(path);
      this.report(...diagnostics);
      if (value === undefined || hasErrors(diagnostics)) return undefined;
      const report = (...found: readonly Diagnostic[]): void => void this.report(...found);
      const declared = await withInterfaces(value, this.files, report);
      const faulty = withFaultFiles(withGuard(declared, this.files, report), this.files, report);
      return await withRequirementFiles(faulty, this.files, report);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      const reason = error.code === "ENOENT" ? "there is no such file" : error.message;
      return this.report(
        diagnose(SCENARIO_LOAD_DIAGNOSTICS, "scenario-unreadable", { reason }, place),
      );
    }
  }

  private async readText(path: string): Promise<Checked<ScenarioDraft>> {
    switch (extname(path).toLowerCase()) {
      case ".yaml":
      case ".yml":
        return parseScenarioYaml(this.files.text(path), path);
      case ".mcl":
        return readMcl(path, this.files);
      default:
        return this.readPackage(path);
    }
  }

  private async readPackage(path: string): Promise<Checked<ScenarioDraft>> {
    if (this.packages >= MAX_PACKAGES) {
      const params = { path, limit: MAX_PACKAGES };
      const place = { file: path };
      return {
        diagnostics: [diagnose(SCENARIO_LOAD_DIAGNOSTICS, "packages-too-many", params, place)],
      };
    }
    const target = join(this.folder, `ssp-${this.packages++}`);
    this.unpacked.set(target, path);
    return this.files.package(path, {
      target,
      limits: { maxTotalBytes: this.bytesLeft, maxEntries: this.entriesLeft },
      onUnpack: ({ bytes, entries }) => {
        this.bytesLeft -= bytes;
        this.entriesLeft -= entries;
      },
    });
  }

  /** Names meet descriptions. Called when everything was read. */
  resolve(draft: ScenarioDraft): Checked<Scenario> {
    return resolveScenario(
      draft,
      (_, __, unit) => this.describe(unit),
      (nested, _, around) => this.drafts.get(resolve(dirname(around.file), nested)),
    );
  }

  /**
   * A scenario inside an adaptation: resolved, and its findings reported, when it is first used.
   * @returns what gives undefined after a report.
   */
  nestedScenario(draft: ScenarioDraft): () => Scenario | undefined {
    const known = this.nested.get(draft);
    if (known !== undefined) return known;
    const resolved = lazily((): Scenario | undefined => {
      const { value, diagnostics } = this.resolve(draft);
      this.report(...diagnostics);
      return hasErrors(diagnostics) ? undefined : value;
    });
    this.nested.set(draft, resolved);
    return resolved;
  }

  /** Of a unit that was read; undefined where it could not be. */
  describe(unit: UnitDraft): UnitDescription | undefined {
    return this.sources.get(unit.source)?.describe(givenNumbers(unit), unit);
  }
}

function kindOf({ kind }: UnitSource): SourceKind {
  return SOURCE_KINDS[kind] as SourceKind;
}

function requestFor(unit: UnitDraft, file: string, around: readonly string[]): SourceRequest {
  const { source } = unit;
  const path = "path" in source ? resolve(dirname(file), source.path) : "";
  return { unit, source, path, file, around };
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
