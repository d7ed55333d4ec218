/**
 * Runs an orchestration on units with numbers in them: what the check calls correct must give the
 * same numbers, however it is ordered.
 *
 * A unit is x' = a x + Σ b u, y = c x + Σ d u over the inputs that y feeds through; inputs are held
 * over a step. One that may refuse takes some of its steps only in part.
 */
import type { Operation, OrchestratedSystem, Orchestration } from "../../../model/orchestration.ts";
import { System, unitName } from "../system.ts";

interface NumericUnit {
  x: number;
  inputs: Map<string, number>;
  /** Seconds that it takes of the next step at most. */
  limit: number;
}

const STEP = 0.1;

/** States of the units after some steps, and their sizes; undefined where a loop does not end. */
export function runOrchestration(
  given: OrchestratedSystem,
  { initialization = [], step }: Orchestration,
  steps = 3,
): number[] | undefined {
  const system = new System(given);
  const units = new Map<string, NumericUnit>();
  given.units.forEach(({ name }, u) => {
    units.set(name, { x: 1 + 0.37 * u, inputs: new Map(), limit: STEP });
  });
  const values = new Map<string, number>();
  const saved = new Map<string, { x: number; inputs: Map<string, number> }>();
  let size = STEP;
  /** What a unit took of the step, where that was less. */
  let taken = STEP;
  let isLost = false;

  const gain = (port: string): number =>
    0.1 + 0.01 * ([...port].reduce((sum, c) => sum + c.charCodeAt(0), 0) % 7);
  const read = (port: string): number => {
    const unit = units.get(unitName(port)) as NumericUnit;
    return system
      .needsOf(port)
      .reduce(
        (sum, input) => sum + gain(input) * (unit.inputs.get(input) ?? 0),
        unit.x * (1 + gain(port)),
      );
  };
  const perform = (operation: Operation): void => {
    switch (operation.kind) {
      case "get":
        values.set(operation.port, read(operation.port));
        break;
      case "set":
        units
          .get(unitName(operation.port))
          ?.inputs.set(operation.port, values.get(system.sourceOf.get(operation.port) ?? "") ?? 0);
        break;
      case "step": {
        const unit = units.get(operation.unit) as NumericUnit;
        const inputs = system
          .inputsOf(operation.unit)
          .reduce((sum, input) => sum + gain(input) * (unit.inputs.get(input) ?? 0), 0);
        const whole = system.units.get(operation.unit)?.mayRefuse
          ? Math.min(size, unit.limit)
          : size;
        taken = Math.min(taken, whole);
        unit.x += whole * (-0.5 * unit.x + inputs);
        break;
      }
      case "save": {
        const unit = units.get(operation.unit) as NumericUnit;
        saved.set(operation.unit, { x: unit.x, inputs: new Map(unit.inputs) });
        break;
      }
      case "restore": {
        const unit = units.get(operation.unit) as NumericUnit;
        const state = saved.get(operation.unit);
        if (state !== undefined) {
          unit.x = state.x;
          unit.inputs = new Map(state.inputs);
        }
        break;
      }
      case "repeat":
        repeat(operation);
    }
  };
  const repeat = ({ until, body, retry }: Extract<Operation, { kind: "repeat" }>): void => {
    const agree = until === "accepted" ? [] : until.agree;
    for (let round = 0; round < 400; round++) {
      const before = agree.map((port) => values.get(port) ?? Number.NaN);
      if (until === "accepted") taken = size;
      body.forEach(perform);
      const isDone =
        until === "accepted"
          ? taken === size
          : agree.every((port, i) => Math.abs((values.get(port) ?? 0) - (before[i] ?? 0)) < 1e-14);
      if (isDone) return;
      if (until === "accepted") size = taken;
      retry.forEach(perform);
    }
    isLost = true;
  };

  initialization.forEach(perform);
  const found: number[] = [];
  for (let n = 0; n < steps; n++) {
    size = STEP;
    taken = STEP;
    // Every refusing unit takes another part of every step.
    given.units.forEach(({ name }, u) => {
      const unit = units.get(name);
      if (unit !== undefined) unit.limit = STEP * (1 - 0.2 * ((n + u) % 3));
    });
    step.forEach(perform);
    found.push(size, ...[...units.values()].map(({ x }) => x));
  }
  return isLost ? undefined : found;
}
