/**
 * What every run in the worker shares: rows into the spool, the status that outlives a crash, turns
 * of the event loop between steps, the log of FMI calls.
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import type { Outcome, UnitFailure } from "../../base/outcome.ts";
import { present } from "../../base/present.ts";
import type { Checkpoint, KeptPart } from "../../engine/checkpoint.ts";
import { type PaceClock, Pacer } from "../../engine/pacer.ts";
import type { Banks } from "../../model/value-type.ts";
import { mayCloseFiles } from "../../platform/native/closes-files.ts";
import type { NativeUnitOptions } from "../../platform/native/native-options.ts";
import { mapSharedFile } from "../../platform/native/shared-memory.ts";
import { makeSpoolWriter, rowWords, type SpoolWriter } from "../../record/spool.ts";
import { lateFailures } from "../../run/late-failures.ts";
import {
  type Execution,
  type RunHeader,
  type RunJob,
  spoolFolder,
  suspectsOf,
  type WorkerHost,
} from "../protocol/protocol.ts";
import { begunSpool, ROWS_PART, spoolHost } from "../protocol/spool-files.ts";
import { openStatus } from "../protocol/status.ts";
import { failureMessage } from "../protocol/worker-failure.ts";

/** How often progress is reported and cancellation noticed. */
const REPORT_MS = 50;
/** Rows that at least fit a chunk of the spool. */
const MIN_CHUNK_ROWS = 64;

const WALL: PaceClock = {
  now: () => performance.now() / 1000,
  sleep: (seconds) => sleep(seconds * 1000),
};

export interface RunSession {
  /** Options for the native instance of unit `index` of `plan.units`. */
  native(index: number): NativeUnitOptions;
  row(time: number, banks: Banks): void;
  /**
   * Makes sure that all rows are on the disk. @returns how many there are, and what they are stored
   * in.
   */
  syncRows(): SyncedRows;
  /** True when the run is to stop; lets the event loop turn from time to time. */
  shouldStop(time: number, steps: number): boolean | Promise<boolean>;
  /** After a pause, which is not lateness. */
  restartClock(): void;
  /** Says how the run ends when all units can be terminated. */
  readonly recorded: (outcome: Outcome) => void;
  /** Says how the run ended. */
  done(outcome: Outcome, execution?: Execution): void;
  /** Says that the run cannot go on because of `error`, which no unit caused. */
  failed(error: unknown): void;
  /** Says what units threw while they were freed. */
  late(thrown: readonly unknown[]): void;
  close(): void;
}

export interface SyncedRows {
  readonly rows: number;
  readonly parts: readonly KeptPart[];
}

/** @param resumed where a run goes on: its time, and the rows that are there already. */
export function openSession(
  job: RunJob,
  plan: RunHeader,
  host: WorkerHost,
  resumed?: Pick<Checkpoint, "time" | "rows" | "parts">,
): RunSession {
  const { say, isCancelled } = host;
  const status = openStatus(job.folder, plan.units.length);
  const callWords = plan.units.map((_, u) => status.call(u));
  let rows = resumed?.rows ?? 0;
  status.time = resumed?.time ?? plan.experiment.start;
  status.rows = Math.max(0, rows - 1);
  say({ kind: "plan", plan });
  const calls = job.logCalls === undefined ? undefined : callLogFile(job.logCalls);
  const minimum = 8 * (1 + MIN_CHUNK_ROWS * rowWords(plan.layout));
  const begun = resumed && begunSpool(spoolFolder(job), rows);
  const onDisk = spoolHost(
    {
      folder: spoolFolder(job),
      layout: plan.layout,
      minimumBytes: minimum,
      isDurable: job.checkpoint !== undefined,
      keepRows: rows,
      keptSum: resumed?.parts.find(({ name }) => name === ROWS_PART)?.checksum ?? 0,
    },
    mapSharedFile,
  );
  const spool: SpoolWriter = makeSpoolWriter(plan.layout, onDisk, begun);
  // Opening the units is not simulating: the clock runs from the first row on.
  let began = performance.now();
  let lastTurn = began;
  let hasBegun = false;
  let lost: UnitFailure | undefined;
  const libraries = new Map<string, number>();
  const pacer =
    job.realtime === undefined ? undefined : new Pacer(job.realtime, plan.experiment.start, WALL);
  const withLoss = (outcome: Outcome): Outcome =>
    lost ? { ...outcome, kind: "failed", failure: lost } : outcome;
  return {
    native: (index) => ({
      ...(job.debugLogging ? { loggingOn: true } : {}),
      onLog: ({ message, ...entry }) =>
        say({
          kind: "log",
          unit: plan.units[index] ?? plan.title,
          ...entry,
          message: shortened(message),
        }),
      onDiagnostic: (d) => say({ kind: "diagnostics", diagnostics: [d] }),
      // Units inside adaptations have no word in the status.
      ...(index >= 0 && {
        onLibrary: (file: string) => {
          const number = libraries.get(file) ?? libraries.size + 1;
          if (number > libraries.size) say({ kind: "library", number, file });
          libraries.set(file, number);
          status.setLibrary(index, number);
        },
      }),
      lastCall: callWords[index] ?? status.call(index),
      ...present({ callLog: calls?.line }),
    }),
    row(time, banks) {
      if (!hasBegun) began = performance.now();
      hasBegun = true;
      spool.write(time, banks);
      status.time = time;
      status.rows = rows++;
    },
    syncRows() {
      spool.sync();
      return { rows, parts: onDisk.parts(rows) };
    },
    // A promise only when there is something to wait for: most steps are shorter than making one.
    shouldStop(time, steps) {
      const take = (): boolean | Promise<boolean> => {
        const now = performance.now();
        if (now - lastTurn < REPORT_MS) return false;
        lastTurn = now;
        if (!host.areFilesOpen()) {
          lost = filesLost(plan, callWords, time);
          return true;
        }
        say({ kind: "progress", time, steps });
        return nextTurn().then(isCancelled);
      };
      return pacer ? pacer.wait(time).then(take) : take();
    },
    restartClock: () => pacer?.restart(),
    recorded: (outcome) => say({ kind: "recorded", outcome: withLoss(outcome) }),
    done(outcome, execution) {
      const wallSeconds = hasBegun ? (performance.now() - began) / 1000 : 0;
      say({
        kind: "done",
        outcome: withLoss(outcome),
        wallSeconds,
        ...present({ pace: pacer?.report(), execution }),
      });
    },
    failed: (error) => say(failureMessage(error)),
    late(thrown) {
      const diagnostics = lateFailures(thrown, plan.title, job.model);
      if (diagnostics.length > 0) say({ kind: "diagnostics", diagnostics });
    },
    close() {
      spool.close();
      calls?.close();
    },
  };
}

/** More than a person reads of one message. */
const MAX_LOG_CHARACTERS = 1 << 16;

function shortened(message: string): string {
  const more = message.length - MAX_LOG_CHARACTERS;
  return more <= 0
    ? message
    : `${message.slice(0, MAX_LOG_CHARACTERS)} … (${more} more characters)`;
}

/** The units that could have done it; all of them where none could, as far as can be seen. */
function filesLost(plan: RunHeader, callWords: readonly Int32Array[], time: number): UnitFailure {
  const able = plan.units.filter((_, u) => {
    const words = callWords[u];
    return words !== undefined && mayCloseFiles(words);
  });
  return {
    unit: suspectsOf(able.length > 0 ? { ...plan, units: able } : plan),
    call: "a call",
    status: "after it had closed or replaced files that belong to its process",
    time,
    log: [],
  };
}

/** Lines are written at once: the log of a crash is worth most at its end. */
function callLogFile(path: string): { line(text: string): void; close(): void } {
  const file = openSync(path, "w");
  const line = (text: string): void => {
    try {
      writeSync(file, `${text}\n`);
    } catch (error) {
      // A descriptor has no name, and the person has to know which file it was.
      if (error instanceof Error) error.message += ` '${path}' (--log-calls)`;
      throw error;
    }
  };
  return { line, close: () => closeSync(file) };
}
