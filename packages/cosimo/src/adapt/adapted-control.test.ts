/** Who gets which input when, with control rules and without. */
import { describe, expect, it } from "vitest";
import { bytesPerCall } from "../numerics/testing/bytes-per-call.ts";
import { getNumber, getValues, indexOf, setValues } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { adapt, adaptShort, PASS, running, started, step } from "./testing/adapt.ts";
import { crier, integrator, proportional } from "./testing/small-units.ts";

describe("control", () => {
  const TWO = (rules: string): string => `
    semantic adaptation reactive mealy A a
    for inner fmu F f at "f.fmu"
    for inner fmu F g at "f.fmu"
    with f.y -> g.u
    input ports u
    output ports y
    in var su := 0.0;
    in rules { true -> { su := a.u; } --> { f.u := su; }; }
    out var stored_f_y := 0.0, sy := 0.0;
    out rules { true -> { stored_f_y := f.y; sy := g.y; } --> { a.y := sy; }; }
    ${rules}`;
  const WRITTEN_OUT = `control rules {
    var H_f := do_step(f, t, H);
    g.u := stored_f_y;
    var H_g := do_step(g, t, H);
    return min(H_f, H_g);
  }`;

  /** y after each of three steps with u = 1, 2, 3 at their beginnings, led to the next one. */
  const outputs = (rules: string, isReactive: boolean): number[] => {
    const unit = started(
      adapt(TWO(rules), integrator("f", isReactive), integrator("g", isReactive)),
    );
    return [1, 2, 3].map((u, k) => {
      setValues(unit, { u });
      unit.setInputDerivatives([indexOf(unit, "u")], [1], Float64Array.of(1));
      step(unit, k, k + 1);
      return getNumber(unit, "y");
    });
  };

  const SPELLINGS = [
    WRITTEN_OUT,
    WRITTEN_OUT.replace("min(H_f, H_g)", "min((H_g), H_f)"),
    `control rules { if (true) { do_step(f, t, H); } g.u := stored_f_y; return do_step(g, t, H); }`,
    `control rules { do_step(f, t, H); var x := stored_f_y; g.u := x; do_step(g, t, H); return H; }`,
  ];

  it("[AU24] means the same however it is written, and left out", () => {
    for (const spelling of SPELLINGS) expect(outputs(spelling, true)).toEqual(outputs("", true));
    // An input that is declared delayed gets the beginning of the step, unless rules say what else.
    for (const spelling of SPELLINGS) {
      const connected = spelling.replace(/g\.u := \w+;/, "");
      expect(outputs(connected, false)).toEqual(outputs("", false));
    }
  });

  it("[AU3] lets control rules replace a text, once", () => {
    const unit = running(
      "delayed moore",
      `input ports say: string output ports first: string, second: string
           in var x := "";
           in rules { true -> { x := a.say; } --> { f.say := x; }; }
           control var one := "", two := "";
           control rules {
             f.say := "rule";
             do_step(f, t, H / 2);
             one := f.said;
             do_step(f, t + H / 2, H / 2);
             two := f.said;
             return H;
           }
           out rules { true -> { } --> { a.first := one; a.second := two; }; }`,
      crier("f"),
    );
    setValues(unit, { say: "input" });
    step(unit, 0, 1);
    expect(getValues(unit, "first")).toEqual(["RULE"]);
    expect(getValues(unit, "second")).toEqual(["INPUT"]);
  });

  it("[AU22] releases the snapshots of inner units with its own", () => {
    const inner = integrator("f");
    const kept = new Set<unknown>();
    const unit = running(
      "reactive moore",
      PASS,
      new Proxy(inner, {
        get: (target, key) => {
          const member: unknown = Reflect.get(target, key, target);
          if (typeof member !== "function") return member;
          return (...given: unknown[]) => {
            const result: unknown = Reflect.apply(member, target, given);
            if (key === "save") kept.add(result);
            if (key === "release") kept.delete(given[0]);
            return result;
          };
        },
      }),
    );
    const snapshot = unit.save();
    expect(kept.size).toBe(1);
    unit.release(snapshot);
    expect(kept.size).toBe(0);
  });

  it("[AU66] executes every control rule, whatever it looks like", () => {
    const double = (value: string): number[] =>
      outputs(WRITTEN_OUT.replace("stored_f_y", value), true);
    expect(double("stored_f_y * 2")).toEqual(double("2 * stored_f_y"));
    expect(double("stored_f_y * 2")).not.toEqual(outputs("", true));
    expect(double("stored_f_y + 100")).toEqual(double("100 + stored_f_y"));
    expect(double("stored_f_y + 100")).not.toEqual(outputs("", true));
  });

  it("[AU24] means the same after its reduction to explicit form, conversions included", () => {
    const text = `
      semantic adaptation reactive mealy A a
      for inner fmu F f at "f.fmu" with input ports u with output ports y (m)
      for inner fmu F g at "f.fmu" with input ports u (cm) with output ports y
      with f.y -> g.u
      input ports u
      output ports y, middle`;
    const rules = `
      in var su := 0.0;
      in rules { true -> { su := a.u; } --> { f.u := su; }; }
      out var sf := 0.0, sy := 0.0;
      out rules { true -> { sf := f.y; sy := g.y; } --> { a.y := sy; a.middle := sf; }; }`;
    const values = (unit: Unit): number[] =>
      [1, 2, 3].flatMap((u, k) => {
        setValues(unit, { u });
        step(unit, k, k + 1);
        return [getNumber(unit, "y"), getNumber(unit, "middle")];
      });
    const short = values(
      started(
        adaptShort(
          `${text.replace("y, middle", "y <- g.y, middle <- f.y")}`,
          integrator("f"),
          integrator("g"),
        ),
      ),
    );
    // f adds up u where steps begin, and so does g with what f is there, in centimetres.
    expect(short).toEqual([0, 1, 100, 3, 400, 6]);
    expect(values(started(adapt(text + rules, integrator("f"), integrator("g"))))).toEqual(short);
  });

  it("[AU19] converts what connections bring, also where outputs follow at once", () => {
    const unit = started(
      adaptShort(
        `semantic adaptation reactive mealy A a
         for inner fmu F f at "f.fmu" with input ports u with output ports y (m)
         for inner fmu F g at "f.fmu" with input ports u (mm) with output ports y
         with f.y -> g.u
         output ports y <- g.y`,
        proportional("f", 2),
        proportional("g", 3),
      ),
    );
    setValues(unit, { u: 5 });
    expect(getNumber(unit, "y")).toBe(5 * 2 * 1000 * 3);
    step(unit, 0, 1);
    expect(getNumber(unit, "y")).toBe(5 * 2 * 1000 * 3);
  });

  it("[AU25] gives delayed inner inputs the beginning of the step, and leads reactive ones to its end", () => {
    // Delayed: f is 0 1 3 6 at the communication points, and g adds up what f was where each step
    // began.
    expect(outputs("", false)).toEqual([0, 1, 4]);
    // Reactive: u = 1 + t, so f = t + t²/2; g adds up the trapezoids of f.
    const f = (t: number): number => t + (t * t) / 2;
    const trapezoids = [1, 2, 3].map((t) => (f(t - 1) + f(t)) / 2);
    const sums = trapezoids.map((_, k) => trapezoids.slice(0, k + 1).reduce((a, b) => a + b));
    outputs("", true).forEach((value, k) => {
      expect(value).toBeCloseTo(sums[k], 12);
    });
  });

  it("[AU26] gives what the rules say, and leads a reactive inner input as own inputs go", () => {
    const rules = (isReactive: boolean, slope = 0): number[] => {
      const unit = running(
        "reactive moore",
        `${PASS} control rules { do_step(f, t, H / 2); do_step(f, t + H / 2, H / 2); return H; }`,
        integrator("f", isReactive),
      );
      return [4, 8].map((u, k) => {
        setValues(unit, { u });
        unit.setInputDerivatives([indexOf(unit, "u")], [1], Float64Array.of(slope));
        step(unit, k, k + 1);
        return getNumber(unit, "y");
      });
    };
    // What is held outside is held inside.
    expect(rules(false)).toEqual([4, 12]);
    expect(rules(true)).toEqual([4, 12]);
    // Lines from 4 to 8 and from 8 to 12, each in two pieces; delayed inputs hold the beginnings of
    // these.
    expect(rules(true, 4)).toEqual([6, 16]);
    expect(rules(false, 4)).toEqual([5, 14]);
  });

  it("[AU27] allocates nothing in a step", () => {
    const unit = started(adapt(TWO(""), integrator("f"), integrator("g")));
    const access = unit.bind([{ port: indexOf(unit, "u"), slot: 0 }]);
    const banks = { f64: Float64Array.of(1, 0), i64: new BigInt64Array(0), obj: [] };
    const shown = unit.bind([{ port: indexOf(unit, "y"), slot: 1 }]);
    const until = { kind: "time" as const, time: 0 };
    let n = 0;
    const one = (): void => {
      unit.write(access, banks);
      until.time = (n + 1) / 64;
      unit.advance(n / 64, until);
      n++;
      unit.read(shown, banks);
    };
    // Each inner step may box the few numbers that are passed on (UN60).
    expect(bytesPerCall(one)).toBeLessThan(300);
    const kept: unknown[] = [];
    expect(
      bytesPerCall(() => {
        one();
        kept[0] = Array.from({ length: 100 }, (_, i) => i + n);
      }),
    ).toBeGreaterThan(700);
  });
});
