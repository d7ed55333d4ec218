/**
 * From a signal's values to the strokes of its curve: lines or steps, jumps at events, gaps where
 * values are missing.
 */
import { decimate, GAP, sample } from "./decimate.ts";

/** From a value to a coordinate. */
export type Scale = (value: number) => number;

/** What of a series the curve needs. */
export interface CurveData {
  readonly time: Float64Array;
  readonly values: Float64Array;
  readonly stepwise: boolean;
}

export interface CurvePaths {
  /** SVG path data of the curve. */
  readonly main: string;
  /**
   * Path data of the jumps between two rows of one time, to be drawn thinner: there the signal has
   * no values.
   */
  readonly jumps: string;
}

/** The strokes of a series, with no more points than `width` pixels can show. */
export function curvePaths(
  series: CurveData,
  scaleX: Scale,
  scaleY: Scale,
  width: number,
): CurvePaths {
  const { time, values, stepwise } = series;
  let main = "";
  let jumps = "";
  let penDown = false;
  let [lastX, lastY] = [Number.NaN, Number.NaN];
  let lastRow = GAP;
  for (const row of decimate(time, values, Math.max(1, Math.floor(width)))) {
    if (row === GAP) {
      if (penDown) main += "h0";
      penDown = false;
      lastRow = GAP;
      continue;
    }
    const x = tenth(scaleX(sample(time, row)));
    const y = tenth(scaleY(sample(values, row)));
    const isJump =
      !stepwise && row === lastRow + 1 && lastRow !== GAP && time[row] === time[lastRow];
    if (!penDown) {
      main += `M${x} ${y}`;
    } else if (isJump && y !== lastY) {
      jumps += `M${lastX} ${lastY}V${y}`;
      main += `M${x} ${y}`;
    } else if (stepwise) {
      if (x !== lastX) main += `H${x}`;
      if (y !== lastY) main += `V${y}`;
    } else if (x !== lastX || y !== lastY) {
      main += x === lastX ? `V${y}` : y === lastY ? `H${x}` : `L${x} ${y}`;
    }
    penDown = true;
    [lastX, lastY] = [x, y];
    lastRow = row;
  }
  // A stroke of no length: with round ends it shows a single point as a dot.
  if (penDown) main += "h0";
  return { main, jumps };
}

/** Tenths of a pixel are enough, and files stay small. */
export function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
