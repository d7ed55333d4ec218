/**
 * Runs that are killed and go on: the result is that of a run nobody disturbed, and nothing is lost
 * by a wrong attempt.
 *
 * A unit written in TypeScript holds the run at t = 2 s as long as a file says so: the moment of
 * the kill is known then.
 */
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Ended, fixture, pressCtrlC, type Running, Workplace } from "./cosimo.ts";

const place = new Workplace();
const LIBRARY = fileURLToPath(new URL("../../dist/index.js", import.meta.url));
for (const [from, to] of [
  ["fmi3/MassSpringDamperLeft", "Left3"],
  ["fmi2/MassSpringDamperLeft", "Left2"],
  ["fmi2/MassSpringDamperRight", "Right2"],
  ["fmi3/MassSpringDamperRight", "Right3"],
  ["fmi2/MassSpringDamperLeftPlain", "LeftPlain"],
  ["fmi3/MassSpringDamperRightPlain", "RightPlain"],
  ["fmi3/Feedthrough", "Feedthrough"],
] as const)
  copyFileSync(fixture(from), place.path(`${to}.fmu`));

place.write(
  "gate.mjs",
  `import { existsSync } from "node:fs";
import { functionUnit } from ${JSON.stringify(LIBRARY)};
const pause = new Int32Array(new SharedArrayBuffer(4));
export default (name) => functionUnit({
  name: "gate",
  outputs: { t: { feedThrough: [] } },
  evaluate: (t, _u, _p, y) => {
    while (t > 2 && existsSync("hold")) Atomics.wait(pause, 0, 0, 5);
    y[0] = t;
  },
}, name);
`,
);
place.write(
  "texts.mjs",
  `import { tableUnit } from ${JSON.stringify(LIBRARY)};
const time = Float64Array.from({ length: 60 }, (_, i) => i * 0.07);
export default (name) => tableUnit({ name: "texts", time, outputs: {
  text: { type: "string", values: Array.from(time, (t) => "now ½ " + t) },
  bytes: { type: "binary", values: Array.from(time, (_, i) => Uint8Array.of(i, 255 - i)) },
  whole: { type: "int64", values: BigInt64Array.from(time, (_, i) => 2n ** 53n + BigInt(i)) },
} }, name);
`,
);

interface Coupled {
  readonly left?: string;
  readonly right?: string;
  readonly master?: string;
  readonly approximation?: string;
  readonly rightStep?: string;
}

/** Two masses on a spring, with a gate beside them; 4 s in steps of 10 ms. */
function masses(name: string, coupled: Coupled = {}): string {
  const { left = "Left3", right = "Right2", master = "jacobi", approximation } = coupled;
  const wire = (from: string, to: string): string =>
    approximation === undefined
      ? `  - ${from} -> ${to}`
      : `  - { from: ${from}, to: ${to}, approximation: ${approximation} }`;
  const step = coupled.rightStep === undefined ? "" : `, step: ${coupled.rightStep}`;
  return place.write(
    `${name}.yaml`,
    `name: masses
units:
  left: { fmu: ${left}.fmu, set: { c: 1.5 } }
  right: { fmu: ${right}.fmu${step} }
  gate: gate.mjs
connections:
${wire("left.x_1", "right.x_c")}
${wire("left.v_1", "right.v_c")}
${wire("right.F_c", "left.F_e")}
experiment: { stop: 4 s, step: 10 ms }
master: ${master}
`,
  );
}

const checkpointsIn = (folder: string): string[] =>
  inFolder(folder).filter((name) => /^checkpoint-\d+\.bin$/.test(name));

const hold = (): void => writeFileSync(place.path("hold"), "");
const letGo = (): void => rmSync(place.path("hold"), { force: true });

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 2000 && !condition(); tries++) await sleep(10);
  expect(condition()).toBe(true);
}

const inFolder = (folder: string): string[] => {
  const path = place.path(folder);
  return existsSync(path) ? readdirSync(path).sort() : [];
};
/** Every file of a folder with its content. */
const contentsOf = (folder: string): Map<string, string> =>
  new Map(inFolder(folder).map((f) => [f, readFileSync(join(place.path(folder), f), "base64")]));

/** A run that waits at t = 2 s, its checkpoint of that time stored. */
async function waiting(...args: string[]): Promise<Running> {
  hold();
  const folder = `${args[args.indexOf("-o") + 1]}.checkpoint`;
  const running = place.start("run", ...args);
  const early = running.ended.then(({ code, signal, stdout, stderr }) => {
    throw new Error(`the run is over: ${code ?? signal}\n${stdout}${stderr}`);
  });
  // One at the start, then every half second; the last but one goes a moment after the last has
  // come.
  const stored = until(() => {
    const names = inFolder(folder);
    return names.includes("checkpoint-5.bin") && !names.includes("checkpoint-3.bin");
  });
  early.catch(() => undefined);
  try {
    await Promise.race([stored, early]);
  } catch (error) {
    letGo();
    throw error;
  }
  return running;
}

async function killed(...args: string[]): Promise<Ended> {
  const running = await waiting(...args);
  running.process.kill("SIGKILL");
  const ended = await running.ended;
  letGo();
  return ended;
}

/** Runs undisturbed, then kills and resumes; both CSV files must be equal byte for byte. */
async function expectSame(name: string, scenario: string, ...options: string[]): Promise<Ended> {
  const whole = await place.run("run", scenario, "-o", `${name}-whole.csv`, ...options);
  expect(whole.stderr).toBe("");
  const args = [scenario, "-o", `${name}.csv`, "-o", `${name}.parquet`, ...options];
  const ended = await killed(...args, "--checkpoint", "every=0.5s");
  expect(ended.signal).toBe("SIGKILL");
  expect(existsSync(place.path(`${name}.csv`))).toBe(false);
  const resumed = await place.run("run", ...args, "--resume");
  expect(resumed.stderr).toBe("");
  expect(resumed.code).toBe(0);
  expect(resumed.stdout).toContain("resumed at t=2");
  expect(place.read(`${name}.csv`)).toBe(place.read(`${name}-whole.csv`));
  expect(inFolder(`${name}.csv.checkpoint`)).toEqual([]);
  return resumed;
}

/** All of a Parquet file but its footer, where wall times are. */
function parquetData(file: string): Buffer {
  const bytes = readFileSync(place.path(file));
  return bytes.subarray(0, bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8));
}

describe("a run that is killed and resumed", () => {
  it.each<[string, Coupled]>([
    ["jacobi", {}],
    ["jacobi-linear", { approximation: "linear" }],
    ["jacobi-quadratic", { left: "Left2", right: "Right3", approximation: "quadratic" }],
    ["gauss-seidel", { master: "gauss-seidel" }],
    ["gauss-seidel-linear", { master: "gauss-seidel", approximation: "linear" }],
    ["iterative", { master: "iterative" }],
    ["iterative-newton", { master: "{ name: iterative, method: newton }" }],
    ["multi-rate", { rightStep: "30 ms", approximation: "linear" }],
    [
      "multi-rate-seidel",
      { rightStep: "30 ms", master: "gauss-seidel", approximation: "quadratic" },
    ],
  ])("[CK9] gives the same bytes: %s", async (name, coupled) => {
    await expectSame(name, masses(name, coupled));
  });

  it.each<[string, Coupled]>([
    ["faults-jacobi", {}],
    ["faults-iterative", { master: "iterative" }],
    ["faults-plain", { left: "LeftPlain", right: "RightPlain" }],
  ])(
    "[FA18] gives the same bytes with faults that act before and after it: %s",
    async (name, coupled) => {
      const faults = [
        "left.x_1 noise 0.01 seed 5 at 0.5 s",
        "right.F_c delay 30 ms at 1.234 s",
        "left.F_e drop-out 0.3 seed 2 every 50 ms at 1 s until 3.3 s",
        // What is located must be able to go back.
        ...(coupled.left === undefined ? ["right.v_c drift 0.1 on left.x_1 < 0.5 for 2.5 s"] : []),
      ];
      await expectSame(name, masses(name, coupled), ...faults.flatMap((text) => ["--fault", text]));
    },
  );

  it("[SI35] gives the same bytes where the structure changes, with an input and a fault", async () => {
    copyFileSync(fixture("fmi3/Dahlquist"), place.path("Fast.fmu"));
    copyFileSync(fixture("fmi2/Dahlquist"), place.path("Slow.fmu"));
    const scenario = place.write(
      "swap.yaml",
      `name: swap
units:
  left: Left3.fmu
  fast: { fmu: Fast.fmu, set: { k: 2 } }
  slow: { fmu: Slow.fmu, set: { k: 0.5 } }
  gate: gate.mjs
experiment: { stop: 4 s, step: 100 ms }
record: ["*.x*", left.F_e, gate.t] # what is not recorded is not evaluated, and holds nothing
master: jacobi
structure:
  absent: [slow]
  rules:
    - { at: 0.8 s, replace: fast, with: slow, transfer: { slow.x: fast.x } }
    - { when: slow.x < 0.1, remove: left } # where the fault ends
`,
    );
    place.write("push.csv", "time,left.F_e\n0,2\n2.5,3\n");
    const more = [
      "--input",
      place.path("push.csv"),
      "--fault",
      "slow.x gain 2 at 1.5 s for 1 s as gain",
    ];
    const { stdout } = await expectSame("swap", scenario, ...more);
    expect(stdout).toContain("a rule replaces 'fast' by 'slow'");
    const [pushed, gain] = ["left.F_e", "fault.gain"].map((name) => {
      const { time, columns } = place.trace("swap.csv");
      const { data } = columns.find((one) => one.name === name)!;
      return [...time].map((t, row) => [t, Number(data[row])] as const);
    });
    expect(pushed.find(([t]) => t >= 1.25)?.[1]).toBeCloseTo(2.5, 1);
    expect(gain.filter((_, i) => i > 0 && gain[i][1] !== gain[i - 1][1]).map(([t]) => t)).toEqual([
      1.5, 2.5,
    ]);
  });

  it("[FA18] is refused with other faults", async () => {
    const scenario = masses("other-faults");
    const args = [scenario, "-o", "other-faults.csv"];
    await killed(...args, "--fault", "left.x_1 gain 2 at 1 s", "--checkpoint", "every=0.5s");
    const resumed = await place.run(
      "run",
      ...args,
      "--fault",
      "left.x_1 gain 3 at 1 s",
      "--resume",
    );
    expect(resumed.code).toBe(1);
    expect(resumed.stderr).toContain("the values and connections of the scenario changed");
  });

  it("[CK9] gives the same Parquet data", async () => {
    const scenario = masses("parquet");
    await place.run("run", scenario, "-o", "parquet-whole.parquet");
    const args = [scenario, "-o", "data.parquet", "--checkpoint", "every=0.5s"];
    await killed(...args);
    expect((await place.run("run", ...args, "--resume")).code).toBe(0);
    expect(parquetData("data.parquet").equals(parquetData("parquet-whole.parquet"))).toBe(true);
  });

  it("[CK7] brings back FMUs that cannot save their state", async () => {
    const plain = { left: "LeftPlain", right: "RightPlain", rightStep: "30 ms" };
    await expectSame("plain", masses("plain", plain));
  });

  it("[CK7] [CK2] brings back scenarios inside, whether all in them can save their state or not", async () => {
    const inner = (right: string): string => `units:
  left: Left3.fmu
  right: ${right}.fmu
connections:
  - left.x_1 -> right.x_c
  - left.v_1 -> right.v_c
  - right.F_c -> left.F_e
ports: { x: left.x_1 }
experiment: { step: 1 ms }
`;
    place.write("saving.yaml", inner("Right2"));
    place.write("plain-inside.yaml", inner("RightPlain"));
    const scenario = place.write(
      "nested.yaml",
      "name: nested\nunits: { a: saving.yaml, b: plain-inside.yaml, gate: gate.mjs }\nexperiment: { stop: 4, step: 0.01 }\n",
    );
    await expectSame("nested", scenario);
  });

  it("[CK9] gives the same texts, binary values and 64-bit integers", async () => {
    const scenario = place.write(
      "texts.yaml",
      `name: texts
units: { source: texts.mjs, through: Feedthrough.fmu, gate: gate.mjs }
connections:
  - source.text -> through.String_input
  - source.bytes -> through.Binary_input
  - source.whole -> through.Int64_input
experiment: { stop: 4, step: 0.01 }
record: [through.String_output, through.Binary_output, through.Int64_output, gate.t]
`,
    );
    await expectSame("texts", scenario);
  });

  it("[CK9] gives the same bytes however often and whenever it is killed, as machine code too", async () => {
    const scenario = place.write(
      "long.yaml",
      `name: long
units: { left: Left3.fmu, right: Right2.fmu, plain: LeftPlain.fmu }
connections:
  - left.x_1 -> right.x_c
  - left.v_1 -> right.v_c
  - right.F_c -> left.F_e
  - right.F_c -> plain.F_e
experiment: { stop: 200 s, step: 1 ms }
record: { every: 7 }
`,
    );
    await place.run("run", scenario, "-o", "long-whole.csv");
    const args = ["run", scenario, "-o", "long.csv", "--checkpoint", "every=1s"];
    let resumes = 0;
    for (let ended: Ended | undefined; ended?.code !== 0; ) {
      const mark = checkpointsIn("long.csv.checkpoint").join();
      const resume = mark === "" ? [] : ["--resume"];
      resumes += resume.length;
      const running = place.start(...args, ...resume);
      if (resumes < 5) {
        const moved = until(() => checkpointsIn("long.csv.checkpoint").join() !== mark);
        await Promise.race([moved, running.ended]);
        await sleep(13 * resumes);
        running.process.kill("SIGKILL");
      }
      ended = await running.ended;
      expect(ended.stderr).toBe("");
    }
    expect(resumes).toBeGreaterThan(0);
    expect(place.read("long.csv")).toBe(place.read("long-whole.csv"));
  });

  it("[CK5] goes on from where Ctrl-C stopped it", async () => {
    const scenario = place.write(
      "endless.yaml",
      "name: endless\nunits: { left: Left3.fmu }\nexperiment: { stop: 400, step: 0.001 }\nrecord: { every: 100 }\n",
    );
    const args = ["run", scenario, "-o", "stopped.csv", "--checkpoint", "wall=1h"];
    await place.run("run", scenario, "-o", "stopped-whole.csv");
    const running = place.start(...args, "--realtime=200");
    await until(() => inFolder("stopped.csv.checkpoint").includes("checkpoint-1.bin"));
    await sleep(300);
    pressCtrlC(running);
    const stopped = await running.ended;
    expect(stopped.stderr).toMatch(/--resume continues from t=[\d.]+ \(stopped.csv.checkpoint\)/);
    expect((await place.run(...args, "--resume")).code).toBe(0);
    expect(place.read("stopped.csv")).toBe(place.read("stopped-whole.csv"));
  });
});

describe("--resume", () => {
  const ARGS = ["-o", "kept.csv", "--checkpoint", "every=0.5s"];
  const FOLDER = "kept.csv.checkpoint";

  /** Refused with `text`, and nothing in the folder is touched. */
  async function expectRefused(text: RegExp, ...args: string[]): Promise<void> {
    const before = contentsOf(FOLDER);
    const ended = await place.run("run", ...args);
    expect(ended.stderr).toMatch(text);
    expect(ended.stderr).toContain("fix:");
    expect(ended.code).toBe(1);
    expect(contentsOf(FOLDER)).toEqual(before);
  }

  it("[CK10] [CK11] is refused when anything differs, and works when it is put back", async () => {
    const scenario = masses("kept");
    await place.run("run", scenario, "-o", "kept-whole.csv");
    await killed(scenario, ...ARGS);

    await expectRefused(/checkpoint-exists: .* reached t=2/, scenario, ...ARGS);
    await expectRefused(
      /checkpoint-changed: .*the stop time was 4, is 5/,
      ...[scenario, ...ARGS, "--resume", "--stop", "5"],
    );
    await expectRefused(
      /checkpoint-changed: .*the values and connections of the scenario changed/,
      ...[scenario, ...ARGS, "--resume", "--set", "left.c=2"],
    );
    await expectRefused(
      /checkpoint-changed: .*the plan \(.*\) changed/,
      ...[scenario, ...ARGS, "--resume", "--master", "gauss-seidel"],
    );
    copyFileSync(fixture("fmi2/MassSpringDamperLeft"), place.path("Left3.fmu"));
    await expectRefused(
      /checkpoint-changed: .*'left' \(Left3.fmu\) changed/,
      scenario,
      ...ARGS,
      "--resume",
    );
    copyFileSync(fixture("fmi3/MassSpringDamperLeft"), place.path("Left3.fmu"));

    // The newest torn: the one before serves. Both torn: no way.
    const [first, second] = ["checkpoint-4.bin", "checkpoint-5.bin"].map((name) =>
      join(place.path(FOLDER), name),
    ) as [string, string];
    const [older, newest] = [readFileSync(first), readFileSync(second)];
    writeFileSync(first, older.subarray(0, older.length - 1));
    newest[newest.length - 1]! ^= 1;
    writeFileSync(second, newest);
    await expectRefused(
      /checkpoint-torn: .*checksum[\s\S]*checkpoint-torn: /,
      scenario,
      ...ARGS,
      "--resume",
    );
    writeFileSync(first, older);
    const rows = join(place.path(FOLDER), "rows-0.bin");
    const kept = readFileSync(rows);
    rmSync(rows);
    await expectRefused(
      /checkpoint-rows-missing: .*151 rows, .* are 0/,
      scenario,
      ...ARGS,
      "--resume",
    );
    writeFileSync(rows, kept);

    const resumed = await place.run("run", scenario, ...ARGS, "--resume");
    expect(resumed.stderr).toContain("checkpoint-older");
    expect(resumed.stdout).toContain("resumed at t=1.5");
    expect(resumed.code).toBe(0);
    expect(place.read("kept.csv")).toBe(place.read("kept-whole.csv"));
  });

  it("[CK13] is refused when a bit of anything that it needs has flipped", async () => {
    const scenario = masses("flipped", { left: "LeftPlain" });
    const args = [scenario, "-o", "flipped.csv", "--checkpoint", "every=0.5s"];
    await place.run("run", scenario, "-o", "flipped-whole.csv");
    await killed(...args);
    const folder = place.path("flipped.csv.checkpoint");
    for (const name of ["rows-0.bin", "replay-0.bin"]) {
      const file = join(folder, name);
      const whole = readFileSync(file);
      for (const at of [8, 40, 200]) {
        const broken = Buffer.from(whole);
        broken[at]! ^= 4;
        writeFileSync(file, broken);
        const ended = await place.run("run", ...args, "--resume");
        expect(ended.stderr).toMatch(/checkpoint-damaged: /);
        expect(ended.code).toBe(1);
      }
      writeFileSync(file, whole);
    }
    expect((await place.run("run", ...args, "--resume")).code).toBe(0);
    expect(place.read("flipped.csv")).toBe(place.read("flipped-whole.csv"));
  }, 60_000);

  it("[CK14] finds its files though an FMU changes the working folder", async () => {
    copyFileSync(fixture("gotchas/fmi2/ChangesFolder"), place.path("Elsewhere.fmu"));
    const scenario = place.write(
      "elsewhere.yaml",
      "name: elsewhere\nunits: { a: Elsewhere.fmu, b: Right2.fmu }\nexperiment: { stop: 4, step: 0.1 }\n",
    );
    await place.run("run", scenario, "-o", "elsewhere-whole.csv");
    const args = [scenario, "-o", "elsewhere.csv", "--checkpoint", "every=0.5s"];
    const { code, stderr } = await place.run("run", ...args);
    expect(stderr).not.toMatch(/checkpoint-|ENOENT/);
    expect(code).toBe(0);
    expect(place.read("elsewhere.csv")).toBe(place.read("elsewhere-whole.csv"));
    expect(existsSync(place.path("elsewhere.csv.checkpoint"))).toBe(false);
  });

  it("[CK10] wants a checkpoint, and makes no folder for the lack of one", async () => {
    const scenario = masses("nothing");
    await expectRefused(/checkpoint-missing/, scenario, "-o", "nothing.csv", "--resume");
    expect(existsSync(place.path("nothing.csv.checkpoint"))).toBe(false);
  });

  it("[CK11] does not take the folder from a run that uses it", async () => {
    const scenario = masses("busy");
    const args = [scenario, "-o", "busy.csv", "--checkpoint", "every=0.5s"];
    const running = await waiting(...args);
    const ended = await place.run("run", ...args, "--resume");
    expect(ended.stderr).toContain("checkpoint-in-use");
    expect(ended.code).toBe(1);
    letGo();
    expect((await running.ended).code).toBe(0);
    expect(inFolder("busy.csv.checkpoint")).toEqual([]);
  });

  it("[CK9] keeps two checkpoints and no more", async () => {
    const scenario = masses("two");
    const running = await waiting(scenario, "-o", "two.csv", "--checkpoint", "every=0.5s");
    // The oldest goes when the newest is there.
    await until(() => !checkpointsIn("two.csv.checkpoint").includes("checkpoint-3.bin"));
    const kept = checkpointsIn("two.csv.checkpoint");
    letGo();
    await running.ended;
    expect(kept).toEqual(["checkpoint-4.bin", "checkpoint-5.bin"]);
  });
});

describe("a run that cannot keep checkpoints", () => {
  const plain = (): string => masses("refused", { left: "LeftPlain" });

  it.each([
    ["every=1s,replay=off", [], /'left' can neither .*: logs are switched off/],
    [
      "every=1s,replay=3kB",
      [],
      /'left' can neither .*: the log .* about \S+ MB, more than 0.003 MB/,
    ],
    [
      "every=1s",
      ["--realtime=100"],
      /'left' can neither .*: the run keeps pace with the wall clock/,
    ],
  ])("[CK8] says so before it starts: %s %s", async (when, more, text) => {
    const ended = await place.run(
      "run",
      plain(),
      "-o",
      "refused.csv",
      "--checkpoint",
      when,
      ...more,
    );
    expect(ended.stderr).toMatch(/checkpoint-impossible/);
    expect(ended.stderr).toMatch(text);
    expect(ended.code).toBe(1);
    expect(existsSync(place.path("refused.csv"))).toBe(false);
    expect(existsSync(place.path("refused.csv.checkpoint"))).toBe(false);
  });
});
