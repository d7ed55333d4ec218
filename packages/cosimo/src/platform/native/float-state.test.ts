/**
 * FMUs that change the floating-point state, beside neighbours whose results tell. Rules:
 * docs/spec/native.md, docs/spec/machine-code.md.
 */

import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { PlanState } from "../../engine/signals.ts";
import { startUnit } from "../../unit/testing/drive.ts";
import { loadBinary } from "./binary.ts";
import { bindCalls } from "./calls.ts";
import { checkBinary } from "./check-binary.ts";
import { floatGuard, inOwnState } from "./float-guard.ts";
import { describeChange, type FloatGuard, REGISTERS_SHIFT, takeChange } from "./float-state.ts";
import { codeGuard } from "./float-state-code.ts";
import { fenvGuard } from "./float-state-fenv.ts";
import { FMI2_CALLS } from "./fmi2-version.ts";
import { refusalOfHost } from "./host-code.ts";
import { type Choice, runOn } from "./machine-code/testing/both-executors.ts";
import type { NativeFmu } from "./native-options.ts";
import { binaryOf, openNativeUnit } from "./open-native-unit.ts";
import { parallelExecutor } from "./parallel/parallel-executor.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();
const isX64 = process.arch === "x64";
const isCode = refusalOfHost(process.platform, process.arch) === undefined;

const EXECUTORS: readonly (readonly [string, Choice])[] = [
  ["interpreter", "interpreter"],
  ["machine code", "machine-code"],
  ["threads", onThreads],
];

function onThreads(state: PlanState): NonNullable<ReturnType<typeof parallelExecutor>> {
  const costs = state.units.map(() => 1);
  const executor = parallelExecutor(state, { threads: 4, cores: 4, costs });
  if (executor === undefined) throw new Error("test: no threads");
  expect(executor.report?.groups.length).toBeGreaterThan(1);
  return executor;
}

/**
 * Arithmetic that a change of state would show, hidden from compilers that would compute it beforehand.
 */
function signature(): string {
  const [tiny, three, tenth] = Float64Array.of(5e-324, 3, 0.1) as unknown as number[];
  return [tiny! * 1, 1 / three!, -1 / three!, tenth! + 0.2, 1e-310 / three!].join(" ");
}

const NORMAL = signature();

/** Unpacked once: only a culprit must be loaded again to show what its loading does. */
const unpacked = new Map<string, Promise<NativeFmu>>();

function neighbour(name: string): Promise<NativeFmu> {
  const known = unpacked.get(name) ?? fixture(name);
  unpacked.set(name, known);
  return known;
}

/**
 * Neighbours of `culprit`, which is unit 1: tiny numbers, ordinary ones, more than 53 bits. Rows
 * without the culprit's values.
 */
async function traceBeside(
  culprit: string | undefined,
  version: string,
  choice: Choice,
): Promise<{ rows: readonly (readonly unknown[])[]; reported: Diagnostic[] }> {
  const reported: Diagnostic[] = [];
  const plain = { options: { onDiagnostic: (d: Diagnostic) => reported.push(d) } };
  const odd = culprit === undefined ? "fmi2/Dahlquist" : `gotchas/${version}/${culprit}`;
  const other = version === "fmi2" ? "fmi3" : "fmi2";
  const { rows, end } = await runOn(choice, {
    units: [
      { ...plain, fmu: await neighbour(`${version}/Dahlquist`), values: { x: 1e-310 } },
      { ...plain, fmu: await fixture(odd) },
      { ...plain, fmu: await neighbour(`gotchas/${version}/ExtendedPrecision`) },
      { ...plain, fmu: await neighbour(`${other}/Dahlquist`), values: { x: 1 / 3, k: 0.7 } },
    ],
    wires: [],
    step: 0.1,
    ticks: 40,
    chunk: 10,
  });
  expect(end).toMatchObject({ kind: "completed" });
  return { rows: rows.map(([time, tiny, , ...others]) => [time, tiny, ...others]), reported };
}

const CULPRITS: readonly (readonly [string, RegExp, RegExp])[] = [
  ["FlushesOnLoad", /while its library was loaded/, /tiny results become 0, tiny operands/],
  ["RoundsInStep", /in fmi[23]DoStep/, /rounding upward/],
  ["RoundsWhenMade", /in fmi[23]Instantiate/, /rounding downward/],
  ...(isX64
    ? ([
        ["ReducesPrecision", /in fmi[23]DoStep/, /x87 precision of 53 bits/],
        ["LeavesRegisters", /in fmi[23]DoStep/, /values left in x87 or MMX registers/],
      ] as const)
    : []),
  ...(isX64 && process.platform === "linux"
    ? ([["RoundsInHandler", /in fmi[23]DoStep/, /rounding upward/]] as const)
    : []),
];

describe.each(VERSIONS)("%s FMUs that change the floating-point state", (version) => {
  it.each(CULPRITS)(
    "[NA100] [MC15] %s leaves the results of its neighbours alone, under every executor",
    async (culprit) => {
      const alone = await traceBeside(undefined, version, "interpreter");
      expect(alone.rows.at(-1)![1]).toBeGreaterThan(0);
      expect(alone.rows.at(-1)![2]).toBeLessThan(0.1);
      for (const [name, choice] of EXECUTORS) {
        const { rows } = await traceBeside(culprit, version, choice);
        expect(rows, name).toEqual(alone.rows);
        expect(signature(), name).toBe(NORMAL);
      }
    },
  );

  it.each(CULPRITS)(
    "[NA101] [MC15] %s is named once, with the call and what it changed",
    async (culprit, when, what) => {
      for (const [name, choice] of EXECUTORS) {
        const { reported } = await traceBeside(culprit, version, choice);
        expect(
          reported.map(({ code }) => code),
          name,
        ).toEqual(["binary-float-state"]);
        expect(reported[0].message, name).toMatch(/^'u1' changed/);
        expect(reported[0].message, name).toMatch(when);
        expect(reported[0].message, name).toMatch(what);
      }
    },
  );

  it("[NA100] freeing an instance leaves nothing behind either", async () => {
    const reported: string[] = [];
    const unit = openNativeUnit(await fixture(`gotchas/${version}/RoundsWhenMade`), {
      onDiagnostic: ({ message }) => reported.push(message),
    });
    startUnit(unit);
    unit.dispose();
    expect(signature()).toBe(NORMAL);
    expect(reported).toHaveLength(1);
  });

  it("[NA101] checking a binary says so as well", async () => {
    const found = checkBinary(await fixture(`gotchas/${version}/RoundsInStep`));
    expect(found.map(({ code }) => code)).toEqual(["binary-float-state"]);
    const loaded = checkBinary(await fixture(`gotchas/${version}/FlushesOnLoad`));
    expect(loaded.map(({ message }) => message).join()).toMatch(/while its library was loaded/);
  });
});

describe("guards of the floating-point state", () => {
  const kinds: readonly (readonly [string, () => FloatGuard | undefined])[] = [
    ...(isCode ? ([["by code", codeGuard]] as const) : []),
    ["by C's own functions", fenvGuard],
  ];

  it.each(kinds)("[NA102] %s: put back what a call changed, and tell", async (_, make) => {
    const guard = make()!;
    expect(guard.home).toEqual(floatGuard().home);
    const { file } = binaryOf(await fixture("gotchas/fmi2/RoundsInStep"));
    const reported: string[] = [];
    const calls = bindCalls(loadBinary(file), FMI2_CALLS, {
      guard,
      onFloatChange: (name, found) =>
        reported.push(`${name}: ${describeChange(guard.home, found)}`),
    });
    expect(calls.fmi2GetVersion()).toBeGreaterThan(0);
    expect(reported).toEqual([]);
    guard.set({ ...guard.home, mode: guard.home.mode | (isX64 ? 0x4000 : 0x400000) });
    calls.fmi2GetTypesPlatform();
    expect(reported.join()).toMatch(/^fmi2GetTypesPlatform: rounding upward$/);
    expect(signature()).toBe(NORMAL);
  });

  it.each(kinds)("[NA103] %s: callbacks run in our state, and give the FMU's back", (_, make) => {
    const guard = make()!;
    guard.set({ ...guard.home, mode: guard.home.mode | (isX64 ? 0x4000 : 0x400000) });
    const inside = inOwnState(signature, guard);
    guard.check();
    const theirs = takeChange(guard);
    expect(inside).toBe(NORMAL);
    expect(describeChange(guard.home, theirs!)).toMatch(/rounding upward/);
  });

  it("[NA101] every part of a state has a name", () => {
    const home = { mode: 0x1f80, control: 0x37f };
    const words = (mode: number, control: number) => describeChange(home, { mode, control }, "x64");
    expect(words(0x1f80, 0x37f)).toBe("");
    expect(words(0x1f00, 0x37f)).toBe("exceptions that trap");
    expect(words(0x1f80, 0x37f | (0x4400 << REGISTERS_SHIFT))).toBe(
      "values left in x87 or MMX registers",
    );
    expect(words(0x7f80, 0xf7f)).toBe("rounding toward zero, x87 rounding toward zero");
    expect(describeChange({ mode: 0, control: 0 }, { mode: 0x1400000, control: 0 }, "arm64")).toBe(
      "rounding upward, tiny numbers count as 0",
    );
  });
});
