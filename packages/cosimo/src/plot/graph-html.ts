/**
 * The drawing of coupled units as a page of its own: hover over a unit or a wire to see only what belongs to it, and its facts.
 * Nothing is loaded from anywhere; without script it is the drawing with tool tips.
 */
import { escapeMarkup, scriptJson } from "./escape.ts";
import type { GraphModel } from "./graph.ts";
import { graphStyle, graphSvg } from "./graph-svg.ts";
import { THEMES } from "./palette.ts";

export function graphHtml(model: GraphModel): string {
  const facts = {
    units: model.units.map(({ name, about }) => [name, ...about]),
    wires: model.wires.map(({ about }) => about),
  };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(model.title)}</title>
<style>${PAGE_STYLE}
@media (prefers-color-scheme: dark) { ${scoped(graphStyle(THEMES.dark))} body { background: ${THEMES.dark.background}; color: ${THEMES.dark.text}; } }
</style>
</head>
<body>
<main>
${graphSvg(model)}</main>
<aside id="facts" hidden></aside>
<script type="application/json" id="data">${scriptJson(facts)}</script>
<script>${PAGE_SCRIPT}</script>
</body>
</html>
`;
}

/** Rules of the page win over those inside the drawing. */
function scoped(style: string): string {
  return style.replace(/([^{}]+)\{/g, (_, selector: string) => `main svg ${selector}{`);
}

const PAGE_STYLE = `
body { margin: 0; font: 13px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; background: #ffffff; color: #1f2328; }
main { overflow: auto; min-height: 100vh; }
main svg { display: block; margin: 0 auto; }
main svg [data-unit], main svg [data-wire], main svg [data-label] { transition: opacity .12s; }
main svg.picked .dim { opacity: .15; }
main svg [data-wire] { pointer-events: stroke; }
#facts { position: fixed; right: 16px; top: 16px; max-width: 340px; padding: 10px 14px; border-radius: 8px;
  background: Canvas; color: CanvasText; border: 1px solid #8b949e; box-shadow: 0 4px 18px #0003; white-space: pre-line; pointer-events: none; }
#facts b { display: block; }`;

const PAGE_SCRIPT = `
"use strict";
const facts = JSON.parse(document.getElementById("data").textContent);
const svg = document.querySelector("main svg");
const panel = document.getElementById("facts");
const units = [...svg.querySelectorAll("[data-unit]")];
const wires = [...svg.querySelectorAll("[data-wire]")];
const labels = [...svg.querySelectorAll("[data-label]")];
for (const title of svg.querySelectorAll("title")) if (title.parentNode !== svg) title.parentNode.dataset.about = title.textContent;
function pick(unitNames, wireNames, lines) {
  svg.classList.add("picked");
  for (const u of units) u.classList.toggle("dim", !unitNames.has(u.dataset.unit));
  for (const w of wires) w.classList.toggle("dim", !wireNames.has(w.dataset.wire));
  for (const l of labels) l.classList.toggle("dim", !wireNames.has(l.dataset.label));
  panel.textContent = "";
  const first = document.createElement("b");
  first.textContent = lines[0] || "";
  panel.append(first, lines.slice(1).join("\\n"));
  panel.hidden = false;
}
function clear() { svg.classList.remove("picked"); panel.hidden = true; }
for (const wire of wires) {
  wire.addEventListener("mouseenter", () => pick(new Set([wire.dataset.from, wire.dataset.to]), new Set([wire.dataset.wire]), facts.wires[wire.dataset.wire]));
  wire.addEventListener("mouseleave", clear);
}
for (const unit of units) {
  unit.addEventListener("mouseover", (event) => {
    const id = unit.dataset.unit;
    const mine = wires.filter((w) => w.dataset.from === id || w.dataset.to === id);
    const near = new Set([id, ...mine.flatMap((w) => [w.dataset.from, w.dataset.to])]);
    const port = event.target.closest("g[data-about]");
    const lines = port && port !== unit ? port.dataset.about.split("\\n") : facts.units[id];
    pick(near, new Set(mine.map((w) => w.dataset.wire)), lines);
  });
  unit.addEventListener("mouseleave", clear);
}`;
