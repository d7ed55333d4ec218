/**
 * One FMU is a scenario of one unit: the same trace whichever way it is written, and every option
 * of a scenario works for it.
 */
import { existsSync, readdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { fixture, Workplace } from "./cosimo.ts";

const place = new Workplace();

/** The CSV of a run that must succeed. */
async function csvOf(name: string, ...args: string[]): Promise<string> {
  const ended = await place.run("run", ...args, "-o", `${name}.csv`);
  expect(ended.stderr).toBe("");
  expect(ended.code).toBe(0);
  return place.read(`${name}.csv`);
}

const withoutUnit = (csv: string): string =>
  csv.replace(/^.*\n/, (names) => names.replaceAll("unit.", ""));

describe("an FMU and a scenario of this one unit", () => {
  it.each([
    "fmi2/VanDerPol",
    "fmi3/VanDerPol",
    "fmi2/Dahlquist",
    "fmi3/StateSpace",
    "fmi3/Feedthrough",
  ])("[RU12] give the same trace: %s", async (name) => {
    const scenario = place.write(
      "one.yaml",
      `units: { unit: ${JSON.stringify(fixture(name))} }\nexperiment: { stop: 2 s, step: 50 ms }\n`,
    );
    const experiment = ["--stop", "2", "--step", "0.05"];
    const single = await csvOf("single", fixture(name), ...experiment);
    const coupled = await csvOf("coupled", scenario);
    expect(single.split("\n")).toHaveLength(43);
    expect(withoutUnit(coupled)).toBe(single);
  });

  it.each([
    [["--executor", "interpreter"], "interpreter"],
    [["--executor", "machine-code"], "machine-code"],
    [["--threads", "2"], undefined],
    [["--master", "gauss-seidel"], undefined],
  ])("[RU12] take the same options: %j", async (options, executor) => {
    const plain = await csvOf("plain", fixture("fmi3/VanDerPol"), "--stop", "3");
    const ended = await place.run(
      ...[
        "run",
        fixture("fmi3/VanDerPol"),
        "--stop",
        "3",
        "-o",
        "options.csv",
        "--json",
        ...options,
      ],
    );
    expect(ended.code).toBe(0);
    expect(place.read("options.csv")).toBe(plain);
    const report = JSON.parse(ended.stdout) as { executor: string; profile?: unknown };
    if (executor !== undefined) expect(report.executor).toBe(executor);
    expect(report.profile).toBeDefined();
  });

  it("[RU12] say how they were executed only where an option asks for it", async () => {
    const args = ["run", fixture("fmi3/VanDerPol"), "--stop", "1"];
    expect((await place.run(...args)).stdout).not.toMatch(/machine code|interpreter|time:/);
    const asked = [...args, "--executor", "interpreter", "--profile"];
    expect((await place.run(...asked)).stdout).toMatch(
      /completed at t=1 \(interpreter\)\n {2}time: VanDerPol/,
    );
  });

  it("[RU12] record at what rate signals grow where they are watched", async () => {
    const csv = await csvOf("growth", fixture("fmi3/VanDerPol"), "--stop-on-divergence");
    expect(csv).toMatch(/^"?time"?.*,"?master\.growth"?/);
  });
});

describe("an FMU with events of its own", () => {
  it("[RU5] has two rows at each of them, the values before it and after it", async () => {
    await csvOf("ball", fixture("fmi3/BouncingBall"), "--stop", "1");
    const { time, columns } = place.trace("ball.csv");
    const speed = columns.find(({ name }) => name === "v")?.data as Float64Array;
    const bounces = [...time.keys()].filter((row) => row > 0 && time[row] === time[row - 1]);
    expect(bounces.length).toBeGreaterThan(0);
    for (const row of bounces) {
      expect(Number(speed[row - 1])).toBeLessThan(0);
      expect(Number(speed[row])).toBeGreaterThan(0);
    }
  });

  it("[RU4] keeps them to itself with --events off", async () => {
    await csvOf("quiet", fixture("fmi3/BouncingBall"), "--stop", "1", "--events", "off");
    const { time } = place.trace("quiet.csv");
    expect(new Set(time).size).toBe(time.length);
  });
});

/** Until there is a checkpoint behind the start; older ones go when new ones come. */
async function firstCheckpoint(folder: string, least = 2): Promise<void> {
  const isThere = (): boolean =>
    existsSync(place.path(folder)) &&
    readdirSync(place.path(folder)).some((name) => {
      const [, number] = /^checkpoint-(\d+)\.bin$/.exec(name) ?? [];
      return Number(number) >= least;
    });
  while (!isThere()) await sleep(5);
}

/** Runs `args` undisturbed; then in real time, killed after its first checkpoints, and resumed. */
async function expectResumed(name: string, factor: string, ...args: string[]): Promise<void> {
  const whole = await csvOf(`${name}-whole`, ...args);
  const again = [...args, "-o", `${name}.csv`, `--realtime=${factor}`];
  const running = place.start("run", ...again, "--checkpoint", "every=0.1s");
  const folder = `${name}.csv.checkpoint`;
  await firstCheckpoint(folder, 4);
  running.process.kill("SIGKILL");
  await running.ended;
  expect(existsSync(place.path(`${name}.csv`))).toBe(false);
  const resumed = await place.run("run", ...again, "--resume");
  expect(resumed.stderr).toBe("");
  expect(resumed.stdout).toMatch(/resumed at t=0\.[3-9]/);
  expect(place.read(`${name}.csv`)).toBe(whole);
  expect(existsSync(place.path(folder))).toBe(false);
}

it.each([
  ["--clock", "nope=0.1"],
  ["--events", "off"],
])("[RU14] %s is refused where a master drives the unit", async (option, value) => {
  const alone = fixture("fmi3/Clocks");
  const scenario = place.write("clocks.yaml", `units: { c: ${alone} }\n`);
  for (const args of [[scenario], [alone, "--master", "jacobi"]]) {
    const ended = await place.run("run", ...args, "--stop", "1", "--step", "0.1", option, value);
    expect(ended.stderr).toContain("run-only-alone");
    expect(ended.code).toBe(1);
  }
});

describe("an FMU that is killed and resumed", () => {
  const span = ["--stop", "1", "--step", "0.01"];

  it.each([
    ["steps alone", "fmi3/VanDerPol", []],
    ["steps alone, FMI 2", "fmi2/VanDerPol", ["--record", "*"]],
    ["events", "fmi3/BouncingBall", []],
    ["clocks", "fmi3/Clocks", ["--record", "*", "--clock", "heartbeat=0.07"]],
  ])("[CK15] gives the same bytes: %s", async (_, name, options) => {
    await expectResumed(name.replace("/", "-"), "0.5", fixture(name), ...span, ...options);
  });

  it("[CK15] gives the same bytes: inputs with events", async () => {
    place.write(
      "jumps.csv",
      "time,Float64_continuous_input,Int32_input\n0,0,1\n0.45,2,1\n0.45,-1,2\n1,3,3\n",
    );
    const input = place.path("jumps.csv");
    await expectResumed("driven", "0.5", fixture("fmi3/Feedthrough"), ...span, "--input", input);
  });

  it("[CK7] [CK15] gives the same bytes without saved states", async () => {
    const plain = fixture("fmi2/MassSpringDamperLeftPlain");
    const args = [plain, "--stop", "1", "--step", "1e-5"];
    const whole = await csvOf("log-whole", ...args);
    // Real time is refused for it: the run is killed while it is fast.
    const running = place.start("run", ...args, "-o", "log.csv", "--checkpoint", "wall=100ms");
    await firstCheckpoint("log.csv.checkpoint");
    running.process.kill("SIGKILL");
    await running.ended;
    expect(existsSync(place.path("log.csv"))).toBe(false);
    const resumed = await place.run("run", ...args, "-o", "log.csv", "--resume");
    expect(resumed.stderr).toBe("");
    expect(resumed.stdout).toMatch(/resumed at t=0\./);
    expect(place.read("log.csv") === whole).toBe(true);
  });

  it("[CK10] [CK15] is refused with other events, clocks or inputs", async () => {
    const args = ["run", fixture("fmi3/BouncingBall"), "-o", "other.csv", "--stop", "1e7"];
    const running = place.start(...args, "--checkpoint", "wall=20ms");
    await firstCheckpoint("other.csv.checkpoint");
    running.process.kill("SIGKILL");
    await running.ended;
    const refused = await place.run(...args, "--resume", "--events", "off");
    expect(refused.stderr).toMatch(
      /checkpoint-changed.*what handles events was Cosimo, is the FMU/,
    );
    expect(refused.code).toBe(1);
  });
});
