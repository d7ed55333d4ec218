/**
 * What the end value of an input does to the outputs of the end of a step, from a unit's
 * directional derivatives.
 *
 * x' = A x + B u, y = C x + D u around the present state; u goes from its begin value linearly (or
 * held) to its end value, so that ∂y/∂u_end = C R / h + D with R the response to a slope
 * (numerics/expm.ts), or C K + D where it is held.
 */
import {
  fillStepMatrices,
  type StepMatrices,
  type StepMatricesWork,
  stepMatrices,
  stepMatricesWork,
} from "../../numerics/expm.ts";
import type { Unit } from "../../unit/unit.ts";
import type { Coupling } from "./coupling.ts";

export interface StepSensitivity {
  /** Linearizes the unit where it stands, for steps of this length. */
  update(length: number): void;
  /**
   * ∂(image of coupled input `image`)/∂(end value of coupled input `input`); 0 where neither
   * belongs to the unit.
   */
  of(image: number, input: number): number;
}

/**
 * @returns undefined for a unit that does not say enough: no directional derivatives, hidden
 * states, arrays.
 */
export function stepSensitivity(coupling: Coupling, unit: number): StepSensitivity | undefined {
  const { description } = coupling.units[unit];
  if (!description.capabilities.directionalDerivatives) return undefined;
  const derivatives = description.ports.flatMap(({ index, derivativeOf: state }) =>
    state === undefined ? [] : [{ index, state }],
  );
  const isScalar = (port: number): boolean => description.ports[port].shape.length === 0;
  const { inputs, stages } = coupling.plan;
  const own = stages[unit].inputs;
  const fed = stages[unit].feeds;
  const sources = fed.map((i) => inputs[i].sourcePort);
  const scalar =
    derivatives.every(({ index, state }) => isScalar(index) && isScalar(state)) &&
    own.every((i) => isScalar(inputs[i].port)) &&
    sources.every(isScalar);
  // Outputs that follow from hidden states cannot be foreseen.
  if (!scalar || derivatives.length === 0) return undefined;
  if (fed.some((i) => inputs[i].integral !== undefined)) return undefined;
  return new LinearizedUnit(coupling, unit, {
    own,
    fed,
    sources,
    states: derivatives.map(({ state }) => state),
    derivatives: derivatives.map(({ index }) => index),
    inputPorts: own.map((i) => inputs[i].port),
    held: own.map((i) => inputs[i].order === 0),
    factors: fed.map((i) => inputs[i].factor),
  });
}

interface Parts {
  readonly own: readonly number[];
  readonly fed: readonly number[];
  readonly sources: readonly number[];
  readonly states: readonly number[];
  readonly derivatives: readonly number[];
  readonly inputPorts: readonly number[];
  readonly held: readonly boolean[];
  readonly factors: readonly number[];
}

class LinearizedUnit implements StepSensitivity {
  private readonly unit: Unit;
  private readonly parts: Parts;
  private readonly a: Float64Array;
  private readonly b: Float64Array;
  private readonly c: Float64Array;
  private readonly d: Float64Array;
  private readonly matrices: StepMatrices;
  private readonly work: StepMatricesWork;
  private readonly gain: Float64Array;

  constructor(coupling: Coupling, unit: number, parts: Parts) {
    this.unit = coupling.units[unit];
    this.parts = parts;
    const n = parts.states.length;
    const m = parts.own.length;
    const q = parts.fed.length;
    this.a = new Float64Array(n * n);
    this.b = new Float64Array(n * m);
    this.c = new Float64Array(q * n);
    this.d = new Float64Array(q * m);
    this.matrices = stepMatrices(n, m);
    this.work = stepMatricesWork(n, m);
    this.gain = new Float64Array(q * m);
  }

  update(length: number): void {
    const { states, derivatives, inputPorts, sources, held, factors } = this.parts;
    const n = states.length;
    const m = inputPorts.length;
    const q = sources.length;
    this.fill(derivatives, states, this.a);
    this.fill(derivatives, inputPorts, this.b);
    this.fill(sources, states, this.c);
    this.fill(sources, inputPorts, this.d);
    fillStepMatrices(n, m, this.a, this.b, length, this.matrices, this.work);
    for (let i = 0; i < q; i++)
      for (let j = 0; j < m; j++) {
        const response = held[j] ? this.matrices.held : this.matrices.ramp;
        let sum = 0;
        for (let k = 0; k < n; k++) sum += this.c[i * n + k] * response[k * m + j];
        this.gain[i * m + j] = factors[i] * ((held[j] ? sum : sum / length) + this.d[i * m + j]);
      }
  }

  of(image: number, input: number): number {
    const i = this.parts.fed.indexOf(image);
    const j = this.parts.own.indexOf(input);
    return i < 0 || j < 0 ? 0 : this.gain[i * this.parts.own.length + j];
  }

  /** One column of derivatives for every known. */
  private fill(unknowns: readonly number[], knowns: readonly number[], out: Float64Array): void {
    const open = [...unknowns.keys()].filter((i) => !this.parts.states.includes(unknowns[i]));
    const ports = open.map((i) => unknowns[i]);
    const column = new Float64Array(open.length);
    const seed = Float64Array.of(1);
    knowns.forEach((known, j) => {
      // A state follows itself alone; the unit gives the rest.
      unknowns.forEach((unknown, i) => {
        out[i * knowns.length + j] = unknown === known ? 1 : 0;
      });
      if (open.length > 0) this.unit.directionalDerivative(ports, [known], seed, column);
      open.forEach((i, at) => {
        out[i * knowns.length + j] = column[at];
      });
    });
  }
}
