/**
 * FMUs that do something to the process they share with us, alone and in a scenario: no row is
 * lost, nothing hangs, and what happened is told.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { EXIT_CODES } from "../../src/cli/command.ts";
import { encode, FrameReader, frame } from "../../src/cli/protocol/worker-channel.ts";
import { runMessage } from "../../src/cli/supervisor/message-shapes.ts";
import { visibleText } from "../../src/cli/terminal.ts";
import { BIN, type Ended, fixture, numbersOf, Workplace } from "./cosimo.ts";

const place = new Workplace();

afterEach(() => {
  expect(place.leftovers(), "[CL6] temporary folders").toEqual([]);
});

const TEN_STEPS = 11;
const BEFORE = 5;

/** One run of the FMU: its file of results is its own, so that several go on at once. */
interface Try {
  readonly version: number;
  readonly isScenario: boolean;
  readonly label: string;
}

const TRIES: readonly Try[] = [2, 3].flatMap((version) =>
  [false, true].map((isScenario) => ({
    version,
    isScenario,
    label: `FMI ${version}, ${isScenario ? "in a scenario" : "alone"}`,
  })),
);

async function hostile(behaviour: string, { version, isScenario, label }: Try): Promise<Ended> {
  const set = `${isScenario ? "bad." : ""}behaviour=${behaviour}`;
  const model = isScenario
    ? place.write(
        `two-${version}.yaml`,
        [
          "units:",
          `  good: ${fixture(`fmi${version}/Dahlquist`)}`,
          `  bad: ${fixture(`fmi${version}/Hostile`)}`,
          "experiment: { stop: 1 s, step: 0.1 s }",
        ].join("\n"),
      )
    : fixture(`fmi${version}/Hostile`);
  return await place.run("run", model, "--set", set, "--timeout", "60", "-o", `${label}.csv`);
}

const rows = ({ isScenario, label }: Try): number =>
  numbersOf(place.trace(`${label}.csv`), isScenario ? "bad.x" : "x").length;

/** All tries at once: those that hang take their time together. */
async function inAllTries(
  behaviour: string,
  expectThat: (ended: Ended, one: Try) => void,
): Promise<void> {
  const ended = await Promise.all(TRIES.map((one) => hostile(behaviour, one)));
  for (const [i, one] of TRIES.entries()) expectThat(ended[i], one);
}

const WAYS = [
  ["[CL11]", "fork", 0, TEN_STEPS, /unit-left-processes/],
  ["[CL11]", "fork-and-return", 0, TEN_STEPS, /^/],
  ["[CL12]", "spawn", 0, TEN_STEPS, /unit-left-processes/],
  ["[CL11]", "close-output", 0, TEN_STEPS, /^$/],
  ["[CL11]", "log-much", 0, TEN_STEPS, /^/],
  ["[CL12]", "hang-in-terminate", 0, TEN_STEPS, /unit-not-freed: .* fmi\dTerminate within 5 s/],
  ["[CL11]", "exit-in-terminate", 3, TEN_STEPS, /fmi\dTerminate ended with exit code 0/],
  ["[CL11]", "exit-in-free", 0, TEN_STEPS, /unit-crashed-late: '\S+' ended .* fmi\dFreeInstance/],
  ["[CL12]", "crash-in-free", 0, TEN_STEPS, /unit-crashed-late: .* fmi\dFreeInstance .*SIGSEGV/],
  ["[CL12]", "hang-in-free", 0, TEN_STEPS, /unit-not-freed: .* fmi\dFreeInstance within 5 s/],
  ["[CL12]", "hang-at-exit", 0, TEN_STEPS, /unit-not-freed: .*the end of the process/],
  ["[CL12]", "crash-at-exit", 0, TEN_STEPS, /unit-crashed-late: .*the end of the process/],
  ["[CL11]", "block-signals", 0, TEN_STEPS, /^$/],
  ["[CL11]", "kill", 3, BEFORE, /fmi\dDoStep ended with SIGKILL/],
] as const;

describe("an FMU of FMI 2 and 3, alone and in a scenario, that does", () => {
  it.each(WAYS)("%s '%s' loses nothing", { timeout: 60_000 }, async (_, way, code, kept, said) => {
    await inAllTries(way, (ended, one) => {
      expect(ended.stderr, one.label).toMatch(said);
      expect(ended.stderr, one.label).not.toMatch(/^ {4}at /m);
      expect(ended.code, one.label).toBe(code);
      expect(rows(one), one.label).toBe(kept);
    });
  });

  it.each(["leak-files", "close-files", "scribble", "raise-signals"])(
    "[CL13] '%s' keeps its rows however far it comes",
    { timeout: 60_000 },
    async (way) => {
      await inAllTries(way, (ended, one) => {
        expect([0, 3], one.label).toContain(ended.code);
        expect(ended.stderr, one.label).not.toMatch(
          /^ {4}at |exit handler|gave up|touched memory/m,
        );
        if (way === "close-files") expect(ended.stderr, one.label).toMatch(/closed or replaced/);
        if (way === "scribble") expect(ended.stderr, one.label).toMatch(/(wrote|written) into/);
        expect(rows(one), one.label).toBeGreaterThanOrEqual(BEFORE);
      });
    },
  );
});

describe("texts of others", () => {
  it("[CL15] reach the terminal with control characters spelled out", async () => {
    const ended = await hostile("control-characters", TRIES[0]);
    for (const control of ["\u001b", "\u0007", "\u009b", "\u202e"])
      expect(ended.stderr).not.toContain(control);
    expect(ended.stderr.match(/\\u001b\[2J/g)).toHaveLength(2);
    expect(visibleText("a\tb\r\nc\u007f")).toBe("a\tb\nc\\u007f");
  });
});

describe("signals", () => {
  it.each([
    ["SIGHUP", 129],
    ["SIGQUIT", 131],
    ["SIGTERM", 143],
  ] as const)("[CL14] %s cancels a run with code %i and keeps its rows", async (signal, code) => {
    const steps = ["--stop", "1e6", "--step", "0.001", "--log-calls", `${signal}.txt`];
    const running = place.start("run", fixture("fmi2/Dahlquist"), ...steps, "-o", "signal.csv");
    while (!isLong(place.path(`${signal}.txt`))) await new Promise((go) => setTimeout(go, 20));
    running.process.kill(signal);
    expect((await running.ended).code).toBe(code);
    expect(numbersOf(place.trace("signal.csv"), "x").length).toBeGreaterThan(10);
  });
});

function isLong(path: string): boolean {
  try {
    return readFileSync(path).length > 50_000;
  } catch {
    return false;
  }
}

describe("the command", () => {
  it("[CL1] documents its exit codes, all of them", () => {
    const guide = readFileSync(join(BIN, "../../../../docs/guide/run.md"), "utf8");
    const table = Array.from(guide.matchAll(/^\| (\d+) \| (.*) \|$/gm), (m) => [m[1], m[2]]);
    expect(table).toEqual(Object.entries(EXIT_CODES));
  });

  it("[CL18] sweeps what a killed command left of the same file", async () => {
    writeFileSync(place.path("swept.csv.999999999.part"), "half");
    expect((await place.run("run", fixture("fmi2/Stair"), "-q", "-o", "swept.csv")).code).toBe(0);
    expect(readdirSync(place.files).filter((name) => name.endsWith(".part"))).toEqual([]);
  });

  it("[CL17] names the unit that hangs while its stability is analysed", async () => {
    const file = place.write(
      "hang.yaml",
      `units:\n  bad: ${fixture("fmi2/Hostile")}\nexperiment: { stop: 1 s, step: 0.1 s }\n`,
    );
    const set = ["--set", "bad.behaviour=hang", "--set", "bad.at=0", "--timeout", "5"];
    const ended = await place.run("stability", "spectral", file, ...set);
    expect(ended.code).toBe(3);
    expect(ended.stderr).toContain("no answer within --timeout, while 'bad' was in fmi2DoStep");
  });
});

describe("the channel", () => {
  const token = Buffer.alloc(16, 7);
  const message = { a: [Number.NaN, -0, undefined, 1n], b: Number.POSITIVE_INFINITY };

  it("[CL16] finds messages among noise, byte by byte", () => {
    const reader = new FrameReader(token);
    const noise = Buffer.from("noise");
    const damaged = frame(token, { x: 1 });
    const bytes = Buffer.concat([
      noise,
      frame(token, message),
      damaged.subarray(0, 24),
      noise,
      damaged.subarray(24),
      frame(token, message),
    ]);
    const found = [...bytes].flatMap((byte) => reader.push(Buffer.from([byte])));
    expect(found).toEqual([message, message]);
    expect(reader.noise).toBeGreaterThan(0);
  });

  it("[CL16] finds what stands behind a length that was damaged", () => {
    const reader = new FrameReader(token);
    const damaged = Buffer.concat([token, Buffer.from([0, 0, 0, 1])]);
    expect(reader.push(Buffer.concat([damaged, frame(token, message)]))).toEqual([]);
    expect(reader.end()).toEqual([message]);
  });

  it("[CL20] tells the beginning of a message from what others wrote", () => {
    const whole = frame(token, message);
    for (const [bytes, noise] of [
      [whole.subarray(0, 9), 0],
      [whole.subarray(0, 40), 0],
      [Buffer.from("noise"), 5],
      [Buffer.from("noise, and much more of it"), 26],
    ] as const) {
      const reader = new FrameReader(token);
      expect(reader.push(Buffer.concat([whole, bytes]))).toEqual([message]);
      expect(reader.end()).toEqual([]);
      expect(reader.noise).toBe(noise);
    }
  });

  it("[CL16] refuses messages of a wrong shape", () => {
    const end = { kind: "completed", time: 1, steps: 1 };
    expect(runMessage({ kind: "done", outcome: end, wallSeconds: 1 })).toBeDefined();
    for (const wrong of [
      null,
      [],
      { kind: "done" },
      { kind: "toString" },
      { kind: "done", outcome: { ...end, kind: "won" }, wallSeconds: 1 },
      { kind: "plan", plan: {} },
      { kind: "log", unit: 1 },
    ])
      expect(runMessage(wrong), encode(wrong)).toBeUndefined();
  });
});
