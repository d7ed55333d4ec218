/**
 * FMUs that crash, hang, print and give up, and people who press Ctrl-C: the command survives, says
 * what happened and keeps what was recorded.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, it } from "vitest";
import { makeZip } from "../../src/fmi/testing/zip-builder.ts";
import { fixture, numbersOf, pressCtrlC, type Running, Workplace } from "./cosimo.ts";

const place = new Workplace();
const misbehaving = (version: number): string => fixture(`fmi${version}/Misbehaving`);

afterEach(() => {
  expect(place.leftovers(), "[CL6] temporary folders").toEqual([]);
});

/** Starts a run whose FMU hangs in its fifth step, and waits until it does. */
async function hanging(...options: string[]): Promise<Running> {
  const calls = `calls-${Math.floor(performance.now() * 1000)}.txt`;
  const set = ["--set", "behaviour=hang", "--log-calls", calls];
  const running = place.start("run", misbehaving(2), ...set, ...options);
  // After the fifth row nothing but the step that never ends follows.
  await until(() => existsSync(place.path(calls)) && place.read(calls).includes("[steps], {4}"));
  return running;
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

const recorded = (file: string): number[] => numbersOf(place.trace(file), "x");
const FIVE_ROWS = [0, 0.1, 0.2, 0.30000000000000004, 0.4];

describe("an FMU that", () => {
  it.each([
    [2, "segfault", "SIGSEGV (the FMU touched memory that is not its own)"],
    [3, "segfault", "SIGSEGV (the FMU touched memory that is not its own)"],
    [2, "abort", "SIGABRT"],
    [3, "abort", "SIGABRT"],
    [2, "error", "returned fmi2Error"],
    [3, "error", "returned fmi3Error"],
    [2, "fatal", "returned fmi2Fatal"],
    [3, "fatal", "returned fmi3Fatal"],
  ])(
    "[CL4] as FMI %s does '%s' is named, and its rows are kept",
    async (version, behaviour, how) => {
      const out = `${behaviour}-${version}.csv`;
      const set = ["--set", `behaviour=${behaviour}`];
      const ended = await place.run("run", misbehaving(version), ...set, "-o", out);
      expect(ended.code).toBe(3);
      expect(ended.stderr).toContain(`'Misbehaving' failed at t=0.4: fmi${version}DoStep`);
      expect(ended.stderr).toContain(how);
      expect(ended.stdout).toContain(out);
      expect(recorded(out)).toEqual(FIVE_ROWS);
    },
  );

  it("[NA94] lacks a function that its steps need is named in one line, and its rows are kept", async () => {
    const scenario = place.write(
      "no-slopes.yaml",
      `units:
  left: ${fixture("gotchas/fmi2/NoInputDerivatives")}
  right: ${fixture("fmi2/MassSpringDamperRight")}
connections: [right.F_c -> left.F_e]
experiment: { stop: 1 s, step: 100 ms }
master: gauss-seidel
`,
    );
    for (const executor of ["interpreter", "machine-code"]) {
      const out = `no-slopes-${executor}.csv`;
      const ended = await place.run("run", scenario, "--executor", executor, "-o", out);
      expect(ended.code).toBe(3);
      const lines = ended.stderr.split("\n").filter((line) => line.includes("left"));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(/'left' failed at t=0.*not export fmi2SetRealInputDerivatives/);
      expect(ended.stderr).not.toMatch(/^\s+at /m);
      expect(numbersOf(place.trace(out), "left.x_1")).toHaveLength(1);
    }
  });

  it("[CL4] hangs is ended by --timeout, with the call it was in", async () => {
    const set = ["--set", "behaviour=hang", "--timeout", "8"];
    const ended = await place.run("run", misbehaving(3), ...set, "-o", "timeout.csv");
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("fmi3DoStep ended with no answer within --timeout");
    expect(recorded("timeout.csv")).toEqual(FIVE_ROWS);
  });

  it("[CL10] is sound and only too slow for --timeout is not blamed", async () => {
    const steps = ["--stop", "1e6", "--step", "0.01", "--realtime=100", "--timeout", "2"];
    const ended = await place.run("run", fixture("fmi2/Dahlquist"), ...steps, "-o", "slow.csv");
    expect(ended.code).toBe(3);
    expect(ended.stderr).toMatch(
      /^cosimo: stopped at t=[\d.]+, when the time allowed by --timeout/,
    );
    expect(recorded("slow.csv").length).toBeGreaterThan(1);
  });

  it("[CL10] was not even loaded when --timeout was over is a failed run all the same", async () => {
    const ended = await place.run(
      "run",
      fixture("fmi2/Dahlquist"),
      "--stop",
      "1e6",
      "--step",
      "0.001",
      "--timeout",
      "0.001",
    );
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("when the time allowed by --timeout was over");
    expect(ended.stderr).not.toContain("internal");
  });

  it("[CL4] misbehaves before the first step is named with the initialization call", async () => {
    const set = ["--set", "behaviour=segfault", "--set", "at=-1"];
    const ended = await place.run("run", misbehaving(2), ...set);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("fmi2ExitInitializationMode ended with SIGSEGV");
  });

  it.each([0, 7])("[CL4] ends the process with exit(%i) is a failed run", async (code) => {
    const fmu = place.edited("fmi2/Dahlquist", (xml) => xml);
    const source = place.write("exit.c", EXITING.replace("CODE", String(code)));
    const binary = join(fmu, "binaries", readdirSync(join(fmu, "binaries"))[0]!, "Dahlquist.so");
    const built = spawnSync(process.env["CC"] ?? "cc", ["-shared", "-fPIC", source, "-o", binary]);
    expect(built.status).toBe(0);
    const ended = await place.run("run", fmu);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain(`exit code ${code} (the FMU ended its process)`);
    const checked = await place.run("validate", fmu, "--run");
    expect(checked.code).toBe(1);
    expect(checked.stdout).toContain("binary-crashed");
  });

  it("[CL4] refuses to be instantiated is a failed run with its own words", async () => {
    const fmu = place.edited("fmi2/Dahlquist", (xml) =>
      xml.replace(/guid="[^"]*"/, 'guid="other"'),
    );
    const ended = await place.run("run", fmu);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("fmi2Instantiate");
  });

  it("[RU7] asks to end the simulation ends it, and that is not a failure", async () => {
    const ended = await place.run("run", misbehaving(3), "--set", "behaviour=terminate");
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toContain("'Misbehaving' ended the simulation at t=0.45");
  });

  it("warns is heard on standard error while it runs on", async () => {
    const ended = await place.run("run", misbehaving(2), "--set", "behaviour=warn");
    expect(ended.code).toBe(0);
    expect(ended.stderr).toBe(
      "Misbehaving: [warning] logStatusWarning: warned as asked at t=0.4: 100 of 100%\n",
    );
  });

  it("[CL6] hides a way out of its folder is refused, and nothing is written", async () => {
    const archive = place.path("hostile.fmu");
    writeFileSync(archive, makeZip([{ name: "../../escaped", data: "out" }]));
    const before = readdirSync(place.files);
    for (const command of ["info", "validate", "run"]) {
      const { code, stdout, stderr } = await place.run(command, archive);
      expect(code).toBe(1);
      expect(stdout + stderr).toMatch(/error archive-/);
    }
    expect(readdirSync(place.files)).toEqual(before);
  });
});

const EXITING =
  "#include <stdlib.h>\n__attribute__((constructor)) static void leave(void) { _Exit(CODE); }\n";

describe("Ctrl-C", () => {
  it("[CL5] ends a long run cleanly and keeps what was recorded", async () => {
    const steps = ["--stop", "1e6", "--step", "0.001", "--log-calls", "long.txt"];
    const running = place.start("run", fixture("fmi2/Dahlquist"), ...steps, "-o", "long.csv");
    await until(() => existsSync(place.path("long.txt")) && place.read("long.txt").length > 50_000);
    pressCtrlC(running);
    const ended = await running.ended;
    expect({ code: ended.code, stderr: ended.stderr }).toEqual({ code: 130, stderr: "" });
    expect(ended.stdout).toMatch(/cancelled at t=[\d.]+; what was recorded is kept/);
    const rows = Number(/([\d,]+) rows/.exec(ended.stdout)![1]!.replaceAll(",", ""));
    expect(recorded("long.csv")).toHaveLength(rows);
    expect(rows).toBeGreaterThan(100);
  });

  it("[CL5] ends a run whose FMU hangs, after a moment of patience", async () => {
    const running = await hanging("-o", "hang.csv");
    pressCtrlC(running);
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.stdout).toContain("cancelled at t=0.4");
    expect(recorded("hang.csv")).toEqual(FIVE_ROWS);
  });

  it("[CL5] pressed twice ends it at once", async () => {
    const running = await hanging("-o", "twice.csv");
    pressCtrlC(running);
    await sleep(100);
    pressCtrlC(running);
    const ended = await running.ended;
    expect(ended.stdout).toContain("cancelled at t=0.4");
    expect(recorded("twice.csv")).toEqual(FIVE_ROWS);
  });
});

describe("the end of the command itself", () => {
  it("[CL6] takes the FMU's process along, and the next start removes its folder", async () => {
    const running = await hanging();
    const worker = childOf(running.process.pid!);
    process.kill(running.process.pid!, "SIGKILL");
    expect((await running.ended).signal).toBe("SIGKILL");
    await until(() => !existsSync(`/proc/${worker}`) || isZombie(worker));
    expect(place.leftovers()).toHaveLength(1);
    expect((await place.run("run", fixture("fmi2/Stair"), "-q")).code).toBe(0);
  });
});

function childOf(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  expect(children).toHaveLength(1);
  return Number(children[0]);
}

function isZombie(pid: number): boolean {
  return / Z /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
}

describe("progress", () => {
  it("is not drawn into a pipe", async () => {
    const steps = ["--stop", "10", "--step", "0.001", "--realtime=8"];
    const ended = await place.run("run", fixture("fmi2/Dahlquist"), ...steps);
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(ended.stdout).toContain("10,000 steps");
    expect(ended.stdout).not.toMatch(/[\r█]/);
  });
});
