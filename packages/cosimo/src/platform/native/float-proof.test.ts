/**
 * Libraries whose code shows that they leave the floating-point state alone, and what machine code
 * makes of it. Rules: docs/spec/machine-code.md.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { readElfCode } from "./elf.ts";
import { floatGuard } from "./float-guard.ts";
import { isSteady, isSteadyCode, MOST_CODE_BYTES } from "./float-proof.ts";
import { takeChange } from "./float-state.ts";
import { runOn } from "./machine-code/testing/both-executors.ts";
import { NativeUnit } from "./native-unit.ts";
import { binaryOf } from "./open-native-unit.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();
const isHere = process.platform === "linux" && process.arch === "x64";

const bytes = (text: string): Uint8Array =>
  Uint8Array.from(text.split(" ").map((byte) => Number.parseInt(byte, 16)));
/** ldmxcsr [rax], and what it would be inside another instruction. */
const LDMXCSR = "0f ae 10";

describe("instructions that change the floating-point state", () => {
  it.each([
    ["ldmxcsr", LDMXCSR],
    ["ldmxcsr [r13 + 8]", "41 0f ae 55 08"],
    ["vldmxcsr", "c5 f8 ae 10"],
    ["fxrstor", "0f ae 08"],
    ["fxrstor64", "48 0f ae 08"],
    ["xrstor", "0f ae 28"],
    ["xrstors", "0f c7 18"],
    ["fldcw", "d9 6c 24 0e"],
    ["fldenv", "d9 20"],
    ["fnstenv, which masks exceptions", "d9 30"],
    ["frstor", "dd 20"],
    ["fnsave", "dd 30"],
    ["fninit", "db e3"],
    ["finit", "9b db e3"],
    ["syscall", "0f 05"],
    ["sysenter", "0f 34"],
    ["int 80", "cd 80"],
    ["fld", "d9 00"],
    ["fld1", "d9 e8"],
    ["fld of a double", "dd 00"],
    ["fstp of a double", "dd 18"],
    ["fucomi", "db e8"],
    ["movq to MMX", "0f 6f 00"],
    ["pxor of MMX", "0f ef c0"],
    ["pshufb of MMX", "0f 38 00 c0"],
    ["palignr of MMX", "0f 3a 0f c0 11"],
    ["cvtpi2pd, whose operand is MMX", "66 0f 2a c0"],
    ["movdq2q", "f2 0f d6 c0"],
  ])("[MC15] %s is found", (_, text) => {
    expect(isSteadyCode(bytes(text))).toBe(false);
    expect(isSteadyCode(bytes(`90 ${text} c3`))).toBe(false);
  });

  it.each([
    ["stmxcsr", "0f ae 18"],
    ["sfence", "0f ae f8"],
    ["lfence", "0f ae e8"],
    ["clflush", "0f ae 38"],
    ["cmpxchg8b", "0f c7 08"],
    ["fnstcw", "d9 38"],
    ["fnstsw", "dd 38"],
    ["fnstsw ax", "df e0"],
    ["emms", "0f 77"],
    ["pxor of vectors", "66 0f ef c0"],
    ["vpxor", "c5 f9 ef c0"],
    ["cvtsi2sd", "f2 48 0f 2a c0"],
    ["movq of vectors", "66 0f d6 00"],
    ["movd from a vector", "66 0f 7e c0"],
    ["fnclex, flags alone", "db e2"],
  ])("[MC15] %s is none of them", (_, text) => {
    expect(isSteadyCode(bytes(text))).toBe(true);
  });

  it("[MC15] bytes that are not an instruction prove nothing", () => {
    expect(isSteadyCode(bytes("90 06 90"))).toBe(false);
    expect(isSteadyCode(bytes("c4 e0 77 00"))).toBe(false);
    // The instruction goes on behind the end.
    expect(isSteadyCode(bytes("e8 00 00"))).toBe(false);
    expect(isSteadyCode(bytes("48 c7"))).toBe(false);
  });
});

/**
 * One of each kind of operands; the immediate value or displacement at the end is as long as the
 * number of `11` says.
 */
const ENCODINGS: readonly string[] = [
  "90",
  "c3",
  "55",
  "01 c8", // add eax, ecx
  "04 11", // add al, imm8
  "05 11 11 11 11", // add eax, imm32
  "66 05 11 11", // add ax, imm16
  "66 48 05 11 11 11 11", // 66 does not count beside REX.W
  "63 04 25 11 11 11 11", // SIB without a base
  "8b 05 11 11 11 11", // relative to rip
  "8b 40 11",
  "8b 80 11 11 11 11",
  "8b 44 24 11",
  "8b 84 24 11 11 11 11",
  "8b 04 24",
  "8b 00",
  "68 11 11 11 11",
  "6a 11",
  "69 c0 11 11 11 11",
  "6b c0 11",
  "74 11",
  "80 38 11",
  "81 38 11 11 11 11",
  "66 81 38 11 11",
  "83 c0 11",
  "a1 11 11 11 11 11 11 11 11", // mov eax, [address]
  "67 a1 11 11 11 11",
  "a8 11",
  "b0 11",
  "b8 11 11 11 11",
  "48 b8 11 11 11 11 11 11 11 11",
  "66 b8 11 11",
  "c1 e0 11",
  "c2 11 11",
  "c6 00 11",
  "c7 00 11 11 11 11",
  "c8 11 11 11",
  "e8 11 11 11 11",
  "66 e8 11 11 11 11", // calls keep 32 bits
  "eb 11",
  "f6 c0 11", // test
  "f6 d0", // not
  "f7 c0 11 11 11 11",
  "f7 d0",
  "ff d0",
  "f3 0f 1e fa", // endbr64
  "0f 0b",
  "0f 84 11 11 11 11",
  "0f a2",
  "0f c8",
  "66 0f 70 c0 11",
  "0f ba e0 11",
  "f2 0f 10 44 24 11",
  "66 0f 38 00 c0",
  "66 0f 3a 0f c0 11",
  "64 48 8b 04 25 11 11 11 11",
  "2e 66 0f 1f 84 00 11 11 11 11",
  "f0 48 0f c1 00",
  "c5 f8 77", // vzeroupper
  "c5 fb 10 44 24 11",
  "c4 e2 79 18 40 11",
  "c4 e3 79 0f c0 11",
  "62 f1 7c 48 28 40 11",
  "62 f3 7d 48 25 c0 11",
  "62 f5 7c 48 58 c0",
];

describe("the lengths of instructions", () => {
  it.each(ENCODINGS)("[MC15] %s ends where the next one begins", (text) => {
    expect(isSteadyCode(bytes(text))).toBe(true);
    expect(isSteadyCode(bytes(`${text} ${LDMXCSR}`))).toBe(false);
    expect(isSteadyCode(bytes(`${text} c3`))).toBe(true);
    // A byte too many or too few would show here: the last one of the padding would be read as a
    // call that is cut off.
    expect(isSteadyCode(bytes(`${text} b8 90 90 90 90`))).toBe(true);
    expect(isSteadyCode(bytes(`${text} b8 90 90 90`))).toBe(false);
  });

  it("[MC15] what looks like one inside an immediate value is not one", () => {
    expect(isSteadyCode(bytes(`b8 ${LDMXCSR} 00 c3`))).toBe(true);
    expect(isSteadyCode(bytes(`e8 ${LDMXCSR} 00 c3`))).toBe(true);
    expect(isSteadyCode(bytes("48 89 dd 66 90 c3"))).toBe(true);
  });
});

describe.skipIf(!isHere)("steady libraries", () => {
  const fileOf = async (name: string): Promise<string> => binaryOf(await fixture(name)).file;

  it.each(VERSIONS)(
    "[MC15] %s fixtures that only compute are steady, culprits are not",
    async (version) => {
      for (const name of ["Dahlquist", "BouncingBall", "Feedthrough"])
        expect(isSteady(await fileOf(`${version}/${name}`)), name).toBe(true);
      for (const name of ["FlushesOnLoad", "RoundsInStep", "RoundsWhenMade", "ReducesPrecision"])
        expect(isSteady(await fileOf(`gotchas/${version}/${name}`)), name).toBe(false);
    },
  );

  it("[MC15] a library that cannot be read is not", async () => {
    const { folder } = await fixture("fmi2/Dahlquist");
    expect(isSteady(join(folder, "modelDescription.xml"))).toBe(false);
    expect(isSteady(join(folder, "missing.so"))).toBe(false);
  });

  const PT_LOAD = 1;
  const PT_GNU_STACK = 0x6474e551;
  const programHeader = (library: Buffer, kind: number, flags: number): number => {
    const count = library.readUInt16LE(56);
    const at = Array.from(
      { length: count },
      (_, i) => Number(library.readBigUInt64LE(32)) + 56 * i,
    );
    return at.find(
      (p) => library.readUInt32LE(p) === kind && library.readUInt32LE(p + 4) === flags,
    )!;
  };

  it.each([
    [
      "an executable stack",
      (l: Buffer) => l.writeUInt32LE(7, programHeader(l, PT_GNU_STACK, 6) + 4),
    ],
    ["writable code", (l: Buffer) => l.writeUInt32LE(7, programHeader(l, PT_LOAD, 5) + 4)],
    ["no section headers", (l: Buffer) => l.writeUInt16LE(0, 60)],
  ])("[MC15] one with %s is not", async (_, damage) => {
    const file = await fileOf("fmi2/Dahlquist");
    const library = readFileSync(file);
    const copy = `${file}.other`;
    writeFileSync(copy, library);
    expect(isSteady(copy)).toBe(true);
    damage(library);
    writeFileSync(`${file}.damaged`, library);
    expect(isSteady(`${file}.damaged`)).toBe(false);
  });

  it.each(["syscall", "dlopen", "mmap"])("[MC15] one that imports %s is not", async (name) => {
    const file = await fileOf("fmi2/Dahlquist");
    const library = readFileSync(file);
    // In the table of names, over that of another function.
    const at = library.indexOf("\0strncmp\0") + 1;
    expect(at).toBeGreaterThan(0);
    library.write(name.slice(0, 7).padEnd(7, "\0"), at, "latin1");
    writeFileSync(`${file}.imports`, library);
    expect(isSteady(`${file}.imports`)).toBe(false);
  });

  it.each([
    [0, true],
    [1, false],
  ])("[MC15] %i bytes of code beyond the limit: it is steady: %s", async (more, expected) => {
    const file = await fileOf("fmi2/Dahlquist");
    const library = readFileSync(file);
    const { sections } = readElfCode(file)!;
    const missing = MOST_CODE_BYTES + more - sections.reduce((sum, { length }) => sum + length, 0);
    // The last section, which is not loaded, becomes one of code that does nothing.
    const [table, size, count] = [
      Number(library.readBigUInt64LE(40)),
      library.readUInt16LE(58),
      library.readUInt16LE(60),
    ];
    const last = table + size * (count - 1);
    library.writeUInt32LE(1, last + 4); // SHT_PROGBITS
    library.writeBigUInt64LE(4n, last + 8); // SHF_EXECINSTR
    library.writeBigUInt64LE(BigInt(library.length), last + 24);
    library.writeBigUInt64LE(BigInt(missing), last + 32);
    writeFileSync(`${file}.long`, Buffer.concat([library, Buffer.alloc(missing, 0x90)]));
    expect(isSteady(`${file}.long`)).toBe(expected);
  });

  it("[MC15] all sections of code are read", async () => {
    const { sections } = readElfCode(await fileOf("fmi2/Dahlquist"))!;
    // .init, .plt, .plt.got, .text, .fini
    expect(sections.length).toBeGreaterThanOrEqual(3);
    expect(sections.every(isSteadyCode)).toBe(true);
  });
});

describe.skipIf(!isHere)("machine code for steady FMUs", () => {
  const ring = async (culprit: string) => ({
    units: [{ fmu: await fixture(culprit) }, { fmu: await fixture("fmi2/Dahlquist") }],
    wires: [],
    step: 0.1,
    ticks: 40,
    chunk: 10,
  });

  /** As if the code of every library said that it leaves the state alone. */
  function takeAllForSteady(): { restore: () => void } {
    const { machineAccess } = NativeUnit.prototype;
    const spy = vi.spyOn(NativeUnit.prototype, "machineAccess").mockImplementation(function (
      this: NativeUnit<never>,
    ) {
      return { ...machineAccess.call(this), isSteady: () => true };
    });
    return { restore: () => spy.mockRestore() };
  }

  it("[MC15] has no instructions for the state after their calls", async () => {
    const coupling = await ring("fmi2/Dahlquist");
    const { machineCode, rows } = await runOn("machine-code", coupling);
    const interpreted = await runOn("interpreter", coupling);
    expect(rows).toEqual(interpreted.rows);
    const guarded = await runOn("machine-code", await ring("gotchas/fmi2/RoundsInStep"));
    expect(machineCode!.codeBytes).toBeLessThan(guarded.machineCode!.codeBytes);
  });

  it("[MC15] a state that is another at the end of a chunk ends the run and is set right", async () => {
    const all = takeAllForSteady();
    try {
      const { end } = await runOn("machine-code", await ring("gotchas/fmi2/RoundsInStep"));
      expect(JSON.stringify(end)).toMatch(/floating-point state was changed.*'u0' or 'u1'/);
    } finally {
      all.restore();
    }
    const guard = floatGuard();
    guard.check();
    expect(takeChange(guard)).toBeUndefined();
  });
});
