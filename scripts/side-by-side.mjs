/**
 * Commands of pages and examples, side by side, as many as there are cores: they wait for processes
 * most of the time.
 */
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { delimiter, join } from "node:path";
import { ROOT } from "./setup.mjs";
import { setup as stagePackage } from "./staged-package.mjs";

/**
 * Calls `work` for every item, several at a time, in their order. The first failure ends it, when
 * what is under way has ended.
 */
export async function eachSideBySide(items, work) {
  const waiting = [...items];
  let failure;
  async function serve() {
    while (waiting.length > 0 && failure === undefined)
      try {
        await work(waiting.shift());
      } catch (error) {
        failure ??= error;
      }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, serve));
  if (failure !== undefined) throw failure;
}

/**
 * An environment in which `npx cosimo` is the package as users install it, without the half second
 * that npx takes to find it. Everything else, and `npx` elsewhere in .ci/run, is npx itself.
 */
export async function withPackage() {
  await stagePackage();
  const folder = join(ROOT, "out", "bin");
  mkdirSync(folder, { recursive: true });
  const command = join(ROOT, "out", "package", "bin", "cosimo.js");
  const { PATH } = process.env;
  const text = `#!/bin/sh
if [ "$1" = cosimo ]; then
  shift
  exec "${process.execPath}" "${command}" "$@"
fi
PATH="\${PATH#*:}" exec npx "$@"
`;
  writeFileSync(join(folder, "npx"), text, { mode: 0o755 });
  return { ...process.env, PATH: `${folder}${delimiter}${PATH}` };
}

/** As `spawnSync` with texts, but others go on meanwhile. */
export function runProgram(program, args, { cwd, timeout, env }) {
  return new Promise((resolve, reject) => {
    const stdio = ["ignore", "pipe", "pipe"];
    const child = spawn(program, args, { cwd, timeout, env, stdio });
    const printed = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"])
      child[name].setEncoding("utf8").on("data", (piece) => {
        printed[name] += piece;
      });
    child.on("error", reject);
    child.on("close", (status, signal) => resolve({ status, signal, ...printed }));
  });
}
