/**
 * Adaptations around FMUs, exported and loaded again as an FMU, against the same adaptations as
 * Cosimo runs them: whatever is done to both, they answer the same. Steps are sums of powers of
 * two, so that times are the same numbers on both sides of FMI.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UnitDescription } from "../src/model/unit-description.ts";
import { getNumber, setValues, startUnit } from "../src/unit/testing/drive.ts";
import { adaptedUnitOf, exportedUnit, newFolder } from "./export-adaptation/open-units.ts";
import {
  type Answer,
  answersOfUnit,
  type Instruments,
  randomScript,
} from "./export-adaptation/scripts.ts";
import { fmu } from "./export-lab.ts";

const SEED = 20261117;
const SCRIPTS = 12;
const HERE = join(import.meta.dirname, "export-adaptation");
const WINDOW = join(import.meta.dirname, "..", "..", "..", "examples", "power-window");

function instruments(
  { ports, capabilities }: UnitDescription,
  steps: readonly number[],
): Instruments {
  const of = (direction: string, ...types: string[]): number[] =>
    ports
      .filter((port) => port.direction === direction && types.includes(port.type))
      .map(({ index }) => index);
  return {
    numbers: of("input", "float64", "float32"),
    truths: of("input", "boolean"),
    // Negative numbers would end most scripts at an input that is unsigned inside.
    integers: of("input", "int32").filter((port) => !ports[port]!.name.startsWith("UInt")),
    texts: of("input", "string"),
    parameters: [],
    slopes: capabilities.inputDerivativeOrder > 0 ? of("input", "float64") : [],
    outputs: ports
      .filter(({ direction }) => direction === "output")
      .map(({ index, type }) => ({ port: index, isText: type === "string" })),
    steps,
    hasStates: capabilities.rollback,
  };
}

/**
 * In FMI 3.0 inputs are led by their values at both ends of the step, which rounds once more than
 * slopes do.
 */
function expectSame(
  found: readonly Answer[],
  expected: readonly Answer[],
  version: 2 | 3,
  script: string,
): void {
  const near = (a: Answer, b: Answer | undefined): Answer => {
    if (version === 2 || typeof a !== "number" || typeof b !== "number") return a;
    return Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(b)) ? b : a;
  };
  expect(
    found.map((answer, k) => near(answer, expected[k])),
    script,
  ).toStrictEqual(expected);
}

async function compare(
  file: string,
  version: 2 | 3,
  steps: readonly number[],
): Promise<readonly Answer[]> {
  const exported = await exportedUnit(file, version);
  const open = await adaptedUnitOf(file);
  const sample = await open();
  const { description } = sample;
  sample.dispose();
  const tools = instruments(description, steps);
  const seen: Answer[] = [];
  for (const script of fc.sample(randomScript(tools), { seed: SEED, numRuns: SCRIPTS })) {
    const expected = answersOfUnit(await open(), script);
    const found = answersOfUnit(exported.open(), script);
    expectSame(found, expected, version, JSON.stringify(script));
    seen.push(...expected);
  }
  return seen;
}

const STEPS = [0.25, 0.5, 0.125, 0.0625];

describe(`exported adaptations (seed ${SEED})`, () => {
  it.each([
    ["masses.sa", 2],
    ["plain.sa", 3],
    ["types.sa", 3],
    ["decay.sa", 2],
    ["stairs.sa", 3],
  ] as const)(
    "[EXA2] %s as an FMI %i.0 FMU answers as the adaptation does",
    async (name, version) => {
      const seen = await compare(join(HERE, name), version, STEPS);
      expect(seen.filter((answer) => answer === "time").length).toBeGreaterThan(100);
    },
    120_000,
  );

  it.each([2, 3] as const)(
    "[EXA3] steps that rules refuse are refused by an FMI %i.0 FMU, which stands where they say",
    async (version) => {
      const seen = await compare(join(HERE, "crossing.sa"), version, STEPS);
      expect(seen.filter((answer) => answer === "discarded").length).toBeGreaterThan(5);
    },
    120_000,
  );

  it.each(["rate", "controller", "power"])(
    "[EXA4] %s.sa of the power window answers as the adaptation does",
    async (name) => {
      const seen = await compare(join(WINDOW, `${name}.sa`), 2, [1 / 512, 1 / 256, 1 / 1024]);
      expect(seen.filter((answer) => answer === "time").length).toBeGreaterThan(50);
    },
    120_000,
  );

  it.each([2, 3] as const)(
    "[EXA14] an integer output beyond its type is an error of an FMI %i.0 FMU that names it",
    async (version) => {
      const file = join(newFolder(), "large.sa");
      const inner = fmu("fmi2/Dahlquist");
      writeFileSync(
        file,
        `semantic adaptation reactive mealy Large large
         for inner fmu Dahlquist d at "${inner}"
         input ports u
         output ports n
         in var held := 0.0;
         in rules { true -> { held := u; } --> { }; }
         out rules { true -> { } --> { n := floor(held); }; }`,
      );
      const unit = (await exportedUnit(file, version)).open();
      startUnit(unit);
      const most = 2 ** 31 - 1;
      for (const value of [most, -(2 ** 31), most + 0.5]) {
        setValues(unit, { u: value });
        expect(getNumber(unit, "n")).toBe(Math.floor(value));
      }
      setValues(unit, { u: most + 1 });
      expect(() => getNumber(unit, "n")).toThrow(
        /'n' is 2\.14748e\+09.*-2147483648 to 2147483647.*SA45/,
      );
      unit.dispose();
    },
    120_000,
  );

  it("[AU38] an inner input holds what its type can, here and exported, and nothing else", async () => {
    const widths = [8, 16, 32, 64];
    const types = widths.flatMap((bits) => [
      { name: `Int${bits}`, least: -(2 ** (bits - 1)), most: 2 ** (bits - 1) - 1 },
      { name: `UInt${bits}`, least: 0, most: 2 ** bits - 1 },
    ]);
    const file = join(newFolder(), "types.sa");
    const inner = fmu("fmi3/Feedthrough");
    const each = (text: (name: string) => string): string =>
      types.map(({ name }) => text(name)).join(" ");
    writeFileSync(
      file,
      `semantic adaptation reactive mealy Types types
       for inner fmu Feedthrough f at "${inner}"
       input ports ${types.map(({ name }) => `u${name}`).join(", ")}
       output ports ${types.map(({ name }) => `y${name}: real`).join(", ")}
       in var ${types.map(({ name }) => `v${name} := 0.0`).join(", ")};
       in rules { true -> { ${each((name) => `v${name} := types.u${name};`)} }
         --> { ${each((name) => `f.${name}_input := floor(v${name});`)} }; }
       out rules { true -> { } --> { ${each((name) => `types.y${name} := f.${name}_output;`)} }; }`,
    );
    const inProcess = await adaptedUnitOf(file);
    for (const unit of [await inProcess(), (await exportedUnit(file, 3)).open()]) {
      for (const { name, least, most } of types) {
        const between = [least, most];
        const beyond = [least === 0 ? -1 : 2 * least, 2 * most + 2, Number.NaN];
        startUnit(unit);
        for (const value of between) {
          setValues(unit, { [`u${name}`]: value });
          expect(getNumber(unit, `y${name}`), name).toBe(value);
        }
        for (const value of beyond) {
          setValues(unit, { [`u${name}`]: value });
          expect(() => getNumber(unit, `y${name}`), `${name} ${value}`).toThrow(
            new RegExp(
              `input '${name}_input' of 'f' is .*, which ${name.toLowerCase()} cannot hold`,
            ),
          );
          unit.reset();
          startUnit(unit);
        }
        unit.reset();
      }
      unit.dispose();
    }
  }, 120_000);
});
