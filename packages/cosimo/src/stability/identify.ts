/**
 * Finds what a unit does in a step, in the best way that it allows, and says how good that is.
 *
 * A unit that offers derivatives and names its states is taken by its equations, if its steps are
 * what these equations give; any other unit is measured. Both are held against the unit once more
 * with random inputs: that is the error that is reported.
 */
import { UnitError } from "../base/outcome.ts";
import { chooseMovements, predictionError } from "./identify-check.ts";
import { exactStep, type StateSpace, stateSpaceOf } from "./identify-derivatives.ts";
import { type Movements, StepIdentification } from "./identify-steps.ts";
import type { StepModel } from "./step-model.ts";
import { ProbeStopped, type UnitProbe } from "./unit-probe.ts";

/** What a report says about a unit. */
export interface IdentificationFacts {
  readonly unit: string;
  readonly method: "equations" | "steps";
  readonly states: number;
  /** Names of the states, where the unit declares them. */
  readonly stateNames: readonly string[];
  /** Largest relative difference between the unit and its model under random inputs. */
  readonly error: number;
  /**
   * Relative difference of what a movement of its inputs and twice that movement do: 0 for a linear
   * unit.
   */
  readonly curvature: number;
  /** Steps that the unit was asked for so far. */
  readonly steps: number;
  readonly canRollBack: boolean;
}

export interface UnitModel {
  readonly states: number;
  /**
   * Models of steps of several sizes have the same coordinates, so that such steps can follow each
   * other.
   */
  readonly mayVary: boolean;
  readonly facts: () => IdentificationFacts;
  /** @throws StepRefused where the unit does not take such a step. */
  modelFor(seconds: number): StepModel;
  dispose(): void;
}

export interface IdentifyOptions {
  /** The unit's communication step. */
  readonly seconds: number;
  /** "steps": do not ask for derivatives. */
  readonly method: "auto" | "steps";
}

/** A unit that does not take a step of this size. */
export class StepRefused extends Error {
  readonly unit: string;
  readonly seconds: number;
  constructor(unit: string, seconds: number, why: string) {
    super(`'${unit}' does not take a step of ${seconds} s: ${why}`);
    this.name = "StepRefused";
    this.unit = unit;
    this.seconds = seconds;
  }
}

/** Steps that differ by less are what the equations give. */
const SOLVED = 1e-9;

export function identifyUnit(probe: UnitProbe, options: IdentifyOptions): UnitModel {
  const { seconds, method } = options;
  return refusing(probe, seconds, () => {
    const movements = chooseMovements(probe, seconds);
    const space = method === "auto" ? stateSpaceOf(probe.unit, probe.elements) : undefined;
    const byEquations = space && unitByEquations(probe, space, movements, seconds);
    return byEquations ?? unitBySteps(probe, movements, seconds);
  });
}

function unitByEquations(
  probe: UnitProbe,
  space: StateSpace,
  movements: Movements,
  seconds: number,
): UnitModel | undefined {
  const model = exactStep(space, probe.elements, seconds);
  const error = model
    ? predictionError(probe, model, movements.sizes, seconds)
    : Number.POSITIVE_INFINITY;
  if (!(error < SOLVED)) return undefined;
  const kept = new Map<string, StepModel>();
  return {
    states: space.states.length,
    mayVary: true,
    facts: () => ({
      ...commonFacts(probe, movements),
      method: "equations",
      states: space.states.length,
      stateNames: space.states.map(({ name }) => name),
      error,
    }),
    modelFor: (length) =>
      remembered(kept, length, () => {
        const found = exactStep(space, probe.elements, length);
        if (found) return found;
        throw new StepRefused(probe.unit.name, length, "its solution grows beyond all numbers");
      }),
    dispose: () => probe.release(probe.home),
  };
}

function unitBySteps(probe: UnitProbe, movements: Movements, seconds: number): UnitModel {
  // A unit that wants steps of one size is measured again for each size.
  const isFree = probe.unit.description.capabilities.variableStep;
  const kept = new Map<string, StepModel>();
  const first = new StepIdentification(probe, seconds, movements);
  const measure = (length: number): StepModel => {
    if (isFree || length === seconds) return first.modelFor(length);
    const longer = new StepIdentification(probe, length, movements);
    try {
      if (longer.states === first.states) return longer.modelFor(length);
      throw new ProbeStopped("it shows another number of states");
    } finally {
      longer.dispose();
    }
  };
  const modelFor = (length: number): StepModel =>
    remembered(kept, length, () => refusing(probe, length, () => measure(length)));
  const error = predictionError(probe, modelFor(seconds), movements.sizes, seconds);
  return {
    states: first.states,
    mayVary: isFree,
    facts: () => ({
      ...commonFacts(probe, movements),
      method: "steps",
      states: first.states,
      stateNames: [],
      error,
    }),
    modelFor,
    dispose: () => {
      first.dispose();
      probe.release(probe.home);
    },
  };
}

function commonFacts(
  probe: UnitProbe,
  { curvature }: Movements,
): Pick<IdentificationFacts, "unit" | "curvature" | "steps" | "canRollBack"> {
  const { unit, steps, canRollBack } = probe;
  return { unit: unit.name, curvature, steps, canRollBack };
}

function remembered(
  kept: Map<string, StepModel>,
  seconds: number,
  make: () => StepModel,
): StepModel {
  const key = seconds.toPrecision(12);
  const found = kept.get(key) ?? make();
  kept.set(key, found);
  return found;
}

/** What a unit refuses during an experiment, in one form. */
function refusing<T>(probe: UnitProbe, seconds: number, experiment: () => T): T {
  try {
    return experiment();
  } catch (error) {
    if (error instanceof UnitError || error instanceof ProbeStopped)
      throw new StepRefused(probe.unit.name, seconds, error.message);
    throw error;
  }
}
