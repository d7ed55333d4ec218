/** The file through which a person acts on a run: whole, or not there. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { NO_CONTROL, readControl, writeControl } from "./control-file.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "cosimo-control-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

it("is what was written last, and leaves no part of it behind", () => {
  expect(readControl(folder)).toBeUndefined();
  writeControl(folder, NO_CONTROL);
  const control = { isPaused: true, steps: 3, set: ["tank.k=2", "µ.x='a \"b\"'"] };
  writeControl(folder, control);
  expect(readControl(folder)).toEqual(control);
  expect(readdirSync(folder)).toEqual(["control.json"]);
});

it.each([
  "",
  "{",
  "null",
  "[]",
  '{"isPaused":true,"steps":1}',
  '{"isPaused":1,"steps":1,"set":[]}',
  '{"isPaused":true,"steps":-1,"set":[]}',
  '{"isPaused":true,"steps":1.5,"set":[]}',
  '{"isPaused":true,"steps":1,"set":[1]}',
])("is not there where it holds %s", (text) => {
  writeFileSync(join(folder, "control.json"), text);
  expect(readControl(folder)).toBeUndefined();
});
