/**
 * Tables that are not traces: named columns of equal length, without a time. As Parquet, for
 * pandas, DuckDB and everything else.
 */
import { parquetMetadata, parquetRead } from "hyparquet";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { ParquetWriter } from "hyparquet-writer/src/parquet-writer.js";
import { type Checked, diagnose } from "../base/diagnostic.ts";
import { errorText } from "../base/error-text.ts";
import { RECORD_DIAGNOSTICS } from "./diagnostics.ts";
import { encodingOf, schemaElement, toParquet } from "./parquet-types.ts";

/** Numbers; a number that a row does not have is NaN. */
export type TableColumn =
  | {
      readonly name: string;
      readonly type: "float64" | "int32" | "boolean";
      readonly unit?: string;
      readonly data: Float64Array;
    }
  | { readonly name: string; readonly type: "string"; readonly data: readonly string[] };

export interface Table {
  readonly columns: readonly TableColumn[];
  /** What a reader has to know of it, as texts. */
  readonly notes: Readonly<Record<string, string>>;
}

const UNITS = "cosimo.units";

export function encodeTable({ columns, notes }: Table): Uint8Array {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [
      { name: "table", num_children: columns.length },
      ...columns.map(({ name, type }) => schemaElement(name, type)),
    ],
  });
  const rows = columns[0]?.data.length ?? 0;
  if (rows > 0)
    void writer.write({
      columnData: columns.map(({ name, type, data }) => {
        const encoding = encodingOf(type);
        return { name, data: toParquet(type, data), ...(encoding !== undefined && { encoding }) };
      }),
      rowGroupSize: rows,
    });
  const units = Object.fromEntries(
    columns.flatMap((column) =>
      "unit" in column && column.unit ? [[column.name, column.unit]] : [],
    ),
  );
  writer.kvMetadata = Object.entries({ ...notes, [UNITS]: JSON.stringify(units) }).map(
    ([key, value]) => ({ key, value }),
  );
  void writer.finish();
  return bytes.getBytes().slice();
}

/** What `encodeTable` wrote; of other tables the columns of these types. */
export async function parseTable(bytes: Uint8Array, file: string): Promise<Checked<Table>> {
  try {
    const { buffer } = new Uint8Array(bytes);
    const metadata = parquetMetadata(buffer, { geoparquet: false });
    const values = new Map<string, unknown[]>();
    await parquetRead({
      file: { byteLength: buffer.byteLength, slice: (start, end) => buffer.slice(start, end) },
      metadata,
      onChunk({ columnName, columnData, rowStart }) {
        const column = values.get(columnName) ?? [];
        for (let i = 0; i < columnData.length; i++) column[rowStart + i] = columnData[i];
        values.set(columnName, column);
      },
    });
    const notes = Object.fromEntries(
      (metadata.key_value_metadata ?? []).map(({ key, value = "" }) => [key, value]),
    );
    const units = JSON.parse(notes[UNITS] ?? "{}") as Record<string, string>;
    const columns = metadata.schema.slice(1).map(({ name, type }): TableColumn => {
      const data = values.get(name) ?? [];
      if (type === "BYTE_ARRAY") return { name, type: "string", data: data.map(String) };
      const kind = type === "BOOLEAN" ? "boolean" : type === "INT32" ? "int32" : "float64";
      const unit = units[name];
      return {
        name,
        type: kind,
        data: Float64Array.from(data, Number),
        ...(unit !== undefined && { unit }),
      };
    });
    return { value: { columns, notes }, diagnostics: [] };
  } catch (error) {
    const params = { reason: errorText(error) };
    return { diagnostics: [diagnose(RECORD_DIAGNOSTICS, "parquet-unreadable", params, { file })] };
  }
}
