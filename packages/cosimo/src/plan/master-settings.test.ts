/**
 * Options of masters that decide at run time: defaults, what they accept, and what they refuse.
 */
import { describe, expect, it } from "vitest";
import { type Diagnostic, reporterFor } from "../base/diagnostic.ts";
import type { MasterName } from "../model/masters.ts";
import { type MasterSettings, readMasterSettings } from "./master-settings.ts";
import { PLAN_DIAGNOSTICS } from "./plan-diagnostics.ts";

const place = { file: "s.yaml" };

function read(
  name: MasterName,
  options: Readonly<Record<string, unknown>> = {},
  written: string = name,
): { readonly settings: MasterSettings; readonly found: readonly Diagnostic[] } {
  const found: Diagnostic[] = [];
  const report = reporterFor(PLAN_DIAGNOSTICS, found);
  return {
    settings: readMasterSettings(name, { name: written, options, place }, 0.5, report),
    found,
  };
}

const refused = (name: MasterName, options: Readonly<Record<string, unknown>>): string[] =>
  read(name, options).found.map(({ code, message, fix }) => `${code}: ${message} (${fix})`);

describe("without options", () => {
  it("an iterating master varies inputs linearly and iterates with the default tolerance", () => {
    const { settings, found } = read("iterative");
    expect(found).toEqual([]);
    expect(settings).toMatchObject({
      coupling: "iterative",
      order: 1,
      microSteps: 10,
      fallback: "refuse",
      eventMode: true,
      iteration: { method: "auto", jacobian: "auto", tolerance: 1e-8, pieces: 1, halvings: 10 },
    });
    expect(settings).not.toHaveProperty("control");
    expect(settings.iteration).not.toHaveProperty("corrections");
  });

  it.each(["jacobi", "gauss-seidel"] as const)("%s holds inputs and iterates nothing", (name) => {
    expect(read(name).settings).toMatchObject({
      coupling: name,
      order: 0,
      iteration: { halvings: 0 },
    });
  });

  it("an adaptive master iterates, and controls steps of any length", () => {
    const { control, coupling, order } = read("adaptive").settings;
    expect([coupling, order]).toEqual(["iterative", 1]);
    expect(control).toEqual({
      estimator: "milne",
      relative: 1e-4,
      absolute: 1e-6,
      minStep: 0.5 * 1e-12,
      maxStep: Number.POSITIVE_INFINITY,
      rejection: "auto",
    });
  });
});

describe("the tolerance of iterations under step control", () => {
  const toleranceOf = (options: Readonly<Record<string, unknown>>): number =>
    read("adaptive", options).settings.iteration.tolerance;

  it("is a hundredth of what the estimate sees: the tolerance itself for milne and energy", () => {
    expect(toleranceOf({ relative: 1e-3 })).toBeCloseTo(1e-5, 15);
    expect(toleranceOf({ relative: 1e-3, absolute: 1e-2 })).toBeCloseTo(1e-4, 15);
    expect(toleranceOf({ relative: 1e-3, estimator: "energy" })).toBeCloseTo(1e-5, 15);
  });

  it("is tolerance^(1 + 1/order) of it for estimates that compare steps", () => {
    const wanted = (order: number): number => 0.01 * 1e-3 ** (1 + 1 / order);
    for (const [approximation, order] of [
      ["hold", 1],
      ["linear", 2],
      ["quadratic", 3],
    ] as const)
      expect(toleranceOf({ relative: 1e-3, estimator: "richardson", approximation })).toBeCloseTo(
        wanted(order),
        15,
      );
  });

  it("never falls below rounding, and grows no further than a tolerance of 1", () => {
    expect(toleranceOf({ relative: 1e-15, absolute: 1e-15 })).toBe(1e-14);
    expect(toleranceOf({ relative: 50 })).toBe(0.01);
  });

  it("is the author's where one is given", () => {
    expect(toleranceOf({ relative: 1e-3, tolerance: 0.5 })).toBe(0.5);
  });
});

describe("options", () => {
  it("[IT15] are taken as given", () => {
    const control = {
      estimator: "richardson",
      relative: 0.1,
      absolute: 0.2,
      minStep: 0.3,
      maxStep: 0.4,
      firstStep: 0.35,
      rejection: "optimistic",
    };
    const own = {
      coupling: "gauss-seidel",
      microSteps: 3,
      fallback: "explicit",
      eventMode: false,
      eventTolerance: 0.6,
      maxEventRounds: 7,
    };
    const { settings, found } = read("adaptive", {
      ...own,
      ...control,
      approximation: "quadratic",
      order: ["a"],
    });
    expect(found).toEqual([]);
    expect(settings).toMatchObject({ ...own, order: 2, control });
  });

  it("[IT15] of an iteration are taken as given", () => {
    const iteration = {
      method: "aitken",
      jacobian: "differences",
      tolerance: 1e-3,
      maxIterations: 4,
      corrections: 2,
      guess: "hold",
      halvings: 0,
    };
    const { settings, found } = read("iterative", { ...iteration, waveform: 1000 });
    expect(found).toEqual([]);
    expect(settings.iteration).toEqual({ ...iteration, pieces: 1000 });
  });

  it.each([
    ["iterative", { method: "newtn" }, "'method: newtn' does not fit (did you mean 'newton'?)"],
    ["iterative", { guess: 1 }, "'guess: 1' does not fit (one of extrapolate, hold)"],
    ["iterative", { tolerance: 0 }, "'tolerance: 0' does not fit (a number greater than 0)"],
    ["iterative", { tolerance: "1" }, "'tolerance: 1' does not fit (a number greater than 0)"],
    [
      "iterative",
      { maxIterations: 0 },
      "'maxIterations: 0' does not fit (a whole number, at least 1)",
    ],
    [
      "iterative",
      { maxIterations: 1.5 },
      "'maxIterations: 1.5' does not fit (a whole number, at least 1)",
    ],
    ["iterative", { halvings: -1 }, "'halvings: -1' does not fit (a whole number, at least 0)"],
    [
      "iterative",
      { waveform: 1001 },
      "'waveform: 1001' does not fit (a whole number, at least 1 and at most 1000)",
    ],
    ["iterative", { eventMode: "yes" }, "'eventMode: yes' does not fit (true or false)"],
    [
      "adaptive",
      { coupling: "jacoby" },
      "'coupling: jacoby' does not fit (did you mean 'jacobi'?)",
    ],
    ["adaptive", { firstStep: -1 }, "'firstStep: -1' does not fit (a number greater than 0)"],
    [
      "adaptive",
      { minStep: 2, maxStep: 1 },
      "'minStep: 2' does not fit (a number that is not above 'maxStep: 1')",
    ],
  ] as const)("[IT15] %s %j is refused", (name, options, expected) => {
    expect(refused(name, options)).toEqual([`master-option-invalid: ${expected}`]);
  });

  it.each([
    [
      "iterative",
      { toleranc: 1 },
      "the master 'iterative' has no option 'toleranc' (did you mean 'tolerance'?)",
    ],
    [
      "iterative",
      { estimator: "milne" },
      "the master 'iterative' has no option 'estimator' (remove it)",
    ],
    ["jacobi", { method: "newton" }, "the master 'jacobi' has no option 'method' (remove it)"],
    ["adaptive", { zzz: 1 }, "the master 'adaptive' has no option 'zzz' (remove it)"],
    [
      "jacobi",
      { algorithm: "iterative" },
      "the master 'jacobi' has no option 'algorithm' (did you mean 'name'?)",
    ],
  ] as const)("[IT15] %s has no %j", (name, options, expected) => {
    expect(refused(name, options)).toEqual([`master-option-unknown: ${expected}`]);
  });

  it("[IT15] that belong to the master in the file are not judged when the command line chose another", () => {
    expect(read("iterative", { estimator: "milne" }, "adaptive").found).toEqual([]);
    expect(read("iterative", { estimator: "milne" }, "").found).toHaveLength(1);
  });

  it("[IT15] a shortest step is no longer than the longest, whatever is given", () => {
    expect(read("adaptive", { maxStep: 1e-20 }).settings.control?.minStep).toBe(1e-20);
    expect(read("adaptive", { minStep: 0.25, maxStep: 0.25 }).found).toEqual([]);
  });
});
