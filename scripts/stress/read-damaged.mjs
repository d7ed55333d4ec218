/**
 * A process of its own that reads damaged files, one after the other: `read-damaged.mjs <kind>
 * <seed> <first> <count> <folder>`.
 *
 * It writes the number of every case before it begins (a reader that never comes back, or takes the
 * process along, has a name then) and what was broken as JSON, both at once and to the disk.
 */
import { mkdirSync, openSync, rmSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { shorten } from "./judge.mjs";
import { randomFrom } from "./random.mjs";
import { READERS } from "./readers.mjs";

/** One file must not take more processor time. */
const SLOW_SECONDS = 20;

const [kind, seed, first, count, folder] = process.argv.slice(2);
const { corpus, mutate, read } = READERS[kind];
const originals = await corpus();
const progress = openSync(join(folder, "progress.txt"), "w");
const findings = openSync(join(folder, "findings.txt"), "w");

for (let number = Number(first); number < Number(first) + Number(count); number++) {
  const random = randomFrom(seed, kind, number);
  const original = random.pick(originals);
  const damaged = mutate(original, random, originals);
  writeSync(progress, `${number}\n`);
  const place = join(folder, "case");
  mkdirSync(place, { recursive: true });
  const before = process.cpuUsage();
  const report = (rule, detail) => {
    writeFileSync(join(folder, `input-${number}`), damaged);
    writeSync(findings, `${JSON.stringify({ rule, number, detail: shorten(detail) })}\n`);
  };
  try {
    for (const { rule, detail } of lookAt(await read(damaged, { folder: place, original })))
      report(rule, detail);
  } catch (error) {
    // What a command turns into words is an answer as well.
    if (!Array.isArray(error?.diagnostics)) report("trace", String(error?.stack ?? error));
  }
  const { user, system } = process.cpuUsage(before);
  const seconds = (user + system) / 1e6;
  if (seconds > SLOW_SECONDS) report("hang", `${seconds.toFixed(1)} s`);
  rmSync(place, { recursive: true, force: true });
}
writeSync(progress, "done\n");

/** Answers have a value or say why not. How much of it is printed is a matter of the commands. */
function lookAt(answers) {
  const broken = [];
  for (const { value, diagnostics } of answers) {
    if (!Array.isArray(diagnostics))
      broken.push({ rule: "silent", detail: "no list of diagnostics" });
    else if (value === undefined && !diagnostics.some(({ severity }) => severity === "error"))
      broken.push({ rule: "silent", detail: "refused without an error" });
  }
  return broken;
}
