/**
 * Runs every command that the README, the guide and the READMEs of the examples print, exactly as
 * printed, so that a page cannot promise what the code does not do.
 *
 * A reader works in the root of a checkout. Each page therefore gets a folder of its own that looks
 * like one: the tracked files, with what is only read (node_modules, packages, built fixtures)
 * linked in at the same paths. Nothing else helps: a command whose path does not exist in a
 * checkout fails here, too.
 *
 *   ```sh run             commands, run with bash: the lines that begin with `$ `, or all lines where none does
 *                         (`# exit 1` at the end of a line is the exit code that it must have)
 *   ```js run             a program that imports "cosimo"
 *   ```yaml file=x.yaml   a file (of any language) that the commands of the page use
 *   ```sh elsewhere        commands that .ci/run runs itself, or no script can; any other ```sh block is an error
 *
 * Commands that examples/<system>/example.json lists are left to scripts/examples.mjs, which
 * compares their traces as well.
 *
 *     node scripts/guide-examples.mjs [page…]      docs/guide/run.md, README.md, …; default: all
 */
import { spawnSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { ROOT, setup } from "./setup.mjs";
import { eachSideBySide, runProgram, withPackage } from "./side-by-side.mjs";

const missing = await setup();
if (missing) throw new Error(missing);
const env = await withPackage();

/** What pages only read, if at all. */
const LINKED = [
  "node_modules",
  "packages",
  "apps",
  "bench",
  "docs/spec",
  "docs/decisions",
  "docs/reference",
  "fixtures/build",
  "fixtures/fmus",
];
const PARENT = join(ROOT, "out");
mkdirSync(PARENT, { recursive: true });
const tracked = trackedFiles();

const wanted = process.argv.slice(2);
const pages = wanted.length > 0 ? wanted : allPages();
let ran = 0;
await eachSideBySide(pages, async (page) => {
  const folder = mkdtempSync(join(PARENT, "guide-"));
  try {
    layOut(folder);
    const elsewhere = commandsOfExample(dirname(page));
    for (const block of blocksOf(readFileSync(join(ROOT, page), "utf8")))
      await runBlock(page, folder, block, elsewhere);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
if (ran === 0) throw new Error(`no command found in ${pages.join(", ")}`);
console.log(`${ran} printed commands ran as the pages say`);

function allPages() {
  const guide = readdirSync(join(ROOT, "docs", "guide")).filter((name) => name.endsWith(".md"));
  const examples = readdirSync(join(ROOT, "examples"), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `examples/${entry.name}/README.md`);
  return ["README.md", ...guide.map((name) => `docs/guide/${name}`), ...examples];
}

function trackedFiles() {
  const listed = spawnSync("git", ["ls-files", "-z"], { cwd: ROOT, encoding: "utf8" });
  if (listed.status !== 0) throw new Error(`git ls-files failed: ${listed.stderr}`);
  return listed.stdout
    .split("\0")
    .filter((file) => file && existsSync(join(ROOT, file)))
    .filter((file) => !LINKED.some((linked) => file.startsWith(`${linked}/`)));
}

/** Makes `folder` look like the root of a checkout. */
function layOut(folder) {
  for (const file of tracked) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(join(ROOT, file), join(folder, file));
  }
  for (const linked of LINKED) {
    mkdirSync(dirname(join(folder, linked)), { recursive: true });
    symlinkSync(join(ROOT, linked), join(folder, linked));
  }
}

function commandsOfExample(folder) {
  const file = join(ROOT, folder, "example.json");
  if (!existsSync(file)) return new Set();
  return new Set(JSON.parse(readFileSync(file, "utf8")).runs.map((run) => run.command));
}

function blocksOf(text) {
  return [...text.matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm)].map((m) => ({
    language: m[1],
    words: m[2].trim(),
    body: m[3],
  }));
}

async function runBlock(page, folder, { language, words, body }, elsewhere) {
  const file = /file=(\S+)/.exec(words)?.[1];
  if (file) writeFileSync(join(folder, file), body);
  const runs = /\brun\b/.test(words);
  if (language === "sh" && !runs && words !== "elsewhere")
    throw new Error(`${page}: a block of commands is neither 'run' nor 'elsewhere':\n${body}`);
  if (!runs) return;
  if (language === "js") {
    const program = join(folder, `example-${ran}.mjs`);
    writeFileSync(program, body);
    await execute(page, folder, process.execPath, [program], 0);
  } else if (language === "sh") {
    const commands = commandsOf(body);
    if (commands.length === 0) throw new Error(`${page}: a block marked 'run' holds no command`);
    for (const { command, code } of commands)
      if (!elsewhere.has(command)) await execute(page, folder, "bash", ["-c", command], code);
  } else throw new Error(`${page}: a block of ${language} cannot be run`);
}

function commandsOf(body) {
  const lines = body.split("\n").filter((line) => line.trim() !== "");
  const prompted = lines.filter((line) => line.startsWith("$ ")).map((line) => line.slice(2));
  return (prompted.length > 0 ? prompted : lines).map((line) => {
    const [, command, code] = /^(.*?)(?:\s+# exit (\d+))?$/.exec(line);
    return { command, code: Number(code ?? 0) };
  });
}

async function execute(page, folder, program, args, expected) {
  const done = await runProgram(program, args, { cwd: folder, timeout: 300_000, env });
  if (done.status !== expected) {
    throw new Error(
      `${page}: ${args.at(-1)}\nexited with ${done.status ?? done.signal}, not ${expected}\n${done.stdout}${done.stderr}`,
    );
  }
  ran++;
}
