/**
 * Where events part and meet: routers, switches, and a bus whose stations compete for it. Outputs
 * of routers and switches are out0, out1, …, inputs of a bus in0, in1, …
 */

import { type RandomState, seeded, uniform } from "../../numerics/random.ts";
import { type Atomic, atomic, type EventPort, type Ports, port } from "../model.ts";
import { needSeconds } from "./numbers.ts";
import { until } from "./sources.ts";

export interface RouterSpec<T> {
  readonly ways: number;
  /** By the value and its number, in turn, or at random with weights. */
  readonly route:
    | ((value: T, k: number) => number)
    | "in-turn"
    | { readonly weights: readonly number[]; readonly seed: number };
}

interface RouterState<T> {
  k: number;
  waiting: { way: number; value: T }[];
  random: RandomState | null;
}

/** Sends every value one way, at once. */
export function router<T = unknown>({
  ways,
  route,
}: RouterSpec<T>): Atomic<{ in: EventPort<T> }, Ports> {
  const choose = (state: RouterState<T>, value: T): number => {
    if (route === "in-turn") return state.k % ways;
    if (typeof route === "function") return checked(route(value, state.k), ways);
    const total = route.weights.reduce((sum, weight) => sum + weight, 0);
    let left = uniform(state.random!) * total;
    for (let way = 0; way < ways - 1; way++) {
      left -= route.weights[way];
      if (left < 0) return way;
    }
    return ways - 1;
  };
  if (typeof route === "object" && route.weights.length !== ways)
    throw new RangeError(
      `a router with ${ways} ways has ${route.weights.length} weights; give one per way`,
    );
  return atomic<RouterState<T>, { in: EventPort<T> }, Ports>({
    name: "router",
    inputs: { in: port<T>() },
    outputs: numbered("out", ways),
    initial: () => ({
      k: 0,
      waiting: [],
      random: typeof route === "object" ? seeded(route.seed) : null,
    }),
    timeAdvance: ({ waiting }) => (waiting.length > 0 ? 0 : Number.POSITIVE_INFINITY),
    output: ({ waiting }, send) => {
      for (const { way, value } of waiting) send(`out${way}`, value);
    },
    internal: (state) => {
      state.waiting = [];
    },
    external: (state, input) => {
      for (const value of input.values("in")) {
        state.waiting.push({ way: choose(state, value), value });
        state.k++;
      }
    },
    minimumDelay: 0,
  });
}

interface SwitchState<T> {
  way: number;
  waiting: { way: number; value: T }[];
}

/**
 * Sends every value the way that `select` said last. A new way and a value at one instant: the
 * value takes the new way.
 */
export function switchedRouter<T = unknown>(
  ways: number,
  start = 0,
): Atomic<{ in: EventPort<T>; select: EventPort<number> }, Ports> {
  return atomic<SwitchState<T>, { in: EventPort<T>; select: EventPort<number> }, Ports>({
    name: "switch",
    inputs: { in: port<T>(), select: port<number>() },
    outputs: numbered("out", ways),
    initial: () => ({ way: checked(start, ways), waiting: [] }),
    timeAdvance: ({ waiting }) => (waiting.length > 0 ? 0 : Number.POSITIVE_INFINITY),
    output: ({ waiting }, send) => {
      for (const { way, value } of waiting) send(`out${way}`, value);
    },
    internal: (state) => {
      state.waiting = [];
    },
    external: (state, input) => {
      const way = input.get("select");
      if (way !== undefined) state.way = checked(way, ways);
      for (const value of input.values("in")) state.waiting.push({ way: state.way, value });
    },
    minimumDelay: 0,
  });
}

export interface BusSpec<T> {
  readonly stations: number;
  /** Seconds on the bus. */
  readonly transmission: (frame: T) => number;
  /**
   * Of frames that wait when the bus becomes free, the lowest goes first, as identifiers on CAN;
   * default: the lowest station.
   */
  readonly priority?: (frame: T, station: number) => number;
}

export interface BusFrame<T> {
  readonly station: number;
  readonly frame: T;
}

interface BusState<T> {
  /** By station, oldest first. */
  waiting: T[][];
  station: number;
  end: number;
}

/**
 * One frame at a time, no frame is interrupted, and every station sends its own frames in order.
 * What arrives at one instant competes together: arbitration is a transition of its own, at the
 * index after the arrivals.
 */
export function bus<T = unknown>(spec: BusSpec<T>): Atomic<Ports, { out: EventPort<BusFrame<T>> }> {
  const { stations, transmission, priority } = spec;
  const winner = ({ waiting }: BusState<T>): number => {
    let best = -1;
    let lowest = Number.POSITIVE_INFINITY;
    for (let s = 0; s < stations; s++) {
      if (waiting[s].length === 0) continue;
      const rank = priority === undefined ? s : priority(waiting[s][0], s);
      if (best >= 0 && rank >= lowest) continue;
      best = s;
      lowest = rank;
    }
    return best;
  };
  return atomic<BusState<T>, Ports, { out: EventPort<BusFrame<T>> }>({
    name: "bus",
    inputs: numbered("in", stations),
    outputs: { out: port<BusFrame<T>>() },
    initial: () => ({ waiting: Array.from({ length: stations }, () => []), station: -1, end: 0 }),
    timeAdvance: (state, now) => {
      if (state.station >= 0) return until(state.end, now);
      return state.waiting.some((frames) => frames.length > 0) ? 0 : Number.POSITIVE_INFINITY;
    },
    output: ({ station, waiting }, send) => {
      if (station >= 0) send("out", { station, frame: waiting[station][0] });
    },
    internal: (state, now) => {
      if (state.station >= 0) {
        state.waiting[state.station].shift();
        state.station = -1;
      } else {
        state.station = winner(state);
        const frame = state.waiting[state.station][0];
        state.end = now.time + needSeconds("the 'transmission' of a frame", transmission(frame));
      }
    },
    external: (state, input) => {
      for (let s = 0; s < stations; s++)
        for (const frame of input.values(`in${s}`)) state.waiting[s].push(frame as T);
    },
  });
}

function numbered(name: string, count: number): Ports {
  if (!(Number.isInteger(count) && count > 0))
    throw new RangeError(
      `a number of ${name === "out" ? "ways" : "stations"} is 1 or more, not ${count}`,
    );
  return Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`${name}${i}`, port<unknown>()]),
  );
}

function checked(way: number, ways: number): number {
  if (Number.isInteger(way) && way >= 0 && way < ways) return way;
  throw new RangeError(`way ${way} does not exist; there are 0 to ${ways - 1}`);
}
