/**
 * The class "damaged files": thousands of files with damage, read in batches by a process that may
 * not hang, throw or eat memory.
 */
import { spawn } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readIfThere, slowness } from "./command.mjs";
import { READERS } from "./readers.mjs";

const CHILD = fileURLToPath(new URL("./read-damaged.mjs", import.meta.url));
const MEMORY_MB = 700;
/** A reader that says nothing for so long, on a machine that is not busy, does not come back. */
const SILENT_MS = 40_000;
const POLL_MS = 250;

export function damagedFileCases(work, { seed, short }) {
  const size = short ? 150 : 250;
  const batches = short ? 1 : 4;
  return Object.keys(READERS).flatMap((kind) =>
    Array.from({ length: batches }, (_, batch) => ({
      name: `${kind} ${batch * size}+${size}`,
      size,
      run: ({ until }) => readBatch(work, kind, seed, batch * size, size, until),
    })),
  );
}

async function readBatch(work, kind, seed, first, count, until) {
  const folder = join(work, `${kind}-${first}`.replace(/\W+/g, "-"));
  mkdirSync(folder, { recursive: true });
  const args = [`--max-old-space-size=${MEMORY_MB}`, CHILD, kind, seed, first, count, folder];
  const child = spawn(process.execPath, args.map(String), { stdio: ["ignore", "ignore", "pipe"] });
  let said = "";
  child.stderr.on("data", (chunk) => {
    said = (said + chunk).slice(0, 4000);
  });
  const ended = new Promise((resolve) => {
    child.on("exit", (code, signal) => resolve({ code, signal }));
  });
  let hangs = false;
  const watch = setInterval(() => {
    const silent = Date.now() - lastSign(folder);
    hangs = silent > SILENT_MS * slowness();
    // When the time is over, a batch ends where it is; that breaks no rule.
    if (hangs || performance.now() > until) child.kill("SIGKILL");
  }, POLL_MS);
  const { code, signal } = await ended;
  clearInterval(watch);
  const numbers = (readIfThere(join(folder, "progress.txt")) ?? "").split("\n").filter(Boolean);
  const done = numbers.at(-1) === "done";
  const last = numbers.filter((line) => line !== "done").at(-1);
  const broken = (readIfThere(join(folder, "findings.txt")) ?? "")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .map(({ rule, number, detail }) => ({ rule, detail: `number ${number}: ${detail}` }));
  if (hangs) broken.push({ rule: "hang", detail: `number ${last} does not come back` });
  else if (!done && performance.now() < until)
    broken.push({
      rule: "code",
      detail: `number ${last} ended the process (${signal ?? code}): ${said}`,
    });
  return { broken, count: numbers.length - (done ? 1 : 0), folder };
}

function lastSign(folder) {
  try {
    return statSync(join(folder, "progress.txt")).mtimeMs;
  } catch {
    return Date.now();
  }
}
