/** Events between units at random times, with random steps: each arrives once, at its instant. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { atomic, coupled, devsUnit, listSource, port } from "../src/devs.ts";
import { defineScenario } from "../src/run/define-scenario.ts";
import { simulateScenario } from "../src/run/simulate-scenario.ts";
import { linearUnit } from "../src/unit/linear-unit.ts";

/**
 * Passes numbers on at once, one more each: three of them in a row take three rounds at every
 * instant.
 */
const relay = atomic({
  name: "relay",
  inputs: { u: port<number>({ type: "int32" }) },
  outputs: { y: port<number>({ type: "int32" }) },
  initial: (): number[] => [],
  timeAdvance: (waiting) => (waiting.length > 0 ? 0 : Number.POSITIVE_INFINITY),
  output: (waiting, send) => {
    for (const value of waiting) send("y", value + 1);
  },
  internal: () => [],
  external: (waiting, input) => [...waiting, ...input.values("u")],
});

/** Writes everything that arrives into one text. */
const printer = atomic({
  inputs: { u: port<number>() },
  outputs: { total: port<string>() },
  initial: { text: "", isNew: false },
  timeAdvance: ({ isNew }) => (isNew ? 0 : Number.POSITIVE_INFINITY),
  output: ({ text }, send) => send("total", text),
  internal: ({ text }) => ({ text, isNew: false }),
  external: ({ text }, input) => ({
    text:
      text +
      input
        .values("u")
        .map((value) => `,[${input.time},${value}]`)
        .join(""),
    isNew: true,
  }),
});

describe("events between units", () => {
  it("[DE37] arrive once each, at their instants, for random times and steps and masters", async () => {
    let several = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.integer({ min: 0, max: 40 }).map((k) => 10 * k),
          {
            minLength: 1,
            maxLength: 25,
            size: "max",
          },
        ),
        fc.constantFrom(0.01, 0.03, 0.1, 0.7, 5),
        fc.constantFrom("jacobi", "gauss-seidel", "iterative", "event-driven"),
        fc.constantFrom(4, 5),
        async (hundredths, step, master, stop) => {
          const events = [...hundredths]
            .sort((a, b) => a - b)
            .map((at, k) => ({ time: at / 100, value: 10 * k }));
          const collector = coupled({
            name: "collector",
            inputs: { u: port<number>({ type: "int32" }) },
            outputs: { total: port<string>({ type: "string", held: true }) },
            components: { print: printer },
            couplings: ["u -> print.u", "print.total -> total"],
          });
          const units = {
            source: devsUnit(listSource({ events, border: { type: "int32" } })),
            first: devsUnit(relay, { name: "first" }),
            second: devsUnit(relay, { name: "second" }),
            collector: devsUnit(collector),
            // Something that moves beside them.
            clock: linearUnit({ name: "clock", states: { x: { start: 1 } }, a: [[-1]] }),
          };
          const wire = (from: string, to: string): string[] => [
            `${from}.event -> ${to}.event`,
            `${from} -> ${to}`,
          ];
          const { outcome, trace } = await simulateScenario(
            defineScenario({
              units,
              connections: [
                ...wire("source.out", "first.u"),
                ...wire("first.y", "second.u"),
                ...wire("second.y", "collector.u"),
              ],
              experiment: { stop, step },
              master,
              record: ["collector.total"],
            }),
          );
          expect(outcome.kind).toBe("completed");
          const total = String(trace.columns[0]!.data.at(-1));
          expect(JSON.parse(`[${total.slice(1)}]`)).toEqual(
            events.map(({ time, value }) => [time, value + 2]),
          );
          if (new Set(hundredths).size < hundredths.length) several++;
        },
      ),
      { numRuns: 60, seed: 12 },
    );
    // Several events at one instant must have been among them.
    expect(several).toBeGreaterThan(10);
  });
});
