/**
 * Which master suits a scenario, from what is known without running: constraints, loops, kinds of inputs. A scenario that
 * names none gets this one, and `cosimo check` recommends it: one function, so that both cannot differ. Rules of thumb with
 * their reasons; a user who knows better overrules them in one line.
 */
import type { Scenario } from "../model/scenario.ts";
import { connectedKind } from "../model/unit-kind.ts";
import { findLoops, isContinuous } from "./find-loops.ts";
import type { Plan } from "./plan.ts";
import { strongComponents } from "./strong-components.ts";

export interface MasterChoice {
  readonly master: Plan["master"];
  readonly reason: string;
}

export function chooseMaster(scenario: Scenario): MasterChoice {
  if (scenario.connections.some(({ trigger }) => trigger !== undefined))
    return {
      master: "event-driven",
      reason: "connections say when they exchange",
    };
  if (scenario.constraints.length > 0)
    return {
      master: "iterative",
      reason: `'${scenario.constraints[0].text}' is held by iterating the step`,
    };
  if (scenario.connections.length === 0)
    return {
      master: "jacobi",
      reason: "nothing is coupled, so the units just run side by side",
    };
  const { graph, instant, overStep } = findLoops(scenario);
  const unitsOf = (members: readonly number[]): number[] => [
    ...new Set(members.map((v) => graph.nodes[v].unit)),
  ];
  const algebraic = instant.find(
    (members) => isContinuous(scenario, graph, members) && canIterate(scenario, unitsOf(members)),
  );
  if (algebraic)
    return {
      master: "iterative",
      reason: `${names(scenario, unitsOf(algebraic))} form an algebraic loop, which explicit masters break by a delay, and all of them can roll back`,
    };
  const reactive = scenario.connections.some(
    (connection) => connectedKind(scenario, connection) === "reactive",
  );
  if (!reactive)
    return {
      master: "jacobi",
      reason: isChain(scenario)
        ? "no input is declared reactive; the couplings form no loop, so errors do not feed back"
        : "no input is declared reactive, and jacobi's units can run in parallel; gauss-seidel gives later units what earlier ones have reached: compare both with 'cosimo stability spectral'",
    };
  const [loop] = overStep;
  if (loop === undefined)
    return {
      master: "gauss-seidel",
      reason:
        "reactive inputs form a chain: in the right order each gets its source's value at the end of the step",
    };
  const units = unitsOf(loop);
  const stronger = canIterate(scenario, units)
    ? "; where the result depends on the step, iterative solves the loop"
    : "";
  return {
    master: "gauss-seidel",
    reason: `reactive inputs form a loop (${names(scenario, units)}): an order lets all but one of them follow their source; jacobi none${stronger}`,
  };
}

/** All of them can go back, and every unit takes the common step. */
function canIterate(scenario: Scenario, units: readonly number[]): boolean {
  return (
    units.every((unit) => scenario.units[unit].description.capabilities.rollback) &&
    scenario.units.every(({ step }) => step === undefined)
  );
}

function names(scenario: Scenario, units: readonly number[]): string {
  return units
    .map((unit) => scenario.units[unit].name)
    .sort()
    .join(", ");
}

/** Units feed each other without any way back. */
function isChain(scenario: Scenario): boolean {
  const targets: number[][] = scenario.units.map(() => []);
  for (const { from, to } of scenario.connections) targets[from.unit].push(to.unit);
  return strongComponents(targets).every((loop) => loop.length === 1);
}
