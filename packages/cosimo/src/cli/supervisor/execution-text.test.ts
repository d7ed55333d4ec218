import { describe, expect, it } from "vitest";
import type { Execution } from "../protocol/protocol.ts";
import { executionTexts, executorText } from "./execution-text.ts";

const MASTER: NonNullable<Execution["master"]> = {
  steps: 10,
  rejections: [],
  iterations: 0,
  advances: 10,
  events: 0,
  bonds: [],
  notes: [],
};
const line = (execution: Partial<Execution>): string[] =>
  executionTexts({ executor: "interpreter", ...execution }, 1);

describe("how a plan was executed, in words", () => {
  it("names the executor, and how much of the plan is its own", () => {
    expect(executorText({ executor: "machine-code" })).toBe("machine code");
    const interpreted = { units: [{ unit: "a", why: "not a native FMU" }], of: 3 };
    expect(executorText({ executor: "machine-code", interpreted })).toBe(
      "machine code for 2 of 3 units",
    );
    expect(line({ interpreted })).toEqual(["interpreter: a (not a native FMU)"]);
  });

  it("lists eight units that were interpreted, and counts the others", () => {
    const units = Array.from({ length: 10 }, (_, i) => ({ unit: `u${i}`, why: "w" }));
    expect(line({ interpreted: { units, of: 10 } })[0]).toMatch(/u7 \(w\), 2 others$/);
  });

  it("says what a master did, without what did not happen", () => {
    expect(line({ master: MASTER })).toEqual(["master: 10 steps"]);
    const rejections = [
      { reason: "error" as const, count: 3 },
      { reason: "event" as const, count: 1 },
    ];
    const busy = { ...MASTER, events: 2, rejections, iterations: 25, notes: ["look"] };
    expect(line({ master: busy })).toEqual([
      "master: 10 steps, 2 events, 4 rejected (3 error, 1 event), 2.5 iterations per step",
      "note: look",
    ]);
  });

  it("gives the energy of bonds, and its share where some moved", () => {
    const bond = { name: "spring", transferred: 1, moved: 200, made: 1, lost: 3 };
    const idle = { ...bond, name: "idle", moved: 0, made: 0, lost: 0 };
    const [, first, second] = line({ master: { ...MASTER, bonds: [bond, idle] } });
    expect(first).toMatch(/^bond spring: 200\.0 .*1\.00 created and 3\.00 dissipated.*\(2\.0 %\)$/);
    expect(second).not.toContain("%");
  });

  it("[EN18] gives the profile of runs that are long enough to have one", () => {
    const profile = {
      ticks: 3,
      units: [{ unit: "a", share: 0.75, advanceSeconds: 1, exchangeSeconds: 0 }],
      couplingShare: 0.25,
    };
    expect(line({ profile })).toEqual(["time: a 75 %, between them 25 %"]);
    expect(executionTexts({ executor: "interpreter", profile }, 0.02)).toEqual([]);
    expect(executionTexts({ executor: "interpreter", profile }, 0.02, true)).toHaveLength(1);
  });

  it("says which units ran on which thread", () => {
    const threads = { groups: [["a", "c"], ["b"]], why: "two cores" };
    expect(line({ threads })).toEqual(["threads: 2 (a, c | b): two cores"]);
    expect(line({ threads: { groups: [["a"]], why: "one unit" } })).toEqual([
      "threads: 1: one unit",
    ]);
  });

  it("orders the profile by share, with digits where they mean something", () => {
    const unit = (name: string, share: number) => ({
      unit: name,
      share,
      advanceSeconds: 0,
      exchangeSeconds: 0,
    });
    const units = [unit("small", 0.021), unit("large", 0.9)];
    expect(line({ profile: { ticks: 5, units, couplingShare: 0.079 } })).toEqual([
      "time: large 90 %, small 2.1 %, between them 7.9 %",
    ]);
  });
});
