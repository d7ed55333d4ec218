/**
 * What all pictures have in common: type and sizes, text, scales, a legend in rows, the document
 * around them. One look for every plot.
 */
import type { Axis } from "./axis.ts";
import { type Scale, tenth } from "./curve.ts";
import { escapeMarkup } from "./escape.ts";
import { DASHES, type Theme } from "./palette.ts";
import { textWidth } from "./text-width.ts";

const FONT = "'DejaVu Sans', Verdana, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif";
export const TITLE = 15;
export const LABEL = 11.5;
export const TICK = 10.5;
export const CAPTION = 10;
export const MARGIN = 18;
export const MIDDLE = 'text-anchor="middle"';
export const END = 'text-anchor="end"';

export function text(
  content: string,
  x: number,
  y: number,
  size: number,
  fill: string,
  more = "",
): string {
  const at = `x="${tenth(x)}" y="${tenth(y)}" font-size="${size}" fill="${fill}"`;
  return `<text ${at}${more === "" ? "" : ` ${more}`}>${escapeMarkup(content)}</text>`;
}

export function scale({ min, max }: Pick<Axis, "min" | "max">, from: number, to: number): Scale {
  // Halves first: the difference of two huge numbers would overflow.
  const half = max / 2 - min / 2;
  return (value) => from + ((value / 2 - min / 2) / half) * (to - from);
}

export function dashed(index: number): string {
  const pattern = DASHES[index % DASHES.length] ?? [];
  return pattern.length === 0 ? "" : ` stroke-dasharray="${pattern.join(" ")}"`;
}

export interface LegendEntry {
  readonly label: string;
  /** Attributes of the line beside it. */
  readonly stroke: string;
}

/** Entries in rows from left to right. @returns also the bottom of the last row. */
export function drawLegend(
  entries: Iterable<LegendEntry>,
  fill: string,
  left: number,
  right: number,
  top: number,
): { parts: string[]; bottom: number } {
  const parts: string[] = [];
  let x = left;
  let y = top + LABEL * 0.6;
  for (const { label, stroke } of entries) {
    const needed = 27 + textWidth(label, LABEL);
    if (x > left && x + needed > right) {
      x = left;
      y += LABEL + 6;
    }
    parts.push(
      `<path d="M${tenth(x)} ${tenth(y)}h22" ${stroke}/>`,
      text(label, x + 27, y + LABEL * 0.36, LABEL, fill),
    );
    x += needed + 16;
  }
  return { parts, bottom: y + LABEL * 0.6 };
}

export function svgDocument(
  title: string,
  width: number,
  height: number,
  theme: Theme,
  body: readonly string[],
): string {
  const size = `width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} font-family="${escapeMarkup(FONT)}" role="img">`,
    `<title>${escapeMarkup(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${theme.background}"/>`,
    ...body,
    "</svg>\n",
  ].join("\n");
}
