/**
 * How threads wait for each other in machine code: a word counts upwards, somebody waits until it changes. Waiting is spinning
 * first, which is answered within a tenth of a microsecond, and sleeping after: a thread that has little to do must not
 * heat the processor for one that has much. Whoever changes the word wakes the other only if it said that it sleeps.
 *
 * Why nobody sleeps through a change: the sleeper says so, then looks again, then sleeps on the old value, which the kernel
 * compares once more; the other side changes the word first and looks for sleepers after. A fence on both sides keeps that order.
 */

import { type Assembler, If } from "../machine-code/assembler.ts";
import type { PlanMemory } from "../machine-code/plan-memory.ts";
import { MEMORY, type Program } from "../machine-code/program.ts";
import { Reg } from "../x64.ts";
import { Futex } from "./native-thread.ts";

const { rax, rcx, rdx, rsi, rdi } = Reg;

/** Some 50 to 200 µs, as processors differ in how long they pause. */
const SPINS = 4000;
/** Words that different threads change lie on different cache lines. */
const LINE_BYTES = 128;

/** A word of 32 bits that one side changes, and whether the other side sleeps on it. */
export interface Signal {
  readonly word: number;
  readonly sleeper: number;
}

export function makeSignal(memory: PlanMemory): Signal {
  const at = memory.reserve(2 * LINE_BYTES);
  return { word: at + LINE_BYTES / 2, sleeper: at + LINE_BYTES / 2 + 4 };
}

/** The word becomes the value of `reg`. */
export function emitSet({ code }: Program, signal: Signal, reg: number): void {
  code.store32(MEMORY, signal.word, reg);
}

/** After one or more `emitSet`: wakes those who sleep. Clobbers the registers of calls. */
export function emitWake(program: Program, signals: readonly Signal[]): void {
  const { code } = program;
  emitFence(code);
  for (const { word, sleeper } of signals) {
    const asleep = code.label();
    const awake = code.label();
    code.load32(rax, MEMORY, sleeper).test32(rax).jumpIf(If.notEqual, asleep).here(awake);
    program.behind(() => {
      code.here(asleep).address(rdi, MEMORY, word).small(rsi, Futex.wake).small(rdx, 1);
      emitFutex(code);
      code.jump(awake);
    });
  }
}

/** Waits until the word is no longer the value of `old`, a register that calls keep; rax has its new value then. */
export function emitWait(program: Program, { word, sleeper }: Signal, old: number): void {
  const { code } = program;
  const again = code.label();
  const spin = code.label();
  const asleep = code.label();
  const awake = code.label();
  const changed = code.label();
  code.here(again).small(rcx, SPINS);
  code.here(spin).load32(rax, MEMORY, word).compare(rax, old).jumpIf(If.notEqual, changed);
  code
    .raw(...PAUSE, ...DECREMENT_ECX)
    .jumpIf(If.notEqual, spin)
    .jump(asleep);
  code.here(changed);
  program.behind(() => {
    code.here(asleep).put32(MEMORY, sleeper, 1);
    emitFence(code);
    code.load32(rax, MEMORY, word).compare(rax, old).jumpIf(If.notEqual, awake);
    code.address(rdi, MEMORY, word).small(rsi, Futex.wait).move(rdx, old);
    emitFutex(code);
    code.here(awake).put32(MEMORY, sleeper, 0).jump(again);
  });
}

const PAUSE = [0xf3, 0x90];
const DECREMENT_ECX = [0xff, 0xc9];

function emitFence(code: Assembler): void {
  code.raw(0x0f, 0xae, 0xf0);
}

/** Without a time limit; clobbers rax, rcx, r10 and r11. */
function emitFutex(code: Assembler): void {
  code.raw(0x45, 0x31, 0xd2); // xor r10d, r10d
  code.small(rax, Futex.call).raw(0x0f, 0x05);
}
