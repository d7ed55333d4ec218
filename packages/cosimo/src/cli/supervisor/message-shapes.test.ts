import { describe, expect, it } from "vitest";
import { runMessage } from "./message-shapes.ts";

const PLAN = {
  title: "x",
  units: ["x"],
  experiment: { start: 0, stop: 1, step: 0.1, tolerance: 1e-6 },
  columns: [
    { name: "h", type: "float64", unit: "m", description: "height" },
    { name: "n", type: "int64", stepwise: true, isEvent: false },
  ],
  slots: [0, 0],
  layout: { f64: 1, i64: 1, obj: 0 },
  every: 1,
  callNames: ["", "fmi3DoStep"],
  entries: { model: "x" },
};
const FAILURE = {
  unit: "x",
  call: "fmi3DoStep",
  status: "error",
  time: 1,
  problem: "it lacks a function",
  log: ["no"],
};
const GOOD = {
  through: { kind: "through" },
  library: { kind: "library", number: 1, file: "x.so" },
  progress: { kind: "progress", time: 0.5, steps: 3 },
  plan: { kind: "plan", plan: PLAN },
  checkpoint: { kind: "checkpoint", time: 1, steps: 2, isResumed: false },
  log: { kind: "log", unit: "x", status: "warning", category: "", message: "hm" },
  broken: { kind: "broken", reason: "r", cause: "system", stack: "" },
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
      profile: {
        ticks: 3,
        units: [{ unit: "x", share: 0.5, advanceSeconds: 1, exchangeSeconds: 1 }],
        couplingShare: 0.5,
      },
      master: {
        steps: 3,
        iterations: 0,
        advances: 3,
        events: 1,
        rejections: [{ reason: "error", count: 1 }],
        bonds: [{ name: "b", transferred: 1, moved: 1, made: 0, lost: 0 }],
        notes: ["late"],
      },
      faults: [{ name: "x.h", activations: 1 }],
      events: [{ connection: "x.n -> y.n", sent: 2, received: 1, atEnd: 1 }],
    },
  },
  stalled: {
    kind: "recorded",
    outcome: {
      kind: "stalled",
      time: 1,
      steps: 1,
      unit: "x",
      asks: { signal: "x.h", reason: "error", over: 2, step: 0.1, declared: "x.h > 1" },
    },
  },
  diverged: {
    kind: "recorded",
    outcome: {
      kind: "diverged",
      time: 1,
      steps: 1,
      loop: ["x"],
      methods: ["newton"],
      residuals: [1],
      worst: ["x.u"],
      step: 0.1,
    },
  },
  unstable: {
    kind: "recorded",
    outcome: { kind: "unstable", time: 1, steps: 1, message: "m", advice: "a" },
  },
  diagnostics: {
    kind: "diagnostics",
    diagnostics: [
      {
        code: "c",
        severity: "note",
        message: "m",
        fix: "f",
        place: { file: "x", line: 1, column: 1 },
      },
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

/** `value` with one of its parts, at any depth, replaced: every one in turn, with its path. */
function* damaged(value: unknown, path = ""): Generator<[string, unknown]> {
  // Neither a text, a number, a truth, a list nor an object of ours; nor an optional one.
  yield [path, null];
  if (typeof value !== "object" || value === null) return;
  for (const [name, part] of Object.entries(value))
    for (const [at, other] of damaged(part, `${path}.${name}`)) {
      const copy = Array.isArray(value) ? value.slice() : { ...value };
      yield [at, Object.assign(copy, { [name]: other })];
    }
}

describe("a message whose parts are replaced one by one", () => {
  it.each(Object.entries(GOOD))("[CL16] is refused for each of them: %s", (_, message) => {
    for (const [path, wrong] of damaged(message)) expect(runMessage(wrong), path).toBeUndefined();
  });
});

function plan(change: object): object {
  return { kind: "plan", plan: { ...PLAN, ...change } };
}

function failed(): object {
  return { kind: "failed", time: 1, steps: 1 };
}
