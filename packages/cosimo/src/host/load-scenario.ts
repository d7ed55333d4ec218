/**
 * From a scenario file to a resolved scenario and the means to make its units: reads the file and everything it names, once.
 * FMUs are opened, not loaded; modules are imported, because only running them tells what they make, and therefore only where
 * the caller trusts them.
 */
import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import {
  append,
  type Checked,
  type Diagnostic,
  diagnose,
  hasErrors,
  type Place,
} from "../base/diagnostic.ts";
import { DEFAULT_ARCHIVE_LIMITS } from "../fmi/archive.ts";
import { isLossless } from "../fmi/description-diagnostics.ts";
import { parseTerminals } from "../fmi/terminals.ts";
import { toUnitDescription } from "../fmi/to-unit-description.ts";
import { unitTerminals } from "../fmi/unit-terminals.ts";
import { parseScenarioYaml } from "../lang/scenario/parse-scenario.ts";
import { type DescribeUnit, resolveScenario } from "../model/resolve-scenario.ts";
import type { AdaptedSource, Scenario, ScenarioDraft, UnitDraft } from "../model/scenario.ts";
import type { Port, Terminal, UnitDescription } from "../model/unit-description.ts";
import { withFollowedInputs } from "../platform/native/followed-inputs.ts";
import { type FmuFile, openFmuFile } from "../platform/node/fmu-file.ts";
import { createTempFolder } from "../platform/node/temp-folder.ts";
import type { Unit } from "../unit/unit.ts";
import type { AdaptationLoader, LoadedAdaptation } from "./load-adaptation.ts";
import { withGuard } from "./load-guard.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "./scenario-diagnostics.ts";
import { isScenarioPath } from "./scenario-path.ts";
import { loadedKey, sourceKey, structuralOf } from "./source-key.ts";
import { notTrusted, type Trust } from "./trust.ts";

export type MakeUnit = (name: string) => Unit;

/** What lies behind the source of a unit. */
export type LoadedSource =
  | { readonly kind: "fmu"; readonly fmu: FmuFile }
  | { readonly kind: "module"; readonly make: MakeUnit }
  | LoadedAdaptation;

export interface LoadedScenario {
  readonly scenario: Scenario;
  /** As it was written. */
  readonly draft: ScenarioDraft;
  /** Drafts of nested scenario files by absolute path. */
  readonly drafts: ReadonlyMap<string, ScenarioDraft>;
  readonly describe: DescribeUnit;
  /** By `loadedKey`. */
  readonly sources: ReadonlyMap<string, LoadedSource>;
}

/**
 * @param trust which modules may be run.
 * @param folder where packages (.ssp) are unpacked; one of this process's own unless given.
 * @returns the scenario, and everything noticed in it and in the files it names.
 */
export async function loadScenario(
  path: string,
  trust: Trust,
  folder: string = createTempFolder().path,
): Promise<Checked<LoadedScenario>> {
  const loader = new Loader(trust, folder);
  const draft = await loader.draft(path);
  if (draft === undefined) return { diagnostics: loader.diagnostics };
  await loader.sourcesOf(draft);
  const resolved = loader.resolve(draft);
  const diagnostics = [...loader.diagnostics, ...resolved.diagnostics];
  if (resolved.value === undefined || hasErrors(diagnostics)) return { diagnostics };
  const { sources, describe, drafts } = loader;
  return { value: { scenario: resolved.value, draft, sources, describe, drafts }, diagnostics };
}

export interface LoadedAdaptationFile {
  readonly adaptation: LoadedAdaptation;
  /** What lies behind the units of scenarios inside. */
  readonly sources: ReadonlyMap<string, LoadedSource>;
}

/**
 * An adaptation in a file of its own, with everything that it is made around.
 * @param trust which modules may be run.
 * @param folder where packages (.ssp) inside are unpacked; one of this process's own unless given.
 */
export async function loadAdaptationFile(
  path: string,
  trust: Trust,
  folder: string = createTempFolder().path,
): Promise<Checked<LoadedAdaptationFile>> {
  const loader = new Loader(trust, folder);
  const name = basename(path, extname(path));
  const source = { kind: "adaptation", path } as const;
  const loaded = await loader.open(resolve(path), {
    name,
    source,
    values: [],
    place: { file: path },
  });
  const { diagnostics, sources } = loader;
  const isUsable = loaded?.kind === "adaptation" && !hasErrors(diagnostics);
  return isUsable ? { value: { adaptation: loaded, sources }, diagnostics } : { diagnostics };
}

/** A package may hold itself, under a new path each time that it is unpacked. */
const MAX_DEPTH = 20;
const MAX_PACKAGES = 200;

class Loader {
  readonly diagnostics: Diagnostic[] = [];
  readonly sources = new Map<string, LoadedSource>();
  readonly drafts = new Map<string, ScenarioDraft>();
  private readonly descriptions = new Map<MakeUnit, UnitDescription>();
  private readonly trust: Trust;
  private readonly folder: string;
  private packages = 0;
  /** Scenario files around the one that is being loaded. */
  private depth = 0;
  /** What all packages together may still take on the disk: a package inside another is unpacked beside it. */
  private bytesLeft = DEFAULT_ARCHIVE_LIMITS.maxTotalBytes;
  private entriesLeft = DEFAULT_ARCHIVE_LIMITS.maxEntries;

  constructor(trust: Trust, folder: string) {
    this.trust = trust;
    this.folder = folder;
  }

  async draft(path: string): Promise<ScenarioDraft | undefined> {
    const place = { file: path };
    if (!isScenarioPath(path)) {
      this.diagnostics.push(
        diagnose(SCENARIO_LOAD_DIAGNOSTICS, "scenario-format-unknown", { path }, place),
      );
      return undefined;
    }
    try {
      const extension = extname(path).toLowerCase();
      const checked =
        extension === ".yaml" || extension === ".yml"
          ? parseScenarioYaml(readFileSync(path, "utf8"), path)
          : await this.loadSsp(path);
      append(this.diagnostics, checked.diagnostics);
      if (checked.value === undefined || hasErrors(checked.diagnostics)) return undefined;
      return withGuard(checked.value, (...found) => void append(this.diagnostics, found));
    } catch (error) {
      if (!isSystemError(error)) throw error;
      const reason = error.code === "ENOENT" ? "there is no such file" : error.message;
      this.diagnostics.push(
        diagnose(SCENARIO_LOAD_DIAGNOSTICS, "scenario-unreadable", { reason }, place),
      );
      return undefined;
    }
  }

  private async loadSsp(path: string): Promise<Checked<ScenarioDraft>> {
    if (this.packages >= MAX_PACKAGES) {
      const params = { path, limit: MAX_PACKAGES };
      return {
        diagnostics: [
          diagnose(SCENARIO_LOAD_DIAGNOSTICS, "packages-too-many", params, { file: path }),
        ],
      };
    }
    const { loadSspFile } = await import("../platform/node/ssp-file.ts");
    return loadSspFile(path, {
      target: join(this.folder, `ssp-${this.packages++}`),
      limits: { maxTotalBytes: this.bytesLeft, maxEntries: this.entriesLeft },
      onUnpack: ({ bytes, entries }) => {
        this.bytesLeft -= bytes;
        this.entriesLeft -= entries;
      },
    });
  }

  /** Opens what the units of `draft` need, nested scenarios included. */
  async sourcesOf(draft: ScenarioDraft): Promise<void> {
    for (const unit of draft.units) {
      const { source } = unit;
      if (source.kind === "scenario") {
        await this.sourcesOf(source.scenario);
        continue;
      }
      if (source.kind === "adapted") {
        await this.openAdapted(unit, source, draft);
        continue;
      }
      const path = resolve(dirname(draft.file), source.path);
      if (source.kind === "scenario-file") await this.nested(path, unit.place);
      else await this.open(path, unit);
    }
  }

  /** @param place of what names the file. */
  private async nested(path: string, place: Place = { file: path }): Promise<void> {
    if (this.drafts.has(path)) return;
    if (this.depth >= MAX_DEPTH) {
      const params = { path: basename(path), limit: MAX_DEPTH };
      this.diagnostics.push(
        diagnose(SCENARIO_LOAD_DIAGNOSTICS, "scenario-too-deep", params, place),
      );
      return;
    }
    this.depth++;
    const draft = await this.draft(path);
    if (draft !== undefined) {
      this.drafts.set(path, draft);
      await this.sourcesOf(draft);
    }
    this.depth--;
  }

  async open(
    path: string,
    unit: UnitDraft,
    around: readonly string[] = [],
  ): Promise<LoadedSource | undefined> {
    const key = sourceKey(path, unit);
    if (this.sources.has(key)) return this.sources.get(key);
    if (!existsSync(path)) this.broken(unit, path, "there is no such file");
    else if (unit.source.kind === "fmu") this.openFmu(path, unit);
    else if (unit.source.kind === "module") await this.openModule(path, unit);
    else await this.openAdaptation(path, unit, around);
    return this.sources.get(key);
  }

  private async openAdaptation(
    path: string,
    unit: UnitDraft,
    around: readonly string[],
  ): Promise<void> {
    // The language takes longer to load than everything else together.
    const { loadAdaptation } = await import("./load-adaptation.ts");
    const loaded = await loadAdaptation(path, unit, around, this.adaptations);
    if (loaded) this.sources.set(sourceKey(path, unit), loaded);
  }

  private async openAdapted(
    unit: UnitDraft,
    source: AdaptedSource,
    { file }: ScenarioDraft,
  ): Promise<void> {
    const { loadAdapted } = await import("./load-adaptation.ts");
    const loaded = await loadAdapted(unit, source, file, this.adaptations);
    if (loaded) this.sources.set(loadedKey(file, unit), loaded);
  }

  private readonly adaptations: AdaptationLoader = {
    open: (inner, draft, inside) => this.open(inner, draft, inside),
    scenario: (inner) => this.innerScenario(inner),
    probe: (make, draft) => this.probe(make, draft),
    report: (...diagnostics) => void append(this.diagnostics, diagnostics),
  };

  private async innerScenario(path: string): Promise<Scenario | undefined> {
    await this.nested(path);
    const draft = this.drafts.get(path);
    const resolved = draft && this.resolve(draft);
    append(this.diagnostics, resolved?.diagnostics ?? []);
    return resolved && hasErrors(resolved.diagnostics) ? undefined : resolved?.value;
  }

  resolve(draft: ScenarioDraft): Checked<Scenario> {
    return resolveScenario(draft, this.describe, (nested, _, around) =>
      this.drafts.get(resolve(dirname(around.file), nested)),
    );
  }

  private openFmu(path: string, unit: UnitDraft): void {
    const opened = openFmuFile(path);
    const fmu = opened.value;
    if (fmu === undefined || !opened.diagnostics.every(isLossless)) {
      append(this.diagnostics, opened.diagnostics);
      this.broken(unit, path, "it is not a usable FMU");
      return;
    }
    if (fmu.description.coSimulation === undefined) {
      const params = { unit: unit.name, path };
      this.diagnostics.push(
        diagnose(SCENARIO_LOAD_DIAGNOSTICS, "unit-no-co-simulation", params, unit.place),
      );
      return;
    }
    this.sources.set(sourceKey(path, unit), { kind: "fmu", fmu });
  }

  private async openModule(path: string, unit: UnitDraft): Promise<void> {
    const wrong = (reason: string): void => {
      const params = { unit: unit.name, path, reason };
      this.diagnostics.push(
        diagnose(SCENARIO_LOAD_DIAGNOSTICS, "module-not-a-unit", params, unit.place),
      );
    };
    const untrusted = notTrusted(this.trust, path, unit, this.folder);
    if (untrusted !== undefined) {
      this.diagnostics.push(untrusted);
      return;
    }
    let exports: Record<string, unknown>;
    try {
      exports = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_UNKNOWN_FILE_EXTENSION") {
        const params = { unit: unit.name, path };
        this.diagnostics.push(
          diagnose(SCENARIO_LOAD_DIAGNOSTICS, "module-typescript", params, unit.place),
        );
        return;
      }
      wrong(`it cannot be loaded: ${(error as Error).message}`);
      return;
    }
    const name = (unit.source.kind === "module" && unit.source.export) || "default";
    const make = exports[name];
    if (typeof make === "function") {
      this.sources.set(sourceKey(path, unit), { kind: "module", make: make as MakeUnit });
    } else
      wrong(
        `it has no function '${name}'; it exports ${Object.keys(exports).join(", ") || "nothing"}`,
      );
  }

  private broken(unit: UnitDraft, path: string, reason: string): void {
    const params = { unit: unit.name, path, reason };
    this.diagnostics.push(
      diagnose(SCENARIO_LOAD_DIAGNOSTICS, "unit-source-broken", params, unit.place),
    );
  }

  readonly describe = (
    _: unknown,
    __: string,
    unit: UnitDraft,
    draft: ScenarioDraft,
  ): UnitDescription | undefined => {
    if (unit.source.kind === "scenario" || unit.source.kind === "scenario-file") return undefined;
    const source = this.sources.get(loadedKey(draft.file, unit));
    if (source === undefined) return undefined;
    if (source.kind === "module") return this.probe(source.make, unit);
    if (source.kind === "adaptation") return source.description;
    const plain = toUnitDescription(source.fmu.description, {
      structural: structuralOf(unit, source.fmu),
      file: source.fmu.descriptionFile,
    });
    const description = withFollowedInputs(plain, source.fmu.description);
    const terminals = terminalsOf(source.fmu, description.ports);
    return terminals === undefined ? description : { ...description, terminals };
  };

  /** A module tells what it makes only by making one. */
  private probe(make: MakeUnit, unit: UnitDraft): UnitDescription | undefined {
    const known = this.descriptions.get(make);
    if (known) return known;
    try {
      const made = make(unit.name);
      const { description } = made;
      made.dispose();
      this.descriptions.set(make, description);
      return description;
    } catch (error) {
      const path = unit.source.kind === "module" ? unit.source.path : "";
      const params = {
        unit: unit.name,
        path,
        reason: `making a unit failed: ${(error as Error).message}`,
      };
      this.diagnostics.push(
        diagnose(SCENARIO_LOAD_DIAGNOSTICS, "module-not-a-unit", params, unit.place),
      );
      return undefined;
    }
  }
}

/** Terminals let a scenario connect whole groups of ports; most FMUs have none. */
function terminalsOf(fmu: FmuFile, ports: readonly Port[]): readonly Terminal[] | undefined {
  const { terminalsAndIcons } = fmu.contents;
  const text = terminalsAndIcons === undefined ? undefined : fmu.readText(terminalsAndIcons);
  const parsed = text === undefined ? undefined : parseTerminals(text, terminalsAndIcons).value;
  return parsed && unitTerminals(parsed, ports);
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "syscall" in error;
}
