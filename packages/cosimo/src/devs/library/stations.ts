/**
 * Where events wait: queues, servers, delays, and the sink at the end. A queue hands out as many as
 * there are free places behind it, and hears of a free place through `done`, which a server sends
 * with every job that it finishes.
 */

import { exponential, type RandomState, seeded } from "../../numerics/random.ts";
import { type Atomic, atomic, type BorderSpec, type EventPort, port } from "../model.ts";
import { needCount, needSeconds } from "./numbers.ts";
import { until } from "./sources.ts";

export interface QueueSpec<T> {
  /** Places in the queue; what does not fit leaves through `lost`. Default: no end. */
  readonly capacity?: number;
  /** Places behind the queue; default: 1. */
  readonly servers?: number;
  /** Lowest first; without it, first come, first served. Equal ones keep their order. */
  readonly priority?: (value: T) => number;
}

interface QueueState<T> {
  items: T[];
  lost: T[];
  free: number;
  isNew: boolean;
}

export type QueueInputs<T> = { in: EventPort<T>; done: EventPort<unknown> };
export type QueueOutputs<T> = {
  out: EventPort<T>;
  lost: EventPort<T>;
  /** How many wait, after every change. */
  length: EventPort<number>;
};

export function queue<T = unknown>(
  spec: QueueSpec<T> = {},
): Atomic<QueueInputs<T>, QueueOutputs<T>> {
  const { capacity = Number.POSITIVE_INFINITY, servers = 1, priority } = spec;
  needCount("the 'capacity' of a queue", capacity, 0);
  needCount("the number of 'servers' behind a queue", servers, 1);
  const leaving = ({ items, free }: QueueState<T>): number => Math.min(free, items.length);
  return atomic({
    name: "queue",
    inputs: { in: port<T>(), done: port<unknown>() },
    outputs: {
      out: port<T>(),
      lost: port<T>(),
      length: port<number>({ type: "int32", held: true }),
    },
    initial: (): QueueState<T> => ({ items: [], lost: [], free: servers, isNew: false }),
    timeAdvance: (state) => (state.isNew ? 0 : Number.POSITIVE_INFINITY),
    output: (state, send) => {
      const count = leaving(state);
      for (let i = 0; i < count; i++) send("out", state.items[i]);
      for (const value of state.lost) send("lost", value);
      send("length", state.items.length - count);
    },
    internal: (state) => {
      const count = leaving(state);
      state.items.splice(0, count);
      state.free -= count;
      state.lost = [];
      state.isNew = false;
    },
    external: (state, input) => {
      state.free += input.values("done").length;
      for (const value of input.values("in")) insert(state.items, value, priority);
      // Those that leave at once need no place.
      while (state.items.length - leaving(state) > capacity) state.lost.push(state.items.pop()!);
      state.isNew = true;
    },
    minimumDelay: 0,
  });
}

function insert<T>(items: T[], value: T, priority: QueueSpec<T>["priority"]): void {
  let place = items.length;
  if (priority !== undefined)
    while (place > 0 && priority(items[place - 1]) > priority(value)) place--;
  items.splice(place, 0, value);
}

export interface ServerSpec<T> {
  /** Seconds per job: always the same, by the job, or exponentially distributed with a mean. */
  readonly service:
    | number
    | ((job: T) => number)
    | { readonly mean: number; readonly seed: number };
  /** Jobs at a time; default: 1. */
  readonly places?: number;
}

interface ServerState<T> {
  /** In the order in which they are finished. */
  jobs: { at: number; job: T }[];
  random: RandomState | null;
}

export type ServerInputs<T> = { in: EventPort<T> };
export type ServerOutputs<T> = { out: EventPort<T>; done: EventPort<true> };

/** Works on jobs, and sends each when it is finished, with a `done`. */
export function server<T = unknown>({
  service,
  places = 1,
}: ServerSpec<T>): Atomic<ServerInputs<T>, ServerOutputs<T>> {
  needCount("the number of 'places' of a server", places, 1);
  if (typeof service === "number") needSeconds("a 'service'", service);
  else if (typeof service !== "function" && !(service?.mean > 0))
    throw new RangeError(
      "the 'service' of a server is a number of seconds, a function of the job, or { mean, seed } with a mean above 0",
    );
  const seconds = (state: ServerState<T>, job: T): number => {
    if (typeof service === "number") return service;
    return typeof service === "function"
      ? needSeconds("a 'service'", service(job))
      : exponential(state.random!, service.mean);
  };
  return atomic({
    name: "server",
    inputs: { in: port<T>() },
    outputs: { out: port<T>(), done: port<true>() },
    initial: (): ServerState<T> => ({
      jobs: [],
      random: typeof service === "object" ? seeded(service.seed) : null,
    }),
    timeAdvance: ({ jobs }, now) =>
      jobs.length > 0 ? until(jobs[0].at, now) : Number.POSITIVE_INFINITY,
    output: ({ jobs }, send) => {
      send("out", jobs[0].job);
      send("done", true);
    },
    internal: (state) => {
      state.jobs.shift();
    },
    external: (state, input) => {
      for (const job of input.values("in")) {
        if (state.jobs.length === places)
          throw new Error(
            `a job arrived while ${places === 1 ? "the place is" : `all ${places} places are`} taken; put a queue before the server, and connect 'done' to it`,
          );
        state.jobs.push({ at: input.time + seconds(state, job), job });
        state.jobs.sort((x, y) => x.at - y.at);
      }
    },
    ...(typeof service === "number" && { minimumDelay: service }),
  });
}

export type DelayPorts<T> = { in: EventPort<T> };
export type DelayOutputs<T> = { out: EventPort<T> };

/**
 * Passes everything on, later: what arrives at t leaves at t + seconds, however much is under way.
 */
export function delay<T = unknown>(seconds: number): Atomic<DelayPorts<T>, DelayOutputs<T>> {
  needSeconds("a delay", seconds);
  return atomic({
    name: "delay",
    inputs: { in: port<T>() },
    outputs: { out: port<T>() },
    initial: (): { at: number; values: T[] }[] => [],
    timeAdvance: ([first], now) =>
      first === undefined ? Number.POSITIVE_INFINITY : until(first.at, now),
    output: ([first], send) => {
      for (const value of first!.values) send("out", value);
    },
    internal: (state) => {
      state.shift();
    },
    external: (state, input) => {
      state.push({ at: input.time + seconds, values: input.values("in") });
    },
    minimumDelay: seconds,
  });
}

export interface SinkSpec {
  /** How many of the last arrivals are kept, with their times; default: none. */
  readonly keep?: number;
  readonly border?: BorderSpec;
}

export interface SinkState<T> {
  count: number;
  kept: { time: number; value: T }[];
  isNew: boolean;
}

/** Takes everything, counts, and keeps the last ones. */
export function sink<T = unknown>({
  keep = 0,
  border,
}: SinkSpec = {}): Atomic<{ in: EventPort<T> }, { count: EventPort<number> }> {
  needCount("what a sink is to 'keep'", keep, 0);
  return atomic({
    name: "sink",
    inputs: { in: port<T>() },
    outputs: { count: port<number>(border ?? { type: "int32", held: true }) },
    initial: (): SinkState<T> => ({ count: 0, kept: [], isNew: false }),
    timeAdvance: ({ isNew }) => (isNew ? 0 : Number.POSITIVE_INFINITY),
    output: ({ count }, send) => send("count", count),
    internal: (state) => {
      state.isNew = false;
    },
    external: (state, input) => {
      for (const value of input.values("in")) {
        state.count++;
        if (keep > 0) state.kept.push({ time: input.time, value });
      }
      if (state.kept.length > keep) state.kept.splice(0, state.kept.length - keep);
      state.isNew = true;
    },
    minimumDelay: 0,
  });
}
