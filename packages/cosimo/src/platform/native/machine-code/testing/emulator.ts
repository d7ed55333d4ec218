/**
 * Runs generated code of every back end in processes of their own: x86-64 directly, ARM64 under an
 * emulator (qemu-user). Both begin with the same memory, at the same addresses, and call the same C
 * functions (emulator-harness.c), so what they leave can be compared byte by byte.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FloatState } from "../../float-state.ts";
import type { Address, Block } from "../../native-memory.ts";
import { Arm64Assembler } from "../arm64-assembler.ts";
import type { Assembler } from "../assembler.ts";
import { X64Assembler } from "../x64-assembler.ts";

/** As in emulator-harness.c. */
const DATA: Address = 0x200000000;
export const CODE: Address = 0x280000000;
const STUBS: Address = 0x300000000;

export interface Machine {
  readonly name: "x64" | "arm64";
  assembler(): Assembler;
  /** The floating-point state of a new process. */
  readonly home: FloatState;
}

export const X64: Machine = {
  name: "x64",
  assembler: () => new X64Assembler(),
  home: { mode: 0x1f80, control: 0x37f },
};
export const ARM64: Machine = {
  name: "arm64",
  assembler: () => new Arm64Assembler(),
  home: { mode: 0, control: 0 },
};

const COMPILERS = { x64: "cc", arm64: "aarch64-linux-gnu-gcc" } as const;
const EMULATOR = "qemu-aarch64";

/** What is missing for the tests, as packages of Debian; undefined: nothing. */
export const MISSING: string | undefined = missing();

function missing(): string | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return "Linux on x86-64";
  const lacks = (command: string): boolean =>
    spawnSync(command, ["--version"], { stdio: "ignore" }).status !== 0;
  const packages = [
    ...(lacks(EMULATOR) ? ["qemu-user"] : []),
    ...(lacks(COMPILERS.arm64) ? ["gcc-aarch64-linux-gnu"] : []),
    ...(lacks(COMPILERS.x64) ? ["gcc"] : []),
  ];
  return packages.length === 0 ? undefined : packages.join(" and ");
}

/** Memory as the code will find it. */
export class Image {
  readonly buffer: ArrayBuffer;
  private used = 0;

  constructor(bytes: number) {
    this.buffer = new ArrayBuffer(bytes);
  }

  /** As an arena does. */
  allocate(bytes: number): Block {
    const offset = this.used;
    this.used += Math.max(16, Math.ceil(bytes / 16) * 16);
    if (this.used > this.buffer.byteLength) throw new Error("test: the image is too small");
    return { address: DATA + offset, buffer: this.buffer, offset, bytes };
  }

  /** Where an array lies that is a view of it. */
  addressOf({ buffer, byteOffset }: ArrayBufferView): Address {
    if (buffer !== this.buffer) throw new Error("test: an array outside of the image");
    return DATA + byteOffset;
  }
}

/** The same for all back ends but for the code. */
export interface Job {
  readonly image: Image;
  readonly code: Uint8Array;
  /** Functions of one argument: where they begin in the code. */
  readonly calls: readonly { readonly offset: number; readonly argument: Address }[];
}

export interface Done {
  readonly results: readonly bigint[];
  readonly data: Uint8Array;
}

const names: string[] = [];

/** Where a C function of the harness is found. */
export function stubOf(name: string): Address {
  const known = names.indexOf(name);
  return STUBS + 16 * (known < 0 ? names.push(name) - 1 : known);
}

/** Compiles the harness for both machines. @returns what runs jobs, and what removes it. */
export function openEmulator(): {
  run(machine: Machine, jobs: readonly Job[]): Done[];
  close(): void;
} {
  const folder = mkdtempSync(join(tmpdir(), "cosimo-emulator-"));
  const source = join(import.meta.dirname, "emulator-harness.c");
  const flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off"];
  for (const machine of [X64, ARM64]) {
    const program = join(folder, machine.name);
    execFileSync(COMPILERS[machine.name], [...flags, "-static", source, "-o", program, "-lm"]);
  }
  return {
    run(machine, jobs) {
      const program = join(folder, machine.name);
      const command = machine.name === "x64" ? [program] : [EMULATOR, program];
      const { stdout, stderr, status, signal } = spawnSync(command[0] ?? "", command.slice(1), {
        input: inputOf(jobs),
        maxBuffer: 2 ** 30,
      });
      if (status !== 0) throw new Error(`${machine.name}: ${status ?? signal}: ${stderr}`);
      return outputOf(jobs, stdout);
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

function inputOf(jobs: readonly Job[]): Buffer {
  const text = Buffer.from(names.map((name) => `${name}\0`).join(""));
  return Buffer.concat([
    words(names.length, text.length),
    text,
    ...jobs.flatMap(({ image, code, calls }) => [
      words(DATA, image.buffer.byteLength, code.length, calls.length),
      new Uint8Array(image.buffer),
      code,
      ...calls.map(({ offset, argument }) => words(offset, argument)),
    ]),
  ]);
}

function words(...values: readonly number[]): Uint8Array {
  return new Uint8Array(BigUint64Array.from(values, BigInt).buffer);
}

function outputOf(jobs: readonly Job[], output: Buffer): Done[] {
  let at = 0;
  return jobs.map(({ image, calls }) => {
    const results = calls.map((_, i) => output.readBigInt64LE(at + 8 * i));
    at += 8 * calls.length;
    const data = Uint8Array.from(output.subarray(at, at + image.buffer.byteLength));
    at += image.buffer.byteLength;
    return { results, data };
  });
}
