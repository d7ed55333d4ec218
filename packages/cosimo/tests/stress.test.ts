/**
 * The stress test's own judge must be able to fail: commands that hang, lie, lose rows or print
 * stack traces are shown to it, and it must notice each. The rules are in docs/spec/stress.md; the
 * attacks themselves are `npm run stress`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { folderOfFile } from "../src/platform/node/testing/folders.ts";

interface Breach {
  readonly rule: string;
  readonly detail: string;
}
interface Seen {
  code: number | null;
  signal: string | null;
  timedOut: boolean;
  seconds: number;
  stdout: string;
  stderr: string;
  leftovers: string[];
}
interface Random {
  next(): number;
  below(n: number): number;
}
interface Way {
  readonly order: string;
  readonly ends: string;
  readonly versions?: readonly number[];
  readonly how?: readonly string[];
}

const ROOT = join(import.meta.dirname, "..", "..", "..");
const load = <T>(name: string): Promise<T> =>
  import(pathToFileURL(join(ROOT, "scripts", "stress", name)).href) as Promise<T>;

const { judgeCommand, judgeRows, judgeBlame } = await load<{
  judgeCommand(seen: Seen, options?: object): Breach[];
  judgeRows(text: string | undefined, reference: string, expected: object): Breach[];
  judgeBlame(stderr: string, expected: object): Breach[];
}>("judge.mjs");
const { runCommand, slowness } = await load<{
  runCommand(folder: string, args: string[], options: object): Promise<Seen>;
  slowness(): number;
}>("command.mjs");
const { judgeDisk } = await load<{
  judgeDisk(seen: Seen, text: string | undefined, reference: string): Breach[];
}>("disks.mjs");
const { judgeContinued } = await load<{
  judgeContinued(text: string | undefined, reference: string): Breach[];
}>("kills.mjs");
const { judgeWay, misdeedCases } = await load<{
  judgeWay(way: object, how: string, seen: Seen, text: string, reference: string): Breach[];
  misdeedCases(work: string): { name: string }[];
}>("misdeeds.mjs");
const { mutateText, mutateBytes } = await load<{
  mutateText(text: string, random: Random): string;
  mutateBytes(bytes: Uint8Array, random: Random): Uint8Array;
}>("mutate.mjs");
const { randomFrom } = await load<{ randomFrom(seed: number, ...words: unknown[]): Random }>(
  "random.mjs",
);
const { WAYS } = await load<{ WAYS: Record<string, Way> }>("ways.mjs");

const work = folderOfFile("stress-test");

const rules = (found: readonly Breach[]): string[] => found.map(({ rule }) => rule);
const REFERENCE = '"time","x"\n0,1\n0.1,2\n0.2,3\n0.30000000000000004,4\n';
const SOUND: Seen = {
  code: 0,
  signal: null,
  timedOut: false,
  seconds: 1,
  stdout: "",
  stderr: "",
  leftovers: [],
};

let commands = 0;
/** Runs a program of a few lines in place of the command. */
async function pretend(script: string, boundMs = 20_000): Promise<Seen> {
  const folder = join(work, `command-${commands++}`);
  mkdirSync(folder);
  return runCommand(folder, [], { program: [process.execPath, "-e", script], boundMs });
}

describe("the judge of commands", () => {
  it("has nothing against a command that behaves", async () => {
    const seen = await pretend("console.error('m.fmu: cannot be read'); process.exitCode = 1");
    expect(judgeCommand(seen)).toEqual([]);
  });

  it.each([
    ["process.exitCode = 9"],
    ["process.kill(process.pid, 'SIGTERM'); setTimeout(() => {}, 1e5)"],
    ["process.abort()"],
  ])("[SX1] notices an end that is not documented: %s", async (script) => {
    expect(rules(judgeCommand(await pretend(script)))).toContain("code");
  });

  it("[SX1] notices an exit code that does not belong to the ending", () => {
    expect(rules(judgeCommand(SOUND, { codes: [3] }))).toEqual(["code"]);
  });

  it("[SX2] notices a command that hangs, and ends it with its children", async () => {
    const script =
      "require('child_process').spawn('sleep', ['60'], { stdio: 'inherit' }); setTimeout(() => {}, 1e5)";
    const before = slowness();
    const seen = await pretend(script, 500);
    expect(rules(judgeCommand(seen))).toEqual(["hang"]);
    expect(seen.seconds).toBeLessThan(15 * before);
  }, 60_000);

  it("[SX2] does not wait for processes that a command left behind", async () => {
    const script =
      "require('child_process').spawn('sleep', ['20'], { stdio: 'inherit', detached: true }).unref()";
    const seen = await pretend(script, 15_000);
    expect(judgeCommand(seen)).toEqual([]);
  });

  it.each([
    ["throw new Error('oh')"],
    ["Promise.reject(new TypeError('oh'))"],
    ["console.error(new RangeError('Maximum call stack size exceeded').stack)"],
  ])("[SX3] notices a stack trace: %s", async (script) => {
    expect(rules(judgeCommand(await pretend(script)))).toContain("trace");
  });

  it("[SX3] notices internal errors and endless reports", () => {
    const internal = { ...SOUND, code: 1, stderr: "cosimo: internal: opcode 0 at op 7" };
    expect(rules(judgeCommand(internal))).toEqual(["internal"]);
    const endless = { ...SOUND, code: 1, stderr: "a.sa:1 error\n".repeat(50_000) };
    expect(rules(judgeCommand(endless))).toEqual(["length"]);
  });

  it("[SX4] notices what is left in the temporary folder", async () => {
    const script = "require('fs').writeFileSync(process.env.TMPDIR + '/left', '')";
    expect(rules(judgeCommand(await pretend(script)))).toEqual(["leftovers"]);
  });

  it("[SX5] notices control characters", async () => {
    const seen = await pretend("console.error('bad: [warning] \\u001b[2J')");
    expect(rules(judgeCommand(seen))).toEqual(["escape"]);
    expect(judgeCommand(seen, { prints: true })).toEqual([]);
  });
});

describe("the judge of rows", () => {
  const whole = { rows: "all" };

  it("[SX6] has nothing against the rows of the reference, or as many as there must be", () => {
    expect(judgeRows(REFERENCE, REFERENCE, whole)).toEqual([]);
    const beginning = REFERENCE.split("\n").slice(0, 3).join("\n");
    expect(judgeRows(`${beginning}\n`, REFERENCE, { rows: 2 })).toEqual([]);
    expect(judgeRows(undefined, REFERENCE, { rows: "some" })).toEqual([]);
  });

  it.each([
    ["a row less", REFERENCE.replace("0.1,2\n", ""), whole],
    ["the last row", REFERENCE.replace("0.30000000000000004,4\n", ""), whole],
    ["a row twice", REFERENCE.replace("0.1,2\n", "0.1,2\n0.1,2\n"), whole],
    ["a jump back", `${REFERENCE}0.1,2\n`, whole],
    ["a row too many", `${REFERENCE}0.4,5\n`, { rows: "some" }],
    ["the last bit of a value", REFERENCE.replace("0.2,3", "0.2,3.0000000000000004"), whole],
    ["the last bit of a time", REFERENCE.replace("0.30000000000000004", "0.3"), whole],
    ["half a line", REFERENCE.slice(0, -3), { rows: "some" }],
    ["another header", REFERENCE.replace('"x"', '"y"'), whole],
    ["no row at all", '"time","x"\n', { rows: "begun" }],
    ["no file", undefined, { rows: 2 }],
  ])("[SX6] notices %s", (_, text, expected) => {
    expect(rules(judgeRows(text, REFERENCE, expected))).toEqual(["rows"]);
  });
});

describe("the judge of blame", () => {
  const bad = { unit: "bad", others: ["before", "after"], call: /DoStep/ };

  it("[SX7] wants the unit and the call", () => {
    expect(judgeBlame("'bad' failed at t=1: fmi2DoStep ended with SIGSEGV", bad)).toEqual([]);
    expect(rules(judgeBlame("cosimo: the run failed", bad))).toEqual(["silent"]);
    expect(rules(judgeBlame("'bad' failed at t=1", bad))).toEqual(["silent"]);
    expect(rules(judgeBlame("'after' failed: fmi2DoStep; the log of bad", bad))).toEqual(["blame"]);
  });

  it("[SX7] accepts that on threads all who were at work are named", () => {
    const both = "'after' failed at t=1: fmi2DoStep ended with SIGSEGV; 'bad' ran at the same time";
    expect(judgeBlame(both, bad)).toEqual([]);
  });

  it("[SX7] accepts that all are named where nobody can know, and only then", () => {
    const all = "'before' or 'bad' or 'after' failed at t=1: fmi2DoStep, after it had closed files";
    expect(judgeBlame(all, bad)).toEqual([]);
    const healthy = "bad: [warning]\n'before' or 'after' failed at t=1: fmi2DoStep";
    expect(rules(judgeBlame(healthy, bad))).toContain("blame");
  });

  it("[SX7] holds whole runs to it: a healthy unit blamed, a failure that passes for success", () => {
    const way = { ends: "failed", rows: 2, call: /DoStep/ };
    const rows = REFERENCE.split("\n").slice(0, 3).join("\n").concat("\n");
    const failed = { ...SOUND, code: 3, stderr: "'bad' failed at t=0.1: fmi2DoStep" };
    expect(judgeWay(way, "threads", failed, rows, REFERENCE)).toEqual([]);
    const wrong = { ...failed, stderr: "'before' failed at t=0.1: fmi2DoStep" };
    expect(rules(judgeWay(way, "threads", wrong, rows, REFERENCE))).toContain("blame");
    expect(rules(judgeWay(way, "threads", SOUND, REFERENCE, REFERENCE))).toContain("code");
  });

  it("[SX9] notices a unit that is blamed for a full disk, and a disk that is not named", () => {
    const failed = { ...SOUND, code: 3 };
    const judge = (stderr: string): string[] =>
      rules(judgeDisk({ ...failed, stderr }, undefined, REFERENCE));
    expect(judge("cosimo: no space left on the disk of out.csv")).toEqual([]);
    expect(judge("'one' failed at t=1: the run ended with SIGBUS")).toEqual(["blame"]);
    expect(judge("cosimo: the run failed")).toEqual(["silent"]);
  });
});

describe("the attacks", () => {
  it("[SX13] are sixty ways or more, on both versions and all executors", () => {
    const names = Object.keys(WAYS);
    expect(names.length).toBeGreaterThanOrEqual(60);
    expect(new Set(Object.values(WAYS).map(({ order }) => order)).size).toBeGreaterThan(100);
    const everywhere = Object.values(WAYS).filter(({ versions, how }) => !versions && !how);
    expect(everywhere.length).toBeGreaterThanOrEqual(60);
    expect(misdeedCases(work).length).toBeGreaterThan(800);
  });

  it("[SX11] come again from the same seed, and differ for another", () => {
    const text = readFileSync(join(ROOT, "fixtures", "scenarios", "two-rates.yaml"), "utf8");
    const damaged = (seed: number): string => mutateText(text, randomFrom(seed, "scenarios", 7));
    expect(damaged(1)).toBe(damaged(1));
    expect(damaged(1)).not.toBe(damaged(2));
    const bytes = (seed: number): Uint8Array =>
      mutateBytes(new TextEncoder().encode(text), randomFrom(seed, "archives", 7));
    expect(bytes(1)).toEqual(bytes(1));
  });

  it("[SX10] on readers notice one that throws, and one that refuses without a word", () => {
    const folder = mkdtempSync(join(work, "readers-"));
    const module = `export const READERS = { lying: {
      corpus: () => ["a"], mutate: (text) => text,
      read: (_, { number }) => { throw new Error("oh"); },
    }, silent: {
      corpus: () => ["a"], mutate: (text) => text, read: () => [{ diagnostics: [] }],
    } };`;
    for (const name of ["read-damaged.mjs", "judge.mjs", "random.mjs"])
      writeFileSync(join(folder, name), readFileSync(join(ROOT, "scripts", "stress", name)));
    writeFileSync(join(folder, "readers.mjs"), module);
    const found = (kind: string): string[] => {
      const at = mkdtempSync(join(folder, "run-"));
      const child = spawnSync(process.execPath, [
        join(folder, "read-damaged.mjs"),
        ...[kind, "1", "0", "2", at],
      ]);
      expect(child.status, child.stderr.toString()).toBe(0);
      return readFileSync(join(at, "findings.txt"), "utf8")
        .trim()
        .split("\n")
        .map((line) => (JSON.parse(line) as Breach).rule);
    };
    expect(found("lying")).toEqual(["trace", "trace"]);
    expect(found("silent")).toEqual(["silent", "silent"]);
  });

  it("[SX14] take turns, so that all classes come about as far whenever the time is over", async () => {
    interface Class {
      readonly name: string;
      readonly queue: number[];
      readonly total: number;
    }
    const { furthestBehind } = await load<{ furthestBehind(of: Class[]): Class | undefined }>(
      "turns.mjs",
    );
    const classes = [3, 10, 100].map((total) => ({
      name: `${total}`,
      queue: Array<number>(total).fill(0),
      total,
    }));
    for (let begun = 0; begun < 56; begun++) furthestBehind(classes)?.queue.shift();
    for (const { queue, total } of classes)
      expect(Math.abs(total - queue.length - total / 2)).toBeLessThanOrEqual(1);
    for (const each of classes.slice(1)) each.queue.length = 0;
    expect(furthestBehind(classes)?.name).toBe("3");
    classes[0]!.queue.length = 0;
    expect(furthestBehind(classes)).toBeUndefined();
  });

  it("[SX14] give up at the bound what is under way, and count it as not run", () => {
    const script = join(ROOT, "scripts", "stress.mjs");
    const began = performance.now();
    // Ten seconds are left for cleaning up, so that there is no time for anything.
    const args = [script, "--seed", "1", "--minutes", "0.18"];
    const { stdout } = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(performance.now() - began).toBeLessThan(60_000);
    expect(stdout).toContain("\n0 violations, seed 1");
    expect(stdout).toMatch(/\| misdeeds \| 0 \(\d+ not run\) \| 0 \| 0 \| – \|/);
  }, 60_000);

  it("[SX15] know how slow the machine is", () => {
    expect(slowness()).toBeGreaterThanOrEqual(1);
    expect(slowness()).toBeGreaterThanOrEqual(loadavg()[0]! / availableParallelism() / 2);
  });

  it("[SX12] fail when no case was run", () => {
    const script = join(ROOT, "scripts", "stress.mjs");
    const args = [script, "--only", "no such case", "--minutes", "0.1"];
    const child = spawnSync(process.execPath, args, { encoding: "utf8" });
    expect(child.status).toBe(1);
    expect(child.stdout).toContain("| class | cases | ok | broken | by rule |");
  });

  it("[SX8] on continued runs notice a byte that differs, and a file that is not there", () => {
    expect(judgeContinued(REFERENCE, REFERENCE)).toEqual([]);
    expect(rules(judgeContinued(REFERENCE.replace("0.1,2", "0.1,2.0"), REFERENCE))).toEqual([
      "resume",
    ]);
    expect(rules(judgeContinued(`${REFERENCE}0.4,5\n`, REFERENCE))).toEqual(["resume"]);
    expect(rules(judgeContinued(undefined, REFERENCE))).toEqual(["resume"]);
  });

  it("[SX12] succeed where the command keeps its promises: an FMU that crashes between two others", () => {
    expect(existsSync(join(ROOT, "packages", "cosimo", "dist", "cli", "main.js"))).toBe(true);
    const script = join(ROOT, "scripts", "stress.mjs");
    const args = ["--seed", "1", "--only", "misdeeds/null pointer, FMI 2, interpreter"];
    const child = spawnSync(process.execPath, [script, ...args], { encoding: "utf8" });
    expect(child.stdout).toContain("| misdeeds | 1 | 1 | 0 | – |");
    expect(child.status).toBe(0);
  }, 60_000);
});
