/**
 * From positions in the unit interval to levels of factors. A point of a study holds a number per
 * factor: the value of a distribution, or the index of an item of a list.
 */
import type { Factor, FactorLevels, Level, StudyPoint } from "../../model/study.ts";
import { normalQuantile } from "../../numerics/normal-quantile.ts";

/** The quantile function: the level below which a part `u` in (0, 1) of all levels lies. */
export function levelAt({ levels }: Pick<Factor, "levels">, u: number): number {
  if (levels.kind === "list")
    return Math.min(Math.floor(u * levels.labels.length), levels.labels.length - 1);
  const { from = 0, to = 0, mode = 0, mean = 0, median = 0, deviation = 0 } = levels.parameters;
  switch (levels.name) {
    case "uniform":
      return from + u * (to - from);
    case "log-uniform":
      return from * (to / from) ** u;
    case "triangular": {
      const below = (mode - from) / (to - from);
      return u < below
        ? from + Math.sqrt(u * (to - from) * (mode - from))
        : to - Math.sqrt((1 - u) * (to - from) * (to - mode));
    }
    case "normal":
      return mean + deviation * normalQuantile(u);
    case "lognormal":
      return median * Math.exp(deviation * normalQuantile(u));
  }
}

/**
 * Evenly spread levels: all of a list; of a range `count` with both ends; of a distribution without
 * ends the middles of equal parts.
 */
export function evenLevels(factor: Factor, count: number): number[] {
  const { levels, points = count } = factor;
  if (levels.kind === "list") return levels.labels.map((_, i) => i);
  if (points === 1) return [middleLevel(factor)];
  const isBounded = levels.name === "uniform" || levels.name === "log-uniform";
  return Array.from({ length: points }, (_, i) => {
    if (!isBounded) return levelAt(factor, (i + 0.5) / points);
    // The ends are what was written, not what rounding makes of it.
    if (i === points - 1) return levels.parameters.to ?? Number.NaN;
    return levelAt(factor, i / (points - 1));
  });
}

/** Where searches begin, and what stays while another factor varies. */
export function middleLevel(factor: Factor): number {
  if (factor.start !== undefined) return factor.start;
  return factor.levels.kind === "list" ? 0 : levelAt(factor, 0.5);
}

/** What tables show. */
export function shownLevel(levels: FactorLevels, level: number): Level {
  return levels.kind === "list" ? (levels.labels[level] ?? "") : level;
}

export function shownPoint(factors: readonly Factor[], point: StudyPoint): Level[] {
  return factors.map(({ levels }, f) => shownLevel(levels, point[f] ?? Number.NaN));
}
