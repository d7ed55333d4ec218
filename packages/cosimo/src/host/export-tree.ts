/**
 * From what the loader found to a tree of units that can become C: the same decisions as when the units are opened for a run
 * (open-units.ts), so that the exported FMU is made of the same parts. What cannot become C is reported with its place.
 */
import { readFileSync } from "node:fs";
import { basename, dirname, extname, resolve } from "node:path";
import { type Diagnostic, diagnose, hasErrors } from "../base/diagnostic.ts";
import { EXPORT_FMU_RULES } from "../export/export-diagnostics.ts";
import type { ExportNode } from "../export/exported-fmu.ts";
import type { InnerFmu } from "../export/fmu-source.ts";
import { platformTuple } from "../fmi/archive-contents.ts";
import { toUnitDescription } from "../fmi/to-unit-description.ts";
import { describeScenario } from "../model/resolve-scenario-nested.ts";
import type { Scenario, ScenarioUnit } from "../model/scenario.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { compilePlan } from "../plan/compile.ts";
import { communicationStep, type Plan } from "../plan/plan.ts";
import { PLAN_DIAGNOSTICS } from "../plan/plan-diagnostics.ts";
import { followedInputs, withFollowedInputs } from "../platform/native/followed-inputs.ts";
import type { FmuFile } from "../platform/node/fmu-file.ts";
import { runTimeReason, showAllPorts } from "./export-scenario.ts";
import type { LoadedAdaptation, LoadedInner } from "./load-adaptation.ts";
import type { LoadedSource } from "./load-scenario.ts";
import { loadedKey } from "./source-key.ts";

export interface ExportTree {
  readonly root: ExportNode;
  /** FMUs by the folder below `resources/` that they go to. */
  readonly inner: ReadonlyMap<string, FmuFile>;
}

export interface ExportTreeOptions {
  readonly sources: ReadonlyMap<string, LoadedSource>;
  /** FMUs inside must have a binary for this machine. */
  readonly needsBinaries: boolean;
  readonly report: (diagnostic: Diagnostic) => void;
}

/** @returns undefined after a report. */
export function adaptationTree(
  source: LoadedAdaptation,
  name: string,
  options: ExportTreeOptions,
): ExportTree | undefined {
  const builder = new TreeBuilder(options);
  const root = builder.adaptation(source, name, new Map());
  return root && { root, inner: builder.inner };
}

/** @returns undefined after a report. */
export function scenarioTree(
  scenario: Scenario,
  options: ExportTreeOptions,
): ExportTree | undefined {
  const builder = new TreeBuilder(options);
  const shown = showAllPorts(scenario);
  const record = shown.ports.flatMap(({ inner: { unit, port: index } }) => {
    const { direction, shape } = shown.units[unit]!.description.ports[index]!;
    if (direction !== "output" && direction !== "local") return [];
    const size = shape.reduce((product, n) => product * n, 1);
    return Array.from({ length: size }, (_, element) => ({ unit, port: index, element }));
  });
  const root = builder.scenario(shown, { record, recordEvery: 1 });
  return root && { root, inner: builder.inner };
}

type Structural = ReadonlyMap<string, number>;

class TreeBuilder {
  readonly inner = new Map<string, FmuFile>();
  private readonly options: ExportTreeOptions;
  /** What is used twice becomes one node. */
  private readonly nodes = new Map<unknown, Map<string, ExportNode>>();
  private readonly folders = new Map<FmuFile, string>();

  constructor(options: ExportTreeOptions) {
    this.options = options;
  }

  scenario(
    scenario: Scenario,
    how: Pick<Parameters<typeof compilePlan>[1], "record" | "recordEvery" | "step" | "isNested">,
    prefix = "",
  ): ExportNode | undefined {
    const { report } = this.options;
    const compiled = compilePlan(scenario, how);
    compiled.diagnostics.forEach(report);
    if (compiled.value === undefined || hasErrors(compiled.diagnostics)) return undefined;
    const { plan } = compiled.value;
    if (plan.coupling !== undefined) {
      const params = { scenario: scenario.name, ...runTimeReason(scenario, plan) };
      const place = scenario.master.place;
      report(diagnose(EXPORT_FMU_RULES, "export-run-time-master", params, place));
      return undefined;
    }
    // All of them are looked at, so that people hear of everything at once.
    const units = scenario.units.map((unit, u) =>
      this.unit(scenario, plan, unit, u, `${prefix}${unit.name}`),
    );
    if (!units.every((unit) => unit !== undefined)) return undefined;
    return { kind: "plan", description: describeScenario(scenario), scenario, plan, units };
  }

  private unit(
    scenario: Scenario,
    plan: Plan,
    unit: ScenarioUnit,
    index: number,
    name: string,
  ): ExportNode | undefined {
    if (unit.scenario) return this.nested(unit, communicationStep(plan, index), name);
    const source = this.options.sources.get(loadedKey(scenario.file, unit))!;
    const path = "path" in unit.source ? resolve(dirname(scenario.file), unit.source.path) : "";
    if (source.kind === "module") return this.refuseModule(name, path, unit.place);
    const { ports } = unit.description;
    const structural = new Map(
      unit.values
        .filter(({ port }) => ports[port]!.direction === "structural-parameter")
        .map(({ port, values }) => [ports[port]!.name, Number(values[0])]),
    );
    if (source.kind === "adaptation") return this.adaptation(source, name, structural);
    const isFollowed =
      unit.description.backend === "fmi3" && plan.slopes.some((group) => group.unit === index);
    return this.fmu(source.fmu, unit.description, structural, isFollowed, name, unit.place);
  }

  private nested(unit: ScenarioUnit, outer: number, name: string): ExportNode | undefined {
    const scenario = unit.scenario!;
    const step = scenario.experiment.step ?? outer;
    const made = this.scenario(scenario, { step, record: [], isNested: true }, `${name}.`);
    if (made?.kind !== "plan") return undefined;
    const parts = outer / made.plan.step;
    if (Math.round(parts) >= 1 && Math.abs(parts - Math.round(parts)) <= 1e-9 * parts)
      return { ...made, description: unit.description };
    const params = { unit: name, inner: made.plan.step, outer };
    this.options.report(diagnose(PLAN_DIAGNOSTICS, "nested-step", params, unit.place));
    return undefined;
  }

  adaptation(
    source: LoadedAdaptation,
    name: string,
    structural: Structural,
  ): ExportNode | undefined {
    return this.once(source, JSON.stringify([...structural]), () => {
      const { adaptation, description, passing } = source;
      const units = [...source.inner].map(([key, { path, source: inside }]) => {
        const given = (passing?.ports ?? []).flatMap(({ own, unit, portName }) => {
          const value = structural.get(passing!.description.ports[own]!.name);
          return unit === key && value !== undefined ? [[portName, value] as const] : [];
        });
        const place = adaptation.inner.find((unit) => unit.name === key)?.place;
        const at = place ?? adaptation.place;
        return [key, this.innerUnit(path, inside, `${name}.${key}`, new Map(given), at)] as const;
      });
      const inner = new Map<string, ExportNode>();
      for (const [key, unit] of units) if (unit !== undefined) inner.set(key, unit);
      if (inner.size < units.length) return undefined;
      const text = textOf(adaptation.place.file);
      return {
        kind: "adaptation",
        description,
        adaptation,
        inner,
        ...(text !== undefined && { text }),
        ...(passing !== undefined && { passing }),
      };
    });
  }

  private innerUnit(
    path: string,
    source: LoadedInner["source"],
    name: string,
    structural: Structural,
    place: Diagnostic["place"],
  ): ExportNode | undefined {
    switch (source.kind) {
      case "module":
        return this.refuseModule(name, path, place);
      case "adaptation":
        return this.adaptation(source, name, structural);
      case "scenario": {
        const { scenario } = source;
        return this.once(scenario, "", () => {
          const how = { step: scenario.experiment.step!, record: [], isNested: true };
          return this.scenario(scenario, how, `${name}.`);
        });
      }
      case "fmu": {
        const plain = toUnitDescription(source.fmu.description, { structural });
        const description = withFollowedInputs(plain, source.fmu.description);
        const isFollowed = description !== plain;
        return this.fmu(source.fmu, description, structural, isFollowed, name, place);
      }
    }
  }

  private refuseModule(unit: string, path: string, place: Diagnostic["place"]): undefined {
    const params = { unit, path: basename(path) };
    this.options.report(diagnose(EXPORT_FMU_RULES, "export-module", params, place));
  }

  private fmu(
    file: FmuFile,
    description: UnitDescription,
    structural: Structural,
    isFollowed: boolean,
    name: string,
    place: Diagnostic["place"],
  ): ExportNode | undefined {
    const library = libraryOf(file);
    if (library === undefined && this.options.needsBinaries) {
      const machine = platformTuple(process.platform, process.arch);
      const folders = file.contents.platforms.map(({ folder }) => folder);
      const params = { unit: name, machine, offered: folders.join(", ") || "none" };
      this.options.report(diagnose(EXPORT_FMU_RULES, "export-inner-platform", params, place));
      return undefined;
    }
    const key = `${isFollowed} ${JSON.stringify([...structural])}`;
    return this.once(file, key, () => ({
      kind: "fmu",
      description,
      fmu: this.facts(file, description, structural, isFollowed, library ?? ""),
    }));
  }

  private facts(
    file: FmuFile,
    { ports }: UnitDescription,
    structural: Structural,
    isFollowed: boolean,
    library: string,
  ): InnerFmu {
    const { description, contents } = file;
    const byName = new Map(ports.map((port) => [port.name, port.index]));
    return {
      version: description.major,
      folder: this.folderFor(file),
      modelIdentifier: description.coSimulation!.modelIdentifier,
      token: description.instantiationToken,
      library,
      hasResources: contents.resources.length > 0,
      isAsynchronous: description.coSimulation!.canRunAsynchronously,
      references: description.variables.map(({ valueReference }) => valueReference),
      categories: description.logCategories.map(({ name }) => name),
      structural: new Map([...structural].map(([key, value]) => [byName.get(key)!, value])),
      followed: isFollowed ? followedInputs(description) : [],
    };
  }

  /** One folder for each FMU file, named after it. */
  private folderFor(file: FmuFile): string {
    const known = this.folders.get(file);
    if (known !== undefined) return known;
    const wanted = basename(file.path, extname(file.path)).replace(/[^A-Za-z0-9._-]+/g, "_");
    let folder = wanted;
    for (let k = 2; this.inner.has(folder); k++) folder = `${wanted}-${k}`;
    this.folders.set(file, folder);
    this.inner.set(folder, file);
    return folder;
  }

  private once(
    source: unknown,
    key: string,
    make: () => ExportNode | undefined,
  ): ExportNode | undefined {
    const made = this.nodes.get(source) ?? new Map<string, ExportNode>();
    this.nodes.set(source, made);
    const known = made.get(key);
    if (known) return known;
    const node = make();
    if (node) made.set(key, node);
    return node;
  }
}

/** The FMU's library for this machine, as a path inside of it. */
function libraryOf({ contents, description }: FmuFile): string | undefined {
  const tuple = platformTuple(process.platform, process.arch);
  const libraries = contents.platforms
    .filter(({ platform }) => platform === tuple)
    .flatMap((folder) => folder.libraries);
  const name = description.coSimulation!.modelIdentifier;
  return libraries.find((path) => basename(path, extname(path)) === name) ?? libraries[0];
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
