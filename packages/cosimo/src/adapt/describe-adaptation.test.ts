import { describe, expect, it } from "vitest";
import { limitedUnit } from "../engine/testing/limited-unit.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import { portOf } from "../unit/testing/drive.ts";
import { describeAdaptation } from "./describe-adaptation.ts";
import { kindsOf } from "./kinds.ts";
import { adapt, adaptation, adaptShort, around, PASS } from "./testing/adapt.ts";
import { integrator, proportional, timer } from "./testing/small-units.ts";

const portsOf = (description: UnitDescription): Record<string, Port> =>
  Object.fromEntries(description.ports.map((port) => [port.name, port]));

describe("the kind of a unit", () => {
  const withPorts = (...ports: Partial<Port>[]): UnitDescription => ({
    ...integrator("f").description,
    ports: ports.map((port, index) => ({ ...(port as Port), index })),
  });

  it("[AU30] follows from its ports, by rules in order", () => {
    const input = { direction: "input" } as const;
    const output = { direction: "output" } as const;
    expect(kindsOf(withPorts(input, output))).toEqual({ input: "delayed", output: "mealy" });
    expect(kindsOf(withPorts(input, { ...output, feedThrough: [0] })).output).toBe("mealy");
    expect(kindsOf(withPorts(input, { ...output, feedThrough: [] })).output).toBe("moore");
    expect(kindsOf(withPorts(output))).toEqual({ input: "delayed", output: "moore" });
    const both = withPorts(input, { ...input, reactive: true }, { ...output, feedThrough: [] });
    expect(kindsOf(both)).toEqual({ input: "reactive", output: "moore" });
  });
});

describe("the description of an adaptation", () => {
  const plant = functionUnit({
    name: "f",
    inputs: { u: { unit: "N", start: 3 }, go: { type: "boolean" }, n: { type: "int32" } },
    outputs: { y: { unit: "m" }, level: { type: "int32" } },
    evaluate: () => {},
  });

  it("[AU31] gives 64-bit integers, and what begins with more than 32 bits, as reals", () => {
    const { description } = integrator("f");
    const long: UnitDescription = {
      ...description,
      ports: description.ports.map((port) => ({ ...port, type: "int64" })),
    };
    const ports = portsOf(
      describeAdaptation(
        adaptation(
          around(
            "delayed moore",
            `input ports u: integer, n: integer
             output ports y
             param SMALL: integer := 2147483647, LARGE: integer := 2147483648;
             in var su := 0;
             in rules { true -> { su := u; } --> { f.u := su; }; }
             out rules { true -> {} --> { y := f.y; }; }`,
          ),
        ),
        new Map([["f", long]]),
      ),
    );
    expect(ports["u"].type).toBe("float64");
    expect(ports["y"].type).toBe("float64");
    expect(ports["n"].type).toBe("int32");
    expect(ports["SMALL"].type).toBe("int32");
    expect(ports["LARGE"].type).toBe("float64");
  });

  it("[AU31] finds types, units and start values by following plain assignments", () => {
    const ports = portsOf(
      describeAdaptation(
        adaptation(
          around(
            "delayed moore",
            `input ports force, start, count, angle (rad), scaled
             output ports y, level, half, on, why, jump
             param BEGIN := 2.5
             in var sf := BEGIN, ss := true, sn := 1, sa := 0.0, sc := 0.0;
             in rules {
               true -> { sf := force; ss := a.start; sn := count; sa := angle; sc := scaled; }
                   --> { f.u := sf; f.go := ss; f.n := sn; };
             }
             out var sy := 0.0, sl := 0;
             out rules {
               true -> { sy := f.y; sl := f.level; }
                   --> { y := sy; a.level := sl; half := sy / 2; on := sy > 1; why := "fine"; jump := 1.0; };
               sy > 2 -> { } --> { jump := 0.0; };
             }`,
          ),
        ),
        new Map([["f", plant.description]]),
      ),
    );
    expect(ports["force"]).toMatchObject({ type: "float64", unit: { name: "N" }, start: [2.5] });
    expect(ports["start"]).toMatchObject({
      type: "boolean",
      variability: "discrete",
      start: [true],
    });
    expect(ports["count"]).toMatchObject({ type: "int32", start: [1] });
    expect(ports["angle"]).toMatchObject({ type: "float64", unit: { name: "rad" } });
    expect(ports["scaled"]).toMatchObject({ type: "float64", variability: "continuous" });
    expect(ports["scaled"].unit).toBeUndefined();
    expect(ports["y"]).toMatchObject({ type: "float64", unit: { name: "m" } });
    expect(ports["level"]).toMatchObject({ type: "int32" });
    expect(ports["half"]).toMatchObject({ type: "float64", variability: "continuous" });
    expect(ports["half"].unit).toBeUndefined();
    expect(ports["on"]).toMatchObject({ type: "boolean" });
    expect(ports["why"]).toMatchObject({ type: "string" });
    expect(ports["jump"]).toMatchObject({ type: "float64", variability: "discrete" });
  });

  it("[SA60] a real that is declared discrete is held between instants, whatever it copies", () => {
    const text = around(
      "",
      "input ports u: discrete real (N) output ports y: discrete real <- f.y, z <- f.y",
    );
    const ports = portsOf(adaptShort(text, plant).description);
    const held = { type: "float64", variability: "discrete", nature: "piecewise-constant" };
    expect(ports["y"]).toMatchObject({ ...held, unit: { name: "m" } });
    expect(ports["u"]).toMatchObject(held);
    expect(ports["z"]).toMatchObject({ variability: "continuous", nature: "continuous" });
  });

  it.each([
    ["true and false", false],
    ["true and true", true],
    ["false or true", true],
    ["false or false", false],
    ["not false", true],
    ["not true", false],
    ["2 < 2", false],
    ["2 <= 2", true],
    ["2 > 2", false],
    ["2 >= 2", true],
    ["1 == 1", true],
    ["1 != 1", false],
    ['"a" == "a"', true],
    ['"a" != "a"', false],
    ["OTHER and not (OTHER or false)", false],
    ["OTHER ? 1 < 2 : false", true],
    ["7 % 4", 3],
    ["7 - 4 / 2", 5],
    ["OTHER ? 2 * 3 : 1", 6],
    ["-max(1, 2)", -2],
    ['OTHER ? "yes" : "no"', "yes"],
  ] as const)("[AU34] starts a parameter with %s", (value, expected) => {
    const text = around("delayed moore", `param OTHER := true, P := ${value};`);
    const description = describeAdaptation(
      adaptation(text),
      new Map([["f", integrator("f").description]]),
    );
    expect(portsOf(description)["P"]).toMatchObject({
      type: { boolean: "boolean", number: "float64", string: "string" }[typeof expected as string],
      start: [expected],
    });
  });

  const WIDE = `
    semantic adaptation reactive mealy A a
    for inner fmu F f at "f.fmu"
    for inner fmu F g at "f.fmu"
    with f.y -> g.u
    input ports u, v, w, x
    output ports y, z, sign, held
    in var su := 0.0, sv := 0.0, sw := 0.0;
    in rules {
      true -> { su := u; sv := a.v; if (x > 0) { sw := w; } } --> { f.u := su; };
    }
    out var sf := 0.0, sg := 0.0;
    out rules {
      true -> { sf := f.y; sg := g.y; } --> { a.y := sf; z := sg; };
      sf > 0 -> { } --> { sign := sw > 0; held := 1.0; };
    }`;

  it("[AU32] lets an output depend on what can reach it within an instant", () => {
    const inner = new Map([
      ["f", proportional("f").description],
      ["g", integrator("g").description],
    ]);
    const description = describeAdaptation(adaptation(WIDE), inner);
    const behind = (name: string): string[] =>
      portsOf(description)[name].feedThrough!.map((index) => description.ports[index].name);
    expect(behind("y")).toEqual(["u"]);
    expect(behind("z")).toEqual([]);
    // The condition of its rule counts, and so does the one around what it shows.
    expect(behind("sign")).toEqual(["u", "w", "x"]);
    const moore = describeAdaptation(adaptation(WIDE.replace("mealy", "moore")), inner);
    const of = (direction: Port["direction"]): Port[] =>
      moore.ports.filter((port) => port.direction === direction);
    expect(of("output").map(({ feedThrough }) => feedThrough)).toEqual([[], [], [], []]);
    expect(of("input").map(({ reactive }) => reactive)).toEqual([true, true, true, true]);
  });

  it("[AU33] can do what all of its inner units can", () => {
    const wide = (f: Parameters<typeof adapt>[1]): UnitDescription =>
      adapt(WIDE, f, integrator("g")).description;
    expect(wide(proportional("f")).capabilities).toMatchObject({
      rollback: true,
      serialize: true,
      variableStep: true,
      inputDerivativeOrder: 1,
      oncePerProcess: false,
    });
    expect(wide(limitedUnit(proportional("f"), { rollback: false })).capabilities).toMatchObject({
      rollback: false,
      serialize: false,
    });
    expect(wide(limitedUnit(proportional("f"), { serialize: false })).capabilities).toMatchObject({
      rollback: true,
      serialize: false,
    });
    const limits = { variableStep: false, oncePerProcess: true };
    expect(wide(limitedUnit(proportional("f"), limits)).capabilities).toMatchObject(limits);
  });

  it("[AU36] wants masters that can go back when its rules may return less than the step", () => {
    const refuses = (control: string): boolean | undefined =>
      adapt(around("reactive moore", `${PASS} ${control}`), integrator("f")).description
        .capabilities.refusesSteps;
    expect(refuses("")).toBeUndefined();
    expect(refuses("control rules { var H_f := do_step(f, t, H); return H_f; }")).toBeUndefined();
    expect(
      refuses("control rules { do_step(f, t, H); do_step(f, t, H); return H; }"),
    ).toBeUndefined();
    for (const same of [
      "var at := t; var size := H; return do_step(f, at, size);",
      "return do_step(f, t + 0, 1 * H);",
      "var size := H / 1; var at := 0 + t; var h1 := do_step(f, at, size - 0); return h1;",
    ])
      expect(refuses(`control rules { ${same} }`), same).toBeUndefined();
    for (const less of [
      "var size := H; size := 0.5; return do_step(f, t, size);",
      "var a := t; var b := H; a := b; b := a; b := H / 2; return do_step(f, t, a);",
      "return do_step(f, t, 1 / H);",
      "return do_step(f, t, 0 - H);",
    ])
      expect(refuses(`control rules { ${less} }`), less).toBe(true);
    expect(refuses("control rules { if (t > 1) { return H / 2; } return H; }")).toBe(true);
    const inner = limitedUnit(integrator("f"), { refusesSteps: true });
    expect(adapt(around("reactive moore", PASS), inner).description.capabilities.refusesSteps).toBe(
      true,
    );
  });

  it("[AU33] takes no slopes where no input is a continuous number", () => {
    const unit = adapt(
      around(
        "reactive moore",
        `input ports go
         output ports on
         in var s := false;
         in rules { true -> { s := a.go; } --> { f.go := s; }; }
         out var r := false;
         out rules { true -> { r := f.on; } --> { a.on := r; }; }`,
      ),
      timer("f"),
    );
    expect(unit.description.capabilities.inputDerivativeOrder).toBe(0);
    expect(portOf(unit, "go").type).toBe("boolean");
  });

  it("[AU69] takes slopes where inner units follow them, or where its author is ready for them", () => {
    const held = limitedUnit(integrator("f"), { inputDerivativeOrder: 0 });
    const asking = PASS.replace("su := a.u;", "su := a.u + 0 * input_slope(a.u);");
    const order = (kind: string, rules: string, inner: Parameters<typeof adapt>[1]): number =>
      adaptShort(around(kind, rules), inner).description.capabilities.inputDerivativeOrder;
    expect(order("delayed moore", PASS, integrator("f"))).toBe(0);
    expect(order("delayed moore", asking, integrator("f"))).toBe(1);
    expect(order("delayed moore", asking, held)).toBe(1);
    expect(order("reactive moore", PASS, held)).toBe(1);
    expect(order("", PASS, integrator("f"))).toBe(1);
    expect(order("", PASS, held)).toBe(0);
  });

  it("[AU34] has the parameters of the language as parameters", () => {
    const unit = adapt(
      around(
        "reactive mealy",
        `param GAIN := 2, INIT := -1.5, ON := true, NAME := "x", DERIVED := GAIN + 1
         input ports u
         output ports y
         in var s := INIT;
         in rules { ON -> { s := GAIN * u; } --> { f.u := s; }; }
         out rules { true -> { } --> { a.y := f.y; }; }`,
      ),
      linearUnit({ name: "f", inputs: { u: {} }, states: { y: {} }, a: [[0]], b: [[1]] }),
    );
    const parameter = (name: string): Port => portOf(unit, name);
    expect(parameter("GAIN")).toMatchObject({
      direction: "parameter",
      variability: "tunable",
      start: [2],
    });
    expect(parameter("INIT")).toMatchObject({
      type: "float64",
      variability: "fixed",
      start: [-1.5],
    });
    expect(parameter("ON")).toMatchObject({ type: "boolean", start: [true] });
    expect(parameter("NAME")).toMatchObject({ type: "string", start: ["x"] });
    expect(parameter("DERIVED").start).toEqual([3]);
  });

  it.each([
    ["control rules { return nothing; }", "'nothing' means nothing here"],
    ["control rules { return do_step(x, t, H); }", "takes an inner unit, a time and a step"],
    ["control rules { return do_step(f, t); }", "takes an inner unit, a time and a step"],
    ["control rules { su := foo(1); return H; }", "'foo' is not a function"],
    ["control rules { su := atan2(1); return H; }", "'atan2' takes 2 arguments, not 1"],
    ["control rules { a.u := 1; return H; }", "'a.u' cannot be assigned here"],
    ["control rules { GAIN := 1; return H; }", "'GAIN' cannot be assigned here"],
    ['control rules { su := "x"; return H; }', "texts and numbers do not turn into each other"],
    ['control rules { return H + "x"; }', "a text stands where a number is needed"],
  ])("[AU35] refuses %s with its place", (rules, message) => {
    const text = around("reactive moore", `param GAIN := 1 ${PASS}\n${rules}`);
    expect(() => adapt(text, integrator("f"))).toThrow(message);
    expect(() => adapt(text, integrator("f"))).toThrow(/^test\.sa:\d+:\d+ /);
  });

  it("[AU35] refuses inner steps outside control rules", () => {
    const text = around("reactive moore", PASS.replace("su := a.u;", "su := do_step(f, t, H);"));
    expect(() => adapt(text, integrator("f"))).toThrow("'do_step' is for control rules only");
  });
});
