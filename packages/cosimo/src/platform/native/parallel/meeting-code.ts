/**
 * How threads wait for each other in machine code: a word counts upwards, and a thread waits until
 * it changes. Waiting is spinning first, which is answered within a tenth of a microsecond, and
 * sleeping after: a thread that has little to do must not heat the processor for one that has much.
 * The thread that changes the word wakes the other only if that one says that it sleeps.
 *
 * Why no thread sleeps through a change: the sleeper says so, then looks again, then sleeps on the
 * old value, which the kernel compares once more; the other side changes the word first and looks
 * for sleepers after. A fence on both sides keeps that order.
 */

import { If, Reg } from "../machine-code/assembler.ts";
import type { PlanMemory } from "../machine-code/plan-memory.ts";
import { MEMORY, type Program } from "../machine-code/program.ts";
import { Futex } from "./native-thread.ts";

const { rax, rcx, rdx, rsi, rdi } = Reg;

/**
 * Some 200 to 700 µs, as processors differ in how long they pause: being woken takes a good part of
 * 100 µs.
 */
const SPINS = 16_000;
/**
 * On a machine that has more to do than it has cores spinning keeps the other side from running. So
 * a thread that spun in vain spins half as long the next time, but never less than this, and tries
 * as long as at first once in so many sleeps.
 */
const FEWEST_SPINS = 16;
const RETRY = 64;
/** Words that different threads change lie on different cache lines. */
const LINE_BYTES = 128;

/**
 * A word of 32 bits that one side changes, and what the other side, which waits for that, keeps
 * about itself.
 */
export interface Signal {
  readonly word: number;
  /** 1 while it sleeps. */
  readonly sleeper: number;
  /** How long it spins less than at first, and how often it slept. */
  readonly impatience: number;
  readonly sleeps: number;
}

export function makeSignal(memory: PlanMemory): Signal {
  const at = memory.reserve(3 * LINE_BYTES) + LINE_BYTES / 2;
  const own = at + LINE_BYTES;
  return { word: at, sleeper: at + 4, impatience: own, sleeps: own + 4 };
}

/** The word becomes the value of `reg`. */
export function emitSet({ code }: Program, signal: Signal, reg: number): void {
  code.publish32(MEMORY, signal.word, reg);
}

/** After one or more `emitSet`: wakes those who sleep. Clobbers the registers of calls. */
export function emitWake(program: Program, signals: readonly Signal[]): void {
  const { code } = program;
  code.fence();
  for (const { word, sleeper } of signals) {
    const asleep = code.label();
    const awake = code.label();
    code.load32(rax, MEMORY, sleeper).test32(rax).jumpIf(If.notEqual, asleep).here(awake);
    program.behind(() => {
      code.here(asleep).address(rdi, MEMORY, word).small(rsi, Futex.wake).small(rdx, 1);
      code.futex().jump(awake);
    });
  }
}

/**
 * Waits until the word is no longer the value of `old`, a register that calls keep; rax has its new
 * value then.
 */
export function emitWait(program: Program, signal: Signal, old: number): void {
  const { word, sleeper, impatience, sleeps } = signal;
  const { code } = program;
  const again = code.label();
  const spin = code.label();
  const asleep = code.label();
  const awake = code.label();
  const changed = code.label();
  code.here(again).small(rcx, SPINS).load32(rax, MEMORY, impatience).subtract32(rcx, rax);
  code.here(spin).observe32(rax, MEMORY, word).compare(rax, old).jumpIf(If.notEqual, changed);
  code.pause().decrement32(rcx).jumpIf(If.notEqual, spin).jump(asleep);
  code.here(changed);
  program.behind(() => {
    const patient = code.label();
    code.here(asleep).load32(rax, MEMORY, sleeps).increment(rax).store32(MEMORY, sleeps, rax);
    code
      .small(rdx, 0)
      .testBits(RETRY - 1)
      .jumpIf(If.equal, patient);
    // Half of the spins that are left are given up: impatience += (most - impatience) / 2.
    code.load32(rdx, MEMORY, impatience).small(rax, SPINS - FEWEST_SPINS);
    code.add32(rdx, rax).halve32(rdx);
    code.here(patient).store32(MEMORY, impatience, rdx).put32(MEMORY, sleeper, 1);
    code.fence().observe32(rax, MEMORY, word).compare(rax, old).jumpIf(If.notEqual, awake);
    code.address(rdi, MEMORY, word).small(rsi, Futex.wait).move(rdx, old);
    code.futex().here(awake).put32(MEMORY, sleeper, 0).jump(again);
  });
}
