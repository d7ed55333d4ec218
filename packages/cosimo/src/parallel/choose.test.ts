/** What is chosen from what a sample has cost, with its reason. */
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { flatten } from "../devs/flatten.ts";
import { atomic, coupled, port } from "../devs/model.ts";
import { chooseParts, type Sample, sampleRun } from "./choose.ts";
import { phold } from "./testing/phold.ts";

const flat = unwrap(flatten(phold({ units: 8, events: 4, remote: 0.1 })));

/**
 * @param each seconds of an instant. @param due components that are due at every instant; default:
 * one after the other.
 */
function costing(each: number, due?: readonly number[]): Sample {
  const steps = 1000;
  const transitions = Array.from({ length: steps }, (_, k) =>
    (due ?? [k % 8]).map((unit, _i, all): [number, number, number] => [k, unit, each / all.length]),
  ).flat();
  return {
    transitions,
    seconds: each * steps,
    steps,
    simulated: 30,
    isWhole: false,
    weights: new Float64Array(8).fill((each * steps) / 8),
    sent: new Float64Array(8).fill(steps / 80),
    saving: 1e-5,
  };
}

const choose = (each: number, cores = 4, forced?: "conservative" | "optimistic") =>
  chooseParts(flat, costing(each), cores, 1e9, forced);

describe("the choice", () => {
  it("[PE11] follows what an instant costs", () => {
    expect(choose(1e-6)).toMatchObject({ kind: "sequential", parts: 1 });
    expect(choose(1e-6).reason).toContain("an instant takes 1 µs");
    const heavy = choose(1e-3);
    expect(heavy).toMatchObject({ kind: "optimistic", parts: 4 });
    expect(heavy.reason).toBe(
      "an instant takes 1000 µs, and parts would wait for each other: 2.5 times as fast is expected",
    );
    // Two cores are too few for guesses.
    expect(choose(1e-3, 2).kind).toBe("sequential");
  });

  it("[PE11] is conservative where parts are due at the same instants, or none answers another", () => {
    const all = [0, 1, 2, 3, 4, 5, 6, 7];
    const same = chooseParts(flat, costing(1e-3, all), 4, 1e9);
    expect(same).toMatchObject({ kind: "conservative", parts: 4 });
    expect(same.reason).toContain("due at the same instants: 3.4 times as fast");
    const station = atomic({
      inputs: { in: port<number>() },
      outputs: { out: port<number>() },
      initial: 0,
      timeAdvance: () => 1,
      internal: () => 0,
    });
    const names = all.map((k) => `s${k}`);
    const line = coupled({
      components: Object.fromEntries(names.map((name) => [name, station])),
      couplings: names.slice(1).map((name, k) => `${names[k]}.out -> ${name}.in`),
    });
    const piped = chooseParts(unwrap(flatten(line)), costing(1e-3), 4, 1e9);
    expect(piped).toMatchObject({ kind: "conservative", parts: 4 });
    expect(piped.reason).toContain("no part answers another");
  });

  it("[PE11] is one kernel where there is one core, one component or classic semantics", () => {
    expect(choose(1e-3, 1).reason).toBe("the machine has one core");
    const one = atomic({ initial: 0, timeAdvance: () => 1, internal: () => 0 });
    const two = { a: one, b: one };
    const classic = unwrap(
      flatten(coupled({ components: two, couplings: [], semantics: "classic" })),
    );
    expect(chooseParts(classic, costing(1), 4, 1e9).reason).toContain("classic semantics");
    expect(chooseParts(unwrap(flatten(one)), costing(1), 4, 1e9).reason).toBe(
      "it has one component",
    );
  });

  it("[PE11] is what was asked for, where that can be had", () => {
    expect(choose(1e-6, 1, "optimistic")).toMatchObject({ kind: "optimistic", parts: 2 });
    const unknown = unwrap(flatten(phold({ units: 8, events: 4, remote: 0.1, lookahead: 0 })));
    expect(chooseParts(unknown, costing(1), 4, 1e9, "conservative").reason).toContain(
      "cycles without a declared delay",
    );
  });

  it("[PE11] samples the beginning of the run: weights by component, values, states", () => {
    let time = 0;
    const now = (): number => {
      time += 1e-3;
      return time;
    };
    const sample = sampleRun(flat, { start: 0, stop: 100, ticksPerSecond: 1e9, budget: 0.5, now });
    expect(sample.steps).toBeGreaterThan(20);
    expect(sample.seconds).toBeCloseTo(
      sample.weights.reduce((sum, one) => sum + one, 0),
      9,
    );
    expect(sample.simulated).toBeGreaterThan(0.1);
    expect(sample.saving).toBeCloseTo(1e-3, 9);
    expect(sample.isWhole).toBe(false);
    const whole = sampleRun(flat, { start: 0, stop: 1, ticksPerSecond: 1e9, budget: 9, now });
    expect(chooseParts(flat, whole, 4, 1e9).reason).toContain("the whole run takes");
    expect(sample.sent.some((one) => one > 0)).toBe(true);
  });
});
