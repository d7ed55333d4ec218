/**
 * From a `.sa` file to what is known of it without running it: the adaptation, the descriptions of its inner units as deep as they
 * go, its explicit form, its own description. FMUs are opened, not loaded; modules are imported, because only running them
 * tells what they make, and therefore only where the caller trusts them.
 *
 * The parser is loaded when there is a text to read: it takes as long to load as everything else together.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { describeAdaptation } from "../adapt/describe-adaptation.ts";
import { append, type Checked, type Diagnostic, diagnose, hasErrors } from "../base/diagnostic.ts";
import { isLossless } from "../fmi/description-diagnostics.ts";
import { toUnitDescription } from "../fmi/to-unit-description.ts";
import { checkSa } from "../lang/sa/check-sa.ts";
import { explicitForm } from "../lang/sa/explicit-form.ts";
import { addInPorts, addOutPorts } from "../lang/sa/explicit-ports.ts";
import { innerPorts } from "../lang/sa/inner-ports.ts";
import { type Adaptation, type InnerUnit, isOpen } from "../model/adaptation/data.ts";
import { describeScenario } from "../model/resolve-scenario-nested.ts";
import type { Scenario } from "../model/scenario.ts";
import { fileKind } from "../model/source-kind.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { withFollowedInputs } from "../platform/native/followed-inputs.ts";
import { type FmuFile, openFmuFile } from "../platform/node/fmu-file.ts";
import { ADAPTATION_FILE_RULES } from "./describe-adaptation-diagnostics.ts";
import { loadScenario, type MakeUnit } from "./load-scenario.ts";
import { SCENARIO_LOAD_DIAGNOSTICS } from "./scenario-diagnostics.ts";
import { notTrusted, type Trust } from "./trust.ts";

export interface DescribedAdaptation {
  /** As it was written. */
  readonly adaptation: Adaptation;
  /** With the ports that authors leave out, bindings included. */
  readonly withPorts: Adaptation;
  /** Absent where there is none: it does not fit its inner units, or leaves one open. */
  readonly explicit?: Adaptation;
  /** Absent where something is wrong with it or inside it. */
  readonly description?: UnitDescription;
  /** Descriptions of inner units by name, as far as they are known. */
  readonly inner: ReadonlyMap<string, UnitDescription>;
}

/** Where adaptations and what is inside of them come from: the disk, or an editor that knows better. */
export interface AdaptationSources {
  readonly text: (path: string) => Checked<string>;
  readonly fmu: (path: string) => Checked<FmuFile>;
  /** Why a module that an inner unit names must not be run; undefined where it may. */
  readonly notTrusted: (
    path: string,
    unit: Pick<InnerUnit, "name" | "place">,
    folder: string,
  ) => Diagnostic | undefined;
  readonly module: (path: string) => Promise<Readonly<Record<string, unknown>>>;
  /** `folder`: where a package (.ssp) is unpacked. */
  readonly scenario: (path: string, folder: string) => Promise<Checked<Scenario>>;
}

/** What lies on the disk; of its modules, those that are trusted. */
export function diskSources(trust: Trust): AdaptationSources {
  return {
    text: readAdaptationText,
    fmu: (path) => openFmuFile(path),
    notTrusted: (path, unit, folder) => notTrusted(trust, path, unit, folder),
    module: (path) => import(pathToFileURL(path).href),
    async scenario(path, folder) {
      const { value, diagnostics } = await loadScenario(path, trust, folder);
      return value === undefined ? { diagnostics } : { value: value.scenario, diagnostics };
    },
  };
}

/**
 * @param folder where packages (.ssp) inside are unpacked.
 * @returns no value where the text cannot be read. Findings inside inner adaptations come first, each once.
 */
export async function describeAdaptationFile(
  path: string,
  folder: string,
  sources: AdaptationSources,
): Promise<Checked<DescribedAdaptation>> {
  const reader = new AdaptationReader(folder, sources);
  const value = await reader.read(path, []);
  const { diagnostics } = reader;
  return value === undefined ? { diagnostics } : { value, diagnostics };
}

/** What one inner unit of the adaptation `file` tells of itself, also where the rest of the text cannot be read. */
export async function describeInnerUnit(
  unit: Pick<InnerUnit, "name" | "source" | "place">,
  file: string,
  folder: string,
  sources: AdaptationSources,
): Promise<UnitDescription | undefined> {
  return new AdaptationReader(folder, sources).describeInner(unit, file, [resolve(file)]);
}

/** The text of a `.sa` file, or why there is none. */
export function readAdaptationText(path: string): Checked<string> {
  try {
    return { value: readFileSync(path, "utf8"), diagnostics: [] };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const reason = code === "ENOENT" ? "there is no such file" : message;
    const place = { file: path };
    return {
      diagnostics: [diagnose(ADAPTATION_FILE_RULES, "sa-file-unreadable", { reason }, place)],
    };
  }
}

/** Reports that what an inner unit is made of cannot be opened. */
type Broken = (reason: string, code?: "unit-source-broken" | "module-not-a-unit") => undefined;

class AdaptationReader {
  readonly diagnostics: Diagnostic[] = [];
  /** By absolute path: what is used twice is read and reported once. */
  private readonly known = new Map<string, DescribedAdaptation | undefined>();
  private readonly folder: string;
  private readonly sources: AdaptationSources;
  private packages = 0;

  constructor(folder: string, sources: AdaptationSources) {
    this.folder = folder;
    this.sources = sources;
  }

  /** @param around absolute paths of the adaptations that this one is inside of. */
  async read(path: string, around: readonly string[]): Promise<DescribedAdaptation | undefined> {
    const key = resolve(path);
    if (!this.known.has(key)) this.known.set(key, await this.readAnew(path, [...around, key]));
    return this.known.get(key);
  }

  private async readAnew(
    path: string,
    around: readonly string[],
  ): Promise<DescribedAdaptation | undefined> {
    const text = this.sources.text(path);
    append(this.diagnostics, text.diagnostics);
    if (text.value === undefined) return undefined;
    const { parseSa } = await import("../lang/sa/parse-sa.ts");
    const parsed = parseSa(text.value, path);
    append(this.diagnostics, parsed.diagnostics);
    return parsed.value && this.describe(parsed.value, path, around);
  }

  private async describe(
    adaptation: Adaptation,
    file: string,
    around: readonly string[],
  ): Promise<DescribedAdaptation> {
    const inner = new Map<string, UnitDescription>();
    for (const unit of adaptation.inner) {
      const description = await this.describeInner(unit, file, around);
      if (description !== undefined) inner.set(unit.name, description);
    }
    const describe = ({ name }: InnerUnit): UnitDescription | undefined => inner.get(name);
    const findings = checkSa(adaptation, describe);
    append(this.diagnostics, findings);
    const explicit = adaptation.inner.some(isOpen)
      ? undefined
      : explicitForm(adaptation, describe).value;
    const units = innerPorts(adaptation, describe);
    const isWhole = adaptation.inner.every(({ name }) => inner.has(name)) && !hasErrors(findings);
    return {
      adaptation,
      withPorts: addOutPorts(addInPorts(adaptation, units), units),
      ...(explicit === undefined ? {} : { explicit }),
      ...(explicit === undefined || !isWhole
        ? {}
        : { description: describeAdaptation(explicit, inner) }),
      inner,
    };
  }

  async describeInner(
    unit: Pick<InnerUnit, "name" | "source" | "place">,
    file: string,
    around: readonly string[],
  ): Promise<UnitDescription | undefined> {
    if (unit.source === undefined) return undefined;
    const path = isAbsolute(unit.source) ? unit.source : join(dirname(file), unit.source);
    const params = { unit: unit.name, path };
    const report = (
      code:
        | "adaptation-nests-itself"
        | "adaptation-inner-source"
        | "adaptation-inner-step"
        | "adaptation-open"
        | "unit-no-co-simulation",
    ): undefined => {
      this.diagnostics.push(diagnose(SCENARIO_LOAD_DIAGNOSTICS, code, params, unit.place));
    };
    const broken: Broken = (reason, code = "unit-source-broken") => {
      const why = { ...params, reason };
      this.diagnostics.push(diagnose(SCENARIO_LOAD_DIAGNOSTICS, code, why, unit.place));
    };
    // A variant of a package is named behind a hash.
    if (!existsSync(path.split("#", 1)[0]!)) return broken("there is no such file");
    switch (fileKind(path)) {
      case "scenario-file": {
        const scenario = await this.openScenario(path, broken);
        if (scenario === undefined) return undefined;
        if (scenario.experiment.step === undefined) return report("adaptation-inner-step");
        return describeScenario(scenario);
      }
      case "fmu": {
        const fmu = this.openFmu(path, broken);
        if (fmu === undefined) return undefined;
        if (fmu.description.coSimulation === undefined) return report("unit-no-co-simulation");
        return withFollowedInputs(
          toUnitDescription(fmu.description, { file: fmu.descriptionFile }),
          fmu.description,
        );
      }
      case "adaptation": {
        if (around.includes(resolve(path))) return report("adaptation-nests-itself");
        const described = await this.read(path, around);
        if (described?.adaptation.inner.some(isOpen)) return report("adaptation-open");
        // What is wrong inside has been said, in its own file.
        return described?.description;
      }
      case "module":
        return this.describeModule(path, unit, broken);
      default:
        return report("adaptation-inner-source");
    }
  }

  private openFmu(path: string, broken: Broken): FmuFile | undefined {
    const { value, diagnostics } = this.sources.fmu(path);
    if (value !== undefined && diagnostics.every(isLossless)) return value;
    append(this.diagnostics, diagnostics);
    return broken("it is not a usable FMU");
  }

  private async openScenario(path: string, broken: Broken): Promise<Scenario | undefined> {
    const folder = join(this.folder, `inner-${this.packages++}`);
    const { value, diagnostics } = await this.sources.scenario(path, folder);
    if (value !== undefined) return value;
    append(
      this.diagnostics,
      diagnostics.filter(({ severity }) => severity === "error"),
    );
    return broken("it is not a usable scenario");
  }

  /** A module tells what it makes only by making one. */
  private async describeModule(
    path: string,
    unit: Pick<InnerUnit, "name" | "place">,
    broken: Broken,
  ): Promise<UnitDescription | undefined> {
    const untrusted = this.sources.notTrusted(path, unit, this.folder);
    if (untrusted !== undefined) {
      this.diagnostics.push(untrusted);
      return undefined;
    }
    try {
      const exports = await this.sources.module(path);
      if (typeof exports["default"] !== "function")
        return broken("it exports no function as its default", "module-not-a-unit");
      const made = (exports["default"] as MakeUnit)(unit.name);
      const { description } = made;
      made.dispose();
      return description;
    } catch (error) {
      return broken((error as Error).message, "module-not-a-unit");
    }
  }
}
