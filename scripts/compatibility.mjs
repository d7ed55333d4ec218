/**
 * What Cosimo makes of a folder of FMUs and packages: which are opened, which run, which are
 * refused and why.
 *
 *     npm run compatibility -- <folder…> [--seconds 20] [--jobs 2] [--json] [--write]
 *
 * Every .fmu and .ssp below the folders goes through the built command, each in processes of its
 * own: `validate` (what does not conform to the standard), then `run` for at most a hundred steps of its
 * own experiment. A file that no step is known for gets a hundredth of its experiment. `--seconds`
 * bounds each command, `--write` puts the table into bench/compatibility.md (without a folder: that
 * of our fixtures and of our examples, which are packed for it), `--built` takes the build as it
 * is, `--command` another one. Ours are written in the ways of other tools, too (dialects.mjs). The exit code is 0: a refusal is a result.
 */
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { commitAndDate, writeResults } from "../bench/results.mjs";
import { writeDialects } from "./dialects.mjs";
import { ROOT, setup } from "./setup.mjs";

const USAGE =
  "usage: npm run compatibility -- <folder…> [--seconds 20] [--jobs 2] [--json] [--write] [--built | --command <file>]";
const MOST_STEPS = 100;

/** What a package says when it cannot be read at all. */
const REFUSED = /^\S.* error (archive-|xml-|ssp-)/m;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: "string", default: "20" },
    jobs: { type: "string", default: "2" },
    json: { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    built: { type: "boolean", default: false },
    command: { type: "string" },
    help: { type: "boolean", short: "h", default: false },
  },
});
const isOurs = positionals.length === 0 && options.write;
const folders = isOurs ? [join(ROOT, "fixtures", "build")] : positionals;
if (options.help || folders.length === 0) {
  console.log(USAGE);
  process.exit(options.help ? 0 : 2);
}
const COMMAND = options.command ?? join(ROOT, "packages", "cosimo", "bin", "cosimo.js");
const missing = options.built || options.command !== undefined ? undefined : await setup();
if (missing) throw new Error(missing);
const temp = mkdtempSync(join(tmpdir(), "cosimo-compatibility-"));
let results;
try {
  if (isOurs) {
    folders.push(await packedExamples(), join(temp, "dialects"));
    writeDialects(join(temp, "dialects"));
  }
  const files = folders.flatMap((folder) => modelsBelow(resolve(folder)));
  if (files.length === 0) {
    console.error(`no .fmu and no .ssp below ${folders.join(", ")}`);
    process.exitCode = 2;
  }
  results = await inTurns(files, Number(options.jobs), examine);
} finally {
  rmSync(temp, { recursive: true, force: true });
}
const page = table(results);
if (options.write && results.length > 0)
  writeResults("compatibility.md", `${commitAndDate()}.`, page);
if (results.length > 0) console.log(options.json ? JSON.stringify(results, null, 2) : page);

/** Packages of our examples, in a folder: of all that SSP has words for. */
async function packedExamples() {
  const packages = join(temp, "examples");
  mkdirSync(packages);
  for (const name of readdirSync(join(ROOT, "examples"))) {
    const written = ["SystemStructure.ssd", "scenario.yaml"]
      .map((file) => join(ROOT, "examples", name, file))
      .find(existsSync);
    if (written !== undefined)
      await cosimo("export", written, "-o", join(packages, `${name}.ssp`), "--trust");
  }
  return packages;
}

/** A file, or all FMUs and packages below a folder. */
function modelsBelow(path) {
  const isModel = (name) => /\.(fmu|ssp)$/i.test(name);
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && isModel(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** `work` for every item, `jobs` at a time; results in the order of the items. */
async function inTurns(items, jobs, work) {
  const done = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const i = next++;
      done[i] = await work(items[i]);
      if (process.stderr.isTTY) process.stderr.write(`\r${next} of ${items.length} `);
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, jobs || 1) }, worker));
  if (process.stderr.isTTY) process.stderr.write("\r");
  return done;
}

async function examine(path) {
  const name = nameOf(path);
  const validated = await cosimo("validate", path, "--json");
  const { findings = [] } = parsed(validated.stdout) ?? {};
  const count = (severity) => findings.filter((finding) => finding.severity === severity).length;
  const about = { name, errors: count("error"), warnings: count("warning") };
  const isPackage = /\.ssp$/i.test(path);
  const described = isPackage ? undefined : await cosimo("info", path, "--json");
  const facts = described && parsed(described.stdout);
  // Under --json a refusal is JSON, too.
  if (described !== undefined && facts?.fmiVersion === undefined)
    return { ...about, kind: "FMU", opened: false, ran: false, why: reasonOf(described) };
  const kind = isPackage ? "SSP" : `FMI ${facts.fmiVersion} ${interfaces(facts)}`;
  const out = join(temp, `${basename(path)}-${Math.random().toString(36).slice(2)}.csv`);
  const first = await cosimo("run", path, "-q", "-o", out, ...experimentOf(facts));
  const ran =
    isPackage && /step-missing|no stop time|no-stop/.test(first.stderr)
      ? await cosimo("run", path, "-q", "-o", out, "--step", "0.01", "--stop", "1")
      : first;
  rmSync(out, { force: true });
  const opened = ran.code === 0 || !isPackage || !REFUSED.test(ran.stderr);
  return { ...about, kind, opened, ran: ran.code === 0, why: ran.code === 0 ? "" : reasonOf(ran) };
}

function nameOf(path) {
  const base = folders.map((folder) => resolve(folder)).find((folder) => path.startsWith(folder));
  if (base === undefined || base === path) return basename(path);
  return folders.length > 1 ? join(basename(base), relative(base, path)) : relative(base, path);
}

function interfaces({ coSimulation, modelExchange, scheduledExecution }) {
  return [coSimulation && "CS", modelExchange && "ME", scheduledExecution && "SE"]
    .filter(Boolean)
    .join("+");
}

/**
 * At most a hundred steps; nothing where the FMU states nothing, so that the message about it is
 * shown.
 */
function experimentOf(facts) {
  const { start = 0, stop, step } = facts?.experiment ?? {};
  if (step > 0)
    return [
      "--step",
      String(step),
      "--stop",
      String(Math.min(stop ?? Number.POSITIVE_INFINITY, start + MOST_STEPS * step)),
    ];
  if (stop > start) return ["--step", String((stop - start) / MOST_STEPS)];
  return facts === undefined ? [] : ["--step", "0.01", "--stop", String(start + 1)];
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first message, without its place. */
function reasonOf({ stderr, signal }) {
  if (signal !== null) return `no answer within ${options.seconds} s`;
  const lines = stderr.split("\n").filter((line) => line.trim() !== "");
  const line =
    lines.find((one) => / error [\w-]+:/.test(one)) ??
    lines.find((one) => one.startsWith("cosimo: ")) ??
    lines[0] ??
    "no message";
  return line
    .replace(/^.*? error ([\w-]+: )/, "$1")
    .replaceAll("|", "\\|")
    .slice(0, 160);
}

/** @returns how the command ended; it is ended by force when it takes too long. */
function cosimo(...words) {
  return new Promise((done) => {
    const child = spawn(process.execPath, [COMMAND, ...words], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, TMPDIR: temp, NO_COLOR: "1" },
    });
    const texts = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"])
      child[name].setEncoding("utf8").on("data", (text) => {
        texts[name] += text;
      });
    const timer = setTimeout(() => child.kill("SIGTERM"), Number(options.seconds) * 1000);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      done({ ...texts, code, signal: code === 143 ? "SIGTERM" : signal });
    });
  });
}

function table(all) {
  const share = (part) => `${part.length} of ${all.length}`;
  const ran = all.filter((one) => one.ran);
  const opened = all.filter((one) => one.opened);
  const clean = all.filter((one) => one.errors === 0);
  const row = (cells) => `| ${cells.join(" | ")} |`;
  const yes = (flag) => (flag ? "yes" : "**no**");
  const findings = ({ errors, warnings }) =>
    errors + warnings === 0 ? "–" : `${errors} errors, ${warnings} warnings`;
  return [
    `Opened: ${share(opened)}; ran: ${share(ran)}; without errors against the standard: ${share(clean)}.`,
    "",
    row(["file", "kind", "opened", "ran", "validate", "why not"]),
    row(["---", "---", "---", "---", "---", "---"]),
    ...all.map((one) =>
      row([one.name, one.kind, yes(one.opened), yes(one.ran), findings(one), one.why || "–"]),
    ),
  ].join("\n");
}
