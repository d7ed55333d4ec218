/**
 * Curves from columns: what a panel draws of one signal of one source, or of the difference of two.
 */
import { type Curve, makeCurve } from "@cosimo/plot/page/curve.ts";
import type { Columns } from "@cosimo/serve/columns.ts";
import type { ColumnInfo } from "@cosimo/serve/protocol.ts";
import { isLane } from "./source.ts";

export interface PlotCurve {
  /** Name of the signal, with that of its source where several are shown. */
  readonly label: string;
  readonly signal: string;
  /** Which of the sources; it decides the dash. */
  readonly source: number;
  readonly info: ColumnInfo;
  /** Its points are lowest and highest values: they say nothing of an instant. */
  readonly isDecimated: boolean;
  readonly curve: Curve;
  readonly low: number;
  readonly high: number;
}

export function curvesOf(
  { head, time, values }: Columns,
  columns: readonly ColumnInfo[],
  place: { readonly source: number; readonly label: string; readonly isDifference?: boolean },
): PlotCurve[] {
  const times = Array.from(time);
  return head.signals.flatMap((signal, s): PlotCurve[] => {
    const info = columns.find(({ name }) => name === signal);
    const column = values[s];
    if (!info || !column) return [];
    const numbers = Array.from(column, (value) => (Number.isFinite(value) ? value : null));
    const stepwise = info.stepwise === true || isLane(info);
    return [
      {
        source: place.source,
        isDecimated: head.isDecimated,
        label: `${place.isDifference ? "Δ " : ""}${signal}${place.label === "" ? "" : ` (${place.label})`}`,
        signal,
        info,
        curve: makeCurve({ values: numbers, stepwise }, times),
        ...rangeOf(numbers),
      },
    ];
  });
}

function rangeOf(values: readonly (number | null)[]): { low: number; high: number } {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (value === null) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return { low, high };
}
