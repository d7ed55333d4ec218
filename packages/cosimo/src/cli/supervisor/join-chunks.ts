/**
 * Pieces of columns in one array each.
 */
import type { ColumnData } from "../../record/trace.ts";

export function joinNumbers(parts: readonly Float64Array[]): Float64Array {
  const whole = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function joinData(parts: readonly ColumnData[]): ColumnData {
  if (parts.every((part) => part instanceof Float64Array)) return joinNumbers(parts);
  if (parts.every((part) => part instanceof BigInt64Array))
    return BigInt64Array.from(parts.flatMap((part) => [...part]));
  return parts.flatMap((part) => [...part] as (string | Uint8Array)[]);
}
