/**
 * A scenario as a unit: feed-through against a naive search, in random scenarios; ports, start
 * values and capabilities one by one.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { describedUnit } from "../plan/testing/described-unit.ts";
import { pathsIn } from "../plan/testing/graph-reference.ts";
import { randomCase } from "../plan/testing/random-scenario.ts";
import { scenarioOf } from "../plan/testing/scenario-of.ts";
import { SourceLedger } from "./resolve-scenario-connections.ts";
import { describeScenario } from "./resolve-scenario-nested.ts";
import type { ExposedPort, Scenario } from "./scenario.ts";
import type { Capabilities, UnitDescription } from "./unit-description.ts";

const place = { file: "test" };
const mealy = describedUnit("u -> y", { through: "y" });
const moore = describedUnit("u -> y", { through: "" });

const exposing = (scenario: Scenario, ...ports: readonly [string, number, number][]): Scenario => ({
  ...scenario,
  ports: ports.map(([name, unit, port]) => ({ name, inner: { unit, port } })),
});

describe("the feed-through of a scenario", () => {
  it("[SC41] leads from every exposed input from which a path leads to the output", () => {
    let reached = 0;
    fc.assert(
      fc.property(randomCase(5), ({ scenario }) => {
        // All ports of all units are exposed, and all are nodes of one graph.
        const ports = scenario.units.flatMap(({ description }, unit) =>
          description.ports.map(
            ({ index }): ExposedPort => ({
              name: `${unit}.${index}`,
              inner: { unit, port: index },
            }),
          ),
        );
        const numberOf = (unit: number, port: number): number =>
          ports.findIndex(({ inner }) => inner.unit === unit && inner.port === port);
        const portOf = ({ inner: { unit, port } }: ExposedPort) =>
          scenario.units[unit].description.ports[port];
        const edges = ports.map((exposed, v) => {
          const { unit, port } = exposed.inner;
          if (portOf(exposed).direction === "output")
            return scenario.connections.flatMap(({ from, to }) =>
              numberOf(from.unit, from.port) === v ? [numberOf(to.unit, to.port)] : [],
            );
          return ports.flatMap((other, w) => {
            const { direction, feedThrough } = portOf(other);
            const depends = feedThrough === undefined || feedThrough.includes(port);
            return other.inner.unit === unit && direction === "output" && depends ? [w] : [];
          });
        });
        const path = pathsIn(edges);
        const { ports: outer } = describeScenario({ ...scenario, ports });
        outer.forEach(({ direction, feedThrough }, w) => {
          if (direction !== "output") expect(feedThrough).toBeUndefined();
          else {
            const expected = outer.flatMap((one, v) =>
              one.direction === "input" && path[v][w] ? [v] : [],
            );
            expect(feedThrough).toEqual(expected);
            reached += expected.length;
          }
        });
      }),
      { seed: 32, numRuns: cases(200) },
    );
    expect(reached).toBeGreaterThan(0);
  });

  it("[SC41] ends at units without feed-through, and goes through those that disclose nothing", () => {
    const chain = (middle: UnitDescription): readonly number[] | undefined =>
      describeScenario(
        exposing(
          scenarioOf({ a: mealy, b: middle, c: mealy }, "a.y -> b.u; b.y -> c.u"),
          ["in", 0, 0],
          ["out", 2, 1],
        ),
      ).ports[1].feedThrough;
    expect(chain(mealy)).toEqual([0]);
    expect(chain(moore)).toEqual([]);
    expect(chain(describedUnit("u -> y"))).toEqual([0]);
  });

  it("[SC41] ends also where connections form a loop", () => {
    const two = describedUnit("u, v -> y", { through: "y" });
    const ring = exposing(
      scenarioOf({ a: two, b: mealy }, "a.y -> b.u; b.y -> a.u"),
      ["in", 0, 1],
      ["out", 1, 1],
    );
    expect(describeScenario(ring).ports[1].feedThrough).toEqual([0]);
  });

  it("[SC56] leads through a constraint, from what it holds to what drives it, rates included", () => {
    const at = (unit: number, port: number) => ({ unit, port, element: 0 });
    const three = { a: mealy, b: mealy, c: mealy, d: mealy };
    const through = (rate?: object): readonly number[] | undefined => {
      const constraint = {
        left: at(0, 1),
        right: at(1, 1),
        factor: 1,
        offset: 0,
        by: [{ ...at(2, 0), factor: 1 }],
        text: "",
        place,
        ...(rate && { rate: { left: at(3, 1), right: at(3, 1), factor: 1 } }),
      };
      const scenario = { ...scenarioOf(three, ""), constraints: [constraint] };
      return describeScenario(
        exposing(scenario, ["a", 0, 0], ["b", 1, 0], ["d", 3, 0], ["y", 2, 1]),
      ).ports[3].feedThrough;
    };
    expect(through()).toEqual([0, 1]);
    expect(through({})).toEqual([0, 1, 2]);
  });
});

describe("the ports of a scenario", () => {
  it("[SC42] are the exposed names, each once, in their order", () => {
    const scenario = exposing(
      scenarioOf({ a: moore, b: moore }, ""),
      ["u", 0, 0],
      ["y", 0, 1],
      ["u", 1, 0],
    );
    const { ports, name } = describeScenario(scenario);
    expect(name).toBe("test");
    expect(ports.map((port) => [port.index, port.name, port.direction])).toEqual([
      [0, "u", "input"],
      [1, "y", "output"],
    ]);
  });

  it("[SC41] an input behind a shared name reaches an output of any of its units", () => {
    const scenario = exposing(
      scenarioOf({ a: moore, b: mealy }, ""),
      ["u", 0, 0],
      ["u", 1, 0],
      ["y", 1, 1],
    );
    expect(describeScenario(scenario).ports[1].feedThrough).toEqual([0]);
  });

  it("[SC40] start with the values that the scenario gives, not those of the unit", () => {
    const unit = { ...moore, ports: moore.ports.map((port) => ({ ...port, start: [1] })) };
    const scenario = exposing(scenarioOf({ a: unit, b: unit }, ""), ["p", 0, 0], ["q", 1, 0]);
    const units = scenario.units.map((one, u) =>
      u === 0 ? { ...one, values: [{ port: 0, values: [7], place }] } : one,
    );
    expect(describeScenario({ ...scenario, units }).ports.map(({ start }) => start)).toEqual([
      [7],
      [1],
    ]);
  });

  it("[SC40] are derivatives of ports that are exposed too, by their outer index", () => {
    const ports = describedUnit("-> x, v").ports.map((port) =>
      port.name === "v" ? { ...port, derivativeOf: 0 } : port,
    );
    const scenario = scenarioOf({ other: moore, a: { ...moore, ports } }, "");
    const both = describeScenario(exposing(scenario, ["y", 0, 1], ["v", 1, 1], ["x", 1, 0]));
    expect(both.ports.map(({ derivativeOf }) => derivativeOf)).toEqual([undefined, 2, undefined]);
    const alone = describeScenario(exposing(scenario, ["v", 1, 1], ["y", 0, 1]));
    expect(alone.ports[0].derivativeOf).toBeUndefined();
  });
});

describe("the capabilities of a scenario", () => {
  const capable = (
    a: Partial<Capabilities>,
    b: Partial<Capabilities>,
    master = "jacobi",
    step?: number,
  ): Capabilities => {
    const unit = (capabilities: Partial<Capabilities>) => describedUnit("u -> y", { capabilities });
    const options = { master, ...(step === undefined ? {} : { step }) };
    return describeScenario(scenarioOf({ a: unit(a), b: unit(b) }, "", options)).capabilities;
  };
  const YES = { rollback: true, serialize: true, variableStep: true };
  const ONCE = { oncePerProcess: true, needsExecutionTool: true };

  it("[SC40] are those that all of its units have", () => {
    expect(capable(YES, YES)).toMatchObject({ rollback: true, serialize: true });
    expect(capable(YES, {})).toMatchObject({ rollback: false, serialize: false });
  });

  it("[SC40] its limits are those that any of its units has", () => {
    expect(capable({}, ONCE)).toMatchObject(ONCE);
    expect(capable({}, {})).toMatchObject({ oncePerProcess: false, needsExecutionTool: false });
  });

  it("[SC40] it takes steps of any size where its master and all units do", () => {
    expect(capable(YES, YES).variableStep).toBe(false);
    expect(capable(YES, YES, "iterative").variableStep).toBe(true);
    expect(capable(YES, {}, "iterative").variableStep).toBe(false);
    expect(capable(YES, YES, "").variableStep).toBe(false);
  });

  it("[SC40] it has no part in derivatives and events of what is around it", () => {
    const all = { ...YES, eventMode: true, inputDerivativeOrder: 2, outputDerivativeOrder: 1 };
    expect(capable(all, all, "iterative")).toMatchObject({
      eventMode: false,
      inputDerivativeOrder: 0,
      outputDerivativeOrder: 0,
      predicates: [],
    });
  });

  it("[SC40] it prefers its own step, where it has one", () => {
    expect(capable({}, {}, "jacobi", 0.25).preferredStep).toBe(0.25);
    expect(capable({}, {})).not.toHaveProperty("preferredStep");
  });
});

describe("sources of inputs", () => {
  it("[SC26] are found to overlap as sets of elements do", () => {
    const range = fc.record({
      port: fc.nat({ max: 1 }),
      start: fc.nat({ max: 8 }),
      count: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(range, { maxLength: 12 }), (ranges) => {
        const ledger = new SourceLedger();
        const owner = new Map<string, number>();
        ranges.forEach(({ port, start, count }, line) => {
          const own = Array.from({ length: count }, (_, i) => `${port} ${start + i}`);
          const owners = own.flatMap((key) => owner.get(key) ?? []);
          const taken = ledger.take(0, port, start, count, { file: "s", line });
          if (owners.length === 0) {
            expect(taken).toBeUndefined();
            for (const key of own) owner.set(key, line);
          } else expect(taken?.line).toBe(Math.min(...owners));
        });
        for (const port of [0, 1]) {
          const fed = [...owner.keys()].filter((key) => key.startsWith(`${port} `)).length;
          expect(ledger.count(0, port)).toBe(fed);
        }
        expect(ledger.count(1, 0)).toBe(0);
      }),
      { seed: 33, numRuns: cases(300) },
    );
  });
});
