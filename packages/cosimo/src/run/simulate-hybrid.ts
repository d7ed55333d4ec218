/**
 * Hybrid systems put to the test: the plant and its controller as two units of a co-simulation, run
 * by the engine with a given communication step or a given delay of the switches. What the
 * stability laboratory says is held against this.
 */
import type { Outcome } from "../base/outcome.ts";
import type { HybridModel } from "../stability/hybrid-model.ts";
import { controllerUnit, lateControllerUnit, plantUnit } from "../stability/hybrid-units.ts";
import { defineScenario } from "./define-scenario.ts";
import { simulateScenario } from "./simulate-scenario.ts";

export interface HybridRun {
  readonly outcome: Outcome;
  readonly time: Float64Array;
  /** One per state. */
  readonly states: readonly Float64Array[];
  /** The mode that the plant is given, 1 or 2. */
  readonly mode: Float64Array;
  /** How often the mode changed, and when for the last time. */
  readonly switches: number;
  readonly lastSwitch: number;
  /**
   * Whether it comes to rest: the last quarter of the run has no switch and nothing grows there, or
   * motions are halved from quarter to quarter.
   */
  readonly settles: boolean;
}

export interface HybridStart {
  readonly start: ArrayLike<number>;
  readonly stop: number;
  /** Called from time to time; `false` ends the run where it is. */
  readonly keepGoing?: () => boolean;
}

/**
 * The controller looks every `step` seconds, as Jacobi masters do: switches come up to a step late.
 */
export function simulateHybridStep(
  model: HybridModel,
  given: HybridStart,
  step: number,
): Promise<HybridRun> {
  return run(model, plantUnit(model, given.start), controllerUnit(model), given, step);
}

export interface LateSwitches {
  /** The mode with the equilibrium: 0 or 1. */
  readonly home: 0 | 1;
  /** Delay of the switch away from it, and of the switch back to it, seconds. */
  readonly leaving: number;
  readonly returning: number;
}

/** How finely crossings are seen, as parts of the longer delay. */
const LOOKS = 25;

/**
 * Crossings are seen within a 25th of the delay and acted on late: every effective delay lies
 * between the one given and `latestSwitch` of it.
 */
export function simulateHybridDelay(
  model: HybridModel,
  given: HybridStart,
  { home, leaving, returning }: LateSwitches,
): Promise<HybridRun> {
  const step = Math.max(leaving, returning) / LOOKS;
  const controller = lateControllerUnit(model, given.start, home, leaving, returning);
  return run(model, plantUnit(model, given.start), controller, given, step);
}

/**
 * The longest effective delay for a given `delay`: the crossing, the decision and the switch each
 * fall between two looks.
 */
export function latestSwitch(delay: number): number {
  return delay * (1 + 3 / LOOKS);
}

async function run(
  model: HybridModel,
  plant: ReturnType<typeof plantUnit>,
  controller: ReturnType<typeof controllerUnit>,
  { stop, keepGoing }: HybridStart,
  step: number,
): Promise<HybridRun> {
  const scenario = defineScenario({
    name: model.name,
    units: { plant, controller },
    connections: [
      ...model.states.map((state) => `plant.${state} -> controller.${state}`),
      "controller.mode -> plant.mode",
    ],
    master: "jacobi",
    record: [...model.states.map((state) => `plant.${state}`), "controller.mode"],
  });
  const { outcome, trace } = await simulateScenario(scenario, {
    stop,
    step,
    ...(keepGoing && { shouldStop: () => !keepGoing() }),
  });
  const columns = trace.columns.map(({ data }) => data as Float64Array);
  const mode = columns.at(-1)!;
  const changes = [...mode.keys()].filter((row) => row > 0 && mode[row] !== mode[row - 1]);
  const lastSwitch = changes.length === 0 ? 0 : trace.time[changes.at(-1)!];
  const states = columns.slice(0, -1);
  const isQuiet = lastSwitch < 0.75 * stop;
  const settles = states.every((state) => comesToRest(trace.time, state, stop, isQuiet));
  return {
    outcome,
    time: trace.time,
    states,
    mode,
    switches: changes.length,
    lastSwitch,
    settles: outcome.kind === "completed" && settles,
  };
}

/** What a state at rest may still move, as a part of its motion before. */
const TREMBLE = 1e-6;

/**
 * @param isQuiet the last quarter has no switch. Where the equilibrium is on the surface there are
 * always some.
 */
function comesToRest(
  time: Float64Array,
  state: Float64Array,
  stop: number,
  isQuiet: boolean,
): boolean {
  const ranges = [0, 1, 2, 3].map((quarter) => {
    const part = state.filter(
      (_, row) => time[row] >= (quarter / 4) * stop && time[row] <= ((quarter + 1) / 4) * stop,
    );
    const most = part.reduce((a, b) => Math.max(a, b), -Infinity);
    const least = part.reduce((a, b) => Math.min(a, b), Infinity);
    return Math.max(0, most - least);
  });
  const [first, second, third, last] = ranges as [number, number, number, number];
  const halved = (now: number, before: number): boolean => now <= before / 2;
  if (!isQuiet) return halved(last, third) && halved(third, second);
  return last <= third + TREMBLE * Math.max(first, second);
}
