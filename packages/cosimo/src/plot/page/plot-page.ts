/**
 * The script of an HTML plot: panels over one time axis that zoom and pan together, values under the cursor, series that can be
 * switched off, two themes. Bundled into one text at build time (scripts/pages.mjs), because the page works offline as one file.
 */
import type { PlotPageData } from "../page-data.ts";
import type { ThemeName } from "../palette.ts";
import "./plot-page.css";
import { byId, pageData } from "./dom.ts";
import { keyAction, listenToPanel } from "./gestures.ts";
import { Panel, type PanelContext, shown } from "./panel.ts";
import { TimeWindow } from "./time-window.ts";

const data = pageData<PlotPageData>();
const page = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
let themeName: ThemeName = themeOf(page.dataset["theme"]);
let axisWidth = 48;
let pointedAt: number | undefined;
let isQueued = false;

const view = new TimeWindow(data.start, data.stop, refresh);
const context: PanelContext = {
  data,
  view,
  theme: () => data.themes[themeName],
  axisWidth: () => axisWidth,
  refresh,
  point: (time) => {
    pointedAt = time;
    showValues();
  },
};

const host = byId("panels");
document.body.classList.add("alive");
const panels = data.panels.map((one, i) => new Panel(context, host, one, i));
for (const panel of panels) listenToPanel(panel.over, view);

function themeOf(chosen: string | undefined): ThemeName {
  return chosen === "light" || chosen === "dark" ? chosen : dark.matches ? "dark" : "light";
}

function setTheme(name: ThemeName): void {
  themeName = name;
  page.dataset["theme"] = name;
  refresh();
}

function refresh(): void {
  if (isQueued) return;
  isQueued = true;
  requestAnimationFrame(draw);
}

function draw(): void {
  isQueued = false;
  const widest = Math.max(0, ...panels.map((panel) => panel.measure()));
  // In coarse steps, so that the plot does not tremble while zooming.
  axisWidth = Math.max(48, Math.ceil((widest + 10) / 16) * 16);
  host.style.setProperty("--left", `${axisWidth}px`);
  for (const panel of panels) panel.draw();
}

function showValues(): void {
  byId("readout").textContent = pointedAt === undefined ? "" : `t = ${shown(pointedAt, 6)} s`;
  for (const panel of panels) panel.showValues(pointedAt);
}

byId("in").addEventListener("click", () => view.zoom(0.5));
byId("out").addEventListener("click", () => view.zoom(2));
byId("all").addEventListener("click", () => view.showAll());
byId("theme").addEventListener("click", () => setTheme(themeName === "dark" ? "light" : "dark"));
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const action = keyAction(event.key, view);
  if (!action) return;
  event.preventDefault();
  action();
});
addEventListener("resize", refresh);
dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));
refresh();
