/**
 * The class "kills": a run with checkpoints loses its worker, its supervisor or gets a signal at a
 * random moment. What was recorded is readable and right, nobody stays behind, and the run that is
 * continued gives the bytes of one that was left alone.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { endGroup, ROOT, readIfThere, runCommand, slowness } from "./command.mjs";
import { judgeCommand, judgeRows } from "./judge.mjs";
import { randomFrom } from "./random.mjs";

/**
 * What is done, to whom, and with which exit code the command must end; undefined where it cannot
 * answer any more.
 */
const DISTURBANCES = {
  "kill -9 of the worker": { who: "worker", signal: "SIGKILL", codes: [3] },
  "kill -9 of the supervisor": { who: "supervisor", signal: "SIGKILL" },
  SIGINT: { who: "supervisor", signal: "SIGINT", codes: [130] },
  SIGTERM: { who: "supervisor", signal: "SIGTERM", codes: [143] },
  SIGHUP: { who: "supervisor", signal: "SIGHUP", codes: [129] },
  SIGQUIT: { who: "supervisor", signal: "SIGQUIT", codes: [131] },
};
/** Units that save their state, and units whose calls are logged instead. */
const SYSTEMS = {
  saved: `units:
  one: { fmu: Heavy.fmu, set: { work: 4000 } }
  other: { fmu: Heavy.fmu, set: { work: 4000 } }
connections:
  - one.x -> other.u
  - { from: other.x, to: one.u, factor: 0.5 }
`,
  replayed: `units:
  one: MassSpringDamperLeftPlain.fmu
  other: MassSpringDamperRightPlain.fmu
  work: { fmu: Heavy.fmu, set: { work: 6000 } }
connections:
  - one.x_1 -> other.x_c
  - one.v_1 -> other.v_c
  - other.F_c -> one.F_e
`,
};
/** A second of work or two, so that there is a middle to be disturbed in. */
const STEPS = 4000;
const BOUND_MS = 60_000;

export function killCases(work, { seed, short }) {
  const made = new Map();
  const times = short ? 2 : 6;
  return Object.keys(SYSTEMS).flatMap((system) =>
    Object.keys(DISTURBANCES).flatMap((what) =>
      Array.from({ length: times }, (_, number) => ({
        name: `${what}, ${system}, ${number + 1}`,
        run: () => disturb(work, { system, what, number, seed }, made),
      })),
    ),
  );
}

async function disturb(work, { system, what, number, seed }, made) {
  const key = system;
  if (!made.has(key)) made.set(key, makeReference(work, system));
  const reference = await made.get(key);
  const random = randomFrom(seed, "kills", what, system, number);
  const folder = place(work, `${what}-${system}-${number}`, system);
  const { who, signal, codes } = DISTURBANCES[what];
  const executor = random.pick([[], ["--executor", "interpreter"], ["--threads", "2"]]);
  const rhythm = random.pick(["every=5s", "wall=20ms", "every=33s"]);
  const args = ["run", "scenario.yaml", "-o", "out.csv", "--checkpoint", rhythm, ...executor];
  let leader = 0;
  const seen = await runCommand(folder, args, {
    boundMs: BOUND_MS,
    async started(child) {
      leader = child.pid;
      await sleep(random.next() * reference.seconds * 1000);
      const victim = who === "worker" ? workerOf(leader) : leader;
      if (victim !== undefined) tryKill(victim, signal);
    },
  });
  const broken = codes
    ? judgeEnded(seen, readIfThere(join(folder, "out.csv")), reference, {
        codes,
        ...(who === "supervisor" ? { signal } : {}),
      })
    : await judgeAbandoned(leader);
  if (seen.timedOut) return { broken, seen, folder };
  broken.push(...(await judgeResumed(folder, args, seen, reference)));
  return { broken, seen, folder };
}

/** The run may have been over before it was disturbed, or not have begun. */
function judgeEnded(seen, text, reference, { codes, signal }) {
  const broken = judgeCommand(seen, { codes: [0, ...codes], signal });
  if (seen.timedOut) return broken;
  broken.push(...judgeRows(text, reference.text, { rows: seen.code === 0 ? "all" : "some" }));
  return broken;
}

/** Nobody goes on working for a command that is gone. */
async function judgeAbandoned(leader) {
  for (let waited = 0; waited < 8000 * slowness(); waited += 100) {
    if (!groupLives(leader)) return [];
    await sleep(100);
  }
  endGroup(leader);
  return [{ rule: "hang", detail: "the worker goes on without its supervisor" }];
}

async function judgeResumed(folder, args, before, reference) {
  if (!existsSync(join(folder, "out.csv.checkpoint")) && before.code === 0) return [];
  const again = await runCommand(folder, [...args, "--resume"], { boundMs: BOUND_MS });
  // Disturbed before there was anything to go on from.
  const nothing = again.code === 1 && /no checkpoint/.test(again.stderr);
  const broken = judgeCommand(again, { codes: nothing ? [1] : [0] });
  if (nothing || broken.length > 0) return broken;
  return judgeContinued(readIfThere(join(folder, "out.csv")), reference.text);
}

/** Byte for byte. Exported for the tests of the judge. */
export function judgeContinued(text, reference) {
  return text === reference ? [] : [{ rule: "resume", detail: difference(text, reference) }];
}

function difference(text, reference) {
  if (text === undefined) return "no file";
  const [ours, theirs] = [text.split("\n"), reference.split("\n")];
  const at = ours.findIndex((line, k) => line !== theirs[k]);
  if (at < 0) return `${ours.length} lines, not ${theirs.length}`;
  return `line ${at + 1} is ${ours[at]}, not ${theirs[at]}`;
}

async function makeReference(work, system) {
  const folder = place(work, `reference-${system}`, system);
  const seen = await runCommand(folder, ["run", "scenario.yaml", "-o", "out.csv"], {
    boundMs: 120_000,
  });
  if (seen.code !== 0) throw new Error(`the run without disturbance failed: ${seen.stderr}`);
  return { text: readFileSync(join(folder, "out.csv"), "utf8"), seconds: seen.seconds };
}

function place(work, name, system) {
  const folder = join(work, name.replace(/\W+/g, "-"));
  mkdirSync(folder, { recursive: true });
  const build = join(ROOT, "fixtures", "build", "fmi2");
  for (const fmu of SYSTEMS[system].match(/\w+\.fmu/g))
    copyFileSync(join(build, fmu), join(folder, fmu));
  writeFileSync(
    join(folder, "scenario.yaml"),
    `name: disturbed\n${SYSTEMS[system]}experiment: { stop: ${STEPS / 100}, step: 0.01 }\nmaster: jacobi\n`,
  );
  return folder;
}

/** The newest child of a process. */
function workerOf(leader) {
  const children = readIfThere(`/proc/${leader}/task/${leader}/children`) ?? "";
  return children.trim().split(" ").filter(Boolean).map(Number).at(-1);
}

/** Whether a process that is not dead is left in a group. */
function groupLives(leader) {
  return readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    const stat = readIfThereSafe(`/proc/${name}/stat`);
    const [state, , group] = stat?.slice(stat.lastIndexOf(")") + 2).split(" ") ?? [];
    return Number(group) === leader && state !== "Z";
  });
}

function readIfThereSafe(path) {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function tryKill(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // It was faster.
  }
}
