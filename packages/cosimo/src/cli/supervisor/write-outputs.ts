/**
 * From the spool to files: traces are streamed chunk by chunk; a plot takes the whole trace.
 * A file appears whole or not at all: it is written beside its place and moved there at the end.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import type { Outcome } from "../../base/outcome.ts";
import { traceFormatOf } from "../../record/formats.ts";
import type { ColumnData, Trace, TraceMeta } from "../../record/trace.ts";
import type { TraceChunk } from "../../record/trace-chunk.ts";
import { drawPlot } from "../plot-file.ts";
import type { RunHeader } from "../protocol/protocol.ts";
import { syncFile, syncFolder } from "../protocol/sync-files.ts";
import { isSystemError } from "../protocol/worker-failure.ts";
import { RUN_DIAGNOSTICS } from "../run-diagnostics.ts";
import { lastRow } from "./last-row.ts";

type Chunks = () => Iterable<TraceChunk>;

export interface WrittenOutputs {
  readonly rows: number;
  readonly files: readonly string[];
  readonly lastValues: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
}

export async function writeOutputs(
  plan: RunHeader,
  outcome: Outcome,
  chunks: Chunks,
  wanted: {
    readonly out: readonly string[];
    readonly plot: readonly string[];
    /** Facts for the metadata of files that differ from run to run: pictures do without them. */
    readonly measured?: Readonly<Record<string, string>>;
    /** Files are on the disk, and not only in the system's memory, before this returns. */
    readonly isDurable?: boolean;
  },
): Promise<WrittenOutputs> {
  const meta: TraceMeta = {
    title: plan.title,
    entries: { ...plan.entries, outcome: outcome.kind },
  };
  const detailed = { ...meta, entries: { ...meta.entries, ...wanted.measured } };
  const files: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const attempt = async (
    file: string,
    write: (sink: Sink) => void | Promise<void>,
  ): Promise<void> => {
    try {
      await writeWhole(file, write);
      if (wanted.isDurable) syncWithFolder(file);
      files.push(file);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      diagnostics.push(unwritableFile(file, error));
    }
  };
  for (const file of wanted.out) {
    await attempt(file, (sink) => writeTrace(file, plan, detailed, chunks, sink));
  }
  if (wanted.plot.length > 0) {
    const trace = wholeTrace(plan, meta, chunks);
    for (const file of wanted.plot)
      await attempt(file, async (sink) => sink(await drawPlot(file, trace)));
  }
  return { ...lastRow(plan.columns, chunks()), files, diagnostics };
}

/** A file that got its name a moment ago, and the name. */
function syncWithFolder(file: string): void {
  syncFile(file);
  syncFolder(dirname(file));
}

/** Before a long run: what is sure to be unwritable after it. Folders that are missing are made. */
export function checkWritable(files: readonly string[]): Diagnostic[] {
  return files.flatMap((file) => {
    try {
      mkdirSync(dirname(file), { recursive: true });
      accessSync(dirname(file), constants.W_OK);
      sweepParts(file);
      if (existsSync(file)) closeSync(openSync(file, "r+"));
      return [];
    } catch (error) {
      if (!isSystemError(error)) throw error;
      return [unwritableFile(file, error)];
    }
  });
}

export function unwritableFile(file: string, { message }: Error): Diagnostic {
  return diagnose(RUN_DIAGNOSTICS, "file-unwritable", { reason: message }, { file });
}

type Sink = (piece: string | Uint8Array) => void;

async function writeWhole(
  file: string,
  write: (sink: Sink) => void | Promise<void>,
): Promise<void> {
  mkdirSync(dirname(file), { recursive: true });
  sweepParts(file);
  const isPlace = isFileOrNew(file);
  const beside = isPlace ? partOf(file) : file;
  const descriptor = openSync(beside, "w");
  const removeHalf = (): void => {
    if (isPlace) rmSync(beside, { force: true });
  };
  process.once("exit", removeHalf);
  try {
    try {
      await write((piece) => {
        const bytes = typeof piece === "string" ? Buffer.from(piece, "utf8") : piece;
        for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
      });
    } finally {
      closeSync(descriptor);
    }
    if (isPlace) renameSync(beside, file);
  } catch (error) {
    removeHalf();
    throw error;
  } finally {
    process.off("exit", removeHalf);
  }
}

/** False for a pipe or a device, which is written to and not replaced; also behind a link. */
function isFileOrNew(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined || found.isFile() || found.isDirectory();
}

/** Where `file` is written until it is whole: its name says by whom. */
function partOf(file: string): string {
  return `${file}.${process.pid}.part`;
}

/** Removes what commands that were killed while they wrote `file` have left of it. */
function sweepParts(file: string): void {
  const name = basename(file);
  for (const beside of readdirSync(dirname(file))) {
    if (!beside.startsWith(`${name}.`)) continue;
    const owner = /^\.(\d+)\.part$/.exec(beside.slice(name.length))?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    rmSync(join(dirname(file), beside), { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // EPERM: it is alive and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

async function writeTrace(
  file: string,
  { columns }: RunHeader,
  meta: TraceMeta,
  chunks: Chunks,
  sink: Sink,
): Promise<void> {
  const writer = await traceFormatOf(file).writer(columns);
  if (writer.begin) sink(writer.begin());
  for (const chunk of chunks()) {
    sink(writer.write(chunk));
    await nextTurn();
  }
  if (writer.finish) sink(writer.finish(meta));
}

function wholeTrace(plan: RunHeader, meta: TraceMeta, chunks: Chunks): Trace {
  const parts = [...chunks()];
  const time = joinNumbers(parts.map((part) => part.time));
  const columns = plan.columns.map((column, c) => ({
    ...column,
    data: joinData(parts.map((part) => part.data[c] ?? [])),
  }));
  return { meta, time, columns };
}

function joinNumbers(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function joinData(parts: readonly ColumnData[]): ColumnData {
  if (parts.every((part) => part instanceof Float64Array)) return joinNumbers(parts);
  if (parts.every((part) => part instanceof BigInt64Array))
    return BigInt64Array.from(parts.flatMap((part) => [...part]));
  return parts.flatMap((part) => [...part] as (string | Uint8Array)[]);
}
