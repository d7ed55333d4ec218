/**
 * Columns of a trace that no port stands behind: what the master says about the run.
 */
import type { Plan } from "../plan/plan.ts";
import { GROWTH_COLUMN, statisticInfo } from "../plan/statistics.ts";
import type { ColumnInfo } from "../record/trace.ts";
import { statisticColumn } from "../record/trace-select.ts";

/** Those that the plan records, in its order; they come after the columns of ports. */
export function statisticColumns({ record, coupling }: Plan): ColumnInfo[] {
  const known = [...(coupling?.statistics ?? []), statisticInfo(GROWTH_COLUMN)];
  return record.columns.flatMap(({ unit, name }) =>
    unit < 0 ? known.filter((one) => one.name === name).map(statisticColumn) : [],
  );
}
