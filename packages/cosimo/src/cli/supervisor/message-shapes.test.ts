import { describe, expect, it } from "vitest";
import { runMessage } from "./message-shapes.ts";

const PLAN = {
  title: "x",
  units: ["x"],
  experiment: { start: 0, stop: 1, step: 0.1 },
  columns: [
    { name: "h", type: "float64", unit: "m" },
    { name: "n", type: "int64", stepwise: true },
  ],
  slots: [0, 0],
  layout: { f64: 1, i64: 1, obj: 0 },
  every: 1,
  callNames: ["", "fmi3DoStep"],
  entries: { model: "x" },
};
const FAILURE = { unit: "x", call: "fmi3DoStep", status: "error", time: 1, log: ["no"] };
const GOOD = {
  through: { kind: "through" },
  library: { kind: "library", unit: 0, file: "x.so" },
  progress: { kind: "progress", time: 0.5, steps: 3 },
  plan: { kind: "plan", plan: PLAN },
  checkpoint: { kind: "checkpoint", time: 1, steps: 2, isResumed: false },
  log: { kind: "log", unit: "x", status: "warning", category: "", message: "hm" },
  broken: { kind: "broken", reason: "r", isSystem: true, stack: "" },
  recorded: { kind: "recorded", outcome: { kind: "completed", time: 1, steps: 10 } },
  failed: {
    kind: "done",
    outcome: { kind: "failed", time: 1, steps: 10, failure: FAILURE },
    wallSeconds: 1,
    pace: { factor: 1, points: 3, overruns: 0, worstSeconds: 0 },
    execution: {
      executor: "machine-code",
      interpreted: { units: [{ unit: "x", why: "w" }], of: 1 },
      threads: { groups: [["x"]], why: "w" },
    },
  },
  diagnostics: {
    kind: "diagnostics",
    diagnostics: [
      { code: "c", severity: "note", message: "m", fix: "f", place: { file: "x", line: 1 } },
    ],
  },
};

describe("a message of the worker", () => {
  it.each(Object.entries(GOOD))("[CL16] of the right shape is taken: %s", (_, message) => {
    expect(runMessage(message)).toBe(message);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["a list", []],
    ["no kind", {}],
    ["a kind of the prototype", { kind: "constructor" }],
    ["an unknown kind", { kind: "thanks" }],
    ["a missing number", { kind: "progress", time: 1 }],
    ["a text for a number", { ...GOOD.progress, time: "1" }],
    ["a list for an object", { kind: "plan", plan: [] }],
    ["an unknown severity", { kind: "diagnostics", diagnostics: [{ severity: "joke" }] }],
    ["an unknown outcome", { kind: "recorded", outcome: { kind: "fine", time: 1, steps: 1 } }],
    ["a failure without a unit", { ...GOOD.failed, outcome: { ...failed(), failure: {} } }],
    ["an unknown type", plan({ columns: [{ name: "h", type: "float" }], slots: [0] })],
    ["too few slots", plan({ slots: [0] })],
    ["a slot beyond the row", plan({ slots: [1, 0] })],
    ["a slot before the row", plan({ slots: [-1, 0] })],
    ["half a slot", plan({ slots: [0.5, 0] })],
    ["entries that are not texts", plan({ entries: { model: 1 } })],
  ])("[CL16] is refused: %s", (_, message) => {
    expect(runMessage(message)).toBeUndefined();
  });
});

function plan(change: object): object {
  return { kind: "plan", plan: { ...PLAN, ...change } };
}

function failed(): object {
  return { kind: "failed", time: 1, steps: 1 };
}
