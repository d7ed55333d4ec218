/**
 * One kernel, or parts that wait, or parts that guess: what a sample of the run has cost says which
 * is fastest. An estimate takes what messages between threads take, for parts that guess what
 * keeping states and guessing wrong take, and for parts that wait how much they wait: where parts
 * answer each other, one may send at its next event, so the others go no further, and only what is
 * due at the same instant is done at the same time.
 */
import type { FlatModel } from "../devs/flatten.ts";
import { Kernel } from "../devs/kernel.ts";
import { type DevsInput, preparedInputs } from "../devs/run-devs.ts";
import { stopTicks, toSeconds } from "../devs/ticks.ts";
import { loopsIn } from "../plan/strong-components.ts";
import { indivisible, type PartsKind } from "./plan-parts.ts";
import { type Split, shareOut, shareOutWithDelays, splitModel } from "./split.ts";

/**
 * Seconds that a message between two threads takes from one to the other, both ends included: what
 * Node's ports take on current machines, rounded up.
 */
const MESSAGE = 40e-6;
/** Work that parts which guess do in vain, for each that counts. */
const IN_VAIN = 0.6;
/** Steps between two states that are kept. */
const INTERVAL = 8;
/** How much faster it must promise to be. */
const WORTH = 1.3;

/** What the beginning of a run has cost, in seconds of a processor. */
export interface Sample {
  readonly seconds: number;
  readonly steps: number;
  /** Simulated seconds. */
  readonly simulated: number;
  /** The sample was the whole run. */
  readonly isWhole: boolean;
  /** By component. */
  readonly weights: Float64Array;
  /** Every transition: the number of its step, the component, and what it took. */
  readonly transitions: readonly (readonly [number, number, number])[];
  /** Values that each component sent. */
  readonly sent: Float64Array;
  /** Of one copy of all states. */
  readonly saving: number;
}

export interface SampleOptions {
  readonly start: number;
  readonly stop: number;
  readonly inputs?: readonly DevsInput[];
  readonly ticksPerSecond: number;
  readonly maxTransitions?: number;
  /** Seconds that the sample may take. */
  readonly budget: number;
  /** Seconds, of any clock. */
  readonly now: () => number;
}

/** Runs the beginning of a model. What fails then fails later too, where it is reported. */
export function sampleRun(model: FlatModel, options: SampleOptions): Sample {
  const { start, stop, ticksPerSecond, maxTransitions, budget, now } = options;
  const weights = new Float64Array(model.units.length);
  const sent = new Float64Array(model.units.length);
  const transitions: [number, number, number][] = [];
  let last = 0;
  let steps = 0;
  const kernel = new Kernel(model, {
    ticksPerSecond,
    ...(maxTransitions !== undefined && { maxTransitions }),
    onSend: (unit) => {
      sent[unit]++;
    },
    onTransition: (unit) => {
      const time = now();
      weights[unit] += time - last;
      transitions.push([steps, unit, time - last]);
      last = time;
    },
  });
  let saving = 0;
  let isWhole = false;
  const begin = now();
  try {
    kernel.initialize(start);
    const end = stopTicks(stop, ticksPerSecond);
    last = now();
    const inputs = preparedInputs(model, options, { ticksPerSecond });
    for (let k = 0; now() - begin < budget; steps++) {
      const time = Math.min(kernel.nextTime, inputs[k]?.time ?? Number.POSITIVE_INFINITY);
      isWhole = time > end || time === Number.POSITIVE_INFINITY;
      if (isWhole) break;
      if (time === kernel.nextTime) kernel.collect();
      for (; inputs[k]?.time === time; k++) kernel.inject(inputs[k].port, inputs[k].value);
      kernel.transition(time);
    }
    const before = now();
    kernel.save();
    saving = now() - before;
  } catch {
    // The run itself will say what is wrong.
  }
  const seconds = weights.reduce((sum, one) => sum + one, 0);
  const simulated = toSeconds(kernel.time, ticksPerSecond) - start;
  return { seconds, steps, simulated, isWhole, weights, transitions, sent, saving };
}

export interface Choice {
  readonly kind: PartsKind | "sequential";
  readonly parts: number;
  /** In words. */
  readonly reason: string;
}

/** @param most parts: cores of the machine. @param forced what the user wants, if it can be had. */
export function chooseParts(
  model: FlatModel,
  sample: Sample,
  most: number,
  ticksPerSecond: number,
  forced?: PartsKind,
): Choice {
  const cannot = indivisible(model);
  if (cannot !== undefined) return sequential(cannot);
  const weights = sample.weights.some((one) => one > 0) ? sample.weights : undefined;
  const shares = {
    count: Math.max(most, forced === undefined ? 1 : 2),
    ...(weights && { weights }),
  };
  const splits = {
    conservative: () =>
      splitModel(model, shareOutWithDelays(model, shares, ticksPerSecond), ticksPerSecond),
    optimistic: () => splitModel(model, shareOut(model, shares), ticksPerSecond),
  };
  if (forced !== undefined) {
    const parts = splits[forced]().parts.length;
    if (parts < 2)
      return sequential("all components are on cycles without a declared delay ('minimumDelay')");
    return { kind: forced, parts, reason: "as asked" };
  }
  if (most < 2) return sequential("the machine has one core");
  if (sample.isWhole || sample.steps === 0 || sample.seconds === 0)
    return sequential(`the whole run takes ${micro(sample.seconds)}`);
  const each = sample.seconds / sample.steps;
  const kinds = ["conservative", "optimistic"] as const;
  const [best] = kinds
    .map((kind) => ({ kind, ...estimate(kind, splits[kind](), sample) }))
    .sort((a, b) => b.speed - a.speed);
  if (best.speed < WORTH) {
    return sequential(
      `an instant takes ${micro(each)}, a message between threads ${micro(MESSAGE)}: ${best.kind} parts would be ${best.speed.toFixed(1)} times as fast`,
    );
  }
  const { kind, parts, speed, why } = best;
  const reason = `an instant takes ${micro(each)}, ${why}: ${speed.toFixed(1)} times as fast is expected`;
  return { kind, parts, reason };
}

function sequential(reason: string): Choice {
  return { kind: "sequential", parts: 1, reason };
}

function estimate(
  kind: PartsKind,
  split: Split,
  { seconds, steps, weights, transitions, sent, saving }: Sample,
): { readonly speed: number; readonly parts: number; readonly why: string } {
  const { parts, whole, partOf } = split;
  if (parts.length < 2) return { speed: 1, parts: 1, why: "" };
  const loads = parts.map(({ units }) => units.reduce((sum, u) => sum + weights[u], 0));
  const share = Math.max(...loads) / seconds;
  // Values that leave their part: as many as routes lead out, of those that a component sends.
  let letters = 0;
  const { routes, outBase } = whole;
  for (let u = 0; u < whole.units.length; u++) {
    const ends = routes.target.subarray(routes.start[outBase[u]], routes.start[outBase[u + 1]]);
    const away = ends.filter((target) => target >= 0 && partOf[target] !== partOf[u]).length;
    if (ends.length > 0) letters += (sent[u] * away) / ends.length;
  }
  const isAnswered = loopsIn(parts.map(({ targets }) => targets)).length > 0;
  if (kind === "optimistic") {
    const keeping = (saving / INTERVAL / parts.length) * steps;
    const cost = share * (1 + IN_VAIN) + (keeping + letters * MESSAGE) / seconds;
    return { speed: 1 / cost, parts: parts.length, why: "and parts would wait for each other" };
  }
  if (!isAnswered) {
    const cost = share + (Math.min(letters, steps) * MESSAGE) / seconds;
    return { speed: 1 / cost, parts: parts.length, why: "and no part answers another" };
  }
  const cost = (together(partOf, parts.length, transitions) + steps * MESSAGE) / seconds;
  return { speed: 1 / cost, parts: parts.length, why: "and parts are due at the same instants" };
}

/**
 * Seconds, where the parts do what is due at one instant at the same time, and instants follow each
 * other.
 */
function together(partOf: Int32Array, count: number, transitions: Sample["transitions"]): number {
  const loads = new Float64Array(count);
  let [sum, step] = [0, -1];
  for (const [at, unit, seconds] of transitions) {
    if (at !== step) {
      sum += Math.max(...loads);
      loads.fill(0);
      step = at;
    }
    loads[partOf[unit]] += seconds;
  }
  return sum + Math.max(...loads);
}

function micro(seconds: number): string {
  return `${Number((1e6 * seconds).toPrecision(2))} µs`;
}
