import { describe, expect, it } from "vitest";
import { formatDiagnostic } from "../base/diagnostic.ts";
import { parseScenarioYaml } from "../lang/scenario/parse-scenario.ts";
import { resolveScenario } from "./resolve-scenario.ts";
import type { ElementRef, PortRef, Scenario } from "./scenario.ts";
import { standIn } from "./testing/stand-in-units.ts";
import type { UnitDescription } from "./unit-description.ts";

const UNITS: Readonly<Record<string, UnitDescription>> = {
  "mass.fmu": standIn(
    "Mass",
    "in F @N; in M @N.m =0; out x @m; out v @m/s; local dx @m/s 'x; out q [3] @mm; out w [3] @mm/s 'q; out T @degC",
  ),
  "cart.fmu": standIn(
    "Cart",
    "in F @kN; in v @km/h =0; out x @mm; local s; out dx @mm/s 'x; local ddx 'x; out F2 @N",
  ),
  "wheel.fmu": standIn("Wheel", "in u [3] @m/s =0; in s @m/s =0; out F @kN; in T @K =0"),
};

const NESTED: Readonly<Record<string, string>> = {
  "pair.yaml": `
units: { a: mass.fmu, b: cart.fmu }
constraints: [{ constraint: a.x = b.x, by: "a.F, -b.F" }]
events: [{ when: a.x, crosses: 1 }]
limits: [{ every: 1 }]
ports: { M: a.M, v: b.v, x: a.x, rate: a.dx, T: a.T }
`,
};

const read = (text: string, file: string) => parseScenarioYaml(text, file).value!;

function check(text: string) {
  const { value, diagnostics } = parseScenarioYaml(text, "s.yaml");
  expect(diagnostics.map(formatDiagnostic)).toEqual([]);
  return resolveScenario(
    value!,
    (source) => UNITS[(source as { path: string }).path],
    (path) => read(NESTED[path]!, path),
  );
}

function resolved(text: string): Scenario {
  const { value, diagnostics } = check(text);
  expect(diagnostics.map(formatDiagnostic)).toEqual([]);
  return value!;
}

/** `a.q[1]`; the element counts from 0 as data does. */
function nameOf({ units }: Scenario, ref: PortRef | ElementRef): string {
  const unit = units[ref.unit]!;
  const element = "element" in ref ? `[${ref.element}]` : "";
  return `${unit.name}.${unit.description.ports[ref.port]!.name}${element}`;
}

describe("integrals", () => {
  it("[SC50] name the output whose derivative a connection carries, element by element", () => {
    const scenario = resolved(`
units: { a: mass.fmu, b: wheel.fmu, c: wheel.fmu }
connections:
  - { from: a.w, to: b.u, integral: a.q }
  - { from: "a.w[2]", to: b.s, integral: "a.q[2]", factor: 2 }
  - { from: a.v, to: c.s, integral: a.x }
constraints: [{ constraint: "a.x = a.q[1]", by: a.F, rate: none }]
`);
    expect(
      scenario.connections.map((one) => [nameOf(scenario, one.integral!), one.fromElement]),
    ).toEqual([
      ["a.q", 0],
      ["a.q", 1],
      ["a.x", 0],
    ]);
  });

  it("[SC50] are not compared by unit where the connection suppresses it", () => {
    const scenario = resolved(`
units: { a: mass.fmu, b: wheel.fmu, c: cart.fmu }
connections:
  - { from: a.v, to: b.s, integral: a.T, suppress: unit }
  - b.F -> c.F
  - { from: c.F2, to: a.F }
`);
    expect(nameOf(scenario, scenario.connections[0]!.integral!)).toBe("a.T");
  });
});

describe("bonds", () => {
  const BOND = `
units: { a: mass.fmu, b: cart.fmu, c: wheel.fmu }
connections: [a.v -> c.s]
bonds:
  - name: hub
    effort: { from: b.F2, to: a.F, factor: -1 }
    flow: a.v -> b.v
    preserve: energy
constraints: [{ constraint: a.x = b.x, by: b.F }]
`;

  it("[SC51] join the connections and know which of them they are", () => {
    const scenario = resolved(BOND);
    const [bond] = scenario.bonds;
    expect(bond).toMatchObject({ name: "hub", preserve: "energy" });
    const { effort, flow } = bond!;
    expect(scenario.connections).toHaveLength(3);
    expect(scenario.connections[effort]).toMatchObject({ factor: -1, offset: 0, count: 1 });
    expect(nameOf(scenario, scenario.connections[effort]!.from)).toBe("b.F2");
    expect(scenario.connections[flow]).toMatchObject({ factor: 3.6, conversion: "m/s → km/h" });
  });

  it("[SC51] preserve nothing unless they say so", () => {
    const { bonds } = resolved(BOND.replace("    preserve: energy\n", ""));
    expect(bonds[0]!.preserve).toBe("nothing");
  });

  it("[SC51] give their inputs a source", () => {
    expect(check(BOND).diagnostics).toEqual([]);
    const without = BOND.replace(/bonds:[\s\S]*?constraints/, "constraints");
    expect(check(without).diagnostics.map(({ message }) => message)).toEqual([
      "the input 'a.F' has no source and no start value",
    ]);
  });
});

const held = (line: string) => `
units: { a: mass.fmu, b: cart.fmu }
constraints:
  - ${line}
`;

describe("constraints", () => {
  it("[SC52] hold two outputs, the right one in the unit of the left, by inputs that are then not missing", () => {
    const scenario = resolved(held('{ constraint: a.x = b.x, by: "a.F, -b.F" }'));
    const [constraint] = scenario.constraints;
    expect(constraint).toMatchObject({ factor: 0.001, offset: 0, text: "a.x = b.x" });
    expect(nameOf(scenario, constraint!.left)).toBe("a.x[0]");
    expect(nameOf(scenario, constraint!.right)).toBe("b.x[0]");
    // One force in N: the cart takes kN.
    expect(constraint!.by.map((one) => [nameOf(scenario, one), one.factor])).toEqual([
      ["a.F[0]", 1],
      ["b.F[0]", -0.001],
    ]);
  });

  it("[SC52] a factor may be a lever: the input then measures something else", () => {
    const line = '{ constraint: "a.q[2] = b.x", by: [a.M, -0.5 * a.F, 2e3*b.F], rate: none }';
    const scenario = resolved(held(line));
    const [constraint] = scenario.constraints;
    expect(constraint).toMatchObject({ factor: 1, left: { element: 1 } });
    expect(constraint!.by.map(({ factor }) => factor)).toEqual([1, -0.5, 2e3]);
  });

  it("[SC53] have the rates that the author names, in their own units", () => {
    const line = '{ constraint: a.x = b.x, by: "a.F, -b.F", rate: a.v = b.dx }';
    const scenario = resolved(held(line));
    const { rate } = scenario.constraints[0]!;
    expect([nameOf(scenario, rate!.left), nameOf(scenario, rate!.right)]).toEqual([
      "a.v[0]",
      "b.dx[0]",
    ]);
    expect(rate!.factor).toBe(0.001);
  });

  it("[SC53] have the rates that the units declare, outputs before locals, when nobody names them", () => {
    const scenario = resolved(held('{ constraint: a.x = b.x, by: "a.F, -b.F" }'));
    const { rate } = scenario.constraints[0]!;
    expect([nameOf(scenario, rate!.left), nameOf(scenario, rate!.right)]).toEqual([
      "a.dx[0]",
      "b.dx[0]",
    ]);
    expect(rate!.factor).toBe(0.001);
    const element = resolved(held('{ constraint: "a.q[3] = b.x", by: "a.F, -b.F" }'));
    expect(nameOf(element, element.constraints[0]!.rate!.left)).toBe("a.w[2]");
  });

  it("[SC53] take the factor of the constraint where a rate has no unit", () => {
    const line = '{ constraint: a.x = b.x, by: "a.F, -b.F", rate: a.v = b.ddx }';
    expect(resolved(held(line)).constraints[0]!.rate!.factor).toBe(0.001);
  });

  it("[SC53] have no rate where the author says none", () => {
    const line = '{ constraint: a.x = b.x, by: "a.F, -b.F", rate: none }';
    expect(resolved(held(line)).constraints[0]).not.toHaveProperty("rate");
  });
});

describe("events", () => {
  it("[SC54] cross a level in the unit of the signal, or another signal", () => {
    const { value } = check(`
units: { a: mass.fmu, b: cart.fmu }
events:
  - { when: a.x, crosses: 2 }
  - { when: a.x, crosses: -3 cm, direction: falling, tolerance: 1e-6 }
  - { when: a.T, crosses: 300 K, direction: rising }
  - { when: "a.q[2]", crosses: a.x, direction: any }
`);
    expect(value!.events.map(({ place: _, ...rest }) => rest)).toEqual([
      {
        signal: { unit: 0, port: 2, element: 0 },
        level: 2,
        direction: "any",
        text: "a.x crosses 2",
      },
      {
        signal: { unit: 0, port: 2, element: 0 },
        level: -0.03,
        direction: "falling",
        tolerance: 1e-6,
        text: "a.x crosses -3 cm, falling",
      },
      {
        signal: { unit: 0, port: 7, element: 0 },
        level: expect.closeTo(300 - 273.15, 9),
        direction: "rising",
        text: "a.T crosses 300 K, rising",
      },
      {
        signal: { unit: 0, port: 5, element: 1 },
        level: 0,
        other: { unit: 0, port: 2, element: 0, factor: 1000, offset: 0 },
        direction: "any",
        text: "a.q[2] crosses a.x",
      },
    ]);
  });
});

describe("limits", () => {
  it("[SC55] are periods, times and largest changes", () => {
    const { value } = check(`
units: { a: mass.fmu }
limits:
  - { every: 100 ms }
  - { every: 0.5, offset: 20 ms }
  - { at: 3 }
  - { at: [1.5, 2 min] }
  - { difference: a.x, atMost: 5 mm }
  - { difference: a.T, atMost: 10 K }
  - { difference: a.v, atMost: 2 }
`);
    expect(value!.limits).toEqual([
      { kind: "every", every: 0.1, offset: 0 },
      { kind: "every", every: 0.5, offset: 0.02 },
      { kind: "at", times: [3] },
      { kind: "at", times: [1.5, 120] },
      { kind: "difference", signal: { unit: 0, port: 2, element: 0 }, atMost: 0.005 },
      { kind: "difference", signal: { unit: 0, port: 7, element: 0 }, atMost: 10 },
      { kind: "difference", signal: { unit: 0, port: 3, element: 0 }, atMost: 2 },
    ]);
  });
});

describe("nested scenarios", () => {
  const cell = resolved("units: { cell: pair.yaml }").units[0]!;

  it("[SC56] keep what they say for their own master", () => {
    const inner = cell.scenario!;
    const { constraints, events, limits, bonds } = inner;
    expect([constraints, events, limits, bonds].map(({ length }) => length)).toEqual([1, 1, 1, 0]);
  });

  it("[SC56] an exposed output depends on inputs that reach a constraint which drives it", () => {
    const [M, v, x, rate] = cell.description.ports;
    // The stand-ins do not say what their outputs depend on, so all inputs count; those of the
    // other side only through the force.
    expect(x!.feedThrough).toEqual([M!.index, v!.index]);
    expect(rate!.derivativeOf).toBe(x!.index);
    expect(x).not.toHaveProperty("derivativeOf");
  });
});
