/**
 * The class "full disks": results, temporary files or checkpoints lie where there is not enough
 * room. The disk is named, no unit is blamed, and what is written is whole.
 *
 * A small file system in memory where mounting is allowed; else a limit on the size of files, which
 * fails in the same calls.
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, readIfThere, runCommand } from "./command.mjs";
import { judgeCommand, judgeRows } from "./judge.mjs";
import { randomFrom } from "./random.mjs";

const STEPS = 20_000;
const DISK =
  /disk|space|ENOSPC|EFBIG|full|cannot be written|cannot write|too large|No such file|ENOENT|ENOTDIR|TMPDIR|temporary/i;

/** Where the room is short. */
const PLACES = {
  results: { small: "results", out: "results/out.csv" },
  "temporary files": { small: "tmp", out: "out.csv" },
  checkpoints: {
    small: "kept",
    out: "out.csv",
    options: ["--checkpoint", "every=10s,dir=kept/run"],
  },
  "standard output": { out: "out.csv", stdout: "/dev/full", rows: "all" },
  "standard error": { out: "out.csv", stderr: "/dev/full", rows: "all" },
  "a plot": { small: "results", out: "out.csv", options: ["--plot", "results/plot.html"] },
  parquet: { small: "results", out: "out.csv", options: ["-o", "results/out.parquet"] },
  "no temporary folder": { temporary: true, out: "out.csv" },
};

export function diskCases(work, { seed, short }) {
  const made = {};
  return Object.keys(PLACES).flatMap((where) =>
    Array.from({ length: PLACES[where].small ? (short ? 1 : 5) : 1 }, (_, number) => ({
      name: `${where}, ${number + 1}`,
      run: () => fillUp(work, { where, number, seed }, made),
    })),
  );
}

async function fillUp(work, { where, number, seed }, made) {
  made.reference ??= makeReference(work);
  const reference = await made.reference;
  const random = randomFrom(seed, "disks", where, number);
  const folder = place(work, `${where}-${number}`.replace(/\W+/g, "-"));
  const about = PLACES[where];
  const { small, out, options = [], temporary, stdout, stderr } = about;
  const kilobytes = [16, 64, 200, 700, 1500][(number + random.below(5)) % 5];
  const target = small && join(folder, small);
  if (target) mkdirSync(target, { recursive: true });
  const mounted = target !== undefined && mount(target, kilobytes);
  const limit = target && !mounted ? { ulimit: `-f ${kilobytes}` } : {};
  try {
    const executor = random.pick([[], ["--executor", "interpreter"]]);
    const seen = await runCommand(
      folder,
      ["run", "scenario.yaml", "-o", out, ...options, ...executor],
      {
        boundMs: 60_000,
        ...limit,
        ...(stdout ? { stdout } : {}),
        ...(stderr ? { stderr } : {}),
        ...(temporary ? { temporary: join(folder, "scenario.yaml", "none") } : {}),
      },
    );
    const text = readIfThere(join(folder, out));
    return { broken: judgeDisk(seen, text, reference, about), seen, folder };
  } finally {
    if (mounted) unmount(target);
  }
}

/** Exported for the tests of the judge. */
export function judgeDisk(seen, text, reference, { rows = "some", stderr } = {}) {
  const broken = judgeCommand(seen, { codes: [0, 1, 3] });
  if (seen.timedOut) return broken;
  broken.push(...judgeRows(text, reference, { rows: seen.code === 0 ? "all" : rows }));
  if (seen.code === 0 || stderr) return broken;
  const blamed = /'(one|other)' (failed|crashed)[^\n]*/.exec(seen.stderr);
  if (blamed) broken.push({ rule: "blame", detail: blamed[0] });
  else if (!DISK.test(seen.stderr))
    broken.push({ rule: "silent", detail: `no word of a disk: ${seen.stderr.slice(0, 200)}` });
  return broken;
}

async function makeReference(work) {
  const folder = place(work, "reference");
  const seen = await runCommand(folder, ["run", "scenario.yaml", "-o", "out.csv"], {
    boundMs: 120_000,
  });
  if (seen.code !== 0) throw new Error(`the run with enough room failed: ${seen.stderr}`);
  return readFileSync(join(folder, "out.csv"), "utf8");
}

function place(work, name) {
  const folder = join(work, name);
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(ROOT, "fixtures", "build", "fmi2", "VanDerPol.fmu"), join(folder, "one.fmu"));
  copyFileSync(join(ROOT, "fixtures", "build", "fmi3", "VanDerPol.fmu"), join(folder, "other.fmu"));
  writeFileSync(
    join(folder, "scenario.yaml"),
    `name: disk
units: { one: one.fmu, other: other.fmu }
experiment: { stop: ${STEPS / 1000}, step: 0.001 }
master: jacobi
`,
  );
  return folder;
}

/** What is mounted now. A script that is ended takes it along. */
const mounts = new Set();
process.on("exit", () => mounts.forEach(unmount));

function mount(target, kilobytes) {
  const options = ["-t", "tmpfs", "-o", `size=${kilobytes}k`, "tmpfs", target];
  const done = spawnSync("mount", options, { stdio: "ignore" }).status === 0;
  if (done) mounts.add(target);
  return done;
}

function unmount(target) {
  spawnSync("umount", ["-l", target], { stdio: "ignore" });
  mounts.delete(target);
}
