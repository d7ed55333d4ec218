import { describe, expect, it } from "vitest";
import { explainOutcome, type Outcome, UnitError } from "./outcome.ts";

const at = { time: 2, steps: 7 };
const failure = {
  unit: "tank",
  call: "fmi2DoStep",
  status: "fmi2Error",
  time: 2,
  log: ["too hot"],
};
const asks = { signal: "tank.level", reason: "error", over: 12.34, step: 1e-9 } as const;

const LINES: readonly [Outcome, string][] = [
  [{ kind: "completed", ...at }, "completed at t=2"],
  [{ kind: "cancelled", ...at }, "cancelled at t=2; what was recorded is kept"],
  [
    { kind: "timed-out", ...at },
    "stopped at t=2, when the time allowed by --timeout was over; what was recorded is kept",
  ],
  [{ kind: "stopped-by-unit", ...at, unit: "tank" }, "'tank' ended the simulation at t=2"],
  [
    { kind: "aborted", ...at, reason: "the disk is full" },
    "the disk is full (at t=2; what was recorded is kept)",
  ],
  [
    { kind: "unstable", ...at, message: "it grows", advice: "damp it" },
    "stopped at t=2: it grows\n  fix: damp it",
  ],
  [
    { kind: "failed", ...at, failure },
    "'tank' failed at t=2: fmi2DoStep returned fmi2Error\n  tank: too hot",
  ],
  [
    { kind: "crashed", ...at, failure: { ...failure, status: "SIGSEGV", log: [] } },
    "'tank' failed at t=2: fmi2DoStep ended with SIGSEGV",
  ],
  [
    { kind: "failed", ...at, failure: { ...failure, problem: "it is empty" } },
    "'tank' failed at t=2: it is empty\n  tank: too hot",
  ],
  [
    { kind: "stalled", ...at, unit: "tank" },
    "'tank' accepts no step from t=2 on; try a smaller --step or ask its supplier why",
  ],
];

describe("an outcome", () => {
  it.each(LINES)("$kind is explained in one line for people", (outcome, expected) => {
    expect(explainOutcome(outcome)).toBe(expected);
  });

  it("suggests --debug where an FMU failed without a word, and only there", () => {
    const said = (call: string, log: readonly string[]): string =>
      explainOutcome({ kind: "failed", ...at, failure: { ...failure, call, log } });
    expect(said("fmi2DoStep", [])).toContain("it gave no reason, with --debug it may say more");
    expect(said("advance", [])).not.toContain("--debug");
    expect(said("fmi2DoStep", ["too hot"])).not.toContain("--debug");
  });

  it("names the loop that diverged, what was tried, and where it is worst", () => {
    const text = explainOutcome({
      kind: "diverged",
      ...at,
      loop: ["a", "b"],
      methods: ["newton", "anderson"],
      residuals: [1, 0.25],
      worst: ["a.u"],
      step: 0.1,
    });
    expect(text).toContain("the loop of 'a', 'b' does not converge at t=2 with steps of 0.1 s");
    expect(text).toContain("(tried newton, anderson); worst at a.u");
    expect(text).toContain("residuals: 1.0e+0, 2.5e-1");
  });

  it.each([
    [
      asks,
      "the error of 'tank.level', which 'tank' determines, is 12 times what the tolerance allows; loosen the tolerance, allow a smaller minStep, or declare the event",
    ],
    [
      { ...asks, declared: "level crosses 2" },
      "the event 'level crosses 2' is declared there; loosen the tolerance",
    ],
    [
      { ...asks, reason: "difference" as const },
      "'tank.level' changes by 12 times what its limit allows; raise the limit",
    ],
    [
      { ...asks, over: Number.NaN },
      "'tank.level', which 'tank' determines, is NaN after t=2, even with steps of 1e-9 s",
    ],
  ])("says which signal needs shorter steps than allowed", (given, expected) => {
    expect(explainOutcome({ kind: "stalled", ...at, unit: "tank", asks: given })).toContain(
      expected,
    );
  });

  it("is made from an error that carries the unit, the call and its log", () => {
    expect(new UnitError(failure).message).toBe("'tank' fmi2DoStep: fmi2Error\n  too hot");
    const { problem: _, ...rest } = { ...failure, problem: "it is empty" };
    expect(new UnitError({ ...rest, problem: "it is empty" }).message).toContain(
      "fmi2DoStep: it is empty",
    );
  });
});
