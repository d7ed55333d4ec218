/**
 * Which traces changed since another commit: runs the scenarios of examples/ and fixtures/scenarios
 * that both checkouts have, with the build of each and the same FMUs, and compares every column bit
 * for bit.
 *
 *     git worktree add --detach ../before <commit> && (cd ../before && node scripts/setup.mjs)
 *     node scripts/compare-traces.mjs ../before [--masters own,jacobi,gauss-seidel,iterative,adaptive] [scenario…]
 *
 * Each checkout runs its own scenario and its own modules, whose imports may have changed; a
 * scenario whose text changed is marked with *. Prints Markdown:
 * docs/decisions/0014-what-an-input-holds.md has tables of it.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { ROOT } from "./setup.mjs";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { masters: { type: "string", default: "own" } },
});
const [before, ...wanted] = positionals;
if (before === undefined) throw new Error("which checkout? See the head of this script");
const BEFORE = resolve(before);
const { parseCsv } = await import(
  pathToFileURL(join(ROOT, "packages", "cosimo", "dist", "index.js")).href
);
const folder = mkdtempSync(join(tmpdir(), "compare-traces-"));

/** Older commits ask no one. */
const TRUST_BEFORE = /--trust/.test(text(BEFORE, "CHANGELOG.md")) ? ["--trust"] : [];

const rows = [];
try {
  for (const scenario of scenarios())
    for (const master of values.masters.split(",")) rows.push(await compared(scenario, master));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
print();

function scenarios() {
  const files = ["examples", join("fixtures", "scenarios")].flatMap((part) =>
    readdirSync(join(ROOT, part), { recursive: true }).map((file) => join(part, file)),
  );
  return files
    .filter((file) => /\.(yaml|ssd)$/.test(file) && existsSync(join(BEFORE, file)))
    .filter((file) => /^units:/m.test(text(ROOT, file)) || file.endsWith(".ssd"))
    .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
    .sort();
}

async function compared(scenario, master) {
  const [old, now] = await Promise.all([
    run(BEFORE, scenario, master, TRUST_BEFORE),
    run(ROOT, scenario, master, ["--trust"]),
  ]);
  const mark = text(BEFORE, scenario) === text(ROOT, scenario) ? "" : " *";
  const name = `${scenario.replace(/^examples\/|^fixtures\//, "").replace(/\.(yaml|ssd)$/, "")}${mark}`;
  return { name, master, ...difference(old, now) };
}

function text(root, file) {
  return readFileSync(join(root, file), "utf8");
}

/** A trace, or the code of the error that ended the run. */
async function run(root, scenario, master, more) {
  const out = join(folder, `${root === ROOT ? "now" : "before"}.csv`);
  rmSync(out, { force: true });
  const args = ["run", scenario, "--quiet", "-o", out, "--timeout", "60", ...more];
  if (master !== "own") args.push("--master", master);
  // A package says nothing of steps; its README gives one.
  if (scenario.endsWith(".ssd")) args.push("--step", "0.1");
  const child = spawn(process.execPath, [join(root, "packages/cosimo/bin/cosimo.js"), ...args], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
  });
  let printed = "";
  child.stderr.setEncoding("utf8").on("data", (piece) => {
    printed += piece;
  });
  const code = await new Promise((done) => child.on("close", done));
  const why = printed.match(/error ([\w-]+):/)?.[1] ?? printed.trim().split("\n")[0];
  const ended = code === 0 ? undefined : `${code}: ${why}`;
  if (!existsSync(out)) return { ended };
  return { ended, trace: parseCsv(readFileSync(out, "utf8"), out).value };
}

function difference(old, now) {
  if (old.trace === undefined || now.trace === undefined || old.ended !== now.ended) {
    const same = old.ended === now.ended && old.trace === undefined && now.trace === undefined;
    if (same) return { refused: old.ended };
    return { changed: `before: ${old.ended ?? "completed"}; now: ${now.ended ?? "completed"}` };
  }
  const parts = [];
  const common = commonRows(old.trace.time, now.trace.time);
  if (old.trace.time.length !== now.trace.time.length || common.length !== now.trace.time.length)
    parts.push(`rows ${old.trace.time.length} → ${now.trace.time.length}`);
  for (const column of old.trace.columns) {
    const other = now.trace.columns.find(({ name }) => name === column.name);
    if (other === undefined) {
      parts.push(`no column ${column.name}`);
      continue;
    }
    const { largest, at, scale } = farthest(column.data, other.data, common, old.trace.time);
    if (largest > 0)
      parts.push(
        `${column.name} ${largest.toExponential(1)} of ${scale.toPrecision(2)} at t=${Number(at.toPrecision(6))}`,
      );
  }
  return parts.length === 0 ? { same: now.trace.time.length } : { changed: parts.join("; ") };
}

/** Pairs of rows of one time; of several rows at one time the first of both belong together, and so on. */
function commonRows(before, now) {
  const pairs = [];
  for (let i = 0, j = 0; i < before.length && j < now.length; )
    if (before[i] === now[j]) pairs.push([i++, j++]);
    else if (before[i] < now[j]) i++;
    else j++;
  return pairs;
}

function farthest(before, now, pairs, time) {
  let [largest, at, scale] = [0, 0, 0];
  for (const [i, j] of pairs) {
    const [a, b] = [before[i], now[j]];
    if (typeof a === "number" && Number.isFinite(a)) scale = Math.max(scale, Math.abs(a));
    if (Object.is(a, b) || a === b) continue;
    const far = typeof a === "number" && typeof b === "number" ? Math.abs(a - b) : 1;
    if (!(far <= largest)) [largest, at] = [far, time[i]];
  }
  return { largest, at, scale };
}

function print() {
  const changed = rows.filter(({ changed }) => changed);
  const count = (key) => rows.filter((row) => row[key] !== undefined).length;
  console.log(
    `${rows.length} runs: ${count("same")} the same bit for bit, ${count("refused")} refused by both, ${changed.length} changed.\n`,
  );
  console.log(`Of ${relative(ROOT, BEFORE) || "."}; FMUs of fixtures/build are the same.\n`);
  console.log("| scenario | master | change |\n|---|---|---|");
  for (const row of changed) console.log(`| ${row.name} | ${row.master} | ${row.changed} |`);
}
