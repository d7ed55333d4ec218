/**
 * The listings of the paper at work on small units with known results, errata applied. Window and obstacle are those of the
 * power window: disp = r · angle, tau = r · (force + b · speed · r), force = k · max(0, disp - where).
 */
import { describe, expect, it } from "vitest";
import { runUnits } from "../engine/testing/run-units.ts";
import { functionUnit } from "../unit/function-unit.ts";
import { getNumber, indexOf, setValues } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { adapt, started, step, watched } from "./testing/adapt.ts";
import { integrator, timer } from "./testing/small-units.ts";

const RADIUS = 0.11;
const STIFFNESS = 40;
const WHERE = 0.3;

function windowUnit(): Unit {
  return functionUnit({
    name: "window",
    inputs: {
      displacement: { reactive: true },
      speed: { reactive: true },
      reaction_force: { reactive: true },
    },
    outputs: { height: { unit: "cm" }, reaction_torque: {} },
    evaluate: (_t, u, _p, y) => {
      y[0] = 100 * RADIUS * u[0]!;
      y[1] = RADIUS * (u[2]! + 10 * RADIUS * u[1]!);
    },
  });
}

const WINDOW_SA = `
  semantic adaptation reactive mealy WindowSA windowSA
  for inner fmu Window window at "window.fmu"
  input ports reaction_force, displacement, speed
  output ports disp (m), tau (N.m)
  in var stored_reaction_force := 0.0, stored_displacement := 0.0, stored_speed := 0.0;
  in rules {
    true -> {
      stored_reaction_force := windowSA.reaction_force;
      stored_displacement := windowSA.displacement;
      stored_speed := windowSA.speed;
    } --> {
      window.reaction_force := stored_reaction_force;
      window.displacement := stored_displacement;
      window.speed := stored_speed;
    };
  }
  control rules { var H_window := do_step(window, t, H); return H_window; }
  out var stored_reaction_torque := 0.0, stored_height := 0.0;
  out rules {
    true -> { stored_reaction_torque := window.reaction_torque; stored_height := window.height; }
        --> { windowSA.disp := stored_height / 100; };
    true -> { } --> { windowSA.tau := -stored_reaction_torque; };
  }`;

describe("listing 1", () => {
  it("[AU40] changes the sign of the torque and the unit of the height", () => {
    const unit = started(adapt(WINDOW_SA, windowUnit()));
    setValues(unit, { displacement: 2, speed: 3, reaction_force: 4 });
    expect(getNumber(unit, "disp")).toBeCloseTo(RADIUS * 2, 12);
    expect(getNumber(unit, "tau")).toBeCloseTo(-RADIUS * (4 + 10 * RADIUS * 3), 12);
    expect(unit.description.ports.find(({ name }) => name === "disp")!.unit?.name).toBe("m");
  });
});

/** Yields when it is pressed: the window moves back by a part of the force. */
function softWindow(): Unit {
  return functionUnit(
    {
      name: "window_sa",
      inputs: { displacement: { reactive: true }, reaction_force: { reactive: true } },
      outputs: { disp: {}, tau: {} },
      evaluate: (_t, u, _p, y) => {
        y[0] = RADIUS * u[0]! - 0.01 * u[1]!;
        y[1] = -RADIUS * u[1]!;
      },
    },
    "window_sa",
  );
}

function obstacle(): Unit {
  return functionUnit({
    name: "obstacle",
    inputs: { disp: { reactive: true } },
    outputs: { reaction_force: {} },
    evaluate: (_t, u, _p, y) => {
      y[0] = STIFFNESS * Math.max(0, u[0]! - WHERE);
    },
  });
}

const LOOP_SA = (rounds: number): string => `
  semantic adaptation reactive moore LoopSA loop_sa
  for inner fmu WindowSA window_sa at "window.sa"
  for inner fmu Obstacle obstacle at "obstacle.fmu"
  with window_sa.disp -> obstacle.disp
  with obstacle.reaction_force -> window_sa.reaction_force
  input ports displacement
  output ports tau
  param MAXITER := ${rounds}, REL_TOL := 1e-12, ABS_TOL := 1e-12;
  control var prev_disp := 0.0;
  control rules {
    var converged := false;
    for (var iter in 0 .. MAXITER) {
      save_state(obstacle);
      save_state(window_sa);
      obstacle.disp := prev_disp;
      do_step(obstacle, t, H);
      do_step(window_sa, t, H);
      converged := is_close(prev_disp, window_sa.disp, REL_TOL, ABS_TOL);
      prev_disp := window_sa.disp;
      if (converged) { break; } else { rollback(obstacle); rollback(window_sa); }
    }
    return H;
  }
  in var stored_displacement := 0.0;
  in rules { true -> { stored_displacement := loop_sa.displacement; } --> { window_sa.displacement := stored_displacement; }; }
  out var stored_tau := 0.0;
  out rules { true -> { stored_tau := window_sa.tau; } --> { loop_sa.tau := stored_tau; }; }`;

describe("listing 3", () => {
  it("[AU41] ends each step where window and obstacle agree", () => {
    const unit = started(adapt(LOOP_SA(100), softWindow(), obstacle()));
    for (const [k, angle] of [1, 3, 4].entries()) {
      setValues(unit, { displacement: angle });
      step(unit, k, k + 1);
      // Free below the obstacle; pressed: F = k (r a - F/100 - where).
      const free = RADIUS * angle - WHERE;
      const force = free > 0 ? (STIFFNESS * free) / (1 + STIFFNESS / 100) : 0;
      expect(getNumber(unit, "tau")).toBeCloseTo(-RADIUS * force, 9);
    }
  });

  it("[AU41] shows what is stored between steps, because the two form a circle", () => {
    const unit = started(adapt(LOOP_SA(100), softWindow(), obstacle()));
    setValues(unit, { displacement: 4 });
    expect(getNumber(unit, "tau")).toBe(0);
  });

  it("[AU41] says so in the next step when it did not converge and left its units behind", () => {
    const unit = started(adapt(LOOP_SA(2), softWindow(), obstacle()));
    setValues(unit, { displacement: 4 });
    step(unit, 0, 1);
    expect(() => step(unit, 1, 2)).toThrow("do_step(obstacle) from t=1, but it is at t=0");
  });
});

const RATE_SA = `
  semantic adaptation reactive moore RateSA rate_sa
  for inner fmu LoopSA loop_sa at "loop.sa"
  input ports speed
  output ports tau
  param RATE := 10;
  control var previous_speed := 0.0;
  control rules {
    var micro_step := H / RATE;
    var inner_time := t;
    for (var iter in 0 .. RATE) {
      do_step(loop_sa, inner_time, micro_step);
      inner_time := inner_time + micro_step;
    }
    previous_speed := current_speed;
    return H;
  }
  in var current_speed := 0.0;
  in rules {
    true -> { current_speed := speed; } --> {
      loop_sa.u := previous_speed + (current_speed - previous_speed) * (dt + h) / H;
    };
  }
  out var stored_tau := 0.0;
  out rules { true -> { stored_tau := loop_sa.y; } --> { rate_sa.tau := stored_tau; }; }`;

describe("listing 4", () => {
  it("[AU42] takes ten steps along the line from the last input to this one", () => {
    const inner = watched(integrator("loop_sa"));
    const unit = started(adapt(RATE_SA, inner.unit));
    let expected = 0;
    for (const [k, speed] of [2, -1, 5].entries()) {
      const last = [0, 2, -1][k]!;
      setValues(unit, { speed });
      step(unit, 0.2 * k, 0.2 * (k + 1));
      // Ten held values, each that of the end of its micro-step.
      for (let i = 1; i <= 10; i++) expected += (last + ((speed - last) * i) / 10) * 0.02;
      expect(getNumber(unit, "tau")).toBeCloseTo(expected, 12);
    }
    expect(inner.steps).toHaveLength(30);
    expect(inner.steps.at(-1)![1]).toBe(0.2 * 3);
  });

  it("[AU42] runs at the rate that its parameter says", () => {
    const inner = watched(integrator("loop_sa"));
    const unit = adapt(RATE_SA, inner.unit);
    setValues(unit, { RATE: 3 });
    started(unit);
    step(unit, 0, 1);
    expect(inner.steps).toHaveLength(3);
  });
});

const LAZY_SA = `
  semantic adaptation reactive moore LazySA lazy_sa
  for inner fmu Controller controller at "controller.fmu"
  input ports go
  output ports on
  param INIT_GO := false;
  control var tn := -1.0, tl := -1.0, prev_go := INIT_GO;
  control rules {
    if (tl < 0.0) { tl := t; }
    var step_size := min(H, tn - t);
    if (stored_go != prev_go or (t + H) >= tn) {
      var step_done := do_step(controller, tl, t + H - tl);
      tn := tl + step_done + get_next_time_step(controller);
      step_size := tl + step_done - t;
      tl := tl + step_done;
    }
    prev_go := stored_go;
    return step_size;
  }
  in var stored_go := INIT_GO;
  in rules { true -> { stored_go := lazy_sa.go; } --> { controller.go := stored_go; }; }
  out var stored_on := false;
  out rules { true -> { stored_on := controller.on; } --> { lazy_sa.on := stored_on; }; }`;

describe("listing 5", () => {
  it("[AU43] executes the controller when an input changes and when its time has come", () => {
    const inner = watched(timer("controller", 1));
    const unit = started(adapt(LAZY_SA, inner.unit));
    const ends: number[] = [];
    const shown: number[] = [];
    for (let k = 0; k < 20; k++) {
      // Pressed in the fourth step.
      setValues(unit, { go: k >= 3 });
      expect(step(unit, k / 8, (k + 1) / 8).reason).toBe("time");
      shown.push(getNumber(unit, "on"));
      if (inner.steps.at(-1)?.[1] === (k + 1) / 8) ends.push(k);
    }
    // First: always. Then the press; it stays on for a second from where that step of the controller began (after the first
    // step, at 1/8), so the next turn is the one that ends at 9/8.
    expect(ends).toEqual([0, 3, 8]);
    expect(inner.steps).toEqual([
      [0, 1 / 8],
      [1 / 8, 4 / 8],
      [4 / 8, 9 / 8],
    ]);
    expect(shown).toEqual(shown.map((_, k) => (k >= 3 && k < 8 ? 1 : 0)));
  });
});

const CROSSING_SA = `
  semantic adaptation reactive moore ControllerSA controller_sa
  for inner fmu Lazy lazy at "lazy.sa"
  input ports current
  output ports u
  param RTOL := 1e-4, ATOL := 1e-8, T := 5.0, INIT_V := 0.0;
  control var c := false, p_v := INIT_V;
  control rules {
    var step_size := H;
    var crossedTooFar := false;
    c := false;
    if ((not is_close(p_v, T, RTOL, ATOL) and p_v < T) and (not is_close(f_v, T, RTOL, ATOL) and f_v > T)) {
      crossedTooFar := true;
      var negative_value := p_v - T;
      var positive_value := f_v - T;
      step_size := (H * (-negative_value)) / (positive_value - negative_value);
    } else {
      if ((not is_close(p_v, T, RTOL, ATOL) and p_v < T) and is_close(f_v, T, RTOL, ATOL)) { c := true; }
    }
    if (not crossedTooFar) { step_size := do_step(lazy, t, H); }
    if (is_close(step_size, H, RTOL, ATOL)) { p_v := f_v; }
    return step_size;
  }
  in var f_v := INIT_V;
  in rules { true -> { f_v := controller_sa.current; } --> { lazy.go := c; }; }
  out rules {
    lazy.on -> { } --> { controller_sa.u := 1.0; };
    not lazy.on -> { } --> { controller_sa.u := 0.0; };
  }`;

describe("listing 6", () => {
  it("[AU44] sends a step back until it ends at the crossing, and tells the event there", () => {
    const unit = started(adapt(CROSSING_SA, timer("lazy", 1)));
    const current = (t: number): number => 8 * t * t;
    const crossing = Math.sqrt(5 / 8);
    let time = 0;
    let tries = 0;
    const visited: number[] = [];
    while (time < 1) {
      let to = Math.min(1, time + 0.3);
      const before = unit.save();
      for (;;) {
        setValues(unit, { current: current(time) });
        const slope = (current(to) - current(time)) / (to - time);
        unit.setInputDerivatives([indexOf(unit, "current")], [1], Float64Array.of(slope));
        const stop = step(unit, time, to);
        tries++;
        if (stop.reason === "time") break;
        expect(stop).toMatchObject({ reason: "discarded", port: -1 });
        expect(stop.time).toBeLessThan(to);
        unit.restore(before);
        to = stop.time;
      }
      time = to;
      visited.push(time);
    }
    const nearest = visited.find((t) => Math.abs(t - crossing) < 1e-4 * crossing)!;
    expect(Math.abs(current(nearest) - 5)).toBeLessThanOrEqual(5.1e-4);
    expect(tries).toBeGreaterThan(visited.length);
    expect(getNumber(unit, "u")).toBe(1);
  });

  it("[AU44] moves a whole scenario to the crossing, with a master that can go back", async () => {
    const ramp = functionUnit({
      name: "ramp",
      outputs: { y: { feedThrough: [] } },
      evaluate: (t, _u, _p, y) => {
        y[0] = 7 * t;
      },
    });
    const unit = adapt(CROSSING_SA, timer("lazy", 10));
    const run = await runUnits(
      { ramp, adapted: unit },
      "ramp.y -> adapted.current",
      ["adapted.u", "ramp.y"],
      { master: "gauss-seidel", step: 0.3, stop: 1.2 },
    );
    expect(run.outcome.kind).toBe("completed");
    const at = run.time.findIndex((t) => Math.abs(7 * t - 5) < 1e-9);
    expect(run.time[at]).toBeCloseTo(5 / 7, 12);
    expect(run.values["adapted.u"]!.map(Boolean)).toEqual(run.time.map((_, row) => row >= at));
  });
});
