/**
 * Which picture a file name asks for.
 */
import { extname } from "node:path";
import type { PlotInput, PlotOptions } from "../plot/figure.ts";

export const PLOT_FORMATS: readonly string[] = [".svg", ".png", ".html"];

export async function drawPlot(
  file: string,
  input: PlotInput,
  options: PlotOptions = {},
): Promise<string | Uint8Array> {
  switch (extname(file).toLowerCase()) {
    case ".png":
      return (await import("../platform/node/plot-png.ts")).plotPng(input, options);
    case ".html":
      return (await import("../plot/html.ts")).plotHtml(input, options);
    default:
      return (await import("../plot/svg.ts")).plotSvg(input, options);
  }
}
