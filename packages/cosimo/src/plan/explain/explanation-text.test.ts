/**
 * The page of an explanation, section by section, from facts that are written down here.
 */
import { describe, expect, it } from "vitest";
import type {
  ConnectionExplanation,
  Explanation,
  OpenInput,
  UnitExplanation,
} from "./explanation.ts";
import { explanationText } from "./explanation-text.ts";

const UNIT: UnitExplanation = {
  name: "a",
  backend: "TypeScript",
  model: "a",
  reactive: [],
  delayed: [],
  undeclared: [],
  mealy: [],
  moore: [],
  undisclosed: [],
  can: [],
  cannot: [],
};

const WIRE: ConnectionExplanation = {
  from: "a.y",
  to: "b.u",
  approximation: "hold",
  through: "write",
  takes: "start",
  kind: "undeclared",
  kindFrom: "default",
  heldThoughReactive: false,
  delayed: false,
};

const EMPTY: Explanation = {
  name: "test",
  units: [],
  connections: [],
  couplings: [],
  loops: [],
  openInputs: [],
  faults: [],
  rates: [],
  order: { matters: false, units: [] },
  master: { name: "jacobi", tickSeconds: 0.1, needs: [] },
  recommendation: { master: "jacobi", masterReason: "why", stepReason: "why not" },
  classification: [],
};

/** Lines of a section below its title. */
function section(more: Partial<Explanation>, title: string): string[] {
  const found = explanationText({ ...EMPTY, ...more })
    .split("\n\n")
    .find((part) => part.split("\n")[0] === title);
  return (found?.split("\n") ?? []).slice(1).map((line) => line.replace(/^ {2}/, ""));
}

const titles = (more: Partial<Explanation>): string[] =>
  explanationText({ ...EMPTY, ...more })
    .split("\n\n")
    .map((part) => part.split("\n")[0]);

describe("the sections of the page", () => {
  it("[PN67] are those with something to say", () => {
    expect(titles({})).toEqual(["couplings", "algebraic loops", "rates", "order", "recommended"]);
    expect(
      titles({
        units: [UNIT],
        connections: [{ ...WIRE, conversion: "deg → rad" }],
        openInputs: [{ input: "a.u", origin: "unit" }],
        master: { ...EMPTY.master, needs: [{ need: "n", met: true, detail: "d" }] },
        classification: [{ group: "units", features: ["causal"] }],
      }),
    ).toEqual([
      "units (1)",
      "couplings",
      "algebraic loops",
      "unconnected inputs",
      "conversions",
      "inputs within a step",
      "rates",
      "order",
      "what jacobi needs",
      "recommended",
      "classification",
    ]);
  });

  it("[CO12] [PN67] are exchanges in place of steps where connections have triggers", () => {
    const exchanges = { when: "every 0.5 s", reason: "as written" };
    const wires = [WIRE, { ...WIRE, from: "b.long", exchanges }];
    expect(titles({ connections: wires })).not.toContain("rates");
    expect(titles({ connections: wires })).not.toContain("order");
    expect(section({ connections: wires }, "exchanges")).toEqual([
      "a.y → b.u",
      "b.long → b.u  every 0.5 s  as written",
    ]);
  });
});

describe("a unit on the page", () => {
  it("[PN67] has its model where it has another name, its kinds, and what it can and cannot do", () => {
    const units = [
      UNIT,
      {
        ...UNIT,
        name: "b",
        backend: "FMI 3.0 FMU",
        model: "Pump",
        reactive: ["u"],
        delayed: ["v"],
        undeclared: ["w"],
        mealy: ["x"],
        moore: ["y"],
        undisclosed: ["x"],
        can: ["rollback", "events"],
        cannot: ["input slopes"],
      },
    ];
    expect(section({ units }, "units (2)")).toEqual([
      "a: TypeScript",
      "b: FMI 3.0 FMU 'Pump'",
      "  reactive inputs: u",
      "  delayed inputs: v",
      "  inputs of no declared kind: w",
      "  Mealy outputs: x",
      "  Moore outputs: y",
      "  dependencies of x not disclosed: every input is assumed",
      "  + rollback, events",
      "  - input slopes",
    ]);
  });

  it.each([
    [6, "p1, p2, p3, p4, p5, p6"],
    [7, "p1, p2, p3, p4, p5, p6 and 1 more"],
    [9, "p1, p2, p3, p4, p5, p6 and 3 more"],
  ])("[PN67] with %d outputs names six at most", (count, expected) => {
    const moore = Array.from({ length: count }, (_, i) => `p${i + 1}`);
    expect(section({ units: [{ ...UNIT, moore }] }, "units (1)")[1]).toBe(
      `  Moore outputs: ${expected}`,
    );
  });
});

describe("connections on the page", () => {
  const inputs = (...connections: readonly Partial<ConnectionExplanation>[]): string[] =>
    section(
      { connections: connections.map((one) => ({ ...WIRE, ...one })) },
      "inputs within a step",
    );
  const linear = { approximation: "linear", through: "slopes" } as const;

  it.each<[string, Partial<ConnectionExplanation>[], string[]]>([
    ["held", [{}, {}], ["all are held constant"]],
    ["by slopes", [linear], ["a.y → b.u  linear  by slopes"]],
    [
      "in micro-steps, and one held",
      [{ ...linear, through: "micro-steps", parts: 4 }, {}],
      ["a.y → b.u  linear  in 4 micro-steps", "the other one is held constant"],
    ],
    [
      "by slopes, and two held",
      [linear, {}, {}],
      ["a.y → b.u  linear  by slopes", "the other 2 are held constant"],
    ],
    [
      "held at the end",
      [{ takes: "end" }, { takes: "end", kind: "reactive", kindFrom: "unit", to: "b.reactive" }],
      [
        "all are held constant",
        "a.y → b.u         held at the value of the end  not declared delayed",
        "a.y → b.reactive  held at the value of the end  it is reactive",
      ],
    ],
    [
      "declared by the connection, and late",
      [{ kind: "delayed", kindFrom: "connection", delayed: true }],
      [
        "all are held constant",
        "b.u is delayed: declared by its connection",
        "a.y → b.u is one step old",
      ],
    ],
    [
      "interpolated, which is not held at the end",
      [{ approximation: "interpolation", through: "slopes", takes: "end" }],
      ["a.y → b.u  interpolation  by slopes"],
    ],
  ])("[PN63] %s", (_, connections, expected) => {
    expect(inputs(...connections)).toEqual(expected);
  });

  it("[PN63] are not mentioned where there are none", () => {
    expect(titles({})).not.toContain("inputs within a step");
  });

  it("[PN63] with a conversion are a table", () => {
    const connections = [
      { ...WIRE, conversion: "deg → rad" },
      WIRE,
      { ...WIRE, from: "long.name", conversion: "· 2" },
    ];
    expect(section({ connections }, "conversions")).toEqual([
      "a.y → b.u        deg → rad",
      "long.name → b.u  · 2",
    ]);
  });

  it("[PN67] between two units are counted, and grouped by source", () => {
    const couplings = [
      { from: "a", to: "b", count: 1 },
      { from: "long", to: "a", count: 2 },
      { from: "a", to: "c", count: 3 },
    ];
    expect(section({ couplings }, "couplings")).toEqual(["a     → b, c (3)", "long  → a (2)"]);
  });

  it.each([20, 21, 30])("[PN67] are cut after twenty lines: %d", (count) => {
    const openInputs = Array.from(
      { length: count },
      (_, i): OpenInput => ({
        input: `a.u${i}`,
        origin: "outside",
      }),
    );
    const lines = section({ openInputs }, "unconnected inputs");
    expect(lines).toHaveLength(Math.min(count, 20) + Number(count > 20));
    if (count > 20) expect(lines.at(-1)).toBe(`… and ${count - 20} more: --json has all`);
    else expect(lines.at(-1)).toContain("a.u19");
  });
});

describe("the rest of the page", () => {
  it("[PN62] says where the value of an open input comes from", () => {
    const openInputs: OpenInput[] = [
      { input: "a.u", value: "20 degC", origin: "scenario" },
      { input: "a.v", value: "1", origin: "start value" },
      { input: "a.w", origin: "unit" },
      { input: "a.x", origin: "outside" },
    ];
    expect(section({ openInputs }, "unconnected inputs")).toEqual([
      "a.u  = 20 degC  set by the scenario",
      "a.v  = 1        its start value",
      "a.w             no start value is given: the unit decides",
      "a.x             fed from outside: a port of this scenario",
    ]);
    // A column that is empty in every row is left out.
    expect(section({ openInputs: openInputs.slice(2, 3) }, "unconnected inputs")).toEqual([
      "a.w  no start value is given: the unit decides",
    ]);
  });

  it("[PN60] lists loops with their ports and what is done", () => {
    const loops = [
      {
        through: "feed-through" as const,
        path: ["a.y", "b.u"],
        ports: ["a.y", "b.u", "c.u"],
        units: ["a", "b"],
        treatment: "solved",
      },
    ];
    expect(section({ loops }, "algebraic loops")).toEqual([
      "through feed-through: a.y → b.u → a.y (and 1 more port)",
      "  solved",
    ]);
    expect(section({}, "algebraic loops")).toEqual(["none"]);
  });

  it.each<[string, [string, number][], string[]]>([
    [
      "one rate",
      [
        ["a", 1],
        ["b", 1],
      ],
      ["one tick is 0.1 s; every unit steps every tick"],
    ],
    ["one rate that is slower", [["a", 5]], ["one tick is 0.1 s; every unit steps every 5 ticks"]],
    [
      "several rates, fastest first",
      [
        ["slow", 10],
        ["a", 1],
        ["b", 1],
      ],
      ["one tick is 0.1 s", "every tick: a, b", "every 10 ticks: slow"],
    ],
  ])("[PN67] has the rates: %s", (_, list, expected) => {
    const rates = list.map(([unit, ticks]) => ({ unit, ticks, seconds: ticks * 0.1 }));
    expect(section({ rates }, "rates")).toEqual(expected);
  });

  it("[PN67] numbers the units of an order from 1, where it matters", () => {
    const units = [
      { name: "b", reason: "needs no new values" },
      { name: "a", reason: "after b" },
    ];
    expect(section({ order: { matters: true, units } }, "order")).toEqual([
      "1. b  needs no new values",
      "2. a  after b",
    ]);
    expect(section({ order: { matters: false, units } }, "order")).toEqual([
      "any: every unit gets the values of the start of the step, so the order changes nothing",
    ]);
  });

  it("[PN64] [PN65] has needs that are met or not, and a step that may be unknown", () => {
    const needs = [
      { need: "rollback", met: true, detail: "all can" },
      { need: "whole steps", met: false, detail: "a cannot" },
    ];
    const master = { ...EMPTY.master, name: "iterative" as const, needs };
    expect(section({ master }, "what iterative needs")).toEqual([
      "ok  rollback     all can",
      "NO  whole steps  a cannot",
    ]);
    expect(section({}, "recommended")).toEqual(["master jacobi  why", "step ?         why not"]);
    const recommendation = { ...EMPTY.recommendation, step: 0.01 };
    expect(section({ recommendation }, "recommended")[1]).toBe("step 0.01 s    why not");
  });
});
