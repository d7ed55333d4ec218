/**
 * Runs the examples of the guide, so that a page cannot promise what the code does not do.
 *
 * In docs/guide/*.md, a block ```sh run is a sequence of commands: lines that begin with `$ ` are run in one folder per
 * page, where `fixtures` leads to the built FMUs and `cosimo` is the command. `# exit 1` at the end of a line is the exit
 * code it must have. A block ```js run is a program that imports "cosimo". A block ```csv file=name.csv (or yaml, …) is
 * a file that the page's examples use.
 */
import { spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { buildExamples, ROOT, setup } from "./setup.mjs";

const missing = await setup();
if (missing) throw new Error(missing);
const GUIDE = join(ROOT, "docs", "guide");
// Below the checkout, so that "cosimo" is found; outside node_modules, where test runners do not look.
const PARENT = join(ROOT, "out");
mkdirSync(PARENT, { recursive: true });
// The examples import "cosimo/testing" too.
buildExamples();

let ran = 0;
for (const page of readdirSync(GUIDE).filter((name) => name.endsWith(".md"))) {
  const folder = mkdtempSync(join(PARENT, "guide-"));
  try {
    symlinkSync(join(ROOT, "fixtures", "build"), join(folder, "fixtures"));
    mkdirSync(join(folder, "bin"));
    symlinkSync(
      join(ROOT, "packages", "cosimo", "bin", "cosimo.js"),
      join(folder, "bin", "cosimo"),
    );
    // A project of its own: the tests of a page are not found by our configuration, nor ours by theirs.
    writeFileSync(join(folder, "vitest.config.mjs"), "export default {};\n");
    for (const block of blocksOf(readFileSync(join(GUIDE, page), "utf8")))
      runBlock(page, folder, block);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
if (ran === 0) throw new Error("the guide has no examples: something is wrong with this script");
console.log(`${ran} examples of the guide ran as the pages say`);

function blocksOf(text) {
  return [...text.matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm)].map((m) => ({
    language: m[1],
    words: m[2].trim(),
    body: m[3],
  }));
}

function runBlock(page, folder, { language, words, body }) {
  const file = /file=(\S+)/.exec(words)?.[1];
  if (file) writeFileSync(join(folder, file), body);
  if (!/\brun\b/.test(words)) return;
  const before = ran;
  if (language === "js") {
    const program = join(folder, `example-${ran}.mjs`);
    writeFileSync(program, body);
    execute(page, folder, process.execPath, [program], 0);
  } else if (language === "sh") {
    for (const line of body.split("\n").filter((l) => l.startsWith("$ "))) {
      const [, command, code] = /^\$ (.*?)(?:\s+# exit (\d))?$/.exec(line);
      execute(page, folder, "bash", ["-c", command], Number(code ?? 0));
    }
  }
  if (ran === before) throw new Error(`${page}: a block is marked 'run' and holds no command`);
}

function execute(page, folder, program, args, expected) {
  const env = { ...process.env, PATH: `${join(folder, "bin")}:${process.env.PATH}` };
  const done = spawnSync(program, args, { cwd: folder, env, encoding: "utf8", timeout: 60_000 });
  if (done.status !== expected) {
    throw new Error(
      `${page}: ${args.at(-1)}\nexited with ${done.status ?? done.signal}, not ${expected}\n${done.stdout}${done.stderr}`,
    );
  }
  ran++;
}
