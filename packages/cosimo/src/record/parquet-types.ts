/**
 * How the value types of a trace look in Parquet, in both directions.
 *
 *   float64, float32      DOUBLE, FLOAT
 *   (u)int8…(u)int32      INT32 with the converted type (U)INT_8…(U)INT_32
 *   (u)int64              INT64 with the converted type (U)INT_64
 *   enumeration           INT64 (FMI 3 counts its items in 64 bits)
 *   boolean, clock        BOOLEAN
 *   string, binary        BYTE_ARRAY with and without STRING
 *
 * Integers carry the older converted types only: every reader knows them, and the encoder writes
 * the bit width of the newer logical type in a way that Arrow refuses to read.
 */
import type { ConvertedType, DecodedArray, Encoding, SchemaElement } from "hyparquet";
import type { ValueType } from "../model/value-type.ts";
import type { ColumnData } from "./trace.ts";

/** One column of the file's schema. */
export function schemaElement(name: string, type: ValueType): SchemaElement {
  const element = { name, repetition_type: "REQUIRED" } as const;
  switch (type) {
    case "float64":
      return { ...element, type: "DOUBLE" };
    case "float32":
      return { ...element, type: "FLOAT" };
    case "boolean":
    case "clock":
      return { ...element, type: "BOOLEAN" };
    case "string":
      return {
        ...element,
        type: "BYTE_ARRAY",
        converted_type: "UTF8",
        logical_type: { type: "STRING" },
      };
    case "binary":
      return { ...element, type: "BYTE_ARRAY" };
    case "enumeration":
      return { ...element, type: "INT64" };
    default: {
      const isSigned = !type.startsWith("u");
      const bitWidth = Number(type.replace(/\D/g, ""));
      return {
        ...element,
        type: bitWidth === 64 ? "INT64" : "INT32",
        converted_type: `${isSigned ? "" : "U"}INT_${bitWidth}` as ConvertedType,
      };
    }
  }
}

/**
 * Doubles are written plain: the encoder's dictionary takes -0 for 0. The others may use a
 * dictionary where it pays.
 */
export function encodingOf(type: ValueType): Encoding | undefined {
  return type === "float64" || type === "float32" ? "PLAIN" : undefined;
}

/**
 * A column's values as the encoder wants them: unsigned ones as such, or its minimum and maximum
 * would be wrong.
 */
export function toParquet(type: ValueType, data: ColumnData): DecodedArray {
  if (data instanceof BigInt64Array) {
    if (type !== "uint64") return data;
    return new BigUint64Array(data.buffer, data.byteOffset, data.length);
  }
  if (!(data instanceof Float64Array)) return data as string[];
  switch (type) {
    case "float64":
    case "float32":
      return data;
    case "boolean":
    case "clock":
      return Array.from(data, (value) => value !== 0);
    case "enumeration":
      return BigInt64Array.from(data, (value) => BigInt(Math.trunc(value)));
    case "uint32":
      return Array.from(data);
    default:
      return Int32Array.from(data);
  }
}

/** The value type a column of a foreign file has, or undefined when a trace cannot hold it. */
export function valueTypeOf(element: SchemaElement): ValueType | undefined {
  const logical = element.logical_type;
  if ((element.num_children ?? 0) > 0 || element.repetition_type === "REPEATED") return undefined;
  if (logical?.type === "INTEGER")
    return `${logical.isSigned ? "" : "u"}int${logical.bitWidth}` as ValueType;
  if (logical?.type === "STRING" || element.converted_type === "UTF8") return "string";
  const converted = /^(U?)INT_(\d+)$/.exec(element.converted_type ?? "");
  if (converted !== null) return `${converted[1] ? "u" : ""}int${converted[2]}` as ValueType;
  if (logical !== undefined || element.converted_type !== undefined) return undefined;
  switch (element.type) {
    case "DOUBLE":
      return "float64";
    case "FLOAT":
      return "float32";
    case "BOOLEAN":
      return "boolean";
    case "INT32":
      return "int32";
    case "INT64":
      return "int64";
    case "BYTE_ARRAY":
      return "binary";
    default:
      return undefined;
  }
}
