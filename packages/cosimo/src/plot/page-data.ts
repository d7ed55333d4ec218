/**
 * What an HTML page holds as JSON beside its script: written by html.ts and graph-html.ts, read by
 * the scripts in page/. One definition for both sides, because nothing else checks that they agree.
 */
import type { Theme, ThemeName } from "./palette.ts";

export interface PlotPageData {
  readonly title: string;
  readonly caption: string;
  readonly start: number;
  readonly stop: number;
  readonly themes: Readonly<Record<ThemeName, Theme>>;
  readonly dashes: readonly (readonly number[])[];
  /** Several runs are compared. */
  readonly compares: boolean;
  /** How many signals are shown at first; the others wait to be switched on. */
  readonly shown: number;
  /** Time columns; several series may share one. */
  readonly times: readonly (readonly number[])[];
  readonly series: readonly PlotPageSeries[];
}

export interface PlotPageSeries {
  readonly label: string;
  /** Its name without that of the run, and which run it belongs to. */
  readonly signal: string;
  readonly run: number;
  readonly unit?: string;
  /** Which panel of the static picture: signals of one physical unit, or lanes. */
  readonly panel: number;
  readonly isLane: boolean;
  readonly isEvent: boolean;
  /** All values are whole numbers. */
  readonly whole: boolean;
  readonly stepwise: boolean;
  /** Names of an enumeration's items, by value. */
  readonly items?: Readonly<Record<string, string>>;
  readonly low: number;
  readonly high: number;
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
