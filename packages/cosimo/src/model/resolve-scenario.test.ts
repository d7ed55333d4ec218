import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatDiagnostic, type Place } from "../base/diagnostic.ts";
import { resolveScenario } from "./resolve-scenario.ts";
import type {
  Connection,
  ConnectionDraft,
  Scenario,
  ScenarioDraft,
  ValueDraft,
} from "./scenario.ts";
import { standIn } from "./testing/stand-in-units.ts";
import type { Terminal, UnitDescription } from "./unit-description.ts";
import type { Value } from "./value-type.ts";

const at = (line: number): Place => ({ file: "s.yaml", line, column: 1 });

interface Sketch {
  readonly units: Readonly<Record<string, UnitDescription | ScenarioDraft>>;
  readonly connect?: readonly (string | Partial<ConnectionDraft>)[];
  readonly set?: Readonly<Record<string, Readonly<Record<string, Value | readonly Value[]>>>>;
  readonly ports?: Readonly<Record<string, string | readonly string[]>>;
}

const descriptions = new WeakMap<object, UnitDescription>();

function draftOf(
  { units, connect = [], set = {}, ports = {} }: Sketch,
  file = "s.yaml",
): ScenarioDraft {
  let line = 1;
  return {
    name: "test",
    file,
    units: Object.entries(units).map(([name, unit]) => {
      const source =
        "units" in unit
          ? ({ kind: "scenario", scenario: unit } as const)
          : ({ kind: "fmu", path: `${name}.fmu` } as const);
      if (!("units" in unit)) descriptions.set(source, unit);
      const values: ValueDraft[] = Object.entries(set[name] ?? {}).map(([port, value]) => ({
        port,
        value,
        place: at(line++),
      }));
      return { name, source, values, place: at(line++) };
    }),
    connections: connect.map((one) => {
      const place = at(line++);
      if (typeof one !== "string") return { from: "", to: "", suppress: [], place, ...one };
      const [from, to] = one.split(" -> ");
      return { from: from!, to: to!, suppress: [], place };
    }),
    ports: Object.entries(ports).flatMap(([name, inner]) =>
      [inner].flat().map((one) => ({ name, inner: one, place: at(line++) })),
    ),
    experiment: {},
    master: { name: "", options: {}, place: at(1) },
    record: { patterns: [], every: 1 },
    place: at(1),
  };
}

function check(sketch: Sketch) {
  return resolveScenario(draftOf(sketch), (source) => descriptions.get(source));
}

function resolved(sketch: Sketch): Scenario {
  const { value, diagnostics } = check(sketch);
  expect(diagnostics.map(formatDiagnostic)).toEqual([]);
  return value!;
}

function codes(sketch: Sketch): string[] {
  return check(sketch).diagnostics.map(({ code }) => code);
}

/** `a.y[0] -> b.u[0] x3 *1000 +1 (m → mm)`. */
function shown(scenario: Scenario): string[] {
  const name = ({ unit, port }: Connection["from"]) =>
    `${scenario.units[unit]!.name}.${scenario.units[unit]!.description.ports[port]!.name}`;
  return scenario.connections.map((c) => {
    const ends = `${name(c.from)}[${c.fromElement}] -> ${name(c.to)}[${c.toElement}] x${c.count}`;
    const linear = c.factor === 1 && c.offset === 0 ? "" : ` *${c.factor} +${c.offset}`;
    return `${ends}${linear}${c.conversion === undefined ? "" : ` (${c.conversion})`}`;
  });
}

const two = (out: string, input: string) => ({ a: standIn("A", out), b: standIn("B", input) });

describe("connections", () => {
  it("[SC20] lead from an output to an input, whole or by elements counted from 1", () => {
    const units = two(
      "out y; out v [3]; out M [2x3]",
      "in u =0; in w [3] =0; in x =0; in r [2] =0",
    );
    const connect = ["a.y -> b.u", "a.M[2] -> b.w", "a.M[1,3] -> b.x", "a.v[2:3] -> b.r"];
    expect(shown(resolved({ units, connect }))).toEqual([
      "a.y[0] -> b.u[0] x1",
      "a.M[3] -> b.w[0] x3",
      "a.M[2] -> b.x[0] x1",
      "a.v[1] -> b.r[0] x2",
    ]);
  });

  it("[SC21] a port that is called u[1] is found before an element of u", () => {
    const units = two("out y", "in u[1] =0; in u [2] =0");
    expect(shown(resolved({ units, connect: ["a.y -> b.u[1]"] }))).toEqual([
      "a.y[0] -> b.u[1][0] x1",
    ]);
  });

  it("[SC21] names of units and ports may contain dots", () => {
    const units = {
      "car.axle": standIn("A", "out left.speed"),
      car: standIn("B", "in body.u =0; out axle.left.speed"),
    };
    const { connections } = resolved({ units, connect: ["car.axle.left.speed -> car.body.u"] });
    expect(connections[0]).toMatchObject({ from: { unit: 0, port: 0 }, to: { unit: 1, port: 0 } });
  });

  it("[SC22] a group connects outputs to inputs of the same name", () => {
    const units = two("out x; out y; out axis.z; in k =0", "in x =0; in z =0; out y; in k =0");
    expect(shown(resolved({ units, connect: ["a.* -> b.*"] }))).toEqual(["a.x[0] -> b.x[0] x1"]);
    expect(shown(resolved({ units, connect: ["a.axis.* -> b.*"] }))).toEqual([
      "a.axis.z[0] -> b.z[0] x1",
    ]);
  });

  it("[SC27] units are converted, then the author's factor and offset work in the target's unit", () => {
    const units = two("out y @m; out t @degC", "in u @mm =0; in k @K =0");
    const connect = [{ from: "a.y", to: "b.u", factor: 2, offset: 1 }, "a.t -> b.k"];
    expect(shown(resolved({ units, connect }))).toEqual([
      "a.y[0] -> b.u[0] x1 *2000 +1 (m → mm)",
      "a.t[0] -> b.k[0] x1 *1 +273.15 (degC → K)",
    ]);
  });

  it("[SC28] suppress: unit passes the number unchanged, and so does a port without unit", () => {
    const units = two("out y @m; out z @m", "in u @K =0; in w =0");
    const connect: Sketch["connect"] = [
      { from: "a.y", to: "b.u", suppress: ["unit"] },
      "a.z -> b.w",
    ];
    expect(shown(resolved({ units, connect }))).toEqual([
      "a.y[0] -> b.u[0] x1",
      "a.z[0] -> b.w[0] x1",
    ]);
  });

  it("[SC26] elements of one input may have different sources, but none has two", () => {
    const units = two("out y; out v [2]", "in u [3] =0");
    expect(codes({ units, connect: ["a.y -> b.u[1]", "a.v -> b.u[2:3]"] })).toEqual([]);
    expect(codes({ units, connect: ["a.y -> b.u[2]", "a.v -> b.u[2:3]"] })).toEqual([
      "connection-two-sources",
    ]);
  });

  it("[SC29] of a unit to itself are reported, and kept", () => {
    const { value, diagnostics } = check({
      units: { a: standIn("A", "out y; in u =0") },
      connect: ["a.y -> a.u"],
    });
    expect(shown(value!)).toEqual(["a.y[0] -> a.u[0] x1"]);
    expect(diagnostics.map(({ code, severity }) => `${severity} ${code}`)).toEqual([
      "warning connection-to-itself",
    ]);
  });
});

const INTEGERS = "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split(" ");

describe("types", () => {
  const fit = (from: string, to: string, more: Partial<ConnectionDraft> = {}) =>
    codes({
      units: two(`out y ${from}`, `in u ${to} =0`),
      connect: [{ from: "a.y", to: "b.u", ...more }],
    }).join() || "fits";

  it.each([
    [":float64", ":float32", "fits"],
    [":float32", ":float64", "fits"],
    [":int32", ":float64", "fits"],
    [":int32", ":float32", "connection-rounds"],
    [":uint64", ":float64", "connection-rounds"],
    [":boolean", ":int8", "fits"],
    [":boolean", ":float64", "fits"],
    [":float64", ":int32", "connection-type"],
    [":int32", ":boolean", "connection-type"],
    [":string", ":string", "fits"],
    [":string", ":binary", "connection-type"],
    [":string", ":float64", "connection-type"],
    [":clock", ":clock", "fits"],
    [":clock", ":boolean", "connection-type"],
    ["{a:1,b:2}", "{a:1,b:2}", "fits"],
    ["{a:1}", "{a:1,b:2}", "fits"],
    ["{a:1,c:2}", "{a:1,b:2}", "connection-type"],
    ["{a:1,b:2}", ":int8", "fits"],
    ["{a:1,b:300}", ":int8", "connection-type"],
    ["{a:1,b:2}", ":boolean", "connection-type"],
    ["{a:1,b:2}", ":float64", "connection-type"],
    [":int32", "{a:1,b:2}", "connection-unchecked"],
  ])("[SC24] %s → %s: %s", (from, to, expected) => {
    expect(fit(from, to)).toBe(expected);
  });

  it("[SC24] integers fit where every value of the source is a value of the target", () => {
    const bits = (type: string) => Number(/\d+/.exec(type)![0]);
    const unsigned = (type: string) => type.startsWith("u");
    for (const from of INTEGERS) {
      for (const to of INTEGERS) {
        const fits = unsigned(from)
          ? bits(to) > bits(from) || (unsigned(to) && bits(to) === bits(from))
          : !unsigned(to) && bits(to) >= bits(from);
        expect(fit(`:${from}`, `:${to}`), `${from} → ${to}`).toBe(
          fits ? "fits" : "connection-type",
        );
      }
    }
  });

  it("[SC24] enumerations meet by the names of their items", () => {
    const units = two("out y {off:0,on:1}", "in u {on:7,off:3,idle:5} =3");
    const { connections } = resolved({ units, connect: ["a.y -> b.u"] });
    expect(connections[0]!.mapping).toEqual([
      { from: 0, to: 3 },
      { from: 1, to: 7 },
    ]);
  });

  it("[SC25] a mapping says what becomes what, in values of both types", () => {
    const mapping = [
      { from: "off", to: false },
      { from: "on", to: "true" },
    ];
    const units = two("out y {off:0,on:1}", "in u :boolean =false");
    const { connections } = resolved({ units, connect: [{ from: "a.y", to: "b.u", mapping }] });
    expect(connections[0]!.mapping).toEqual([
      { from: 0, to: false },
      { from: 1, to: true },
    ]);
    expect(fit("{off:0,on:1}", ":boolean", { mapping: mapping.slice(1) })).toBe(
      "mapping-incomplete",
    );
    expect(fit(":int8", ":int32", { mapping: [{ from: 1, to: 2 }] })).toBe("fits");
  });
});

describe("values", () => {
  const taken = (port: string, value: Value | readonly Value[]) => {
    const scenario = resolved({ units: { a: standIn("A", port) }, set: { a: { p: value } } });
    return scenario.units[0]!.values[0]!.values;
  };

  it.each<[string, Value | Value[], Value[]]>([
    ["par p @m", "5 mm", [0.005]],
    ["par p @mm", 5, [5]],
    ["par p @degC", "300 K", [26.850000000000023]],
    ["par p", "2.5", [2.5]],
    ["par p @rad", "180 deg", [Math.PI]],
    ["par p :int8", 5, [5]],
    ["par p :int64", 5, [5n]],
    ["par p :uint64", "18446744073709551615", [18446744073709551615n]],
    ["par p :boolean", true, [true]],
    ["par p :boolean", 0, [false]],
    ["par p :string", "5 mm", ["5 mm"]],
    ["par p :binary", "00ff", [new Uint8Array([0, 255])]],
    ["par p {a:1,b:2}", "b", [2]],
    ["par p {a:1,b:2}", 1, [1]],
    ["par p [2x2]", [1, 2, 3, 4], [1, 2, 3, 4]],
    ["par p [2x2]", 7, [7, 7, 7, 7]],
    ["par p [2] @m", ["1 cm", 2], [0.01, 2]],
    ["in p", 1, [1]],
    ["struct p :uint64", 3, [3n]],
    ["out p =1", 2, [2]],
  ])("[SC30] %s takes %s", (port, value, expected) => {
    expect(taken(port, value)).toEqual(expected);
  });
});

describe("values of elements", () => {
  const valuesOf = (port: string, given: Record<string, Value | readonly Value[]>) =>
    resolved({ units: { a: standIn("A", port) }, set: { a: given } }).units[0]!.values.map(
      ({ values }) => values,
    );

  it("[SC32] the others keep the whole value or the start value", () => {
    expect(valuesOf("par p [3] =7", { "p[2]": 1 })).toEqual([[7, 1, 7]]);
    expect(valuesOf("par p [3] =7", { "p[2:3]": [1, 2], p: 0 })).toEqual([[0, 1, 2]]);
    expect(valuesOf("par p [2x2] @m =0", { "p[2]": "5 mm" })).toEqual([[0, 0, 0.005, 0.005]]);
    expect(valuesOf("par p[2] =0", { "p[2]": 3 })).toEqual([[3]]);
  });
});

describe("drafts of other languages", () => {
  const draft = draftOf({ units: { a: standIn("A", "par p =1") }, set: { a: { p: 1 } } });
  const unit = draft.units[0]!;
  const codesOfUnits = (units: ScenarioDraft["units"]) =>
    resolveScenario({ ...draft, units }, (source) => descriptions.get(source)).diagnostics.map(
      ({ code, message }) => `${code}: ${message}`,
    );

  it("[SC13] two units of one name are refused, both places named", () => {
    expect(codesOfUnits([unit, { ...unit, place: at(9) }])).toEqual([
      "unit-name-taken: another unit is called 'a' (s.yaml:2:1)",
    ]);
  });

  it("[SC31] two values of one port are refused, both places named", () => {
    expect(codesOfUnits([{ ...unit, values: [...unit.values, ...unit.values] }])).toEqual([
      "value-twice: 'a.p' already has a value (s.yaml:1:1)",
    ]);
  });
});

describe("inputs", () => {
  it("[SC33] every input has a source, a value or a start value", () => {
    const units = two("out y", "in u; in v =1; in w; in x; in r [2]");
    const set = { b: { w: 3 } };
    const { diagnostics } = check({ units, connect: ["a.y -> b.u", "a.y -> b.r[1]"], set });
    expect(diagnostics.map(({ message }) => message)).toEqual([
      "the input 'b.x' has no source and no start value",
      "the input 'b.r' has no source and no start value",
    ]);
  });
});

const flange = (rule: string, members: string): Terminal => ({
  name: "flange",
  matchingRule: rule,
  members: members.split(" ").map((text) => {
    const [name, port, kind = "signal"] = text.split(":");
    return { name: name!, port: Number(port), kind: kind as "signal" };
  }),
  streams: [],
  terminals: [],
});

describe("terminals", () => {
  const left = "out phi @rad; in tau @N.m =0";
  const right = "in angle @deg =0; out torque @N.m";

  it("[SC23] members of plugs meet by name, in whichever direction the signal flows", () => {
    const units = {
      a: standIn("A", left, [flange("plug", "phi:0 tau:1:inflow")]),
      b: standIn("B", right, [flange("plug", "tau:1:inflow phi:0")]),
    };
    expect(shown(resolved({ units, connect: ["a.flange -> b.flange"] }))).toEqual([
      `a.phi[0] -> b.angle[0] x1 *${180 / Math.PI} +0 (rad → deg)`,
      "b.torque[0] -> a.tau[0] x1 *-1 +0",
    ]);
  });

  it("[SC23] a flow out of one side is a flow into the other, without a change of sign", () => {
    const units = {
      a: standIn("A", left, [flange("plug", "phi:0 tau:1:inflow")]),
      b: standIn("B", right, [flange("plug", "phi:0 tau:1:outflow")]),
    };
    expect(shown(resolved({ units, connect: ["a.flange -> b.flange"] }))[1]).toBe(
      "b.torque[0] -> a.tau[0] x1",
    );
  });

  it("[SC23] a sequence matches by order, a bus by what both have", () => {
    const sequence = {
      a: standIn("A", "out x; in y =0", [flange("sequence", "p:0 q:1")]),
      b: standIn("B", "in u =0; out v", [flange("sequence", "r:0 s:1")]),
    };
    const connect = ["a.flange -> b.flange"];
    expect(shown(resolved({ units: sequence, connect }))).toHaveLength(2);
    const bus = {
      a: standIn("A", "out x; in y =0", [flange("bus", "p:0 q:1")]),
      b: standIn("B", "in u =0; out v", [flange("bus", "p:0 z:1")]),
    };
    expect(shown(resolved({ units: bus, connect }))).toEqual(["a.x[0] -> b.u[0] x1"]);
  });

  it("[SC23] streams cross over, and terminals inside terminals are matched by name", () => {
    const pipe = (inPort: number, outPort: number): Terminal => ({
      name: "port",
      matchingRule: "plug",
      members: [],
      streams: [{ inName: "h_in", outName: "h_out", inPort, outPort }],
      terminals: [{ ...flange("plug", "p:2"), name: "signal" }],
    });
    const units = {
      a: standIn("A", "in hIn =0; out hOut; out p", [pipe(0, 1)]),
      b: standIn("B", "out h; in hBack =0; in p =0", [pipe(1, 0)]),
    };
    expect(shown(resolved({ units, connect: ["a.port -> b.port"] }))).toEqual([
      "a.hOut[0] -> b.hBack[0] x1",
      "b.h[0] -> a.hIn[0] x1",
      "a.p[0] -> b.p[0] x1",
    ]);
  });

  it.each([
    ["plug", "phi:0", "plug", "phi:0 tau:1", "terminal-member"],
    ["plug", "phi:0 tau:1", "plug", "phi:0", "terminal-member"],
    ["sequence", "phi:0", "sequence", "phi:0 tau:1", "terminal-member"],
    ["plug", "phi:0", "bus", "phi:0", "terminal-rule"],
    ["org.other", "phi:0", "org.other", "phi:0", "terminal-rule"],
    ["plug", "phi:0", "plug", "phi:1", "terminal-direction"],
  ])("[SC23] %s %s and %s %s: %s", (rule, members, otherRule, others, expected) => {
    const units = {
      a: standIn("A", left, [flange(rule, members)]),
      b: standIn("B", right, [flange(otherRule, others)]),
    };
    expect(codes({ units, connect: ["a.flange -> b.flange"] })).toContain(expected);
  });
});

describe("nested scenarios", () => {
  const inner = draftOf({
    units: two(
      "in u @m; in k =2; out y @m <-u; par gain =3",
      "in u =0; in v =0; out z <-u; out c <-",
    ),
    connect: ["a.y -> b.u"],
    set: { a: { gain: 4 } },
    ports: { u: "a.u", v: "b.v", z: "b.z", c: "b.c", gain: "a.gain" },
  });

  it("[SC40] are units again, with the ports they expose", () => {
    const units = { cell: inner, src: standIn("S", "out s @mm") };
    const scenario = resolved({ units, connect: ["src.s -> cell.u"], set: { cell: { gain: 5 } } });
    const cell = scenario.units[0]!;
    expect(cell.scenario!.units.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(cell.description.ports.map(({ name, direction }) => `${direction} ${name}`)).toEqual([
      "input u",
      "input v",
      "output z",
      "output c",
      "parameter gain",
    ]);
    expect(cell.description.ports[4]!.start).toEqual([4]);
    expect(cell.values).toMatchObject([{ port: 4, values: [5] }]);
    expect(shown(scenario)).toEqual(["src.s[0] -> cell.u[0] x1 *0.001 +0 (mm → m)"]);
  });

  it("[SC41] feed-through follows the connections inside", () => {
    const { description } = resolved({ units: { cell: inner }, set: { cell: { u: 0 } } }).units[0]!;
    expect(description.ports[2]!.feedThrough).toEqual([0]);
    expect(description.ports[3]!.feedThrough).toEqual([]);
  });

  it("[SC42] an exposed name may stand for several inputs of one kind", () => {
    const units = two("in u @m; out y", "in u @m; in w @K");
    const both = draftOf({ units, ports: { u: ["a.u", "b.u"], w: "b.w" } });
    const { description } = resolved({ units: { cell: both }, set: { cell: { u: 0, w: 0 } } })
      .units[0]!;
    expect(description.ports.map(({ name }) => name)).toEqual(["u", "w"]);
    const mixed = draftOf({ units, ports: { u: ["a.u", "b.w"] } });
    expect(codes({ units: { cell: mixed } })).toContain("exposed-differs");
  });

  it("[SC58] units with too many elements are refused before anything is made of them", () => {
    const large = standIn("Large", "out y [4294967295]");
    expect(codes({ units: { a: large } })).toEqual(["unit-too-large"]);
    const some = (n: number): Record<string, UnitDescription> =>
      Object.fromEntries(
        Array.from({ length: n }, (_, k) => [`u${k}`, standIn("Some", "out y [3999x1000]")]),
      );
    expect(codes({ units: some(4) })).toEqual([]);
    const { value, diagnostics } = check({ units: some(6) });
    expect(value).toBeUndefined();
    expect(diagnostics.map(({ code, place }) => `${code}@${place.line}`)).toEqual([
      "scenario-too-large@5",
    ]);
    // Those of nested scenarios count, each time that they are used.
    const nested = draftOf({ units: some(2) });
    expect(codes({ units: { a: nested, b: nested } })).toEqual([]);
    expect(codes({ units: { a: nested, b: nested, c: nested } })).toEqual(["scenario-too-large"]);
  });

  it("[SC43] a file that leads back to itself is refused", () => {
    const leaf = draftOf({ units: {} }, "outer.yaml");
    const circle: ScenarioDraft = {
      ...leaf,
      units: [
        {
          name: "again",
          source: { kind: "scenario-file", path: "outer.yaml" },
          values: [],
          place: at(3),
        },
      ],
    };
    const { value, diagnostics } = resolveScenario(
      circle,
      () => undefined,
      () => circle,
    );
    expect(value).toBeUndefined();
    expect(diagnostics.map(({ code }) => code)).toEqual(["scenario-nests-itself"]);
  });
});

describe("resolution", () => {
  it("[SC12] is deterministic: the order of declaration changes indices, not connections or messages", () => {
    const names = ["a", "b", "c", "d"];
    const end = fc
      .tuple(fc.constantFrom(...names, "e"), fc.constantFrom("x", "y", "u", "v", "w"))
      .map((parts) => parts.join("."));
    const connections = fc.array(
      fc.tuple(end, end).map((ends) => ends.join(" -> ")),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(connections, fc.shuffledSubarray(names, { minLength: 4 }), (connect, order) => {
        const unit = standIn("U", "out x @m; out y :int32; in u @mm =0; in v :int8 =0; in w =0");
        const sketch = (list: readonly string[]): Sketch => ({
          units: Object.fromEntries(list.map((name) => [name, unit])),
          connect,
        });
        const one = check(sketch(names));
        const other = check(sketch(order));
        const messages = (d: typeof one.diagnostics) => d.map(({ message }) => message);
        expect(messages(other.diagnostics)).toEqual(messages(one.diagnostics));
        expect(shown(other.value!)).toEqual(shown(one.value!));
      }),
      { seed: 20_240_504, numRuns: 300 },
    );
  });
});
