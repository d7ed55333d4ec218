/**
 * What an HTML page holds as JSON beside its script: written by html.ts and graph-html.ts, read by the scripts in page/.
 * One definition for both sides, because nothing else checks that they agree.
 */
import type { Theme, ThemeName } from "./palette.ts";

export interface PlotPageData {
  readonly start: number;
  readonly stop: number;
  readonly themes: Readonly<Record<ThemeName, Theme>>;
  readonly dashes: readonly (readonly number[])[];
  /** Time columns; several series may share one. */
  readonly times: readonly (readonly number[])[];
  readonly panels: readonly PlotPagePanel[];
}

export interface PlotPagePanel {
  readonly kind: "values" | "lanes";
  /** What the value axis is called; may be empty. */
  readonly quantity: string;
  readonly unit?: string;
  /** All values are whole numbers. */
  readonly whole: boolean;
  readonly series: readonly PlotPageSeries[];
}

export interface PlotPageSeries {
  readonly label: string;
  readonly unit?: string;
  readonly stepwise: boolean;
  /** Which colour and which dash. */
  readonly color: number;
  readonly dash: number;
  /** How many digits the cursor shows. */
  readonly digits: number;
  /** Which of the page's time columns. */
  readonly time: number;
  /** A null is a gap. Values and times are rounded to what a screen can show. */
  readonly values: readonly (number | null)[];
}

/** Lines about every unit and every wire of a drawing; the first line is a heading. */
export interface GraphPageData {
  readonly units: readonly (readonly string[])[];
  readonly wires: readonly (readonly string[])[];
}
