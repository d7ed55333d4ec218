/**
 * The formats of trace files. A new one is a file that writes and reads it, and a row here: commands, help and messages follow.
 */
import type { Checked } from "../base/diagnostic.ts";
import { csvHeader, csvRows } from "./csv.ts";
import type { ColumnInfo, Trace, TraceMeta } from "./trace.ts";
import type { TraceChunk } from "./trace-chunk.ts";

/** Takes rows and returns what to append to the file now; often nothing. */
export interface TraceWriter {
  begin?(): string | Uint8Array;
  write(chunk: TraceChunk): string | Uint8Array;
  /** The last bytes. `meta` may say how the run ended, which was unknown at its start. */
  finish?(meta: TraceMeta): string | Uint8Array;
}

export interface TraceFormat {
  /** Of file names, with its dot. */
  readonly ending: string;
  writer(columns: readonly ColumnInfo[]): Promise<TraceWriter>;
  read(content: FileContent): Promise<Checked<Trace>>;
}

export interface FileContent {
  readonly file: string;
  readonly bytes: Uint8Array;
  /** The bytes as UTF-8. */
  text(): string;
}

/** The first one is what a file of unknown ending is read as. Readers and large encoders are loaded when they are needed. */
export const TRACE_FORMATS: readonly [TraceFormat, ...TraceFormat[]] = [
  {
    ending: ".csv",
    writer: async (columns) => ({
      begin: () => csvHeader(columns),
      write: (chunk) => csvRows(columns, chunk),
    }),
    async read({ file, text }) {
      const { parseCsv } = await import("./csv-read.ts");
      return parseCsv(text(), file);
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
