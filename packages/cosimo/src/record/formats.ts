/**
 * The formats of trace files. A new one is a file that writes and reads it, and a row here:
 * commands, help and messages follow.
 */
import type { Checked } from "../base/diagnostic.ts";
import { csvHeader, csvNotes, csvNotesFile, csvRows, type TraceSubject } from "./csv.ts";
import { CsvBytes, isNumeric } from "./csv-bytes.ts";
import type { ColumnInfo, Trace, TraceMeta } from "./trace.ts";
import type { TraceChunk } from "./trace-chunk.ts";

/**
 * Takes rows and returns what to append to the file now, often nothing: bytes are valid until the
 * next call.
 */
export interface TraceWriter {
  begin?(): string | Uint8Array;
  write(chunk: TraceChunk): string | Uint8Array;
  /** The last bytes. `meta` may say how the run ended, which was unknown at its start. */
  finish?(meta: TraceMeta): string | Uint8Array;
}

/** A further file for what the format has no place for. */
export interface TraceNotesFile {
  nameFor(file: string): string;
  text(subject: TraceSubject): string;
}

export interface TraceFormat {
  /** Of file names, with its dot. */
  readonly ending: string;
  readonly notes?: TraceNotesFile;
  writer(columns: readonly ColumnInfo[]): Promise<TraceWriter>;
  read(content: FileContent): Promise<Checked<Trace>>;
}

export interface FileContent {
  readonly file: string;
  readonly bytes: Uint8Array;
  /** The bytes as UTF-8. */
  text(): string;
  /** The text of the file of notes that stands beside it; undefined when there is none. */
  notes?(name: string): string | undefined;
}

/**
 * The first one is what a file of unknown ending is read as. Readers and large encoders are loaded
 * when they are needed.
 */
export const TRACE_FORMATS: readonly [TraceFormat, ...TraceFormat[]] = [
  {
    ending: ".csv",
    async writer(columns) {
      const numbers = isNumeric(columns) ? new CsvBytes(columns) : undefined;
      return {
        begin: () => csvHeader(columns),
        write: (chunk) => numbers?.write(chunk) ?? csvRows(columns, chunk),
      };
    },
    notes: { nameFor: csvNotesFile, text: csvNotes },
    async read({ file, text, notes }) {
      const { parseCsv } = await import("./csv-read.ts");
      return parseCsv(text(), file, notes?.(csvNotesFile(file)));
    },
  },
  {
    ending: ".parquet",
    async writer(columns) {
      const { makeParquetWriter } = await import("./parquet.ts");
      return makeParquetWriter(columns);
    },
    async read({ file, bytes }) {
      const { parseParquet } = await import("./parquet-read.ts");
      return parseParquet(bytes, file);
    },
  },
];

export const TRACE_ENDINGS: readonly string[] = TRACE_FORMATS.map(({ ending }) => ending);

export function traceFormatOf(file: string): TraceFormat {
  const name = file.toLowerCase();
  return TRACE_FORMATS.find(({ ending }) => name.endsWith(ending)) ?? TRACE_FORMATS[0];
}
