/**
 * FMUs inside an exported FMU that change how the processor computes: what is around them computes
 * as under Cosimo, bit for bit.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { UnitError } from "../src/base/outcome.ts";
import { openNativeUnit } from "../src/platform/native/open-native-unit.ts";
import { advanceTo, startUnit } from "../src/unit/testing/drive.ts";
import type { Unit } from "../src/unit/unit.ts";
import { COMPILING, completed, ExportLab, expectSame, fmu } from "./export-lab.ts";

const lab = new ExportLab();

const CULPRITS = [
  ["FlushesOnLoad", /odd: .*while its library was loaded/],
  ["RoundsInStep", /odd: .*behind in fmi[23]DoStep/],
  ["RoundsWhenMade", /odd: .*behind in fmi[23]Instantiate/],
  ...(process.arch === "x64"
    ? ([
        ["ReducesPrecision", /odd: .*behind in fmi[23]DoStep/],
        ["LeavesRegisters", /odd: .*behind in fmi[23]DoStep/],
      ] as const)
    : []),
] as const;

/** The culprit steps first; behind it tiny numbers, more than 53 bits, and ordinary ones. */
function neighbours(culprit: string, version: 2 | 3): string {
  const [own, other] = [`fmi${version}`, `fmi${5 - version}`];
  return lab.write(
    `${culprit}-${version}.yaml`,
    `name: around
units:
  odd: ${fmu(`gotchas/${own}/${culprit}`)}
  tiny: { fmu: ${fmu(`${own}/Dahlquist`)}, set: { x: 1.0e-310 } }
  extended: ${fmu(`gotchas/${own}/ExtendedPrecision`)}
  plain: { fmu: ${fmu(`${other}/Dahlquist`)}, set: { x: 0.3333333333333333, k: 0.7 } }
experiment: { stop: 16 s, step: 125 ms }
record: { every: 4 }
master: jacobi
`,
  );
}

async function open(source: string, version: 2 | 3, lines: string[]): Promise<Unit> {
  const made = await lab.native(source, version);
  const onLog = ({ message }: { message: string }): void => void lines.push(message);
  return openNativeUnit(made, { loggingOn: true, onLog });
}

const oneStep = (unit: Unit): unknown => {
  startUnit(unit);
  return advanceTo(unit, 0, 0.5);
};

describe.each([2, 3] as const)("FMI %d FMUs inside", { timeout: COMPILING }, (version) => {
  it.each(CULPRITS)("[EX24] %s: the trace is the one under Cosimo", async (culprit, reported) => {
    const source = neighbours(culprit, version);
    const original = await completed(source);
    const { path } = await lab.export(source, version);
    // Four steps of the plan in each call from outside: what one of them leaves behind meets the
    // next.
    const trace = await lab.traceOf(path, 0.5, 16);
    expectSame(original, trace, original.columns.length);
    const lines: string[] = [];
    const unit = await open(source, version, lines);
    oneStep(unit);
    unit.dispose();
    expect(lines.filter((line) => reported.test(line))).toHaveLength(1);
  });
});

describe("a step in the background", { timeout: COMPILING }, () => {
  it("[EX25] of an FMU inside that does not declare such steps is an error", async () => {
    const entries = unzipSync(readFileSync(fmu("fmi2/Saboteur")));
    const order = { "resources/saboteur.txt": new TextEncoder().encode("status:5 doStep 1\n") };
    const path = join(lab.folder, "pending.fmu");
    writeFileSync(path, zipSync({ ...entries, ...order }, { level: 1 }));
    const source = lab.write(
      "pending.yaml",
      `name: around\nunits: { odd: ${path} }\nexperiment: { stop: 1, step: 0.125 }\nmaster: jacobi\n`,
    );
    const lines: string[] = [];
    const unit = await open(source, 2, lines);
    expect(() => oneStep(unit)).toThrow(UnitError);
    expect(lines.join("\n")).toMatch(/odd: fmi2DoStep returned fmi2Pending/);
    unit.dispose();
  });
});
