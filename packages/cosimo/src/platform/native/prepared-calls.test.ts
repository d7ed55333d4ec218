/**
 * Calls that are made often become code: what they do, return and leave behind stays the same. A
 * unit whose calls are logged makes all of them with their arguments, and is the reference. Rules:
 * docs/spec/native.md.
 */
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { makeBanks } from "../../model/value-type.ts";
import { failureOf, indexOf, startUnit } from "../../unit/testing/drive.ts";
import type { Unit } from "../../unit/unit.ts";
import { floatGuard } from "./float-guard.ts";
import { refusalOfHost } from "./host-code.ts";
import type { NativeUnitOptions } from "./native-options.ts";
import { openNativeUnit } from "./open-native-unit.ts";
import { PreparedCalls } from "./prepared-calls.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();
/** More than a call is used before code is written for it. */
const STEPS = 120;
const STEP = 1 / 64;

/** Steps with rollback in every one, so that all calls of a step are made often. */
function drive(unit: Unit, inputs: readonly string[], outputs: readonly string[]): unknown[] {
  const { rollback } = unit.description.capabilities;
  const rows: unknown[] = [];
  startUnit(unit);
  const banks = makeBanks({ f64: inputs.length + outputs.length });
  const slots = [...inputs, ...outputs].map((name, slot) => ({ port: indexOf(unit, name), slot }));
  const input = unit.bind(slots.slice(0, inputs.length));
  const output = unit.bind(slots.slice(inputs.length));
  for (let i = 0; i < STEPS; i++) {
    const from = i * STEP;
    const to = from + STEP;
    banks.f64.fill(Math.sin(i), 0, inputs.length);
    unit.write(input, banks);
    const saved = rollback ? unit.save() : undefined;
    unit.advance(from, { kind: "time", time: to });
    if (saved !== undefined) {
      unit.restore(saved);
      unit.release(saved);
      unit.advance(from, { kind: "time", time: to });
    }
    unit.read(output, banks);
    rows.push([...banks.f64]);
  }
  unit.terminate();
  return rows;
}

describe.each(VERSIONS)("prepared calls of an %s FMU", (version) => {
  const open = async (name: string, options: NativeUnitOptions = {}): Promise<Unit> =>
    openNativeUnit(await fixture(name), options);

  it.each([
    ["MassSpringDamperLeft", ["F_e"], ["x_1", "v_1"]],
    ["Dahlquist", ["k"], ["x"]],
  ])("[NA109] give what calls with arguments give: %s", async (name, inputs, outputs) => {
    const logged: string[] = [];
    const reference = await open(`${version}/${name}`, { callLog: (line) => logged.push(line) });
    const unit = await open(`${version}/${name}`);
    const expected = drive(reference, inputs, outputs);
    expect(logged.length).toBeGreaterThan(3 * STEPS);
    expect(drive(unit, inputs, outputs)).toEqual(expected);
    reference.dispose();
    unit.dispose();
  });

  it("[NA109] fail with the status that the function returns", async () => {
    const unit = await open(`gotchas/${version}/NegativeStatus`);
    startUnit(unit);
    const step = 0.45 / STEPS;
    for (let i = 0; i < STEPS; i++) unit.advance(i * step, { kind: "time", time: (i + 1) * step });
    const failure = failureOf(() => unit.advance(STEPS * step, { kind: "time", time: 1 }));
    expect(failure).toMatchObject({ call: `${version}DoStep` });
    expect(failure.status).toMatch(/^-1/);
    unit.dispose();
  });

  it.runIf(refusalOfHost(process.platform, process.arch) === undefined)(
    "[NA100] leave the floating-point state as it was, and name the unit",
    async () => {
      const found: Diagnostic[] = [];
      const unit = await open(`gotchas/${version}/RoundsInStep`, {
        name: "upward",
        onDiagnostic: (diagnostic) => found.push(diagnostic),
      });
      startUnit(unit);
      for (let i = 0; i < STEPS; i++) {
        unit.advance(i * STEP, { kind: "time", time: (i + 1) * STEP });
        floatGuard().check();
        expect(floatGuard().changed[0]).toBe(0);
      }
      expect(found.map(({ code }) => code)).toEqual(["binary-float-state"]);
      expect(found[0]?.message).toContain("upward");
      unit.dispose();
    },
  );
});

describe("prepared calls", () => {
  const calls = (more: Partial<PreparedCalls["options"]> = {}): PreparedCalls =>
    new PreparedCalls({
      functionOf: () => () => 0,
      addressOf: () => 0,
      lastCall: undefined,
      onFloatChange: () => {},
      isTraced: false,
      ...more,
    });

  it("[NA109] pass what lies in memory when the call is made", () => {
    const seen: (readonly (number | bigint)[])[] = [];
    let now = 1;
    const prepared = calls({
      functionOf:
        () =>
        (...args) =>
          seen.push(args),
      isTraced: true,
    });
    const call = prepared.prepare("fmi2DoStep", [7, { at: 0, kind: "double", value: () => now }]);
    call.run();
    now = 2;
    call.run();
    expect(seen).toEqual([
      [7, 1],
      [7, 2],
    ]);
  });

  it("[NA109] have no code while calls are logged, however often they are made", () => {
    let made = 0;
    const call = calls({ functionOf: () => () => made++, isTraced: true }).prepare("fmi2Reset", []);
    for (let i = 0; i < STEPS; i++) call.run();
    expect(made).toBe(STEPS);
    expect(call.code).toBe(0);
  });

  it("[NA109] look for a function when it is first called, and write code for functions that were", () => {
    const asked: string[] = [];
    const prepared = calls({
      functionOf: (name) => () => asked.push(name),
      addressOf: (name) => {
        if (name === "fmi2FreeFMUstate") throw new Error("missing");
        return 0;
      },
    });
    const used = prepared.prepare("fmi2DoStep", [0]);
    const missing = prepared.prepare("fmi2FreeFMUstate", [0]);
    used.run();
    prepared.compile();
    expect(asked).toEqual(["fmi2DoStep"]);
    expect(used.code > 0).toBe(refusalOfHost(process.platform, process.arch) === undefined);
    expect(missing.code).toBe(0);
    prepared.free();
  });
});
