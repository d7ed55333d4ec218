/**
 * FMUs whose answers cannot be believed: numbers that are not a status, results that were not
 * written, functions that are missing, symbols that the process has too. Rules:
 * docs/spec/native.md.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { unzipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { DiagnosticsError, unwrap } from "../../base/diagnostic.ts";
import {
  advanceTo,
  failureOf,
  getNumber,
  getValues,
  setValues,
  startUnit,
} from "../../unit/testing/drive.ts";
import type { Unit } from "../../unit/unit.ts";
import { openFmuFile } from "../node/fmu-file.ts";
import { bindingOf } from "./deep-binding.ts";
import { readElf } from "./elf.ts";
import { binaryOf, openNativeUnit } from "./open-native-unit.ts";
import { runChild } from "./testing/child.ts";
import { BUILD, unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();
const next = { kind: "time", time: 0.5 } as const;

async function at04(name: string): Promise<Unit> {
  const unit = openNativeUnit(await fixture(name), { name: "it" });
  startUnit(unit);
  for (let i = 0; i < 4; i++) advanceTo(unit, i / 10, (i + 1) / 10);
  return unit;
}

describe.each(VERSIONS)("answers of %s FMUs", (version) => {
  it.each([
    ["NegativeStatus", "-1"],
    ["UnknownStatus", "17"],
  ])("[NA92] %s: a number that is not a status is an error", async (name, number) => {
    const unit = await at04(`gotchas/${version}/${name}`);
    const { call, status } = failureOf(() => unit.advance(0.4, next));
    expect(call).toBe(`${version}DoStep`);
    expect(status).toContain(`${number}, which is not a status`);
    unit.dispose();
  });

  it("[NA92] so it is where values are read", async () => {
    const unit = await at04(`gotchas/${version}/NegativeGet`);
    advanceTo(unit, 0.4, 0.5);
    const { call, status } = failureOf(() => getNumber(unit, "x"));
    expect(call).toMatch(/Get(Real|Float64)$/);
    expect(status).toContain("-1, which is not a status");
    unit.dispose();
  });

  it("[NA95] a number that was never written is told once, and is none", async () => {
    const reported: string[] = [];
    const unit = openNativeUnit(await fixture(`gotchas/${version}/UnwrittenValue`), {
      name: "it",
      onDiagnostic: ({ code, message }) => reported.push(`${code}: ${message}`),
    });
    startUnit(unit);
    expect(getNumber(unit, "x")).toBeNaN();
    expect(getNumber(unit, "k")).toBe(1);
    advanceTo(unit, 0, 0.1);
    expect(getNumber(unit, "x")).toBeNaN();
    expect(reported).toHaveLength(1);
    expect(reported[0]).toMatch(/^binary-value-missing: 'it': fmi\dGet\w+ says OK .* for 'x'/);
    unit.dispose();
  });

  it("[NA95] numbers that look like unwritten memory are told apart", async () => {
    const reported: string[] = [];
    const unit = openNativeUnit(await fixture(`${version}/Feedthrough`), {
      onDiagnostic: ({ code }) => reported.push(code),
    });
    startUnit(unit);
    setValues(unit, { Int32_input: -1 });
    expect(getNumber(unit, "Int32_output")).toBe(-1);
    expect(reported).toEqual([]);
    unit.dispose();
  });

  it("[NA93] a text that is NULL is empty, and reported once", async () => {
    const reported: string[] = [];
    const unit = openNativeUnit(await fixture(`gotchas/${version}/NullText`), {
      name: "it",
      onDiagnostic: ({ code, message }) => reported.push(`${code}: ${message}`),
    });
    startUnit(unit);
    expect(getValues(unit, "String_output")).toEqual([""]);
    expect(getValues(unit, "String_output")).toEqual([""]);
    expect(reported).toHaveLength(1);
    expect(reported[0]).toMatch(/^binary-text-missing: 'it': .* NULL for 'String_output'/);
    unit.dispose();
  });

  it("[NA93] a state that was not handed out is not restored", async () => {
    const unit = await at04(`gotchas/${version}/UnwrittenState`);
    expect(failureOf(() => unit.save()).status).toBe(`${version}OK and no state`);
    unit.dispose();
  });

  it("[NA93] a size that was not written is not allocated", async () => {
    const unit = await at04(`gotchas/${version}/UnwrittenSize`);
    const snapshot = unit.save();
    expect(failureOf(() => unit.serialize(snapshot)).status).toContain("no size");
    unit.dispose();
  });

  it.each(["NoTerminate", "NoDoStep"])("[NA94] %s is refused before it runs", async (name) => {
    const fmu = await fixture(`gotchas/${version}/${name}`);
    expect(() => openNativeUnit(fmu, { name: "it" })).toThrow(DiagnosticsError);
    expect(() => openNativeUnit(fmu, { name: "it" })).toThrow(
      new RegExp(
        `binary-symbols-missing: 'it' cannot run: its binary '${name}.so' does not export`,
      ),
    );
  });

  it("[NA94] a function behind a claim is missed when it is needed, and named", async () => {
    const unit = await at04(`gotchas/${version}/NoState`);
    const { unit: name, problem } = failureOf(() => unit.save());
    expect(name).toBe("it");
    expect(problem).toMatch(/its binary does not export fmi\dGetFMU[sS]tate/);
    unit.dispose();
  });

  it("[NA94] functions that no run needs may be missing", async () => {
    const unit = await at04(`gotchas/${version}/NoVersion`);
    expect(getNumber(unit, "x")).toBeCloseTo(0.9 ** 4, 12);
    unit.dispose();
  });
});

describe("a discarded step of FMI 2", () => {
  it("[NA93] ends nothing where the FMU writes no answer", async () => {
    const unit = await at04("gotchas/fmi2/UnwrittenStatus");
    const snapshot = unit.save();
    for (let i = 0; i < 3; i++) {
      expect(unit.advance(0.4, next)).toEqual({ reason: "discarded", port: -1, time: 0.4 });
      unit.restore(snapshot);
    }
    unit.dispose();
  });

  it("[NA92] is an error where the answer is not a status", async () => {
    const unit = await at04("gotchas/fmi2/UnansweredStatus");
    const { call, status } = failureOf(() => unit.advance(0.4, next));
    expect({ call, status: status.slice(0, 2) }).toEqual({
      call: "fmi2GetBooleanStatus",
      status: "-1",
    });
    unit.dispose();
  });

  it("[NA94] is where it began when nobody can be asked", async () => {
    const unit = await at04("gotchas/fmi2/NoStatus");
    expect(unit.advance(0.4, next)).toEqual({ reason: "discarded", port: -1, time: 0.4 });
    unit.dispose();
  });
});

describe("answers of FMI 3 FMUs alone", () => {
  it("[NA93] bytes that are nowhere are an error", async () => {
    const unit = openNativeUnit(await fixture("gotchas/fmi3/NullBinary"), { name: "it" });
    startUnit(unit);
    const { unit: name, call } = failureOf(() => getValues(unit, "Binary_output"));
    expect({ name, call }).toEqual({ name: "it", call: "fmi3GetBinary" });
    unit.dispose();
  });

  it("[NA93] the time of an announced event that was not written is an error", async () => {
    const unit = openNativeUnit(await fixture("gotchas/fmi3/UnwrittenEventTime"), { name: "it" });
    unit.enterInitialization({ start: 0 });
    unit.exitInitialization();
    const { call, status } = failureOf(() => unit.updateDiscreteStates());
    expect(call).toBe("fmi3UpdateDiscreteStates");
    expect(status).toContain("time for the event");
    unit.dispose();
  });
});

const hasCxx = existsSync(join(BUILD, "gotchas", "fmi2", "CxxStreams.fmu"));

describe("deep binding", () => {
  it("[NA5] is for libraries with symbols that Node has too", async () => {
    const isDeep = async (name: string): Promise<boolean> =>
      bindingOf(binaryOf(await fixture(name)).file).isDeep;
    expect(await isDeep("gotchas/fmi2/OwnZlib")).toBe(true);
    expect(await isDeep("fmi2/Dahlquist")).toBe(false);
    expect(await isDeep("gotchas/fmi2/SameSymbolsA")).toBe(false);
  });

  it("[NA5] reads what a library defines, refers to and needs", async () => {
    const elf = readElf(binaryOf(await fixture("gotchas/fmi3/BundledLibrary")).file)!;
    expect(elf.needs.some((name) => name.startsWith("libcosimo_helper"))).toBe(true);
    expect(elf.symbols.find(({ name }) => name === "fmi3DoStep")).toMatchObject({
      isDefined: true,
      isStrong: true,
    });
    expect(elf.symbols.find(({ name }) => name === "cosimo_helper_rate")).toMatchObject({
      isDefined: false,
      isReferred: true,
    });
    expect(readElf(process.argv[1])).toBeUndefined();
  });

  it("[NA5] the C++ fixtures are there where there is a C++ compiler", () => {
    const compiler = process.env["CXX"]?.split(" ")[0] ?? "c++";
    expect(hasCxx).toBe(spawnSync(compiler, ["--version"]).status === 0);
  });

  describe.runIf(hasCxx).each(VERSIONS)("of C++ FMUs (%s)", (version) => {
    const run = `
      const reported = [];
      const unit = open({ name: "it", onDiagnostic: (d) => reported.push(d.code + ": " + d.message) });
      start(unit);
      for (let i = 0; i < 10; i++) unit.advance(i / 10, { kind: "time", time: (i + 1) / 10 });
      const banks = makeBanks({ f64: 1 });
      const { index } = unit.description.ports.find((port) => port.name === "x");
      unit.read(unit.bind([{ port: index, slot: 0 }]), banks);
      unit.terminate();
      unit.dispose();
      console.error("x=" + banks.f64[0] + " " + reported.join("; "));
    `;

    const ofLinux = ["CxxStatic", "CxxStaticSymbolic", "CxxStaticOwnZlib"];
    const names = ["CxxStreams", "CxxOwnZlib", ...(process.platform === "linux" ? ofLinux : [])];
    it.each(names)("[NA5] %s runs", async (name) => {
      const { status, signal, stderr } = runChild(await fixture(`gotchas/${version}/${name}`), run);
      expect({ status, signal }).toEqual({ status: 0, signal: null });
      expect(Number(/x=([\d.]+)/.exec(stderr)?.[1])).toBeCloseTo(0.9 ** 10, 12);
      expect(stderr).not.toContain("binary-symbols-shared");
    });

    it("[NA5] templates and inline functions of two FMUs keep their own state", async () => {
      const end = async (name: string): Promise<number> => {
        const unit = openNativeUnit(await fixture(`gotchas/${version}/${name}`));
        startUnit(unit);
        advanceTo(unit, 0, 0.1);
        const x = getNumber(unit, "x");
        unit.dispose();
        return x;
      };
      expect(await end("CxxUniqueA")).toBeCloseTo(0.9, 12);
      expect(await end("CxxUniqueB")).toBeCloseTo(0.8, 12);
    });

    it("[NA5] an FMU folder that has such state is copied, others are not", async () => {
      const parent = join((await fixture(`${version}/Dahlquist`)).folder, "..");
      const target = join(parent, "target");
      const files = unzipSync(readFileSync(join(BUILD, "gotchas", version, "CxxUniqueA.fmu")));
      const own = join(parent, "own");
      for (const [name, content] of Object.entries(files)) {
        mkdirSync(dirname(join(own, name)), { recursive: true });
        writeFileSync(join(own, name), content, { mode: 0o400 });
      }
      const isLinux = process.platform === "linux";
      const extracted = unwrap(await unwrap(openFmuFile(own)).extract(target));
      expect(extracted).toBe(isLinux ? target : own);
      for (const [name, content] of Object.entries(files))
        expect(readFileSync(join(own, name)).equals(content)).toBe(true);
      const plain = join(parent, "fmu");
      expect(unwrap(await unwrap(openFmuFile(plain)).extract(join(parent, "no")))).toBe(plain);
    });

    it("[NA5] one that uses streams and clashes runs, and says what it shares", async () => {
      const fmu = await fixture(`gotchas/${version}/CxxStreamsOwnZlib`);
      const { status, stderr } = runChild(fmu, run);
      expect(status).toBe(0);
      expect(stderr).toMatch(/binary-symbols-shared: 'it': its binary .* brings zlibVersion/);
    });
  });
});
