/**
 * Collects rows into a trace in memory.
 */
import type { Banks, ObjectValue } from "../model/value-type.ts";
import type { Plan } from "../plan/plan.ts";
import type { ColumnData, ColumnInfo, Trace } from "../record/trace.ts";

type Cell = number | bigint | ObjectValue;

export class MemoryTrace {
  private readonly columns: readonly ColumnInfo[];
  private readonly time: number[] = [];
  private readonly values: readonly Cell[][];

  constructor(columns: readonly ColumnInfo[]) {
    this.columns = columns;
    this.values = columns.map(() => []);
  }

  /** @param row a value per column. */
  add(time: number, row: readonly Cell[]): void {
    this.time.push(time);
    const { values } = this;
    for (let c = 0; c < row.length; c++) values[c]?.push(row[c] as Cell);
  }

  /** The recorded columns of a plan as its signals are. @returns the row. */
  addSignals(time: number, { record }: Plan, banks: Banks): readonly Cell[] {
    const row = record.columns.map(({ bank, slot }) => banks[bank][slot]);
    this.add(time, row);
    return row;
  }

  trace(meta: Trace["meta"]): Trace {
    const columns = this.columns.map((info, c) => ({ ...info, data: columnData(this.values[c]) }));
    return { meta, time: Float64Array.from(this.time), columns };
  }
}

/** In the array that suits the values. */
function columnData(cells: readonly Cell[] = []): ColumnData {
  if (typeof cells[0] === "number") return Float64Array.from(cells as number[]);
  if (typeof cells[0] === "bigint") return BigInt64Array.from(cells as bigint[]);
  return cells as ObjectValue[];
}
