/**
 * The back ends of the emitter against each other, operation by operation: the same instructions
 * asked of both leave the same memory. ARM64 runs under an emulator; no ARM machine takes part.
 */
import { createHash } from "node:crypto";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { cases } from "../../../base/testing/cases.ts";
import { Arm64Assembler } from "./arm64-assembler.ts";
import { type Assembler, If, Reg } from "./assembler.ts";
import {
  ARM64,
  Image,
  type Job,
  type Machine,
  MISSING,
  openEmulator,
  stubOf,
  X64,
} from "./testing/emulator.ts";
import { X64Assembler } from "./x64-assembler.ts";

const { rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r12, r13, r14 } = Reg;
const SAVED = [rbp, rbx, r12, r13, r14];
const MEMORY = r13;
/** In the image: numbers, room for results near and far. */
const BYTES = 2 ** 20;
const MIDDLE = 2 ** 19;
const FAR = 300_000;
const SEED = 18_033;
const CASES = cases(2000);

const NUMBERS = [
  0,
  -0,
  1,
  -1,
  0.5,
  1.5,
  -2.75,
  1e-310,
  3e9,
  -3e9,
  2 ** 53 + 2,
  2 ** 62,
  2 ** 63,
  -(2 ** 63),
  1e300,
  -1e300,
];
const SPECIAL = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
const GENERAL = [rax, rcx, rdx, rbx, rsi, rdi, r8, r9, r12, r14, rbp];
const LOW = [rax, rcx, rdx, rbx];
const WIRES = ["i8", "u8", "i16", "u16", "i32", "u32", "i64"] as const;

/** An operation on doubles and integers that lie in memory, with results in memory. */
interface Operation {
  readonly text: string;
  readonly emit: (code: Assembler, out: number) => void;
}

const real = fc.oneof(fc.constantFrom(...NUMBERS, ...SPECIAL), fc.double());
const number = fc.oneof(
  fc.constantFrom(...NUMBERS),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);
const integer = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  fc.bigInt({ min: -300n, max: 300n }),
);
const place = fc.oneof(
  fc.integer({ min: -256, max: 255 }),
  fc.integer({ min: -4200, max: 4200 }),
  fc.integer({ min: 4000, max: 40_000 }),
  fc.integer({ min: -FAR, max: FAR }),
);

describe.runIf(MISSING === undefined)("the ARM64 back end under an emulator", () => {
  const emulator = MISSING === undefined ? openEmulator() : undefined;
  afterAll(() => emulator?.close());

  /**
   * Runs functions of one argument, each on an image of its own, and expects the same memory and
   * the same results.
   */
  function expectSame(
    makers: readonly ((code: Assembler, image: Image) => { calls: Job["calls"] })[],
    more: { readonly arm64?: () => Assembler; readonly bytes?: number } = {},
  ): void {
    const run = (machine: Machine) =>
      emulator?.run(
        machine,
        makers.map((make) => {
          const image = new Image(more.bytes ?? BYTES);
          const code =
            machine === ARM64 ? (more.arm64?.() ?? machine.assembler()) : machine.assembler();
          const { calls } = make(code, image);
          return { image, code: code.code, calls };
        }),
      );
    const [x64, arm64] = [run(X64), run(ARM64)];
    expect(x64).toHaveLength(makers.length);
    for (const [i, done] of (x64 ?? []).entries()) {
      expect(arm64?.[i].results, `results of case ${i}`).toEqual(done.results);
      expect(firstDifference(arm64?.[i].data, done.data), `case ${i}`).toBeUndefined();
    }
  }

  /** One function that does all operations, with the numbers it needs in memory. */
  function all(operations: readonly Operation[]) {
    return (code: Assembler, image: Image) => {
      const { address } = image.allocate(BYTES);
      code.save(SAVED).move(MEMORY, rdi);
      for (const [i, { emit }] of operations.entries()) emit(code, -MIDDLE + 4096 + 32 * i);
      code.small(rax, operations.length).restore(SAVED).ret();
      return { calls: [{ offset: 0, argument: address + MIDDLE }] };
    };
  }

  const putDouble = (code: Assembler, x: number, value: number): void => {
    const [low, high] = new Uint32Array(Float64Array.of(value).buffer);
    code
      .put32(MEMORY, 0, low | 0)
      .put32(MEMORY, 4, high | 0)
      .loadDouble(x, MEMORY, 0);
  };
  const putInteger = (code: Assembler, reg: number, value: bigint): void => {
    const word = BigInt.asUintN(64, value);
    code
      .put32(MEMORY, 8, Number(word & 0xffffffffn) | 0)
      .put32(MEMORY, 12, Number(word >> 32n) | 0);
    code.load(reg, MEMORY, 8);
  };

  function check(operation: fc.Arbitrary<Operation>, count = CASES): void {
    expectSame([all(fc.sample(operation, { seed: SEED, numRuns: count }))]);
  }

  it("[MC16] arithmetic rounds every operation by itself", () => {
    const operations = ["add", "subtract", "multiply", "divide"] as const;
    const inMemory = ["addMemory", "multiplyMemory", "divideMemory"] as const;
    check(
      fc
        .tuple(
          fc.constantFrom(...operations),
          fc.constantFrom(...inMemory),
          number,
          number,
          number,
          place,
        )
        .map(
          ([first, second, a, b, c, at]): Operation => ({
            text: `${first} ${second}`,
            emit(code, out) {
              putDouble(code, 1, c);
              code.storeDouble(MEMORY, at - (at % 8) - 64, 1);
              putDouble(code, 2, a);
              putDouble(code, 7, b);
              code[first](2, 7)
                [second](2, MEMORY, at - (at % 8) - 64)
                .storeDouble(MEMORY, out, 2);
            },
          }),
        ),
    );
    // The positive control: a product and a sum that fused would give another number.
    const [x, y] = [1 + 2 ** -30, -(1 + 2 ** -29)];
    expect(x * x + y).toBe(0);
  });

  it("[MC16] numbers are converted as x86-64 does it", () => {
    check(
      fc.tuple(real, integer, fc.constantFrom(...GENERAL), fc.constantFrom(0, 3, 7)).map(
        ([value, whole, reg, x]): Operation => ({
          text: `${value} ${whole}`,
          emit(code, out) {
            putDouble(code, x, value);
            code.toInteger(reg, x).store(MEMORY, out, reg);
            putInteger(code, reg, whole);
            code.fromInteger(x, reg).storeDouble(MEMORY, out + 8, x);
            code
              .fromBits(x, reg)
              .absolute(x, MEMORY, mask(code))
              .storeDouble(MEMORY, out + 16, x);
            if (Number.isNaN(value)) return;
            putDouble(code, x, value);
            code.storeFloat(MEMORY, out + 24, x).loadFloat(x, MEMORY, out + 24);
            code.storeDouble(MEMORY, out + 24, x);
          },
        }),
      ),
    );
  });

  /** Where the mask is that x86-64 wants. */
  function mask(code: Assembler): number {
    const at = -MIDDLE + 64;
    for (const word of [0, 8])
      code.put32(MEMORY, at + word, -1).put32(MEMORY, at + word + 4, 0x7fffffff);
    return at;
  }

  it("[MC16] C integers are loaded and stored at any distance", () => {
    check(
      fc
        .tuple(
          fc.constantFrom(...WIRES),
          integer,
          place,
          fc.constantFrom(...LOW),
          fc.constantFrom(...GENERAL),
        )
        .map(
          ([wire, value, at, from, to]): Operation => ({
            text: `${wire} ${value} ${at}`,
            emit(code, out) {
              putInteger(code, from, value);
              code.store(MEMORY, at + 16, from).storeInteger(wire, MEMORY, at + 16, from);
              code.loadInteger(wire, to, MEMORY, at + 16).store(MEMORY, out, to);
              code
                .address(to, MEMORY, at)
                .load32(to, to, 16)
                .store(MEMORY, out + 8, to);
            },
          }),
        ),
    );
  });

  it("[MC16] integers are computed with", () => {
    check(
      fc
        .tuple(
          integer,
          integer,
          fc.integer({ min: -5000, max: 5000 }),
          fc.integer({ min: 1, max: 1e6 }),
          fc.integer({ min: 0, max: 63 }),
        )
        .map(
          ([a, b, constant, divisor, bits]): Operation => ({
            text: `${a} ${b}`,
            emit(code, out) {
              putInteger(code, rsi, a);
              putInteger(code, rdx, b);
              code
                .or(rsi, rdx)
                .double(rsi)
                .addConstant(rsi, constant)
                .shiftLeft(rsi, bits)
                .increment(rsi);
              code.store(MEMORY, out, rsi);
              putInteger(code, r14, a);
              code.remainder(r14, divisor).store(MEMORY, out + 8, rdx);
              code.constant(r12, 2 ** 32 * divisor + bits).store(MEMORY, out + 16, r12);
              putInteger(code, rcx, a);
              putInteger(code, rax, b);
              code
                .add32(rcx, rax)
                .subtract32(rcx, rcx)
                .add32(rcx, rax)
                .halve32(rcx)
                .decrement32(rcx);
              code.store32(MEMORY, out + 24, rcx);
            },
          }),
        ),
    );
  });

  it("[MC16] jumps are taken on the same conditions", () => {
    const AFTER_DOUBLES = [If.below, If.aboveOrEqual, If.belowOrEqual, If.above, If.unordered];
    const AFTER_INTEGERS = [
      If.below,
      If.aboveOrEqual,
      If.equal,
      If.notEqual,
      If.belowOrEqual,
      If.above,
      If.negative,
      If.notNegative,
      If.lessOrEqual,
    ];
    const taken = (code: Assembler, condition: number, out: number): void => {
      const over = code.label();
      code.put32(MEMORY, out, 1).jumpIf(condition, over).put32(MEMORY, out, 2).here(over);
    };
    check(
      fc
        .tuple(
          real,
          real,
          fc.boolean(),
          integer,
          integer,
          fc.integer({ min: -5000, max: 5000 }),
          fc.nat(),
        )
        .map(([a, second, isSame, m, n, small, pick]): Operation => {
          const b = isSame ? a : second;
          return {
            text: `${a} ${b}`,
            emit(code, out) {
              const bothNumbers = !Number.isNaN(a) && !Number.isNaN(b);
              const more = bothNumbers ? [If.equal, If.notEqual] : [];
              const [d, i] = [[...AFTER_DOUBLES, ...more], AFTER_INTEGERS];
              putDouble(code, 0, a);
              putDouble(code, 1, b);
              // Moves in between leave conditions alone.
              code.compareDoubles(0, 1).copyDouble(5, 0).load(rdx, MEMORY, FAR);
              taken(code, d[pick % d.length], out);
              putInteger(code, rbx, m);
              putInteger(code, rbp, isSame ? m : n);
              taken(code.compare(rbx, rbp), i[pick % i.length], out + 4);
              taken(code.compare32(rbx, small), i[pick % i.length], out + 8);
              taken(
                code.test(rbp),
                [If.equal, If.negative, If.notNegative, If.lessOrEqual][pick % 4],
                out + 12,
              );
              code.move(rcx, rbp);
              taken(code.test32(rcx), [If.equal, If.notEqual][pick % 2], out + 16);
              taken(code.testLowByte(rcx), [If.equal, If.notEqual][pick % 2], out + 20);
              code.move(rax, rbp).store(MEMORY, out + 24, rax);
              taken(code.testMemory(MEMORY, out + 24), If.equal, out + 24);
              taken(code.testByte(MEMORY, out + 26).move(rax, rbx), If.equal, out + 24);
              taken(code.testBits(63), If.equal, out + 28);
            },
          };
        }),
    );
  });

  it("[MC16] words are copied, counted for several threads, published and seen", () => {
    check(
      fc.tuple(fc.integer({ min: 1, max: 40 }), place, integer).map(
        ([words, at, value]): Operation => ({
          text: `${words}`,
          emit(code, out) {
            putInteger(code, rbx, value);
            const near = at - (at % 8) + 64;
            code.store(MEMORY, near, rbx).incrementShared(MEMORY, near);
            code
              .address(rsi, MEMORY, near)
              .address(rdi, MEMORY, MIDDLE - 4096)
              .copyWords(words);
            code.publish32(MEMORY, out, rbx).fence().observe32(rcx, MEMORY, out).pause();
            code
              .store(MEMORY, out + 8, rcx)
              .load(rax, MEMORY, near)
              .store(MEMORY, out + 16, rax);
          },
        }),
      ),
      50,
    );
  });

  it("[MC16] a larger of two numbers is found", () => {
    check(
      fc
        .tuple(number, number)
        .filter(([a, b]) => a !== b || a !== 0)
        .map(
          ([a, b]): Operation => ({
            text: `${a} ${b}`,
            emit(code, out) {
              putDouble(code, 3, a);
              putDouble(code, 4, b);
              code
                .maximum(3, 4)
                .storeDouble(MEMORY, out, 3)
                .zero(3)
                .storeDouble(MEMORY, out + 8, 3);
            },
          }),
        ),
      50,
    );
  });

  it("[MC16] functions keep the registers of their callers, and arguments arrive", () => {
    expectSame(
      [
        (code, image) => {
          const { address } = image.allocate(4096);
          code.save(SAVED).move(MEMORY, rdi).small(rax, 77).move(rbx, rax).move(r14, rax);
          // fmi2DoStep(instance, time, size, flag): doubles and integers are counted separately.
          code.move(rdi, MEMORY).small(rsi, 1).small(rax, 0);
          putDouble(code, 0, 1.25);
          putDouble(code, 1, 0.5);
          code.move(rdi, MEMORY).call(stubOf("fmi2DoStep"));
          code.store(MEMORY, 3000, rbx).store(MEMORY, 3008, r14).store32(MEMORY, 3016, rax);
          code
            .constant(rax, 2 ** 40 + 5)
            .restore(SAVED)
            .ret();
          return { calls: [{ offset: 0, argument: address }] };
        },
      ],
      { bytes: 8192 },
    );
  });

  it("[MC16] conditional jumps reach any place, over islands if they must", () => {
    const far = (code: Assembler, image: Image) => {
      const { address } = image.allocate(BYTES);
      code.save(SAVED).move(MEMORY, rdi).small(rax, 0).move(r12, rax);
      const [ends, back] = [Array.from({ length: 60 }, () => code.label()), code.label()];
      code.small(rbx, 0).here(back);
      for (const [i, end] of ends.entries()) {
        code.move(rcx, rbx).compare32(rcx, i).jumpIf(If.equal, end);
        for (let k = 0; k < 20; k++) code.increment(r12);
      }
      for (const [i, end] of ends.entries()) {
        code
          .store(MEMORY, 8 * ends.length, r12)
          .small(rax, i)
          .jump(back);
        code
          .here(end)
          .move(rax, rbx)
          .store(MEMORY, 8 * i, rax)
          .increment(rbx);
        code.move(rcx, rbx).compare32(rcx, ends.length).jumpIf(If.notEqual, back);
        code.restore(SAVED).ret();
      }
      return { calls: [{ offset: 0, argument: address }] };
    };
    for (const reach of [200, 333, 2 ** 18])
      expectSame([far], { arm64: () => new Arm64Assembler(reach) });
    const near = new Arm64Assembler();
    const long = new Arm64Assembler(200);
    far(near, new Image(BYTES));
    far(long, new Image(BYTES));
    expect(long.length).toBeGreaterThan(near.length);
  });
});

describe("the x86-64 back end", () => {
  it("[MC16] writes the bytes that it wrote before there was another one", () => {
    const code = new X64Assembler();
    const label = code.label();
    code.save(SAVED).here(label).jump(label);
    for (const condition of Object.values(If)) code.jumpIf(condition, label);
    code
      .skipIf(If.equal, (skipped) => skipped.small(rax, 1))
      .jumpTo(rdi)
      .jumpToMemory(rdi, -80);
    code.enterFrame().copyStackWords(3).call(0x123456789abc).callMemory(MEMORY, -72);
    code.loadSeventhArgument(rax).leaveFrame();
    for (const reg of GENERAL) {
      code
        .move(reg, MEMORY)
        .constant(reg, 77)
        .constant(reg, 2 ** 40)
        .store(reg, 8, reg);
      code.store32(reg, 200, reg).load(reg, reg, -8).load32(reg, reg, -200).address(reg, reg, 4000);
      code.increment(reg).addConstant(reg, -3).compare(reg, r14).compare32(reg, 5).test(reg);
      code.fromBits(1, reg).fromInteger(2, reg).toInteger(reg, 3).remainder(reg, 7);
      for (const wire of WIRES) code.loadInteger(wire, reg, MEMORY, 24);
    }
    for (const reg of LOW) {
      for (const wire of WIRES) code.storeInteger(wire, MEMORY, 24, reg);
      code.double(reg).shiftLeft(reg, 32).or(reg, rdi).test32(reg).testLowByte(reg).small(reg, 9);
      code.decrement32(reg).add32(reg, rdx).subtract32(reg, rdx).halve32(reg);
    }
    for (const x of [0, 3, 7]) {
      code.loadDouble(x, MEMORY, 8).storeDouble(MEMORY, 8, x).loadFloat(x, MEMORY, 8);
      code.storeFloat(MEMORY, 8, x).zero(x).copyDouble(x, 5).add(x, 5).subtract(x, 5);
      code.multiply(x, 5).divide(x, 5).addMemory(x, rax, 0).multiplyMemory(x, rax, 0);
      code.divideMemory(x, rax, 0).absolute(x, MEMORY, 128).maximum(x, 5).compareDoubles(x, 5);
    }
    const home = { mode: 0x1f80, control: 0x37f };
    code.put32(MEMORY, 0, -1).testBits(63).testMemory(MEMORY, 16).testByte(rdx, 1).copyWords(9);
    code.compareState(home).storeState(rdx, 4).putBackState(rdx, 4, 12).setState(MEMORY, 8);
    code
      .setStateToArguments()
      .keepState(home, MEMORY, -88, 200, label)
      .incrementShared(MEMORY, -96);
    code.publish32(MEMORY, 64, rax).observe32(rax, MEMORY, 64).fence().pause().futex();
    code.restore(SAVED).ret();
    expect(createHash("sha256").update(code.code).digest("hex")).toBe(
      "a6c42c7266b33b15fedf72c846a8f760be6723406c3df41feca88c95f37c143b",
    );
  });
});

describe("without an emulator", () => {
  it.runIf(MISSING !== undefined)(`NOT TESTED: the ARM64 back end needs ${MISSING}`, (context) =>
    context.skip(),
  );

  it("[MC16] a jump that goes nowhere is a bug", () => {
    const code = new Arm64Assembler();
    code.jump(code.label());
    expect(() => code.code).toThrow(/nowhere/);
  });
});

/** Numbers that are NaN on both sides are the same: their bits are the processor's own affair. */
function firstDifference(a: Uint8Array | undefined, b: Uint8Array): string | undefined {
  if (a === undefined || a.length !== b.length) return "another size";
  const words = [a, b].map((bytes) => new BigUint64Array(bytes.buffer, 0, bytes.length / 8));
  const doubles = [a, b].map((bytes) => new Float64Array(bytes.buffer, 0, bytes.length / 8));
  for (let i = 0; i < b.length / 8; i++) {
    if (words[0][i] === words[1][i]) continue;
    if (doubles.every((list) => Number.isNaN(list[i]))) continue;
    return `byte ${8 * i}: ${words[0][i].toString(16)}, not ${words[1][i].toString(16)}`;
  }
  return undefined;
}
