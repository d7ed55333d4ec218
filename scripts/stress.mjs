/**
 * `npm run stress`: attacks the command with what nobody means well, and holds it to
 * docs/spec/stress.md.
 *
 *   --short          a sample of every class, for every change (.ci/run)
 *   --minutes <n>    bound on the whole; ten, or two in the short form, by default
 *   --seed <n>       another selection of random inputs; printed, so that a run can be repeated
 *   --only <text>    cases whose name contains this (class/case), to repeat one
 *   --keep           keep the folders of broken cases
 *   --write          put the table into bench/stress.md
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { setup as stagePackage } from "./staged-package.mjs";
import { CLASSES } from "./stress/classes.mjs";
import { endAt, OutOfTime } from "./stress/command.mjs";
import { RULES } from "./stress/judge.mjs";
import { randomFrom, shuffled } from "./stress/random.mjs";
import { stressTable } from "./stress/report.mjs";
import { furthestBehind } from "./stress/turns.mjs";

const { values: options } = parseArgs({
  options: {
    short: { type: "boolean", default: false },
    minutes: { type: "string" },
    seed: { type: "string" },
    only: { type: "string" },
    keep: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
  },
});
const minutes = Number(options.minutes ?? (options.short ? 2 : 10));
const seed = Number(options.seed ?? (options.short ? 1 : Date.now() % 1_000_000));
const busy = loadavg()[0];
await stagePackage();
const began = performance.now();
/** What is under way at the end is given up, and does not count; this is left for cleaning up. */
const CLOSING_MS = 10_000;
const until = options.only ? Number.POSITIVE_INFINITY : began + minutes * 60_000 - CLOSING_MS;
endAt(until);
const root = mkdtempSync(join(tmpdir(), "cosimo-stress-"));
// Ended early: what is mounted and what was written go all the same.
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
  process.on(signal, () => process.exit(code));
process.on("exit", () => {
  if (!options.keep) rmSync(root, { recursive: true, force: true, maxRetries: 3 });
});
console.log(`seed ${seed}, at most ${minutes} minutes`);
const results = Object.entries(CLASSES).map(([name, about]) => planned(name, about));
const work = async () => {
  while (performance.now() < until) {
    const result = furthestBehind(results);
    if (result === undefined) return;
    await runCase(result, result.queue.shift());
  }
};
// Some cases only wait, so there is one more than cores.
await Promise.all(Array.from({ length: availableParallelism() + 1 }, work));
if (options.keep) console.log(`folders: ${root}`);
const violations = results.flatMap((result) => result.violations);
const seconds = (performance.now() - began) / 1000;
console.log(`\n${stressTable(results)}\n`);
console.log(`${violations.length} violations, seed ${seed}, ${seconds.toFixed(0)} s`);
if (options.write) {
  const { commitAndDate, machine, writeResults } = await import("../bench/results.mjs");
  const load = `load average before: ${busy.toFixed(1)}, after: ${loadavg()[0].toFixed(1)}`;
  const head = `${commitAndDate()}; ${machine()}; seed ${seed}, ${seconds.toFixed(0)} s; ${load}.`;
  writeResults("stress.md", head, stressTable(results));
}
process.exitCode = violations.length > 0 || results.every(({ run }) => run === 0) ? 1 : 0;

/** The cases of a class in a random order, and what became of those that were run. */
function planned(name, { short, cases }) {
  const work = join(root, name);
  mkdirSync(work, { recursive: true });
  const all = cases(work, { seed, short: options.short });
  const wanted = all.filter(
    (each) => !options.only || `${name}/${each.name}`.includes(options.only),
  );
  const order = shuffled(wanted, randomFrom(seed, name));
  const queue = options.short && !options.only ? order.slice(0, short) : order;
  const size = wanted.reduce((sum, each) => sum + (each.size ?? 1), 0);
  const counts = { planned: size, total: queue.length, run: 0, cases: 0 };
  return { name, queue, ...counts, violations: [] };
}

async function runCase(result, each) {
  let outcome;
  try {
    outcome = await each.run({ until });
  } catch (error) {
    if (error instanceof OutOfTime) return;
    // The stress test itself must not hide behind its cases.
    outcome = { broken: [{ rule: "code", detail: `the case could not be run: ${error.stack}` }] };
  }
  result.run++;
  result.cases += outcome.count ?? 1;
  if (outcome.broken.length === 0) {
    if (outcome.folder && !options.keep) rmSync(outcome.folder, { recursive: true, force: true });
    return;
  }
  const name = `${result.name}/${each.name}`;
  for (const { rule, detail } of outcome.broken) {
    result.violations.push({ rule, case: each.name });
    console.log(`${name}: ${rule} (${RULES[rule]})\n    ${detail}`);
  }
  console.log(`    again: npm run stress -- --seed ${seed} --keep --only '${name}'`);
  if (outcome.seen) console.log(`    ran: cosimo ${outcome.seen.args.join(" ")}`);
}
