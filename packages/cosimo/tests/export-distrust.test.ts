/**
 * Exported FMUs around FMUs that deviate from the standard: what is inside gets its values in the
 * order in which Cosimo gives them, and an answer that is none is an error outside, too.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { UnitError } from "../src/base/outcome.ts";
import { openNativeUnit } from "../src/platform/native/open-native-unit.ts";
import { advanceTo, getNumber, setValues, startUnit } from "../src/unit/testing/drive.ts";
import type { Unit } from "../src/unit/unit.ts";
import { COMPILING, completed, ExportLab, expectSame, fmu } from "./export-lab.ts";

const lab = new ExportLab();
const CLI = join(import.meta.dirname, "..", "bin", "cosimo.js");

function scenario(name: string, set = ""): string {
  const file = `${name.replaceAll("/", "-")}${set === "" ? "" : "-set"}.yaml`;
  return lab.write(
    file,
    `name: around
units: { inner: { fmu: ${fmu(`gotchas/${name}`)}, set: { ${set} } } }
experiment: { stop: 1 s, step: 100 ms }
master: jacobi
`,
  );
}

/** x of Dahlquist after ten steps of forward Euler with rate k. */
function euler(k: number): number {
  return (1 - 0.1 * k) ** 10;
}

function walk(unit: Unit, output: string): number {
  for (let i = 0; i < 10; i++) advanceTo(unit, i / 10, (i + 1) / 10);
  return getNumber(unit, output);
}

async function open(source: string, version: 2 | 3, lines: string[] = []): Promise<Unit> {
  const made = await lab.native(source, version);
  return openNativeUnit(made, { onLog: ({ message }) => lines.push(message) });
}

describe("values that reach FMUs inside", { timeout: COMPILING }, () => {
  it.each(["SetupResets", "SetupFirst"])("[EX21] %s keeps its parameters", async (name) => {
    const source = scenario(`fmi2/${name}`, "k: 2");
    const original = await completed(source);
    const { path } = await lab.export(source, 2);
    const trace = await lab.traceOf(path, 0.1, 1);
    expectSame(original, trace, original.columns.length);
    const x = trace.columns.find((column) => column.name === "it.inner.x")!;
    expect(x.data[10]).toBeCloseTo(euler(2), 12);
  });

  it.each([2, 3] as const)(
    "[EX21] FMI %d: from outside, in a state before initialization, and after a reset",
    async (version) => {
      const unit = await open(scenario("fmi2/SetupResets"), version);
      setValues(unit, { "inner.k": 5 });
      setValues(unit, { "inner.k": 2 });
      const saved = unit.save();
      const bytes = unit.serialize(saved);
      startUnit(unit);
      expect(walk(unit, "inner.x")).toBeCloseTo(euler(2), 12);
      unit.reset();
      startUnit(unit, { start: 0 }, { "inner.k": 3 });
      expect(walk(unit, "inner.x")).toBeCloseTo(euler(3), 12);
      unit.reset();
      setValues(unit, { "inner.k": 4 });
      unit.reset();
      startUnit(unit);
      expect(walk(unit, "inner.x")).toBeCloseTo(euler(1), 12);
      unit.reset();
      unit.restore(saved);
      startUnit(unit);
      expect(walk(unit, "inner.x")).toBeCloseTo(euler(2), 12);
      unit.release(saved);
      unit.reset();
      unit.restore(unit.deserialize(bytes));
      startUnit(unit);
      expect(walk(unit, "inner.x")).toBeCloseTo(euler(2), 12);
      unit.dispose();
    },
  );
});

describe("answers of FMUs inside", { timeout: COMPILING }, () => {
  it.each([
    ["fmi2/NegativeStatus", /inner: fmi2DoStep returned -1, which is not a status/],
    ["fmi3/NegativeStatus", /inner: fmi3DoStep returned -1, which is not a status/],
    ["fmi2/UnknownStatus", /inner: fmi2DoStep returned 17, which is not a status/],
    ["fmi2/NegativeGet", /inner: fmi2GetReal returned -1, which is not a status/],
    ["fmi2/UnansweredStatus", /inner: fmi2GetBooleanStatus returned -1, which is not a status/],
  ])("[EX22] %s: a number that is not a status is an error", async (name, message) => {
    const lines: string[] = [];
    const unit = await open(scenario(name), 2, lines);
    startUnit(unit);
    expect(() => walk(unit, "inner.x")).toThrow(UnitError);
    expect(lines.join("\n")).toMatch(message);
    unit.dispose();
  });

  it.each([
    ["fmi2/UnwrittenState", /GetFMUstate returned fmi2OK and no state/],
    ["fmi3/UnwrittenState", /GetFMUState returned fmi3OK and no state/],
  ])("[EX22] %s: a state that was not handed out is an error", async (name, message) => {
    const lines: string[] = [];
    const unit = await open(scenario(name), 3, lines);
    startUnit(unit);
    expect(() => unit.save()).toThrow(UnitError);
    expect(lines.join("\n")).toMatch(message);
    unit.dispose();
  });

  it.each([
    ["fmi2/UnwrittenSize", /SerializedFMUstateSize returned fmi2OK and no size/],
    ["fmi3/UnwrittenSize", /SerializedFMUStateSize returned fmi3OK and no size/],
  ])("[EX22] %s: a size that was not written is an error", async (name, message) => {
    const lines: string[] = [];
    const unit = await open(scenario(name), 3, lines);
    startUnit(unit);
    const saved = unit.save();
    expect(() => unit.serialize(saved)).toThrow(UnitError);
    expect(lines.join("\n")).toMatch(message);
    unit.dispose();
  });
});

const hasCxx = existsSync(fmu("gotchas/fmi2/CxxStreams"));

describe("symbols of FMUs inside", { timeout: COMPILING }, () => {
  const run = async (name: string): Promise<string> => {
    const { path } = await lab.export(scenario(name), 3);
    const out = join(lab.folder, `${name.replaceAll("/", "-")}.csv`);
    const args = [CLI, "run", path, "--stop", "1", "--step", "0.1", "-o", out, "--debug"];
    const { status, stderr, stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect({ status, said: status === 0 ? "" : stderr }).toEqual({ status: 0, said: "" });
    const last = readFileSync(out, "utf8").trim().split("\n").at(-1) ?? "";
    expect(last.split(",").map(Number)).not.toContain(Number.NaN);
    return stdout + stderr;
  };

  it("[EX23] an FMU with a library of its own gets its own", async () => {
    await run("fmi2/OwnZlib");
  });

  const ofLinux = ["fmi2/CxxStatic", "fmi3/CxxStaticSymbolic"];
  const names = ["fmi2/CxxStreams", "fmi3/CxxStreams", "fmi2/CxxOwnZlib"];
  it.runIf(hasCxx).each([...names, ...(process.platform === "linux" ? ofLinux : [])])(
    "[EX23] %s runs in a host that holds copies of the C++ library's objects",
    async (name) => {
      await run(name);
    },
  );

  it.runIf(hasCxx)("[EX23] one that uses streams and clashes says what it shares", async () => {
    const lines: string[] = [];
    const made = await lab.native(scenario("fmi2/CxxStreamsOwnZlib"), 2);
    const unit = openNativeUnit(made, {
      loggingOn: true,
      onLog: ({ message }) => lines.push(message),
    });
    startUnit(unit);
    expect(walk(unit, "inner.x")).toBeCloseTo(euler(1), 12);
    expect(lines.join("\n")).toMatch(/brings zlibVersion and gets that of the running program/);
    unit.dispose();
  });
});
