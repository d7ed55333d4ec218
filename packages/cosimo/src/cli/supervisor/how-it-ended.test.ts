import { describe, expect, it, vi } from "vitest";
import { folderOfFile } from "../../platform/node/testing/folders.ts";
import type { RunHeader, RunJob } from "../protocol/protocol.ts";
import { openStatus } from "../protocol/status.ts";
import { afterwards, deathText, earlyEnd, howItEnded, upToLastRow } from "./how-it-ended.ts";
import type { WorkerEnd } from "./isolate.ts";

/** The bound on memory that this process was started with. */
let bound: string | undefined;
vi.mock("./out-of-memory.ts", async (original) => ({
  ...(await original<typeof import("./out-of-memory.ts")>()),
  memoryBound: () => bound,
}));

const folder = folderOfFile("ended");

const JOB = { model: "dir/x.fmu", folder, start: 1 } as RunJob;
const PLAN: RunHeader = {
  title: "pair",
  units: ["a", "b"],
  experiment: { start: 1, stop: 3, step: 0.5 },
  columns: [],
  slots: [],
  layout: { f64: 0, i64: 0, obj: 0 },
  callNames: ["", "fmi3DoStep", "fmi3Terminate"],
  entries: {},
};
const END: WorkerEnd = {
  code: null,
  signal: "SIGSEGV",
  asked: false,
  killed: false,
  isThrough: false,
  noise: 0,
  lostFiles: false,
  leftProcesses: false,
  lastWords: "",
};
type Heard = Parameters<typeof howItEnded>[3];
const SILENT: Heard = {
  broken: undefined,
  refused: false,
  log: ["a: last words"],
  libraries: new Map(),
};
const BROKEN = { kind: "broken", reason: "EMFILE: too many", cause: "system", stack: "" } as const;

/** A worker that was at `time` and row 3, with unit u in call `calls[u]`. */
function died(calls: readonly number[], end: Partial<WorkerEnd> = {}, heard: Heard = SILENT) {
  const status = openStatus(folder, PLAN.units.length);
  status.time = 2.5;
  status.rows = 3;
  calls.forEach((call, u) => {
    status.call(u)[0] = call;
  });
  return howItEnded(JOB, PLAN, { ...END, ...end }, heard);
}

describe("a worker that died", () => {
  it("[CL4] is blamed on the unit that was in a call, with the time and its log", () => {
    expect(died([0, 1])).toEqual({
      kind: "crashed",
      time: 2.5,
      steps: 3,
      failure: {
        unit: "b",
        call: "fmi3DoStep",
        status: expect.stringContaining("SIGSEGV"),
        time: 2.5,
        log: SILENT.log,
      },
    });
  });

  it("[CL4] names the others that ran at the same time", () => {
    expect(died([1, 2])).toMatchObject({
      failure: { unit: "a", status: expect.stringMatching(/'b' ran at the same/) },
    });
  });

  it("[CL20] between two calls is blamed on no unit in particular", () => {
    expect(died([0, 0], { signal: "SIGABRT" })).toMatchObject({
      kind: "crashed",
      failure: { unit: "a' or 'b", status: expect.stringMatching(/between two calls/) },
    });
    expect(died([0, 1], { lostFiles: true })).toMatchObject({
      failure: { unit: "a' or 'b", status: expect.stringMatching(/closed or replaced/) },
    });
  });

  it("[CL24] for lack of memory names the units that could have bounded it, whichever is in a call", () => {
    const lastWords = "FATAL ERROR: NewSpace::EnsureCurrentCapacity Allocation failed";
    const cause = { signal: "SIGTRAP", lastWords } as const;
    expect(died([0, 1], cause)).toMatchObject({
      kind: "crashed",
      failure: { unit: "a' or 'b", call: "the run", status: expect.stringMatching(/no memory/) },
    });
    bound = "there is not enough memory: 'ulimit -v'";
    expect(died([0, 1], cause)).toMatchObject({ kind: "aborted", reason: bound });
    expect(earlyEnd(JOB, { ...END, ...cause }, undefined)).toMatchObject({
      kind: "aborted",
      reason: bound,
    });
    bound = undefined;
    expect(earlyEnd(JOB, { ...END, ...cause }, undefined)).toMatchObject({
      kind: "crashed",
      failure: { unit: "x.fmu", status: expect.stringMatching(/no memory/) },
    });
  });

  it("[CL24] of an exception that a unit did not catch is explained by it", () => {
    const lastWords = "terminate called after throwing an instance of 'std::bad_alloc'\n";
    const cause = { signal: "SIGABRT", lastWords } as const;
    expect(died([0, 1], cause)).toMatchObject({
      failure: { unit: "b", call: "fmi3DoStep", status: expect.stringMatching(/std::bad_alloc/) },
    });
    expect(died([0, 0], cause)).toMatchObject({ failure: { unit: "a' or 'b" } });
  });

  it("[CL10] for --timeout says so", () => {
    expect(died([1, 0], { killed: "timeout" })).toMatchObject({
      failure: { call: "fmi3DoStep", status: "no answer within --timeout" },
    });
  });

  it("[CL5] on request is cancelled", () => {
    expect(died([1, 0], { killed: "cancelled" })).toEqual({
      kind: "cancelled",
      time: 2.5,
      steps: 3,
    });
  });

  it("[CL13] by a failure of our own is aborted with its reason", () => {
    expect(died([0, 0], {}, { ...SILENT, broken: BROKEN })).toMatchObject({
      kind: "aborted",
      reason: expect.stringMatching(/EMFILE.*ulimit -n/),
    });
  });

  it("before there was a plan is named by the file that it loaded", () => {
    expect(earlyEnd(JOB, END, undefined)).toMatchObject({
      kind: "crashed",
      time: 1,
      failure: { unit: "x.fmu", call: "loading" },
    });
    expect(earlyEnd(JOB, { ...END, asked: "timeout" }, undefined).kind).toBe("timed-out");
    expect(earlyEnd(JOB, END, BROKEN).kind).toBe("aborted");
  });

  it("is explained in words", () => {
    expect(deathText({ ...END, code: 7, signal: null })).toMatch(/exit code 7/);
    expect(deathText({ ...END, signal: "SIGFPE" })).toMatch(/zero/);
    expect(deathText({ ...END, signal: "SIGILL" })).toBe("SIGILL");
  });
});

describe("rows that a dead worker left", () => {
  const rows = [
    { time: Float64Array.of(1, 1.5), data: [] },
    { time: Float64Array.of(2, 3), data: [] },
  ];

  it("[CL4] say how far it came", () => {
    const outcome = died([0, 1]);
    expect(upToLastRow(outcome, PLAN, rows)).toMatchObject({
      time: 3,
      steps: 4,
      failure: { time: 3 },
    });
  });

  it("[CL4] do not take the run back", () => {
    const outcome = died([0, 1]);
    expect(upToLastRow(outcome, PLAN, rows.slice(0, 1))).toBe(outcome);
    expect(upToLastRow(outcome, PLAN, [])).toBe(outcome);
  });
});

describe("what is said of a worker beside the ending of its run", () => {
  const done = { kind: "completed", time: 3, steps: 4 } as const;
  const codes = (end: Partial<WorkerEnd>): string[] =>
    afterwards(JOB, PLAN, { ...END, signal: null, code: 0, isThrough: true, ...end }, done).map(
      ({ code }) => code,
    );

  it.each<[Partial<WorkerEnd>, string[]]>([
    [{}, []],
    [{ killed: "unfinished" }, ["unit-not-freed"]],
    [{ code: 1 }, ["unit-crashed-late"]],
    [{ isThrough: false, code: null, signal: "SIGSEGV" }, ["unit-crashed-late"]],
    [{ leftProcesses: true }, ["unit-left-processes"]],
    [{ noise: 3 }, ["unit-disturbed-channel"]],
    [{ lostFiles: true }, ["unit-disturbed-channel"]],
  ])("[CL12] %j: %j", (end, expected) => {
    expect(codes(end)).toEqual(expected);
  });
});
