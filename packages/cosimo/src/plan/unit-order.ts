/**
 * The sequence of units in a Gauss-Seidel step.
 *
 * A reactive input needs its source first, and one of no declared kind gains by it. Where these
 * dependencies form a loop, some of them must give way, undeclared ones before the others: units
 * without feed-through go first (their outputs need nothing from this step; measured on coupled
 * oscillators this is by far the more robust order), then by name, so that the order of declaration
 * does not matter.
 */
import type { Place } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import type { Scenario } from "../model/scenario.ts";
import { connectedKind } from "../model/unit-kind.ts";
import type { PlanReport } from "./plan-diagnostics.ts";
import { strongComponents } from "./strong-components.ts";

export interface UnitOrder {
  readonly units: readonly number[];
  /** Why each unit stands where it does, for `cosimo check`. */
  readonly reasons: readonly string[];
}

/** By unit, the sources of its inputs that should go first: all, and those of reactive inputs. */
interface Sources {
  readonly all: readonly (readonly number[])[];
  readonly declared: readonly (readonly number[])[];
}

/**
 * @param waiting which inputs wait for their source: in a sequence all that get its new value ("not
 *   delayed"); where units iterate, or step all at once, only those that are declared reactive.
 */
export function automaticOrder(scenario: Scenario, waiting: "not delayed" | "reactive"): UnitOrder {
  const targets: number[][] = scenario.units.map(() => []);
  const all: number[][] = scenario.units.map(() => []);
  const declared: number[][] = scenario.units.map(() => []);
  for (const connection of scenario.connections) {
    const { from, to, approximation = "hold" } = connection;
    const kind = connectedKind(scenario, connection);
    const gains = waiting === "not delayed" && kind === "undeclared" && approximation === "hold";
    if (from.unit === to.unit || !(kind === "reactive" || gains)) continue;
    if (kind === "reactive") declared[to.unit].push(from.unit);
    if (targets[from.unit].includes(to.unit)) continue;
    targets[from.unit].push(to.unit);
    all[to.unit].push(from.unit);
  }
  const units: number[] = [];
  const reasons: string[] = [];
  for (const component of componentsByName(scenario, targets)) {
    for (const { unit, why } of orderComponent(scenario, component, { all, declared })) {
      units.push(unit);
      reasons.push(reasonFor(scenario, unit, why, all[unit]));
    }
  }
  return { units, reasons };
}

/** Loops of units, sources first; those that do not wait for each other by name. */
function componentsByName(scenario: Scenario, targets: readonly (readonly number[])[]): number[][] {
  const components = strongComponents(targets);
  const componentOf = new Int32Array(targets.length);
  components.forEach((component, c) => {
    for (const unit of component) componentOf[unit] = c;
  });
  // The longest path from a source, then the name: the same for every order of declaration.
  const depth = new Int32Array(components.length);
  components.forEach((component, c) => {
    for (const unit of component)
      for (const target of targets[unit]) {
        const other = componentOf[target];
        if (other !== c) depth[other] = Math.max(depth[other], depth[c] + 1);
      }
  });
  const nameOf = (component: readonly number[]): string =>
    component.map((unit) => scenario.units[unit].name).sort()[0];
  return components
    .map((component, c) => ({ component, depth: depth[c], name: nameOf(component) }))
    .sort((a, b) => a.depth - b.depth || (a.name < b.name ? -1 : 1))
    .map(({ component }) => component);
}

/**
 * Why a unit goes next: all its sources went before ("free"), only inputs of no declared kind would
 * still wait ("undeclared"), or it is the first by preference.
 */
type Why = "free" | "undeclared" | "preferred";

/**
 * Units of a loop: one that has all its sources' new values goes next, else the first preferred.
 */
function orderComponent(
  scenario: Scenario,
  component: readonly number[],
  { all, declared }: Sources,
): { unit: number; why: Why }[] {
  const open = component
    .map((unit) => ({
      unit,
      mealy: hasFeedThrough(scenario, unit),
      name: scenario.units[unit].name,
    }))
    .sort((a, b) => Number(a.mealy) - Number(b.mealy) || (a.name < b.name ? -1 : 1))
    .map(({ unit }) => unit);
  const waiting = new Set(open);
  const order: { unit: number; why: Why }[] = [];
  while (open.length > 0) {
    const having = (sources: Sources["all"]): number =>
      open.findIndex((unit) => sources[unit].every((source) => !waiting.has(source)));
    const free = having(all);
    const next = free >= 0 ? free : Math.max(having(declared), 0);
    const [unit] = open.splice(next, 1);
    waiting.delete(unit);
    order.push({ unit, why: free >= 0 ? "free" : next > 0 ? "undeclared" : "preferred" });
  }
  return order;
}

function reasonFor(scenario: Scenario, unit: number, why: Why, sources: readonly number[]): string {
  const names = sources.map((v) => scenario.units[v].name).join(", ");
  if (why !== "free") {
    const preference = hasFeedThrough(scenario, unit) ? "first by name" : "it has no feed-through";
    const reason = why === "undeclared" ? "its inputs are not declared reactive" : preference;
    return `breaks a loop of inputs that wait for each other: ${reason}`;
  }
  return names === "" ? "needs no new values" : `after ${names}, whose new values it gets`;
}

function hasFeedThrough(scenario: Scenario, unit: number): boolean {
  const { ports } = scenario.units[unit].description;
  if (!ports.some((port) => port.direction === "input")) return false;
  return ports.some((port) => port.direction === "output" && port.feedThrough?.length !== 0);
}

/** The order that the author gives, or undefined after a report. */
export function givenOrder(
  scenario: Scenario,
  names: readonly string[],
  place: Place,
  report: PlanReport,
): UnitOrder | undefined {
  const index = new Map(scenario.units.map((unit, u) => [unit.name, u]));
  const wrong = (problem: string): undefined => report("order-incomplete", { problem }, place);
  const units: number[] = [];
  for (const name of names) {
    const unit = index.get(name);
    if (unit === undefined) {
      const near = nearest(name, index.keys());
      const hint = near === undefined ? "" : `; did you mean '${near}'?`;
      return wrong(`the order names '${name}', which is not a unit${hint}`);
    }
    if (units.includes(unit)) return wrong(`the order names '${name}' twice`);
    units.push(unit);
  }
  const missing = scenario.units.find((_, u) => !units.includes(u));
  if (missing) return wrong(`the order does not name '${missing.name}'`);
  return { units, reasons: units.map(() => "as given") };
}
