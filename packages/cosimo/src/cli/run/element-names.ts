/**
 * Names of a port's elements as people write them: `x`, or `A[1,1]`, `A[1,2]`, … row by row.
 */
import type { Port } from "../../model/unit-description.ts";
import { columnsOf } from "../../record/trace-select.ts";

export function elementNames(port: Port): string[] {
  return columnsOf(port).map((column) => column.info.name);
}
