/**
 * Checkpoints of a scenario's run, in the worker: whether they are possible, from which one to go
 * on, and how they get to the disk.
 */
import { existsSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { crc32 } from "node:zlib";
import { type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import type { Checkpoint, CheckpointKeeper, KeptPart, RunState } from "../../engine/checkpoint.ts";
import { CheckpointRhythm } from "../../engine/checkpoint-rhythm.ts";
import { LoggedUnit } from "../../engine/replay-log.ts";
import type { Scenario } from "../../model/scenario.ts";
import type { Plan } from "../../plan/plan.ts";
import type { SpoolLayout } from "../../record/spool.ts";
import type { Unit } from "../../unit/unit.ts";
import type { FromWorker, RunHeader, RunJob } from "../protocol/protocol.ts";
import { checksumOfFile, checksumOfRows, ROWS_PART, rowsIn } from "../protocol/spool-files.ts";
import type { SyncedRows } from "../worker/session.ts";
import { changesBetween, type Facts, factsOf } from "./checkpoint-facts.ts";
import { logPath } from "./checkpoint-files.ts";
import { CheckpointFolder } from "./checkpoint-folder.ts";
import { obstacles } from "./checkpoint-obstacles.ts";
import type { CheckpointRequest, KeptRhythm } from "./checkpoint-options.ts";
import { CHECKPOINT_RUN_DIAGNOSTICS, refusal } from "./checkpoint-run-diagnostics.ts";

export interface KeptCheckpoints {
  /** Where the run goes on; undefined for one that begins. */
  readonly resume: Checkpoint | undefined;
  /** Units that cannot save their state get a log. */
  logged(units: readonly Unit[]): Unit[];
  /** @param syncRows sees to it that all rows are on the disk, and says how many there are. */
  keeper(units: readonly Unit[], syncRows: () => SyncedRows): CheckpointKeeper;
  close(): void;
}

type Say = (message: FromWorker) => void;

/**
 * Under this name the facts of a checkpoint hold its rhythm, which may be another when the run goes
 * on.
 */
const RHYTHM = "rhythm";

/**
 * @throws DiagnosticsError when the run cannot have checkpoints, or cannot go on from those there
 * are.
 */
export async function keepCheckpoints(
  request: CheckpointRequest,
  job: RunJob,
  scenario: Scenario,
  plan: Plan,
  { experiment, layout }: Pick<RunHeader, "experiment" | "layout">,
  say: Say,
): Promise<KeptCheckpoints> {
  if (request.resume && !existsSync(request.folder))
    throw refusal("checkpoint-missing", {}, request.folder);
  const folder = await CheckpointFolder.open(resolve(request.folder));
  try {
    const facts = factsOf(job, scenario, plan, experiment);
    const found = folder.newest(
      request.resume
        ? (checkpoint, file) => {
            requireUnchanged(request.folder, checkpoint, facts);
            return damageOf(request.folder, checkpoint, layout, file);
          }
        : undefined,
    );
    const resume = request.resume ? found?.checkpoint : undefined;
    if (request.resume && resume === undefined)
      throw refusal("checkpoint-missing", {}, request.folder);
    if (!request.resume) requireNothingToLose(request.folder, found?.checkpoint);
    const rhythm = request.rhythm ?? (JSON.parse(resume?.facts[RHYTHM] ?? "{}") as KeptRhythm);
    const impossible = obstacles(job, scenario, plan, experiment.stop, rhythm.replayBytes);
    if (impossible.length > 0) throw new DiagnosticsError(impossible);
    if (resume) {
      const { diagnostics = [] } = found ?? {};
      if (diagnostics.length > 0) say({ kind: "diagnostics", diagnostics });
      say({ kind: "checkpoint", time: resume.time, steps: resume.steps, isResumed: true });
    } else folder.clear();
    const kept = { ...facts, [RHYTHM]: JSON.stringify(rhythm) };
    return {
      resume,
      logged: (units) =>
        units.map((unit, u) =>
          unit.description.capabilities.serialize
            ? unit
            : new LoggedUnit(unit, resume ? folder.log(u) : undefined),
        ),
      keeper: (units, syncRows) => {
        const timing = new CheckpointRhythm(rhythm, plan.start, () => performance.now() / 1000);
        if (resume) timing.taken(resume.time);
        return new Keeper(
          { folder, timing, facts: kept, units, syncRows, say, resumed: resume?.parts ?? [] },
          rhythm.replayBytes,
        );
      },
      close: () => folder.close(),
    };
  } catch (error) {
    folder.close();
    throw error;
  }
}

interface KeeperParts {
  readonly folder: CheckpointFolder;
  readonly timing: CheckpointRhythm;
  readonly facts: Facts;
  readonly units: readonly Unit[];
  readonly syncRows: () => SyncedRows;
  readonly say: Say;
  /** What the run went on from. */
  readonly resumed: readonly KeptPart[];
}

const logName = (unit: number): string => basename(logPath("", unit));

/** A unit's log on its way to the disk. */
interface OpenLog {
  readonly unit: LoggedUnit;
  readonly index: number;
  /** Of all that was written. */
  checksum: number;
  /** Pieces that could not be written yet. */
  waiting: Uint8Array[];
}

class Keeper implements CheckpointKeeper {
  private readonly parts: KeeperParts;
  private readonly replayBytes: number;
  private readonly logs: readonly OpenLog[];
  private last = Number.NaN;
  private hasEnded = false;
  private isWarned = false;

  constructor(parts: KeeperParts, replayBytes: number) {
    this.parts = parts;
    this.replayBytes = replayBytes;
    this.logs = parts.units.flatMap((unit, index) =>
      unit instanceof LoggedUnit
        ? {
            unit,
            index,
            checksum: parts.resumed.find(({ name }) => name === logName(index))?.checksum ?? 0,
            waiting: [] as Uint8Array[],
          }
        : [],
    );
  }

  get nextTime(): number {
    return this.hasEnded ? Number.POSITIVE_INFINITY : this.parts.timing.nextTime;
  }

  isDue(time: number): boolean {
    return !this.hasEnded && this.parts.timing.isDue(time);
  }

  store(state: RunState): void {
    const { folder, timing, facts, syncRows, say } = this.parts;
    if (this.hasEnded) return;
    const warn = (warning: Diagnostic): void =>
      say({ kind: "diagnostics", diagnostics: [warning] });
    const tooLong = this.logs.find(({ unit }) => unit.logLength > this.replayBytes);
    if (tooLong) {
      this.hasEnded = true;
      const { name: unit } = tooLong.unit;
      const params = { unit, megabytes: this.replayBytes / 1e6, time: this.last };
      warn(diagnose(CHECKPOINT_RUN_DIAGNOSTICS, "checkpoint-ended", params, { file: folder.path }));
      return;
    }
    timing.taken(state.time);
    try {
      const { rows, parts } = syncRows();
      const logs = this.logs.map((log) => this.write(log));
      folder.store({ ...state, rows, parts: [...parts, ...logs], facts });
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error)) throw error;
      const params = { reason: error.message, time: state.time };
      const place = { file: folder.path };
      if (!this.isWarned)
        warn(diagnose(CHECKPOINT_RUN_DIAGNOSTICS, "checkpoint-unwritable", params, place));
      this.isWarned = true;
      return;
    }
    this.last = state.time;
    say({ kind: "checkpoint", time: state.time, steps: state.steps, isResumed: false });
  }

  private write(log: OpenLog): KeptPart {
    log.waiting.push(log.unit.takeLog());
    const bytes = Buffer.concat(log.waiting);
    this.parts.folder.appendLog(log.index, log.unit.logLength - bytes.length, bytes);
    log.waiting = [];
    log.checksum = crc32(bytes, log.checksum);
    return { name: logName(log.index), bytes: log.unit.logLength, checksum: log.checksum };
  }
}

function requireUnchanged(file: string, { facts: kept }: Checkpoint, now: Facts): void {
  const { [RHYTHM]: _, ...before } = kept;
  const changes = changesBetween(before, now);
  if (changes.length > 0) throw refusal("checkpoint-changed", { changes }, file);
}

/** What of all that the checkpoint in `file` needs is not there any more, or not as it was. */
function damageOf(
  folder: string,
  { rows, parts }: Checkpoint,
  layout: SpoolLayout,
  file: string,
): Diagnostic | undefined {
  const there = rowsIn(folder, layout);
  if (there < rows)
    return diagnose(
      CHECKPOINT_RUN_DIAGNOSTICS,
      "checkpoint-rows-missing",
      { wanted: rows, there },
      { file: folder },
    );
  const changed = parts.find(({ name, bytes, checksum }) => {
    const now =
      name === ROWS_PART
        ? checksumOfRows(folder, layout, rows)
        : checksumOfFile(join(folder, name), bytes);
    return now !== checksum;
  });
  if (changed === undefined) return undefined;
  const what = changed.name === ROWS_PART ? `the first ${rows} rows` : `'${changed.name}'`;
  return diagnose(CHECKPOINT_RUN_DIAGNOSTICS, "checkpoint-damaged", { what }, { file });
}

function requireNothingToLose(file: string, found: Checkpoint | undefined): void {
  if (found === undefined || found.steps === 0) return;
  throw refusal("checkpoint-exists", { time: found.time, folder: file }, file);
}
