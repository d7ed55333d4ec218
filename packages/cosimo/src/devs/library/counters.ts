/**
 * Events that are counted, as events: units without clocks (FMI 2, adaptations) show how many
 * events they had, units with clocks tick. These two translate, and no event gets lost on the way:
 * a counter that grew by three is three ticks.
 */
import { type Atomic, atomic, type EventPort, port, signal } from "../model.ts";

/**
 * A counter at `count` → a signal at `tick` for every event that it counts; several of one instant
 * follow each other.
 */
export function ticks(): Atomic<{ count: EventPort<number> }, { tick: EventPort<true> }> {
  return atomic({
    name: "ticks",
    description: "A signal for every event of a counter.",
    inputs: { count: port<number>({ type: "int32", held: true }) },
    outputs: { tick: signal() },
    initial: { seen: 0, due: 0 },
    timeAdvance: ({ due }) => (due > 0 ? 0 : Number.POSITIVE_INFINITY),
    output: ({ due }, send) => {
      for (let k = 0; k < due; k++) send("tick", true);
    },
    internal: ({ seen }) => ({ seen, due: 0 }),
    external: ({ seen, due }, input) => {
      const now = input.values("count").at(-1) ?? seen;
      // One that restarts has had at least the events that it shows.
      return { seen: now, due: due + (now >= seen ? now - seen : now) };
    },
    minimumDelay: 0,
  });
}

/** A signal at `tick` → how many there were, at `count`. */
export function counts(): Atomic<{ tick: EventPort<true> }, { count: EventPort<number> }> {
  return atomic({
    name: "counts",
    description: "How many events a signal had.",
    inputs: { tick: signal() },
    outputs: { count: port<number>({ type: "int32", held: true }) },
    initial: { count: 0, isNew: false },
    timeAdvance: ({ isNew }) => (isNew ? 0 : Number.POSITIVE_INFINITY),
    output: ({ count }, send) => send("count", count),
    internal: ({ count }) => ({ count, isNew: false }),
    external: ({ count }, input) => ({ count: count + input.values("tick").length, isNew: true }),
    minimumDelay: 0,
  });
}
