/**
 * A system that refuses what a run needs, answers that are large, texts that are hostile: no row is
 * lost, everything is said in a line, and nothing hangs.
 */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { strToU8, zipSync } from "fflate";
import { afterEach, describe, expect, it } from "vitest";
import { type Ended, fixture, numbersOf, pressCtrlC, type Running, Workplace } from "./cosimo.ts";

const place = new Workplace();
const MANY = 6000;

afterEach(() => {
  expect(place.leftovers(), "[CL6] temporary folders").toEqual([]);
});

/** An FMU with `MANY` more variables: further names of x. */
function wide(name: string): string {
  const more = Array.from(
    { length: MANY },
    (_, k) =>
      `<ScalarVariable name="y${k}" valueReference="1" causality="local" variability="continuous" initial="calculated"><Real/></ScalarVariable>`,
  );
  return place.edited(`fmi2/${name}`, (xml) =>
    xml.replace("</ModelVariables>", `${more.join("\n")}</ModelVariables>`),
  );
}

const WIDE = ["--record", "x,y*", "-q"];
const linesOf = ({ stderr }: Ended): string[] => stderr.trim().split("\n");

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((go) => setTimeout(go, 5));
}

describe("answers of any size", { timeout: 120_000 }, () => {
  it("[CL11] arrive: a file of thousands of columns is complete", async () => {
    const ended = await place.run("run", wide("Dahlquist"), ...WIDE, "-o", "wide.csv");
    expect(ended.stderr).toBe("");
    expect(ended.code).toBe(0);
    const [header, ...rows] = place.read("wide.csv").trim().split("\n");
    expect(header!.split(",")).toHaveLength(MANY + 2);
    expect(rows).toHaveLength(101);
  });

  it("[CL11] arrive: thousands of long findings, counted to the last", async () => {
    const far = Array.from({ length: 3000 }, (_, k) => `  - g.x -> ${"n".repeat(500)}${k}.u`);
    const units = `units:\n  g: ${fixture("fmi2/Dahlquist")}\nconnections:\n${far.join("\n")}\n`;
    const file = place.write("findings.yaml", `${units}experiment: { stop: 1 s, step: 0.1 s }\n`);
    const ended = await place.run("run", file);
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain(`${"n".repeat(500)}0`);
    expect(ended.stderr).toMatch(/… and 2950 errors more/);
  });
});

describe("a system that says no", { timeout: 120_000 }, () => {
  it("[CL13] keeps the rows when an FMU has used up all files and the next chunk is due", async () => {
    const set = ["--set", "behaviour=leak-files", "--step", "0.01", "--stop", "2"];
    const limits = { limits: "ulimit -n 200" };
    const args = ["run", wide("Hostile"), ...WIDE, ...set, "-o", "leak.csv"];
    const ended = await place.startUnder(limits, ...args).ended;
    expect(ended.stderr).toMatch(/EMFILE.*'ulimit -n'/);
    expect(linesOf(ended).length).toBeLessThanOrEqual(2);
    expect(ended.code).toBe(3);
    const time = numbersOf(place.trace("leak.csv"), "x");
    expect(time.length).toBeGreaterThan(60);
    expect(time.length).toBeLessThan(200);
  });

  it("[CL13] is quoted when files may not grow", async () => {
    const args = ["run", fixture("fmi2/Dahlquist"), "-o", "small.csv"];
    const ended = await place.startUnder({ limits: "ulimit -f 3000" }, ...args).ended;
    expect(ended.stderr).toMatch(/EFBIG.*'ulimit -f'/);
    expect(ended.stderr).not.toMatch(/^ {4}at |the FMU/m);
    expect(ended.code).toBe(3);
  });

  it.each([
    ["-o", "full.csv"],
    ["-o", "full.parquet"],
    ["--plot", "full.svg"],
    ["--plot", "full.png"],
    ["--plot", "full.html"],
  ])(
    "[CL13] is quoted when the results do not fit (%s %s), and a device is not replaced by a file",
    async (option, name) => {
      symlinkSync("/dev/full", place.path(name));
      const ended = await place.run("run", fixture("fmi2/Dahlquist"), option, name);
      expect(ended.stderr).toMatch(new RegExp(`${name}.*cannot write it: ENOSPC`));
      expect(ended.stderr).not.toMatch(/^ {4}at /m);
      expect(ended.code).toBe(1);
      expect(readlinkSync(place.path(name))).toBe("/dev/full");
      expect(readdirSync(place.files).filter((one) => one.endsWith(".part"))).toEqual([]);
    },
  );

  it("[CL13] names the file of --log-calls when it does not fit", async () => {
    symlinkSync("/dev/full", place.path("calls.txt"));
    const args = ["run", fixture("fmi2/Dahlquist"), "-o", "logged.csv", "--log-calls", "calls.txt"];
    const ended = await place.run(...args);
    expect(ended.stderr).toMatch(/ENOSPC.*'calls\.txt' \(--log-calls\)/);
    expect(ended.code).toBe(3);
  });

  it.each([[[]], [["--checkpoint", "every=1s"]]])(
    "[CL25] writes all rows into a pipe whose reader comes late: %j",
    async (more) => {
      const pipe = place.path("pipe.csv");
      execFileSync("mkfifo", [pipe]);
      const args = ["run", fixture("fmi2/Dahlquist"), "--step", "1e-4", "-o", pipe, ...more];
      const running = place.start(...args);
      await new Promise((go) => setTimeout(go, 1500));
      const read = execFileSync("cat", [pipe], { encoding: "utf8", maxBuffer: 1 << 26 });
      const ended = await running.ended;
      rmSync(pipe);
      expect(ended.stderr).toBe("");
      expect(ended.code).toBe(0);
      expect(read.trimEnd().split("\n")).toHaveLength(100_002);
      expect(existsSync(`${pipe}.checkpoint`)).toBe(false);
    },
  );

  it("[CL25] does not wait for the reader of a pipe when it is asked to end", async () => {
    const pipe = place.path("lonely.csv");
    execFileSync("mkfifo", [pipe]);
    const running = place.start("run", fixture("fmi2/Dahlquist"), "-o", pipe);
    await until(() => childOf(running) !== undefined);
    await until(() => childOf(running) === undefined);
    pressCtrlC(running);
    await running.says("repeat to discard them");
    pressCtrlC(running);
    expect((await running.ended).code).toBe(130);
    rmSync(pipe);
  });

  it.each([26, 34, 42, 50])("[CL13] is quoted in a line with 'ulimit -n %s'", async (files) => {
    const limits = `ulimit -n ${files}`;
    const ended = await place.startUnder({ limits }, "run", fixture("fmi2/Dahlquist"), "-q").ended;
    // Newer versions of Node may need more files for themselves, or fewer.
    if (ended.stderr.includes("bin/cosimo.js") || ended.code === 0) return;
    expect(linesOf(ended)).toEqual([expect.stringMatching(/^cosimo: .*EMFILE/)]);
    expect([1, 3]).toContain(ended.code);
  });

  it.each([
    ["is missing", () => place.path("no/such/folder")],
    ["is a file", () => place.write("file", "")],
    ["cannot be written", () => "/proc/self"],
  ])("[CL13] is quoted in a line when TMPDIR %s", async (_, folder) => {
    const env = { TMPDIR: folder() };
    const ended = await place.startUnder({ env }, "run", fixture("fmi2/Dahlquist")).ended;
    expect(linesOf(ended)).toEqual([expect.stringMatching(/^cosimo: .*mkdtemp.*TMPDIR names/)]);
    expect(ended.code).toBe(1);
  });

  it("[CL4] names the FMU's file when the process is killed before there is a plan", async () => {
    const running = place.start("run", fixture("fmi2/Dahlquist"), "--stop", "1e6");
    await until(() => childOf(running) !== undefined);
    process.kill(childOf(running)!, "SIGKILL");
    const ended = await running.ended;
    expect(ended.stderr).toMatch(/Dahlquist.*ended with SIGKILL/);
    expect(ended.code).toBe(3);
  });

  it.each([false, true])("[CL13] says an internal error in a line; --debug: %s", async (debug) => {
    const file = place.path("mistake.mjs");
    writeFileSync(file, MISTAKE);
    const env = { NODE_OPTIONS: `--import ${pathToFileURL(file)}` };
    const args = ["run", fixture("fmi2/Dahlquist"), ...(debug ? ["--debug"] : [])];
    const ended = await place.startUnder({ env }, ...args).ended;
    const line = "internal error: a mistake of ours; run with --debug for the trace";
    expect(ended.stderr).toContain(line);
    expect(/^ {4}at /m.test(ended.stderr)).toBe(debug);
    if (!debug) expect(linesOf(ended).length).toBeLessThanOrEqual(2);
    expect(ended.code).toBe(4);
  });
});

/** Makes the worker stumble when it opens its status. */
const MISTAKE = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
if (process.argv[1].endsWith("worker.js")) {
  fs.ftruncateSync = () => {
    const mistake = new TypeError("a mistake of ours");
    // Or it would be a mistake of this file.
    Error.captureStackTrace(mistake, fs.ftruncateSync);
    throw mistake;
  };
  syncBuiltinESMExports();
}
`;

function childOf({ process: { pid } }: Running): number | undefined {
  const path = `/proc/${pid}/task/${pid}/children`;
  const first = existsSync(path) ? readFileSync(path, "utf8").trim().split(" ")[0] : "";
  return first ? Number(first) : undefined;
}

describe("Ctrl-C while results are written", { timeout: 120_000 }, () => {
  const isWriting = (name: string): boolean =>
    readdirSync(place.files).some((file) => file.startsWith(`${name}.`) && file.endsWith(".part"));
  const start = async (name: string): Promise<Running> => {
    const long = ["--stop", "10", "--step", "0.02", "-o", name];
    const running = place.start("run", wide("Dahlquist"), ...WIDE, ...long);
    await until(() => isWriting(name));
    running.process.kill("SIGINT");
    await running.says("repeat to discard them");
    return running;
  };

  it("[CL5] leaves them whole", async () => {
    const ended = await (await start("whole.csv")).ended;
    expect(ended.code).toBe(0);
    expect(place.read("whole.csv").trim().split("\n")).toHaveLength(502);
    rmSync(place.path("whole.csv"));
  });

  it("[CL7] twice gives them up and leaves no half of them", async () => {
    const running = await start("half.csv");
    running.process.kill("SIGINT");
    expect((await running.ended).code).toBe(130);
    expect(existsSync(place.path("half.csv"))).toBe(false);
    expect(isWriting("half.csv")).toBe(false);
  });
});

describe("names and descriptions of others", { timeout: 120_000 }, () => {
  const EVIL = "evil\u202edesrever\u009b2J";
  const isClean = ({ stdout, stderr }: Ended): void => {
    for (const control of ["\u001b", "\u009b", "\u202e", "\u0007"])
      expect(stdout + stderr).not.toContain(control);
    expect(stdout + stderr).toMatch(/\\u202e|\\u001b/);
  };

  it.each([["info", "--variables"], ["validate"]])(
    "[CL15] are spelled out by '%s' of an FMU",
    async (...command) => {
      const fmu = place.edited("fmi2/Dahlquist", (xml) =>
        xml
          .replace('name="k"', `name="${EVIL}"`)
          .replace('description="the state"', `description="${EVIL}"`)
          .replace('name="der(x)"', `name="${EVIL}"`),
      );
      isClean(await place.run(...command, fmu));
    },
  );

  it("[CL15] are spelled out by 'check' of a scenario and of a package", async () => {
    const unit = JSON.stringify("u\u001b[2J\u202e\u0007");
    const file = place.write(
      "evil.yaml",
      `units:\n  ${unit}: ${fixture("fmi2/Dahlquist")}\nconnections: [${unit}]\nexperiment: { stop: 1 s, step: 0.1 s }\n`,
    );
    isClean(await place.run("check", file));
    const ssd = `<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" version="1.0" name="${EVIL}">
  <ssd:System name="${EVIL}"><ssd:Elements><ssd:Component name="${EVIL}" source="resources/${EVIL}.fmu"/></ssd:Elements></ssd:System>
</ssd:SystemStructureDescription>`;
    const package_ = place.path("evil.ssp");
    writeFileSync(package_, zipSync({ "SystemStructure.ssd": strToU8(ssd) }));
    isClean(await place.run("check", package_));
  });
});

describe("other commands that load units", { timeout: 120_000 }, () => {
  it("[CL17] 'check --stability' gives up after --timeout and names the unit", async () => {
    const unit = `{ fmu: ${fixture("fmi2/Hostile")}, set: { behaviour: hang, at: 0 } }`;
    const file = place.write(
      "hang.yaml",
      `units:\n  bad: ${unit}\nexperiment: { stop: 1 s, step: 0.1 s }\n`,
    );
    const ended = await place.run("check", file, "--stability", "--timeout", "8");
    expect(ended.stdout + ended.stderr).toContain("while 'bad' was in fmi2DoStep");
  });

  it.each([
    ["hangs while it is loaded", "constructor", "for (;;) pause();", /no answer within 5 s/],
    ["crashes while it is loaded", "constructor", "abort();", /SIGABRT/],
    ["leaves a process", "constructor", "if (fork() == 0) for (;;) pause();", /still there/],
    ["hangs when the process ends", "destructor", "for (;;) pause();", /does not end/],
  ])("[CL12] 'validate --run' ends when a library %s", async (_, when, act, said) => {
    const fmu = place.edited("fmi2/Dahlquist", (xml) => xml);
    const headers = "#include <stdlib.h>\n#include <unistd.h>\n";
    const source = place.write(
      "library.c",
      `${headers}__attribute__((${when})) static void act(void) { ${act} }\n`,
    );
    const binary = join(fmu, "binaries", readdirSync(join(fmu, "binaries"))[0]!, "Dahlquist.so");
    execFileSync(process.env["CC"] ?? "cc", ["-shared", "-fPIC", source, "-o", binary]);
    const ended = await place.run("validate", fmu, "--run", "--timeout", "5");
    expect(ended.stdout).toMatch(said);
    expect(ended.stdout + ended.stderr).not.toMatch(/^ {4}at /m);
    expect(ended.code).toBe(1);
  });
});

/**
 * Makes the worker say, before its answer, what LIE has. It knows the token of its messages, as an
 * FMU could.
 */
const LIAR = `
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
if (process.argv[1].endsWith("worker.js")) {
  const write = fs.writeSync;
  let isOver = false;
  fs.writeSync = (file, bytes, ...rest) => {
    if (file === 3 && !isOver && bytes.includes('"kind":"done"')) {
      isOver = true;
      const token = Buffer.from(bytes.subarray(0, 16));
      const lie = Buffer.from(process.env.LIE);
      const length = Buffer.alloc(4);
      length.writeUInt32LE(Number(process.env.LENGTH ?? lie.length));
      const end = token.map((byte) => ~byte & 255);
      write(3, Buffer.concat([token, length, lie, end]));
    }
    return write(file, bytes, ...rest);
  };
  syncBuiltinESMExports();
}
`;

describe("a worker that lies", { timeout: 60_000 }, () => {
  const done = { kind: "done", outcome: { kind: "completed", time: 1, steps: 1 }, wallSeconds: 1 };
  const nested = "[".repeat(50_000) + "]".repeat(50_000);
  it.each<[string, string, string?]>([
    ["wrong types", JSON.stringify({ ...done, execution: { executor: "x", events: 5 } })],
    ["more types", JSON.stringify({ ...done, execution: { executor: "x", master: [] } })],
    ["a list as a plan", '{"kind":"plan","__proto__":{"plan":1},"plan":[]}'],
    ["a number of a million digits", `{"$":"bigint","value":"${"9".repeat(50_000)}x"}`],
    ["deep nesting", nested],
    ["a length beyond all bounds", "{}", "4294967295"],
    ["a length that never comes", "{}", "200000000"],
  ])("[CL16] is not believed: %s", async (_, lie, length) => {
    const file = place.write("liar.mjs", LIAR);
    const env = {
      NODE_OPTIONS: `--import ${pathToFileURL(file)}`,
      LIE: lie,
      ...(length === undefined ? {} : { LENGTH: length }),
    };
    const args = ["run", fixture("fmi2/Dahlquist"), "-o", "believed.csv"];
    const ended = await place.startUnder({ env }, ...args).ended;
    expect(ended.stderr).toMatch(/unit-disturbed-channel/);
    expect(ended.stderr).not.toMatch(/^ {4}at |internal error/m);
    expect(ended.code).toBe(0);
    expect(numbersOf(place.trace("believed.csv"), "x")).toHaveLength(101);
  });
});
