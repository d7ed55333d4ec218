/**
 * Columns of a trace that no port stands behind: what the master says about the run.
 */
import type { Plan } from "../plan/plan.ts";
import { GROWTH_COLUMN, INDEX_COLUMN, statisticInfo } from "../plan/statistics.ts";
import type { ColumnInfo } from "../record/trace.ts";
import { statisticColumn } from "../record/trace-select.ts";

/** Those that the plan records, in its order; they come after the columns of ports. */
export function statisticColumns({ record, coupling }: Plan): ColumnInfo[] {
  const ofPlans = [GROWTH_COLUMN, INDEX_COLUMN].map(statisticInfo);
  const known = [...(coupling?.statistics ?? []), ...ofPlans];
  return record.columns.flatMap(({ unit, name }) =>
    unit < 0 ? known.filter((one) => one.name === name).map(statisticColumn) : [],
  );
}
