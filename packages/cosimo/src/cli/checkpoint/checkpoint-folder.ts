/**
 * The folder of a run that can be continued, as the run writes it. Files only grow, and a
 * checkpoint is moved to its place when all it speaks of is on the disk: whenever the process ends,
 * what the newest checkpoint says is there.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { append, type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint } from "../../engine/checkpoint.ts";
import { lockFile } from "../../platform/native/file-lock.ts";
import { syncFolder } from "../protocol/sync-files.ts";
import {
  checkpointPath,
  dropFiles,
  LOCK,
  logPath,
  numbersIn,
  removeCheckpoints,
} from "./checkpoint-files.ts";
import { CHECKPOINT_RUN_DIAGNOSTICS, refusal } from "./checkpoint-run-diagnostics.ts";

const KEPT = 2;
/** How long to wait for a run that is just being ended. */
const LOCK_SECONDS = 3;
const LOCK_POLL_MS = 50;

export class CheckpointFolder {
  readonly path: string;
  private number: number;
  private readonly unlock: () => void;

  private constructor(path: string, unlock: () => void) {
    this.path = path;
    this.unlock = unlock;
    this.number = numbersIn(path).at(-1) ?? 0;
  }

  /** @throws DiagnosticsError when another run has it. */
  static async open(path: string): Promise<CheckpointFolder> {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    for (let tries = (LOCK_SECONDS * 1000) / LOCK_POLL_MS; tries > 0; tries--) {
      const unlock = lockFile(join(path, LOCK));
      if (unlock) return new CheckpointFolder(path, unlock);
      await sleep(LOCK_POLL_MS);
    }
    throw refusal("checkpoint-in-use", {}, path);
  }

  /**
   * The newest checkpoint that is whole, and what is to be said of newer ones; undefined in a
   * folder without any.
   * @param problem what is wrong with something that a checkpoint needs besides itself.
   */
  newest(
    problem: (checkpoint: Checkpoint, file: string) => Diagnostic | undefined = () => undefined,
  ): { readonly checkpoint: Checkpoint; readonly diagnostics: readonly Diagnostic[] } | undefined {
    const broken: Diagnostic[] = [];
    for (const number of numbersIn(this.path).reverse()) {
      const file = checkpointPath(this.path, number);
      const { value: checkpoint, diagnostics } = decodeCheckpoint(readFileSync(file), file);
      const damage = checkpoint && problem(checkpoint, file);
      if (checkpoint === undefined || damage !== undefined) {
        append(broken, diagnostics);
        if (damage !== undefined) broken.push(damage);
        continue;
      }
      const older = broken.map(({ message, place }) => {
        const params = { time: checkpoint.time, reason: message };
        return diagnose(CHECKPOINT_RUN_DIAGNOSTICS, "checkpoint-older", params, place);
      });
      return { checkpoint, diagnostics: older };
    }
    if (broken.length > 0) throw new DiagnosticsError(broken);
    return undefined;
  }

  /** The log of unit `unit` as far as it is written. */
  log(unit: number): Uint8Array {
    const path = logPath(this.path, unit);
    return existsSync(path) ? new Uint8Array(readFileSync(path)) : new Uint8Array(0);
  }

  /** Puts `bytes` behind the first `length` bytes of a unit's log. */
  appendLog(unit: number, length: number, bytes: Uint8Array): void {
    const path = logPath(this.path, unit);
    const file = openSync(path, existsSync(path) ? "r+" : "w+");
    try {
      ftruncateSync(file, length);
      writeAll(file, bytes, length);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
  }

  /** Rows and logs that it speaks of are on the disk already. */
  store(checkpoint: Checkpoint): void {
    const path = checkpointPath(this.path, ++this.number);
    const beside = `${path}.part`;
    const file = openSync(beside, "w");
    try {
      writeAll(file, encodeCheckpoint(checkpoint), 0);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(beside, path);
    syncFolder(this.path);
    for (const number of numbersIn(this.path))
      if (number <= this.number - KEPT) rmSync(checkpointPath(this.path, number));
  }

  /** For a run that starts over. */
  clear(): void {
    dropFiles(this.path);
  }

  /** A folder in which nothing came to be goes with it. */
  close(): void {
    if (readdirSync(this.path).every((name) => name === LOCK)) removeCheckpoints(this.path);
    this.unlock();
  }
}

function writeAll(file: number, bytes: Uint8Array, position: number): void {
  for (let at = 0; at < bytes.length; )
    at += writeSync(file, bytes, at, bytes.length - at, position + at);
}
