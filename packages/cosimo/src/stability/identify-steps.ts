/**
 * A unit as a linear map, found by experiments alone: inputs are moved a little for a few steps,
 * and what the unit then shows over some more steps shows its state. How many independent states
 * show themselves is the rank of these observations; in their coordinates one more step, of any
 * size, is a matrix (after Ho and Kalman 1966, with bursts and windows in place of impulses).
 *
 * Every experiment is made with both signs, which removes even terms. What no input reaches, or no
 * port shows, cannot be found here.
 */
import { svd } from "../numerics/svd.ts";
import type { StepModel } from "./step-model.ts";
import type { ProbePoint, UnitProbe } from "./unit-probe.ts";

/** Steps for which an input is moved. */
const BURSTS = [1, 2, 4, 8, 16] as const;
/** Steps after which outputs are observed. */
const WINDOW = [0, 1, 2, 4, 8] as const;
/** Singular values below this part of the largest are not a state. */
const LEAST_RANK = 1e-9;
/** How far singular values must be above what the unit's own noise and curvature make. */
const ABOVE_NOISE = 100;
/** An output that moves by less than so many roundings does not move. */
const ROUNDINGS = 64 * Number.EPSILON;

/** The same experiment with inputs moved up and down. */
interface Excited {
  readonly up: ProbePoint;
  readonly down: ProbePoint;
  /** Length of what is seen of it, scaled. */
  readonly size: number;
}

/** How inputs are moved, and how far the unit is from linear then. */
export interface Movements {
  /** By input. */
  readonly sizes: Float64Array;
  /** Relative difference of what movements of once and twice this size do. */
  readonly curvature: number;
}

export class StepIdentification {
  readonly states: number;
  private readonly probe: UnitProbe;
  /** Of the steps that make and observe states. */
  private readonly seconds: number;
  private readonly sizes: Float64Array;
  private readonly still: Float64Array;
  private readonly up: Float64Array;
  private readonly down: Float64Array;
  private readonly rowScale: Float64Array;
  private readonly excited: readonly Excited[];
  /** Rows of what is seen × states: orthonormal. */
  private readonly basis: Float64Array;
  /** Columns of what was excited × states: from them back to the basis. */
  private readonly back: Float64Array;
  private readonly c: Float64Array;
  private readonly d: Float64Array;

  constructor(probe: UnitProbe, seconds: number, { sizes, curvature }: Movements) {
    this.probe = probe;
    this.seconds = seconds;
    this.sizes = sizes;
    const m = probe.elements.inputs.length;
    const q = probe.elements.outputs.length;
    const height = WINDOW.length * q;
    this.still = new Float64Array(m);
    this.up = new Float64Array(height);
    this.down = new Float64Array(height);
    this.rowScale = new Float64Array(height).fill(1);
    const places = this.excite();
    const magnitude = new Float64Array(q);
    const seen = places.map(({ up, down }) => {
      const column = this.difference((sign) => probe.goTo(sign > 0 ? up : down));
      for (let i = 0; i < height; i++)
        magnitude[i % q] = Math.max(magnitude[i % q], Math.abs(this.up[i]));
      return column;
    });
    const rounding = this.chooseScales(seen, magnitude);
    const columns = seen.map((column) => this.scaled(column));
    const lengths = columns.map((column) => Math.hypot(...column) || 1);
    this.excited = places.map((place, j) => ({ ...place, size: lengths[j] }));
    const width = columns.length;
    const matrix = new Float64Array(height * width);
    columns.forEach((column, j) => {
      for (let i = 0; i < height; i++) matrix[i * width + j] = column[i] / lengths[j];
    });
    const found = height > 0 && width > 0 ? svd(height, width, matrix) : undefined;
    const least = Math.max(LEAST_RANK, ABOVE_NOISE * curvature, ABOVE_NOISE * rounding);
    const n = found?.s.findIndex((s) => !(s > least * found.s[0])) ?? 0;
    this.states = found && n < 0 ? found.k : n;
    this.basis = cut(found?.u, height, found?.k ?? 0, this.states);
    this.back = cut(found?.v, width, found?.k ?? 0, this.states).map(
      (v, at) => v / found!.s[at % this.states],
    );
    this.c = this.basis.slice(0, q * this.states).map((entry, at) => {
      const scale = this.rowScale[Math.floor(at / this.states)];
      return Number.isFinite(scale) ? entry * scale : 0;
    });
    this.d = this.feedThrough();
  }

  /** The step of so many seconds, in coordinates that are the same for all sizes. */
  modelFor(seconds: number): StepModel {
    const probe = this.probe;
    const n = this.states;
    const m = this.sizes.length;
    const still = this.still;
    const a = new Float64Array(n * n);
    this.excited.forEach(({ up, down, size }, j) => {
      const after = this.stateAfter((sign) => {
        probe.goTo(sign > 0 ? up : down);
        probe.step({ seconds, inputs: still, slopes: still });
      });
      for (let i = 0; i < n; i++)
        for (let k = 0; k < n; k++) a[i * n + k] += (after[i] / size) * this.back[j * n + k];
    });
    const b = new Float64Array(n * m);
    const r = new Float64Array(n * m);
    for (let input = 0; input < m; input++) {
      const size = this.sizes[input];
      const held = this.stateAfter((sign) => {
        probe.goTo(probe.home);
        probe.step({ seconds, inputs: this.moved(input, sign), slopes: still });
      });
      for (let i = 0; i < n; i++) b[i * m + input] = held[i] / size;
      if (!probe.elements.sloped[input]) continue;
      const sloped = this.stateAfter((sign) => {
        probe.goTo(probe.home);
        probe.step({ seconds, inputs: still, slopes: this.moved(input, sign / seconds) });
      });
      for (let i = 0; i < n; i++) r[i * m + input] = (sloped[i] * seconds) / size;
    }
    return { states: n, a, b, r, c: this.c, d: this.d, f: this.slopeThrough(seconds) };
  }

  dispose(): void {
    for (const { up, down } of this.excited)
      for (const point of [up, down]) this.probe.release(point);
  }

  // ---- experiments ------------------------------------------------------------------------------

  /** States that inputs can make: each input moved for some steps. */
  private excite(): { up: ProbePoint; down: ProbePoint }[] {
    const probe = this.probe;
    const burst = (input: number, steps: number, sign: number): ProbePoint => {
      probe.goTo(probe.home);
      const inputs = this.moved(input, sign);
      for (let k = 0; k < steps; k++)
        probe.step({ seconds: this.seconds, inputs, slopes: this.still });
      return probe.keep();
    };
    return [...this.sizes.keys()].flatMap((input) =>
      BURSTS.map((steps) => ({ up: burst(input, steps, 1), down: burst(input, steps, -1) })),
    );
  }

  private moved(input: number, by: number): Float64Array {
    const inputs = new Float64Array(this.sizes.length);
    inputs[input] = by * this.sizes[input];
    return inputs;
  }

  /** What outputs show from here on, inputs as they were. */
  private observe(out: Float64Array): void {
    const probe = this.probe;
    const q = probe.elements.outputs.length;
    const still = this.still;
    let at = 0;
    for (const [k, offset] of WINDOW.entries()) {
      for (; at < offset; at++) probe.step({ seconds: this.seconds, inputs: still, slopes: still });
      probe.write(still);
      probe.read(out.subarray(k * q, (k + 1) * q));
    }
  }

  /** Half the difference of what both signs lead to. */
  private difference(experiment: (sign: 1 | -1) => void): Float64Array {
    experiment(1);
    this.observe(this.up);
    experiment(-1);
    this.observe(this.down);
    return this.up.map((value, i) => (value - this.down[i]) / 2);
  }

  private stateAfter(experiment: (sign: 1 | -1) => void): Float64Array {
    const y = this.scaled(this.difference(experiment));
    const n = this.states;
    return Float64Array.from({ length: n }, (_, i) => {
      let sum = 0;
      for (let row = 0; row < y.length; row++) sum += this.basis[row * n + i] * y[row];
      return sum;
    });
  }

  /** D: what inputs do to outputs at once. */
  private feedThrough(): Float64Array {
    const probe = this.probe;
    const m = this.sizes.length;
    const y = new Float64Array(probe.elements.outputs.length);
    const d = new Float64Array(y.length * m);
    for (let input = 0; input < m; input++)
      for (const sign of [1, -1]) {
        probe.goTo(probe.home);
        probe.write(this.moved(input, sign));
        probe.read(y);
        const weight = sign / (2 * this.sizes[input]);
        for (let i = 0; i < y.length; i++) d[i * m + input] += weight * y[i];
      }
    return d;
  }

  /** F: what the slope of the step before does to outputs until the input is written. */
  private slopeThrough(seconds: number): Float64Array {
    const probe = this.probe;
    const m = this.sizes.length;
    const y = new Float64Array(probe.elements.outputs.length);
    const f = new Float64Array(y.length * m);
    for (let input = 0; input < m; input++)
      for (const sign of probe.elements.sloped[input] ? [1, -1] : []) {
        probe.goTo(probe.home);
        probe.step({ seconds, inputs: this.still, slopes: this.moved(input, sign / seconds) });
        const weight = (sign * seconds) / (2 * this.sizes[input]);
        probe.read(y);
        for (let i = 0; i < y.length; i++) f[i * m + input] += weight * y[i];
        probe.write(this.still);
        probe.read(y);
        for (let i = 0; i < y.length; i++) f[i * m + input] -= weight * y[i];
      }
    return f;
  }

  // ---- scales -----------------------------------------------------------------------------------

  /**
   * Outputs are measured by how far they move, so that physical units do not decide what counts.
   * @returns how large rounding is against that.
   */
  private chooseScales(seen: readonly Float64Array[], magnitude: Float64Array): number {
    const q = magnitude.length;
    const moves = new Float64Array(q);
    for (const column of seen)
      for (let i = 0; i < column.length; i++)
        moves[i % q] = Math.max(moves[i % q], Math.abs(column[i]));
    let rounding = 0;
    for (let i = 0; i < q; i++) {
      if (moves[i] <= ROUNDINGS * magnitude[i]) moves[i] = Number.POSITIVE_INFINITY;
      else rounding = Math.max(rounding, (Number.EPSILON * magnitude[i]) / moves[i]);
    }
    for (let i = 0; i < this.rowScale.length; i++) this.rowScale[i] = moves[i % q];
    return rounding;
  }

  private scaled(column: Float64Array): Float64Array {
    return column.map((value, i) => value / this.rowScale[i]);
  }
}

/** The first `columns` of `k` columns. */
function cut(
  matrix: Float64Array | undefined,
  rows: number,
  k: number,
  columns: number,
): Float64Array {
  const part = new Float64Array(rows * columns);
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) part[i * columns + j] = matrix![i * k + j];
  return part;
}
