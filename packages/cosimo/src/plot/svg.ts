/**
 * Plots as SVG: the picture for reports, and what the PNG is rendered from. Pure text from pure
 * data, so the same trace gives the same bytes everywhere.
 */
import { makeFigure, type PlotInput, type PlotOptions } from "./figure.ts";
import { figureSvg } from "./figure-svg.ts";
import { THEMES } from "./palette.ts";

/** A trace, or several runs side by side, as a standalone SVG document. */
export function plotSvg(input: PlotInput, options: PlotOptions = {}): string {
  return figureSvg(makeFigure(input, options, THEMES.light.colors.length), options);
}
