/**
 * What it costs a run to be watched in the studio, how long a picture of many rows
 * takes, and what a person waits for in the page (studio-browser.mjs). `--write` puts the table into
 * bench/studio.md, `--json` prints figures, `--short` takes a shorter run once, `--as-is` measures
 * what is built and installs nothing.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WebSocket } from "ws";
import { ROOT } from "../scripts/setup.mjs";
import { built, conditions, median, writeResults } from "./results.mjs";
import { measurePage } from "./studio-browser.mjs";

const isShort = process.argv.includes("--short");
const RUNS = isShort ? 1 : Number(process.env.BENCH_RUNS ?? 5);
const ROWS = isShort ? 1e6 : 1e7;
const STEP = 1 / 128;
const WANTED_SLOWER = 1.05;
const WANTED_PICTURE_MS = 100;
const PICTURES = 10;
const PLOTS = 4;

const busy = await built();
const folder = mkdtempSync(join(tmpdir(), "cosimo-studio-bench-"));
const fmu = (name) => join(ROOT, "fixtures", "build", `${name}.fmu`);
writeFileSync(
  join(folder, "masses.yaml"),
  `units:\n  left: ${fmu("fmi2/MassSpringDamperLeft")}\n  right: ${fmu("fmi2/MassSpringDamperRight")}\n` +
    "connections: [left.x_1 -> right.x_c, left.v_1 -> right.v_c, right.F_c -> left.F_e]\n" +
    `experiment: { stop: ${ROWS * STEP}, step: ${STEP} }\nmaster: jacobi\n`,
);
const command = join(ROOT, "packages", "cosimo", "bin", "cosimo.js");
const studio = spawn(process.execPath, [command, "studio", folder, "--no-open", "--json"], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const { port, link } = await new Promise((resolve) => {
    let text = "";
    studio.stdout.on("data", (bytes) => {
      text += bytes;
      if (/\}\s*$/.test(text)) resolve(JSON.parse(text));
    });
  });
  const token = link.split("#token=")[1];
  const call = (path, options = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      ...options,
      headers: { "x-cosimo-token": token },
    });
  const ask = async (path, body) => {
    const options = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return (await call(path, options)).json();
  };
  const taken = { alone: [], watched: [] };
  const frames = [];
  let last;
  for (let i = 0; i < RUNS; i++)
    for (const kind of i % 2 === 0 ? ["alone", "watched"] : ["watched", "alone"]) {
      if (last !== undefined) await call(`/api/runs/${last.id}`, { method: "DELETE" });
      last = await runOnce(kind === "watched");
      taken[kind].push(last.wallSeconds);
    }
  const slower = median(taken.watched) / median(taken.alone);
  const pictures = await zoom(last);
  const rows = [
    {
      what: `a watched run of ${last.rows.toExponential(0)} rows, against one that nobody watches`,
      value: slower,
      shown: `${slower.toFixed(3)} ×`,
      wanted: `≤ ${WANTED_SLOWER} ×`,
      isMissed: slower > WANTED_SLOWER,
    },
    {
      what: "pictures that its page got per second",
      value: median(frames),
      shown: median(frames).toFixed(1),
    },
    {
      what: `the slowest of ${pictures.length} pictures of it, at all zooms`,
      value: Math.max(...pictures),
      shown: `${Math.max(...pictures).toFixed(1)} ms`,
      wanted: `≤ ${WANTED_PICTURE_MS} ms`,
      isMissed: Math.max(...pictures) > WANTED_PICTURE_MS,
    },
    {
      what: "median of these pictures",
      value: median(pictures),
      shown: `${median(pictures).toFixed(1)} ms`,
    },
    ...(await measurePage()),
  ];
  if (process.argv.includes("--json")) console.log(JSON.stringify({ rows, taken }, null, 1));
  else console.log(markdown(rows));
  if (process.argv.includes("--write"))
    writeResults("studio.md", conditions(RUNS, busy), markdown(rows));
  const missed = rows.filter(({ isMissed }) => isMissed);
  for (const { what, shown, wanted } of missed)
    console.error(`missed: ${what}: ${shown}, not ${wanted}`);
  process.exitCode = missed.length > 0 ? 1 : 0;

  /** A run to its end; the page looks at everything that it records. */
  async function runOnce(isWatched) {
    const { id } = await ask("/api/runs", { path: "masses.yaml" });
    let run = await ask(`/api/runs/${id}`);
    while (run.columns.length === 0) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      run = await ask(`/api/runs/${id}`);
    }
    const signals = run.columns.map(({ name }) => name);
    const socket = isWatched ? await watch(id, signals) : undefined;
    while (run.state !== "ended") {
      await new Promise((resolve) => setTimeout(resolve, 100));
      run = await ask(`/api/runs/${id}`);
    }
    if (socket) frames.push(socket.count() / run.wallSeconds / PLOTS);
    socket?.close();
    if (run.outcome?.kind !== "completed") throw new Error(`the run ended: ${run.ending}`);
    return run;
  }

  async function watch(run, signals) {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/live?token=${token}`);
    let count = 0;
    socket.on("message", (_, isBinary) => {
      if (isBinary) count++;
    });
    await new Promise((resolve) => socket.on("open", resolve));
    for (let plot = 0; plot < PLOTS; plot++)
      socket.send(JSON.stringify({ kind: "watch", run, plot, signals, points: 2000 }));
    socket.send(JSON.stringify({ kind: "values", run, signals }));
    return { count: () => count, close: () => socket.close() };
  }

  /** Milliseconds of each picture. */
  async function zoom({ id, columns, rows, experiment }) {
    const signals = columns.map(({ name }) => name).join(",");
    const times = [];
    const picture = async (from, to) => {
      const began = performance.now();
      const answer = await call(
        `/api/runs/${id}/columns?signals=${signals}&points=2000&from=${from}&to=${to}`,
      );
      await answer.arrayBuffer();
      return performance.now() - began;
    };
    // Signals that nobody watched are read once.
    await picture(0, experiment.stop);
    let state = 1;
    const random = () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return state / 2 ** 32;
    };
    for (let seen = rows; seen >= 1000; seen /= 10)
      for (let i = 0; i < PICTURES; i++) {
        const width = seen * STEP;
        const from = random() * (experiment.stop - width);
        times.push(await picture(from, from + width));
      }
    return times;
  }
} finally {
  studio.kill("SIGINT");
  await new Promise((resolve) => studio.on("exit", resolve));
  rmSync(folder, { recursive: true, force: true });
}

function markdown(rows) {
  return [
    "| case | measured | wanted |",
    "|---|--:|--:|",
    ...rows.map(({ what, shown, wanted = "" }) => `| ${what} | **${shown}** | ${wanted} |`),
  ].join("\n");
}
