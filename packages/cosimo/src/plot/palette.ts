/**
 * Colours and dashes of plots: safe for colour-blind readers (after Okabe and Ito), strong enough
 * on paper and screen.
 *
 * Seven colours come first; further series of a panel repeat them with another dash, so that 28
 * stay apart.
 */

export type ThemeName = "light" | "dark";

export interface Theme {
  readonly background: string;
  /** Behind the curves. */
  readonly panel: string;
  readonly text: string;
  /** Captions, tick labels. */
  readonly muted: string;
  readonly grid: string;
  readonly axis: string;
  readonly colors: readonly string[];
}

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  light: {
    background: "#ffffff",
    panel: "#ffffff",
    text: "#1f2328",
    muted: "#59636e",
    grid: "#e4e7eb",
    axis: "#8b949e",
    colors: ["#0072b2", "#d55e00", "#009e73", "#c4669c", "#d99000", "#3a9bd9", "#3d444d"],
  },
  dark: {
    background: "#14171c",
    panel: "#14171c",
    text: "#e6edf3",
    muted: "#9aa4af",
    grid: "#2a3038",
    axis: "#6e7781",
    colors: ["#4fa9e0", "#ff8a3d", "#2cc79a", "#e29ac6", "#f0b429", "#86cdf9", "#d5dbe1"],
  },
};

/** Colours repeat when there are more curves. */
export function colorOf({ colors, text }: Theme, index: number): string {
  return colors[index % colors.length] ?? text;
}

/** Stroke patterns in pixels; the first is a solid line. */
export const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 2.5], [9, 3, 2, 3]];
