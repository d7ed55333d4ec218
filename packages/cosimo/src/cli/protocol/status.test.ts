import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOfFile } from "../../platform/node/testing/folders.ts";
import { openStatus, readStatus } from "./status.ts";

const folder = folderOfFile("status");

const UNITS = ["a", "b", "c"];
const CALLS = ["", "fmi2DoStep", "fmi2GetReal"];

describe("the status of a worker", () => {
  it("[CL4] outlives it: time, rows, and the call that each unit is in", () => {
    const status = openStatus(folder, UNITS.length);
    status.time = 1.25;
    status.rows = 7;
    status.call(0)[0] = 2;
    status.call(2)[0] = 1;
    status.setLibrary(1, 5);
    expect(readStatus(folder, UNITS, CALLS)).toEqual({
      time: 1.25,
      rows: 7,
      running: [
        { unit: "a", call: "fmi2GetReal" },
        { unit: "c", call: "fmi2DoStep" },
      ],
      libraries: [0, 5, 0],
    });
    expect([status.time, status.rows]).toEqual([1.25, 7]);
  });

  it("is not believed where it cannot be true", () => {
    const status = openStatus(folder, UNITS.length);
    status.time = Number.NaN;
    status.rows = Number.POSITIVE_INFINITY;
    status.call(1)[0] = 99;
    expect(readStatus(folder, UNITS, CALLS)).toEqual({
      running: [{ unit: "b", call: "a call" }],
      libraries: [0, 0, 0],
    });
  });

  it("says nothing where its file is cut or gone", () => {
    writeFileSync(join(folder, "status.bin"), Buffer.alloc(12));
    expect(readStatus(folder, UNITS, CALLS)).toEqual({ running: [], libraries: [0, 0, 0] });
    expect(readStatus(join(folder, "none"), UNITS, CALLS)).toEqual({ running: [], libraries: [] });
  });
});
