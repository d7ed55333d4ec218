/**
 * Which master suits a scenario, from what is known without running: constraints, loops, kinds of
 * inputs. A scenario that names none gets this one, and `cosimo check` recommends it: one function,
 * so that both cannot differ. Rules of thumb with their reasons; a user who knows better overrules
 * them in one line.
 */
import type { MasterName } from "../model/masters.ts";
import type { Connection, PortRef, Scenario } from "../model/scenario.ts";
import { portAt, portName } from "../model/scenario-ports.ts";
import { connectedKind } from "../model/unit-kind.ts";
import { findLoops, isContinuous } from "./find-loops.ts";
import { strongComponents } from "./strong-components.ts";

export interface MasterChoice {
  readonly master: MasterName;
  readonly reason: string;
}

/**
 * @param isNested the scenario takes the steps of the one around it.
 * @param recorded where it is known.
 */
export function chooseMaster(
  scenario: Scenario,
  isNested = false,
  recorded: readonly PortRef[] = [],
): MasterChoice {
  if (scenario.connections.some(({ trigger }) => trigger !== undefined))
    return choice("event-driven", "connections say when they exchange");
  const { constraints } = scenario;
  const event = scenario.connections.find((connection) => isLateInSteps(scenario, connection));
  if (event !== undefined && !isNested && !needsCommonSteps(scenario))
    return choice(
      "event-driven",
      `'${portName(scenario, event.from)}' carries events, and units go from event to event`,
    );
  const mixed = scenario.connections.find((connection) => mixesEvents(scenario, connection));
  if (mixed !== undefined && !isNested && !needsCommonSteps(scenario))
    return choice(
      "event-driven",
      `one of '${portName(scenario, mixed.from)}' and '${portName(scenario, mixed.to)}' is a clock and the other one an event, which common steps do not deliver to each other`,
    );
  const [constraint] = constraints;
  if (constraint !== undefined)
    return choice("iterative", `'${constraint.text}' is held by iterating the step`);
  const shown = recorded.find((port) => isLateInSteps(scenario, { from: port }));
  // Between units that are coupled, masters with common steps do more for values than this one
  // (common-step approximations, iteration).
  if (
    shown !== undefined &&
    scenario.connections.length === 0 &&
    !isNested &&
    !needsCommonSteps(scenario)
  )
    return choice(
      "event-driven",
      `events of '${portName(scenario, shown)}' are recorded, and units go from event to event`,
    );
  if (scenario.connections.length === 0)
    return choice("jacobi", "nothing is coupled, so the units run side by side");
  const { graph, instant, overStep } = findLoops(scenario);
  const unitsOf = (members: readonly number[]): number[] => [
    ...new Set(members.map((v) => graph.nodes[v].unit)),
  ];
  const algebraic = instant.find(
    (members) => isContinuous(scenario, graph, members) && canIterate(scenario, unitsOf(members)),
  );
  if (algebraic)
    return choice(
      "iterative",
      `${names(scenario, unitsOf(algebraic))} form an algebraic loop, which explicit masters break by a delay, and all of them can roll back`,
    );
  const isReactive = scenario.connections.some(
    (connection) => connectedKind(scenario, connection) === "reactive",
  );
  if (!isReactive)
    return choice(
      "jacobi",
      isChain(scenario)
        ? "no input is declared reactive; the couplings form no loop, so errors do not feed back"
        : "no input is declared reactive, and jacobi's units can run in parallel; gauss-seidel gives later units what earlier ones have reached: compare both with 'cosimo stability spectral'",
    );
  const [loop] = overStep;
  if (loop === undefined)
    return choice(
      "gauss-seidel",
      "reactive inputs form a chain: in the right order each gets its source's value at the end of the step",
    );
  const units = unitsOf(loop);
  const stronger = canIterate(scenario, units)
    ? "; where the result depends on the step, iterative solves the loop"
    : "";
  return choice(
    "gauss-seidel",
    `reactive inputs form a loop (${names(scenario, units)}): in sequence all but one of them follow their source, with jacobi none${stronger}`,
  );
}

/** What the master 'event-driven' does not do. */
function needsCommonSteps(scenario: Scenario): boolean {
  const { constraints, bonds, events, limits, connections, units } = scenario;
  return (
    [constraints, bonds, events, limits].some((list) => list.length > 0) ||
    connections.some(
      ({ integral, approximation = "hold" }) => integral || approximation !== "hold",
    ) ||
    units.some(({ description }) => description.capabilities.refusesSteps === true)
  );
}

/**
 * Events of a unit without event mode, such as a state machine: where it does not run with one all
 * the same (met-events.ts), masters with common steps see them at the end of a step.
 */
export function isLateInSteps(scenario: Scenario, { from }: Pick<Connection, "from">): boolean {
  const { eventMode, predicates } = scenario.units[from.unit].description.capabilities;
  const { nature } = portAt(scenario, from);
  return nature === "transient" && !eventMode && predicates.includes("event");
}

/** One end is a clock, the other one an event without one. */
export function mixesEvents(
  scenario: Scenario,
  { from, to }: Pick<Connection, "from" | "to">,
): boolean {
  const [source, target] = [portAt(scenario, from), portAt(scenario, to)];
  if (source.type === target.type || target.observed) return false;
  return source.type === "clock" || target.type === "clock";
}

function choice(master: MasterName, reason: string): MasterChoice {
  return { master, reason };
}

/** All of them can roll back, and every unit takes the common step. */
function canIterate(scenario: Scenario, units: readonly number[]): boolean {
  return (
    units.every((unit) => scenario.units[unit].description.capabilities.rollback) &&
    scenario.units.every(({ step }) => step === undefined)
  );
}

function names(scenario: Scenario, units: readonly number[]): string {
  const list = units.map((unit) => scenario.units[unit].name);
  return list.sort().join(", ");
}

/** Units feed each other without any way back. */
function isChain(scenario: Scenario): boolean {
  const targets: number[][] = scenario.units.map(() => []);
  for (const { from, to } of scenario.connections) targets[from.unit].push(to.unit);
  return strongComponents(targets).every((loop) => loop.length === 1);
}
