/**
 * The order of simultaneous events in scenarios: inside discrete-event units, and between units
 * that are coordinated.
 */
import { describe, expect, it } from "vitest";
import { devsUnit } from "../devs/devs-unit.ts";
import { atomic, coupled, port } from "../devs/model.ts";
import type { Banks } from "../model/value-type.ts";
import { DelegatingUnit } from "../unit/delegating-unit.ts";
import type { Access, Unit } from "../unit/unit.ts";
import { defineScenario, type ScenarioModel } from "./define-scenario.ts";
import { scenarioConfluence } from "./scenario-confluence.ts";
import { simulateScenario } from "./simulate-scenario.ts";

const held = { type: "float64", unit: "1", held: true } as const;

/** Sends `value` after `seconds`, once. */
const once = (seconds: number, value: number) =>
  atomic({
    outputs: { out: port<number>(held) },
    initial: seconds,
    timeAdvance: (left) => left,
    output: (_, send) => send("out", value),
    internal: () => Number.POSITIVE_INFINITY,
  });

/** Passes on what arrived last, at once. */
const latest = (inputs: readonly string[]) =>
  atomic({
    inputs: Object.fromEntries(inputs.map((name) => [name, port<number>(held)])),
    outputs: { out: port<number>(held) },
    initial: { value: 0, left: Number.POSITIVE_INFINITY },
    timeAdvance: ({ left }) => left,
    output: ({ value }, send) => send("out", value),
    internal: ({ value }) => ({ value, left: Number.POSITIVE_INFINITY }),
    external: (_, input) => ({
      value: inputs.flatMap((name) => input.values(name)).at(-1)!,
      left: 0,
    }),
  });

const first = (semantics: "classic" | "parallel") =>
  coupled({
    name: "inside",
    semantics,
    outputs: { out: port<number>(held) },
    components: { a: once(1, 10), b: once(1, 20), latest: latest(["in"]) },
    couplings: ["a.out -> latest.in", "b.out -> latest.in", "latest.out -> out"],
  });

const alone = (semantics: "classic" | "parallel", master: string): ScenarioModel => ({
  units: { inside: () => devsUnit(first(semantics), { name: "inside", eventMode: false }) },
  experiment: { stop: 2, step: 0.5 },
  master,
});

describe("the order of simultaneous events in scenarios", () => {
  it.each(["jacobi", "adaptive", "event-driven"])(
    "[SI4] inside a discrete-event unit it is permuted under every master: %s",
    async (master) => {
      const runnable = defineScenario(alone("parallel", master));
      const { verdict, difference, orders } = await scenarioConfluence(runnable);
      expect(verdict).toBe("order-matters");
      expect(orders).toBe(2);
      expect(difference?.first).toMatchObject({
        time: 1,
        what: "'inside': the order of values at 'latest.in'",
        chosen: "10",
      });
      expect(difference?.second.chosen).toBe("20");
      // 'adaptive' locates the change to within the tolerance of events.
      expect(difference?.time).toBeCloseTo(1, 8);
      expect(difference?.diff.map((line) => line.replace(/t=\S+ /, ""))).toEqual([
        "- inside.out 20",
        "+ inside.out 10",
      ]);
    },
  );

  it("[SI4] a run that is not a check takes the order of the rules, whatever was tried before", async () => {
    const runnable = defineScenario(alone("parallel", "event-driven"));
    const before = await simulateScenario(runnable);
    await scenarioConfluence(runnable);
    const after = await simulateScenario(runnable);
    expect(after.trace).toEqual(before.trace);
    expect(after.trace.columns[0].data.at(-1)).toBe(20);
  });

  it("[SI5] values of one instant between units do not depend on the order of messages", async () => {
    const units = (value: number) => () =>
      devsUnit(once(1, value), { name: `u${value}`, eventMode: false });
    const runnable = defineScenario({
      units: {
        a: units(10),
        b: units(20),
        both: () => devsUnit(latest(["x", "y"]), { name: "both", eventMode: false }),
      },
      connections: ["a.out -> both.x", "b.out -> both.y"],
      experiment: { stop: 2, step: 0.5 },
      master: "event-driven",
    });
    const report = await scenarioConfluence(runnable);
    expect(report.verdict).toBe("confluent");
    expect(report.ties).toBeGreaterThan(0);
  });

  it("[SI5] a unit that minds the order in which its inputs are set is found", async () => {
    const source = (value: number) => () =>
      devsUnit(once(1, value), { name: `u${value}`, eventMode: false });
    const runnable = defineScenario({
      units: {
        a: source(10),
        b: source(20),
        sensitive: () =>
          new LastWritten(devsUnit(latest(["x", "y"]), { name: "sensitive", eventMode: false })),
      },
      connections: ["a.out -> sensitive.x", "b.out -> sensitive.y"],
      experiment: { stop: 2, step: 0.5 },
      master: "event-driven",
    });
    const { verdict, difference } = await scenarioConfluence(runnable);
    expect(verdict).toBe("order-matters");
    expect(difference?.time).toBe(1);
    expect(difference?.diff.filter((line) => !line.startsWith(" "))).toEqual([
      "- t=1 sensitive.out 20",
      "+ t=1 sensitive.out 10",
    ]);
  });
});

/** Gives what is written first to both inputs: then the later one has nothing new. */
class LastWritten extends DelegatingUnit {
  private written = 0;

  override write(access: Access, banks: Banks): void {
    const { port: target } = access.slots[0];
    const name = this.description.ports[target].name;
    if (this.phase === "step" && (name === "x" || name === "y")) this.copy(this.unit, banks);
    else super.write(access, banks);
  }

  private copy(unit: Unit, banks: Banks): void {
    this.written = banks.f64[0];
    for (const name of ["x", "y"]) {
      const { index } = this.description.ports.find((one) => one.name === name)!;
      const access = unit.bind([{ port: index, slot: 0 }]);
      unit.write(access, { ...banks, f64: Float64Array.of(this.written) });
    }
  }
}
