/**
 * `cosimo/plot`: traces and coupling graphs as SVG, HTML and text.
 */
export type { LabelledTrace, PlotInput, PlotOptions } from "./plot/figure.ts";
export type { GraphEnd, GraphModel, GraphPort, GraphUnit, GraphWire } from "./plot/graph.ts";
export { graphHtml } from "./plot/graph-html.ts";
export type { GraphOptions } from "./plot/graph-svg.ts";
export { graphSvg } from "./plot/graph-svg.ts";
export { plotHtml } from "./plot/html.ts";
export type { ThemeName } from "./plot/palette.ts";
export { plotSvg } from "./plot/svg.ts";
export type { TextPlotOptions } from "./plot/terminal.ts";
export { plotText } from "./plot/terminal.ts";
