/**
 * Collects rows into a trace in memory.
 */
import type { Banks, ObjectValue } from "../model/value-type.ts";
import type { Plan } from "../plan/plan.ts";
import type { ColumnData, ColumnInfo, Trace } from "../record/trace.ts";

type Cell = number | bigint | ObjectValue;

export class MemoryTrace {
  private readonly columns: readonly ColumnInfo[];
  private readonly time = new Numbers();
  private readonly values: (Numbers | Cell[] | undefined)[];

  constructor(columns: readonly ColumnInfo[]) {
    this.columns = columns;
    this.values = columns.map(() => undefined);
  }

  /** @param row a value per column. */
  add(time: number, row: readonly Cell[]): void {
    this.time.push(time);
    const { values } = this;
    for (let c = 0; c < values.length; c++) {
      const cell = row[c];
      const column = values[c] ?? this.begin(c, cell);
      if (column instanceof Numbers) column.push(cell as number);
      else column.push(cell);
    }
  }

  private begin(c: number, first: Cell | undefined): Numbers | Cell[] {
    const column = typeof first === "number" ? new Numbers() : [];
    this.values[c] = column;
    return column;
  }

  /** The recorded columns of a plan as its signals are. @returns the row. */
  addSignals(time: number, { record }: Plan, banks: Banks): readonly Cell[] {
    const { columns } = record;
    const row = new Array<Cell>(columns.length);
    for (let c = 0; c < columns.length; c++) row[c] = banks[columns[c].bank][columns[c].slot];
    this.add(time, row);
    return row;
  }

  trace(meta: Trace["meta"]): Trace {
    const columns = this.columns.map((info, c) => ({ ...info, data: columnData(this.values[c]) }));
    return { meta, time: this.time.take(), columns };
  }
}

/** Numbers, as many as come. */
class Numbers {
  private all = new Float64Array(64);
  private count = 0;

  push(value: number): void {
    if (this.count === this.all.length) {
      const more = new Float64Array(2 * this.count);
      more.set(this.all);
      this.all = more;
    }
    this.all[this.count++] = value;
  }

  take(): Float64Array {
    return this.all.slice(0, this.count);
  }
}

/** In the array that suits the values. */
function columnData(cells: Numbers | readonly Cell[] = []): ColumnData {
  if (cells instanceof Numbers) return cells.take();
  if (typeof cells[0] === "bigint") return BigInt64Array.from(cells as bigint[]);
  return cells as ObjectValue[];
}
