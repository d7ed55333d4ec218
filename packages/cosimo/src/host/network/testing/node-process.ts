/**
 * A node for tests: the built command, in a process of its own. A caller blocks its thread while it
 * waits, so no node can share it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const COMMAND = fileURLToPath(new URL("../../../../bin/cosimo.js", import.meta.url));

export interface NodeProcess {
  /** What it said, both streams. */
  readonly said: () => string;
  readonly pid: number;
  kill(signal: NodeJS.Signals): Promise<number | null>;
}

/** @returns when it is ready. @throws with what it said when it ends before. */
export function startNode(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  command: string = COMMAND,
): Promise<NodeProcess> {
  const child: ChildProcess = spawn(process.execPath, [command, "node", ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  let said = "";
  const ended = new Promise<number | null>((resolve) => {
    child.once("exit", (code) => resolve(code));
  });
  return new Promise((resolve, reject) => {
    const hear = (bytes: Buffer): void => {
      said += bytes.toString();
      if (/ offers \d+ unit| works on studies /.test(said))
        resolve({
          said: () => said,
          pid: child.pid ?? 0,
          kill(signal) {
            child.kill(signal);
            return ended;
          },
        });
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    void ended.then((code) => reject(new Error(`the node ended with ${code}: ${said}`)));
  });
}
