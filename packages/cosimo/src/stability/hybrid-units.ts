/**
 * A hybrid system cut in two, as a co-simulation has it: a plant that integrates the mode it is
 * given, and a controller that only sees the plant's states at communication points.
 */
import { DORMAND_PRINCE } from "../numerics/tableau.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { odeUnit } from "../unit/ode-unit.ts";
import type { PortSpecs } from "../unit/port-spec.ts";
import { stateMachineUnit } from "../unit/state-machine-unit.ts";
import type { Unit } from "../unit/unit.ts";
import type { HybridModel } from "./hybrid-model.ts";

const RELATIVE_TOLERANCE = 1e-9;
const ABSOLUTE_TOLERANCE = 1e-13;

/** Ports: the input `mode` (1 or 2) and the states. Begins at `start`. */
export function plantUnit(model: HybridModel, start: ArrayLike<number>): (name: string) => Unit {
  const { states, modes } = model;
  return (name) =>
    odeUnit(
      {
        name: `${model.name}: plant`,
        inputs: { mode: { start: modeAt(model, start), variability: "discrete" } },
        states: Object.fromEntries(states.map((state, i) => [state, { start: start[i] }])),
        derivatives: (_t, x, u, _p, dx) => modes[u[0] <= 1 ? 0 : 1].field(x, dx),
        solver: {
          method: DORMAND_PRINCE,
          relativeTolerance: RELATIVE_TOLERANCE,
          absoluteTolerance: ABSOLUTE_TOLERANCE,
        },
      },
      name,
    );
}

/** Says at every communication point which mode the states ask for. */
export function controllerUnit(model: HybridModel): (name: string) => Unit {
  return (name) =>
    functionUnit(
      {
        name: `${model.name}: controller`,
        inputs: stateInputs(model),
        outputs: { mode: { variability: "discrete" } },
        evaluate: (_t, u, _p, y) => {
          y[0] = model.surface.value(u) <= 0 ? 1 : 2;
        },
      },
      name,
    );
}

/**
 * Sees crossings at once and acts on them late: `leaving` seconds late from mode `home`,
 * `returning` late back to it.
 */
export function lateControllerUnit(
  model: HybridModel,
  start: ArrayLike<number>,
  home: 0 | 1,
  leaving: number,
  returning: number,
): (name: string) => Unit {
  const { states } = model;
  const x = new Float64Array(states.length);
  const isHome = (machine: { get(port: string): number }): boolean => {
    for (let i = 0; i < x.length; i++) x[i] = machine.get(states[i]);
    return model.surface.value(x) <= 0 === (home === 0);
  };
  const [homeMode, awayMode] = [home + 1, 2 - home];
  const begin = modeAt(model, start) === homeMode ? "home" : "away";
  return (name) =>
    stateMachineUnit(
      {
        name: `${model.name}: late controller`,
        inputs: stateInputs(model, start),
        outputs: { mode: { start: modeAt(model, start) } },
        initial: begin,
        states: {
          home: {
            entry: (m) => m.set("mode", homeMode),
            transitions: [{ to: "leaving", when: (m) => !isHome(m) }],
          },
          leaving: {
            transitions: [
              { to: "away", after: leaving },
              { to: "home", when: isHome },
            ],
          },
          away: {
            entry: (m) => m.set("mode", awayMode),
            transitions: [{ to: "returning", when: isHome }],
          },
          returning: {
            transitions: [
              { to: "home", after: returning },
              { to: "away", when: (m) => !isHome(m) },
            ],
          },
        },
      },
      name,
    );
}

/** 1 or 2. */
function modeAt({ surface }: HybridModel, x: ArrayLike<number>): number {
  return surface.value(Float64Array.from(x)) <= 0 ? 1 : 2;
}

function stateInputs({ states }: HybridModel, start?: ArrayLike<number>): PortSpecs {
  return Object.fromEntries(states.map((state, i) => [state, { start: start?.[i] ?? 0 }]));
}
