/**
 * The call log, word for word, and how functions are bound. Rules: docs/spec/native.md.
 */
import { describe, expect, it } from "vitest";
import { advanceTo, getNumber, getValues, setValues, startUnit } from "../../unit/testing/drive.ts";
import { loadBinary } from "./binary.ts";
import { CALL_NAMES } from "./call-names.ts";
import { bindCalls, parseSignature } from "./calls.ts";
import { FMI2_CALLS } from "./fmi2-version.ts";
import { FMI3_CALLS } from "./fmi3-version.ts";
import { binaryOf, openNativeUnit } from "./open-native-unit.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

/** One short life, as the call log tells it. */
async function callLog(name: string): Promise<string[]> {
  const lines: string[] = [];
  const fmu = await fixture(name);
  const unit = openNativeUnit(fmu, { name: "it", callLog: (line) => lines.push(line) });
  setValues(unit, { k: 2 });
  unit.enterInitialization({ start: 0, stop: 1, tolerance: 1e-6 });
  unit.exitInitialization();
  const snapshot = unit.save();
  advanceTo(unit, 0, 0.1);
  getNumber(unit, "x");
  unit.restore(snapshot);
  unit.release(snapshot);
  unit.terminate();
  unit.dispose();
  const { instantiationToken } = fmu.description;
  return lines.map((line) => line.replace(instantiationToken, "TOKEN").replace(fmu.folder, "DIR"));
}

describe("the call log", () => {
  it("[NA50] of an FMI 2 FMU", async () => {
    expect(await callLog("fmi2/Dahlquist")).toEqual([
      'fmi2Instantiate(name="it", type=1, guid="TOKEN", resources="file://DIR/resources", callbacks=…, visible=false, loggingOn=false) -> instance',
      'fmi2SetDebugLogging(loggingOn=true, {"logStatusWarning", "logStatusDiscard", "logStatusError", "logStatusFatal"}) -> fmi2OK',
      "fmi2SetupExperiment(toleranceDefined=true, tolerance=0.000001, start=0, stopDefined=true, stop=1) -> fmi2OK",
      "fmi2SetReal([k], {2}) -> fmi2OK",
      "fmi2EnterInitializationMode() -> fmi2OK",
      "fmi2ExitInitializationMode() -> fmi2OK",
      "fmi2GetReal([k], {2}) -> fmi2OK",
      "fmi2GetFMUstate(state=…) -> fmi2OK",
      "fmi2DoStep(t=0, h=0.1, noRollback=false) -> fmi2OK",
      "fmi2GetReal([x], {0.8}) -> fmi2OK",
      "fmi2SetFMUstate(state=…) -> fmi2OK",
      "fmi2FreeFMUstate(state=…) -> fmi2OK",
      "fmi2Terminate() -> fmi2OK",
      "fmi2FreeInstance()",
    ]);
  });

  it("[NA50] of an FMI 3 FMU", async () => {
    expect(await callLog("fmi3/Dahlquist")).toEqual([
      'fmi3InstantiateCoSimulation(name="it", token="TOKEN", resources=NULL, visible=false, loggingOn=true, eventMode=false, earlyReturn=false, intermediate=[], environment=NULL, log=…, update=NULL) -> instance',
      "fmi3SetFloat64([k], {2}) -> fmi3OK",
      "fmi3EnterInitializationMode(toleranceDefined=true, tolerance=0.000001, start=0, stopDefined=true, stop=1) -> fmi3OK",
      "fmi3ExitInitializationMode() -> fmi3OK",
      "fmi3GetFloat64([k], {2}) -> fmi3OK",
      "fmi3GetFMUState(state=…) -> fmi3OK",
      "fmi3DoStep(t=0, h=0.1, noRollback=false, event=false, terminate=false, earlyReturn=false, lastSuccessful=0.1) -> fmi3OK",
      "fmi3GetFloat64([x], {0.8}) -> fmi3OK",
      "fmi3SetFMUState(state=…) -> fmi3OK",
      "fmi3FreeFMUState(state=…) -> fmi3OK",
      "fmi3Terminate() -> fmi3OK",
      "fmi3FreeInstance()",
    ]);
  });

  it("[NA50] shows values of every type and shortens long arrays", async () => {
    const lines: string[] = [];
    const unit = openNativeUnit(await fixture("fmi3/Feedthrough"), {
      callLog: (line) => lines.push(line),
    });
    startUnit(unit);
    const last = (): string => lines.at(-1)!;
    setValues(unit, { String_input: 'say "hi"' });
    expect(last()).toBe(String.raw`fmi3SetString([String_input], {"say \"hi\""}) -> fmi3OK`);
    setValues(unit, { Boolean_input: true });
    expect(last()).toBe("fmi3SetBoolean([Boolean_input], {true}) -> fmi3OK");
    setValues(unit, { Int64_input: -5n });
    expect(last()).toBe("fmi3SetInt64([Int64_input], {-5}) -> fmi3OK");
    setValues(unit, { Binary_input: Uint8Array.of(1, 2, 3) });
    expect(last()).toBe("fmi3SetBinary([Binary_input], sizes={3}, {binary}) -> fmi3OK");
    unit.dispose();
    const arrays = openNativeUnit(await fixture("fmi3/StateSpace"), {
      structural: new Map([["n", 4]]),
      callLog: (line) => lines.push(line),
    });
    startUnit(arrays);
    getValues(arrays, "A");
    expect(last()).toMatch(/^fmi3GetFloat64\(\[A\], \{([-\d.]+, ){8}… 16 in all\}\) -> fmi3OK$/);
    arrays.dispose();
  });
});

describe("binding", () => {
  it("[NA10] binds lazily, and a missing function names itself", async () => {
    const library = loadBinary(binaryOf(await fixture("fmi2/Dahlquist")).file);
    const calls = bindCalls(library, { fmi2GetVersion: "text:", fmi2NoSuch: "status: c" });
    expect(calls.fmi2GetVersion()).toBeGreaterThan(0);
    expect(() => calls.fmi2NoSuch).toThrow(/does not export fmi2NoSuch/);
  });

  it("[NA51] forwards the arguments of hot calls one by one when nobody listens", async () => {
    const library = loadBinary(binaryOf(await fixture("fmi2/Dahlquist")).file);
    const bare = bindCalls(library, FMI2_CALLS).fmi2GetReal;
    const traced = bindCalls(library, FMI2_CALLS, { trace: () => undefined }).fmi2GetReal;
    expect(bare).toHaveLength(4);
    expect(traced).toHaveLength(0);
  });

  it.each(VERSIONS)("[NA52] %s: the lastCall names the running call", async (version) => {
    const seen = new Set<string>();
    const lastCall = new Int32Array(1);
    const unit = openNativeUnit(await fixture(`gotchas/${version}/Talkative`), {
      lastCall,
      loggingOn: true,
      logger: "callback",
      onLog: () => seen.add(CALL_NAMES[lastCall[0]]),
    });
    expect([...seen].join()).toMatch(/^fmi[23]Instantiate(CoSimulation)?$/);
    expect(lastCall[0]).toBe(0);
    startUnit(unit);
    advanceTo(unit, 0, 0.1);
    expect(lastCall[0]).toBe(0);
    unit.dispose();
  });

  it("reads the notation of signatures", () => {
    const { result, args } = parseSignature("status: c vrs n orders=<i32 >f64 n");
    expect(result).toBe("status");
    expect(args.map(({ kind }) => kind)).toEqual(["c", "vrs", "n", "in", "out", "n"]);
    expect(args.map(({ length }) => length)).toEqual([-1, 0, -1, 0, 1, -1]);
    expect(args[3]).toMatchObject({ name: "orders", element: "i32" });
  });

  it("finds every function of both tables in the fixtures", async () => {
    for (const [name, table] of [
      ["fmi2/Dahlquist", FMI2_CALLS],
      ["fmi3/Dahlquist", FMI3_CALLS],
    ] as const) {
      const library = loadBinary(binaryOf(await fixture(name)).file);
      const calls = bindCalls(library, table) as Readonly<Record<string, unknown>>;
      for (const call of Object.keys(table)) expect(calls[call], call).toBeTypeOf("function");
    }
  });
});
