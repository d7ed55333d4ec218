/**
 * Traces as Parquet for pandas, DuckDB and everything else that reads tables: typed columns, names,
 * units and the run's metadata in one compact file.
 *
 * A long run streams: chunks go in, bytes come out whenever a row group is full, and no more than
 * one row group is held. Parquet keeps its directory at the end of the file, so a file is readable
 * only after `finish`. The key-value metadata is that of trace-notes.ts.
 */
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { ParquetWriter } from "hyparquet-writer/src/parquet-writer.js";
import { encodingOf, schemaElement, toParquet } from "./parquet-types.ts";
import type { ColumnData, ColumnInfo, Trace, TraceMeta } from "./trace.ts";
import { chunksOf, sliceColumn, type TraceChunk, tableNames } from "./trace-chunk.ts";
import { traceNotes } from "./trace-notes.ts";

export interface ParquetTraceWriter {
  /** Takes rows and returns the bytes to append to the file now; often none. */
  write(chunk: TraceChunk): Uint8Array;
  /** The last bytes. `meta` may say how the run ended, which is not known at its start. */
  finish(meta: TraceMeta): Uint8Array;
}

export interface ParquetOptions {
  /** Rows of a row group; the default aims at a few megabytes. */
  readonly rowGroupRows?: number;
}

export function makeParquetWriter(
  columns: readonly ColumnInfo[],
  options: ParquetOptions = {},
): ParquetTraceWriter {
  const names = tableNames(columns);
  const rowGroupRows = options.rowGroupRows ?? defaultRowGroupRows(columns.length);
  const bytes = new ByteWriter(1 << 16);
  const parquet = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: "trace", num_children: columns.length + 1 },
      schemaElement("time", "float64"),
      ...columns.map((column, i) => schemaElement(names[i], column.type)),
    ],
  });
  let waiting: TraceChunk[] = [];
  let waitingRows = 0;

  /**
   * Everything encoded since the last call; the encoder goes on counting file offsets by itself.
   */
  function takeBytes(): Uint8Array {
    const taken = bytes.getBytes().slice();
    bytes.index = 0;
    return taken;
  }

  function writeRowGroup(): void {
    const group = concatChunks(waiting, columns.length);
    waiting = [];
    waitingRows = 0;
    void parquet.write({
      columnData: [
        { name: "time", data: group.time, encoding: "PLAIN" },
        ...columns.map(({ type }, i) => {
          const encoding = encodingOf(type);
          const data = toParquet(type, group.data[i]);
          return { name: names[i], data, ...(encoding === undefined ? {} : { encoding }) };
        }),
      ],
      rowGroupSize: Math.max(group.time.length, 1),
    });
  }

  return {
    write(chunk) {
      for (let from = 0; from < chunk.time.length; ) {
        const to = Math.min(chunk.time.length, from + rowGroupRows - waitingRows);
        waiting.push({
          time: chunk.time.slice(from, to),
          data: chunk.data.map((data) => copyColumn(data, from, to)),
        });
        waitingRows += to - from;
        from = to;
        if (waitingRows === rowGroupRows) writeRowGroup();
      }
      return takeBytes();
    },
    finish(meta) {
      if (waitingRows > 0) writeRowGroup();
      parquet.kvMetadata = Object.entries(traceNotes(meta, columns)).map(([key, value]) => ({
        key,
        value: JSON.stringify(value),
      }));
      void parquet.finish();
      return takeBytes();
    },
  };
}

/** A whole trace as pieces of a file, to be written one after the other. */
export function* encodeParquet(trace: Trace, options?: ParquetOptions): Generator<Uint8Array> {
  const writer = makeParquetWriter(trace.columns, options);
  for (const chunk of chunksOf(trace)) {
    const bytes = writer.write(chunk);
    if (bytes.length > 0) yield bytes;
  }
  yield writer.finish(trace.meta);
}

/**
 * About a million values a group: few megabytes in memory, and groups large enough to be read fast.
 */
function defaultRowGroupRows(columns: number): number {
  return Math.min(131_072, Math.max(1024, Math.floor(2 ** 20 / (columns + 1))));
}

/** A copy: the caller may reuse its buffers. */
function copyColumn(data: ColumnData, from: number, to: number): ColumnData {
  return data instanceof Float64Array || data instanceof BigInt64Array
    ? data.slice(from, to)
    : sliceColumn(data, from, to);
}

function concatChunks(chunks: readonly TraceChunk[], columns: number): TraceChunk {
  if (chunks.length === 1) return chunks[0];
  const data: ColumnData[] = [];
  for (let i = 0; i < columns; i++) data.push(concatColumn(chunks.map((chunk) => chunk.data[i])));
  return { time: concatColumn(chunks.map((chunk) => chunk.time)) as Float64Array, data };
}

function concatColumn(parts: readonly ColumnData[]): ColumnData {
  const rows = parts.reduce((sum, part) => sum + part.length, 0);
  if (parts[0] instanceof Float64Array) return joined(new Float64Array(rows), parts);
  if (parts[0] instanceof BigInt64Array) return joined(new BigInt64Array(rows), parts);
  return parts.flatMap((part) => part as string[]);
}

function joined(into: Float64Array | BigInt64Array, parts: readonly ColumnData[]): ColumnData {
  let at = 0;
  for (const part of parts) {
    into.set(part as never, at);
    at += part.length;
  }
  return into;
}
