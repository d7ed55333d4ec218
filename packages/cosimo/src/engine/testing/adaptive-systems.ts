/**
 * Three systems that step control is measured with, each with its solution: coupled masses (linear,
 * matrix exponential), two van der Pol oscillators (nonlinear, integrated as one system), a ball on
 * a stiff ground (turns sharply at every contact, solved by hand).
 */
import { expm, expmWork } from "../../numerics/expm.ts";
import { rkStep, rkWork } from "../../numerics/runge-kutta.ts";
import { DORMAND_PRINCE } from "../../numerics/tableau.ts";
import { functionUnit } from "../../unit/function-unit.ts";
import { odeUnit } from "../../unit/ode-unit.ts";
import type { Unit } from "../../unit/unit.ts";
import { coupledMasses, MASSES_STATES, MASSES_WIRES, massesMatrix } from "./coupled-masses.ts";

export interface MeasuredSystem {
  readonly name: string;
  readonly units: () => Readonly<Record<string, Unit>>;
  readonly wires: string;
  readonly states: readonly string[];
  readonly stop: number;
  /** The solution at times that do not go back. */
  readonly solution: () => (time: number) => Float64Array;
  /** Where a comparison at the same instant says something about the error. */
  readonly isComparable: (solution: Float64Array) => boolean;
}

/** The units' own solvers are to be better than any tolerance here. */
const EXACT = { method: DORMAND_PRINCE, relativeTolerance: 1e-12, absoluteTolerance: 1e-13 };

export const COUPLED_MASSES: MeasuredSystem = {
  name: "coupled masses",
  units: () => ({ ...coupledMasses() }),
  wires: MASSES_WIRES,
  states: MASSES_STATES,
  stop: 10,
  solution: () => {
    const matrix = massesMatrix();
    const work = expmWork(4);
    const map = new Float64Array(16);
    return (time) => {
      const scaled = matrix.map((entry) => entry * time);
      if (!expm(4, scaled, map, work)) throw new Error("test: no matrix exponential");
      return Float64Array.of(map[0], map[4], map[8], map[12]);
    };
  },
  isComparable: () => true,
};

const VAN_DER_POL_START = [2, 0, 0.5, 0];
/** x'' = (1 - x²) x' - x + (other - x). */
const acceleration = (x: number, v: number, other: number): number =>
  (1 - x * x) * v - x + (other - x);

export const VAN_DER_POL_PAIR: MeasuredSystem = {
  name: "van der Pol pair",
  units: () => ({
    a: vanDerPol("a", VAN_DER_POL_START[0]),
    b: vanDerPol("b", VAN_DER_POL_START[2]),
  }),
  wires: "a.x -> b.other; b.x -> a.other",
  states: ["a.x", "a.v", "b.x", "b.v"],
  stop: 10,
  solution: () => {
    const state = Float64Array.from(VAN_DER_POL_START);
    const work = rkWork(4, DORMAND_PRINCE.stages);
    let at = 0;
    return (time) => {
      const pieces = Math.ceil((time - at) / 2e-3);
      const from = at;
      for (let k = 0; k < pieces; k++) {
        const end = from + ((time - from) * (k + 1)) / pieces;
        rkStep(4, DORMAND_PRINCE, together, at, end - at, state.slice(), state, work);
        at = end;
      }
      return state;
    };
  },
  isComparable: () => true,
};

function together(_t: number, x: Float64Array, out: Float64Array): void {
  out[0] = x[1];
  out[1] = acceleration(x[0], x[1], x[2]);
  out[2] = x[3];
  out[3] = acceleration(x[2], x[3], x[0]);
}

function vanDerPol(name: string, start: number): Unit {
  return odeUnit({
    name,
    inputs: { other: {} },
    states: { x: { start }, v: {} },
    solver: EXACT,
    derivatives: (_t, x, u, _p, out) => {
      out[0] = x[1];
      out[1] = acceleration(x[0], x[1], u[0]);
    },
  });
}

const GRAVITY = 9.81;
const STIFFNESS = 1e4;

/**
 * A ball of 1 kg falls from 1 m on a ground that is a stiff spring. While it touches the ground its
 * velocity turns a hundred times faster than in flight: a comparison there compares clocks, so it
 * is made in flight.
 */
export const IMPACT: MeasuredSystem = {
  name: "impact",
  units: () => ({
    ball: odeUnit({
      name: "ball",
      inputs: { F: {} },
      states: { x: { start: 1 }, v: {} },
      solver: EXACT,
      derivatives: (_t, x, u, _p, out) => {
        out[0] = x[1];
        out[1] = u[0] - GRAVITY;
      },
    }),
    ground: functionUnit({
      name: "ground",
      inputs: { x: {} },
      outputs: { F: {} },
      evaluate: (_t, u, _p, y) => {
        y[0] = u[0] < 0 ? -STIFFNESS * u[0] : 0;
      },
    }),
  }),
  wires: "ball.x -> ground.x; ground.F -> ball.F",
  states: ["ball.x", "ball.v"],
  stop: 3,
  solution: () => {
    const fall = Math.sqrt(2 / GRAVITY);
    const speed = GRAVITY * fall;
    const w = Math.sqrt(STIFFNESS);
    const sag = GRAVITY / (w * w);
    // In contact x = sag (cos wt - 1) - speed/w sin wt, which is 0 again at tan(wt/2) = -speed / (w
    // sag).
    const contact = (2 * (Math.PI - Math.atan(speed / (w * sag)))) / w;
    return (time) => {
      if (time < fall) return Float64Array.of(1 - (GRAVITY * time * time) / 2, -GRAVITY * time);
      const t = (time - fall) % (contact + 2 * fall);
      if (t < contact)
        return Float64Array.of(
          sag * (Math.cos(w * t) - 1) - (speed / w) * Math.sin(w * t),
          -w * sag * Math.sin(w * t) - speed * Math.cos(w * t),
        );
      const s = t - contact;
      return Float64Array.of(speed * s - (GRAVITY * s * s) / 2, speed - GRAVITY * s);
    };
  },
  isComparable: ([height = 0]) => height > 0.05,
};

export const MEASURED_SYSTEMS: readonly MeasuredSystem[] = [
  COUPLED_MASSES,
  VAN_DER_POL_PAIR,
  IMPACT,
];
