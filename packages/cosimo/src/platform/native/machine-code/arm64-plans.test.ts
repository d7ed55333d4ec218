/**
 * Whole plans and programs of masters by both back ends: the same memory at the end, bit for bit,
 * whatever the units do. Units are C functions that both call; ARM64 runs under an emulator, no ARM
 * machine takes part.
 */
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { cases } from "../../../base/testing/cases.ts";
import { over, plus, type StepItem, set, times } from "../../../engine/masters/step-program.ts";
import { OP_WIDTH, Op } from "../../../plan/plan.ts";
import { entryCode, preparedCode, sequenceCode } from "../float-state-code.ts";
import { emitUpdate } from "../follower-code.ts";
import { float64s, int32s } from "../native-memory.ts";
import { Reg } from "./assembler.ts";
import { compilePlanToCode } from "./compile-plan.ts";
import type { PlanBlock } from "./plan-memory.ts";
import type { Program } from "./program.ts";
import { emitItems, StepProgram } from "./step-program-code.ts";
import {
  type EmulatedChoice,
  type EmulatedPlan,
  EmulatedUnit,
  emulatedPlan,
  KINDS,
  type Misdeed,
} from "./testing/emulated-units.ts";
import {
  ARM64,
  CODE,
  type Done,
  Image,
  type Job,
  type Machine,
  MISSING,
  openEmulator,
  stubOf,
  X64,
} from "./testing/emulator.ts";
import { couplingPick, type RunPick } from "./testing/random-coupling.ts";

const SEED = 18_033;
const BYTES = 2 ** 17;

const misdeed: fc.Arbitrary<Misdeed> = fc.record({
  call: fc.integer({ min: 1, max: 60 }),
  status: fc.constantFrom(0, 1, 1, 1, 2, 3, -1, 7),
  what: fc.constantFrom("nothing", "nothing", "event", "terminate", "early"),
});
const choice: fc.Arbitrary<EmulatedChoice> = fc.record(
  {
    kind: fc.constantFrom(...Object.keys(KINDS)),
    isSteady: fc.boolean(),
    endsStepOnEvent: fc.boolean(),
    constantStep: fc.constantFrom(0.05, 0.05 * (1 + 1e-12), 0.07),
    misdeeds: fc.oneof(fc.constant([]), fc.array(misdeed, { maxLength: 3 })),
  },
  { requiredKeys: ["kind", "isSteady", "endsStepOnEvent", "misdeeds"] },
);
const kinds = Object.keys(KINDS);
const wanted = fc.record({
  choices: fc.array(choice, { minLength: 1, maxLength: 4 }),
  pick: couplingPick(kinds, { units: 4, wires: 16 }),
});

interface Written extends Job {
  /** Bytes of the image that differ by nature: addresses of code, and the floating-point state. */
  readonly own: readonly { readonly at: number; readonly bytes: number }[];
  readonly exits: number;
}

/** The memory of the code, ready for its first tick. */
function fill(program: Program, block: PlanBlock, { state, units }: EmulatedPlan): void {
  const { memory } = program;
  block.signals.f64.set(state.banks.f64.subarray(0, block.signals.f64.length));
  block.signals.i64.set(state.banks.i64.subarray(0, block.signals.i64.length));
  block.writeInt(memory.watch, 1);
  for (const [u, unit] of units.entries()) {
    block.writeInt(memory.noRollback(u), u & 1);
    block.writeDouble(memory.constantStep(u), unit.constantStep() ?? 0);
  }
}

/** Code of the intermediate updates behind all other code. */
function writeUpdates(program: Program, image: Image, { units }: EmulatedPlan): Written["own"] {
  return units.flatMap(({ follower, handle, update, lastCall }) => {
    if (follower === undefined) return [];
    const handleAt = image.allocate(8);
    new BigUint64Array(handleAt.buffer, handleAt.offset, 1)[0] = BigInt(handle);
    const references = image.allocate(4 * follower.ports.length);
    int32s(references, follower.ports.length).set(follower.ports);
    update[0] = BigInt(CODE + program.code.length);
    emitUpdate(program.code, follower, {
      setter: stubOf("fmi3SetFloat64"),
      references: references.address,
      count: follower.ports.length,
      handle: handleAt.address,
      marker: { at: image.addressOf(lastCall), id: 3 },
    });
    return [{ at: update.byteOffset, bytes: 8 }];
  });
}

function ownPlaces(
  program: Program,
  block: PlanBlock,
  image: Image,
  { units }: EmulatedPlan,
): Written["own"] {
  if (units.every((unit) => unit.isSteady())) return [];
  const start = block.address - image.addressOf(new Uint8Array(image.buffer));
  return [{ at: start + program.floatHome, bytes: 8 }];
}

function writePlan(
  machine: Machine,
  choices: readonly EmulatedChoice[],
  pick: RunPick,
): Written | undefined {
  const image = new Image(BYTES);
  const emulated = emulatedPlan(image, choices, pick);
  if (emulated === undefined) return undefined;
  const { state, plan, machines, callMarkers } = emulated;
  const program = compilePlanToCode(state, machines, callMarkers, undefined, undefined, {
    code: machine.assembler(),
    home: machine.home,
  });
  const updates = writeUpdates(program, image, emulated);
  const rows = image.allocate(8 * (1 + plan.record.columns.length) * (pick.ticks + 1));
  const home = program.floatHome;
  const block = program.memory.make(image);
  expect(program.floatHome).toBe(home);
  fill(program, block, emulated);
  block.writeDouble(program.memory.tick, 1);
  block.writeDouble(program.memory.last, pick.ticks);
  block.writeDouble(program.memory.rows, rows.address);
  return {
    image,
    code: program.code.code,
    calls: [{ offset: 0, argument: block.address }],
    own: [
      ...updates,
      ...ownPlaces(program, block, image, emulated),
      { at: block.address + home - image.addressOf(new Uint8Array(image.buffer)), bytes: 8 },
    ],
    exits: program.exits.length,
  };
}

/** A step as masters take it: back, inputs, steps, outputs, formulas, a test. */
function writeStep(
  machine: Machine,
  choices: readonly EmulatedChoice[],
  pick: RunPick,
): Written | undefined {
  const image = new Image(BYTES);
  const emulated = emulatedPlan(image, choices, pick);
  if (emulated === undefined) return undefined;
  const { state, plan, machines, callMarkers } = emulated;
  const cells = float64s(image.allocate(64), 8);
  cells.set([0.5, -0.25, 3, 1e-3, 7]);
  const norms = float64s(image.allocate(64), 8);
  const { f64 } = state.banks;
  const segment = plan.segments.step;
  const ops = Array.from({ length: segment.length / OP_WIDTH }, (_, i) =>
    segment.subarray(i * OP_WIDTH, (i + 1) * OP_WIDTH),
  );
  const movable = ops.filter(
    ([opcode]) =>
      opcode !== Op.Every &&
      opcode !== Op.Advance &&
      opcode !== Op.Predict &&
      opcode !== Op.Interpolate &&
      opcode !== Op.Sample,
  );
  const unitsOf = [...choices.keys()];
  const value = (i: number) => ({ array: cells, index: i });
  const once = (test: number): StepItem[] => [
    ...unitsOf.map((unit): StepItem => ({ kind: "restore", unit })),
    ...movable.map((op): StepItem => ({ kind: "op", op })),
    ...unitsOf.flatMap((unit): StepItem[] =>
      Array.from({ length: pick.microSteps }, (_, part) => ({
        kind: "advance",
        unit,
        part,
        parts: pick.microSteps,
      })),
    ),
    set(
      cells,
      5,
      over(plus(times(value(0), value(1)), value(2)), plus(1.5, times(value(3), value(5)))),
    ),
    set(cells, 6, times({ array: cells, index: 5 }, f64.length > 0 ? { array: f64, index: 0 } : 2)),
    {
      kind: "test",
      residuals: cells.subarray(4, 7),
      tolerance: test === 0 ? 1e-9 : 5,
      norms,
      test,
    },
  ];
  const program = new StepProgram(state, machines, callMarkers, {
    code: machine.assembler(),
    home: machine.home,
    addressOf: (array) => image.addressOf(array),
  });
  const { restored } = emitItems(program, [...once(0), ...once(1)], {
    settleStep: () => undefined,
    endOf: () => 0,
  });
  const updates = writeUpdates(program, image, emulated);
  const home = program.floatHome;
  const block = program.memory.make(image);
  fill(program, block, emulated);
  for (const { unit, state: at } of restored)
    block.writeAddress(at, (emulated.units[unit]?.handle ?? 0) + 16);
  for (const { part, parts, from, size } of program.spans.values()) {
    block.writeDouble(from, 1 + (0.05 * part) / parts);
    block.writeDouble(size, 0.05 / parts);
  }
  return {
    image,
    code: program.code.code,
    calls: [{ offset: 0, argument: block.address }],
    own: [
      ...updates,
      { at: block.address + home - image.addressOf(new Uint8Array(image.buffer)), bytes: 8 },
    ],
    exits: program.exits.length,
  };
}

describe.runIf(MISSING === undefined)("ARM64 code under an emulator", () => {
  const emulator = MISSING === undefined ? openEmulator() : undefined;
  afterAll(() => emulator?.close());

  function run(
    write: typeof writePlan,
    list: readonly { choices: readonly EmulatedChoice[]; pick: RunPick }[],
  ) {
    const [x64, arm64] = [X64, ARM64].map((machine) => {
      const jobs = list.flatMap(({ choices, pick }) => write(machine, choices, pick) ?? []);
      const done = emulator?.run(machine, jobs) ?? [];
      for (const [i, { own }] of jobs.entries())
        for (const { at, bytes } of own) done[i]?.data.fill(0, at, at + bytes);
      return { jobs, done };
    });
    return {
      x64: x64 as { jobs: Written[]; done: Done[] },
      arm64: arm64 as { jobs: Written[]; done: Done[] },
    };
  }

  function expectSame(write: typeof writePlan, count: number): { ended: number; left: number } {
    const list = fc.sample(wanted, { seed: SEED, numRuns: count });
    const { x64, arm64 } = run(write, list);
    expect(arm64.done).toHaveLength(x64.done.length);
    for (const [i, done] of x64.done.entries()) {
      expect(arm64.done[i]?.results, `exit of case ${i}`).toEqual(done.results);
      expect(
        firstDifference(arm64.done[i]?.data ?? new Uint8Array(), done.data),
        `case ${i}`,
      ).toBeUndefined();
      expect(done.data).not.toEqual(
        new Uint8Array(x64.jobs[i]?.image.buffer ?? new ArrayBuffer(0)),
      );
    }
    const exits = x64.done.map(({ results }) => results[0]);
    return {
      ended: exits.filter((exit) => exit === 0n).length,
      left: exits.filter((exit) => exit !== 0n).length,
    };
  }

  it(`[MC16] random plans leave the memory that x86-64 leaves (seed ${SEED})`, () => {
    const count = cases(300);
    const { ended, left } = expectSame(writePlan, count);
    expect(ended).toBeGreaterThan(count / 5);
    expect(left).toBeGreaterThan(count / 5);
  }, 120_000);

  it(`[MC16] so do programs of masters (seed ${SEED})`, () => {
    const count = cases(300);
    const { ended, left } = expectSame(writeStep, count);
    expect(ended + left).toBeGreaterThan(count / 2);
    expect(left).toBeGreaterThan(count / 5);
  }, 120_000);
});

describe.runIf(MISSING === undefined)("prepared calls for ARM64 under an emulator", () => {
  const emulator = MISSING === undefined ? openEmulator() : undefined;
  afterAll(() => emulator?.close());

  /** What both machines make of one piece of code, and of the memory that it is given. */
  function both(
    write: (
      machine: Machine,
      image: Image,
    ) => { code: Uint8Array; calls: Job["calls"]; record: number },
  ): { results: readonly bigint[]; words: readonly number[]; hash: bigint }[] {
    return [X64, ARM64].map((machine) => {
      const image = new Image(2 ** 16);
      const { code, calls, record } = write(machine, image);
      const [done] = emulator?.run(machine, [{ image, code, calls }]) ?? [];
      const data = done?.data ?? new Uint8Array(64);
      const words = [...new Int32Array(data.buffer, record, 8)];
      return {
        results: done?.results ?? [],
        words,
        hash: new BigUint64Array(data.buffer, 0, 2)[1],
      };
    });
  }

  /** A unit at the beginning of the image, and the record of the guard behind it. */
  function unitOf(image: Image, misdeeds: readonly Misdeed[], machine: Machine) {
    const unit = new EmulatedUnit(image, {
      kind: "fmi3",
      isSteady: false,
      endsStepOnEvent: false,
      misdeeds,
    });
    const block = image.allocate(64);
    int32s(block, 8).set([0, 0, 0, machine.home.mode, machine.home.control]);
    const times = image.allocate(32);
    float64s(times, 2).set([1.25, 0.5]);
    int32s({ ...times, offset: times.offset + 16 }, 1)[0] = 1;
    const args = [
      unit.handle,
      { at: times.address, kind: "double" },
      { at: times.address + 8, kind: "double" },
      { at: times.address + 16, kind: "int32" },
      ...[0, 1, 2, 8].map((offset) => unit.results + offset),
    ] as const;
    return { unit, record: block.offset, at: block.address, args };
  }

  it("[MC16] [NA109] pass their arguments, and the status comes back", () => {
    const [x64, arm64] = both((machine, image) => {
      const { record, at, args } = unitOf(
        image,
        [{ call: 2, status: 3, what: "nothing" }],
        machine,
      );
      const calls = [{ address: stubOf("fmi3DoStep"), args }];
      const { code, offsets } = preparedCode(calls, machine.home, at, machine.assembler());
      const runs = [0, 0, 0].map(() => ({ offset: offsets[0] ?? 0, argument: 0 }));
      return { code, calls: runs, record };
    });
    expect(arm64?.results.map((status) => BigInt.asIntN(32, status))).toEqual([0n, 3n, 0n]);
    expect(x64?.results.map((status) => BigInt.asIntN(32, status))).toEqual([0n, 3n, 0n]);
    expect(arm64?.hash).toBe(x64?.hash);
    expect(arm64?.hash).not.toBe(0n);
  });

  it("[MC16] [NA100] leave the floating-point state as it was, and note what was found", () => {
    const misdeeds = [{ call: 2, status: 0, what: "rounds upward" }] as const;
    for (const count of [1, 2, 3]) {
      const [x64, arm64] = both((machine, image) => {
        const { record, at, args } = unitOf(image, misdeeds, machine);
        const step = { address: stubOf("fmi3DoStep"), args };
        const status = image.allocate(16).address;
        const steps = Array.from({ length: count }, () => step);
        const code = sequenceCode(steps, status, machine.home, at, machine.assembler());
        return { code, calls: [{ offset: 0, argument: 0 }], record };
      });
      for (const done of [x64, arm64]) expect(done?.words[0]).toBe(count < 2 ? 0 : 2);
      expect(arm64?.results).toEqual([0n]);
      // Upward is 1 in bits 22 and 23 of FPCR.
      expect(arm64?.words[1]).toBe(count < 2 ? 0 : 0x400000);
      // The third step computes as the first did.
      expect(arm64?.hash).toBe(x64?.hash);
    }
  });

  it("[MC16] a sequence ends behind the call that is to be judged", () => {
    const ends = [
      [{ call: 2, status: 1, what: "nothing" }],
      [{ call: 3, status: 0, what: "early" }],
      [{ call: 1, status: 0, what: "terminate" }],
      [],
    ] as const;
    for (const misdeeds of ends) {
      const [x64, arm64] = both((machine, image) => {
        const { unit, at, args } = unitOf(image, misdeeds, machine);
        const status = image.allocate(16);
        const step = {
          address: stubOf("fmi3DoStep"),
          args,
          marker: { at: image.addressOf(unit.lastCall), id: 5 },
          flags: [unit.results + 1, unit.results + 2],
        };
        const code = sequenceCode(
          [step, step, step],
          status.address,
          machine.home,
          at,
          machine.assembler(),
        );
        return { code, calls: [{ offset: 0, argument: 0 }], record: status.offset };
      });
      expect(arm64).toEqual(x64);
      expect(arm64?.results).toEqual([BigInt(misdeeds[0]?.call ?? 0)]);
    }
  });

  it("[MC16] guarded functions get all arguments, those on the stack too", () => {
    const [x64, arm64] = both((machine, image) => {
      const { record, at } = unitOf(image, [], machine);
      const code = machine.assembler();
      const functions = [{ address: stubOf("manyArguments"), stackWords: 8 }];
      const { offsets } = entryCode(functions, machine.home, at, code);
      const offset = code.length;
      code
        .save([Reg.rbx])
        .constant(Reg.rdi, CODE + (offsets[0] ?? 0))
        .call(stubOf("withMany"));
      code.restore([Reg.rbx]).ret();
      return { code: code.code, calls: [{ offset, argument: 0 }], record };
    });
    expect(x64?.results[0]).toBeGreaterThan(1000n);
    expect(arm64?.results).toEqual(x64?.results);
  });
});

it.runIf(MISSING !== undefined)(`NOT TESTED: ARM64 code needs ${MISSING}`, (context) =>
  context.skip(),
);

function firstDifference(a: Uint8Array, b: Uint8Array): string | undefined {
  if (a.length !== b.length) return "another size";
  const [x, y] = [a, b].map((bytes) => new BigUint64Array(bytes.buffer, 0, bytes.length / 8));
  for (let i = 0; i < b.length / 8; i++)
    if (x?.[i] !== y?.[i])
      return `byte ${8 * i}: ${x?.[i]?.toString(16)}, not ${y?.[i]?.toString(16)}`;
  return undefined;
}
