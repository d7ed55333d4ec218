/**
 * What becomes of each status an FMU can return, in both versions. Rules: docs/spec/native.md.
 */
import { describe, expect, it } from "vitest";
import { advanceTo, failureOf, getNumber, setValues, startUnit } from "../../unit/testing/drive.ts";
import type { Unit } from "../../unit/unit.ts";
import type { LogEntry, NativeUnitOptions } from "./native-options.ts";
import { openNativeUnit } from "./open-native-unit.ts";
import { Behaviour } from "./testing/behaviour.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

describe.each(VERSIONS)("statuses of %s FMUs", (version) => {
  const fmu = fixture(`${version}/Misbehaving`);

  /** An FMU that misbehaves in the step that goes past 0.45. */
  async function misbehaving(behaviour: number, options: NativeUnitOptions = {}): Promise<Unit> {
    const unit = openNativeUnit(await fmu, options);
    startUnit(unit, { start: 0 }, { behaviour });
    for (let i = 0; i < 4; i++) advanceTo(unit, i / 10, (i + 1) / 10);
    return unit;
  }

  const next = { kind: "time", time: 0.5 } as const;

  it("[NA30] a warning counts as done and is logged", async () => {
    const log: LogEntry[] = [];
    const unit = await misbehaving(Behaviour.warn, { onLog: (entry) => log.push(entry) });
    expect(unit.advance(0.4, next)).toEqual({ reason: "time", port: -1, time: 0.5 });
    expect(log.at(-1)).toEqual({
      status: "warning",
      category: "logStatusWarning",
      message: "warned as asked at t=0.4: 100 of 100%",
    });
    unit.dispose();
  });

  it("[NA31] [UN14] a discarded step ends where the FMU says, and can be repeated shorter from a snapshot", async () => {
    const unit = await misbehaving(Behaviour.discard);
    const snapshot = unit.save();
    const time = version === "fmi2" ? 0.45 : 0.4;
    expect(unit.advance(0.4, next)).toEqual({ reason: "discarded", port: -1, time });
    unit.restore(snapshot);
    expect(unit.advance(0.4, { kind: "time", time: 0.44 }).reason).toBe("time");
    unit.dispose();
  });

  it("[NA31] an FMU that ends the simulation says when", async () => {
    const unit = await misbehaving(Behaviour.terminate);
    expect(unit.advance(0.4, next)).toEqual({ reason: "terminated", port: -1, time: 0.45 });
    unit.terminate();
    unit.dispose();
  });

  it("[NA32] an error carries call, time and the FMU's words; a snapshot leads out of it", async () => {
    const unit = await misbehaving(Behaviour.error);
    const snapshot = unit.save();
    const failure = failureOf(() => unit.advance(0.4, next));
    expect(failure).toEqual({
      unit: "Misbehaving",
      call: `${version}DoStep`,
      status: `${version}Error`,
      time: 0.4,
      log: ["error logStatusError: failed as asked at t=0.4 (step to 0.5)"],
    });
    expect(() => unit.advance(0.4, next)).toThrow(/DoStep returned .*Error before; restore/);
    expect(() => getNumber(unit, "x")).toThrow(/cannot read/);
    unit.restore(snapshot);
    expect(unit.advance(0.4, { kind: "time", time: 0.44 }).reason).toBe("time");
    unit.dispose();
  });

  it("[NA32] an FMU is as new after an error and a reset", async () => {
    const unit = await misbehaving(Behaviour.error);
    failureOf(() => unit.advance(0.4, next));
    unit.reset();
    startUnit(unit);
    advanceTo(unit, 0, 1);
    expect(getNumber(unit, "x")).toBeCloseTo(1, 12);
    unit.dispose();
  });

  it("[NA33] after fatal nothing is called any more, not even free", async () => {
    const calls: string[] = [];
    const unit = await misbehaving(Behaviour.fatal, { callLog: (line) => calls.push(line) });
    const snapshot = unit.save();
    expect(failureOf(() => unit.advance(0.4, next)).status).toBe(`${version}Fatal`);
    const called = calls.length;
    for (const action of [
      () => unit.advance(0.4, next),
      () => unit.reset(),
      () => unit.restore(snapshot),
      () => unit.release(snapshot),
      () => unit.terminate(),
    ])
      expect(action).toThrow(/Fatal before; dispose it/);
    unit.dispose();
    expect(calls.length).toBe(called);
  });

  it("[NA32] an error during initialization is told with its call", async () => {
    const unit = openNativeUnit(await fmu);
    setValues(unit, { behaviour: Behaviour.error, at: -1 });
    expect(failureOf(() => startUnit(unit)).call).toMatch(/InitializationMode/);
    unit.dispose();
  });

  it("[NA36] steps say whether the state may be set back", async () => {
    const calls: string[] = [];
    const unit = await misbehaving(Behaviour.ok, { callLog: (line) => calls.push(line) });
    const flag = (): string => /noRollback=(\w+)/.exec(calls.at(-1)!)![1];
    expect(flag()).toBe("true");
    const snapshot = unit.save();
    advanceTo(unit, 0.4, 0.5);
    expect(flag()).toBe("false");
    unit.release(snapshot);
    advanceTo(unit, 0.5, 0.6);
    expect(flag()).toBe("true");
    unit.dispose();
  });

  it("[NA9] an FMU may use 4 MiB of stack", async () => {
    const unit = await misbehaving(Behaviour.bigStack);
    expect(unit.advance(0.4, next).reason).toBe("time");
    unit.dispose();
  });

  it("[NA42] an FMU may log from a thread of its own", async () => {
    const log: LogEntry[] = [];
    const unit = await misbehaving(Behaviour.logFromThread, { onLog: (entry) => log.push(entry) });
    unit.advance(0.4, next);
    expect(log.map(({ message }) => message)).toEqual(["a message from another thread at t=0.4"]);
    unit.dispose();
  });
});

describe("early return", () => {
  const fmu = fixture("fmi3/Misbehaving");

  it("[NA35] [UN14] ends the step as an event where the FMU stopped, and only if it was allowed", async () => {
    const unit = openNativeUnit(await fmu, { earlyReturn: true });
    startUnit(unit, { start: 0 }, { behaviour: Behaviour.earlyReturn });
    expect(unit.description.capabilities.earlyReturn).toBe(true);
    expect(unit.advance(0, { kind: "time", time: 1 })).toEqual({
      reason: "event",
      port: -1,
      time: 0.45,
    });
    expect(unit.advance(0.45, { kind: "time", time: 1 }).reason).toBe("time");
    unit.dispose();
    const strict = openNativeUnit(await fmu);
    startUnit(strict, { start: 0 }, { behaviour: Behaviour.earlyReturn });
    expect(strict.advance(0, { kind: "time", time: 1 }).reason).toBe("time");
    strict.dispose();
  });
});
