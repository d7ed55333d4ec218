/**
 * Quantized-state systems: differential equations as a discrete-event model, without steps. Time is
 * not divided, states are: an event is where a state is a quantum ΔQ away from its quantized value
 * q, and between events nothing is computed.
 *
 *   x' = f(t, q, u),   |x_i - q_i| ≤ ΔQ_i
 *   QSS1  q_i constant, x_i linear:          event after (ΔQ - sgn(x')(x - q)) / |x'|; about 1/ΔQ events
 *   QSS2  q_i linear,   x_i a parabola:      event where |x - q| = ΔQ, a quadratic equation; about 1/√ΔQ events
 *
 * At its event q_i takes the value of x_i (QSS2: and its slope), and the derivatives follow. For x'
 * = A x with A = V Λ V⁻¹ stable the error never exceeds |V| |Re(Λ)⁻¹ Λ| |V⁻¹| ΔQ. Kofman & Junco,
 * "Quantized State Systems: a DEVS approach for continuous system simulation", 2001; Kofman, "A
 * second order approximation for DEVS simulation of continuous systems", 2002; Cellier & Kofman,
 * Continuous System Simulation, ch. 11.
 *
 * One atomic model has all states, each with a quantum and an event of its own; models of several
 * such atomics are coupled as ever.
 */
import { fallingTime, risingTime } from "../../numerics/quadratic-crossing.ts";
import type { OdeModel } from "../../unit/ode-unit.ts";
import type { OutputSpec, PortSpec } from "../../unit/port-spec.ts";
import {
  type Atomic,
  atomic,
  type BorderSpec,
  type EventPort,
  type Input,
  port,
  type Send,
  signal,
} from "../model.ts";
import { type Prepared, prepare, type QssOptions } from "./qss-model.ts";

/** Everything at the time of the last transition. Data. */
export interface QssState {
  /**
   * start: derivatives are not known yet; report: outputs follow an input that arrived; run: on the
   * way to the next event.
   */
  phase: "start" | "report" | "run";
  /** States, their first and second derivatives. */
  x: Float64Array;
  dx: Float64Array;
  ddx: Float64Array;
  /** Quantized states and, with QSS2, their slopes. */
  q: Float64Array;
  dq: Float64Array;
  u: Float64Array;
  /** Outputs as they were last sent. */
  y: Float64Array;
  /** Seconds to the next event of every state, then of every crossing, then of time. */
  next: Float64Array;
  /** By crossing: 1 where the state is above the level. */
  above: Uint8Array;
}

export type QssPorts = Record<string, EventPort<number>>;

/** (machine epsilon)^(1/3): balances the errors of central differences. */
const DIFFERENCE = Number.EPSILON ** (1 / 3);

/**
 * A discrete-event model of differential equations. Inputs are those of the model; they hold their
 * values. A state `x` is sent whenever it is quantized, with QSS2 beside its slope, at the port
 * `der(x)`; outputs are sent when they change; every crossing is a signal.
 * @throws RangeError where the options do not fit the model.
 */
export function qss(model: OdeModel, options: QssOptions): Atomic<QssPorts, QssPorts> {
  const integrator = new Integrator(prepare(model, options));
  const { states, order, crossings } = integrator.prepared;
  return atomic<QssState, QssPorts, QssPorts>({
    name: model.name,
    ...(model.description !== undefined && { description: model.description }),
    inputs: portsOf(model.inputs ?? {}),
    outputs: {
      ...portsOf(model.states),
      ...(order === 2 && Object.fromEntries(states.map((name) => [slopeName(name), slopePort()]))),
      ...portsOf(model.outputs ?? {}),
      // A signal carries `true`; the record of ports has one type for all of them.
      ...(Object.fromEntries(crossings.map(({ name }) => [name, signal()])) as unknown as QssPorts),
    },
    initial: () => integrator.initial(),
    timeAdvance: ({ phase, next }, { time }) =>
      phase === "run" ? integrator.advance(next, time) : 0,
    output: (state, send, { time, elapsed }) => integrator.send(state, send, time, elapsed),
    internal: (state, { time, elapsed }) => integrator.internal(state, time, elapsed),
    external: (state, input) => integrator.external(state, input),
  });
}

const slopeName = (state: string): string => `der(${state})`;
const slopePort = (): EventPort<number> => port({ type: "float64", held: true });

/** Ports that keep their values at the border of a unit. */
function portsOf(specs: Readonly<Record<string, OutputSpec>>): QssPorts {
  return Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [name, port<number>(borderOf(spec))]),
  );
}

function borderOf({ type = "float64", start, unit, description }: PortSpec): BorderSpec {
  return {
    type,
    held: true,
    ...(start !== undefined && { start }),
    ...(unit !== undefined && { unit }),
    ...(description !== undefined && { description }),
  };
}

/**
 * The equations with buffers of their own; states are passed in, so that one serves any number of
 * instances.
 */
class Integrator {
  readonly prepared: Prepared;
  private readonly low: Float64Array;
  private readonly high: Float64Array;
  private readonly q: Float64Array;
  private readonly y: Float64Array;
  private readonly jacobian: Float64Array;

  constructor(prepared: Prepared) {
    this.prepared = prepared;
    const { states, inputs, outputs } = prepared;
    this.low = new Float64Array(states.length);
    this.high = new Float64Array(states.length);
    this.q = new Float64Array(states.length);
    this.y = new Float64Array(outputs.length);
    const rows = states.length + outputs.length;
    this.jacobian = new Float64Array(rows * (states.length + inputs.length));
  }

  initial(): QssState {
    const { start, inputStart, states, outputs, crossings } = this.prepared;
    const zeros = (): Float64Array => new Float64Array(states.length);
    return {
      phase: "start",
      x: start.slice(),
      dx: zeros(),
      ddx: zeros(),
      q: start.slice(),
      dq: zeros(),
      u: inputStart.slice(),
      y: new Float64Array(outputs.length).fill(Number.NaN),
      next: new Float64Array(states.length + crossings.length + 1).fill(Number.POSITIVE_INFINITY),
      above: Uint8Array.from(crossings, ({ state, level }) => (start[state] >= level ? 1 : 0)),
    };
  }

  /**
   * Seconds to the next event. One behind the last tick never comes: a state that rests moves by
   * roundings.
   */
  advance(next: Float64Array, time: number): number {
    const advance = smallest(next);
    return time + advance < this.prepared.lastTime ? advance : Number.POSITIVE_INFINITY;
  }

  send(state: QssState, send: Send<QssPorts>, time: number, elapsed: number): void {
    const { states, order, crossings } = this.prepared;
    const { x, dx, ddx, next, phase } = state;
    const due = smallest(next);
    const isDue = (k: number): boolean => phase === "run" && next[k] === due;
    const isFirst = phase === "start";
    if (isFirst && order === 2) this.slopes(state, time);
    for (let i = 0; i < states.length; i++) {
      if (!isFirst && !isDue(i)) continue;
      send(states[i], x[i] + elapsed * (dx[i] + 0.5 * elapsed * ddx[i]));
      if (order === 2) send(slopeName(states[i]), isFirst ? this.low[i] : dx[i] + elapsed * ddx[i]);
    }
    this.sendOutputs(state, send, time, elapsed);
    crossings.forEach(({ name, rising, falling }, c) => {
      if (!isDue(states.length + c)) return;
      const isRising = state.above[c] === 0;
      // What a signal carries: that it happens.
      if (isRising ? rising : falling) send(name, true as unknown as number);
    });
  }

  /** Derivatives at the start, which the state does not have yet. */
  private slopes({ x, u }: QssState, time: number): void {
    const { model, parameters } = this.prepared;
    model.derivatives(time, x, u, parameters, this.low);
  }

  /** Outputs of the quantized states right after the transition that comes. */
  private sendOutputs(state: QssState, send: Send<QssPorts>, time: number, elapsed: number): void {
    const { model, outputs, parameters, states } = this.prepared;
    if (outputs.length === 0) return;
    const { x, dx, ddx, q, dq, u, y, next, phase } = state;
    const due = smallest(next);
    for (let i = 0; i < states.length; i++)
      this.q[i] =
        phase === "run" && next[i] === due
          ? x[i] + elapsed * (dx[i] + 0.5 * elapsed * ddx[i])
          : q[i] + elapsed * dq[i];
    model.evaluate?.(time, this.q, u, parameters, this.y);
    for (let k = 0; k < outputs.length; k++)
      if (!Object.is(this.y[k], y[k])) send(outputs[k], this.y[k]);
  }

  internal(state: QssState, time: number, elapsed: number): QssState {
    const { prepared } = this;
    const { x, dx, q, dq, next, above, phase } = state;
    state.y.set(this.outputs(state, time, elapsed));
    if (phase === "report") {
      state.phase = "run";
      return state;
    }
    const due = smallest(next);
    const isTimeDue = next.at(-1) === due;
    this.move(state, elapsed);
    // Ticks are coarser than seconds: what is left of it must not be waited for.
    if (isTimeDue) next[next.length - 1] = 0;
    if (phase === "run") {
      for (let i = 0; i < x.length; i++) {
        if (next[i] !== due) continue;
        q[i] = x[i];
        if (prepared.order === 2) dq[i] = dx[i];
      }
      for (let c = 0; c < above.length; c++) if (next[x.length + c] === due) above[c] ^= 1;
    }
    this.derive(state, time);
    // At the start quantized states have the slope that the states have.
    if (phase === "start" && prepared.order === 2) {
      dq.set(dx);
      this.derive(state, time);
    }
    state.phase = "run";
    this.schedule(state);
    return state;
  }

  private outputs(state: QssState, time: number, elapsed: number): Float64Array {
    this.y.set(state.y);
    this.sendOutputs(state, () => undefined, time, elapsed);
    return this.y;
  }

  external(state: QssState, input: Input<QssPorts>): QssState {
    const { inputs, outputs } = this.prepared;
    this.move(state, input.elapsed);
    inputs.forEach((name, k) => {
      const values = input.values(name);
      if (values.length > 0) state.u[k] = Number(values.at(-1));
    });
    if (state.phase === "start") return state;
    this.derive(state, input.time);
    this.schedule(state);
    if (outputs.length > 0) state.phase = "report";
    return state;
  }

  /** All trajectories to `elapsed` seconds later. */
  private move({ x, dx, ddx, q, dq, next }: QssState, elapsed: number): void {
    if (elapsed === 0) return;
    for (let i = 0; i < x.length; i++) {
      x[i] += elapsed * (dx[i] + 0.5 * elapsed * ddx[i]);
      dx[i] += elapsed * ddx[i];
      q[i] += elapsed * dq[i];
    }
    const time = next.length - 1;
    next[time] = Math.max(0, next[time] - elapsed);
  }

  /** x' = f(t, q, u), and with QSS2 its derivative along the quantized trajectories. */
  private derive(state: QssState, time: number): void {
    const { model, parameters, order, timeQuantum } = this.prepared;
    const { q, dq, u, dx, ddx } = state;
    model.derivatives(time, q, u, parameters, dx);
    if (order === 1) return;
    if (model.jacobian !== undefined && timeQuantum === Number.POSITIVE_INFINITY) {
      this.slopeByJacobian(state, time);
      return;
    }
    const step = this.differenceStep(q, dq);
    for (let i = 0; i < q.length; i++) this.q[i] = q[i] - step * dq[i];
    model.derivatives(time - step, this.q, u, parameters, this.low);
    for (let i = 0; i < q.length; i++) this.q[i] = q[i] + step * dq[i];
    model.derivatives(time + step, this.q, u, parameters, this.high);
    for (let i = 0; i < q.length; i++) ddx[i] = (this.high[i] - this.low[i]) / (2 * step);
  }

  private slopeByJacobian({ q, dq, u, ddx }: QssState, time: number): void {
    const { model, parameters } = this.prepared;
    model.jacobian?.(time, q, u, parameters, this.jacobian);
    const width = q.length + u.length;
    for (let i = 0; i < q.length; i++) {
      let sum = 0;
      for (let j = 0; j < q.length; j++) sum += this.jacobian[i * width + j] * dq[j];
      ddx[i] = sum;
    }
  }

  /** Seconds, so that every state moves by a small part of itself. */
  private differenceStep(q: Float64Array, dq: Float64Array): number {
    const { quanta, timeQuantum } = this.prepared;
    let scale = Math.min(1, timeQuantum);
    for (let i = 0; i < q.length; i++)
      if (dq[i] !== 0) scale = Math.min(scale, (Math.abs(q[i]) + quanta[i]) / Math.abs(dq[i]));
    return DIFFERENCE * scale;
  }

  /**
   * Seconds to all events. Time that waits for its quantum goes on waiting, unless it was its turn.
   */
  private schedule(state: QssState): void {
    const { quanta, crossings, timeQuantum } = this.prepared;
    const { x, dx, ddx, q, dq, next, above } = state;
    const n = x.length;
    for (let i = 0; i < n; i++) {
      const off = x[i] - q[i];
      const speed = dx[i] - dq[i];
      const bend = 0.5 * ddx[i];
      next[i] = Math.min(
        risingTime(off - quanta[i], speed, bend),
        fallingTime(off + quanta[i], speed, bend),
      );
    }
    crossings.forEach(({ state: i, level }, c) => {
      const crosses = above[c] === 0 ? risingTime : fallingTime;
      next[n + c] = crosses(x[i] - level, dx[i], 0.5 * ddx[i]);
    });
    const last = n + crossings.length;
    if (!(next[last] > 0) || next[last] === Number.POSITIVE_INFINITY) next[last] = timeQuantum;
  }
}

function smallest(times: Float64Array): number {
  let least = Number.POSITIVE_INFINITY;
  for (let k = 0; k < times.length; k++) if (times[k] < least) least = times[k];
  return least;
}
