/**
 * Rare variants of scenarios, each by hand: values element by element, one bad element among
 * several, exposed ports, terminals of many kinds, order of findings.
 */
import { describe, expect, it } from "vitest";
import type { Place } from "../base/diagnostic.ts";
import { parseUnit } from "./physical-unit-parse.ts";
import { resolveScenario } from "./resolve-scenario.ts";
import type { ConnectionDraft, ScenarioDraft, UnitDraft, ValueDraft } from "./scenario.ts";
import { testDraft } from "./testing/plain-data.ts";
import { standIn } from "./testing/stand-in-units.ts";
import type { Terminal, UnitDescription } from "./unit-description.ts";
import type { Value } from "./value-type.ts";

const at = (line: number, column = 1): Place => ({ file: "s.yaml", line, column });

type Units = Readonly<Record<string, UnitDescription>>;

function unitDrafts(
  units: Units,
  values: Readonly<Record<string, readonly ValueDraft[]>> = {},
): UnitDraft[] {
  return Object.keys(units).map((name, u) => ({
    name,
    source: { kind: "fmu", path: name },
    values: values[name] ?? [],
    place: at(u + 1),
  }));
}

function resolve(units: Units, more: Partial<ScenarioDraft>) {
  const draft = testDraft(unitDrafts(units), more);
  const { value, diagnostics } = resolveScenario(draft, (_, name) => units[name]);
  return { value, diagnostics, codes: diagnostics.map(({ code }) => code) };
}

const wire = (from: string, to: string, more: Partial<ConnectionDraft> = {}): ConnectionDraft => ({
  from,
  to,
  suppress: [],
  place: at(10),
  ...more,
});

const set = (
  port: string,
  value: Value | readonly Value[],
  more: Partial<ValueDraft> = {},
): ValueDraft => ({
  port,
  value,
  place: at(5),
  ...more,
});

describe("values of an array", () => {
  const values = (notation: string, ...given: readonly ValueDraft[]) => {
    const units = { a: standIn("A", notation) };
    const { value, codes } = resolve(units, { units: unitDrafts(units, { a: given }) });
    return { values: value?.units[0].values[0]?.values, codes };
  };

  it.each<[string, string, ValueDraft[], readonly Value[] | undefined, string[]]>([
    ["the whole", "par k [3] =0", [set("k", [1, 2, 3])], [1, 2, 3], []],
    ["one for all", "par k [3] =0", [set("k", 7)], [7, 7, 7], []],
    ["one element over the start", "par k [3] =5", [set("k[2]", 1)], [5, 1, 5], []],
    ["a range over the start", "par k [4] =5", [set("k[2:3]", [1, 2])], [5, 1, 2, 5], []],
    ["one value for a range", "par k [4] =5", [set("k[2:4]", 9)], [5, 9, 9, 9], []],
    ["a row of a matrix", "par k [2x2] =0", [set("k[2]", [1, 2])], [0, 0, 1, 2], []],
    [
      "an element over the whole, in any order",
      "par k [2] =0",
      [set("k[1]", 3), set("k", [8, 9])],
      [3, 9],
      [],
    ],
    ["all elements without a start", "par k [2]", [set("k[1]", 3), set("k[2]", 4)], [3, 4], []],
    [
      "not all elements, without a start",
      "par k [3]",
      [set("k[1]", 3)],
      [3, 3, 3],
      ["value-partial"],
    ],
    ["too many", "par k [2] =0", [set("k", [1, 2, 3])], undefined, ["value-count"]],
    ["too few for a range", "par k [3] =0", [set("k[1:3]", [1, 2])], undefined, ["value-count"]],
    ["outside", "par k [2] =0", [set("k[3]", 1)], undefined, ["element-outside"]],
    [
      "the second of three is malformed",
      "par k [3] =0",
      [set("k", [1, "x", 3])],
      undefined,
      ["value-malformed"],
    ],
    [
      "the same element twice",
      "par k [2] =0",
      [set("k[1]", 1), set("k[1]", 2)],
      [1, 0],
      ["value-twice"],
    ],
  ])("[SC30] [SC32] %s", (_, notation, given, expected, codes) => {
    const found = values(notation, ...given);
    expect([found.values, found.codes]).toEqual([expected, codes]);
  });

  it.each<[string, string[]]>([
    ["par k <0..10> =1", []],
    ["out y", ["value-not-settable"]],
    ["out y =0", []],
    ["local y =0", []],
    ["local y", ["value-not-settable"]],
    ["calc y =0", ["value-not-settable"]],
    ["time y", ["value-not-settable"]],
    ["par y ~constant =0", ["value-not-settable"]],
    ["struct y :uint64 =1", []],
    ["in y :clock", ["value-not-settable"]],
  ])("[SC30] of '%s' are settable: %j", (notation, codes) => {
    const name = notation.split(" ")[1];
    expect(values(notation, set(name, 1)).codes).toEqual(codes);
  });

  it.each<[number, string[]]>([
    [0, []],
    [10, []],
    [-0.001, ["value-range"]],
    [10.001, ["value-range"]],
  ])("[SC31] %d is within 0 to 10: %j", (value, codes) => {
    expect(values("par k <0..10> =1", set("k", value))).toEqual({ values: [value], codes });
  });

  it("[SC30] of a set that names no port are left out with a warning where that may be", () => {
    expect(values("par k =1", set("kk", 1)).codes).toEqual(["unknown-port"]);
    expect(values("par k =1", set("kk", 1, { optional: true })).codes).toEqual(["value-unmatched"]);
  });

  it("[SC30] of a set are without effect where nothing can be set, with a warning", () => {
    const given = set("y", 1, { optional: true });
    expect(values("local y", given)).toEqual({ codes: ["value-without-effect"] });
  });

  it("[SS14] of a set are the numbers that it writes where the port has no unit", () => {
    const written = { value: 3, unit: "bar" };
    const given = set("k", 3e5, { optional: true, unit: "kg.m-2", written });
    expect(values("par k =1", given)).toEqual({ values: [3], codes: ["value-unit-unused"] });
    expect(values("par k =1", set("k", 3, { unit: "bar" })).codes).toEqual(["value-unit"]);
    expect(values("par k @Pa =1", given).codes).toEqual(["value-unit"]);
  });
});

describe("connections of arrays", () => {
  const units = {
    a: standIn("A", "out y [2x3]; out row [1x3]; out s; out c :clock; out t :string"),
    b: standIn("B", "in u [2x3] =0; in v [3] =0; in s =0; in c :clock; in t :string =x"),
  };

  it.each<[string, string, [number, number, number] | string]>([
    ["a.y", "b.u", [0, 0, 6]],
    ["a.y[2]", "b.u[1]", [3, 0, 3]],
    ["a.row", "b.v", [0, 0, 3]],
    ["a.y[1]", "b.v", [0, 0, 3]],
    ["a.y[2,3]", "b.v[2]", [5, 1, 1]],
    ["a.y[2,2:3]", "b.v[1:2]", [4, 0, 2]],
    ["a.y[2,2:3]", "b.v", "connection-shape"],
    ["a.y", "b.v", "connection-shape"],
    ["a.s", "b.v", "connection-shape"],
    ["a.s", "b.u[1,1]", [0, 0, 1]],
    ["a.c", "b.c", [0, 0, 1]],
    ["a.t", "b.t", [0, 0, 1]],
    ["a.t", "b.s", "connection-type"],
  ])("[SC20] %s -> %s: %j", (from, to, expected) => {
    const { value, codes } = resolve(units, { connections: [wire(from, to)] });
    if (typeof expected === "string") expect(codes).toEqual([expected]);
    else {
      expect(codes).toEqual([]);
      const [one] = value?.connections ?? [];
      expect([one.fromElement, one.toElement, one.count]).toEqual(expected);
    }
  });

  it.each<[Partial<ConnectionDraft>, string, string, string[]]>([
    [{ factor: 2 }, "a.s", "b.s", []],
    [{ factor: 2 }, "a.t", "b.t", ["connection-transformation"]],
    [{ offset: 1 }, "a.c", "b.c", ["connection-transformation"]],
    [{ factor: 1, offset: 0 }, "a.t", "b.t", []],
    [{ approximation: "linear" }, "a.s", "b.s", []],
    [{ approximation: "linear" }, "a.t", "b.t", ["connection-approximation"]],
    [{ approximation: "hold" }, "a.t", "b.t", []],
    [{ mapping: [{ from: 1, to: 2 }] }, "a.s", "b.s", ["mapping-type"]],
  ])("[SC27] with %j from %s to %s: %j", (more, from, to, codes) => {
    expect(resolve(units, { connections: [wire(from, to, more)] }).codes).toEqual(codes);
  });

  it("[SC26] the second source of an element is refused, at its own place, naming the first", () => {
    const connections = [
      wire("a.row", "b.u[1]", { place: at(20) }),
      wire("a.row", "b.u[2]", { place: at(21) }),
      wire("a.s", "b.u[2,3]", { place: at(22) }),
    ];
    const { diagnostics, value } = resolve(units, { connections });
    expect(diagnostics.map(({ code, place }) => [code, place.line])).toEqual([
      ["connection-two-sources", 22],
    ]);
    expect(diagnostics[0].message).toContain("s.yaml:21");
    expect(value?.connections).toHaveLength(2);
  });

  it("[SC28] units are named in both orders, converted, and left alone where one is missing", () => {
    const measured = {
      a: standIn("A", "out y @mm; out z; out w @Hz"),
      b: standIn("B", "in u @m =0; in v @K =0; in n =0; in r @rad/s =0"),
    };
    const conversionOf = (from: string, to: string, more: Partial<ConnectionDraft> = {}) => {
      const { value, codes } = resolve(measured, { connections: [wire(from, to, more)] });
      const [one] = value?.connections ?? [];
      return [codes, one && [one.factor, one.offset, one.conversion]];
    };
    expect(conversionOf("a.y", "b.u")).toEqual([[], [0.001, 0, "mm → m"]]);
    expect(conversionOf("a.y", "b.u", { factor: 2, offset: 3 })).toEqual([
      [],
      [0.002, 3, "mm → m"],
    ]);
    expect(conversionOf("a.y", "b.v")).toEqual([["unit-mismatch"], undefined]);
    expect(conversionOf("a.y", "b.v", { suppress: ["unit"] })).toEqual([[], [1, 0, undefined]]);
    expect(conversionOf("a.z", "b.u")).toEqual([[], [1, 0, undefined]]);
    expect(conversionOf("a.y", "b.n")).toEqual([[], [1, 0, undefined]]);
    expect(conversionOf("a.w", "b.r")[0]).toEqual(["unit-radian"]);
    const unknown = {
      a: standIn("A", "out y @smoot"),
      b: standIn("B", "in u @m =0; in v @smoot =0"),
    };
    const found = (to: string) => resolve(unknown, { connections: [wire("a.y", to)] });
    expect(found("b.u").codes).toEqual(["unit-unknown"]);
    expect(found("b.u").diagnostics[0].message).toContain("'smoot' is not defined");
    expect(found("b.u").value?.connections[0].factor).toBe(1);
    expect(found("b.v").codes).toEqual([]);
  });
});

describe("units that a system declares of ports", () => {
  const units = {
    a: standIn("A", "out none; out metres @m; out whole :int32"),
    b: standIn("B", "in u @m =0"),
  };
  const km = parseUnit("km")!;

  it.each<[string, string[], number]>([
    ["none", [], 1000],
    ["metres", ["port-unit-differs"], 1],
    ["whole", [], 1],
    ["absent", [], 1],
  ])("[SS14] of '%s': %j", (port, codes, factor) => {
    const place = { file: "x.ssd", line: 1 };
    const from = port === "absent" ? "none" : port;
    const [a, b] = unitDrafts(units) as [UnitDraft, UnitDraft];
    const found = resolve(units, {
      units: [{ ...a, portUnits: [{ port, unit: km, place }] }, b],
      connections: [wire(`a.${from}`, "b.u")],
    });
    expect(found.codes).toEqual(codes);
    expect(found.value!.connections[0]!.factor).toBe(factor);
  });
});

describe("directions", () => {
  const units = {
    a: standIn("A", "out y; in u =0; par k =1; local l [2]; calc c"),
    b: standIn("B", "out y; in u =0; local l"),
  };

  it("[SC20] a local variable and a calculated parameter are outputs where a connection begins there", () => {
    const shown = (from: string) => {
      const { value, codes } = resolve(units, { connections: [wire(from, "b.u")] });
      expect(codes).toEqual([]);
      const [l, c] = value!.units[0]!.description.ports.slice(3);
      return [l!.direction, c!.direction, c!.feedThrough];
    };
    expect(shown("a.y")).toEqual(["local", "calculated-parameter", undefined]);
    expect(shown("a.l[2]")).toEqual(["output", "calculated-parameter", undefined]);
    expect(shown("a.c")).toEqual(["local", "output", []]);
  });

  it.each<[string, string, string[]]>([
    ["a.y", "b.u", []],
    ["b.u", "a.y", ["connection-from-input"]],
    ["a.u", "b.u", ["connection-from"]],
    ["a.y", "b.y", ["connection-to"]],
    ["a.k", "b.l", ["connection-from", "connection-to"]],
    ["a.y", "a.u", ["connection-to-itself"]],
    ["a.*", "b.u", ["connection-kinds"]],
    ["a.*", "b.*", ["group-empty"]],
  ])("[SC20] [SC22] [SC29] from %s to %s: %j", (from, to, codes) => {
    expect(resolve(units, { connections: [wire(from, to)] }).codes).toEqual(codes);
  });
});

describe("terminals", () => {
  const terminal = (
    name: string,
    rule: string,
    kinds: readonly ("signal" | "inflow" | "outflow")[],
  ): Terminal => ({
    name,
    matchingRule: rule,
    members: kinds.map((kind, port) => ({ name: `m${port}`, port, kind })),
    streams: [],
    terminals: [],
  });

  it.each<["signal" | "inflow" | "outflow", "signal" | "inflow" | "outflow", number]>([
    ["signal", "signal", 1],
    ["inflow", "inflow", -1],
    ["outflow", "outflow", -1],
    ["inflow", "outflow", 1],
    ["outflow", "inflow", 1],
    ["signal", "inflow", 1],
    ["inflow", "signal", 1],
  ])("[SC23] a member %s and a member %s meet with the sign %d", (left, right, sign) => {
    const units = {
      a: standIn("A", "out y", [terminal("t", "plug", [left])]),
      b: standIn("B", "in u =0", [terminal("t", "plug", [right])]),
    };
    const { value, codes } = resolve(units, { connections: [wire("a.t", "b.t")] });
    expect([codes, value?.connections[0].factor]).toEqual([[], sign]);
    // Whichever side the output is on.
    const turned = resolve(units, { connections: [wire("b.t", "a.t")] });
    expect(turned.value?.connections[0]).toMatchObject({
      from: { unit: 0 },
      to: { unit: 1 },
      factor: sign,
    });
  });

  it.each<[string, string, number, string[]]>([
    ["plug", "plug", 2, ["terminal-member"]],
    ["bus", "bus", 2, []],
    ["sequence", "sequence", 2, ["terminal-member"]],
    ["plug", "bus", 1, ["terminal-rule"]],
    ["none", "none", 1, ["terminal-rule"]],
  ])("[SC23] rules %s and %s with %d members: %j", (left, right, count, codes) => {
    const kinds = new Array<"signal">(count).fill("signal");
    const units = {
      a: standIn("A", "out y; out z", [terminal("t", left, ["signal"])]),
      b: standIn("B", "in u =0; in v =0", [terminal("t", right, kinds)]),
    };
    expect(resolve(units, { connections: [wire("a.t", "b.t")] }).codes).toEqual(codes);
  });

  it("[SC23] two outputs, and what is neither input nor output, are named", () => {
    const pair = (left: string, right: string): string[] =>
      resolve(
        {
          a: standIn("A", left, [terminal("t", "plug", ["signal"])]),
          b: standIn("B", right, [terminal("t", "plug", ["signal"])]),
        },
        { connections: [wire("a.t", "b.t")] },
      ).codes;
    expect(pair("out y", "out y")).toEqual(["terminal-direction"]);
    expect(pair("in u =0", "in u =0")).toEqual(["terminal-direction"]);
    expect(pair("par k =1", "in u =0")).toEqual(["terminal-skipped"]);
    expect(pair("local l", "local l")).toEqual(["terminal-skipped"]);
  });
});

describe("findings", () => {
  it("[SC12] come by line, then by column, and keep their order at one place", () => {
    const units = { a: standIn("A", "out y"), b: standIn("B", "in u =0") };
    const connections = [
      wire("a.x", "b.u", { place: at(30, 9) }),
      wire("a.z", "b.u", { place: at(30, 2) }),
      wire("no.y", "b.w", { place: at(12) }),
    ];
    const { diagnostics } = resolve(units, { connections });
    expect(diagnostics.map(({ code, place }) => `${place.line}:${place.column} ${code}`)).toEqual([
      "12:1 unknown-unit",
      "12:1 unknown-port",
      "30:2 unknown-port",
      "30:9 unknown-port",
    ]);
  });

  it("[SC33] an input without source, value or start is missing; a part of one is not enough", () => {
    const a = standIn("A", "out y");
    const missing = (notation: string, ...connections: readonly ConnectionDraft[]): string[] =>
      resolve({ a, b: standIn("B", notation) }, { connections }).codes;
    expect(missing("in u")).toEqual(["input-missing"]);
    expect(missing("in u =0")).toEqual([]);
    expect(missing("in u", wire("a.y", "b.u"))).toEqual([]);
    expect(missing("in u [2]", wire("a.y", "b.u[1]"))).toEqual(["input-missing"]);
    expect(missing("in u [2]", wire("a.y", "b.u[1]"), wire("a.y", "b.u[2]"))).toEqual([]);
    expect(missing("in u :clock")).toEqual([]);
    expect(missing("par k")).toEqual([]);
  });

  it("[SC42] exposed names that differ in type, shape, unit or direction are refused", () => {
    const units = {
      a: standIn(
        "A",
        "in u @m =0; in v @m =0; in w @mm =0; in n :int32 =0; in x @m [2] =0; out y @m; out z @m",
      ),
    };
    const codes = (...inner: readonly string[]): string[] =>
      resolve(units, {
        ports: inner.map((text) => ({ name: "p", inner: `a.${text}`, place: at(9) })),
      }).codes;
    expect(codes("u", "v")).toEqual([]);
    for (const other of ["w", "n", "x", "y"])
      expect(codes("u", other)).toEqual(["exposed-differs"]);
    // Two outputs cannot be one port, however alike.
    expect(codes("y", "z")).toEqual(["exposed-differs"]);
    expect(codes("x[1]")).toEqual(["exposed-whole"]);
    expect(codes("*")).toEqual(["exposed-whole"]);
  });
});
