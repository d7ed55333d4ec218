/**
 * Random networks: flat equals hierarchical, saving changes nothing, cascades that never end are
 * reported.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { UnitError } from "../base/outcome.ts";
import { DataReader, DataWriter } from "./data.ts";
import { flatten } from "./flatten.ts";
import { Kernel, type KernelState } from "./kernel.ts";
import { atomic, type Component, coupled, port } from "./model.ts";
import { type DevsEvent, type DevsInput, runDevs } from "./run-devs.ts";
import { closed, statesInside } from "./testing/closure.ts";
import { modelOf, networks } from "./testing/random-network.ts";
import { toTicks } from "./ticks.ts";
import { zeroDelayCycles } from "./zero-delay.ts";

const STOP = 6;
const INPUTS: readonly DevsInput[] = [0, 1, 1, 2.5].map((time, k) => ({
  time,
  port: k % 2 === 0 ? "a" : "b",
  value: { value: 77 + k, hops: 3 },
}));

/** Bags have no order: events of one instant and port are compared as sets. */
function ordered(events: readonly DevsEvent[]): string[] {
  return events
    .map(({ time, index, port: name, value }) =>
      [time, index, name, JSON.stringify(value)].join(" "),
    )
    .map((text, i) => ({ text, key: [events[i]!.time, events[i]!.index] as const }))
    .sort((x, y) => x.key[0] - y.key[0] || x.key[1] - y.key[1] || (x.text < y.text ? -1 : 1))
    .map(({ text }) => text);
}

const semantics = ["parallel", "classic"] as const;

describe.each(semantics)("random networks with %s semantics", (kind) => {
  it("[DE10] a flattened model does what closure under coupling says", () => {
    let events = 0;
    let units = 0;
    fc.assert(
      fc.property(networks(100), (plan) => {
        const model = modelOf(plan, kind);
        // Classic semantics leave open who comes first, the outside or the inside: inputs lie
        // between events there.
        const inputs =
          kind === "parallel"
            ? INPUTS
            : INPUTS.map((one, k) => ({ ...one, time: one.time + 1 / 16 + k / 64 }));
        const flat = runDevs(model, { stop: STOP, inputs });
        const hierarchical = runDevs(closed(model), { stop: STOP, inputs });
        expect(ordered(flat.events)).toEqual(ordered(hierarchical.events));
        const inside = statesInside(model, hierarchical.states.get(model.name));
        for (const [path, state] of flat.states) expect(inside.get(path), path).toEqual(state);
        events += flat.events.length;
        units = Math.max(units, flat.states.size);
      }),
      { numRuns: 60, seed: 4711 },
    );
    // The test must have seen something.
    expect(events).toBeGreaterThan(300);
    expect(units).toBeGreaterThan(40);
  });

  it("[DE27] saving and restoring at any instant changes nothing, through bytes and into another kernel too", () => {
    fc.assert(
      fc.property(networks(40), fc.nat(60), fc.boolean(), (plan, steps, inside) => {
        const flat = unwrap(flatten(modelOf(plan, kind)));
        const stop = toTicks(STOP, 1e9);
        const logOf = (kernel: Kernel, log: unknown[]): unknown[] => {
          while (kernel.nextTime <= stop) {
            if (!kernel.isCollected) kernel.collect();
            log.push([
              kernel.time,
              kernel.index,
              kernel.outbox.values.slice(0, kernel.outbox.count),
            ]);
            kernel.transition(kernel.time);
          }
          return [log, kernel.states, kernel.time];
        };
        const first = new Kernel(flat);
        first.initialize(0);
        for (let k = 0; k < steps && first.nextTime <= stop; k++) first.step();
        if (inside && first.nextTime <= stop) first.collect();
        const writer = new DataWriter();
        writer.value(first.save());
        const saved = first.save();
        const expected = logOf(first, []);
        const again = structuredClone(expected);
        first.restore(saved);
        expect(logOf(first, [])).toEqual(again);
        const other = new Kernel(flat);
        other.initialize(0);
        other.restore(new DataReader(writer.done()).value() as KernelState);
        expect(logOf(other, [])).toEqual(again);
      }),
      { numRuns: 60, seed: 815 },
    );
  });
});

/** A ring of units that answer at once, inside `depth` levels; values never die. */
function endlessRing(size: number, depth: number, kind: "parallel" | "classic"): Component {
  const relay = (isFirst: boolean) =>
    atomic({
      name: "relay",
      inputs: { in: port<number>() },
      outputs: { out: port<number>() },
      initial: isFirst ? 1 : 0,
      timeAdvance: (n) => (n === 0 ? Number.POSITIVE_INFINITY : n === 1 && isFirst ? 2 : 0),
      output: (n, send) => send("out", n + 1),
      internal: () => 0,
      external: (_, input) => input.get("in")!,
      minimumDelay: 0,
    });
  const wrap = (model: Component, levels: number): Component =>
    levels === 0
      ? model
      : wrap(
          coupled({
            inputs: { in: port<number>() },
            outputs: { out: port<number>() },
            components: { inner: model },
            couplings: ["in -> inner.in", "inner.out -> out"],
          }),
          levels - 1,
        );
  const names = Array.from({ length: size }, (_, i) => `r${i}`);
  return coupled({
    name: "ring",
    semantics: kind,
    components: Object.fromEntries(names.map((name, i) => [name, wrap(relay(i === 0), depth)])),
    couplings: names.map((name, i) => `${name}.out -> ${names[(i + 1) % size]}.in`),
  });
}

describe("models in which time stands still", () => {
  it.each(semantics)("[DE24] end with the cycle of units, whatever its length (%s)", (kind) => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 100 }), fc.nat(2), (size, depth) => {
        const inner = ".inner".repeat(depth);
        try {
          runDevs(endlessRing(size, depth, kind), { stop: 10, maxTransitions: 20 });
        } catch (error) {
          expect(error).toBeInstanceOf(UnitError);
          const { failure } = error as UnitError;
          expect(failure.time).toBe(2);
          expect(failure.problem).toMatch(/more than 20 transitions at one time/);
          for (let i = 0; i < size; i++) expect(failure.problem).toContain(`'r${i}${inner}'`);
          return;
        }
        throw new Error("it did not end with a failure");
      }),
      { numRuns: 25, seed: 99 },
    );
  });

  it("[DE24] names a unit that goes on by itself", () => {
    const restless = atomic({
      name: "restless",
      initial: 0,
      timeAdvance: () => 0,
      internal: (n) => n + 1,
    });
    expect(() => runDevs(restless, { stop: 1 })).toThrow(
      /more than 1000 transitions[\s\S]*'restless'[\s\S]*fix:/,
    );
  });

  it("[DE24] ends a model whose events come ever faster (Zeno): delays below half a tick are zero", () => {
    const zeno = atomic({
      name: "zeno",
      initial: 1,
      timeAdvance: (delay) => delay,
      internal: (delay) => delay / 2,
    });
    try {
      runDevs(zeno, { stop: 3 });
      throw new Error("it came to an end");
    } catch (error) {
      expect(error).toBeInstanceOf(UnitError);
      const { time, problem } = (error as UnitError).failure;
      expect(time).toBeCloseTo(2, 8);
      expect(problem).toContain("the time advance of 'zeno' is 0 again and again");
    }
  });

  it("[DE24] a cascade below the limit is not a failure", () => {
    const cascade = atomic({
      name: "cascade",
      initial: 0,
      timeAdvance: (n) => (n % 500 === 499 ? 1 : 0),
      internal: (n) => n + 1,
    });
    expect(runDevs(cascade, { stop: 3 }).transitions).toBe(4 * 500 - 1);
  });

  it("[DE25] are announced before the run where minimum delays are declared", () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 60 }), fc.nat(2), (size, depth) => {
        const { diagnostics } = flatten(endlessRing(size, depth, "parallel"));
        expect(diagnostics.map(({ code, severity }) => [code, severity])).toEqual([
          ["devs-zero-delay-cycle", "warning"],
        ]);
        expect(diagnostics[0]!.message).toContain(`'r${size - 1}${".inner".repeat(depth)}'`);
      }),
      { numRuns: 20, seed: 7 },
    );
  });

  it("[DE25] cycles are found exactly where the min-plus closure has a zero on its diagonal", () => {
    let both = 0;
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(0, 0, 0.5, undefined), { minLength: 2, maxLength: 7 }),
        fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 10 }),
        (delays, edges) => {
          const count = delays.length;
          const pairs = edges
            .map(([a, b]) => [a % count, b % count] as const)
            .filter(([a, b]) => a !== b);
          const model = coupled({
            components: Object.fromEntries(
              delays.map((minimumDelay, i) => [
                `u${i}`,
                atomic({
                  inputs: { in: port<number>() },
                  outputs: { out: port<number>() },
                  initial: 0,
                  timeAdvance: () => Number.POSITIVE_INFINITY,
                  ...(minimumDelay !== undefined && { minimumDelay }),
                }),
              ]),
            ),
            couplings: pairs.map(([a, b]) => `u${a}.out -> u${b}.in`),
          });
          const distance = Array.from({ length: count }, () =>
            new Array<number>(count).fill(Number.POSITIVE_INFINITY),
          );
          // A delay that is not declared is not known to be zero.
          for (const [a, b] of pairs) distance[a]![b] = delays[b] ?? 1;
          for (let k = 0; k < count; k++)
            for (let i = 0; i < count; i++)
              for (let j = 0; j < count; j++)
                distance[i]![j] = Math.min(distance[i]![j]!, distance[i]![k]! + distance[k]![j]!);
          const found = zeroDelayCycles(flatten(model).value!);
          const isOnCycle = distance.map((row, i) => row[i] === 0);
          for (const cycle of found) for (const u of cycle) expect(isOnCycle[u]).toBe(true);
          expect(found.length > 0).toBe(isOnCycle.includes(true));
          if (found.length > 0) both++;
        },
      ),
      { numRuns: 300, seed: 3 },
    );
    expect(both).toBeGreaterThan(10);
  });
});
