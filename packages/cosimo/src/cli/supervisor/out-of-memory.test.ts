import { describe, expect, it } from "vitest";
import {
  isExplained,
  isOutOfMemory,
  memoryBound,
  outOfMemoryText,
  processorBound,
  uncaughtException,
} from "./out-of-memory.ts";

const said = (lastWords: string): { readonly lastWords: string } => ({ lastWords });
const GCS =
  "<--- Last few GCs --->\n\n[1:0x1] 10 ms: Mark-Compact\n\nFATAL ERROR: Committing semi space failed. Allocation failed - JavaScript heap out of memory\n";
const RESERVED = "#\n# Fatal process OOM in Failed to reserve virtual memory for CodeRange\n#\n";
const BAD_ALLOC =
  "terminate called after throwing an instance of 'std::bad_alloc'\n  what():  std::bad_alloc\n";
const OTHER = "terminate called after throwing an instance of 'int'\n";

describe("the last words of a worker", () => {
  it.each([GCS, RESERVED])("[CL24] say that there was no memory: %j", (words) => {
    expect(isOutOfMemory(said(words), true)).toBe(true);
    expect(isExplained(said(words))).toBe(true);
  });

  it("[CL24] of the C++ library are about memory only where no unit can have said them", () => {
    expect(isOutOfMemory(said(BAD_ALLOC), false)).toBe(true);
    expect(isOutOfMemory(said(BAD_ALLOC), true)).toBe(false);
    expect(isOutOfMemory(said(OTHER), false)).toBe(false);
    expect(isOutOfMemory(said(""), false)).toBe(false);
  });

  it("[CL24] name the exception", () => {
    expect(uncaughtException(said(BAD_ALLOC))).toMatch(/std::bad_alloc$/);
    expect(uncaughtException(said(OTHER))).toMatch(/: int$/);
    expect(uncaughtException(said(GCS))).toBeUndefined();
  });

  it("are printed where they explain nothing", () => {
    expect(isExplained(said("FATAL ERROR: v8::ToLocalChecked Empty MaybeLocal"))).toBe(false);
  });

  it("[CL24] come with the way in which the process ended", () => {
    expect(outOfMemoryText({ code: null, signal: "SIGTRAP" })).toMatch(/^SIGTRAP: .*no memory/);
    expect(outOfMemoryText({ code: 134, signal: null })).toMatch(/^exit code 134: .*no memory/);
  });
});

describe("a bound on memory", () => {
  const limits = (address: string): string =>
    `Limit Soft Limit Hard Limit Units\nMax address space         ${address}            bytes\n`;

  it("[CL24] that the command was started with is named, and no unit", () => {
    expect(memoryBound(limits("1073741824"))).toMatch(/'ulimit -v' bounds it to 1024 MiB/);
  });

  it("[CL24] that is none is not", () => {
    expect(memoryBound(limits("unlimited"))).toBeUndefined();
    expect(memoryBound("")).toBeUndefined();
  });
});

describe("a bound on processor time", () => {
  const limits = (seconds: string): string => `Max cpu time              ${seconds}   seconds\n`;

  it.each(["SIGKILL", "SIGXCPU"] as const)("[CL27] explains %s, and no unit does", (signal) => {
    expect(processorBound({ signal }, 100, limits("3"))).toMatch(/'ulimit -t' bounds it to 3 s/);
  });

  it("[CL27] does not explain other ends, nor those before the time can be used up", () => {
    expect(processorBound({ signal: "SIGSEGV" }, 100, limits("3"))).toBeUndefined();
    expect(processorBound({ signal: null }, 100, limits("3"))).toBeUndefined();
    expect(processorBound({ signal: "SIGKILL" }, 1, limits("100000"))).toBeUndefined();
    expect(processorBound({ signal: "SIGKILL" }, 100, limits("unlimited"))).toBeUndefined();
    expect(processorBound({ signal: "SIGKILL" }, 100, "")).toBeUndefined();
  });
});
