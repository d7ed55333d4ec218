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
  realpathSync,
  rmSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { setImmediate as nextTurn, setTimeout as sleep } from "node:timers/promises";
import { type Diagnostic, diagnose } from "../../base/diagnostic.ts";
import type { Outcome } from "../../base/outcome.ts";
import { isFileOrNew, partOf, putInPlace, sweepParts } from "../../platform/node/whole-file.ts";
import { traceFormatOf } from "../../record/formats.ts";
import type { Trace, TraceMeta } from "../../record/trace.ts";
import type { TraceChunk } from "../../record/trace-chunk.ts";
import type { Verdict } from "../../requirements/check-requirement.ts";
import { withMarks } from "../../requirements/mark-violations.ts";
import { verdictText } from "../../requirements/verdict-text.ts";
import { STDIO } from "../command.ts";
import { drawPlot } from "../plot-file.ts";
import type { RunHeader } from "../protocol/protocol.ts";
import { syncFile, syncFolder } from "../protocol/sync-files.ts";
import { isSystemError } from "../protocol/worker-failure.ts";
import { RUN_DIAGNOSTICS } from "../run-diagnostics.ts";
import { printFile, printVerbose } from "../terminal.ts";
import { joinData, joinNumbers } from "./join-chunks.ts";
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
    /** On what the scenario requires: metadata says them. */
    readonly verdicts?: readonly Verdict[];
    /** Files are on the disk, and not only in the system's memory, before this returns. */
    readonly isDurable?: boolean;
  },
): Promise<WrittenOutputs> {
  const { verdicts = [] } = wanted;
  const meta: TraceMeta = {
    title: plan.title,
    entries: {
      ...plan.entries,
      outcome: outcome.kind,
      ...(verdicts.length > 0 && { requirements: verdicts.map(verdictText).join("; ") }),
    },
  };
  const detailed = { ...meta, entries: { ...meta.entries, ...wanted.measured } };
  const files: string[] = [];
  const diagnostics: Diagnostic[] = [];
  const attempt = async (
    file: string,
    write: (sink: Sink) => void | Promise<void>,
  ): Promise<void> => {
    try {
      if (file === STDIO) return await write(async (piece) => printFile(piece));
      const isPlain = await writeWhole(file, write);
      // What is written to a pipe or a device cannot be synced, and is gone from here.
      if (wanted.isDurable && isPlain) syncWithFolder(file);
      printVerbose(`wrote ${file}`);
      files.push(file);
    } catch (error) {
      if (!isSystemError(error)) throw error;
      diagnostics.push(unwritableFile(file, error));
    }
  };
  for (const file of wanted.out) {
    await attempt(file, (sink) => writeTrace(file, plan, detailed, chunks, sink));
    const { notes } = traceFormatOf(file);
    // A pipe or a device has no place beside it.
    if (notes === undefined || files.at(-1) !== file || !isFileOrNew(file)) continue;
    const beside = notes.nameFor(file);
    const text = notes.text({ meta: detailed, columns: plan.columns });
    await attempt(beside, (sink) => sink(text));
    if (files.at(-1) === beside) files.pop();
  }
  if (wanted.plot.length > 0) {
    const trace = withMarks(wholeTrace(plan, meta, chunks), verdicts);
    for (const file of wanted.plot)
      await attempt(file, async (sink) => await sink(await drawPlot(file, trace)));
  }
  return { ...lastRow(plan.columns, chunks()), files, diagnostics };
}

/** A file that got its name a moment ago, and the name. */
function syncWithFolder(file: string): void {
  syncFile(file);
  syncFolder(dirname(realpathSync(file)));
}

/** Before a long run: what is sure to be unwritable after it. Folders that are missing are made. */
export function checkWritable(files: readonly string[]): Diagnostic[] {
  return files.flatMap((file) => {
    if (file === STDIO) return [];
    try {
      mkdirSync(dirname(file), { recursive: true });
      accessSync(dirname(file), constants.W_OK);
      sweepParts(file);
      // To open a pipe and close it again would end what its reader gets.
      if (isFileOrNew(file)) {
        if (existsSync(file)) closeSync(openSync(file, "r+"));
      } else accessSync(file, constants.W_OK);
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

type Sink = (piece: string | Uint8Array) => Promise<void>;

/** @returns whether it is a file, and not a pipe or a device. */
async function writeWhole(
  file: string,
  write: (sink: Sink) => void | Promise<void>,
): Promise<boolean> {
  mkdirSync(dirname(file), { recursive: true });
  sweepParts(file);
  const isPlace = isFileOrNew(file);
  const beside = isPlace ? partOf(file) : file;
  const descriptor = isPlace ? openSync(beside, "w") : await openWithReader(file);
  const removeHalf = (): void => {
    if (isPlace) rmSync(beside, { force: true });
  };
  process.once("exit", removeHalf);
  try {
    try {
      await write((piece) =>
        writeAll(descriptor, typeof piece === "string" ? Buffer.from(piece, "utf8") : piece),
      );
    } finally {
      closeSync(descriptor);
    }
    if (isPlace) putInPlace(beside, file);
    return isPlace;
  } catch (error) {
    removeHalf();
    throw error;
  } finally {
    process.off("exit", removeHalf);
  }
}

/** How often to look whether a pipe has a reader, or room. */
const PIPE_MS = 5;

/**
 * Opens a pipe or a device for writing. A pipe waits for its reader, here without holding up this
 * process: a second Ctrl-C must still end it.
 */
async function openWithReader(file: string): Promise<number> {
  for (;;) {
    try {
      return openSync(file, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENXIO") throw error;
      await sleep(PIPE_MS);
    }
  }
}

async function writeAll(descriptor: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      await sleep(PIPE_MS);
    }
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
  if (writer.begin) await sink(writer.begin());
  for (const chunk of chunks()) {
    await sink(writer.write(chunk));
    await nextTurn();
  }
  if (writer.finish) await sink(writer.finish(meta));
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
