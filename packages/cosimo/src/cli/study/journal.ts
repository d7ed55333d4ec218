/**
 * The rows of a study as they come, one line each, so that nothing that was finished is lost
 * however the command ends: what is in the journal was run, everything else is run when the study
 * goes on. The table is made from it.
 */
import { closeSync, existsSync, ftruncateSync, openSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { lockFile } from "../../platform/native/file-lock.ts";
import { UsageError } from "../command.ts";
import { decode, encode } from "../protocol/worker-channel.ts";
import { type StudyRow, studyRow } from "./study-protocol.ts";

const FILE = "journal.jsonl";
const VERSION = 1;

interface Head {
  readonly version: number;
  /** Of everything that decides what a run is. */
  readonly digest: string;
}

export function hasJournal(folder: string): boolean {
  return existsSync(join(folder, FILE));
}

export class StudyJournal {
  /** By number of the run. */
  readonly rows: ReadonlyMap<number, StudyRow>;
  private readonly file: number;
  private readonly unlock: () => void;

  private constructor(file: number, unlock: () => void, rows: Map<number, StudyRow>) {
    this.file = file;
    this.unlock = unlock;
    this.rows = rows;
  }

  /** @throws UsageError where another command has it, or it belongs to another study. */
  static open(folder: string, digest: string, isResumed: boolean): StudyJournal {
    const path = join(folder, FILE);
    const unlock = lockFile(path);
    if (unlock === undefined)
      throw new UsageError(
        `another command works in ${folder}`,
        "wait for it, or give another --out",
      );
    try {
      const rows = new Map<number, StudyRow>();
      const kept = isResumed ? read(path, digest, rows) : 0;
      const file = openSync(path, "a");
      ftruncateSync(file, kept);
      const journal = new StudyJournal(file, unlock, rows);
      const head: Head = { version: VERSION, digest };
      if (kept === 0) journal.line(head);
      return journal;
    } catch (error) {
      unlock();
      throw error;
    }
  }

  /** It is there when this comes back. */
  append(row: StudyRow): void {
    (this.rows as Map<number, StudyRow>).set(row.run, row);
    this.line(row);
  }

  close(): void {
    closeSync(this.file);
    this.unlock();
  }

  private line(value: unknown): void {
    const bytes = Buffer.from(`${encode(value)}\n`, "utf8");
    for (let at = 0; at < bytes.length; ) at += writeSync(this.file, bytes, at);
  }
}

/** @returns how much of the file is whole: a command that was killed may have left half a line. */
function read(path: string, digest: string, rows: Map<number, StudyRow>): number {
  const bytes = readFileSync(path);
  const end = bytes.lastIndexOf(0x0a) + 1;
  const [first, ...lines] = bytes.toString("utf8", 0, end).split("\n");
  if (end === 0) return 0;
  const head = decode(first ?? "")?.value as Partial<Head> | undefined;
  if (head?.version !== VERSION || head.digest !== digest)
    throw new UsageError(
      "the study, its scenario or a file that it reads was changed since these runs were made",
      "run it again with --restart, or give another --out",
    );
  for (const line of lines) {
    const row = line === "" ? undefined : studyRow(decode(line)?.value);
    if (row !== undefined) rows.set(row.run, row);
  }
  return end;
}
