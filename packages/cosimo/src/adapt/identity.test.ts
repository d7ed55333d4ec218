/**
 * Adaptations that only rename, count or step once are the unit itself, bit for bit, and the
 * library makes no unit worse.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { applySa } from "../lang/sa/apply-sa.ts";
import { explicitForm } from "../lang/sa/explicit-form.ts";
import { parseSa } from "../lang/sa/parse-sa.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import { getNumber, indexOf, setValues, startUnit } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { adaptedUnit } from "./adapted-unit.ts";
import { adaptShort, step } from "./testing/adapt.ts";

/** y' = u - y; it follows slopes of its input. */
const follower = (reactive?: boolean): Unit =>
  linearUnit(
    {
      name: "f",
      inputs: { u: reactive === undefined ? {} : { reactive } },
      states: { y: {} },
      a: [[-1]],
      b: [[1]],
    },
    "f",
  );

interface Point {
  readonly u: number;
  readonly slope: number;
}

function outputsOver(unit: Unit, points: readonly Point[], size = 0.1): number[] {
  startUnit(unit);
  const takesSlopes = unit.description.capabilities.inputDerivativeOrder > 0;
  return points.map(({ u, slope }, k) => {
    setValues(unit, { u });
    if (takesSlopes) unit.setInputDerivatives([indexOf(unit, "u")], [1], Float64Array.of(slope));
    step(unit, k * size, (k + 1) * size);
    return getNumber(unit, "y");
  });
}

/** A unit with another description. */
const fixed = (description: Unit["description"]): ProxyHandler<Unit> => ({
  get: (unit, key) => {
    const member: unknown = key === "description" ? description : Reflect.get(unit, key, unit);
    return typeof member === "function" ? member.bind(unit) : member;
  },
});

const HEAD = `A a for inner fmu F f at "f.fmu"`;
const CONTROLS = [
  "",
  "control rules { return do_step(f, t, H); }",
  "control rules { var h1 := do_step(f, t, H); return h1; }",
  "control rules { var h1 := (do_step(f, (t), H)); if (true) { return (h1); } return H; }",
  "control var n := 0.0; control rules { n := n + 1; do_step(f, t, H); return H; }",
];
const MAPS = [
  "",
  "in var x := 0.0; in rules { true -> { x := a.u; } --> { f.u := x; }; }",
  "in var x := 0.0; in rules { true -> { var w := (a.u); x := w; } --> { if (true) { f.u := x; } }; }",
];

const out = (rules: string): string => `output ports y ${rules}`;
const OUTS = [
  "",
  "output ports y <- f.y",
  out("out rules { true -> {} --> { a.y := f.y; }; }"),
  out("out rules { true -> {} --> { var w := (f.y); a.y := w; }; }"),
  out("out var w := 0.0; out rules { true -> { w := f.y; } --> { a.y := w; }; }"),
  out("out rules { true -> {} --> { if (f.y > 1000) { a.y := 0; } else { a.y := f.y; } }; }"),
  out("out rules { true -> {} --> { a.y := true ? -(-f.y) : 0.0; }; }"),
  out("out rules { true -> {} --> { a.y := 1 * f.y + 0; }; }"),
];

describe("the identity", () => {
  const points = fc.array(
    fc.record({
      u: fc.double({ min: -9, max: 9, noNaN: true }),
      slope: fc.double({ min: -9, max: 9, noNaN: true }),
    }),
    { minLength: 1, maxLength: 6 },
  );
  it("[AU67] is what renames, counts or steps once, however it is written", () => {
    fc.assert(
      fc.property(
        points,
        fc.constantFrom(...CONTROLS),
        fc.constantFrom(...MAPS),
        fc.constantFrom(...OUTS),
        fc.constantFrom(true, false, undefined),
        (given, control, map, outs, reactive) => {
          const ports = map === "" ? "" : "input ports u";
          const [own = "", rules = ""] = outs.split(/(?=out (?:var|rules))(.*)/);
          const adapted = adaptShort(
            `semantic adaptation ${HEAD} ${ports} ${own} ${map} ${control} ${rules}`,
            follower(reactive),
          );
          expect(outputsOver(adapted, given)).toEqual(outputsOver(follower(reactive), given));
        },
      ),
      { numRuns: 300, seed: 11 },
    );
  });

  it("[SA42] has the kinds of what is inside where none is named", () => {
    const kindOf = (head: string, reactive?: boolean): boolean | undefined =>
      adaptShort(`semantic adaptation ${head} ${HEAD}`, follower(reactive)).description.ports.find(
        ({ name }) => name === "u",
      )!.reactive;
    for (const kind of [true, false, undefined]) expect(kindOf("", kind)).toBe(kind);
    expect(kindOf("delayed moore", true)).toBe(false);
    expect(kindOf("reactive", undefined)).toBe(true);
  });

  it("[SA43] tells rules how fast an input goes", () => {
    const unit = adaptShort(
      `semantic adaptation reactive ${HEAD} input ports u output ports y, rate
       in var r := 0.0;
       in rules { true -> { r := input_slope(a.u); } --> { f.u := r; }; }
       control var kept := 0.0;
       control rules { kept := r; do_step(f, t, H); return H; }
       out rules { true -> {} --> { a.rate := kept; }; }`,
      follower(),
    );
    outputsOver(unit, [{ u: 1, slope: 3 }]);
    expect(getNumber(unit, "rate")).toBeCloseTo(3, 12);
  });

  it("[SA43] gives rules the second derivative where inner units can take parts of a step", () => {
    const curves = (inner: Unit): { unit: Unit; order: number } => {
      const unit = adaptShort(
        `semantic adaptation delayed ${HEAD} input ports u output ports y, curve
         in var x := 0.0, c := 0.0;
         in rules { true -> { x := a.u; c := input_curve(a.u); } --> { f.u := x; }; }
         control var kept := 0.0;
         control rules { kept := c; do_step(f, t, H); return H; }
         out rules { true -> {} --> { a.curve := kept; }; }`,
        inner,
      );
      return { unit, order: unit.description.capabilities.inputDerivativeOrder };
    };
    const { unit, order } = curves(follower());
    expect(order).toBe(2);
    startUnit(unit);
    const u = indexOf(unit, "u");
    unit.setInputDerivatives([u, u], [1, 2], Float64Array.of(3, 5));
    step(unit, 0, 0.1);
    expect(getNumber(unit, "curve")).toBe(5);
    const rigid = follower();
    const description = {
      ...rigid.description,
      capabilities: { ...rigid.description.capabilities, variableStep: false },
    };
    expect(curves(new Proxy(rigid, fixed(description))).order).toBe(1);
  });
});

describe("the library", () => {
  const FOLDER = join(import.meta.dirname, "..", "..", "adaptations");
  function applied(name: string, set: string, reactive?: boolean): Unit {
    const inner = follower(reactive);
    const open = unwrap(parseSa(readFileSync(join(FOLDER, `${name}.sa`), "utf8"), name));
    const describeUnit = () => inner.description;
    const place = { file: name };
    const given = set === "" ? [] : [{ name: "rate", value: Number(set), place }];
    const closed = unwrap(applySa(open, given, describeUnit, place));
    const explicit = unwrap(explicitForm(closed, describeUnit));
    return adaptedUnit("adapted", explicit, new Map([["unit", inner]]));
  }
  /**
   * u = sin t, interpolated to the end of each step by its chord, or held where the step begins.
   */
  const sine = (follows: boolean): Point[] =>
    Array.from({ length: 60 }, (_, k) => {
      const [u, next] = [Math.sin(0.1 * k), Math.sin(0.1 * (k + 1))];
      return { u, slope: follows ? (next - u) / 0.1 : 0 };
    });
  // y' = sin t - y from 0.
  const exact = (t: number): number => (Math.exp(-t) + Math.sin(t) - Math.cos(t)) / 2;
  const worst = (unit: Unit, follows: boolean): number =>
    Math.max(...outputsOver(unit, sine(follows)).map((y, k) => Math.abs(y - exact(0.1 * (k + 1)))));
  const CASES = ["multi-rate", "interpolate", "extrapolate", "derivative", "sensitivity"].flatMap(
    (name) =>
      [true, false, undefined].flatMap((reactive) =>
        [true, false].map((follows) => ({ name, reactive, follows })),
      ),
  );

  it.each(CASES)(
    "[AU68] $name makes no unit worse (reactive $reactive, slopes $follows)",
    ({ name, reactive, follows }) => {
      const bare = worst(follower(reactive), follows);
      expect(worst(applied(name, "", reactive), follows)).toBeLessThanOrEqual(bare * (1 + 1e-9));
    },
  );

  it("[AU68] multi-rate with one step is the unit itself", () => {
    for (const follows of [true, false])
      expect(outputsOver(applied("multi-rate", "1", true), sine(follows))).toEqual(
        outputsOver(follower(true), sine(follows)),
      );
  });
});
