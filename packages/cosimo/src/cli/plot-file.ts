/**
 * Which picture a file name asks for. A new format is a row here; help and messages follow.
 */
import { extname } from "node:path";
import type { PlotInput, PlotOptions } from "../plot/figure.ts";
import { STDIO } from "./command.ts";

type Draw = (input: PlotInput, options: PlotOptions) => Promise<string | Uint8Array>;

/** By ending. What draws is loaded when it is needed. */
const PLOT_FORMATS: Readonly<Record<string, Draw>> = {
  ".svg": async (input, options) => (await import("../plot/svg.ts")).plotSvg(input, options),
  ".png": async (input, options) =>
    (await import("../platform/node/plot-png.ts")).plotPng(input, options),
  ".html": async (input, options) => (await import("../plot/html.ts")).plotHtml(input, options),
};

export const PLOT_ENDINGS: readonly string[] = Object.keys(PLOT_FORMATS);

/** @param file `-` is an SVG on standard output. */
export async function drawPlot(
  file: string,
  input: PlotInput,
  options: PlotOptions = {},
): Promise<string | Uint8Array> {
  const draw = PLOT_FORMATS[file === STDIO ? ".svg" : extname(file).toLowerCase()];
  if (draw === undefined) throw new Error(`internal: nothing draws '${file}'`);
  return draw(input, options);
}

/** A picture that is drawn as SVG, in the format that the file name asks for: .svg or .png. */
export async function drawSvg(file: string, svg: string): Promise<string | Uint8Array> {
  if (extname(file).toLowerCase() !== ".png") return svg;
  return (await import("../platform/node/plot-png.ts")).svgToPng(svg);
}
