/**
 * Runs a discrete-event model by itself: what it sends, event by event, in superdense time.
 */
import { unwrap } from "../base/diagnostic.ts";
import type { Ties } from "../unit/ties.ts";
import type { FlatModel } from "./flatten.ts";
import { flatten } from "./flatten.ts";
import { Kernel, type KernelOptions } from "./kernel.ts";
import type { Component } from "./model.ts";
import { stopTicks, toSeconds, toTicks } from "./ticks.ts";

/** A value that a component sent, or that left or entered the whole model. */
export interface DevsEvent {
  /** Seconds. */
  readonly time: number;
  /** Position among the steps at that time. */
  readonly index: number;
  /** Path of the component; "" for the whole model. */
  readonly unit: string;
  readonly port: string;
  readonly value: unknown;
}

export interface DevsInput {
  readonly time: number;
  readonly port: string;
  readonly value: unknown;
}

export interface RunDevsOptions {
  readonly start?: number;
  /** Seconds; events at that time are part of the run. Infinity: until nothing happens any more. */
  readonly stop: number;
  /**
   * Values for the model's inputs, in the order of their times. Those of one time arrive together.
   */
  readonly inputs?: readonly DevsInput[];
  /**
   * outputs: what leaves the model (default); all: everything that components send as well; none.
   */
  readonly record?: "outputs" | "all" | "none";
  readonly ticksPerSecond?: number;
  readonly maxTransitions?: number;
  /** What decides the order of simultaneous events; default: the rules of the model. */
  readonly ties?: Ties;
}

export interface DevsRun {
  readonly events: readonly DevsEvent[];
  /** Transitions of all components. */
  readonly transitions: number;
  /** The state of a component at the end, by its path. */
  readonly states: ReadonlyMap<string, unknown>;
}

/**
 * @throws DiagnosticsError when the model is wrong, UnitError when a component fails, RangeError
 * where start or stop are not times.
 */
export function runDevs(model: Component, options: RunDevsOptions): DevsRun {
  const flat = unwrap(flatten(model));
  const record = options.record ?? "outputs";
  const events: DevsEvent[] = [];
  const note = (unit: string, port: string, value: unknown): void => {
    events.push({ time: kernel.seconds, index: kernel.index, unit, port, value });
  };
  const watching: Partial<KernelOptions> =
    record === "all"
      ? {
          onSend: (unit, port, value) => {
            const { path, outputs } = flat.units[unit];
            note(path, outputs[port], value);
          },
        }
      : {};
  const kernel = new Kernel(flat, {
    ...(options.ticksPerSecond === undefined ? {} : { ticksPerSecond: options.ticksPerSecond }),
    ...(options.maxTransitions === undefined ? {} : { maxTransitions: options.maxTransitions }),
    ...watching,
  });
  kernel.ties = options.ties;
  kernel.initialize(options.start ?? 0);
  const stop = stopTicks(options.stop, kernel.ticksPerSecond);
  const inputs = preparedInputs(flat, options, kernel);
  for (let k = 0; ; ) {
    const time = Math.min(kernel.nextTime, inputs[k]?.time ?? Number.POSITIVE_INFINITY);
    if (time > stop) break;
    if (time === kernel.nextTime) {
      kernel.collect();
      const { outbox } = kernel;
      for (let m = 0; record !== "none" && m < outbox.count; m++)
        note("", flat.outputs[outbox.ports[m]], outbox.values[m]);
    }
    for (; inputs[k]?.time === time; k++) kernel.inject(inputs[k].port, inputs[k].value);
    kernel.transition(time);
  }
  return {
    events,
    transitions: kernel.transitions,
    states: new Map(flat.units.map(({ path }, i) => [path, kernel.states[i]])),
  };
}

/**
 * Inputs by number, at times in ticks. @throws RangeError where they are not what the model takes.
 */
export function preparedInputs(
  flat: FlatModel,
  { inputs = [], start = 0 }: Pick<RunDevsOptions, "inputs" | "start">,
  { ticksPerSecond }: { readonly ticksPerSecond: number },
): { readonly time: number; readonly port: number; readonly value: unknown }[] {
  let last = toTicks(start, ticksPerSecond);
  return inputs.map(({ time: seconds, port: name, value }) => {
    const port = flat.inputs.indexOf(name);
    if (port < 0)
      throw new RangeError(
        `'${flat.name}' has no input '${name}'; its inputs are ${flat.inputs.join(", ") || "none"}`,
      );
    if (value === undefined)
      throw new RangeError(
        `input '${name}' at t=${seconds} is absent (undefined); omit it from the list`,
      );
    const time = toTicks(seconds, ticksPerSecond);
    if (!(time >= last))
      throw new RangeError(
        `input '${name}' at t=${seconds} comes after one at t=${toSeconds(last, ticksPerSecond)}; order inputs by time, from the start on`,
      );
    last = time;
    return { time, port, value };
  });
}
