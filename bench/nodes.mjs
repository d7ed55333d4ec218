/** A NATS server on loopback, and nodes, for benchmarks. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT } from "../scripts/setup.mjs";

const started = [];

/** @returns its address. */
export async function startServer() {
  const port = await freePort();
  const child = spawn("nats-server", ["-a", "127.0.0.1", "-p", String(port)], { stdio: "ignore" });
  child.on("error", () => {
    throw new Error("nats-server is not installed: apt-get install nats-server");
  });
  started.push(child);
  await sleep(500);
  return `nats://127.0.0.1:${port}`;
}

export async function startNode(url, name, offer) {
  const command = join(ROOT, "packages", "cosimo", "bin", "cosimo.js");
  const args = [command, "node", "--name", name, "--offer", offer, "--server", url];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, COSIMO_TRUST: ROOT },
  });
  started.push(child);
  await once(child.stdout, "data");
  return child;
}

export async function stopAll() {
  for (const child of started.splice(0).reverse()) await end(child);
}

export async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  return port;
}
