/**
 * The report of a study as one HTML file that works offline and needs no script: pictures,
 * failures, and from every point a link to the trace of its run.
 */
import { escapeMarkup } from "../escape.ts";
import { THEMES, type Theme } from "../palette.ts";
import type { StudyPageData } from "./study-data.ts";
import { indexBars, mainEffects, parallelCoordinates, scatterMatrix } from "./study-svg.ts";

/** Outputs of which effects are drawn. */
const MOST_OUTPUTS = 12;
const MOST_RUNS_NAMED = 20;

export function studyReportHtml(data: StudyPageData): string {
  const title = escapeMarkup(data.title);
  const factors = data.variables.filter(({ isFactor }) => isFactor);
  const outputs = data.outputs.slice(0, MOST_OUTPUTS);
  const indexed = outputs.filter(({ indices }) => indices !== undefined);
  const hasPoints = data.runs.length > 0 && data.variables.length > 1;
  const sections = [
    section(
      "Found",
      data.found.length === 0 ? "" : `<pre>${escapeMarkup(data.found.join("\n"))}</pre>`,
    ),
    section(
      "Sobol indices",
      indexed
        .map((output) => `<h3>${escapeMarkup(output.name)}</h3>${indexBars(output, factors)}`)
        .join("\n"),
      "The part of the variance that a factor explains alone (dark), and together with others (light).",
    ),
    section(
      "Main effects",
      outputs
        .map((output) => `<h3>${escapeMarkup(output.name)}</h3>${mainEffects(output, factors)}`)
        .join("\n"),
      "Means over all runs in which a factor has about this value; in brackets the part of the variance that the means explain.",
    ),
    section("Scatter matrix", hasPoints ? scatterMatrix(data) : "", linkNote(data)),
    section(
      "Parallel coordinates",
      hasPoints ? parallelCoordinates(data) : "",
      "A line per run, coloured by the last axis.",
    ),
    section("Failures", failureTable(data)),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>
${style()}
</style>
</head>
<body>
<header>
<h1>${title}</h1>
${data.facts.map((fact) => `<p>${escapeMarkup(fact)}</p>`).join("\n")}
</header>
<main>
${sections.filter((one) => one !== "").join("\n")}
</main>
</body>
</html>
`;
}

function linkNote({ runs }: StudyPageData): string {
  return runs.some(({ trace }) => trace !== undefined)
    ? "Every point leads to the trace of its run; point at it to see its values."
    : "Point at a run to see its values; 'keep: [traces]' keeps its trace as well.";
}

function section(heading: string, content: string, note = ""): string {
  if (content === "") return "";
  const about = note === "" ? "" : `<p class="note">${escapeMarkup(note)}</p>\n`;
  return `<section>\n<h2>${heading}</h2>\n${about}${content}\n</section>`;
}

function failureTable({ failures }: StudyPageData): string {
  if (failures.length === 0) return "";
  const rows = failures.map(({ reason, runs }) => {
    const named = runs.slice(0, MOST_RUNS_NAMED).join(", ");
    const more = runs.length > MOST_RUNS_NAMED ? ", …" : "";
    return `<tr><td>${runs.length}</td><td>${escapeMarkup(reason)}</td><td>${named}${more}</td></tr>`;
  });
  return `<table>\n<tr><th>runs</th><th>why</th><th>which</th></tr>\n${rows.join("\n")}\n</table>`;
}

function style(): string {
  return `:root { ${variables(THEMES.light)} }
@media (prefers-color-scheme: dark) { :root { ${variables(THEMES.dark)} } }
body { background: var(--background); color: var(--text); font: 14px/1.45 'DejaVu Sans', Verdana, 'Segoe UI', Arial, sans-serif; margin: 1.5rem auto; max-width: 1080px; padding: 0 1rem; }
header p, .note { color: var(--muted); margin: 0.2rem 0; }
section { margin-top: 2rem; overflow-x: auto; }
svg { max-width: 100%; height: auto; }
svg text { font-size: 10.5px; fill: var(--muted); }
svg text.name { font-size: 11.5px; fill: var(--text); }
.box { fill: none; stroke: var(--grid); }
.grid { stroke: var(--grid); }
.axis { stroke: var(--axis); }
.dot { fill: var(--c0); fill-opacity: 0.6; }
a:hover .dot, .dot:hover { fill: var(--c1); fill-opacity: 1; }
.bar { fill: var(--c0); fill-opacity: 0.75; }
.total { fill: var(--c5); fill-opacity: 0.55; }
.curve { fill: none; stroke: var(--c0); stroke-width: 1.6; }
.line { fill: none; stroke-width: 1; stroke-opacity: 0.45; }
.s0 { stroke: var(--c0); } .s1 { stroke: var(--c5); } .s2 { stroke: var(--c2); } .s3 { stroke: var(--c4); } .s4 { stroke: var(--c1); }
.line:hover { stroke-opacity: 1; stroke-width: 2.5; }
table { border-collapse: collapse; }
td, th { border: 1px solid var(--grid); padding: 0.25rem 0.6rem; text-align: left; }
pre { background: none; border: 1px solid var(--grid); padding: 0.8rem; }`;
}

function variables({ background, text, muted, grid, axis, colors }: Theme): string {
  const named = { background, text, muted, grid, axis };
  return [
    ...Object.entries(named).map(([name, value]) => `--${name}: ${value};`),
    ...colors.map((color, c) => `--c${c}: ${color};`),
  ].join(" ");
}
