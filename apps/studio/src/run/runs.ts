/**
 * Runs as the server tells of them, and what can be done with one. A run belongs to the server: a
 * page that is closed and opened again finds it.
 */
import type { LogLine, RunInfo, RunOptions } from "@cosimo/serve/protocol.ts";
import { api } from "../api/client.ts";
import { live } from "../api/live.ts";
import { Store } from "../base/store.ts";
import { board } from "../plots/plot-board.ts";
import { type PlotSource, sourceOfRun } from "../plots/source.ts";
import { runValues } from "./run-values.ts";

/** By identity, newest last. */
export const runs = new Store<readonly RunInfo[]>([]);
/** The run that is shown. */
export const shownRun = new Store<string | undefined>(undefined);
/** What is drawn over the shown run or trace: other runs, and traces. */
export const compared = new Store<readonly PlotSource[]>([]);
export const logs = new Store<ReadonlyMap<string, readonly LogLine[]>>(new Map());

/** A trace was opened after the run was shown: what the run does then does not take its place. */
let isTraceShown = false;

/** Values on the wires of more signals than this would be too small to read. */
const VALUES = 400;
const LOG_LINES = 2000;

function runNamed(id: string | undefined): RunInfo | undefined {
  return id === undefined ? undefined : runs.get().find((run) => run.id === id);
}

/** Numbers stay when runs before them are forgotten. */
const numbers = new Map<string, number>();

export function labelOf(run: RunInfo): string {
  const number = numbers.get(run.id) ?? numbers.size + 1;
  numbers.set(run.id, number);
  return `run ${number}`;
}

export function hearRuns(): void {
  live.listen((heard) => {
    switch (heard.kind) {
      case "hello":
        for (const run of heard.runs) put(run);
        resume(heard.runs);
        break;
      case "run":
        put(heard.run);
        break;
      case "forgotten":
        gone(heard.run);
        break;
      case "progress": {
        const { run, time, steps, rows, times } = heard;
        const known = runNamed(run);
        if (known)
          put({ ...known, time, steps, rows, ...(times === undefined ? {} : { times }) }, false);
        break;
      }
      case "log": {
        const before = logs.get().get(heard.run) ?? [];
        const lines = [...before, ...heard.lines].slice(-LOG_LINES);
        logs.set(new Map(logs.get()).set(heard.run, lines));
        break;
      }
      case "values":
        if (heard.run === shownRun.get()) runValues.set(heard.values);
        break;
      default:
        break;
    }
  });
}

/**
 * A run that is forgotten is nowhere any more; the newest of those that are left is shown in its
 * place.
 */
function gone(id: string): void {
  runs.set(runs.get().filter((run) => run.id !== id));
  const kept = new Map(logs.get());
  kept.delete(id);
  logs.set(kept);
  if (compared.get().some((source) => source.id === id))
    compareWith(compared.get().filter((source) => source.id !== id));
  if (shownRun.get() !== id) return;
  const last = runs.get().at(-1);
  shownRun.set(undefined);
  if (last) show(last.id);
  else if (!isTraceShown) board.show([]);
}

/** After the page was opened again: what still goes on is shown. */
function resume(found: readonly RunInfo[]): void {
  const going = found.findLast(({ state }) => state !== "ended");
  if (shownRun.get() === undefined && going) show(going.id);
}

function put(run: RunInfo, isWhole = true): void {
  const list = runs.get();
  const before = runNamed(run.id);
  labelOf(run);
  runs.set(before ? list.map((one) => (one.id === run.id ? run : one)) : [...list, run]);
  // All lines until now: those that come later are sent by themselves.
  if (isWhole && run.log.length > 0) logs.set(new Map(logs.get()).set(run.id, run.log));
  const isCompared = compared.get().some(({ id }) => id === run.id);
  if (run.id !== shownRun.get() && !isCompared) return;
  const isOther =
    before === undefined ||
    before.state !== run.state ||
    before.columns.length !== run.columns.length ||
    before.experiment?.stop !== run.experiment?.stop;
  if (!isOther) return;
  if (run.id === shownRun.get() && !isTraceShown) draw(run);
  else if (isCompared) compareWith(compared.get());
}

/** Runs among them as they are now. */
function others(first: string): PlotSource[] {
  return compared
    .get()
    .filter(({ id }) => id !== first)
    .map((source) => {
      const run = source.kind === "run" ? runNamed(source.id) : undefined;
      return run === undefined ? source : sourceOfRun(run, labelOf(run));
    });
}

function draw(run: RunInfo): void {
  if (run.columns.length > 0) {
    board.show([sourceOfRun(run, labelOf(run)), ...others(run.id)]);
  }
  if (run.state !== "ended" && run.columns.length > 0)
    live.values(
      run.id,
      run.columns.slice(0, VALUES).map(({ name }) => name),
    );
}

export function show(id: string): void {
  const before = shownRun.get();
  isTraceShown = false;
  shownRun.set(id);
  if (before !== id) runValues.set({});
  const run = runNamed(id);
  if (run) draw(run);
}

export function showTrace(trace: PlotSource): void {
  isTraceShown = true;
  compared.set([]);
  board.show([trace]);
}

export function compareWith(sources: readonly PlotSource[]): void {
  compared.set(sources);
  const [first] = board.state.get().sources;
  const run = runNamed(shownRun.get());
  if (first?.kind === "trace") board.show([first, ...others(first.id)]);
  else if (run) draw(run);
}

/** The curves of the newest run of a scenario, where a trace is shown instead. */
export function showRunOf(path: string): void {
  const run = runs.get().findLast((one) => one.path === path);
  if (run && isTraceShown) show(run.id);
}

export async function start(
  path: string,
  text: string | undefined,
  options: RunOptions = {},
): Promise<void> {
  const run = await api.run({ path, ...(text === undefined ? {} : { text }), options });
  if (!runNamed(run.id)) put(run);
  show(run.id);
}

export async function act(action: string, body?: unknown): Promise<void> {
  const id = shownRun.get();
  if (id === undefined) return;
  const run = await api.act(id, action, body);
  // What the run does then is heard from it: an answer may be older than that. A fault makes
  // another run of it.
  if (run.id === id) return;
  if (!runNamed(run.id)) put(run);
  show(run.id);
}

/** The run that goes on of a scenario, if any. */
export function goingOn(path: string): RunInfo | undefined {
  return runs.get().findLast((run) => run.path === path && run.state !== "ended");
}
