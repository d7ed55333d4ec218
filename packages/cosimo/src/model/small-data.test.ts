/**
 * The small tables and functions of plain data: kinds of units, sources, banks, machines, automata,
 * formulas.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { describedUnit } from "../plan/testing/described-unit.ts";
import { scenarioOf } from "../plan/testing/scenario-of.ts";
import { BACKENDS } from "./backends.ts";
import { freeAutomaton } from "./decision-automaton.ts";
import { checkSequence, FORBIDDEN, freestNode, guardTable } from "./decision-guard.ts";
import { type Expression, termsOf } from "./expression.ts";
import { type StateDefinition, stateNamed, statesOf } from "./machine.ts";
import { portAt, portName, scenarioPorts } from "./scenario-ports.ts";
import { fileKind, sourceAt } from "./source-kind.ts";
import {
  type Capabilities,
  followsInput,
  NO_CAPABILITIES,
  portNamed,
  portSize,
  portsByName,
} from "./unit-description.ts";
import { connectedKind, unitKind } from "./unit-kind.ts";
import { bankOf, makeBanks, storeValue, TYPE_NAMES, type ValueType } from "./value-type.ts";

const place = { file: "test" };

describe("the kind of a unit", () => {
  it.each(["typescript", "fmi2", "fmi3"] as const)(
    "[PN26] of %s says why, input by input",
    (backend) => {
      const { inputs } = unitKind({ ...describedUnit("r!, d~, n -> y"), backend });
      expect(inputs.map(({ port, kind, why }) => [port.name, kind, why])).toEqual([
        ["r", "reactive", BACKENDS[backend].whyReactive],
        ["d", "delayed", "the unit declares that it takes the value of the start of the step"],
        ["n", "undeclared", BACKENDS[backend].whyUndeclared],
      ]);
    },
  );

  it.each<[string, readonly number[] | undefined, string, string]>([
    ["a, b -> y", [], "Moore", "it depends on no input at the same instant"],
    ["a, b -> y", [1], "Mealy", "it depends directly on 'b'"],
    ["a, b -> y", [1, 0], "Mealy", "it depends directly on 'b', 'a'"],
    ["a, b, c, d -> y", [0, 1, 2, 3], "Mealy", "it depends directly on 'a', 'b', 'c', 'd'"],
    [
      "a, b, c, d, e -> y",
      [0, 1, 2, 3, 4],
      "Mealy",
      "it depends directly on 'a', 'b', 'c', 'd' and 1 more",
    ],
    ["a -> y", undefined, "Mealy", "its dependencies are not disclosed, so all inputs are assumed"],
    ["-> y", undefined, "Moore", "the unit has no inputs"],
  ])("[PN3] of the output of '%s' with %j is %s", (notation, feedThrough, kind, why) => {
    const unit = describedUnit(notation);
    const ports = unit.ports.map((port) =>
      port.direction === "output" && feedThrough ? { ...port, feedThrough } : port,
    );
    const [output] = unitKind({ ...unit, ports }).outputs;
    expect([output.kind, output.why]).toEqual([kind, why]);
  });

  it("[PN26] of a connected input is what the connection says; held, a reactive one may be delayed", () => {
    const kind = (notation: string, more: object, heldFromStart = false): string => {
      const unit = describedUnit(notation);
      const ports = unit.ports.map((port) =>
        heldFromStart ? { ...port, heldFromStart: true as const } : port,
      );
      const scenario = scenarioOf(
        { a: describedUnit("-> y"), b: { ...unit, ports } },
        "a.y -> b.u",
      );
      return connectedKind(scenario, { ...scenario.connections[0], ...more });
    };
    expect([kind("u! ->", {}), kind("u~ ->", {}), kind("u ->", {})]).toEqual([
      "reactive",
      "delayed",
      "undeclared",
    ]);
    expect(kind("u! ->", { kind: "delayed" })).toBe("delayed");
    expect(kind("u! ->", { approximation: "hold" })).toBe("reactive");
    expect(kind("u! ->", { approximation: "hold" }, true)).toBe("delayed");
    expect(kind("u! ->", { approximation: "linear" }, true)).toBe("reactive");
    expect(kind("u! ->", { approximation: "hold", kind: "reactive" }, true)).toBe("reactive");
  });
});

describe("a path", () => {
  it.each([
    ["m.fmu", "fmu"],
    ["M.FMU", "fmu"],
    ["a.b.mjs", "module"],
    ["a.ts", "module"],
    ["a.mts", "module"],
    ["a.js", "module"],
    ["f.sa", "adaptation"],
    ["s.yaml", "scenario-file"],
    ["s.yml", "scenario-file"],
    ["door.machine.yaml", "machine"],
    ["door.Machine.YML", "machine"],
    ["machine.yaml", "scenario-file"],
    ["s.ssp", "scenario-file"],
    ["s.ssp#Winter.ssd", "scenario-file"],
    ["s.ssd#x", "scenario-file"],
    ["m.fmu#x", undefined],
    ["folder", undefined],
    ["notes.txt", undefined],
    [".constructor", undefined],
    ["x.constructor", undefined],
    ["", undefined],
  ])("[SC3] '%s' names: %s", (path, kind) => {
    expect(fileKind(path)).toBe(kind);
    expect(sourceAt(path)).toEqual(kind === undefined ? undefined : { kind, path });
  });
});

describe("ports", () => {
  const unit = {
    ...describedUnit("u, v -> y"),
    ports: describedUnit("u, v -> y").ports.map((port) =>
      port.name === "u" ? { ...port, aliases: ["y", "old"] } : port,
    ),
  };

  it("[SC21] are found by name before alias", () => {
    expect(portNamed(unit, "y")?.index).toBe(2);
    expect(portNamed(unit, "old")?.index).toBe(0);
    expect(portNamed(unit, "none")).toBeUndefined();
    const all = portsByName(unit);
    expect([...all.keys()].sort()).toEqual(["old", "u", "v", "y"]);
    for (const name of all.keys()) expect(all.get(name)).toBe(portNamed(unit, name));
  });

  it.each<[readonly number[], number]>([
    [[], 1],
    [[3], 3],
    [[2, 3], 6],
    [[0], 0],
    [[4, 1, 2], 8],
  ])("[SC20] of shape %j have %d elements", (shape, size) => {
    expect(portSize({ shape })).toBe(size);
  });

  it.each<[Capabilities["followsInputs"], string, readonly number[], boolean]>([
    [undefined, "u ->", [], true],
    ["every", "u ->", [2], true],
    ["declared", "u ->", [], false],
    ["declared", "u! ->", [2], true],
    ["declared", "u~ ->", [], false],
    ["scalars", "u ->", [], true],
    ["scalars", "u! ->", [2], false],
  ])(
    "[PN23] with '%s' derivatives of '%s' %j are followed: %o",
    (followsInputs, notation, shape, expected) => {
      const capabilities = followsInputs === undefined ? {} : { followsInputs };
      const described = describedUnit(notation, { shape, capabilities });
      expect(followsInput(described, described.ports[0])).toBe(expected);
    },
  );

  it("[SC40] of a whole scenario have full names, and remember where they come from", () => {
    const scenario = scenarioOf({ a: unit, b: describedUnit("w -> z", { through: "z" }) }, "");
    const { description, origin } = scenarioPorts(scenario);
    expect(description.ports.map(({ index, name }) => `${index} ${name}`)).toEqual([
      "0 a.u",
      "1 a.v",
      "2 a.y",
      "3 b.w",
      "4 b.z",
    ]);
    expect(origin(4)).toEqual({ unit: 1, port: 1 });
    for (const port of description.ports) expect(port).not.toHaveProperty("feedThrough");
    expect(portName(scenario, origin(3))).toBe("b.w");
    expect(() => portAt(scenario, { unit: 0, port: 9 })).toThrow("internal");
    expect(() => portAt(scenario, { unit: 9, port: 0 })).toThrow("internal");
  });
});

describe("a unit without capabilities", () => {
  it("can do nothing but take steps of one size", () => {
    const able = Object.entries(NO_CAPABILITIES).filter(
      ([, value]) =>
        !(value === false || value === 0 || (Array.isArray(value) && value.length === 0)),
    );
    expect(able).toEqual([]);
  });
});

describe("values in banks", () => {
  it("lie where their type says: 64 bits apart, texts and bytes apart", () => {
    const types = Object.keys(TYPE_NAMES) as ValueType[];
    const byBank = (bank: string): string[] => types.filter((type) => bankOf(type) === bank);
    expect(byBank("i64")).toEqual(["int64", "uint64"]);
    expect(byBank("obj")).toEqual(["string", "binary"]);
    expect(byBank("f64")).toHaveLength(types.length - 4);
    const banks = makeBanks({ f64: 2, obj: 1 });
    expect([banks.f64.length, banks.i64.length, banks.obj]).toEqual([2, 0, [""]]);
  });

  it("are stored with their bits, unsigned ones too", () => {
    const banks = makeBanks({ f64: 2, i64: 2, obj: 2 });
    storeValue(banks, "boolean", 1, true);
    storeValue(banks, "int64", 0, -5n);
    storeValue(banks, "uint64", 1, 2n ** 64n - 1n);
    storeValue(banks, "string", 1, "text");
    expect([...banks.f64]).toEqual([0, 1]);
    expect([...banks.i64]).toEqual([-5n, -1n]);
    expect(banks.obj).toEqual(["", "text"]);
    storeValue(banks, "uint64", 1, 7);
    expect(BigInt.asUintN(64, banks.i64[1])).toBe(7n);
  });
});

describe("states of a machine", () => {
  const state = (name: string, ...states: readonly StateDefinition[]): StateDefinition => ({
    name,
    entry: [],
    exit: [],
    transitions: [],
    states,
    place,
  });
  const tree = [
    state("on", state("slow"), state("fast", state("slow"))),
    state("off"),
    state("slow"),
  ];
  const paths = statesOf(tree).map(({ path }) => path);

  it("have paths from the top, each before those inside of it", () => {
    expect(paths).toEqual(["on", "on.slow", "on.fast", "on.fast.slow", "off", "slow"]);
    expect(statesOf(tree, "m.").map(({ path }) => path)[3]).toBe("m.on.fast.slow");
  });

  it.each([
    ["on.fast.slow", "slow", "on.fast.slow"],
    ["on.fast", "slow", "on.slow"],
    ["on.slow", "slow", "on.slow"],
    ["off", "slow", "slow"],
    ["off", "on.slow", "on.slow"],
    ["on.fast.slow", "fast", "on.fast"],
    ["on.fast.slow", "off", "off"],
    ["on", "fast", undefined],
    ["off", "fast", undefined],
    ["off", "fast.slow", undefined],
    ["on.slow", "fast.slow", "on.fast.slow"],
  ])("from %s, '%s' is %s: the nearest scope wins", (from, name, expected) => {
    expect(stateNamed(paths, from, name)).toBe(expected);
  });
});

describe("decisions", () => {
  const edge = (from: number, to: number, mode: number) => ({ from, to, mode });
  const automaton = {
    nodes: 3,
    edges: [edge(0, 1, 0), edge(1, 1, 1), edge(1, 2, 0), edge(2, 0, 1)],
  };
  const guard = { policies: ["quick", "careful"], automaton, start: 0 };

  it("[GU5] the free automaton allows every sequence", () => {
    const free = freeAutomaton(3);
    expect(free).toEqual({ nodes: 1, edges: [0, 1, 2].map((mode) => ({ from: 0, to: 0, mode })) });
  });

  it("[GU5] a run begins where most is allowed, the first of several such nodes", () => {
    expect(freestNode(automaton)).toBe(1);
    expect(freestNode({ nodes: 2, edges: [] })).toBe(0);
    expect(freestNode({ nodes: 3, edges: [{ from: 2, to: 0, mode: 0 }] })).toBe(2);
    const even = [0, 1].map((from) => ({ from, to: 0, mode: 0 }));
    expect(freestNode({ nodes: 2, edges: even })).toBe(0);
  });

  it("[GU6] a sequence is allowed where a walk along edges reads it", () => {
    const table = guardTable(guard);
    expect([...table]).toEqual([1, FORBIDDEN, 2, 1, FORBIDDEN, 0]);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -1, max: 2 }), { maxLength: 8 }), (sequence) => {
        let node = 0;
        let at = 0;
        for (; at < sequence.length; at++) {
          const edge = automaton.edges.find(
            (one) => one.from === node && one.mode === sequence[at],
          );
          if (edge === undefined) break;
          node = edge.to;
        }
        expect(checkSequence(guard, sequence)).toEqual(
          at === sequence.length
            ? { isAllowed: true, decisions: sequence.length, end: node }
            : { isAllowed: false, at, policy: sequence[at], node },
        );
      }),
      { seed: 34, numRuns: cases(500) },
    );
  });

  it.each([0.5, Number.NaN, 2, -1])("[GU6] %d is not a decision", (policy) => {
    expect(checkSequence(guard, [0, policy])).toEqual({ isAllowed: false, at: 1, policy, node: 1 });
  });
});

describe("a sum", () => {
  const number = (value: number): Expression => ({ kind: "number", value });
  const operation = (
    operator: "+" | "-" | "*",
    left: Expression,
    right: Expression,
  ): Expression => ({
    kind: "operation",
    operator,
    left,
    right,
  });

  it("is its first operand and its terms with their signs, in their order", () => {
    const signs = fc.array(fc.constantFrom("+" as const, "-" as const), { maxLength: 6 });
    fc.assert(
      fc.property(signs, (list) => {
        const sum = list.reduce((left, sign, i) => operation(sign, left, number(i + 1)), number(0));
        expect(termsOf(sum)).toEqual({
          first: number(0),
          terms: list.map((sign, i) => ({ sign, of: number(i + 1) })),
        });
      }),
      { seed: 35, numRuns: cases(100) },
    );
  });

  it("ends at a product, and keeps sums inside of its terms whole", () => {
    const product = operation("*", number(1), number(2));
    expect(termsOf(product)).toEqual({ first: product, terms: [] });
    const inner = operation("+", number(3), number(4));
    expect(termsOf(operation("-", product, inner))).toEqual({
      first: product,
      terms: [{ sign: "-", of: inner }],
    });
  });
});
