/**
 * Finds what a unit does in a step, in the best way that it allows, and says how good that is.
 *
 * A unit that offers derivatives and names its states is taken by its equations, if its steps are what these equations give; any other
 * unit is measured. Both are held against the unit once more with random inputs: that is the error that people are told.
 */
import { UnitError } from "../base/outcome.ts";
import { addProduct } from "../numerics/matrix.ts";
import { exactStep, type StateSpace, stateSpaceOf } from "./identify-derivatives.ts";
import { type Movements, StepIdentification } from "./identify-steps.ts";
import type { StepModel } from "./step-model.ts";
import { ProbeStopped, type UnitProbe } from "./unit-probe.ts";

/** What a report says about a unit. */
export interface IdentificationFacts {
  readonly unit: string;
  readonly method: "equations" | "steps";
  readonly states: number;
  /** Names of the states, where the unit tells them. */
  readonly stateNames: readonly string[];
  /** Largest relative difference between the unit and its model under random inputs. */
  readonly error: number;
  /** Relative difference of what a movement of its inputs and twice that movement do: 0 for a linear unit. */
  readonly curvature: number;
  /** Steps that the unit was asked for so far. */
  readonly steps: number;
  readonly canRollBack: boolean;
}

export interface UnitModel {
  readonly states: number;
  /** Models of steps of several sizes have the same coordinates, so that such steps can follow each other. */
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

/** Of nominal values; smaller ones where the unit is not linear over larger ones. */
const MOVEMENTS = [1, 1e-3, 1e-6] as const;
/** A unit that is this close to linear is taken for linear. */
const LINEAR = 1e-9;
/** Steps that differ by less are what the equations give. */
const SOLVED = 1e-9;
const RANDOM_STEPS = 24;

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
  // A unit that wants steps of one size is measured anew for each size.
  const isFree = probe.unit.description.capabilities.variableStep;
  const kept = new Map<string, StepModel>();
  const first = new StepIdentification(probe, seconds, movements);
  const measure = (length: number): StepModel => {
    if (isFree || length === seconds) return first.modelFor(length);
    const anew = new StepIdentification(probe, length, movements);
    try {
      if (anew.states === first.states) return anew.modelFor(length);
      throw new ProbeStopped("it shows another number of states");
    } finally {
      anew.dispose();
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

/** The largest movements of inputs over which the unit is linear, or else those over which it is most nearly so. */
function chooseMovements(probe: UnitProbe, seconds: number): Movements {
  const { ports } = probe.unit.description;
  const nominal = Float64Array.from(probe.elements.inputs, ({ port }, i) =>
    Math.max(Math.abs(probe.base[i]!), ports[port]!.nominal ?? 1),
  );
  let best: Movements | undefined;
  let failure: unknown;
  for (const part of MOVEMENTS) {
    const sizes = nominal.map((size) => size * part);
    try {
      const curvature = curvatureOf(probe, sizes, seconds);
      if (best === undefined || curvature < best.curvature) best = { sizes, curvature };
      if (curvature < LINEAR) break;
    } catch (error) {
      // Inputs beyond what the unit allows: smaller ones may do.
      if (!(error instanceof UnitError || error instanceof ProbeStopped)) throw error;
      failure = error;
    }
  }
  if (best === undefined) throw failure;
  return best;
}

const CURVATURE_STEPS = 4;

function curvatureOf(probe: UnitProbe, sizes: Float64Array, seconds: number): number {
  const m = sizes.length;
  const q = probe.elements.outputs.length;
  const still = new Float64Array(m);
  const respond = (input: number, by: number): Float64Array => {
    const inputs = new Float64Array(m);
    inputs[input] = by * sizes[input]!;
    const out = new Float64Array(q * CURVATURE_STEPS);
    probe.goTo(probe.home);
    for (let k = 0; k < CURVATURE_STEPS; k++) {
      probe.step({ seconds, inputs, slopes: still });
      probe.read(out.subarray(k * q, (k + 1) * q));
    }
    return out;
  };
  let worst = 0;
  for (let input = 0; input < m; input++) {
    const once = respond(input, 1);
    const back = respond(input, -1);
    const twice = respond(input, 2);
    const twiceBack = respond(input, -2);
    for (let output = 0; output < q; output++) {
      if (!probe.elements.taken[output]) continue;
      let most = 0;
      let apart = 0;
      for (let k = output; k < once.length; k += q) {
        const single = once[k]! - back[k]!;
        most = Math.max(most, Math.abs(single));
        apart = Math.max(apart, Math.abs((twice[k]! - twiceBack[k]!) / 2 - single));
        const even = once[k]! + back[k]! - (twice[k]! + twiceBack[k]!);
        apart = Math.max(apart, Math.abs(even));
      }
      const rounding = 16 * Number.EPSILON * Math.abs(once[output]!);
      if (most > rounding) worst = Math.max(worst, Math.max(0, apart - rounding) / most);
    }
  }
  return worst;
}

/** The unit and its model under the same random inputs: the largest difference, relative to how far the outputs that somebody takes move. */
export function predictionError(
  probe: UnitProbe,
  model: StepModel,
  sizes: Float64Array,
  seconds: number,
): number {
  const m = sizes.length;
  const q = probe.elements.outputs.length;
  const n = model.states;
  const random = randomNumbers(1);
  const still = new Float64Array(m);
  const path = (isMoved: boolean): Float64Array[] => {
    const rows: Float64Array[] = [];
    const next = randomNumbers(1);
    probe.goTo(probe.home);
    for (let k = 0; k < RANDOM_STEPS; k++) {
      const { inputs, slopes } = randomMove(next, sizes, probe.elements.sloped, seconds);
      const [u, s] = isMoved ? [inputs, slopes] : [still, still];
      probe.step({ seconds, inputs: u, slopes: s });
      for (const isWritten of [false, true]) {
        if (isWritten) probe.write(still);
        const row = new Float64Array(q);
        probe.read(row);
        rows.push(row);
      }
    }
    return rows;
  };
  const real = path(true);
  const rest = path(false);
  const moves = new Float64Array(q);
  const apart = new Float64Array(q);
  let x = new Float64Array(n);
  for (let k = 0; k < RANDOM_STEPS; k++) {
    const { inputs, slopes } = randomMove(random, sizes, probe.elements.sloped, seconds);
    const after = new Float64Array(n);
    addProduct(n, n, model.a, x, after);
    addProduct(n, m, model.b, inputs, after);
    addProduct(n, m, model.r, slopes, after);
    x = after;
    for (const isWritten of [false, true]) {
      const y = new Float64Array(q);
      addProduct(q, n, model.c, x, y);
      if (!isWritten) {
        addProduct(q, m, model.d, inputs, y);
        addProduct(q, m, model.f, slopes, y);
      }
      const at = 2 * k + (isWritten ? 1 : 0);
      for (let i = 0; i < q; i++) {
        const moved = real[at]![i]! - rest[at]![i]!;
        const rounding = 64 * Number.EPSILON * Math.abs(rest[at]![i]!);
        moves[i] = Math.max(moves[i]!, Math.abs(moved) - rounding);
        apart[i] = Math.max(apart[i]!, Math.abs(moved - y[i]!) - rounding);
      }
    }
  }
  let worst = 0;
  for (let i = 0; i < q; i++)
    if (moves[i]! > 0 && probe.elements.taken[i]) worst = Math.max(worst, apart[i]! / moves[i]!);
  return worst;
}

function randomMove(
  random: () => number,
  sizes: Float64Array,
  sloped: readonly boolean[],
  seconds: number,
): { inputs: Float64Array; slopes: Float64Array } {
  const inputs = sizes.map((size) => size * random());
  const slopes = sizes.map((size, i) => (sloped[i] ? (size * random()) / seconds : 0));
  return { inputs, slopes };
}

/** Between -1 and 1, the same for every run (Park and Miller 1988). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return (2 * state) / 2147483647 - 1;
  };
}
