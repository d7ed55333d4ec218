/**
 * Brings the units of a plan from "instantiated" to their first communication point, as FMI asks:
 * values, initialization mode, signals resolved in dependency order with loops solved, step mode.
 * In three parts, because a nested scenario goes through them with the scenario around it.
 */
import { present } from "../base/present.ts";
import type { ScenarioUnit } from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { storeValue } from "../model/value-type.ts";
import { readsIn } from "../plan/plan.ts";
import { areSameBanks, copyBanks } from "../unit/banks.ts";
import type { InitializationOptions, Unit } from "../unit/unit.ts";
import { EarlyStop, type Interpreter } from "./interpreter.ts";
import { banksFor, layoutPorts } from "./port-layout.ts";
import { settleEvents } from "./settle-events.ts";
import type { PlanState } from "./signals.ts";
import { type LoopSolution, solveLoop } from "./solve-loop.ts";

/** Values that the scenario gives, then initialization mode. */
export function enterInitialization(
  units: readonly Unit[],
  scenarioUnits: readonly ScenarioUnit[],
  options: InitializationOptions,
): void {
  units.forEach((unit, u) => {
    writeValues(unit, scenarioUnits[u]);
    unit.enterInitialization(options);
  });
}

/** The units of a run, to initialization mode. */
export function enterRun(
  { plan, units }: PlanState,
  scenarioUnits: readonly ScenarioUnit[],
  { stop, tolerance }: Pick<InitializationOptions, "stop" | "tolerance">,
): void {
  enterInitialization(units, scenarioUnits, {
    start: plan.start,
    ...present({ stop, tolerance }),
  });
}

/** The values alone: a scenario around this one may replace them before initialization. */
export function giveValues(units: readonly Unit[], scenarioUnits: readonly ScenarioUnit[]): void {
  units.forEach((unit, u) => {
    writeValues(unit, scenarioUnits[u]);
  });
}

/**
 * All signals at the start, loops solved.
 * @throws LoopError when a loop has no solution that can be found.
 */
export function resolveInitial(state: PlanState, interpreter: Interpreter): LoopSolution[] {
  const loops: LoopSolution[] = [];
  for (const item of state.plan.segments.initial) {
    if (item.kind === "ops") interpreter.run(item.ops, 0);
    else loops.push(solveLoop(state, interpreter, state.plan.loops[item.loop]));
  }
  return loops;
}

/**
 * Out of initialization, where the caller leads the units through their first event, after which
 * all signals are resolved.
 */
export function exitToFirstEvent(state: PlanState, interpreter: Interpreter): void {
  for (const unit of state.units) unit.exitInitialization();
  if (state.units.every(({ phase }) => phase !== "event")) lookAgain(state, interpreter);
}

/** To step mode; histories begin, the inputs of the first step are written. */
export function exitInitialization(state: PlanState, interpreter: Interpreter): void {
  for (const unit of state.units) {
    unit.exitInitialization();
    if (unit.phase === "event") leaveEvents(unit, state.plan.start);
  }
  lookAgain(state, interpreter);
  interpreter.run(state.plan.segments.start, 0);
}

/**
 * A unit may give other values once it has left initialization: what a state machine sets on
 * entering its first state, what the first event changed. Then everything is resolved once more, so
 * that the first row and the first step have what is there.
 */
function lookAgain(state: PlanState, interpreter: Interpreter): void {
  const before = copyBanks(state.banks);
  interpreter.run(readsIn(state.plan.segments.resolve), 0);
  if (!areSameBanks(before, state.banks)) resolveInitial(state, interpreter);
}

function writeValues(unit: Unit, { values: all }: ScenarioUnit): void {
  // Structural parameters shaped the unit when it was made.
  const values = all.filter(
    ({ port }) => unit.description.ports[port].direction !== "structural-parameter",
  );
  if (values.length === 0) return;
  const ports = values.map(({ port }) => unit.description.ports[port]);
  const layout = layoutPorts(ports);
  const banks = banksFor(layout);
  values.forEach(({ values: elements }, v) => {
    const port = ports[v];
    for (let i = 0; i < portSize(port); i++) {
      storeValue(
        banks,
        port.type,
        layout.slots[v].slot + i,
        elements[elements.length === 1 ? 0 : i],
      );
    }
  });
  unit.write(unit.bind(layout.slots), banks);
}

/** A fixed-step master has no events; a unit that starts in event mode leaves it. */
function leaveEvents(unit: Unit, time: number): void {
  if (settleEvents(unit, time).terminate) throw new EarlyStop(unit.name, "terminated", time, time);
  unit.enterStepMode();
}
