/**
 * The drawing of coupled units as a page of its own: hover over a unit or a wire to see only what
 * belongs to it, and its facts. Nothing is loaded from anywhere; without script it is the drawing
 * with tool tips.
 */
import { escapeMarkup, scriptJson } from "./escape.ts";
import type { GraphModel } from "./graph.ts";
import { graphStyle, graphSvg } from "./graph-svg.ts";
import type { GraphPageData } from "./page-data.ts";
import { THEMES } from "./palette.ts";

/**
 * The page of a drawing. Asynchronous, because script and layout are loaded with the first page.
 */
export async function graphHtml(model: GraphModel): Promise<string> {
  const { GRAPH_PAGE } = await import("#pages");
  const facts: GraphPageData = {
    units: model.units.map(({ name, about }) => [name, ...about]),
    wires: model.wires.map(({ about }) => about),
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(model.title)}</title>
<style>
${GRAPH_PAGE.style}
@media (prefers-color-scheme: dark) { ${scoped(graphStyle(THEMES.dark))} body { background: ${THEMES.dark.background}; color: ${THEMES.dark.text}; } }
</style>
</head>
<body>
<main>
${await graphSvg(model)}</main>
<aside id="facts" hidden></aside>
<script type="application/json" id="data">${scriptJson(facts)}</script>
<script>${GRAPH_PAGE.script}</script>
</body>
</html>
`;
}

/** Rules of the page win over those inside the drawing. */
function scoped(style: string): string {
  return style.replace(/([^{}]+)\{/g, (_, selector: string) => `main svg ${selector}{`);
}
