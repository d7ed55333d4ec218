/**
 * Sleeping until a word of shared memory changes, across processes: Linux's futex, which Node
 * offers for its own threads only.
 */
import { cFunction, type NativeFunction } from "../native/libc.ts";
import { type Address, Arena } from "../native/native-memory.ts";

const SYSCALL =
  "long syscall(long number, int64_t address, int operation, int value, int64_t timeout, int64_t other, int last)";
const NUMBERS: Readonly<Record<string, number>> = { x64: 202, arm64: 98 };
const WAIT = 0;
const WAKE = 1;
const NANOSECONDS = 1e9;

export interface Futex {
  /** Sleeps while the word is `value`, at most so long; may come back for no reason. */
  wait(address: Address, value: number, seconds: number): void;
  wake(address: Address): void;
}

/** Whether units can have processes of their own here. */
export function refusalOfProcesses(platform: string, architecture: string): string | undefined {
  if (platform !== "linux") return `they are made for Linux, this is ${platform}`;
  if (NUMBERS[architecture] === undefined)
    return `they are made for x86-64 and ARM64, this is ${architecture}`;
  return undefined;
}

let made: Futex | undefined;

export function futex(): Futex {
  if (made !== undefined) return made;
  const number = NUMBERS[process.arch] ?? 0;
  const syscall: NativeFunction = cFunction(SYSCALL);
  const arena = new Arena();
  const block = arena.allocate(16);
  const time = new BigInt64Array(block.buffer, block.offset, 2);
  made = {
    wait(address, value, seconds) {
      const whole = Math.floor(seconds);
      time[0] = BigInt(whole);
      time[1] = BigInt(Math.floor((seconds - whole) * NANOSECONDS));
      syscall(number, address, WAIT, value, block.address, 0, 0);
    },
    wake: (address) => void syscall(number, address, WAKE, 1, 0, 0, 0),
  };
  return made;
}
