/**
 * The spectral radius over the step size, one curve for every master: both axes are logarithmic,
 * the border of stability is drawn, and so is the step that was chosen. Not a trace, so not a
 * figure of figure.ts; the look is the same.
 */

import { tenth } from "./curve.ts";
import { sample } from "./decimate.ts";
import { escapeMarkup } from "./escape.ts";
import { colorOf, THEMES, type Theme, type ThemeName } from "./palette.ts";
import { dashed, drawLegend, END, MARGIN, MIDDLE, svgDocument, text } from "./svg-parts.ts";
import { fitText } from "./text-width.ts";

export interface RadiusCurve {
  readonly label: string;
  /** Undefined where there is none. */
  readonly radii: readonly (number | undefined)[];
  /** The largest stable step, marked on the curve's border. */
  readonly limit?: number;
  readonly isChosen: boolean;
}

export interface RadiusPlot {
  readonly title: string;
  readonly steps: readonly number[];
  readonly curves: readonly RadiusCurve[];
  /** The scenario's step. */
  readonly step: number;
}

const WIDTH = 860;
const HEIGHT = 360;
/** Radii that far from 1 are drawn at the edge. */
const LEAST = 0.02;
const MOST = 50;

export function radiusSvg(plot: RadiusPlot, themeName: ThemeName = "light"): string {
  const theme = THEMES[themeName];
  const { steps, curves, step, title } = plot;
  const [low, high] = valueRange(curves);
  const left = MARGIN + 58;
  const right = WIDTH - MARGIN;
  const parts: string[] = [];
  let top = MARGIN + 15;
  parts.push(
    text(fitText(title, 16, right - MARGIN), MARGIN, top, 15, theme.text, 'font-weight="bold"'),
  );
  const legend = curveLegend(curves, theme, left, right, top + 9);
  parts.push(...legend.parts);
  top = Math.ceil(legend.bottom + 7);
  const bottom = top + HEIGHT;
  const shortest = steps[0] ?? 1;
  const longest = steps.at(-1) ?? shortest;
  const x = logScale(shortest, longest, left, right);
  const y = logScale(low, high, bottom, top);
  parts.push(
    `<clipPath id="area"><rect x="${left}" y="${top}" width="${right - left}" height="${HEIGHT}"/></clipPath>`,
    `<rect x="${left}" y="${top}" width="${right - left}" height="${tenth(y(1) - top)}" fill="${theme.colors[1]}" opacity="0.07"/>`,
    text("unstable", left + 8, top + 17, 11, theme.muted),
    text("stable", left + 8, bottom - 8, 11, theme.muted),
  );
  for (const tick of logTicks(shortest, longest)) {
    parts.push(line(x(tick.value), top, x(tick.value), bottom, theme.grid, tick.isWhole ? 1 : 0.5));
    if (tick.isLabelled)
      parts.push(
        text(secondsText(tick.value), x(tick.value), bottom + 16, 10.5, theme.muted, MIDDLE),
      );
  }
  for (const tick of logTicks(low, high)) {
    parts.push(line(left, y(tick.value), right, y(tick.value), theme.grid, tick.isWhole ? 1 : 0.5));
    if (tick.isLabelled)
      parts.push(text(String(tick.value), left - 7, y(tick.value) + 4, 10.5, theme.muted, END));
  }
  parts.push(line(left, y(1), right, y(1), theme.text, 1.4));
  if (step >= shortest && step <= longest)
    parts.push(
      `<path d="M${tenth(x(step))} ${top}V${bottom}" stroke="${theme.muted}" stroke-width="1.2" stroke-dasharray="4 3"/>`,
      text("chosen step", x(step) + 5, bottom - 7, 10.5, theme.muted),
    );
  parts.push('<g clip-path="url(#area)">');
  for (const [c, curve] of curves.entries()) {
    const color = colorOf(theme, c);
    const path = curvePath(curve, steps, x, y, low, high);
    const dash = dashOf(c, theme.colors);
    parts.push(
      `<path d="${path}" fill="none" stroke="${color}" stroke-width="${curve.isChosen ? 2.6 : 1.6}" stroke-linejoin="round"${dash}><title>${escapeMarkup(curve.label)}</title></path>`,
    );
  }
  for (const [c, { limit, label }] of curves.entries())
    if (limit !== undefined)
      parts.push(
        `<circle cx="${tenth(x(limit))}" cy="${tenth(y(1))}" r="4" fill="${theme.background}" stroke="${theme.colors[c % theme.colors.length]}" stroke-width="2"><title>${escapeMarkup(`${label}: ${secondsText(limit)}`)}</title></circle>`,
      );
  parts.push(
    "</g>",
    `<rect x="${left}" y="${top}" width="${right - left}" height="${HEIGHT}" fill="none" stroke="${theme.axis}"/>`,
    text("step size", (left + right) / 2, bottom + 36, 11.5, theme.text, MIDDLE),
    text(
      "spectral radius ρ",
      MARGIN + 9,
      (top + bottom) / 2,
      11.5,
      theme.text,
      `${MIDDLE} transform="rotate(-90 ${MARGIN + 9} ${(top + bottom) / 2})"`,
    ),
  );
  const total = Math.ceil(bottom + 36 + MARGIN);
  return svgDocument(title, WIDTH, total, theme, parts);
}

type Scale = (value: number) => number;

function logScale(low: number, high: number, from: number, to: number): Scale {
  const span = Math.log(high / low) || 1;
  return (value) => from + (Math.log(value / low) / span) * (to - from);
}

/** Room around 1 in any case, and nothing far beyond where it matters. */
function valueRange(curves: readonly RadiusCurve[]): [number, number] {
  let [low, high] = [0.8, 1.25];
  for (const { radii } of curves)
    for (const radius of radii) {
      if (radius === undefined || !(radius > 0)) continue;
      low = Math.min(low, radius);
      high = Math.max(high, radius);
    }
  return [Math.max(LEAST, low / 1.08), Math.min(MOST, high * 1.08)];
}

interface Tick {
  readonly value: number;
  readonly isWhole: boolean;
  readonly isLabelled: boolean;
}

/** Everything is labelled within a decade, 1, 2 and 5 within two, powers of ten otherwise. */
function logTicks(low: number, high: number): Tick[] {
  const ticks: Tick[] = [];
  const isWide = high / low > 200;
  const isNarrow = high / low < 12;
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high) + 1; power++)
    for (let digit = 1; digit < 10; digit++) {
      const value = Number(`${digit}e${power}`);
      if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
      const isLabelled = isNarrow || digit === 1 || (!isWide && (digit === 2 || digit === 5));
      ticks.push({ value, isWhole: digit === 1, isLabelled });
    }
  return ticks;
}

function curvePath(
  { radii }: RadiusCurve,
  steps: readonly number[],
  x: Scale,
  y: Scale,
  low: number,
  high: number,
): string {
  let path = "";
  let isDown = false;
  for (const [k, radius] of radii.entries()) {
    if (radius === undefined) {
      isDown = false;
      continue;
    }
    const value = Math.min(high * 1.05, Math.max(low / 1.05, radius));
    path += `${isDown ? "L" : "M"}${tenth(x(sample(steps, k)))} ${tenth(y(value))}`;
    isDown = true;
  }
  return path;
}

function curveLegend(
  curves: readonly RadiusCurve[],
  { colors, text: fill }: Theme,
  left: number,
  right: number,
  top: number,
): { parts: string[]; bottom: number } {
  const entries = curves.map(({ label, isChosen, limit }, c) => {
    const reach = limit === undefined ? "" : `: ${secondsText(limit)}`;
    const color = colors[c % colors.length];
    return {
      label: `${label}${reach}${isChosen ? " (chosen)" : ""}`,
      stroke: `stroke="${color}" stroke-width="${isChosen ? 3 : 2}"${dashOf(c, colors)}`,
    };
  });
  return drawLegend(entries, fill, left, right, top);
}

/** Curves beyond the palette differ by their dashes. */
function dashOf(curve: number, colors: readonly string[]): string {
  return dashed(Math.floor(curve / colors.length));
}

function secondsText(value: number): string {
  if (value < 1e-3 * (1 - 1e-9)) return `${Number((1e6 * value).toPrecision(4))} µs`;
  if (value < 1 - 1e-9) return `${Number((1e3 * value).toPrecision(4))} ms`;
  return `${Number(value.toPrecision(4))} s`;
}

function line(
  x1: number,
  y1: number,
  x2: number,
  y2: number,
  stroke: string,
  width: number,
): string {
  return `<path d="M${tenth(x1)} ${tenth(y1)}L${tenth(x2)} ${tenth(y2)}" stroke="${stroke}" stroke-width="${width}"/>`;
}
