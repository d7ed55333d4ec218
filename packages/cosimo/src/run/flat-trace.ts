/**
 * Rows of numbers collected into a trace, many at once: of short runs that are made by the
 * thousand, collecting rows one by one would be a good part of the time. Traces with texts or
 * 64-bit integers go to `MemoryTrace`.
 */
import type { RecordedRows } from "../engine/run-plan.ts";
import type { Banks } from "../model/value-type.ts";
import type { Plan } from "../plan/plan.ts";
import type { ColumnInfo, Trace } from "../record/trace.ts";
import { MemoryTrace } from "./memory-trace.ts";

const FIRST_ROWS = 256;

export class FlatTrace {
  /** All columns are numbers. */
  readonly isFlat: boolean;
  private readonly columns: readonly ColumnInfo[];
  private readonly plan: Plan;
  private readonly slow: MemoryTrace;
  /** Row after row, the time first. */
  private rows: Float64Array;
  private count = 0;

  constructor(columns: readonly ColumnInfo[], plan: Plan) {
    this.columns = columns;
    this.plan = plan;
    this.slow = new MemoryTrace(columns);
    this.isFlat = plan.record.columns.every(({ bank }) => bank === "f64");
    this.rows = new Float64Array(this.isFlat ? FIRST_ROWS * (columns.length + 1) : 0);
  }

  add(time: number, banks: Banks): void {
    if (!this.isFlat) {
      this.slow.addSignals(time, this.plan, banks);
      return;
    }
    const { columns } = this.plan.record;
    let at = this.roomFor(1);
    this.rows[at++] = time;
    for (let c = 0; c < columns.length; c++) this.rows[at++] = banks.f64[columns[c].slot];
    this.count++;
  }

  /** Only where the trace is flat. */
  addRows({ firstTick, every, count, f64 }: RecordedRows, timeOf: (tick: number) => number): void {
    const width = this.columns.length;
    let at = this.roomFor(count);
    for (let r = 0; r < count; r++) {
      this.rows[at++] = timeOf(firstTick + r * every);
      for (let c = 0; c < width; c++) this.rows[at++] = f64[r * width + c];
    }
    this.count += count;
  }

  trace(meta: Trace["meta"]): Trace {
    if (!this.isFlat) return this.slow.trace(meta);
    const width = this.columns.length + 1;
    const column = (c: number): Float64Array => {
      const data = new Float64Array(this.count);
      for (let r = 0; r < this.count; r++) data[r] = this.rows[r * width + c];
      return data;
    };
    return {
      meta,
      time: column(0),
      columns: this.columns.map((info, c) => ({ ...info, data: column(c + 1) })),
    };
  }

  /** @returns where the next row begins. */
  private roomFor(count: number): number {
    const width = this.columns.length + 1;
    const needed = (this.count + count) * width;
    if (needed > this.rows.length) {
      const grown = new Float64Array(Math.max(needed, 2 * this.rows.length));
      grown.set(this.rows);
      this.rows = grown;
    }
    return this.count * width;
  }
}
