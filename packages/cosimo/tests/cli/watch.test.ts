/**
 * Runs that others watch, over a real server: what `cosimo watch` shows is what the trace has, and
 * nothing that watchers, strangers or the server do changes the trace.
 */
import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { connect as dial, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { connectNats } from "../../src/platform/nats/connect.ts";
import { type NetworkSettings, networkSettings } from "../../src/platform/nats/network-settings.ts";
import {
  HAS_SERVER,
  NEEDS_SERVER,
  startServer,
  type TestServer,
} from "../../src/platform/nats/testing/server.ts";
import { type Ended, fixture, type Running, Workplace } from "./cosimo.ts";

const place = new Workplace();
const CONFIG = join(import.meta.dirname, "../../../../deploy/nats-server.conf");
let server: TestServer;
const sockets: Socket[] = [];
const stopped: ChildProcess[] = [];

type Environment = Readonly<Record<string, string>>;

/** As users of deploy/nats-server.conf, whose permissions hold each to its name. */
const as = (user: string, more: Environment = {}): Environment => ({
  COSIMO_SERVER: server.url,
  COSIMO_PROJECT: "window",
  COSIMO_USER: user,
  COSIMO_PASSWORD: `secret of ${user}`,
  COSIMO_SILENCE: "20",
  ...more,
});
const start = (env: Environment, ...args: readonly string[]): Running =>
  place.startUnder({ env }, ...args);
const run = (env: Environment, ...args: readonly string[]): Promise<Ended> =>
  start(env, ...args).ended;

/** As long on the clock as it simulates, ten rows per second. */
const SLOW = ["--realtime", "--publish=lift"];
/** As fast as it goes: a million steps. */
const FAST = ["--stop", "10000", "--publish=lift"];

function masses(): string {
  return place.write(
    "masses.yaml",
    `units: { left: ${fixture("fmi2/MassSpringDamperLeft")}, right: ${fixture("fmi2/MassSpringDamperRight")} }
connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]
experiment: { stop: 4 s, step: 100 ms }
master: jacobi
record: [left.x_1, right.x_2]
`,
  );
}

async function alone(...more: readonly string[]): Promise<string> {
  const ended = await run({}, "run", masses(), "-o", "alone.csv", "-q", ...more);
  expect(ended.code, ended.stderr).toBe(0);
  return place.read("alone.csv");
}

/** A connection to the server that is spoken to by hand, and need not read what it gets. */
async function byHand(user: string, ...lines: readonly string[]): Promise<Socket> {
  const socket = dial(Number(new URL(server.url).port), "127.0.0.1");
  sockets.push(socket);
  socket.on("error", () => undefined);
  await new Promise((resolve) => socket.once("data", resolve));
  const who = { user, pass: `secret of ${user}`, verbose: false, pedantic: false };
  socket.write([`CONNECT ${JSON.stringify(who)}`, ...lines, ""].join("\r\n"));
  return socket;
}

describe.skipIf(!HAS_SERVER)(`runs that are watched${NEEDS_SERVER}`, { timeout: 120_000 }, () => {
  beforeAll(async () => {
    const text = readFileSync(CONFIG, "utf8")
      .replace(/^port: .*$/m, "")
      .replace("/var/lib/nats", place.path("jetstream"))
      .replace(/\$([A-Z_]+)_PASSWORD/g, (_, name: string) =>
        JSON.stringify(`secret of ${name.toLowerCase().replace("_", "-")}`),
      );
    server = await startServer(text);
  }, 60_000);

  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    for (const child of stopped.splice(0)) child.kill("SIGKILL");
  });

  afterAll(() => server?.stop(), 30_000);

  it("[DI26] [DI27] [DI29] watchers see the rows of the trace, exactly, under the permissions of deploy/", async () => {
    const expected = await alone("--stop", "8");
    const watch = ["watch", "lift"];
    const watchers = [
      run(as("watcher"), ...watch, "--csv"),
      run(as("watcher"), ...watch, "--json", "--record", "right.*"),
      run(as("oem"), ...watch),
    ];
    const nobody = run(as("watcher", { COSIMO_SILENCE: "3" }), "watch", "door");
    const runs = start(as("oem"), "run", masses(), ...SLOW, "--stop", "8", "-o", "seen.csv");
    await runs.says("cosimo watch lift");
    const list = await run(as("watcher"), "watch", "--json");
    const ended = await runs.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(place.read("seen.csv")).toBe(expected);
    const [csv, json, lines] = await Promise.all(watchers);
    for (const one of [csv, json, lines]) expect([one?.code, one?.stderr]).toEqual([0, ""]);
    // The run is slower than pictures are: hardly a row is missed.
    const seen = csv?.stdout.trim().split("\n") ?? [];
    const rows = new Set(expected.trim().split("\n"));
    expect(seen.filter((line) => !rows.has(line))).toEqual([]);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen.length).toBeGreaterThan(5);
    expect(seen[0]).toBe(expected.split("\n")[0]);
    expect(seen.at(-1)).toBe(expected.trim().split("\n").at(-1));
    const objects = (json?.stdout ?? "")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(objects[0]).toMatchObject({
      ...{ kind: "run", run: "lift", identity: "oem", start: 0, stop: 8 },
      columns: [{ name: "right.x_2", type: "float64", unit: "m" }],
    });
    expect(objects.at(-1)).toMatchObject({
      kind: "end",
      ended: "completed",
      steps: 80,
      rows: 81,
      dropped: 0,
    });
    expect(lines?.stdout).toContain("completed at t = 8 s of 8 s (100 %), 80 steps");
    expect(JSON.parse(list.stdout)).toMatchObject({
      project: "window",
      runs: [{ run: "lift", identity: "oem", title: "masses", columns: 2 }],
    });
    const silent = await nobody;
    expect([silent.code, silent.stderr]).toEqual([1, expect.stringContaining("watch-silent")]);
    const none = await run(as("watcher"), "watch", "--wait", "1");
    expect([none.code, none.stderr]).toEqual([1, expect.stringContaining("no run of the project")]);
  });

  it("[DI26] watchers that do not read change nothing, and a fast run is seen in part", async () => {
    const expected = await alone(...FAST.slice(0, 2), "--step", "0.01");
    for (let i = 0; i < 3; i++) {
      const deaf = await byHand("watcher", "SUB cosimo.window.live.> 1");
      deaf.pause();
    }
    const paused = start(as("watcher"), "watch", "lift", "--csv");
    stopped.push(paused.process);
    const watcher = run(as("watcher"), "watch", "lift", "--json");
    await sleep(2000);
    paused.process.kill("SIGSTOP");
    const ended = await run(
      as("oem"),
      "run",
      masses(),
      ...FAST,
      "--step",
      "0.01",
      "-o",
      "fast.csv",
    );
    expect(ended.code, ended.stderr).toBe(0);
    expect(place.read("fast.csv") === expected).toBe(true);
    const { code, stdout } = await watcher;
    expect(code).toBe(0);
    const lines = stdout.trim().split("\n");
    expect(JSON.parse(lines.at(-1) ?? "")).toMatchObject({ ended: "completed", rows: 1_000_001 });
    expect(lines.length).toBeLessThan(100_000);
  });

  it("[DI26] a server that is gone, and comes again, changes nothing; the end is seen", async () => {
    const expected = await alone("--stop", "12");
    const watcher = run(as("watcher"), "watch", "lift", "--json");
    const runs = start(as("oem"), "run", masses(), ...SLOW, "--stop", "12", "-o", "gone.csv");
    await runs.says("cosimo watch lift");
    await sleep(2000);
    await server.kill();
    await sleep(2000);
    await server.start();
    const ended = await runs.ended;
    expect(ended.code, ended.stderr).toBe(0);
    expect(place.read("gone.csv")).toBe(expected);
    const { code, stdout, stderr } = await watcher;
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout.trim().split("\n").at(-1) ?? "")).toMatchObject({
      ended: "completed",
    });
  });

  it("[DI28] what makes no sense is counted and told, and the values go on", async () => {
    const watcher = start(as("oem"), "watch", "lift", "--json");
    const runs = start(as("oem"), "run", masses(), ...SLOW, "-o", "noise.csv");
    const heard: string[] = [];
    const settings = networkSettings(
      as("oem", { COSIMO_PASSWORD_FILE: place.write("oem.txt", "secret of oem") }),
    );
    const stranger = await connectNats(settings as NetworkSettings, "stranger");
    stranger.subscribe("cosimo.window.live.>", {
      callback(_, { subject }) {
        if (heard.length < 3) stranger.publish(subject, Buffer.from("no"));
        heard.push(subject);
      },
    });
    const ended = await runs.ended;
    expect(ended.code, ended.stderr).toBe(0);
    const { code, stdout, stderr } = await watcher.ended;
    await stranger.close();
    expect(code, stderr).toBe(0);
    expect(stderr).toContain("dropped a message of 'oem' (1 so far): it is not JSON");
    const lines = stdout.trim().split("\n");
    expect(JSON.parse(lines.at(-1) ?? "").dropped).toBeGreaterThan(0);
    expect(lines.length).toBeGreaterThan(5);
  });

  it("[DI29] who may not watch or publish is told so; wrong credentials are refused before the run", async () => {
    const wrong = { COSIMO_PASSWORD: "guess" };
    for (const args of [
      ["watch"],
      ["watch", "lift"],
      ["run", masses(), ...SLOW, "-o", "none.csv"],
    ]) {
      const refused = await run(as("oem", wrong), ...args);
      expect([refused.code, refused.stderr]).toEqual([
        1,
        expect.stringContaining("refuses the credentials"),
      ]);
      expect(refused.stderr).not.toContain("guess");
    }
    expect(() => place.read("none.csv")).toThrow();
    const supplier = await run(as("supplier-a"), "watch", "lift");
    expect([supplier.code, supplier.stderr]).toEqual([
      1,
      expect.stringContaining("does not let 'supplier-a' watch"),
    ]);
    // A watcher cannot speak, not even under the name of who may; its run goes on unseen.
    for (const identity of ["watcher", "oem"]) {
      const runs = await run(
        as("watcher", { COSIMO_IDENTITY: identity }),
        "run",
        masses(),
        ...SLOW,
      );
      expect([runs.code, runs.stderr]).toEqual([
        0,
        expect.stringContaining(`does not let '${identity}' publish`),
      ]);
    }
  });

  it("[DI30] a run that is killed is told of, and ends its watchers within the bound", async () => {
    const env = as("oem", { COSIMO_SILENCE: "6" });
    const watcher = start(env, "watch", "lift", "--csv");
    const runs = start(env, "run", masses(), ...SLOW, "--stop", "1000");
    await runs.says("cosimo watch lift");
    await sleep(3000);
    process.kill(-(runs.process.pid as number), "SIGKILL");
    const { code, stdout, stderr } = await watcher.ended;
    expect(stdout.split("\n").length).toBeGreaterThan(3);
    expect(code).toBe(1);
    expect(stderr).toContain("waiting 5 s for 'lift', last heard 5 s ago; given up after 6 s");
    expect(stderr).toContain("nothing was heard of 'lift' for 6 s");
  });

  it("[DI27] says what cannot be watched, and that a pattern names nothing", async () => {
    for (const args of [
      ["a b"],
      ["lift/1"],
      ["--csv"],
      ["--record", "x"],
      ["lift", "--csv", "--json"],
      ["lift", "--wait", "1"],
    ]) {
      const refused = await run(as("oem"), "watch", ...args);
      expect(refused.code, args.join(" ")).toBe(2);
    }
    const watcher = run(as("oem"), "watch", "lift", "--record", "door.*");
    const named = await run(as("oem"), "run", masses(), "--publish=a.b");
    expect([named.code, named.stderr]).toEqual([
      2,
      expect.stringContaining("cannot be the name of a run"),
    ]);
    await run(as("oem"), "run", masses(), ...SLOW);
    const { code, stderr } = await watcher;
    expect([code, stderr]).toEqual([1, expect.stringContaining("watch-no-match")]);
    expect(stderr).toContain("left.x_1, right.x_2");
  });

  it("[DI27] ends when nobody reads it any more, and with Ctrl-C", async () => {
    const runs = start(as("oem"), "run", masses(), ...SLOW, "--stop", "20");
    const watcher = start(as("oem"), "watch", "lift", "--csv");
    const other = start(as("oem"), "watch", "lift");
    await runs.says("cosimo watch lift");
    await sleep(4000);
    other.process.kill("SIGINT");
    expect((await other.ended).code).toBe(130);
    watcher.process.stdout?.destroy();
    expect((await watcher.ended).code).toBe(0);
    runs.process.kill("SIGINT");
    expect((await runs.ended).code).toBe(130);
  });
});
