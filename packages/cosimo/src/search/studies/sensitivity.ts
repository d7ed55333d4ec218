/**
 * What matters: Sobol indices from designs that are made for them, and main effects from any runs.
 *
 * The first-order index of a factor is the part of the variance that it explains alone, V(E(y |
 * x_i)) / V(y); the total index also counts what it does together with others, E(V(y | x_~i)) /
 * V(y). Estimators: Saltelli et al., "Variance based sensitivity analysis of model output", 2010,
 * and Jansen, 1999, for the total one.
 */

export interface SobolIndices {
  readonly first: readonly number[];
  readonly total: readonly number[];
  /** Points that counted: those whose runs are all there. */
  readonly points: number;
}

/**
 * @param values in the order of the runs of a design with `indices`: f(A), f(B), f(A with B_1), …,
 * f(A with B_d) for each point. NaN where a run failed, which leaves out its point.
 * @returns undefined where nothing varies, or too few runs are there.
 */
export function sobolIndices(values: ArrayLike<number>, factors: number): SobolIndices | undefined {
  const block = factors + 2;
  const whole: number[] = [];
  for (let at = 0; at + block <= values.length; at += block) {
    let isWhole = true;
    for (let i = 0; i < block; i++) isWhole &&= Number.isFinite(values[at + i]);
    if (isWhole) whole.push(at);
  }
  const n = whole.length;
  if (n < 2) return undefined;
  // Around the mean the estimators lose less to rounding and to the finite number of points.
  let mean = 0;
  for (const at of whole) mean += (values[at] + values[at + 1]) / (2 * n);
  let variance = 0;
  for (const at of whole)
    variance += ((values[at] - mean) ** 2 + (values[at + 1] - mean) ** 2) / (2 * n);
  if (!(variance > 0)) return undefined;
  const first = new Array<number>(factors).fill(0);
  const total = new Array<number>(factors).fill(0);
  for (const at of whole) {
    const [a, b] = [values[at] - mean, values[at + 1] - mean];
    for (let i = 0; i < factors; i++) {
      const mixed = values[at + 2 + i] - mean;
      first[i] += (b * (mixed - a)) / (n * variance);
      total[i] += (a - mixed) ** 2 / (2 * n * variance);
    }
  }
  return { first, total, points: n };
}

/** The mean of an output where a factor has about one level. */
export interface EffectBin {
  /** Mean level of the runs in it. */
  readonly level: number;
  readonly mean: number;
  readonly runs: number;
}

export interface MainEffect {
  readonly bins: readonly EffectBin[];
  /**
   * The part of the variance that the means explain (correlation ratio), 0 to 1; NaN where nothing
   * varies, and where bins have fewer than two runs on average: such means explain everything.
   */
  readonly explained: number;
}

const MAX_BINS = 12;
/** Fewer runs in a bin have a mean that says more about the others factors. */
const BIN_RUNS = 4;

/**
 * @param levels of the factor and `values` of the output, by run; runs whose value is NaN are left
 * out.
 */
export function mainEffect(
  levels: ArrayLike<number>,
  values: ArrayLike<number>,
  isList: boolean,
): MainEffect {
  const runs = Array.from({ length: levels.length }, (_, i) => i)
    .filter((i) => Number.isFinite(values[i]))
    .sort((i, j) => levels[i] - levels[j]);
  const distinct = new Set(runs.map((i) => levels[i])).size;
  const bins = Math.max(1, Math.min(MAX_BINS, Math.floor(runs.length / BIN_RUNS)));
  const groups =
    isList || distinct <= MAX_BINS
      ? groupedByLevel(runs, levels)
      : Array.from({ length: bins }, (_, b) =>
          runs.slice(
            Math.floor((b * runs.length) / bins),
            Math.floor(((b + 1) * runs.length) / bins),
          ),
        );
  const mean = (list: readonly number[], of: ArrayLike<number>): number =>
    list.reduce((sum, i) => sum + of[i], 0) / list.length;
  const all = mean(runs, values);
  const variance = runs.reduce((sum, i) => sum + (values[i] - all) ** 2, 0);
  const found = groups
    .filter((group) => group.length > 0)
    .map((group) => ({
      level: mean(group, levels),
      mean: mean(group, values),
      runs: group.length,
    }));
  const between = found.reduce((sum, bin) => sum + bin.runs * (bin.mean - all) ** 2, 0);
  const isKnown = variance > 0 && runs.length >= 2 * found.length;
  return { bins: found, explained: isKnown ? between / variance : Number.NaN };
}

function groupedByLevel(runs: readonly number[], levels: ArrayLike<number>): number[][] {
  const groups = new Map<number, number[]>();
  for (const i of runs) groups.set(levels[i], [...(groups.get(levels[i]) ?? []), i]);
  return [...groups.values()];
}
