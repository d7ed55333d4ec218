/**
 * Where events come from: at a period, from a list, at random. Periods are counted (start + k ·
 * period), so that they do not drift and sources with related periods meet.
 */

import { exponential, type RandomState, seeded } from "../../numerics/random.ts";
import {
  type Atomic,
  atomic,
  type BorderSpec,
  type EventPort,
  type Instant,
  type NoPorts,
  port,
} from "../model.ts";
import { needCount } from "./numbers.ts";

export type SourcePorts<T> = { out: EventPort<T> };

/** What sources have in common. */
export interface SourceSpec<T> {
  /** The k-th value, from 0; default: k. */
  readonly value?: (k: number) => T;
  /** How many; default: no end. */
  readonly count?: number;
  /** What the output is outside of the model. */
  readonly border?: BorderSpec;
}

export interface PeriodicSourceSpec<T> extends SourceSpec<T> {
  /** Seconds. */
  readonly period: number;
  /** Time of the first event; default: 0. */
  readonly start?: number;
}

/** Sends at start + k · period. */
export function periodicSource<T = number>(
  spec: PeriodicSourceSpec<T>,
): Atomic<NoPorts, SourcePorts<T>> {
  const { period, start = 0, count = Number.POSITIVE_INFINITY } = spec;
  if (!(period > 0))
    throw new RangeError(`a periodic source needs a period above 0, not ${period}`);
  needCount("the 'count' of a source", count, 0);
  return atomic({
    name: "source",
    outputs: { out: port<T>(spec.border) },
    initial: 0,
    timeAdvance: (k, now) =>
      k < count ? until(start + k * period, now) : Number.POSITIVE_INFINITY,
    output: (k, send) => send("out", valueAt(spec, k)),
    internal: (k) => k + 1,
  });
}

export interface ListSourceSpec<T> {
  /** In the order of their times; those of one time are sent together. */
  readonly events: readonly { readonly time: number; readonly value: T }[];
  readonly border?: BorderSpec;
}

/** Sends what a list says. */
export function listSource<T>({
  events,
  border,
}: ListSourceSpec<T>): Atomic<NoPorts, SourcePorts<T>> {
  const wrong = events.findIndex(({ time }, i) => !(time >= (events[i - 1]?.time ?? 0)));
  if (wrong >= 0)
    throw new RangeError(
      `event ${wrong} of a list source is at t=${events[wrong].time}; times must be ordered, from 0 on`,
    );
  /** The first event behind those that are sent with event k. */
  const after = (k: number): number => {
    let next = k + 1;
    while (next < events.length && events[next].time === events[k].time) next++;
    return next;
  };
  return atomic({
    name: "source",
    outputs: { out: port<T>(border) },
    initial: 0,
    timeAdvance: (k, now) =>
      k < events.length ? until(events[k].time, now) : Number.POSITIVE_INFINITY,
    output: (k, send) => {
      for (let i = k; i < after(k); i++) send("out", events[i].value);
    },
    internal: after,
  });
}

export interface RandomSourceSpec<T> extends SourceSpec<T> {
  /** Mean seconds between two events: they are exponentially distributed (a Poisson process). */
  readonly mean: number;
  readonly seed: number;
}

interface RandomSourceState {
  k: number;
  wait: number;
  random: RandomState;
}

/** Sends at random times. The same seed gives the same times. */
export function randomSource<T = number>(
  spec: RandomSourceSpec<T>,
): Atomic<NoPorts, SourcePorts<T>> {
  const { mean, seed, count = Number.POSITIVE_INFINITY } = spec;
  needCount("the 'count' of a source", count, 0);
  if (!(mean > 0)) throw new RangeError(`a random source needs a mean above 0, not ${mean}`);
  return atomic({
    name: "source",
    outputs: { out: port<T>(spec.border) },
    initial: (): RandomSourceState => {
      const random = seeded(seed);
      return { k: 0, wait: exponential(random, mean), random };
    },
    timeAdvance: ({ k, wait }) => (k < count ? wait : Number.POSITIVE_INFINITY),
    output: ({ k }, send) => send("out", valueAt(spec, k)),
    internal: (state) => {
      state.k++;
      state.wait = exponential(state.random, mean);
    },
  });
}

function valueAt<T>({ value }: SourceSpec<T>, k: number): T {
  return value === undefined ? (k as T) : value(k);
}

/** Seconds until `time`; rounding must not make it negative. */
export function until(time: number, now: Instant): number {
  return Math.max(0, time - now.time);
}
