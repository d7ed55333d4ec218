/**
 * From what was read to a tree of units that can become C: the same walk as when the units are
 * opened for a run (run/open-units.ts), so that the exported FMU is made of the same parts. What
 * cannot become C is reported with its place.
 */
import { basename, extname } from "node:path";
import { type Diagnostic, diagnose, hasErrors, unwrap } from "../base/diagnostic.ts";
import { EXPORT_FMU_RULES } from "../export/export-diagnostics.ts";
import type { ExportNode } from "../export/exported-fmu.ts";
import { parseSa } from "../lang/sa/parse-sa.ts";
import type { Adaptation } from "../model/adaptation/data.ts";
import { hasFaults } from "../model/apply-faults.ts";
import { describeScenario } from "../model/resolve-scenario-nested.ts";
import type { Scenario, ScenarioUnit } from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { compilePlan } from "../plan/compile.ts";
import { communicationStep } from "../plan/plan.ts";
import { PLAN_DIAGNOSTICS } from "../plan/plan-diagnostics.ts";
import { fillsStep } from "../plan/rates.ts";
import type { FmuFile } from "../platform/node/fmu-file.ts";
import { type UnitUse, unitUse } from "../run/open-units.ts";
import { runTimeReason, showAllPorts } from "./export-scenario.ts";
import type { ExportContext, Source } from "./sources/source.ts";
import type { SourceTree } from "./sources/tree.ts";

export interface ExportTree {
  readonly root: ExportNode;
  /** FMUs by the folder below `resources/` that they go to. */
  readonly inner: ReadonlyMap<string, FmuFile>;
}

export type ExportTreeOptions = Pick<ExportContext, "needsBinaries" | "report">;

/** @returns undefined after a report. */
export function adaptationTree(
  source: Source,
  name: string,
  tree: SourceTree,
  options: ExportTreeOptions,
): ExportTree | undefined {
  const builder = new TreeBuilder(tree, options);
  const root = builder.node(source, {
    name,
    structural: new Map(),
    takesSlopes: true,
    hasEvents: false,
    mayReturnEarly: false,
    start: 0,
    place: { file: source.path },
  });
  return root && { root, inner: builder.inner };
}

/** @returns undefined after a report. */
export function scenarioTree(
  scenario: Scenario,
  tree: SourceTree,
  options: ExportTreeOptions,
): ExportTree | undefined {
  const builder = new TreeBuilder(tree, options);
  const shown = showAllPorts(scenario);
  const record = shown.ports.flatMap(({ inner: { unit, port: index } }) => {
    const port = shown.units[unit]!.description.ports[index]!;
    if (port.direction !== "output" && port.direction !== "local") return [];
    return Array.from({ length: portSize(port) }, (_, element) => ({ unit, port: index, element }));
  });
  const root = builder.plan(shown, { record, recordEvery: 1 }, "");
  return root && { root, inner: builder.inner };
}

class TreeBuilder implements ExportContext {
  readonly inner = new Map<string, FmuFile>();
  readonly needsBinaries: boolean;
  readonly report: (diagnostic: Diagnostic) => void;
  private readonly tree: SourceTree;
  private readonly nodes = new Map<unknown, Map<string, ExportNode>>();
  private readonly folders = new Map<FmuFile, string>();

  constructor(tree: SourceTree, { needsBinaries, report }: ExportTreeOptions) {
    this.tree = tree;
    this.needsBinaries = needsBinaries;
    this.report = report;
  }

  parseAdaptation(text: string, file: string): Adaptation {
    return unwrap(parseSa(text, file));
  }

  scenario(scenario: Scenario, step: number, prefix: string): ExportNode | undefined {
    return this.plan(scenario, { step, record: [], isNested: true }, prefix);
  }

  plan(
    scenario: Scenario,
    how: Parameters<typeof compilePlan>[1],
    prefix: string,
  ): (ExportNode & { readonly kind: "plan" }) | undefined {
    const compiled = compilePlan(scenario, how);
    compiled.diagnostics.forEach(this.report);
    if (compiled.value === undefined || hasErrors(compiled.diagnostics)) return undefined;
    const { plan } = compiled.value;
    if (plan.coupling !== undefined || hasFaults(scenario)) {
      const params = { scenario: scenario.name, ...runTimeReason(scenario, plan, this.tree) };
      const place = scenario.master.place;
      this.report(diagnose(EXPORT_FMU_RULES, "export-run-time-master", params, place));
      return undefined;
    }
    // All of them are visited, so that everything is reported at once.
    const units = scenario.units.map((unit, u) =>
      unit.scenario === undefined
        ? this.node(this.tree.sourceOf(unit.source), unitUse(scenario, plan, u, prefix))
        : this.nested(unit, unit.scenario, communicationStep(plan, u), `${prefix}${unit.name}`),
    );
    if (!units.every((unit) => unit !== undefined)) return undefined;
    return { kind: "plan", description: describeScenario(scenario), scenario, plan, units };
  }

  private nested(
    { description, place }: ScenarioUnit,
    scenario: Scenario,
    outer: number,
    name: string,
  ): ExportNode | undefined {
    const step = scenario.experiment.step ?? outer;
    const made = this.plan(scenario, { step, record: [], isNested: true }, `${name}.`);
    if (made === undefined) return undefined;
    if (fillsStep(made.plan.step, outer)) return { ...made, description };
    const params = { unit: name, inner: made.plan.step, outer };
    this.report(diagnose(PLAN_DIAGNOSTICS, "nested-step", params, place));
    return undefined;
  }

  node(source: Source, use: UnitUse): ExportNode | undefined {
    if (source.toC !== undefined) return source.toC(use, this);
    const params = { unit: use.name, path: basename(source.path) };
    this.report(diagnose(EXPORT_FMU_RULES, "export-module", params, use.place));
    return undefined;
  }

  /** One folder for each FMU file, named after it. */
  folderFor(file: FmuFile): string {
    const known = this.folders.get(file);
    if (known !== undefined) return known;
    const wanted = basename(file.path, extname(file.path)).replace(/[^A-Za-z0-9._-]+/g, "_");
    let folder = wanted;
    for (let k = 2; this.inner.has(folder); k++) folder = `${wanted}-${k}`;
    this.folders.set(file, folder);
    this.inner.set(folder, file);
    return folder;
  }

  once(source: unknown, key: string, make: () => ExportNode | undefined): ExportNode | undefined {
    const made = this.nodes.get(source) ?? new Map<string, ExportNode>();
    this.nodes.set(source, made);
    const known = made.get(key);
    if (known) return known;
    const node = make();
    if (node) made.set(key, node);
    return node;
  }
}
