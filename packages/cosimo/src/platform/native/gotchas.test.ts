/**
 * What FMUs in the wild bring along, one fixture each. Rules: docs/spec/native.md.
 */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { diagnose } from "../../base/diagnostic.ts";
import { advanceTo, failureOf, getNumber, setValues, startUnit } from "../../unit/testing/drive.ts";
import { loadBinary, locateBinary } from "./binary.ts";
import { versionOf } from "./fmi-version.ts";
import { wantsPython } from "./host-python.ts";
import { NATIVE_DIAGNOSTICS } from "./native-diagnostics.ts";
import type { NativeFmu } from "./native-options.ts";
import { binaryOf, openNativeUnit } from "./open-native-unit.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

/** x after one second; the fixtures are Dahlquist with rate 1 unless they say otherwise. */
function xAfterOneSecond(fmu: NativeFmu): number {
  const unit = openNativeUnit(fmu);
  startUnit(unit);
  for (let i = 0; i < 10; i++) advanceTo(unit, i / 10, (i + 1) / 10);
  const x = getNumber(unit, "x");
  unit.dispose();
  return x;
}

/** Ten steps of forward Euler. */
function euler(rate: number): number {
  return (1 - 0.1 * rate) ** 10;
}

describe.each(VERSIONS)("gotchas of %s FMUs", (version) => {
  const gotcha = (name: string): Promise<NativeFmu> => fixture(`gotchas/${version}/${name}`);

  it("[NA2] a binary with another name is used, with a warning", async () => {
    const fmu = await gotcha("BinaryName");
    const reported: string[] = [];
    openNativeUnit(fmu, { onDiagnostic: ({ code }) => reported.push(code) }).dispose();
    expect(reported).toEqual(["binary-name-differs"]);
    expect(xAfterOneSecond(fmu)).toBeCloseTo(euler(1), 12);
  });

  it("[NA110] inputs that are refused at initialization have their start values, or what they were given", async () => {
    const reported: string[] = [];
    const onDiagnostic = ({ code }: { code: string }): void => void reported.push(code);
    const unit = openNativeUnit(await gotcha("RefusesInputs"), { onDiagnostic });
    const input = (name: string): number => getNumber(unit, `Float64_${name}_input`);
    setValues(unit, { Float64_discrete_input: 7 });
    unit.enterInitialization({ start: 0 });
    expect(input("continuous")).toBe(1.25);
    expect(input("discrete")).toBe(7);
    expect(new Set(reported)).toEqual(new Set(["binary-inputs-refused"]));
    unit.exitInitialization();
    expect(input("discrete")).toBe(7);
    unit.dispose();
  });

  it("[NA4] a library beside the binary is found", async () => {
    expect(xAfterOneSecond(await gotcha("BundledLibrary"))).toBeCloseTo(euler(1), 12);
  });

  it("[NA7] a file that is not a library is refused in the system's own words", async () => {
    const fmu = await gotcha("ExecutionTool");
    const { file } = binaryOf(fmu);
    writeFileSync(file, "no library at all");
    expect(() => loadBinary(file)).toThrow(
      /binary-unloadable.*(too short|invalid ELF|not a valid)/s,
    );
  });

  it("[NA7] a folder whose programs must not run, or memory that is bounded, is told as such", () => {
    const fix = (reason: string): string | undefined =>
      diagnose(NATIVE_DIAGNOSTICS, "binary-unloadable", { file: "a.so", reason }, { file: "a.so" })
        .fix;
    expect(fix("a.so: failed to map segment from shared object")).toMatch(/noexec.*ulimit -v/);
    expect(fix("libfoo.so.1: cannot open shared object file")).toContain("missing library");
  });

  it("[NA13] needsExecutionTool keeps nobody from trying", async () => {
    expect(xAfterOneSecond(await gotcha("ExecutionTool"))).toBeCloseTo(euler(1), 12);
  });

  it("[NA12] an FMU that may live only once is refused a second instance until the first is gone", async () => {
    const fmu = await gotcha("OnlyOnce");
    const first = openNativeUnit(fmu);
    expect(() => openNativeUnit(fmu)).toThrow(/only once per process/);
    first.dispose();
    openNativeUnit(fmu).dispose();
  });

  it("[NA6] an FMU that forgot to link libm runs", async () => {
    expect(xAfterOneSecond(await gotcha("NeedsLibm"))).toBeCloseTo(euler(1), 12);
  });

  it("[NA5] two FMUs with the same symbol names each use their own", async () => {
    const [a, b] = [await gotcha("SameSymbolsA"), await gotcha("SameSymbolsB")];
    expect(xAfterOneSecond(a)).toBeCloseTo(euler(1), 12);
    expect(xAfterOneSecond(b)).toBeCloseTo(euler(2), 12);
    expect(xAfterOneSecond(a)).toBeCloseTo(euler(1), 12);
  });

  it("[NA5] an FMU with a zlib of its own does not get Node's", async () => {
    expect(xAfterOneSecond(await gotcha("OwnZlib"))).toBeCloseTo(euler(1), 12);
  });

  it("[NA11] resources are found, also in a folder whose name needs escaping", async () => {
    const fmu = await gotcha("NeedsResource");
    const folder = join(fmu.folder, "..", "a folder with % and ü");
    mkdirSync(folder);
    renameSync(fmu.folder, join(folder, "fmu"));
    expect(xAfterOneSecond({ ...fmu, folder: join(folder, "fmu") })).toBeCloseTo(euler(2), 12);
  });

  it("[NA14] an FMU that refuses to be instantiated says why", async () => {
    const fmu = await gotcha("NeedsResource");
    renameSync(join(fmu.folder, "resources"), join(fmu.folder, "gone"));
    const failure = failureOf(() => openNativeUnit(fmu));
    expect(failure.status).toBe("NULL");
    expect(failure.log.join()).toContain("cannot read");
  });

  it("[NA32] an FMU that wants constant steps says so when it gets others", async () => {
    const unit = openNativeUnit(await gotcha("ConstantStep"));
    expect(unit.description.capabilities.variableStep).toBe(false);
    startUnit(unit);
    advanceTo(unit, 0, 0.1);
    expect(failureOf(() => unit.advance(0.1, { kind: "time", time: 0.15 })).log).not.toEqual([]);
    unit.dispose();
  });

  it("[NA37] an FMU that wants constant steps gets them to the last bit", async () => {
    const sizes = async (name: string): Promise<Set<string>> => {
      const lines: string[] = [];
      const unit = openNativeUnit(await fixture(name), { callLog: (line) => lines.push(line) });
      startUnit(unit);
      for (let i = 0; i < 10; i++) advanceTo(unit, i / 10, (i + 1) / 10);
      unit.dispose();
      return new Set(lines.flatMap((line) => /DoStep.* h=([\d.]+)/.exec(line)?.[1] ?? []));
    };
    expect((await sizes(`gotchas/${version}/ConstantStep`)).size).toBe(1);
    expect((await sizes(`${version}/Dahlquist`)).size).toBeGreaterThan(1);
  });
});

describe("a library", () => {
  it("[NA8] is loaded once for a file, and again for a copy of it", async () => {
    const [one, other] = [await fixture("fmi2/Dahlquist"), await fixture("fmi2/Dahlquist")];
    const addressIn = (fmu: typeof one): number =>
      Number(loadBinary(binaryOf(fmu).file).symbol("fmi2DoStep"));
    expect(addressIn(one)).toBe(addressIn(one));
    expect(addressIn(other)).not.toBe(addressIn(one));
  });
});

describe("an FMU that expects an interpreter in its host", () => {
  it.each([
    ["undefined symbol: _Py_NoneStruct", true],
    ["undefined symbol: PyBool_FromLong", true],
    ["undefined symbol: copy", false],
    ["libpython3.9.so.1.0: cannot open shared object file", false],
  ])("[NA21] %s: %s", (reason, wanted) => {
    expect(wantsPython(reason)).toBe(wanted);
  });
});

describe("locating a binary", () => {
  it("[NA1] looks into the folders of both schemes, the FMU's own first", async () => {
    const fmu = await fixture("fmi2/Dahlquist");
    const old = join(fmu.folder, "binaries", "linux64");
    const file = (): string =>
      locateBinary(fmu.folder, versionOf({ major: 2 }), "Dahlquist", {
        platform: "linux",
        arch: "x64",
      }).file;
    expect(file()).toBe(join(old, "Dahlquist.so"));
    renameSync(old, join(fmu.folder, "binaries", "x86_64-linux"));
    expect(file()).toBe(join(fmu.folder, "binaries", "x86_64-linux", "Dahlquist.so"));
  });

  it.each([
    [2, "win32", "x64", "win64", "m.dll"],
    [2, "win32", "ia32", "win32", "m.dll"],
    [2, "darwin", "x64", "darwin64", "m.dylib"],
    [2, "linux", "ia32", "linux32", "m.so"],
    [2, "linux", "arm64", "aarch64-linux", "m.so"],
    [3, "linux", "arm64", "aarch64-linux", "m.so"],
    [3, "darwin", "arm64", "aarch64-darwin", "m.dylib"],
    [3, "win32", "arm64", "aarch64-windows", "m.dll"],
    [3, "win32", "x64", "x86_64-windows", "m.dll"],
    [3, "linux", "x64", "linux64", "m.so"],
  ] as const)("[NA1] FMI %i on %s %s: %s/%s", async (major, platform, arch, folder, name) => {
    const fmu = await fixture("fmi3/Dahlquist");
    const place = join(fmu.folder, "elsewhere", "binaries", folder);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, name), "");
    const machine = { platform, arch };
    expect(
      locateBinary(join(fmu.folder, "elsewhere"), versionOf({ major }), "m", machine).file,
    ).toBe(join(place, name));
  });

  it("[NA2] refuses to guess between several libraries", async () => {
    const fmu = await fixture("fmi3/Dahlquist");
    const folder = join(fmu.folder, "binaries", "x86_64-linux");
    writeFileSync(join(folder, "other.so"), "");
    expect(() =>
      locateBinary(fmu.folder, versionOf({ major: 3 }), "Model", {
        platform: "linux",
        arch: "x64",
      }),
    ).toThrow(/binary-ambiguous.*'Model\.so' is missing.*Dahlquist\.so, other\.so/s);
  });

  it("[NA22] takes no 32-bit binary into a 64-bit process", async () => {
    const fmu = await fixture("fmi2/Dahlquist");
    renameSync(join(fmu.folder, "binaries", "linux64"), join(fmu.folder, "binaries", "linux32"));
    expect(() =>
      locateBinary(fmu.folder, versionOf({ major: 2 }), "Dahlquist", {
        platform: "linux",
        arch: "x64",
      }),
    ).toThrow(/it offers linux32/);
  });

  it("[NA3] says what the FMU offers and what this machine is", async () => {
    const fmu = await fixture("fmi2/Dahlquist");
    expect(() =>
      locateBinary(fmu.folder, versionOf({ major: 2 }), "Dahlquist", {
        platform: "win32",
        arch: "arm64",
      }),
    ).toThrow(/win32 arm64, binaries\/aarch64-windows\); it offers linux64/);
  });
});
