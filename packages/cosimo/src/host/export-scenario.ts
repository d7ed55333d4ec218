/**
 * What a whole scenario shows when it becomes an FMU, and why some cannot become one.
 */
import type { ExportFmuParams } from "../export/export-diagnostics.ts";
import { hasFaults } from "../model/apply-faults.ts";
import { MASTERS } from "../model/masters.ts";
import type { ExposedPort, Scenario } from "../model/scenario.ts";
import type { Port } from "../model/unit-description.ts";
import type { Plan } from "../plan/plan.ts";
import type { SourceTree } from "./sources/tree.ts";

/**
 * A scenario that exposes ports shows those. One that exposes none shows everything that is of use
 * outside: outputs of its units, inputs that nothing feeds, and parameters, each as `unit.port`;
 * arrays that structural parameters reshape only where the scenario gives their values.
 */
export function showAllPorts(scenario: Scenario): Scenario {
  if (scenario.ports.length > 0) return scenario;
  const fed = new Set(scenario.connections.map(({ to }) => `${to.unit} ${to.port}`));
  const ports = scenario.units.flatMap((one, unit): ExposedPort[] => {
    const { name, description, values, source } = one;
    if (source.kind === "formula") return [];
    const given = new Set(values.map(({ port }) => port));
    const isReshaped = description.ports.some(
      ({ index, direction }) => direction === "structural-parameter" && given.has(index),
    );
    // An array that was given another size starts with values that are in no description.
    const isKnown = ({ direction, shape, index }: Port): boolean =>
      direction === "output" || shape.length === 0 || !isReshaped || given.has(index);
    return description.ports
      .filter((port) => isShown(port) && isKnown(port) && !fed.has(`${unit} ${port.index}`))
      .map((port) => ({ name: `${name}.${port.name}`, inner: { unit, port: port.index } }));
  });
  return { ...scenario, ports };
}

function isShown({ direction, type, variability }: Port): boolean {
  if (type === "clock" || variability === "constant") return false;
  return direction === "output" || direction === "input" || direction === "parameter";
}

/** What in a scenario makes its master decide while it runs, and the unit where it is one. */
export function runTimeReason(
  scenario: Scenario,
  plan: Plan,
  tree: SourceTree,
): Pick<ExportFmuParams["export-run-time-master"], "why" | "unit"> {
  const { decidesAtRunTime, coordinates } = MASTERS[plan.master];
  if (decidesAtRunTime || coordinates) return { why: `master: ${plan.master}` };
  if (hasFaults(scenario)) return { why: "'faults:'" };
  const lists = ["events", "constraints", "bonds", "limits"] as const;
  const declared = lists.find((list) => scenario[list].length > 0);
  if (declared !== undefined) return { why: `'${declared}:'` };
  const unit = scenario.units.find(
    ({ description: { capabilities, ports } }) =>
      capabilities.refusesSteps === true || ports.some(({ clock }) => clock !== undefined),
  );
  if (unit === undefined) return { why: "a signal that keeps its area" };
  const { refusesSteps } = unit.description.capabilities;
  const what = refusesSteps === true ? "may refuse steps" : "has clocks";
  const { name, source } = unit;
  const kind = (unit.scenario === undefined && tree.sourceOf(source).adaptation) || "other";
  return { why: `the unit '${name}' ${what}`, unit: { name, kind } };
}
