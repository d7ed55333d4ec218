/**
 * Jacobians from few evaluations: columns that share no row are found together. Curtis, Powell &
 * Reid 1974, "On the estimation of sparse Jacobian matrices": each group of structurally orthogonal
 * columns costs one evaluation along the sum of its unit vectors.
 */

/** Per row, the columns that it depends on; absent: any. */
export type SparsityPattern = readonly (readonly number[] | undefined)[];

export interface ColumnGroup {
  readonly columns: readonly number[];
  /** By row: the only column of the group that it depends on; -1: none. */
  readonly columnOf: Int32Array;
}

/** Groups of columns of which no row depends on two; greedy, in the order of the columns. */
export function colourColumns(n: number, pattern: SparsityPattern): ColumnGroup[] {
  const rowsOf: number[][] = Array.from({ length: n }, () => []);
  pattern.forEach((columns, row) => {
    for (const column of columns ?? rowsOf.keys()) rowsOf[column]?.push(row);
  });
  const groups: { columns: number[]; columnOf: Int32Array }[] = [];
  rowsOf.forEach((rows, column) => {
    let group = groups.find(({ columnOf }) => rows.every((row) => columnOf[row] < 0));
    if (group === undefined) {
      group = { columns: [], columnOf: new Int32Array(pattern.length).fill(-1) };
      groups.push(group);
    }
    group.columns.push(column);
    for (const row of rows) group.columnOf[row] = column;
  });
  return groups;
}

/**
 * Square root of the machine precision: balances truncation against rounding of forward
 * differences.
 */
const RELATIVE_STEP = Math.sqrt(Number.EPSILON);

/**
 * `jacobian[i * n + j]` = ∂f_i/∂x_j at `x`, where f(x) = `value`, by forward differences. `x` is
 * left as it was found.
 * @param scale the size that each x_j has where it is near 0.
 */
export function colouredDifferences(
  n: number,
  groups: readonly ColumnGroup[],
  f: (x: Float64Array, out: Float64Array) => void,
  x: Float64Array,
  value: Float64Array,
  scale: Float64Array,
  jacobian: Float64Array,
): void {
  const kept = x.slice();
  const moved = new Float64Array(value.length);
  const steps = new Float64Array(n);
  jacobian.fill(0);
  for (const { columns, columnOf } of groups) {
    for (const j of columns) {
      // Away from 0, so that states that must not be negative stay so.
      const size = RELATIVE_STEP * Math.max(Math.abs(kept[j]), scale[j]);
      x[j] = kept[j] + (kept[j] < 0 ? -size : size);
      steps[j] = x[j] - kept[j];
    }
    f(x, moved);
    for (let i = 0; i < columnOf.length; i++) {
      const j = columnOf[i];
      if (j >= 0) jacobian[i * n + j] = (moved[i] - value[i]) / steps[j];
    }
    for (const j of columns) x[j] = kept[j];
  }
}
