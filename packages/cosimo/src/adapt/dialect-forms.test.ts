/**
 * Forms of the published tool's dialect at work, on small units whose results can be computed by
 * hand.
 */
import { describe, expect, it } from "vitest";
import { functionUnit } from "../unit/function-unit.ts";
import { linearUnit } from "../unit/linear-unit.ts";
import { getNumber, setValues } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { adaptShort, started, step, watched } from "./testing/adapt.ts";
import { integrator, timer } from "./testing/small-units.ts";

const F = 'for inner fmu F f at "f.fmu" with input ports Real u with output ports Real y\n';

const around = (kind: string, forms: string, unit: Unit): Unit =>
  started(adaptShort(`semantic adaptation ${kind} a\n${F}${forms}`, unit));

/** What `y` is after steps of one second, each with its input. */
function ys(unit: Unit, inputs: readonly number[], output = "y"): number[] {
  return inputs.map((u, k) => {
    setValues(unit, { u });
    expect(step(unit, k, k + 1)).toMatchObject({ reason: "time" });
    return getNumber(unit, output);
  });
}

/** y' = u; its input is held over every step. */
const held = (): Unit =>
  linearUnit({ name: "f", inputs: { u: {} }, states: { y: {} }, a: [[0]], b: [[1]] }, "f");

describe("rates", () => {
  it("[SA52] multiplies the rate, on the line from the last input to this one", () => {
    const { unit, steps } = watched(held());
    const adapted = around(
      "reactive moore",
      "multiply rate 4 times with first order interpolation",
      unit,
    );
    // The first input is held; then 2 + 2k/4 for k = 1 to 4, a quarter of a second each.
    const second = 2 + [1, 2, 3, 4].reduce((sum, k) => sum + (2 + (2 * k) / 4) / 4, 0);
    expect(ys(adapted, [2, 4])).toEqual([2, second]);
    expect(steps.map(([from]) => from)).toEqual([0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75]);
  });

  it("[SA52] interpolates by default, and not where that is said", () => {
    const forms = ["", "with first order interpolation", "with interpolation of order 1"];
    const all = forms.map((form) =>
      ys(around("reactive moore", `multiply rate 4 times ${form}`, held()), [2, 4, 1]),
    );
    expect(all[1]).toEqual(all[0]);
    expect(all[2]).toEqual(all[0]);
    expect(
      ys(around("reactive moore", "multiply rate 4 times with no interpolation", held()), [2, 4]),
    ).toEqual([2, 6]);
  });

  it("[SA52] begins the line at the start value of the input", () => {
    const adapted = around(
      "reactive moore",
      "input ports Real u := 1\nmultiply rate 2 times",
      held(),
    );
    expect(ys(adapted, [3])).toEqual([(1 + (3 - 1) / 2) / 2 + 3 / 2]);
  });

  it("[SA52] executes units at the instants of a period, and holds them in between", () => {
    const { unit, steps } = watched(held());
    const adapted = around("delayed moore", "periodic at 0.5 every 1.0", unit);
    // Up to 0.5 in the first step, up to 1.5 in the second.
    expect(ys(adapted, [2, 2, 2])).toEqual([1, 3, 5]);
    expect(steps).toEqual([
      [0, 0.5],
      [0.5, 1.5],
      [1.5, 2.5],
    ]);
  });

  it("[SA52] executes units where a condition holds, over the time since they were executed", () => {
    const { unit, steps } = watched(held());
    const adapted = around("delayed moore", "input ports Real u, Bool go\ntriggered by go", unit);
    const y = (go: boolean, k: number): number => {
      setValues(adapted, { u: 2, go: go ? 1 : 0 });
      step(adapted, k, k + 1);
      return getNumber(adapted, "y");
    };
    // The first step is always executed, as in listing 5.
    expect([y(false, 0), y(false, 1), y(false, 2), y(true, 3), y(false, 4)]).toEqual([
      2, 2, 2, 8, 8,
    ]);
    expect(steps).toEqual([
      [0, 1],
      [1, 4],
    ]);
  });

  it("[SA52] executes them too where their own time has come", () => {
    const { unit, steps } = watched(timer("f", 2));
    const text = `semantic adaptation delayed moore a
      for inner fmu F f at "f.fmu" with input ports Bool go with output ports Bool on
      input ports Bool go
      triggered by go`;
    const adapted = started(adaptShort(text, unit));
    for (let k = 0; k < 5; k++) {
      setValues(adapted, { go: k === 1 ? 1 : 0 });
      step(adapted, k, k + 1);
    }
    // It goes on at 1, and off 2 s later.
    expect(steps.map(([, to]) => to)).toEqual([1, 2, 3]);
  });
});

const LOOP = `semantic adaptation reactive moore loop
  for inner fmu A a at "a.fmu" with input ports Real w, Real x with output ports Real y
  for inner fmu B b at "b.fmu" with input ports Real u with output ports Real z
  coupled as a.y -> b.u, b.z -> a.x
  input ports Real w
`;
/** y = w + x / 2 and z = u / 2, both at once: y = w / (1 - 1/4). */
const loopUnits = (): [Unit, Unit] => [
  functionUnit({
    name: "a",
    inputs: { w: { reactive: true }, x: { reactive: true } },
    outputs: { y: { feedThrough: ["w", "x"] } },
    evaluate: (_t, u, _p, y) => {
      y[0] = u[0] + u[1] / 2;
    },
  }),
  functionUnit({
    name: "b",
    inputs: { u: { reactive: true } },
    outputs: { z: { feedThrough: ["u"] } },
    evaluate: (_t, u, _p, y) => {
      y[0] = u[0] / 2;
    },
  }),
];

describe("loops", () => {
  const wy = (unit: Unit, ws: readonly number[]): number[] =>
    ws.map((w, k) => {
      setValues(unit, { w });
      step(unit, k, k + 1);
      return getNumber(unit, "y");
    });

  it.each(["a.y", "b.z", "y", "a.y and b.z"])(
    "[SA53] successive substitution from %s ends where the units agree",
    (at) => {
      const form = `successive substitution starts at ${at} with absolute tolerance = 1e-12 and relative tolerance = 1e-12`;
      const unit = started(adaptShort(LOOP + form, ...loopUnits()));
      for (const [k, y] of wy(unit, [3, 6]).entries()) expect(y).toBeCloseTo([4, 8][k]!, 10);
    },
  );

  it("[SA53] repeats the step as often as a parameter says", () => {
    const unit = adaptShort(
      `${LOOP}successive substitution starts at z with relative tolerance = 1e-12`,
      ...loopUnits(),
    );
    setValues(unit, { MAXITER: 2 });
    // From z = 0: y = 3, then z = 1.5 and y = 3.75.
    expect(wy(started(unit), [3])).toEqual([3.75]);
  });

  it("[SA53] a delay hands on what the signal was at the end of the last step", () => {
    const unit = started(adaptShort(`${LOOP}delay at b.z`, ...loopUnits()));
    // z is 0, 1.5, 1.875: y = 3 + z / 2.
    expect(wy(unit, [3, 3, 3])).toEqual([3, 3.75, 3.9375]);
  });

  it("[SA53] a delay begins with the start value of its signal, or with a parameter", () => {
    const text = LOOP.replace("Real z", "Real z := 4.0");
    expect(wy(started(adaptShort(`${text}delay at z`, ...loopUnits())), [3])).toEqual([5]);
    const unit = adaptShort(`${LOOP}delay at z`, ...loopUnits());
    setValues(unit, { INIT_DELAYED_Z: 2 });
    expect(wy(started(unit), [3])).toEqual([4]);
  });

  it("[SA53] goes with a rate: every small step is repeated", () => {
    const form =
      "successive substitution starts at z with relative tolerance = 1e-13 and absolute tolerance = 1e-13";
    const unit = started(adaptShort(`${LOOP}multiply rate 2 times\n${form}`, ...loopUnits()));
    for (const [k, y] of wy(unit, [3, 6]).entries()) expect(y).toBeCloseTo([4, 8][k]!, 10);
  });

  it("[SA53] units without an order need one of the forms", () => {
    expect(() => adaptShort(`${LOOP}multiply rate 2 times`, ...loopUnits())).toThrow(
      "they feed each other",
    );
  });
});

describe("crossings", () => {
  const DETECT = `semantic adaptation reactive moore a
    for inner fmu F f at "f.fmu" with input ports Real u with output ports Real y
    input ports Real x
    in rules with crossing absolute tolerance = 1e-9 and relative tolerance = 1e-9 {
      x OP 5 -> u := 1;
      otherwise -> u := 0;
    }`;
  const detector = (operator: string): Unit =>
    started(adaptShort(DETECT.replace("OP", operator), held()));

  it.each([
    [">!", 3, 7],
    ["<!", 7, 3],
  ])(
    "[SA54] x %s 5 ends the step where x meets 5, and the rule holds in that step alone",
    (operator, before, behind) => {
      const unit = detector(operator);
      setValues(unit, { x: before });
      expect(step(unit, 0, 1)).toMatchObject({ reason: "time", time: 1 });
      const beforeTry = unit.save();
      setValues(unit, { x: behind });
      expect(step(unit, 1, 2)).toMatchObject({ reason: "discarded", time: 1.5 });
      unit.restore(beforeTry);
      setValues(unit, { x: 5 });
      expect(step(unit, 1, 1.5)).toMatchObject({ reason: "time", time: 1.5 });
      expect(getNumber(unit, "y")).toBe(0.5);
      setValues(unit, { x: behind });
      expect(step(unit, 1.5, 2)).toMatchObject({ reason: "time" });
      expect(getNumber(unit, "y")).toBe(0.5);
    },
  );

  it.each([
    [">!", 7, 3],
    ["<!", 3, 7],
  ])(
    "[SA54] x %s 5 does not hold in the other direction, nor at the start",
    (operator, before, behind) => {
      const unit = detector(operator);
      for (const [k, x] of [before, behind].entries()) {
        setValues(unit, { x });
        expect(step(unit, k, k + 1)).toMatchObject({ reason: "time" });
      }
      expect(getNumber(unit, "y")).toBe(0);
    },
  );
});

describe("holds and delays of rules", () => {
  it("[SA55] a first order hold of inputs goes on along the line through the last two", () => {
    const rules =
      "in rules with first order hold { f.u := a.u; }\ncontrol rules {\n  do_step(f, t, H / 2);\n  do_step(f, t + H / 2, H / 2);\n  return H;\n}";
    // Second step: 4 at its beginning, and 4 + 2 / 2 in its middle.
    expect(ys(around("delayed moore", rules, held()), [2, 4])).toEqual([2, 2 + (4 + 5) / 2]);
  });

  it("[SA55] of a reactive adaptation it is the line between both", () => {
    const rules = "in rules with first order hold { f.u := a.u; }";
    expect(ys(around("reactive moore", rules, held()), [2, 4])).toEqual([2, 6]);
  });

  it("[SA55] a first order hold of outputs goes on where the unit is not executed", () => {
    const rules = "periodic every 2.0\nout rules with first order hold { y := f.y; }";
    // Executed at 2 and 4 with u = 1: 2 and 4, so the line has the slope 1 from there on.
    expect(ys(around("delayed moore", rules, held()), [1, 1, 1, 1, 1])).toEqual([0, 2, 3, 4, 5]);
  });

  it("[SA55] a zero order hold, the default, does not", () => {
    for (const hold of ["", "with zero order hold"]) {
      const rules = `periodic every 2.0\nout rules ${hold} { y := f.y; }`;
      expect(ys(around("delayed moore", rules, held()), [1, 1, 1, 1, 1])).toEqual([0, 2, 2, 4, 4]);
    }
  });

  it("[SA55] without a hold, what a rule gave falls back where no rule holds", () => {
    const rules = (hold: string): string =>
      `input ports Real x\nin rules ${hold} { x > 1 -> u := 2; }`;
    const y = (hold: string): number[] => {
      const unit = around("reactive moore", rules(hold), held());
      return [0, 5, 0].map((x, k) => {
        setValues(unit, { x });
        step(unit, k, k + 1);
        return getNumber(unit, "y");
      });
    };
    expect(y("")).toEqual([0, 2, 4]);
    expect(y("with no hold")).toEqual([0, 2, 2]);
  });

  it("[SA55] a delayed output shows the last step", () => {
    const bound = around(
      "reactive moore",
      "output ports y <- f.y\nout rules { delay at y; }",
      integrator("f"),
    );
    expect(ys(bound, [1, 1, 1])).toEqual([0, 1, 2]);
    const made = around(
      "reactive moore",
      "output ports z\nout rules { z := 2 * f.y; delay at z; }",
      integrator("f"),
    );
    expect(ys(made, [1, 1, 1], "z")).toEqual([0, 2, 4]);
  });

  it("[SA55] a delayed input is the one of the last step", () => {
    const unit = around(
      "delayed moore",
      "input ports Real u -> f.u\nin rules { delay at u; }",
      held(),
    );
    expect(ys(unit, [1, 2, 3])).toEqual([0, 1, 3]);
  });
});

describe("functions", () => {
  it("[SA56] elapsed time, and the last execution, follow the unit, also through a rollback", () => {
    const rules = `input ports Real u, Bool go
      output ports y <- f.y, since, when
      control var Real waited := 0.0, Real at := 0.0;
      control rules {
        waited := elapsed(f);
        if (go) {
          save_state(f);
          do_step(f, t - e, elapsed(f) + H);
          rollback(f);
          do_step(f, last_execution_time(f), e + H);
        }
        at := last_execution_time(f);
        return H;
      }
      out rules { since := waited; when := at; }`;
    const unit = around("delayed moore", rules, held());
    const seen = [false, false, true, true].map((go, k) => {
      setValues(unit, { u: 1, go: go ? 1 : 0 });
      step(unit, k, k + 1);
      return ["since", "when", "y"].map((name) => getNumber(unit, name));
    });
    expect(seen).toEqual([
      [0, 0, 0],
      [1, 0, 0],
      [2, 3, 3],
      [0, 4, 4],
    ]);
  });

  it("[SA56] whether a variable has a value", () => {
    const rules = `output ports y <- f.y, known
      control var seen;
      control rules {
        var was := is_set(seen);
        flag := was ? flag + 1 : 10;
        seen := t;
        return do_step(f, t, H);
      }
      control var flag := 0.0;
      out rules { known := flag; }`;
    expect(ys(around("reactive moore", rules, held()), [0, 0, 0], "known")).toEqual([10, 11, 12]);
  });

  it("[SA56] a step is sent back by control rules, and by rules for inputs", () => {
    const control = "control rules { if (H > 0.5) { discard(0.25); } return do_step(f, t, H); }";
    expect(step(around("reactive moore", control, held()), 0, 1)).toMatchObject({
      reason: "discarded",
      time: 0.25,
    });
    const input = "input ports Real u\nin rules { u > 1 -> { discard(0.125); }; }";
    const unit = around("reactive moore", input, held());
    const start = unit.save();
    setValues(unit, { u: 2 });
    expect(step(unit, 0, 1)).toMatchObject({ reason: "discarded", time: 0.125 });
    unit.restore(start);
    setValues(unit, { u: 1 });
    expect(step(unit, 0, 1)).toMatchObject({ reason: "time" });
  });

  it("[SA56] rounds to places behind the point", () => {
    const rules = "output ports z\nout rules { z := round(f.y, 2); }";
    expect(ys(around("reactive moore", rules, held()), [1.23456], "z")).toEqual([1.23]);
  });
});
