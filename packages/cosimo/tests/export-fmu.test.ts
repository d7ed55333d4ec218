/**
 * Exported FMUs as units: they keep the contract of all units, their states are whole, their
 * instances do not touch each other, and they say what goes wrong inside.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { unzipSync, zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { unwrap } from "../src/base/diagnostic.ts";
import { UnitError } from "../src/base/outcome.ts";
import { portNamed } from "../src/model/unit-description.ts";
import { makeBanks } from "../src/model/value-type.ts";
import type { NativeFmu } from "../src/platform/native/native-options.ts";
import { openNativeUnit } from "../src/platform/native/open-native-unit.ts";
import { openFmuFile } from "../src/platform/node/fmu-file.ts";
import { unitContract } from "../src/unit/testing/contract.ts";
import type { ContractSubject } from "../src/unit/testing/contract-subject.ts";
import type { Unit } from "../src/unit/unit.ts";
import { COMPILING, ExportLab, fmu } from "./export-lab.ts";

const lab = new ExportLab();
const STEP = 0.1;

/** One mass between spring and damper, as a scenario that shows force, position and mass. */
const MASS = lab.write(
  "mass.yaml",
  `name: one mass
units: { mass: ${fmu("fmi2/MassSpringDamperLeft")} }
ports: { F: mass.F_e, x: mass.x_1, m: mass.m }
experiment: { step: 100 ms }
master: jacobi
`,
);
const ECHO = lab.write(
  "echo.yaml",
  `name: echo
units: { it: ${fmu("fmi3/Feedthrough")} }
ports:
  u: it.Float64_continuous_input
  y: it.Float64_continuous_output
  fixed: it.Float64_fixed_parameter
  i8: it.Int8_input
  i8_out: it.Int8_output
  u64: it.UInt64_input
  u64_out: it.UInt64_output
  flag: it.Boolean_input
  flag_out: it.Boolean_output
  choice: it.Enumeration_input
  choice_out: it.Enumeration_output
  text: it.String_input
  text_out: it.String_output
  bytes: it.Binary_input
  bytes_out: it.Binary_output
experiment: { step: 100 ms }
master: jacobi
`,
);
/** Two masses with a wire each way; the force on the left one comes from outside as well. */
const COUPLED = lab.write(
  "coupled.yaml",
  `name: coupled
units:
  left: ${fmu("fmi3/MassSpringDamperLeft")}
  right: ${fmu("fmi2/MassSpringDamperRight")}
connections:
  - left.x_1 -> right.x_c
  - left.v_1 -> right.v_c
ports: { F: left.F_e, x: left.x_1, force: right.F_c }
experiment: { step: 100 ms }
master: { name: gauss-seidel, approximation: linear }
`,
);

/** x'' + x' + x = 0 from x = 1, x' = 0. */
function oscillator(t: number): number {
  const w = Math.sqrt(3) / 2;
  return Math.exp(-t / 2) * (Math.cos(w * t) + Math.sin(w * t) / (2 * w));
}

const SUBJECT: Omit<ContractSubject, "open"> = {
  step: STEP,
  behaviour: { port: "x", at: oscillator, tolerance: 1e-12 },
  settable: { port: "F", value: 2 },
  fixed: { port: "m", value: 3 },
};

const exported = new Map<string, Promise<NativeFmu>>();
async function open(source: string, version: 2 | 3, log?: (line: string) => void): Promise<Unit> {
  const key = `${version} ${source}`;
  const made = exported.get(key) ?? lab.native(source, version);
  exported.set(key, made);
  return openNativeUnit(await made, log ? { onLog: ({ message }) => log(message) } : {});
}

describe.each([2, 3] as const)("[EX8] an exported FMU of FMI %d", { timeout: COMPILING }, (v) => {
  unitContract(`an exported scenario, FMI ${v}`, { ...SUBJECT, open: () => open(MASS, v) });
});

describe("[EX8] an exported FMU with every type", { timeout: COMPILING }, () => {
  unitContract("an exported scenario that echoes", {
    step: STEP,
    behaviour: { port: "y", at: () => 1.25, tolerance: 0 },
    settable: { port: "u", value: -3 },
    fixed: { port: "fixed", value: 7 },
    values: { u64: 1n },
    feedThrough: { input: "u", value: 4.5, output: "y", expected: 4.5, tolerance: 0 },
    echoes: [
      { input: "i8", output: "i8_out", value: -128 },
      { input: "u64", output: "u64_out", value: 2n ** 53n + 1n },
      { input: "flag", output: "flag_out", value: 0 },
      { input: "choice", output: "choice_out", value: 1 },
      { input: "text", output: "text_out", value: "žluťoučký #1 ## %s" },
      { input: "bytes", output: "bytes_out", value: Uint8Array.of(0, 255, 0, 7) },
    ],
    open: () => open(ECHO, 3),
  });
});

/** Inputs at the communication points → outputs `x` and `force` there. */
class Driven {
  readonly unit: Unit;
  private readonly banks = makeBanks({ f64: 2 });
  private time = 0;

  constructor(unit: Unit) {
    this.unit = unit;
  }

  begin(): this {
    this.unit.enterInitialization({ start: 0 });
    this.unit.exitInitialization();
    return this;
  }

  give(force: number): void {
    this.banks.f64[0] = force;
    this.unit.write(this.unit.bind([{ port: this.port("F"), slot: 0 }]), this.banks);
  }

  outputs(): [number, number] {
    const slots = ["x", "force"].map((name, slot) => ({ port: this.port(name), slot }));
    this.unit.read(this.unit.bind(slots), this.banks);
    return [this.banks.f64[0]!, this.banks.f64[1]!];
  }

  step(): void {
    const to = this.time + STEP;
    this.unit.advance(this.time, { kind: "time", time: to });
    this.time = to;
  }

  /** Where the unit is, after it was restored. */
  at(time: number): this {
    this.time = time;
    return this;
  }

  get now(): number {
    return this.time;
  }

  private port(name: string): number {
    return portNamed(this.unit.description, name)!.index;
  }
}

describe("states of an exported FMU", { timeout: COMPILING }, () => {
  it("[EX10] continue to the same trace, in the same instance and in another one made of bytes", async () => {
    const SEED = 20261116;
    console.log(`seed ${SEED}`);
    for (const version of [2, 3] as const) {
      const one = await open(COUPLED, version);
      const other = await open(COUPLED, version);
      fc.assert(
        fc.property(
          fc.array(fc.double({ min: -5, max: 5, noNaN: true }), { minLength: 2, maxLength: 12 }),
          fc.nat(10),
          (forces, cut) => {
            one.reset();
            other.reset();
            const first = new Driven(one).begin();
            const before = forces.slice(0, cut % forces.length);
            const after = forces.slice(before.length);
            const run = (driven: Driven): [number, number][] =>
              after.map((force) => {
                driven.give(force);
                driven.step();
                return driven.outputs();
              });
            for (const force of before) {
              first.give(force);
              first.step();
            }
            const time = first.now;
            const saved = one.save();
            const expected = run(first);
            one.restore(saved);
            expect(run(first.at(time))).toEqual(expected);
            const bytes = one.serialize(saved);
            one.release(saved);
            const second = new Driven(other).begin();
            const moved = other.deserialize(bytes);
            other.restore(moved);
            other.release(moved);
            expect(run(second.at(time))).toEqual(expected);
          },
        ),
        { seed: SEED, numRuns: 25 },
      );
      one.dispose();
      other.dispose();
    }
  });

  it("[EX10] refuse bytes of another FMU, and bytes that are cut short", async () => {
    const unit = await open(COUPLED, 2);
    const stranger = await open(MASS, 2);
    for (const one of [unit, stranger]) new Driven(one).begin();
    const foreign = stranger.save();
    expect(() => unit.deserialize(stranger.serialize(foreign))).toThrow(UnitError);
    unit.reset();
    new Driven(unit).begin();
    const own = unit.save();
    const bytes = unit.serialize(own);
    expect(() => unit.deserialize(bytes.slice(0, bytes.length - 9))).toThrow(UnitError);
    unit.dispose();
    stranger.dispose();
  });

  it("[EX10] are not offered when an FMU inside cannot save its own", async () => {
    const text = `units:
  plain: ${fmu("fmi2/MassSpringDamperLeftPlain")}
  able: ${fmu("fmi2/MassSpringDamperLeft")}
experiment: { step: 100 ms }
master: jacobi
`;
    const { coSimulation } = await lab.describe(lab.write("plain.yaml", text), 2);
    expect(coSimulation!.canGetAndSetState).toBe(false);
    expect(coSimulation!.canSerializeState).toBe(false);
  });
});

describe("instances of an exported FMU", { timeout: COMPILING }, () => {
  it("[EX9] have nothing in common", async () => {
    const [one, other] = [await open(COUPLED, 2), await open(COUPLED, 2)].map((unit) =>
      new Driven(unit).begin(),
    );
    const alone = new Driven(await open(COUPLED, 2)).begin();
    const expected = [1, 2, 3].map(() => {
      alone.give(1);
      alone.step();
      return alone.outputs();
    });
    const found = [1, 2, 3].map((k) => {
      other!.give(-10 * k);
      other!.step();
      one!.give(1);
      one!.step();
      return one!.outputs();
    });
    expect(found).toEqual(expected);
    for (const { unit } of [one!, other!, alone]) unit.dispose();
  });

  it("[EX6] let an input act at once where it does inside", async () => {
    const unit = await open(ECHO, 3);
    unit.enterInitialization({ start: 0 });
    unit.exitInitialization();
    unit.advance(0, { kind: "time", time: STEP });
    const port = (name: string): number => portNamed(unit.description, name)!.index;
    const banks = makeBanks({ f64: 1 });
    banks.f64[0] = 42;
    unit.write(unit.bind([{ port: port("u"), slot: 0 }]), banks);
    unit.read(unit.bind([{ port: port("y"), slot: 0 }]), banks);
    expect(banks.f64[0]).toBe(42);
    unit.dispose();
  });

  it("[EX5] take multiples of the plan's step, counted, and say so where a step is none", async () => {
    const lines: string[] = [];
    const fine = new Driven(await open(COUPLED, 2)).begin();
    const coarse = await open(COUPLED, 3, (line) => lines.push(line));
    new Driven(coarse).begin();
    for (let k = 0; k < 3; k++) fine.step();
    coarse.advance(0, { kind: "time", time: 3 * STEP });
    expect(new Driven(coarse).outputs()).toEqual(fine.outputs());
    expect(() => coarse.advance(3 * STEP, { kind: "time", time: 3.5 * STEP })).toThrow(UnitError);
    expect(lines.join("\n")).toMatch(/steps of 0\.1 s.*multiples/);
    fine.unit.dispose();
    coarse.dispose();
  });

  it("[EX7] end the simulation when a unit inside asks for it", async () => {
    const source = lab.write(
      "ending.yaml",
      `units: { bad: { fmu: ${fmu("fmi2/Misbehaving")}, set: { behaviour: terminate, at: 0.25 } } }
experiment: { step: 100 ms }
master: jacobi
`,
    );
    for (const version of [2, 3] as const) {
      const unit = await open(source, version);
      new Driven(unit).begin();
      const { reason, time } = unit.advance(0, { kind: "time", time: 5 * STEP });
      expect(reason).toBe("terminated");
      expect(time).toBeGreaterThanOrEqual(2 * STEP);
      expect(time).toBeLessThanOrEqual(3 * STEP);
      unit.dispose();
    }
  });

  it("[EX7] tell why a unit inside fails, and which one", async () => {
    const source = lab.write(
      "failing.yaml",
      `units: { bad: { fmu: ${fmu("fmi2/Misbehaving")}, set: { behaviour: error, at: 0.15 } } }
experiment: { step: 100 ms }
master: jacobi
`,
    );
    const lines: string[] = [];
    const unit = await open(source, 2, (line) => lines.push(line));
    new Driven(unit).begin();
    unit.advance(0, { kind: "time", time: STEP });
    expect(() => unit.advance(STEP, { kind: "time", time: 2 * STEP })).toThrow(UnitError);
    expect(lines.join("\n")).toMatch(/^bad: fmi2DoStep returned fmi2Error at t=0\.1$/m);
    unit.dispose();
  });

  it("[EX7] tell that an FMU inside has no library for this machine", async () => {
    const whole = unzipSync(readFileSync(fmu("fmi2/Dahlquist")));
    const bare = Object.entries(whole).filter(([name]) => !name.startsWith("binaries/"));
    writeFileSync(join(lab.folder, "bare.fmu"), zipSync(Object.fromEntries(bare)));
    const source = lab.write("bare.yaml", "units: { d: bare.fmu }\nexperiment: { step: 1 s }\n");
    const { path, facts } = await lab.export(source, 2, true);
    const file = unwrap(openFmuFile(path));
    const folder = unwrap(await file.extract(`${path}-unpacked`));
    const target = join(folder, "binaries", "linux64", `${facts.modelIdentifier}.so`);
    mkdirSync(dirname(target), { recursive: true });
    const sources = readdirSync(join(folder, "sources")).filter((name) => name.endsWith(".c"));
    const args = ["-fPIC", "-shared", "-o", target, ...sources, "-lm", "-ldl"];
    expect(spawnSync("cc", args, { cwd: join(folder, "sources") }).status).toBe(0);
    const lines: string[] = [];
    const log = { onLog: ({ message }: { message: string }) => void lines.push(message) };
    const opening = async (): Promise<Unit> =>
      openNativeUnit({ folder, description: file.description }, log);
    await expect(opening()).rejects.toThrow(UnitError);
    expect(lines.join("\n")).toMatch(/^d: the FMU inside has no library for this machine/m);
  });
});
