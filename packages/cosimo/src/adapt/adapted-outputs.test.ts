/** What an adaptation shows, and where it begins. */
import { describe, expect, it } from "vitest";
import { linearUnit } from "../unit/linear-unit.ts";
import { getNumber, setValues, startUnit } from "../unit/testing/drive.ts";
import { adapt, around, PASS, running, started, step } from "./testing/adapt.ts";
import { integrator, proportional } from "./testing/small-units.ts";

describe("the outputs of an adaptation", () => {
  it("[AU13] follow inputs at once in a Mealy adaptation, and wait for the next step in a Moore one", () => {
    const mealy = running("reactive mealy", PASS, proportional("f"));
    const moore = running("reactive moore", PASS, proportional("f"));
    for (const unit of [mealy, moore]) {
      setValues(unit, { u: 3 });
      step(unit, 0, 1);
      expect(getNumber(unit, "y")).toBe(6);
      setValues(unit, { u: 5 });
    }
    expect(getNumber(mealy, "y")).toBe(10);
    expect(getNumber(moore, "y")).toBe(6);
    step(moore, 1, 2);
    expect(getNumber(moore, "y")).toBe(10);
  });

  it("[AU14] can be read any number of times without changing anything", () => {
    const counting = (reads: number): number[] => {
      const unit = running(
        "reactive mealy",
        `input ports u
             output ports y, n
             in var su := 0.0, taken := 0.0;
             in rules { true -> { su := a.u; taken := taken + 1; } --> { f.u := su + taken; }; }
             control rules { var d := do_step(f, t, H); return d; }
             out var sy := 0.0, stored := 0.0;
             out rules { true -> { sy := f.y; stored := stored + 1; } --> { a.y := sy; a.n := 100 * taken + stored; }; }`,
        proportional("f"),
      );
      const shown: number[] = [];
      for (let k = 0; k < 3; k++) {
        setValues(unit, { u: k });
        for (let r = 0; r < reads; r++) getNumber(unit, "y");
        step(unit, k, k + 1);
        for (let r = 0; r < reads; r++) getNumber(unit, "n");
        shown.push(getNumber(unit, "y"), getNumber(unit, "n"));
      }
      return shown;
    };
    expect(counting(5)).toEqual(counting(0));
    // In and MapOut were executed once for the start, once in each step, and once more to show.
    expect(counting(1).at(-1)).toBe(100 * 5 + 5);
  });

  it("[AU15] are what is stored where inner units form a loop", () => {
    const unit = started(
      adapt(
        `semantic adaptation reactive mealy A a
         for inner fmu F f at "f.fmu"
         for inner fmu F g at "f.fmu"
         with f.y -> g.u
         with g.y -> f.u
         input ports u
         output ports y, z
         in var su := 0.0;
         in rules { true -> { su := a.u; } --> { }; }
         control rules { f.u := su; do_step(f, t, H); do_step(g, t, H); return H; }
         out var sy := -1.0;
         out rules { true -> { sy := g.y; } --> { a.y := sy; a.z := su; }; }`,
        proportional("f"),
        proportional("g"),
      ),
    );
    expect(getNumber(unit, "y")).toBe(-1);
    setValues(unit, { u: 3 });
    expect(getNumber(unit, "y")).toBe(-1);
    expect(getNumber(unit, "z")).toBe(3);
    step(unit, 0, 1);
    expect(getNumber(unit, "y")).toBe(12);
  });

  it("[AU15] are those of the inner units where only steps form a loop", () => {
    const text = `semantic adaptation reactive moore A a
      for inner fmu F f at "f.fmu"
      for inner fmu G g at "g.fmu"
      with f.y -> g.u
      with g.x -> f.u
      output ports y
      control rules { do_step(f, t, H); do_step(g, t, H); return H; }
      out var sy := -1.0;
      out rules { true -> { sy := f.y; } --> { a.y := sy; }; }`;
    // g wants f.y of the end of the step, which follows g.x at once; at an instant g.x stands by
    // itself.
    const state = linearUnit({
      name: "g",
      inputs: { u: { reactive: true } },
      states: { x: { start: 7 } },
      a: [[0]],
      b: [[1]],
    });
    const unit = started(adapt(text, proportional("f"), state));
    expect(getNumber(unit, "y")).toBe(14);
  });

  it("[AU16] keep their value where no rule gives them another", () => {
    const unit = running(
      "reactive mealy",
      `input ports u
           output ports top
           in var su := 0.0;
           in rules { true -> { su := a.u; } --> { f.u := su; }; }
           control rules { var d := do_step(f, t, H); return d; }
           out rules { f.y > 4 -> { } --> { a.top := f.y; }; }`,
      proportional("f"),
    );
    setValues(unit, { u: 3 });
    step(unit, 0, 1);
    setValues(unit, { u: 5 });
    expect(getNumber(unit, "top")).toBe(10);
    // What was only looked at leaves no trace.
    setValues(unit, { u: 1 });
    expect(getNumber(unit, "top")).toBe(6);
    step(unit, 1, 2);
    expect(getNumber(unit, "top")).toBe(6);
  });

  it("[AU17] see the present time, no step of their own, and the last step of the adaptation", () => {
    const unit = running(
      "reactive mealy",
      `input ports u
           output ports now, rest, last
           control rules { var d := do_step(f, t, H); return d; }
           out rules { true -> { } --> { a.now := t; a.rest := h + dt; a.last := H; }; }`,
      integrator("f"),
    );
    expect(["now", "rest", "last"].map((name) => getNumber(unit, name))).toEqual([0, 0, 1]);
    step(unit, 0, 0.25);
    expect(["now", "rest", "last"].map((name) => getNumber(unit, name))).toEqual([0.25, 0, 0.25]);
  });
});

describe("the start of an adaptation", () => {
  const START = `
    param BEGIN := 4.0
    input ports u
    output ports y
    in var su := BEGIN / 2;
    in rules { true -> { su := a.u; } --> { f.u := su; }; }
    out var sy := 0.0;
    out rules { true -> { sy := f.y; } --> { a.y := sy; }; }`;

  it("[AU18] begins with declared values, as parameters determine them", () => {
    const moore = adapt(around("reactive moore", START), proportional("f"));
    startUnit(moore, { start: 0 }, { u: 100 });
    expect(getNumber(moore, "y")).toBe(2 * 2);
    moore.reset();
    startUnit(moore, { start: 0 }, { u: 100, BEGIN: 10 });
    expect(getNumber(moore, "y")).toBe(2 * 5);
    const mealy = adapt(around("reactive mealy", START), proportional("f"));
    startUnit(mealy, { start: 0 }, { u: 100 });
    expect(getNumber(mealy, "y")).toBe(200);
  });

  it("[AU18] gives inner units the initial inputs before they leave initialization", () => {
    for (const kind of ["reactive moore", "reactive mealy", "delayed moore", "delayed mealy"]) {
      const inner = proportional("f");
      const given: number[] = [];
      const spied = new Proxy(inner, {
        get(target, key) {
          const member: unknown = Reflect.get(target, key, target);
          if (key === "exitInitialization")
            return () => {
              given.push(getNumber(target, "u"));
              target.exitInitialization();
            };
          return typeof member === "function" ? member.bind(target) : member;
        },
      });
      startUnit(adapt(around(kind, START), spied), { start: 0 }, { u: 100 });
      expect(given, kind).toEqual([100]);
    }
  });
});
