/**
 * `npm run mutate -- --zone plan`: how many random mistakes in a zone do its tests notice?
 *
 * A mutation changes one operator, literal or statement of a source file (no strings, no comments).
 * The tests that import the file, directly or not, run on it; the first failure, or a test that
 * never ends, catches it. Survivors are printed with their place: each is a missing test, or
 * equivalent code. The file is restored whatever happens.
 */
import { spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { parseArgs } from "node:util";

const HELP = `usage: node scripts/mutate.mjs --zone <zone>[,<zone>] [options]
  --zone <names>   folders of packages/cosimo/src, or 'all'
  --count <n>      mutations to try (default 20)
  --seed <n>       repeats a choice (default: from the clock, printed)
  --seconds <n>    limit per mutation; longer counts as caught, since untouched tests end (default 240)
  --tests <parts>  run the test files whose path contains one of these (comma-separated) instead of those that
                   import the file
  --list           print the mutations, run nothing
exit code: 0 all caught, 1 survivors, 2 wrong use`;

const { values } = parseArgs({
  options: {
    zone: { type: "string" },
    count: { type: "string", default: "20" },
    seed: { type: "string" },
    seconds: { type: "string", default: "240" },
    tests: { type: "string" },
    list: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help || values.zone === undefined) {
  console.log(HELP);
  process.exit(values.help ? 0 : 2);
}

const SRC = join("packages", "cosimo", "src");
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const random = mulberry32(seed);
const pick = (list) => list[Math.floor(random() * list.length)];

/** Each row: what to look for in code without strings and comments, and what to put there. */
const MUTATORS = [
  [
    "boundary",
    / (<|<=|>|>=) /g,
    (m) => ({ " < ": " <= ", " <= ": " < ", " > ": " >= ", " >= ": " > " })[m[0]],
  ],
  ["direction", / (<|>) /g, (m) => (m[0] === " < " ? " > " : " < ")],
  ["equality", / (===|!==) /g, (m) => (m[0] === " === " ? " !== " : " === ")],
  ["logic", / (&&|\|\|) /g, (m) => (m[0] === " && " ? " || " : " && ")],
  ["sum", / (\+|-) (?=\S)/g, (m) => (m[0] === " + " ? " - " : " + ")],
  ["product", / (\*|\/) (?=\S)/g, (m) => (m[0] === " * " ? " / " : " * ")],
  ["number", /(?<![\w.$"'])\d+(?![\w.])/g, (m) => String(Number(m[0]) + 1)],
  ["boolean", /\b(true|false)\b(?! *[:|])/g, (m) => (m[0] === "true" ? "false" : "true")],
  ["extremum", /\bMath\.(min|max)\b/g, (m) => (m[0] === "Math.min" ? "Math.max" : "Math.min")],
  ["quantifier", /\.(every|some)\(/g, (m) => (m[0] === ".every(" ? ".some(" : ".every(")],
  ["condition", /\bif \((?=[^\n]*\)[ \n])/g, () => "if (true || "],
  ["condition", /\bif \((?=[^\n]*\)[ \n])/g, () => "if (false && "],
  [
    "statement",
    /^ +(?!return|const|let|var|throw|case|import|export|readonly|private)[\w.#[\]]+(\([^\n]*\)| [-+*]?= [^\n]+);$/gm,
    () => ";",
  ],
];

const files = sourceFiles(values.zone);
if (files.length === 0) {
  console.error(`no source files in zone '${values.zone}'`);
  process.exit(2);
}
console.log(`seed ${seed}, ${files.length} files`);
const chosen = choose(Number(values.count));
const survivors = [];
let caught = 0;
for (const [k, mutation] of chosen.entries()) {
  const { file, at, before, after, name } = mutation;
  const text = readFileSync(file, "utf8");
  const place = `${file}:${text.slice(0, at).split("\n").length}`;
  const label = `${place} ${name}: ${show(before)} -> ${show(after)}`;
  if (values.list) {
    console.log(label);
    continue;
  }
  const restore = () => writeFileSync(file, text);
  process.once("SIGINT", restore);
  const begun = Date.now();
  let ending;
  try {
    writeFileSync(file, text.slice(0, at) + after + text.slice(at + before.length));
    ending = await testsOn(file);
  } finally {
    restore();
    process.removeListener("SIGINT", restore);
  }
  const seconds = Math.round((Date.now() - begun) / 1000);
  if (ending === "passed") survivors.push(label);
  else caught++;
  console.log(
    `${k + 1}/${chosen.length} ${ending === "passed" ? "SURVIVED" : "caught"} (${seconds} s) ${label}`,
  );
}
if (!values.list) {
  console.log(`caught ${caught} of ${caught + survivors.length}; survivors:`);
  for (const label of survivors) console.log(`  ${label}`);
}
process.exitCode = survivors.length > 0 ? 1 : 0;

function sourceFiles(zone) {
  const zones = zone === "all" ? [""] : zone.split(",");
  return zones.flatMap((name) =>
    readdirSync(join(SRC, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /(?<!\.test|\.d)\.ts$/.test(entry.name))
      .map((entry) => relative(".", join(entry.parentPath ?? entry.path, entry.name)))
      .filter((path) => !path.split(sep).some((part) => part === "testing" || part === "generated"))
      .filter((path) => !path.endsWith("diagnostics.ts")),
  );
}

/** Files count by their number of candidates, so that every place is equally likely. */
function choose(count) {
  const all = files.flatMap((file) => candidates(file));
  const result = [];
  const taken = new Set();
  while (result.length < Math.min(count, all.length)) {
    const mutation = pick(all);
    const key = `${mutation.file}:${mutation.at}`;
    if (taken.has(key)) continue;
    taken.add(key);
    result.push(mutation);
  }
  return result;
}

function candidates(file) {
  const code = blankTexts(readFileSync(file, "utf8"));
  return MUTATORS.flatMap(([name, pattern, replace]) =>
    [...code.matchAll(pattern)]
      .filter((m) => !isDeclaration(code, m.index))
      .map((m) => ({ file, name, at: m.index, before: m[0], after: replace(m) })),
  );
}

/** Types are erased: a change there is none. */
function isDeclaration(code, at) {
  const line = code.slice(code.lastIndexOf("\n", at) + 1, code.indexOf("\n", at));
  return /^(import|export type|type|export interface|interface|declare)\b|^ +readonly [\w?]+:/.test(
    line,
  );
}

/** The same length, with strings, templates' texts, comments and regular expressions blanked. */
function blankTexts(text) {
  return text.replace(
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|(?<=[(,=:]\s*)\/(?:[^/\\\n]|\\.)+\/[a-z]*/g,
    (part) => part.replace(/[^\n]/g, "_"),
  );
}

function testsOn(file) {
  const selection = values.tests ? ["run", ...values.tests.split(",")] : ["related", file, "--run"];
  return new Promise((resolve) => {
    const child = spawn(
      join("node_modules", ".bin", "vitest"),
      [...selection, "--bail=1", "--maxWorkers=1", "--reporter=dot", "--passWithNoTests"],
      { stdio: "ignore", detached: true },
    );
    const timer = setTimeout(() => {
      process.kill(-child.pid, "SIGKILL");
    }, 1000 * Number(values.seconds));
    child.on("exit", (code, signal) => {
      clearTimeout(timer);
      resolve(signal !== null ? "endless" : code === 0 ? "passed" : "failed");
    });
  });
}

function show(part) {
  const line = part.trim().replace(/\s+/g, " ");
  return line === "" || line === ";"
    ? "(removed)"
    : line.length > 60
      ? `${line.slice(0, 60)}…`
      : line;
}

function mulberry32(state) {
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}
