/**
 * Draws what accuracy costs: the error of a run against the steps that its units took, for adaptive
 * estimators and for the best that fixed steps can do, on three systems whose solutions are known.
 * Writes docs/images/work-precision-*.svg.
 *
 *     node bench/work-precision.mjs
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  DORMAND_PRINCE,
  defineScenario,
  functionUnit,
  linearUnit,
  odeUnit,
  simulateScenario,
} from "cosimo";
import { plotSvg } from "cosimo/plot";
import { expm, expmWork } from "../packages/cosimo/dist/numerics/expm.js";
import { rkStep, rkWork } from "../packages/cosimo/dist/numerics/runge-kutta.js";
import { ROOT } from "../scripts/setup.mjs";

/** Units solve themselves better than any tolerance here. */
const solver = { method: DORMAND_PRINCE, relativeTolerance: 1e-12, absoluteTolerance: 1e-13 };
const ADAPTIVE = {
  "milne, iterative": { coupling: "iterative" },
  "milne, jacobi": { coupling: "jacobi" },
  "richardson, iterative": { coupling: "iterative", estimator: "richardson" },
};
const FIXED = {
  "fixed steps, iterative": { name: "iterative", tolerance: 1e-10 },
  "fixed steps, jacobi": { name: "jacobi", approximation: "linear" },
};
const MOST_UNIT_STEPS = 3e5;

for (const system of [masses(), vanDerPol(), impact()]) {
  const curves = [];
  for (const [label, options] of Object.entries(ADAPTIVE)) {
    const points = [];
    for (let k = 2; k <= 8; k++) {
      const tolerances = { relative: 10 ** -k, absolute: 10 ** -k };
      points.push(await measure(system, { name: "adaptive", ...options, ...tolerances }, 0.1));
    }
    curves.push({ label, points });
  }
  for (const [label, master] of Object.entries(FIXED)) {
    const points = [];
    for (let step = 0.1; ; step /= 2) {
      const point = await measure(system, master, step);
      // Where fixed steps blow up, nothing can be compared.
      if (point.error < 1) points.push(point);
      if (point.unitSteps > MOST_UNIT_STEPS) break;
    }
    curves.push({ label, points });
  }
  for (const { label, points } of curves)
    console.log(
      system.name,
      label,
      points.map((p) => `${p.unitSteps}: ${p.error.toExponential(1)}`).join(", "),
    );
  draw(system, curves);
}

async function measure({ units, connections, states, stop, solution, isComparable }, master, step) {
  const experiment = { start: 0, stop, step };
  const scenario = defineScenario({ units, connections, experiment, master, record: states });
  const { trace, outcome, master: summary } = await simulateScenario(scenario);
  if (outcome.kind !== "completed")
    return { unitSteps: Number.POSITIVE_INFINITY, error: Number.NaN };
  const data = states.map((name) => trace.columns.find((column) => column.name === name).data);
  const exact = solution();
  const stride = Math.ceil(trace.time.length / 1000);
  let error = 0;
  for (let row = 0; row < trace.time.length; row += stride) {
    const x = exact(trace.time[row]);
    if (isComparable?.(x) === false) continue;
    data.forEach((values, i) => {
      error = Math.max(error, Math.abs(values[row] - x[i]) / (1 + Math.abs(x[i])));
    });
  }
  const fixed = Math.round(stop / step) * Object.keys(units).length;
  return { unitSteps: summary?.advances ?? fixed, error };
}

function draw({ name, file }, curves) {
  const runs = curves.map(({ label, points }) => {
    const sorted = points.toSorted((a, b) => a.unitSteps - b.unitSteps);
    const column = {
      name: "log₁₀ error",
      type: "float64",
      data: Float64Array.from(sorted, ({ error }) => Math.log10(error)),
    };
    const time = Float64Array.from(sorted, ({ unitSteps }) => Math.log10(unitSteps));
    return { label, trace: { meta: { title: "", entries: {} }, time, columns: [column] } };
  });
  const along = { name: "log₁₀ of the steps that units took, rejected ones included" };
  const options = { title: `${name}: what accuracy costs`, caption: "", along, panelHeight: 300 };
  writeFileSync(join(ROOT, "docs", "images", `work-precision-${file}.svg`), plotSvg(runs, options));
}

// ---- systems ------------------------------------------------------------------------------------

function masses() {
  const mass = { reactive: true };
  return {
    name: "Two coupled masses",
    file: "masses",
    stop: 10,
    units: {
      left: (name) =>
        linearUnit(
          {
            name,
            inputs: { F: mass },
            states: { x: { start: 1 }, v: {} },
            a: [
              [0, 1],
              [-1, -1],
            ],
            b: [[0], [1]],
          },
          name,
        ),
      right: (name) =>
        linearUnit(
          {
            name,
            inputs: { xc: mass, vc: mass },
            states: { x: {}, v: {} },
            outputs: { F: { feedThrough: ["xc", "vc"] } },
            a: [
              [0, 1],
              [-2, -1],
            ],
            b: [
              [0, 0],
              [1, 1],
            ],
            c: [[1, 1]],
            d: [[-1, -1]],
          },
          name,
        ),
    },
    connections: ["left.x -> right.xc", "left.v -> right.vc", "right.F -> left.F"],
    states: ["left.x", "left.v", "right.x", "right.v"],
    solution: () => (time) => {
      const rows = [...[0, 1, 0, 0], ...[-2, -2, 1, 1], ...[0, 0, 0, 1], ...[1, 1, -2, -1]];
      const map = new Float64Array(16);
      expm(
        4,
        Float64Array.from(rows, (entry) => entry * time),
        map,
        expmWork(4),
      );
      return [map[0], map[4], map[8], map[12]];
    },
  };
}

function vanDerPol() {
  const acceleration = (x, v, other) => (1 - x * x) * v - x + (other - x);
  const oscillator = (start) => (name) =>
    odeUnit(
      {
        name,
        inputs: { other: {} },
        states: { x: { start }, v: {} },
        solver,
        derivatives: (_t, x, u, _p, out) => {
          out[0] = x[1];
          out[1] = acceleration(x[0], x[1], u[0]);
        },
      },
      name,
    );
  const together = (_t, x, out) => {
    out.set([x[1], acceleration(x[0], x[1], x[2]), x[3], acceleration(x[2], x[3], x[0])]);
  };
  return {
    name: "Two van der Pol oscillators",
    file: "van-der-pol",
    stop: 10,
    units: { a: oscillator(2), b: oscillator(0.5) },
    connections: ["a.x -> b.other", "b.x -> a.other"],
    states: ["a.x", "a.v", "b.x", "b.v"],
    solution: () => {
      const x = Float64Array.of(2, 0, 0.5, 0);
      const work = rkWork(4, DORMAND_PRINCE.stages);
      let at = 0;
      return (time) => {
        for (
          const pieces = Math.ceil((time - at) / 2e-3), h = (time - at) / pieces;
          time - at > h / 2;
          at += h
        )
          rkStep(4, DORMAND_PRINCE, together, at, h, x.slice(), x, work);
        at = time;
        return x;
      };
    },
  };
}

/**
 * A ball on a stiff ground. Compared in flight: in contact its velocity turns so fast that a
 * comparison would be one of clocks.
 */
function impact() {
  const gravity = 9.81;
  const stiffness = 1e4;
  const fall = Math.sqrt(2 / gravity);
  const speed = gravity * fall;
  const w = Math.sqrt(stiffness);
  const sag = gravity / stiffness;
  const contact = (2 * (Math.PI - Math.atan(speed / (w * sag)))) / w;
  return {
    name: "A ball on a stiff ground",
    file: "impact",
    stop: 3,
    units: {
      ball: (name) =>
        odeUnit(
          {
            name,
            inputs: { F: {} },
            states: { x: { start: 1 }, v: {} },
            solver,
            derivatives: (_t, x, u, _p, out) => {
              out[0] = x[1];
              out[1] = u[0] - gravity;
            },
          },
          name,
        ),
      ground: (name) =>
        functionUnit(
          {
            name,
            inputs: { x: {} },
            outputs: { F: {} },
            evaluate: (_t, u, _p, y) => {
              y[0] = u[0] < 0 ? -stiffness * u[0] : 0;
            },
          },
          name,
        ),
    },
    connections: ["ball.x -> ground.x", "ground.F -> ball.F"],
    states: ["ball.x", "ball.v"],
    isComparable: ([height]) => height > 0.05,
    solution: () => (time) => {
      if (time < fall) return [1 - (gravity * time * time) / 2, -gravity * time];
      const t = (time - fall) % (contact + 2 * fall);
      if (t < contact) {
        const [sin, cos] = [Math.sin(w * t), Math.cos(w * t)];
        return [sag * (cos - 1) - (speed / w) * sin, -w * sag * sin - speed * cos];
      }
      const s = t - contact;
      return [speed * s - (gravity * s * s) / 2, speed - gravity * s];
    },
  };
}
