/**
 * Columns of a trace that no port stands behind: what the master says about the run.
 */
import { GROWTH_COLUMN, type Plan } from "../plan/plan.ts";
import type { ColumnInfo } from "../record/trace.ts";
import { statisticColumn } from "../record/trace-select.ts";

const GROWTH = {
  name: GROWTH_COLUMN,
  unit: "1/s",
  description: "rate at which the changes of coupled signals grow",
};

/** Those that the plan records, in its order; they come after the columns of ports. */
export function statisticColumns({ record, coupling }: Plan): ColumnInfo[] {
  const known = new Map([GROWTH, ...(coupling?.statistics ?? [])].map((one) => [one.name, one]));
  return record.columns.flatMap(({ unit, name }) =>
    unit < 0 ? [statisticColumn(known.get(name!)!)] : [],
  );
}
