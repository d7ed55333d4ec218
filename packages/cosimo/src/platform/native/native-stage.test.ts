/**
 * The calls of a step as one piece of code: the same values, stops and failures as the single
 * calls. Rules: docs/spec/native.md.
 */
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { type Banks, makeBanks } from "../../model/value-type.ts";
import type { Stop } from "../../unit/predicate.ts";
import { failureOf, indexOf, startUnit } from "../../unit/testing/drive.ts";
import type { Stage, StageParts, Unit } from "../../unit/unit.ts";
import { refusalOfHost } from "./host-code.ts";
import type { NativeUnitOptions } from "./native-options.ts";
import { openNativeUnit } from "./open-native-unit.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();
/** More than a stage runs before it becomes code. */
const STEPS = 130;
const STEP = 1 / 64;

interface Staged {
  readonly unit: Unit;
  readonly stage: Stage;
  readonly parts: StageParts;
  readonly banks: Banks;
}

/**
 * Inputs are in the first slots, outputs behind them, first derivatives of the inputs behind those.
 */
async function open(
  name: string,
  inputs: readonly string[],
  outputs: readonly string[],
  options: NativeUnitOptions = {},
): Promise<Staged> {
  const unit = openNativeUnit(await fixture(name), options);
  startUnit(unit);
  const port = (of: string): number => indexOf(unit, of);
  const n = inputs.length;
  const takesSlopes = n > 0 && unit.description.capabilities.inputDerivativeOrder > 0;
  const slots = [...inputs, ...outputs].map((of, slot) => ({ port: port(of), slot }));
  const parts: StageParts = {
    write: n > 0 ? [unit.bind(slots.slice(0, n))] : [],
    slopes: takesSlopes
      ? [
          {
            ports: inputs.map(port),
            orders: inputs.map(() => 1),
            slots: inputs.map((_, i) => slots.length + i),
          },
        ]
      : [],
    read: [unit.bind(slots.slice(n))],
  };
  const stage = unit.prepareStage?.(parts);
  if (stage === undefined) throw new Error(`test: '${name}' has no stages`);
  return { unit, stage, parts, banks: makeBanks({ f64: slots.length + n }) };
}

/** What a stage does, call by call. */
function callByCall({ unit, parts, banks }: Staged): Stage {
  return {
    run(from, to, _banks, back) {
      if (back !== undefined) unit.restore(back);
      for (const access of parts.write) unit.write(access, banks);
      for (const { ports, orders, slots } of parts.slopes) {
        const values = Float64Array.from(slots, (slot) => banks.f64[slot]);
        unit.setInputDerivatives(ports, orders, values);
      }
      const stop = unit.advance(from, { kind: "time", time: to });
      if (stop.reason === "time") for (const access of parts.read) unit.read(access, banks);
      return stop;
    },
  };
}

/** Every step is taken twice, the second time from where it began and with other inputs. */
function drive({ unit, banks }: Staged, stage: Stage): number[][] {
  const { rollback } = unit.description.capabilities;
  const rows: number[][] = [];
  for (let i = 0; i < STEPS; i++) {
    const from = i * STEP;
    const to = (i + 1) * STEP;
    const start = rollback ? unit.save() : undefined;
    for (const back of start === undefined ? [undefined] : [undefined, start]) {
      banks.f64.forEach((_, slot) => {
        banks.f64[slot] = Math.sin(i + slot + (back === undefined ? 0 : 0.5));
      });
      expect(stage.run(from, to, banks, back)).toMatchObject({ reason: "time", time: to });
      rows.push([...banks.f64]);
    }
    if (start !== undefined) unit.release(start);
  }
  unit.terminate();
  return rows;
}

describe.each(VERSIONS)("a stage of an %s FMU", (version) => {
  it.each([
    ["MassSpringDamperLeft", ["F_e"], ["x_1", "v_1"]],
    ["MassSpringDamperRight", ["x_c", "v_c"], ["F_c", "x_2"]],
    ["Dahlquist", ["k"], ["x"]],
    ["VanDerPol", [], ["x0", "x1"]],
  ])("[NA108] [UN54] gives what the single calls give: %s", async (name, inputs, outputs) => {
    const single = await open(`${version}/${name}`, inputs, outputs);
    const staged = await open(`${version}/${name}`, inputs, outputs);
    const expected = drive(single, callByCall(single));
    expect(drive(staged, staged.stage)).toEqual(expected);
    single.unit.dispose();
    staged.unit.dispose();
  });

  it.each([
    ["NegativeStatus", "DoStep"],
    ["NegativeGet", version === "fmi2" ? "GetReal" : "GetFloat64"],
  ])("[NA108] fails as the single calls do: %s", async (name, call) => {
    const step = 0.45 / STEPS;
    const failures = await Promise.all(
      ["single", "staged"].map(async (how) => {
        const staged = await open(`gotchas/${version}/${name}`, [], ["x"], { name: "odd" });
        const stage = how === "single" ? callByCall(staged) : staged.stage;
        for (let i = 0; i < STEPS; i++) stage.run(i * step, (i + 1) * step, staged.banks);
        const failure = failureOf(() => stage.run(STEPS * step, 1, staged.banks));
        staged.unit.dispose();
        return failure;
      }),
    );
    expect(failures[1]).toEqual(failures[0]);
    expect(failures[1]?.call).toBe(`${version}${call}`);
  });

  it.runIf(refusalOfHost(process.platform, process.arch) === undefined)(
    "[NA101] names the call that changed the floating-point state",
    async () => {
      const found: Diagnostic[] = [];
      const { unit, stage, banks } = await open(`gotchas/${version}/RoundsInStep`, [], ["x"], {
        onDiagnostic: (diagnostic) => found.push(diagnostic),
      });
      for (let i = 0; i < STEPS; i++) stage.run(i * STEP, (i + 1) * STEP, banks);
      expect(found).toHaveLength(1);
      expect(found[0]?.message).toContain(`${version}DoStep`);
      unit.dispose();
    },
  );

  it("[NA108] has no code where texts are exchanged, nor where calls are logged", async () => {
    const texts = openNativeUnit(await fixture(`${version}/Feedthrough`));
    const [text] = texts.description.ports.filter(
      ({ type, direction }) => type === "string" && direction === "output",
    );
    const read = [texts.bind([{ port: text!.index, slot: 0 }])];
    expect(texts.prepareStage?.({ write: [], slopes: [], read })).toBeUndefined();
    texts.dispose();
    const logged = openNativeUnit(await fixture(`${version}/Dahlquist`), { callLog: () => {} });
    expect(logged.prepareStage?.({ write: [], slopes: [], read: [] })).toBeUndefined();
    logged.dispose();
  });
});

describe("a stage that ends early", () => {
  it("[NA108] [UN54] stops where the single calls stop, and reads nothing", async () => {
    const stops: Stop[] = [];
    const values: number[] = [];
    for (const how of ["single", "staged"]) {
      const staged = await open("fmi3/BouncingBall", [], ["h"]);
      const stage = how === "single" ? callByCall(staged) : staged.stage;
      const { unit, banks } = staged;
      // Short steps first, so that the stage is code by the time the ball falls to the ground.
      let from = 0;
      const short = 1 / 1024;
      for (let i = 0; i < STEPS; i++, from += short) stage.run(from, from + short, banks);
      banks.f64[0] = 99;
      stops.push({ ...stage.run(from, 1, banks) });
      values.push(banks.f64[0]);
      unit.dispose();
    }
    expect(stops[0]?.reason).toBe("event");
    expect(stops[1]).toEqual(stops[0]);
    expect(values).toEqual([99, 99]);
  });
});
