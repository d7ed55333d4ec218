/**
 * Brings the units of a plan from "instantiated" to their first communication point, as FMI asks: values, initialization mode,
 * signals resolved in dependency order with loops solved, step mode.
 */

import type { Scenario } from "../model/scenario.ts";
import { portSize } from "../model/unit-description.ts";
import { storeValue } from "../model/value-type.ts";
import type { Unit } from "../unit/unit.ts";
import type { Interpreter } from "./interpreter.ts";
import { banksFor, layoutPorts } from "./port-layout.ts";
import type { PlanState } from "./signals.ts";
import { type LoopSolution, solveLoop } from "./solve-loop.ts";

export interface InitializationReport {
  readonly loops: readonly LoopSolution[];
}

const MAX_EVENT_ROUNDS = 1000;

/** @throws LoopError, UnitError */
export function initializePlan(
  state: PlanState,
  interpreter: Interpreter,
  scenario: Scenario,
  experiment: { readonly stop?: number; readonly tolerance?: number },
): InitializationReport {
  const { plan, units } = state;
  units.forEach((unit, u) => {
    writeValues(unit, scenario.units[u]!);
    unit.enterInitialization({ start: plan.start, ...experiment });
  });
  const loops: LoopSolution[] = [];
  for (const item of plan.segments.initial) {
    if (item.kind === "ops") interpreter.run(item.ops, 0);
    else loops.push(solveLoop(state, interpreter, plan.loops[item.loop]!));
  }
  for (const unit of units) {
    unit.exitInitialization();
    if (unit.phase === "event") settle(unit);
  }
  interpreter.run(plan.segments.start, 0);
  return { loops };
}

function writeValues(unit: Unit, { values }: Scenario["units"][number]): void {
  if (values.length === 0) return;
  const ports = values.map(({ port }) => unit.description.ports[port]!);
  const layout = layoutPorts(ports);
  const banks = banksFor(layout);
  values.forEach(({ values: elements }, v) => {
    const port = ports[v]!;
    for (let i = 0; i < portSize(port); i++) {
      storeValue(
        banks,
        port.type,
        layout.slots[v]!.slot + i,
        elements[elements.length === 1 ? 0 : i]!,
      );
    }
  });
  unit.write(unit.bind(layout.slots), banks);
}

/** A fixed-step master has no events; a unit that begins in event mode is led out of it. */
function settle(unit: Unit): void {
  for (let round = 0; round < MAX_EVENT_ROUNDS; round++) {
    if (!unit.updateDiscreteStates().again) break;
  }
  unit.enterStepMode();
}
