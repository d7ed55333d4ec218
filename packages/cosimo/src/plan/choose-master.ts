/**
 * Which master suits a scenario, from what is known without running: constraints, loops, kinds of
 * inputs. A scenario that names none gets this one, and `cosimo check` recommends it: one function,
 * so that both cannot differ. Rules of thumb with their reasons; a user who knows better overrules
 * them in one line.
 */
import type { MasterName } from "../model/masters.ts";
import type { Scenario } from "../model/scenario.ts";
import { connectedKind } from "../model/unit-kind.ts";
import { findLoops, isContinuous } from "./find-loops.ts";
import { strongComponents } from "./strong-components.ts";

export interface MasterChoice {
  readonly master: MasterName;
  readonly reason: string;
}

export function chooseMaster(scenario: Scenario): MasterChoice {
  if (scenario.connections.some(({ trigger }) => trigger !== undefined))
    return choice("event-driven", "connections say when they exchange");
  const [constraint] = scenario.constraints;
  if (constraint !== undefined)
    return choice("iterative", `'${constraint.text}' is held by iterating the step`);
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
