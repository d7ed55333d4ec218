/**
 * What authors of discrete-event models do wrong that shows only while a model runs: the problem,
 * and what to do. Negative or endless times, absent values, ports that are not there. The kernel
 * adds the unit, the call and the time.
 */
import { toSeconds } from "./ticks.ts";

export interface Mistake {
  readonly problem: string;
  readonly fix: string;
}

export function unknownOutput(port: string, outputs: readonly string[]): Mistake {
  return {
    problem: `it sends from port '${port}', which it does not declare`,
    fix:
      outputs.length > 0
        ? `its outputs are ${outputs.join(", ")}`
        : `declare it: outputs: { ${port}: port() }`,
  };
}

export function sentInTransition(port: string): Mistake {
  return {
    problem: `it sends from port '${port}' in a transition`,
    fix: "send in 'output' only, which is called right before an internal transition",
  };
}

export function absentSent(port: string): Mistake {
  return {
    problem: `it sends the absent value (undefined) from port '${port}'`,
    fix: "do not call 'send' where there is nothing to send",
  };
}

export const NO_INTERNAL: Mistake = {
  problem: "an internal transition is due, and it has none",
  fix: "write 'internal', or return Infinity from 'timeAdvance'",
};

export function badTimeAdvance(delay: unknown): Mistake {
  const isText = typeof delay === "string";
  return {
    problem: `timeAdvance returned ${isText ? JSON.stringify(delay) : isPromise(delay) ? "a promise" : String(delay)}`,
    fix: isText
      ? "return a number: a text is none"
      : "a time advance is 0 or more seconds; Infinity means that nothing happens without input",
  };
}

export function isPromise(value: unknown): boolean {
  return value instanceof Promise;
}

export function asynchronous(call: string): Mistake {
  return {
    problem: `${call} returned a promise`,
    fix: "write it without 'async': what a model waits for takes simulated time, not time of the computer",
  };
}

export function beyondTicks(delay: number, lastTick: number, ticksPerSecond: number): Mistake {
  return {
    problem: `the next event, ${delay} s later, lies beyond the last tick (${toSeconds(lastTick, ticksPerSecond)} s)`,
    fix: "take fewer ticks per second ('ticksPerSecond'), or Infinity for an event that never comes",
  };
}

export function elapsedTooLong(elapsed: number): Mistake {
  return {
    problem: `${elapsed} s have elapsed at the start, more than the time advance of the initial state`,
    fix: "start with less elapsed, or in the next state",
  };
}

export function notImminent(chosen: string, offered: readonly string[]): Mistake {
  return {
    problem: `select chose '${chosen}', which is not imminent; imminent are ${offered.join(", ")}`,
    fix: "return one of the names that it is given",
  };
}
