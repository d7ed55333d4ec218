/**
 * What a whole scenario shows when it becomes an FMU, and why some cannot become one.
 */
import type { ExportFmuParams } from "../export/export-diagnostics.ts";
import type { ExposedPort, Scenario } from "../model/scenario.ts";
import type { Port } from "../model/unit-description.ts";
import { MASTERS } from "../model/masters.ts";
import type { Plan } from "../plan/plan.ts";

/**
 * A scenario that exposes ports shows those. One that exposes none shows everything that people outside can use: outputs of its
 * units, inputs that nothing feeds, and parameters, each as `unit.port`; arrays that structural parameters reshape only where the
 * scenario gives their values.
 */
export function showAllPorts(scenario: Scenario): Scenario {
  if (scenario.ports.length > 0) return scenario;
  const fed = new Set(scenario.connections.map(({ to }) => `${to.unit} ${to.port}`));
  const ports = scenario.units.flatMap(({ name, description, values }, unit): ExposedPort[] => {
    const given = new Set(values.map(({ port }) => port));
    const isReshaped = description.ports.some(
      ({ index, direction }) => direction === "structural-parameter" && given.has(index),
    );
    // An array that was given another size starts with values that no description tells.
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
): Pick<ExportFmuParams["export-run-time-master"], "why" | "unit"> {
  if (MASTERS[plan.master].decidesAtRunTime) return { why: `master: ${plan.master}` };
  const wishes = [
    ["events", scenario.events],
    ["constraints", scenario.constraints],
    ["bonds", scenario.bonds],
    ["limits", scenario.limits],
  ] as const;
  const wish = wishes.find(([, list]) => list.length > 0);
  if (wish) return { why: `'${wish[0]}:'` };
  const unit = scenario.units.find(
    ({ description: { capabilities, ports } }) =>
      capabilities.refusesSteps === true || ports.some(({ clock }) => clock !== undefined),
  );
  if (unit === undefined) return { why: "a signal that keeps its area" };
  const { refusesSteps } = unit.description.capabilities;
  const what = refusesSteps === true ? "may refuse steps" : "has clocks";
  const { kind } = unit.source;
  const how = kind === "adaptation" ? "file" : kind === "adapted" ? "applied" : "other";
  return { why: `the unit '${unit.name}' ${what}`, unit: { name: unit.name, kind: how } };
}
