/**
 * Experiments that say how far a unit is from linear, and how far a model is from its unit.
 */
import { UnitError } from "../base/outcome.ts";
import { addProduct } from "../numerics/matrix.ts";
import type { Movements } from "./identify-steps.ts";
import type { StepModel } from "./step-model.ts";
import { ProbeStopped, type UnitProbe } from "./unit-probe.ts";

/** Of nominal values; smaller ones where the unit is not linear over larger ones. */
const MOVEMENTS = [1, 1e-3, 1e-6] as const;
/** A unit that is this close to linear is taken for linear. */
const LINEAR = 1e-9;
const RANDOM_STEPS = 24;

/**
 * The largest movements of inputs over which the unit is linear, or else those over which it is
 * most nearly so.
 */
export function chooseMovements(probe: UnitProbe, seconds: number): Movements {
  const { ports } = probe.unit.description;
  const nominal = Float64Array.from(probe.elements.inputs, ({ port }, i) =>
    Math.max(Math.abs(probe.base[i]), ports[port].nominal ?? 1),
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
    inputs[input] = by * sizes[input];
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
        const single = once[k] - back[k];
        most = Math.max(most, Math.abs(single));
        apart = Math.max(apart, Math.abs((twice[k] - twiceBack[k]) / 2 - single));
        const even = once[k] + back[k] - (twice[k] + twiceBack[k]);
        apart = Math.max(apart, Math.abs(even));
      }
      const rounding = 16 * Number.EPSILON * Math.abs(once[output]);
      if (most > rounding) worst = Math.max(worst, Math.max(0, apart - rounding) / most);
    }
  }
  return worst;
}

/**
 * The unit and its model under the same random inputs: the largest difference, relative to how far
 * the connected outputs move.
 */
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
        const moved = real[at][i] - rest[at][i];
        const rounding = 64 * Number.EPSILON * Math.abs(rest[at][i]);
        moves[i] = Math.max(moves[i], Math.abs(moved) - rounding);
        apart[i] = Math.max(apart[i], Math.abs(moved - y[i]) - rounding);
      }
    }
  }
  let worst = 0;
  for (let i = 0; i < q; i++)
    if (moves[i] > 0 && probe.elements.taken[i]) worst = Math.max(worst, apart[i] / moves[i]);
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
