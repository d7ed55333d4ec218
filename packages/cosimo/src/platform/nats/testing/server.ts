/**
 * A `nats-server` for tests, on loopback, with a port of its own. Tests that need it say so where
 * it is missing.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, connect as dial } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const PROGRAM = process.env["NATS_SERVER"] ?? "nats-server";

/** For `describe.skipIf`. */
export const HAS_SERVER: boolean = spawnSync(PROGRAM, ["--version"]).status === 0;

/** In the name of a suite. */
export const NEEDS_SERVER: string = HAS_SERVER
  ? ""
  : " (SKIPPED: nats-server is not installed; apt-get install nats-server)";

export interface TestServer {
  readonly url: string;
  /** As if the machine had lost power. */
  kill(): Promise<void>;
  /** Again, at the same address. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** @param config more lines of its configuration. */
export async function startServer(config = "", scheme = "nats"): Promise<TestServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "cosimo-nats-"));
  const file = join(folder, "server.conf");
  writeFileSync(file, `host: "127.0.0.1"\nport: ${port}\n${config}\n`);
  let child: ChildProcess | undefined;
  const start = async (): Promise<void> => {
    child = spawn(PROGRAM, ["-c", file], { stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    child.stderr?.on("data", (bytes: Buffer) => {
      said += bytes.toString();
    });
    for (let i = 0; i < 200; i++) {
      if (await answers(port)) return;
      if (child.exitCode !== null) throw new Error(`nats-server ended: ${said}`);
      await sleep(50);
    }
    throw new Error(`nats-server does not answer: ${said}`);
  };
  const kill = async (): Promise<void> => {
    const one = child;
    child = undefined;
    if (one === undefined || one.exitCode !== null || one.signalCode !== null) return;
    const ended = new Promise((resolve) => one.once("exit", resolve));
    one.kill("SIGKILL");
    await ended;
  };
  await start();
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    kill,
    start,
    async stop() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dial(port, "127.0.0.1");
    socket.once("data", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
