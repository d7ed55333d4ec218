/** What one step of an adaptation does, rule by rule. */
import { describe, expect, it } from "vitest";
import { UnitError } from "../base/outcome.ts";
import { isClose } from "../model/adaptation/functions.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { getNumber, getValues, indexOf, setValues, startUnit } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import {
  adapt,
  adaptShort,
  around,
  PASS,
  running,
  started,
  step,
  watched,
} from "./testing/adapt.ts";
import {
  answering,
  echo,
  hesitant,
  integrator,
  proportional,
  timer,
} from "./testing/small-units.ts";

/** What `get_next_time_step` says of the inner unit after a step of 1 s. */
function asking(inner: Unit): number {
  const unit = adapt(
    around(
      "reactive moore",
      `output ports next
       control var next := 0.0;
       control rules { do_step(f, t, H); next := get_next_time_step(f); return H; }
       out rules { true -> {} --> { a.next := next; }; }`,
    ),
    inner,
  );
  startUnit(unit, { start: 0, stop: 10 });
  step(unit, 0, 1);
  return getNumber(unit, "next");
}

/** The unit, except for the members in `overridden`. */
function overriding(unit: Unit, overridden: Partial<Record<PropertyKey, unknown>>): Unit {
  return new Proxy(unit, {
    get: (target, key) => {
      if (key in overridden) return overridden[key];
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

describe("a step of an adaptation", () => {
  it("[AU1] evaluates all conditions before any rule, and executes the rules that held in their order", () => {
    const unit = running(
      "reactive mealy",
      `input ports u
           output ports y, order
           in var seen := 0.0, s := 0.0;
           in rules {
             seen < 1 -> { seen := seen + 1; s := 10 * s + 1; } --> { f.u := 100; };
             seen < 1 -> { s := 10 * s + 2; } --> { f.u := f.u + a.u; };
             seen >= 1 -> { s := 10 * s + 3; } --> { f.u := 7; };
           }
           control rules { var d := do_step(f, t, H); return d; }
           out var sy := 0.0;
           out rules { true -> { sy := f.y; } --> { a.y := sy; a.order := s; }; }`,
      watched(proportional("f", 1)).unit,
    );
    // Both first rules held at the start; reading goes through In once more, and now the third one
    // holds.
    expect(getNumber(unit, "order")).toBe(123);
    step(unit, 0, 1);
    expect(getNumber(unit, "order")).toBe(1233);
    expect(getNumber(unit, "y")).toBe(7);
  });

  it("[AU2] gives inputs, steps and stores outputs in one do_step", () => {
    const unit = running(
      "reactive moore",
      `input ports u
           output ports y, far, steps
           control var far := 0.0;
           control rules {
             far := do_step(f, t, H / 4) + do_step(f, t + H / 4, 3 * H / 4);
             return H;
           }
           in rules { true -> {} --> { f.u := 10 * dt + h; }; }
           out var sy := 0.0, n := 0.0;
           out rules { true -> { sy := f.y; n := n + 1; } --> { a.y := sy; a.far := far; a.steps := n; }; }`,
      integrator("f"),
    );
    step(unit, 2 - 2, 4);
    // u is 1 for one second (dt = 0, h = 1) and 13 for three (dt = 1, h = 3).
    expect(getNumber(unit, "y")).toBe(1 * 1 + 13 * 3);
    expect(getNumber(unit, "far")).toBe(4);
    // MapOut: once at the start of the run, once for each do_step, once to show.
    expect(getNumber(unit, "steps")).toBe(4);
  });

  it("[AU3] uses what control rules assign to an inner input for one do_step", () => {
    const unit = running(
      "reactive moore",
      `input ports u
           output ports y
           control rules {
             f.u := 5;
             do_step(f, t, H / 2);
             do_step(f, t + H / 2, H / 2);
             return H;
           }
           in rules { true -> {} --> { f.u := 1; }; }
           out var sy := 0.0;
           out rules { true -> { sy := f.y; } --> { a.y := sy; }; }`,
      integrator("f"),
    );
    step(unit, 0, 2);
    expect(getNumber(unit, "y")).toBe(5 + 1);
  });

  it("[AU4] ends where the rules say: the whole step exactly, less of it as discarded", () => {
    const returning = (value: string): Unit =>
      running("reactive moore", `${PASS} control rules { return ${value}; }`, integrator("f"));
    expect(step(returning("H"), 0, 0.1)).toEqual({ reason: "time", port: -1, time: 0.1 });
    expect(step(returning("H * (1 - 1e-12)"), 0, 0.1).time).toBe(0.1);
    expect(step(returning("H / 4"), 0, 1)).toEqual({ reason: "discarded", port: -1, time: 0.25 });
    expect(step(returning("0"), 0, 1)).toEqual({ reason: "discarded", port: -1, time: 0 });
    for (const wrong of ["2 * H", "-1", "0 / 0"])
      expect(() => step(returning(wrong), 0, 1), wrong).toThrow(UnitError);
    const silent = adapt(around("reactive moore", `${PASS} control rules { }`), integrator("f"));
    expect(() => step(started(silent), 0, 1)).toThrow("end without 'return'");
  });

  it("[AU4] sends back the step that an inner unit does not take, and takes the shorter one", () => {
    const unit = running("reactive mealy", PASS, hesitant(integrator("f"), 0.25));
    setValues(unit, { u: 2 });
    const before = unit.save();
    expect(step(unit, 0, 1)).toEqual({ reason: "discarded", port: -1, time: 0.25 });
    unit.restore(before);
    expect(step(unit, 0, 0.25).reason).toBe("time");
    expect(getNumber(unit, "y")).toBe(0.5);
  });

  it("[AU5] forgives rounding of times, so that points that should coincide do", () => {
    const inner = watched(integrator("f"));
    const unit = running(
      "reactive moore",
      `${PASS}
           control var at := 0.1;
           control rules {
             for (var i in 0 .. 10) { do_step(f, at, H / 10); at := at + H / 10; }
             return H;
           }`,
      inner.unit,
    );
    unit.reset();
    startUnit(unit, { start: 0.1 });
    step(unit, 0.1, 0.4);
    step(unit, 0.4, 0.7);
    expect(inner.steps).toHaveLength(20);
    expect(inner.steps[9][1]).toBe(0.4);
    expect(inner.steps[10][0]).toBe(0.4);
    expect(inner.steps[19][1]).toBe(0.7);
  });

  it("[AU5] refuses to step an inner unit from where it is not", () => {
    const unit = running(
      "reactive moore",
      `${PASS} control rules { do_step(f, t + H / 2, H / 2); return H; }`,
      integrator("f"),
    );
    expect(() => step(unit, 0, 1)).toThrow(
      "do_step(f) from t=0.5, but it is at t=0; step it from where it is, or roll it back",
    );
  });

  it("[AU6] goes back to the state that was saved, as often as the rules want", () => {
    const rules = (body: string): string =>
      around("reactive moore", `${PASS} control rules { ${body} return H; }`);
    const unit = started(
      adapt(
        rules(`
          save_state(f);
          for (var i in 0 .. 3) { f.u := 10; do_step(f, t, H); rollback(f); }
          f.u := 1;
          do_step(f, t, H);`),
        integrator("f"),
      ),
    );
    step(unit, 0, 1);
    expect(getNumber(unit, "y")).toBe(1);
    const late = started(
      adapt(
        rules("if (t < 1) { save_state(f); } else { rollback(f); } do_step(f, t, H);"),
        integrator("f"),
      ),
    );
    step(late, 0, 1);
    expect(() => step(late, 1, 2)).toThrow("rollback(f) without save_state in the same step");
  });

  it("[AU6] shows the outputs of the state that it went back to", () => {
    const unit = running(
      "reactive moore",
      `${PASS} control rules { save_state(f); f.u := 3; do_step(f, t, H); rollback(f); return H / 2; }`,
      integrator("f"),
    );
    expect(step(unit, 0, 1).reason).toBe("discarded");
    expect(getNumber(unit, "y")).toBe(0);
  });

  it("[AU7] asks an inner unit for its next event, and leaves it where it is", () => {
    const inner = watched(timer("f", 1));
    const unit = running(
      "reactive moore",
      `input ports go: boolean
           output ports next
           control var next := 0.0;
           control rules { do_step(f, t, H); next := get_next_time_step(f); return H; }
           in var s := false;
           in rules { true -> { s := a.go; } --> { f.go := s; }; }
           out var on := false;
           out rules { true -> { on := f.on; } --> { a.next := next; }; }`,
      inner.unit,
    );
    step(unit, 0, 0.25);
    expect(getNumber(unit, "next")).toBe(Number.POSITIVE_INFINITY);
    setValues(unit, { go: true });
    step(unit, 0.25, 0.5);
    // The machine saw `go` when its step began, and stays on for a second.
    expect(getNumber(unit, "next")).toBeCloseTo(0.25 + 1 - 0.5, 9);
    expect(inner.steps).toEqual([
      [0, 0.25],
      [0.25, 0.5],
    ]);
  });

  it("[AU7] takes a refusal for the next event, and asks no unit that cannot roll back", () => {
    expect(asking(hesitant(integrator("f"), 2.5))).toBe(2.5);
    expect(asking(integrator("f"))).toBe(Number.POSITIVE_INFINITY);
    const { description } = integrator("f");
    const stiff = overriding(hesitant(integrator("f"), 2.5), {
      description: {
        ...description,
        capabilities: { ...description.capabilities, rollback: false },
      },
    });
    expect(asking(stiff)).toBe(Number.POSITIVE_INFINITY);
  });

  it("[AU7] knows the event that a unit announced, and forgets it when it is past", () => {
    const next = (announced: number): number => {
      const plain = integrator("f");
      const { capabilities } = plain.description;
      const overridden: Partial<Record<PropertyKey, unknown>> = {
        description: {
          ...plain.description,
          capabilities: { ...capabilities, eventMode: true, rollback: false },
        },
        enterEventMode: () => {},
        enterStepMode: () => {},
        updateDiscreteStates: () => ({
          again: false,
          terminate: false,
          nominalsChanged: false,
          statesChanged: false,
          nextEventTime: announced,
        }),
        advance: (...given: Parameters<Unit["advance"]>) => ({
          ...plain.advance(...given),
          reason: "event",
        }),
      };
      return asking(overriding(plain, overridden));
    };
    expect(next(4)).toBe(3);
    expect(next(1)).toBe(Number.POSITIVE_INFINITY);
  });

  it("[AU2] gives a unit every input that is connected", () => {
    const mixed = functionUnit(
      {
        name: "h",
        inputs: { a: {}, b: {}, c: {} },
        outputs: { y: { feedThrough: ["a", "b", "c"] } },
        evaluate: (_t, [a = 0, b = 0, c = 0], _p, y) => {
          y[0] = a + 10 * b + 100 * c;
        },
      },
      "h",
    );
    const unit = started(
      adaptShort(
        `semantic adaptation reactive mealy A a
         for inner fmu F f at "f.fmu"
         for inner fmu F g at "f.fmu"
         for inner fmu F e at "f.fmu"
         for inner fmu H h at "h.fmu"
         with f.y -> h.a with g.y -> h.b with e.y -> h.c
         output ports y <- h.y`,
        proportional("f", 1),
        proportional("g", 2),
        proportional("e", 3),
        mixed,
      ),
    );
    setValues(unit, { f_u: 1, g_u: 1, e_u: 1 });
    expect(getNumber(unit, "y")).toBe(321);
    setValues(unit, { f_u: 2, g_u: 3, e_u: 1 });
    step(unit, 0, 1);
    expect(getNumber(unit, "y")).toBe(2 + 60 + 300);
  });

  it("[AU7] knows of no next event before the start", () => {
    const unit = adapt(
      around(
        "reactive moore",
        `output ports next
         out var n := 0.0;
         out rules { true -> { n := get_next_time_step(f); } --> { a.next := n; }; }`,
      ),
      hesitant(integrator("f"), 2.5),
    );
    unit.enterInitialization({ start: 0, stop: 10 });
    expect(getNumber(unit, "next")).toBe(Number.POSITIVE_INFINITY);
    unit.exitInitialization();
    expect(getNumber(unit, "next")).toBe(2.5);
  });

  it("[AU8] ends the simulation when an inner unit asks for it", () => {
    const inner = answering(integrator("f"), (_from, to, go) => ({
      ...go(to),
      reason: to > 1 ? "terminated" : "time",
    }));
    const unit = running("reactive mealy", PASS, inner);
    expect(step(unit, 0, 0.5).reason).toBe("time");
    const before = unit.save();
    expect(step(unit, 0.5, 2)).toEqual({ reason: "terminated", port: -1, time: 2 });
    // A caller that rolls the end back can go on.
    unit.restore(before);
    expect(step(unit, 0.5, 1)).toEqual({ reason: "time", port: -1, time: 1 });
  });

  it("[AU9] fails when a while does not end", () => {
    const unit = running(
      "reactive moore",
      `${PASS} control rules { while (true) { } return H; }`,
      integrator("f"),
    );
    expect(() => step(unit, 0, 1)).toThrow("does not end");
  });

  it("[AU10] compares within the larger of the relative and the absolute tolerance", () => {
    expect(isClose(100, 101, 0.01, 0)).toBe(1);
    expect(isClose(100, 101.2, 0.01, 0)).toBe(0);
    expect(isClose(101, 100, 0.01, 0)).toBe(1);
    expect(isClose(0, 1e-9, 0.01, 1e-8)).toBe(1);
    expect(isClose(0, 1e-7, 0.01, 1e-8)).toBe(0);
    expect(isClose(Number.NaN, 0, 1, 1)).toBe(0);
  });

  it("[AU11] keeps texts, booleans and numbers apart and turns numbers into truth where it is wanted", () => {
    const unit = running(
      "reactive mealy",
      `input ports u, mode: string
           output ports truth: boolean, echo: string, same: boolean
           in var su := 0.0, sm := "";
           in rules { true -> { su := a.u; sm := a.mode; } --> { f.u := su; }; }
           control rules { var d := do_step(f, t, H); return d; }
           out rules { true -> { } --> { a.truth := su; a.echo := sm == "off" ? "none" : sm; a.same := sm == "fast"; }; }`,
      proportional("f"),
    );
    setValues(unit, { u: -0.5, mode: "fast" });
    expect(getValues(unit, "truth")).toEqual([1]);
    expect(getValues(unit, "echo")).toEqual(["fast"]);
    expect(getValues(unit, "same")).toEqual([1]);
    setValues(unit, { u: 0, mode: "off" });
    expect(getValues(unit, "truth")).toEqual([0]);
    expect(getValues(unit, "echo")).toEqual(["none"]);
    const bytes = unit.serialize(unit.save());
    setValues(unit, { mode: "slow" });
    unit.restore(unit.deserialize(bytes));
    expect(getValues(unit, "echo")).toEqual(["none"]);
  });

  it("[AU11] passes 64-bit integers through", () => {
    const long = echo();
    const unit = running(
      "reactive mealy",
      `input ports n
           output ports m
           in var s := 0.0;
           in rules { true -> { s := a.n; } --> { f.n := s; }; }
           out var r := 0.0;
           out rules { true -> { r := f.m; } --> { a.m := r; }; }`,
      long,
    );
    setValues(unit, { n: 2 ** 53 });
    expect(getNumber(unit, "m")).toBe(2 ** 53);
  });

  it("[AU12] sees in a step the inputs of its end, when it is reactive", () => {
    const seen = (kind: string): Unit =>
      running(
        kind,
        `input ports u
             output ports y
             in var su := 0.0;
             in rules { true -> { su := a.u; } --> { f.u := su; }; }
             control var s := 0.0;
             control rules { s := su; do_step(f, t, H); return H; }
             out rules { true -> {} --> { a.y := s; }; }`,
        integrator("f"),
      );
    const reactive = seen("reactive moore");
    setValues(reactive, { u: 1 });
    reactive.setInputDerivatives([indexOf(reactive, "u")], [1], Float64Array.of(4));
    step(reactive, 0, 0.5);
    expect(getNumber(reactive, "y")).toBe(3);
    expect(getNumber(reactive, "u")).toBe(3);
    const delayed = seen("delayed moore");
    setValues(delayed, { u: 1 });
    step(delayed, 0, 0.5);
    expect(getNumber(delayed, "y")).toBe(1);
    expect(delayed.description.capabilities.inputDerivativeOrder).toBe(0);
  });
});
