/**
 * The filter of system calls, run by a machine of our own: what it decides on both architectures.
 */
import { describe, expect, it } from "vitest";
import { syscallFilter } from "./seccomp.ts";
import { decide } from "./testing/run-filter.ts";

const ALLOW = 0x7fff0000;
const EPERM = 0x00050001;
const ENOSYS = 0x00050026;
const KILL = 0x80000000;

/** Numbers of the calls as the kernel's tables have them. */
const TABLES = {
  x64: {
    audit: 0xc000003e,
    read: 0,
    mmap: 9,
    futex: 202,
    ioctl: 16,
    clone: 56,
    socket: 41,
    kill: 62,
    mount: 165,
    execve: 59,
  },
  arm64: {
    audit: 0xc00000b7,
    read: 63,
    mmap: 222,
    futex: 98,
    ioctl: 29,
    clone: 220,
    socket: 198,
    kill: 129,
    mount: 40,
    execve: 221,
  },
};

describe.each(["x64", "arm64"] as const)("the filter for %s", (architecture) => {
  const { audit, ...calls } = TABLES[architecture];
  const filter = syscallFilter(architecture, { mayStartProgram: false })!;
  const of = (number: number, args: readonly number[] = []): number =>
    decide(filter, { architecture: audit, number, args });

  it("[IS20] lets units compute, and refuses sockets, signals, mounts and programs", () => {
    for (const name of ["read", "mmap", "futex"] as const)
      expect(of(calls[name]), name).toBe(ALLOW);
    for (const name of ["socket", "kill", "mount", "execve"] as const)
      expect(of(calls[name]), name).toBe(EPERM);
    const outer = syscallFilter(architecture, { mayStartProgram: true })!;
    expect(decide(outer, { architecture: audit, number: calls.execve })).toBe(ALLOW);
  });

  it("[IS20] lets threads be made, and no processes", () => {
    const threadFlags = 0x3d0f00;
    expect(of(calls.clone, [threadFlags])).toBe(ALLOW);
    expect(of(calls.clone, [17])).toBe(EPERM);
    expect(of(435)).toBe(ENOSYS);
  });

  it("[IS20] lets terminals be asked, and not typed into", () => {
    expect(of(calls.ioctl, [0, 0x5401])).toBe(ALLOW);
    expect(of(calls.ioctl, [0, 0x5412])).toBe(EPERM);
  });

  it("[IS20] ends a process that calls by another architecture's numbers", () => {
    expect(decide(filter, { architecture: 0x40000003, number: calls.read })).toBe(KILL);
    if (architecture === "x64") expect(of(0x40000000)).toBe(KILL);
  });
});

it("[IS20] there is no filter for an architecture whose numbers are not known", () => {
  expect(syscallFilter("mips", { mayStartProgram: false })).toBeUndefined();
});
