/**
 * What an FMU does to its run and its process, one case a class of what `npm run stress` has found:
 * fixtures/fmus/Saboteur does as it is told by a file among its resources. Every other way is in
 * scripts/stress/ways.mjs.
 */
import { spawn, spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { unzipSync, zipSync } from "fflate";
import { afterEach, describe, expect, it } from "vitest";
import { unreapedEnd } from "../../src/platform/process/process-end.ts";
import { type Ended, fixture, numbersOf, Workplace } from "./cosimo.ts";

const place = new Workplace();

afterEach(() => {
  expect(place.leftovers(), "[CL6] temporary folders").toEqual([]);
});

/** An FMU that does `order`: what, in which call, the how-manieth one. */
function saboteur(version: number, order: string): string {
  const entries = unzipSync(readFileSync(fixture(`fmi${version}/Saboteur`)));
  const ordered = { "resources/saboteur.txt": new TextEncoder().encode(`${order}\n`) };
  const fmu = place.path("bad.fmu");
  writeFileSync(fmu, zipSync({ ...entries, ...ordered }, { level: 1 }));
  return fmu;
}

/** Between two healthy units. */
function neighbours(version: number, order: string): string {
  const heavy = fixture(`fmi${version}/Heavy`);
  return place.write(
    "neighbours.yaml",
    `units:
  before: { fmu: ${heavy}, set: { work: 2000 } }
  bad: ${saboteur(version, order)}
  after: { fmu: ${heavy}, set: { work: 2000 } }
connections: [before.x -> bad.u, bad.x -> after.u]
experiment: { stop: 0.5, step: 0.01 }
master: jacobi
`,
  );
}

const rows = (file: string, column: string): number[] => numbersOf(place.trace(file), column);

describe("a unit that", { timeout: 60_000 }, () => {
  it.each([2, 3])(
    "[SX7] as FMI %s gives no instance the first time is refused, whatever it gives when it is asked why",
    async (version) => {
      const ended = await place.run(
        "run",
        neighbours(version, "null instantiate 1"),
        "-o",
        "o.csv",
      );
      expect(ended.code).toBe(3);
      expect(ended.stderr).toMatch(/'bad' .*fmi[23]Instantiate\w* returned NULL/);
    },
  );

  it.each([
    [2, []],
    [3, ["--threads", "2"]],
  ])(
    "[NA106] as FMI %s closes all files is named, and no unit alone that cannot",
    async (version, options) => {
      const scenario = neighbours(version, "close-from:3 doStep 10");
      const text = readFileSync(scenario, "utf8").replace("stop: 0.5", "stop: 20");
      writeFileSync(scenario, text);
      const ended: Ended = await place.run("run", scenario, ...options);
      expect(ended.code).toBe(3);
      // Node may give up in a thread of its own before the next check, while a neighbour is in a
      // call.
      expect(ended.stderr).toMatch(
        /'bad'( or '(before|after)')? failed at .* closed or replaced files/,
      );
    },
  );

  it.each([
    [2, "segv", [], "SIGSEGV"],
    [3, "exit:0", ["--threads", "2"], "exit code 0"],
    [2, "spin", ["--timeout", "8"], "no answer within --timeout"],
  ])(
    "[NA105] as FMI %s does '%s' while it is loaded is named",
    async (version, deed, options, how) => {
      const scenario = neighbours(version, `${deed} load 1`);
      const ended: Ended = await place.run("run", scenario, ...options);
      expect(ended.code).toBe(3);
      expect(ended.stderr).toContain(`'bad' failed at t=0: loading its library ended with ${how}`);
    },
  );

  it.each([["interpreter"], ["machine-code"]])(
    "[NA104] answers 'pending' out of nowhere fails there, on %s, with the rows before it",
    async (executor) => {
      const scenario = neighbours(2, "status:5 doStep 10");
      const options = ["--executor", executor, "-o", "pending.csv"];
      const ended = await place.run("run", scenario, ...options);
      expect(ended.code).toBe(3);
      expect(ended.stderr).toMatch(/'bad' failed at t=0.09: fmi2DoStep returned fmi2Pending/);
      expect(rows("pending.csv", "bad.x")).toHaveLength(10);
    },
  );

  it("[CL21] says a hundred thousand things is quoted with fifty of them, and all with --debug", async () => {
    const fmu = saboteur(3, "log-often:2000 doStep 3");
    const times = ["--stop", "0.1", "--step", "0.01"];
    const quiet = await place.run("run", fmu, ...times);
    expect(quiet.code).toBe(0);
    const lines = quiet.stderr.trim().split("\n");
    expect(lines).toHaveLength(51);
    expect(lines.at(-1)).toBe(
      "… and 1,950 more messages of 'Saboteur'; --debug prints all of them",
    );
    const whole = await place.run("run", fmu, ...times, "--debug");
    expect(whole.stderr.split("\n").length).toBeGreaterThan(2000);
  });

  it("[CL22] removes the files of its own run has it fail, not cancelled", async () => {
    const mark = join(place.temp, "saboteur-may-empty-this");
    writeFileSync(mark, "");
    neighbours(3, "empty-temporary doStep 10");
    // Long enough for the worker to look whether it is still wanted.
    const text = place.read("neighbours.yaml").replaceAll("work: 2000", "work: 1000000");
    const ended = await place.run("run", place.write("slow.yaml", text), "-o", "emptied.csv");
    rmSync(mark, { force: true });
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("the temporary files of the run are gone");
  });

  describe.each([2, 3])("as FMI %s", (version) => {
    it.each([["interpreter"], ["machine-code"], ["alone"]])(
      "[NA107] discards its steps at their very end takes them whole (%s)",
      async (how) => {
        const traces: string[] = [];
        for (const order of ["discard-end doStep 9999", "discard-end", "discard-end-rounded"]) {
          const scenario = neighbours(
            version,
            order.includes(" ") ? order : `${order} doStep 5 on`,
          );
          const options = ["-o", "whole.csv", "--step", "0.01", "--stop", "0.5"];
          const ended =
            how === "alone"
              ? await place.run("run", place.path("bad.fmu"), ...options)
              : await place.run("run", scenario, "--executor", how, ...options);
          expect(ended.code, ended.stderr).toBe(0);
          traces.push(place.read("whole.csv"));
        }
        expect(traces[0]!.split("\n").length).toBe(53);
        expect(traces[1]).toBe(traces[0]);
        expect(traces[2]).toBe(traces[0]);
      },
    );
  });

  it.each([
    ["interpreter", [], /^cosimo: 'bad' failed at .*: the run ended with .*no memory left/],
    ["machine-code", ["--debug"], /FATAL ERROR[\s\S]*cosimo: 'bad' failed at .*no memory left/],
  ])("[CL24] leaves its process no memory is named, on %s %j", async (executor, more, said) => {
    const scenario = neighbours(2, "limit-memory doStep 10");
    const text = readFileSync(scenario, "utf8").replace("stop: 0.5", "stop: 200");
    writeFileSync(scenario, text);
    const ended = await place.run("run", scenario, "-q", "--executor", executor, ...more);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(said);
    if (more.length === 0) expect(ended.stderr.trim().split("\n")).toHaveLength(1);
  });

  it.each([2, 3])("[CL23] asks to be traced, as FMI %s on a thread, ends", async (version) => {
    const scenario = neighbours(version, "ptrace doStep 20");
    const ended = await place.run("run", scenario, "--threads", "2", "-o", "traced.csv");
    expect(ended.code).toBe(0);
    expect(rows("traced.csv", "bad.x")).toHaveLength(51);
  });
});

const TRACED = `#include <pthread.h>
#include <stdlib.h>
#include <sys/ptrace.h>
static void *trace(void *unused) { ptrace(PTRACE_TRACEME, 0, 0, 0); return unused; }
int main(int count, char **arguments) {
  pthread_t thread;
  pthread_create(&thread, 0, trace, 0);
  pthread_join(thread, 0);
  if (count > 2) abort();
  return atoi(arguments[1]);
}
`;

describe.runIf(process.platform === "linux")("a process that nobody can wait for", () => {
  const program = place.path("traced");
  const source = place.write("traced.c", TRACED);
  const built = spawnSync(process.env["CC"] ?? "cc", [source, "-pthread", "-o", program]);

  it.each([
    [["7"], { code: 7, signal: null }],
    [["7", "abort"], { code: null, signal: "SIGABRT" }],
  ])("[CL23] is seen to have ended: %j", async (args, end) => {
    expect(built.status).toBe(0);
    const child = spawn(program, args, { stdio: "ignore" });
    let isTold = false;
    child.on("exit", () => {
      isTold = true;
    });
    await expect.poll(() => unreapedEnd(child.pid!), { timeout: 20_000 }).toEqual(end);
    await sleep(200);
    expect(isTold).toBe(false);
    expect(unreapedEnd(process.pid)).toBeUndefined();
    child.unref();
  });
});
