/**
 * Who runs a study. `StudyWorkers` is all that the rest of a study knows: runs go in, rows come
 * out, each once. Here they are processes on this machine; a queue that many machines work on has
 * the same interface.
 *
 * A worker gets some orders ahead, so that it never waits for the next one, and answers them in
 * their order. If it dies, the first order that it did not answer is the run that it died in, which
 * becomes a row; the others go back.
 */
import { readFileSync } from "node:fs";
import type { Diagnostic } from "../../base/diagnostic.ts";
import { bytesText } from "../../model/isolation.ts";
import type { RunLimits } from "../../model/study.ts";
import { createTempFolder, type TempFolder } from "../../platform/node/temp-folder.ts";
import type { WorkerFailure } from "../protocol/protocol.ts";
import { readStatus } from "../protocol/status.ts";
import { WorkerBroken } from "../protocol/worker-failure.ts";
import { deathText } from "../supervisor/how-it-ended.ts";
import { isolate, type LivingWorker, type WorkerEnd } from "../supervisor/isolate.ts";
import type { StopSignal } from "../supervisor/stop-signals.ts";
import {
  type FromStudy,
  type StudyJob,
  type StudyRow,
  type StudyRun,
  studyMessage,
} from "./study-protocol.ts";

export interface StudyWorkers {
  /**
   * Makes these runs, side by side, and gives the row of each as it comes. Ends when all rows were
   * given, or after `stop`.
   * @throws WorkerBroken where no worker can do its work.
   */
  run(runs: Iterable<StudyRun>, onRow: (row: StudyRow) => void): Promise<void>;
  /** Nothing new begins; runs under way are given up. */
  stop(): void;
  close(): Promise<void>;
}

export interface PoolOptions {
  readonly jobs: number;
  readonly limits: RunLimits;
  /** Numbers of columns, for the rows of runs that have none. */
  readonly columns: number;
  readonly onDiagnostics: (found: readonly Diagnostic[]) => void;
  /** Before text of a unit goes to standard error. */
  readonly beforeOutput: () => void;
}

/** Orders ahead are worth so much time. */
const AHEAD_SECONDS = 0.1;
const MOST_AHEAD = 256;
/** How often limits are checked. */
const WATCH_MS = 200;
/** A worker ends a run that is over its time by itself; later than this it hangs. */
const OVERDUE_MS = 2000;
/** The same while units are loaded. */
const LOADING_MS = 60_000;
/** Units that crash while they are loaded do so again. */
const MOST_STILLBORN = 3;

interface Slot {
  readonly folder: TempFolder;
  readonly outstanding: StudyRun[];
  readonly stop: { onStop: (signal: StopSignal) => void };
  worker?: LivingWorker;
  isReady: boolean;
  /** Of the first outstanding run: its units are open. */
  hasBegun: boolean;
  /** When the first outstanding run began. */
  since: number;
  /** Mean of its runs. */
  seconds: number;
  ended?: Promise<void>;
  /** Why it was killed. */
  killed?: { readonly outcome: string; readonly reason: string };
  units: readonly string[];
  callNames: readonly string[];
  broken?: WorkerFailure;
}

interface Turn {
  readonly source: Iterator<StudyRun>;
  readonly onRow: (row: StudyRow) => void;
  isDry: boolean;
  /** Runs are added as they come: it ends with a request to stop. */
  readonly isOpen: boolean;
  resolve(): void;
  reject(error: unknown): void;
}

export class ProcessPool implements StudyWorkers {
  private readonly job: Omit<StudyJob, "folder">;
  private readonly options: PoolOptions;
  private readonly slots: Slot[] = [];
  private readonly returned: StudyRun[] = [];
  private turn: Turn | undefined;
  private isStopping = false;
  /** Workers that ended before they were ready. */
  private stillborn = 0;
  private readonly watch: NodeJS.Timeout;

  constructor(job: Omit<StudyJob, "folder">, options: PoolOptions) {
    this.job = job;
    this.options = options;
    this.watch = setInterval(() => this.checkLimits(), WATCH_MS);
    this.watch.unref();
  }

  run(runs: Iterable<StudyRun>, onRow: (row: StudyRow) => void): Promise<void> {
    return this.begin({ source: runs[Symbol.iterator](), onRow, isDry: false, isOpen: false });
  }

  /** Makes the runs that `add` brings, until `stop`. */
  open(onRow: (row: StudyRow) => void): Promise<void> {
    return this.begin({ source: [][Symbol.iterator](), onRow, isDry: true, isOpen: true });
  }

  add(run: StudyRun): void {
    this.returned.push(run);
    this.feed();
  }

  private begin(turn: Omit<Turn, "resolve" | "reject">): Promise<void> {
    return new Promise((resolve, reject) => {
      this.turn = { ...turn, resolve, reject };
      this.feed();
    });
  }

  stop(): void {
    this.isStopping = true;
    for (const slot of this.slots) {
      slot.stop.onStop("SIGTERM");
      slot.worker?.end();
    }
    this.settle();
  }

  async close(): Promise<void> {
    clearInterval(this.watch);
    this.isStopping = true;
    for (const { worker } of this.slots) worker?.end();
    await Promise.all(this.slots.map(({ ended }) => ended));
  }

  /** Gives every worker what it can take, and starts those that are missing. */
  private feed(): void {
    if (this.turn === undefined || this.isStopping) {
      this.settle();
      return;
    }
    for (const slot of this.slots) this.fill(slot);
    while (this.slots.length < this.options.jobs) {
      const next = this.next();
      if (next === undefined) break;
      const slot = this.start();
      this.give(slot, [next]);
    }
    this.settle();
  }

  private fill(slot: Slot): void {
    if (!slot.isReady) return;
    const ahead = Math.ceil(AHEAD_SECONDS / Math.max(slot.seconds, 1e-6));
    const wanted = Math.min(MOST_AHEAD, Math.max(2, ahead));
    // Half empty before it is filled again: orders go in fewer, larger pieces.
    if (slot.outstanding.length > wanted / 2) return;
    const runs: StudyRun[] = [];
    while (slot.outstanding.length + runs.length < wanted) {
      const next = this.next();
      if (next === undefined) break;
      runs.push(next);
    }
    if (runs.length > 0) this.give(slot, runs);
  }

  /** In one piece: every write wakes the worker. */
  private give(slot: Slot, runs: readonly StudyRun[]): void {
    if (slot.outstanding.length === 0) slot.since = performance.now();
    slot.outstanding.push(...runs);
    slot.worker?.order(runs.map((run) => JSON.stringify(run)).join("\n"));
  }

  private next(): StudyRun | undefined {
    const back = this.returned.shift();
    if (back !== undefined || this.turn === undefined || this.turn.isDry) return back;
    const { done, value } = this.turn.source.next();
    if (done !== true) return value;
    this.turn.isDry = true;
    return undefined;
  }

  /** The turn is over when nothing is left, or nothing is to come. */
  private settle(): void {
    const { turn } = this;
    if (turn === undefined) return;
    const isUnderWay = this.slots.some(({ outstanding }) => outstanding.length > 0);
    const isDone = turn.isDry && !turn.isOpen && this.returned.length === 0;
    if (isUnderWay || !(isDone || this.isStopping)) return;
    this.turn = undefined;
    turn.resolve();
  }

  // ---- workers -------------------------------------------------------------------------------

  private start(): Slot {
    const folder = createTempFolder();
    const slot: Slot = {
      folder,
      outstanding: [],
      stop: { onStop: () => undefined },
      isReady: false,
      hasBegun: false,
      since: performance.now(),
      seconds: AHEAD_SECONDS,
      units: [],
      callNames: [],
    };
    this.slots.push(slot);
    const job: StudyJob = { ...this.job, folder: folder.path };
    slot.ended = isolate<FromStudy>(job, {
      read: studyMessage,
      stop: slot.stop,
      beforeOutput: this.options.beforeOutput,
      onStart: (worker) => {
        slot.worker = worker;
      },
      onMessage: (message) => this.hear(slot, message),
    }).then(
      (end) => this.ended(slot, end),
      (error: unknown) => this.fail(slot, error),
    );
    return slot;
  }

  /** @returns true where the worker has only to end. */
  private hear(slot: Slot, message: FromStudy): boolean {
    if (message.kind === "units") {
      slot.units = message.units;
      slot.callNames = message.callNames;
    } else if (message.kind === "diagnostics") this.options.onDiagnostics(message.diagnostics);
    else if (message.kind === "ready") {
      slot.isReady = true;
      slot.since = performance.now();
      this.feed();
    } else if (message.kind === "begun") {
      slot.since = performance.now();
      slot.hasBegun = true;
    } else if (message.kind === "row") this.take(slot, message.row);
    else if (message.kind === "broken") slot.broken ??= message;
    return message.kind === "broken" || message.kind === "through";
  }

  private take(slot: Slot, row: StudyRow): void {
    // Rows come in the order of the orders; anything else is not the worker's.
    const [first] = slot.outstanding;
    if (first === undefined || first.run !== row.run) return;
    slot.outstanding.shift();
    slot.hasBegun = false;
    slot.since = performance.now();
    slot.seconds += 0.2 * (row.seconds - slot.seconds);
    // What was given up because of a request to stop is made again when the study goes on.
    if (row.outcome !== "cancelled") this.turn?.onRow({ ...row, point: first.point });
    this.feed();
  }

  private ended(slot: Slot, end: WorkerEnd): void {
    const [first, ...others] = slot.outstanding.splice(0);
    this.slots.splice(this.slots.indexOf(slot), 1);
    const { running } = readStatus(slot.folder.path, slot.units, slot.callNames);
    slot.folder.remove();
    if (this.isStopping) {
      this.settle();
      return;
    }
    const isHopeless = !slot.isReady && ++this.stillborn >= MOST_STILLBORN;
    if (slot.broken !== undefined || isHopeless) {
      const reason = `the process that holds the units ended with ${deathText(end)} before it was ready`;
      this.reject(
        new WorkerBroken(slot.broken ?? { kind: "broken", reason, cause: "module", stack: reason }),
      );
      return;
    }
    this.returned.push(...others);
    if (first !== undefined) {
      const [where] = running;
      const at = where === undefined ? "" : ` while '${where.unit}' was in ${where.call}`;
      const death = slot.killed ?? {
        outcome: "crashed",
        reason: `its process ended with ${deathText(end)}${at}`,
      };
      const values = new Array<number>(this.options.columns).fill(Number.NaN);
      const seconds = (performance.now() - slot.since) / 1000;
      this.turn?.onRow({ ...first, ...death, values, seconds });
    }
    this.feed();
  }

  private fail(slot: Slot, error: unknown): void {
    this.slots.splice(this.slots.indexOf(slot), 1);
    slot.folder.remove();
    this.reject(error);
  }

  private reject(error: unknown): void {
    const { turn } = this;
    this.turn = undefined;
    this.stop();
    turn?.reject(error);
  }

  private checkLimits(): void {
    const { seconds, memoryBytes } = this.options.limits;
    for (const slot of this.slots) {
      const { worker, outstanding, isReady, since, hasBegun } = slot;
      if (worker === undefined || outstanding.length === 0 || !isReady) continue;
      const allowed =
        1000 * (seconds ?? Number.POSITIVE_INFINITY) + (hasBegun ? OVERDUE_MS : LOADING_MS);
      if (performance.now() - since > allowed) {
        slot.killed ??= { outcome: "timed-out", reason: `it took longer than ${seconds} s` };
        worker.kill("timeout");
      }
      const used = memoryBytes === undefined ? 0 : residentBytes(worker.pid);
      if (memoryBytes !== undefined && used > memoryBytes) {
        const reason = `it used ${bytesText(used)} of memory, and ${bytesText(memoryBytes)} are allowed`;
        slot.killed ??= { outcome: "out-of-memory", reason };
        worker.kill("timeout");
      }
    }
  }
}

/** Linux only; elsewhere it is not known. */
function residentBytes(pid: number): number {
  try {
    const [, kilobytes = "0"] =
      /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "latin1")) ?? [];
    return 1024 * Number(kilobytes);
  } catch {
    return 0;
  }
}
