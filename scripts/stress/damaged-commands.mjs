/**
 * The class "commands on damaged files": what a reader of damaged files answers must also come out
 * of the command, as text and exit code.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { ROOT, readIfThere, runCommand } from "./command.mjs";
import { judgeCommand } from "./judge.mjs";
import { mutateBytes } from "./mutate.mjs";
import { randomFrom } from "./random.mjs";
import { READERS } from "./readers.mjs";

const RUN = ["--stop", "1", "--timeout", "10"];
/** Of the run whose checkpoints are damaged. */
const STEPS = 5000;
const RHYTHM = "every=2s";

/** The kind of file, its name, and what is asked about it. */
const COMMANDS = {
  archives: { file: "a.fmu", ask: [["info"], ["validate", "--run"], ["run", "a.fmu", ...RUN]] },
  descriptions: {
    file: "unpacked/modelDescription.xml",
    at: "unpacked",
    ask: [["info"], ["validate"]],
  },
  scenarios: {
    file: "scenario.yaml",
    ask: [["check"], ["check", "--plan"], ["run", "scenario.yaml", ...RUN]],
  },
  packages: { file: "SystemStructure.ssd", ask: [["check"]] },
  adaptations: {
    file: "a.sa",
    ask: [["adapt"], ["adapt", "--format", "--check"], ["adapt", "--explicit"]],
  },
  guards: {
    file: "guard.json",
    at: "guarded.yaml",
    ask: [["check"], ["run", "guarded.yaml", ...RUN]],
  },
  "switched systems": {
    file: "s.yaml",
    ask: [
      ["stability", "jsr"],
      ["stability", "stabilize"],
    ],
  },
  "hybrid systems": { file: "h.yaml", ask: [["stability", "hybrid"]] },
  traces: { file: "t.csv", ask: [["plot", "-o", "t.svg"]] },
};

export function damagedCommandCases(work, { seed, short }) {
  const interrupted = {};
  const times = short ? 2 : 14;
  const files = Object.keys(COMMANDS).flatMap((kind) =>
    Array.from({ length: times }, (_, number) => ({
      name: `${kind}, ${number + 1}`,
      run: () => askAbout(work, kind, seed, number),
    })),
  );
  const checkpoints = Array.from({ length: times }, (_, number) => ({
    name: `checkpoint folder, ${number + 1}`,
    run: () => resumeDamaged(work, seed, number, interrupted),
  }));
  return [...files, ...checkpoints];
}

async function askAbout(work, kind, seed, number) {
  const random = randomFrom(seed, "commands", kind, number);
  const { corpus, mutate } = READERS[kind];
  const originals = await corpus();
  const { file, at = file, ask } = COMMANDS[kind];
  const folder = join(work, `${kind}-${number}`.replace(/\W+/g, "-"));
  mkdirSync(join(folder, "unpacked"), { recursive: true });
  if (kind === "guards") {
    const text = readFileSync(join(ROOT, "examples", "double-mass", "guarded.yaml"), "utf8");
    const build = join(ROOT, "fixtures", "build");
    writeFileSync(join(folder, at), text.replace(/(\.\.\/)+fixtures\/build/g, build));
  }
  writeFileSync(join(folder, file), mutate(random.pick(originals), random, originals));
  const [command, ...rest] = ask[number % ask.length];
  const args =
    command === "run"
      ? [command, ...rest]
      : command === "stability"
        ? [command, rest[0], at, ...rest.slice(1)]
        : [command, at, ...rest];
  const seen = await runCommand(folder, args, { boundMs: 60_000 });
  return { broken: judgeCommand(seen, { codes: [0, 1, 2, 3] }), seen, folder };
}

/** One byte of one file in the folder of an interrupted run: refused, or the very same result. */
async function resumeDamaged(work, seed, number, interrupted) {
  interrupted.made ??= makeInterrupted(work);
  const original = await interrupted.made;
  const random = randomFrom(seed, "commands", "checkpoint", number);
  const folder = join(work, `checkpoint-${number}`);
  cpSync(original.folder, folder, { recursive: true });
  const kept = join(folder, "out.csv.checkpoint");
  const names = readdirSync(kept).filter((name) => readFileSync(join(kept, name)).length > 0);
  const name = random.pick(names);
  const path = join(kept, name);
  writeFileSync(path, mutateBytes(readFileSync(path), random));
  const args = ["run", "scenario.yaml", "-o", "out.csv", "--checkpoint", RHYTHM, "--resume"];
  const seen = await runCommand(folder, args, { boundMs: 60_000 });
  const broken = judgeCommand(seen, { codes: [0, 1] });
  if (seen.code === 0 && readIfThere(join(folder, "out.csv")) !== original.reference)
    broken.push({ rule: "resume", detail: `another result after damage to ${name}` });
  return { broken, seen, folder };
}

async function makeInterrupted(work) {
  const folder = join(work, "interrupted");
  mkdirSync(folder);
  const fmu = join(ROOT, "fixtures", "build", "fmi2", "Heavy.fmu");
  writeFileSync(
    join(folder, "scenario.yaml"),
    `name: interrupted
units:
  one: { fmu: ${fmu}, set: { work: 4000 } }
experiment: { stop: ${STEPS / 100}, step: 0.01 }
master: jacobi
`,
  );
  const run = ["run", "scenario.yaml", "-o", "out.csv"];
  const whole = await runCommand(folder, run, { boundMs: 120_000 });
  const reference = readIfThere(join(folder, "out.csv"));
  if (whole.code !== 0) throw new Error(`the run without damage failed: ${whole.stderr}`);
  const kept = join(folder, "out.csv.checkpoint");
  for (let tries = 0; tries < 4; tries++) {
    const options = { boundMs: 120_000, started: (child) => stopBehind(kept, child) };
    await runCommand(folder, [...run, "--checkpoint", RHYTHM], options);
    if (existsSync(kept)) return { folder, reference };
  }
  throw new Error("no run was interrupted between two checkpoints");
}

/**
 * As Ctrl-C does, as soon as there are checkpoints of the run's beginning: however fast the machine
 * is, it is interrupted.
 */
async function stopBehind(kept, child) {
  const isThere = () => existsSync(join(kept, "checkpoint-3.bin"));
  while (!isThere() && child.exitCode === null && child.signalCode === null) await sleep(5);
  child.kill("SIGINT");
}
