/**
 * When an FMU gets what it was given before the run, and what becomes of FMUs that forget it.
 * Rules: docs/spec/native.md.
 */
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { advanceTo, getNumber, getValues, setValues, startUnit } from "../../unit/testing/drive.ts";
import type { Unit } from "../../unit/unit.ts";
import { openNativeUnit } from "./open-native-unit.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

/** x of Dahlquist after ten steps of forward Euler with rate k. */
function euler(k: number): number {
  return (1 - 0.1 * k) ** 10;
}

function walk(unit: Unit): number {
  for (let i = 0; i < 10; i++) advanceTo(unit, i / 10, (i + 1) / 10);
  return getNumber(unit, "x");
}

describe("values before initialization", () => {
  it.each(["SetupResets", "SetupFirst"])("[NA90] %s keeps its parameters", async (name) => {
    const unit = openNativeUnit(await fixture(`gotchas/fmi2/${name}`));
    startUnit(unit, { start: 0 }, { k: 2 });
    expect(walk(unit)).toBeCloseTo(euler(2), 12);
    unit.dispose();
  });

  it.each(["SetupResets", "SetupFirst"])(
    "[NA90] [UN3] %s keeps its parameters after a reset, and only those set then",
    async (name) => {
      const unit = openNativeUnit(await fixture(`gotchas/fmi2/${name}`));
      startUnit(unit, { start: 0 }, { k: 2 });
      walk(unit);
      unit.reset();
      startUnit(unit, { start: 0 }, { k: 3 });
      expect(walk(unit)).toBeCloseTo(euler(3), 12);
      unit.reset();
      setValues(unit, { k: 4 });
      unit.reset();
      startUnit(unit);
      expect(walk(unit)).toBeCloseTo(euler(1), 12);
      unit.dispose();
    },
  );

  it("[NA90] the last of several values counts", async () => {
    const unit = openNativeUnit(await fixture("gotchas/fmi2/SetupResets"));
    setValues(unit, { k: 5 });
    startUnit(unit, { start: 0 }, { k: 2 });
    expect(walk(unit)).toBeCloseTo(euler(2), 12);
    unit.dispose();
  });
});

describe.each(VERSIONS)("what %s FMUs were given before initialization", (version) => {
  it("[NA90] parameters precede initialization mode, inputs follow it", async () => {
    const calls: string[] = [];
    const fmu = await fixture(`${version}/MassSpringDamperLeft`);
    const unit = openNativeUnit(fmu, { callLog: (line) => calls.push(line) });
    const input = unit.description.ports.find(({ direction }) => direction === "input")!;
    const parameter = unit.description.ports.find(({ direction }) => direction === "parameter")!;
    setValues(unit, { [input.name]: 7, [parameter.name]: 3 });
    unit.enterInitialization({ start: 0 });
    const order = calls.map((line) => line.replace(/ ->.*/, "")).slice(-3);
    expect(order[0]).toContain(`[${parameter.name}], {3}`);
    expect(order[1]).toContain("EnterInitializationMode");
    expect(order[2]).toContain(`[${input.name}], {7}`);
    expect(getNumber(unit, input.name)).toBe(7);
    unit.dispose();
  });

  it("[NA90] [UN40] [UN43] a snapshot before initialization holds them, also as bytes", async () => {
    const unit = openNativeUnit(await fixture(`${version}/Dahlquist`));
    setValues(unit, { k: 2 });
    const snapshot = unit.save();
    const copy = unit.deserialize(unit.serialize(snapshot));
    for (const saved of [snapshot, copy]) {
      setValues(unit, { k: 5 });
      unit.restore(saved);
      expect(unit.phase).toBe("instantiated");
      startUnit(unit);
      expect(walk(unit)).toBeCloseTo(euler(2), 12);
    }
    unit.dispose();
  });

  it("[NA90] texts wait as well as numbers", async () => {
    const unit = openNativeUnit(await fixture(`${version}/Feedthrough`));
    const text = unit.description.ports.find(
      ({ type, direction }) => type === "string" && direction !== "output",
    )!;
    setValues(unit, { [text.name]: "first" });
    setValues(unit, { [text.name]: "ünd zweitens" });
    unit.enterInitialization({ start: 0 });
    expect(getValues(unit, text.name)).toEqual(["ünd zweitens"]);
    unit.dispose();
  });

  it("[NA91] a parameter that is lost in initialization is told with both values", async () => {
    const reported: Diagnostic[] = [];
    const fmu = await fixture(`gotchas/${version}/EnterResets`);
    const unit = openNativeUnit(fmu, { name: "it", onDiagnostic: (d) => reported.push(d) });
    startUnit(unit, { start: 0 }, { k: 2 });
    expect(reported.map(({ code, severity, message }) => ({ code, severity, message }))).toEqual([
      {
        code: "binary-parameter-lost",
        severity: "warning",
        message: "'it': 'k' was set to 2, and after initialization it is 1",
      },
    ]);
    unit.dispose();
  });

  it("[NA91] parameters that are kept, or set again in initialization, are not reported", async () => {
    const reported: Diagnostic[] = [];
    const unit = openNativeUnit(await fixture(`${version}/Dahlquist`), {
      onDiagnostic: (d) => reported.push(d),
    });
    setValues(unit, { k: 2 });
    unit.enterInitialization({ start: 0 });
    setValues(unit, { k: 3 });
    unit.exitInitialization();
    expect(reported).toEqual([]);
    expect(walk(unit)).toBeCloseTo(euler(3), 12);
    unit.dispose();
  });
});
