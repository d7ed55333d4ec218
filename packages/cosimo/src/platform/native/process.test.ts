/**
 * Crashes, hangs, printing and leaking FMUs, each in a process that may die of it. Rules:
 * docs/spec/native.md.
 */
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CALL_NAMES } from "./call-names.ts";
import { readLogFile } from "./log-ring.ts";
import { Behaviour } from "./testing/behaviour.ts";
import { killChildWhen, runChild } from "./testing/child.ts";
import { unpackFixtures, VERSIONS } from "./testing/fixtures.ts";

const fixture = unpackFixtures();

/** Writes the lastCall and its steps into a shared file while it runs towards its end. */
function runAndDie(file: string, behaviour: number): string {
  return `
    const { bytes } = mapSharedFile(${JSON.stringify(file)}, 4096);
    const lastCall = new Int32Array(bytes.buffer, 0, 1);
    const rows = new Float64Array(bytes.buffer, 8, 16);
    const unit = open({ lastCall }, { behaviour: ${behaviour} });
    start(unit);
    for (let i = 0; i < 10; i++) {
      rows[i] = unit.advance(i / 10, { kind: "time", time: (i + 1) / 10 }).time;
    }`;
}

describe.each(VERSIONS)("%s FMUs that take their process along", (version) => {
  const misbehaving = (): ReturnType<typeof fixture> => fixture(`${version}/Misbehaving`);

  /** What a supervisor sees in the shared file: the running call, and the recorded times. */
  function look(file: string): { readonly call: string; readonly times: readonly number[] } {
    const bytes = existsSync(file) ? readFileSync(file) : Buffer.alloc(0);
    if (bytes.length === 0) return { call: "", times: [] };
    const times = Array.from({ length: 10 }, (_, i) => bytes.readDoubleLE(8 + 8 * i));
    return { call: CALL_NAMES[bytes.readInt32LE(0)], times: times.filter((time) => time > 0) };
  }

  it("[NA52] [NA61] one that crashes leaves its lastCall and everything recorded", async () => {
    const fmu = await misbehaving();
    const file = join(fmu.folder, "..", "shared");
    const child = runChild(fmu, runAndDie(file, Behaviour.segfault));
    expect(child.signal, child.stderr).toBe("SIGSEGV");
    expect(look(file)).toEqual({ call: `${version}DoStep`, times: [0.1, 0.2, 0.3, 0.4] });
  });

  it("[NA52] [NA61] one that hangs can be told from outside, and killed", async () => {
    const fmu = await misbehaving();
    const file = join(fmu.folder, "..", "shared");
    const isThere = (): boolean =>
      look(file).times.length === 4 && look(file).call === `${version}DoStep`;
    expect(await killChildWhen(fmu, runAndDie(file, Behaviour.hang), isThere)).toBe("SIGKILL");
    expect(look(file)).toEqual({ call: `${version}DoStep`, times: [0.1, 0.2, 0.3, 0.4] });
  });

  it("[NA45] one that is killed in a call leaves what it said in that call", async () => {
    const fmu = await fixture(`gotchas/${version}/Talkative`);
    const file = join(fmu.folder, "..", "log");
    const child = runChild(
      fmu,
      `open({ loggingOn: true, logFile: ${JSON.stringify(file)}, callLog: () => process.abort() });`,
    );
    expect(child.signal, child.stderr).toBe("SIGABRT");
    const said = readLogFile(readFileSync(file)).map(({ message }) => message);
    expect(said.find((message) => message.startsWith("integers"))).toContain("4000000000 ff");
  });

  it("[NA62] one that prints does not spoil a redirected stdout", async () => {
    const fmu = await fixture(`gotchas/${version}/PrintsToStdout`);
    const script = (redirect: string): string => `
      import { writeSync } from "node:fs";
      ${redirect}
      const unit = open();
      start(unit);
      unit.advance(0, { kind: "time", time: 0.1 });
      unit.dispose();
      writeSync(out.fd, '{"result":1}');
      out.restore();
      writeSync(1, "!");`;
    const clean = runChild(fmu, script("const out = redirectStdoutToStderr();"));
    expect(clean.stdout, clean.stderr).toBe('{"result":1}!');
    expect(clean.stderr).toContain("PrintsToStdout steps to t=0.1");
    const control = runChild(fmu, script("const out = { fd: 1, restore() {} };"));
    expect(control.stdout).toContain("PrintsToStdout steps");
  });

  it("[NA7] one whose library is missing says which", async () => {
    const fmu = await fixture(`gotchas/${version}/BundledLibrary`);
    const platform = version === "fmi2" ? "linux64" : "x86_64-linux";
    const helper = join(fmu.folder, "binaries", platform, "libcosimo_helper.so");
    renameSync(helper, join(fmu.folder, "gone"));
    const child = runChild(fmu, "console.log(checkBinary(fmu).map((d) => d.message).join());");
    expect(child.stdout, child.stderr).toMatch(
      /cannot be loaded: libcosimo_helper\.so: cannot open/,
    );
  });

  it("ends by itself: nothing of a living instance keeps the process", async () => {
    const child = runChild(await misbehaving(), 'start(open()); console.log("done");');
    expect(child.stdout).toBe("done\n");
    expect(child.status).toBe(0);
  });
});

interface Lives {
  readonly warmUp: number;
  readonly measured: number;
  readonly behaviour?: number;
  readonly dispose?: boolean;
}

/** MiB that resident memory grew by over the measured instances. */
function growthScript({ warmUp, measured, behaviour = 0, dispose = true }: Lives): string {
  return `
    function live() {
      const unit = open({}, { behaviour: ${behaviour} });
      start(unit);
      for (let i = 0; i < 10; i++) unit.advance(i / 10, { kind: "time", time: (i + 1) / 10 });
      const snapshot = unit.save();
      unit.restore(snapshot);
      unit.release(snapshot);
      ${dispose ? "unit.dispose();" : ""}
    }
    async function lives(count) {
      for (let i = 0; i < count; i++) {
        live();
        if (i % 50 === 49) { gc(); await new Promise((resolve) => setImmediate(resolve)); }
      }
      gc();
      return process.memoryUsage.rss() / 2 ** 20;
    }
    const before = await lives(${warmUp});
    console.log((await lives(${measured})) - before);`;
}

describe.each(VERSIONS)("the memory of %s FMUs", (version) => {
  const growth = async (lives: Lives): Promise<number> => {
    const child = runChild(await fixture(`${version}/Misbehaving`), growthScript(lives));
    expect(child.status, child.stderr).toBe(0);
    return Number(child.stdout);
  };

  it("[NA60] stays flat over a thousand instances", async () => {
    expect(await growth({ warmUp: 500, measured: 1000 })).toBeLessThan(8);
  });

  it("[NA60] grows when instances are not disposed (positive control)", async () => {
    expect(await growth({ warmUp: 500, measured: 1000, dispose: false })).toBeGreaterThan(16);
  });

  it("[NA60] grows when the FMU itself leaks (positive control)", async () => {
    const lives = { warmUp: 5, measured: 10, behaviour: Behaviour.leak };
    expect(await growth(lives)).toBeGreaterThan(50);
  });
});
