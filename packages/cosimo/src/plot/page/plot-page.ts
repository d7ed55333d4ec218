/**
 * The script of an HTML plot: panels over one time axis that zoom and pan together, values under
 * the cursor, series that can be filtered, grouped and switched off, pictures to save, two themes.
 * Bundled into one text at build time (scripts/pages.mjs), because the page works offline as one
 * file.
 */
import { figureSvg } from "../figure-svg.ts";
import type { PlotPageData } from "../page-data.ts";
import type { ThemeName } from "../palette.ts";
import "./plot-page.css";
import { byId, pageData } from "./dom.ts";
import { keyAction, listenToPanel } from "./gestures.ts";
import {
  type Grouping,
  groupPanels,
  isGrouping,
  listedBy,
  type PanelGroup,
  shownFirst,
} from "./grouping.ts";
import { Panel, type PanelContext } from "./panel.ts";
import { fileName, shownCsv, shownFigure } from "./picture.ts";
import { savePng, saveText } from "./save.ts";
import { TimeWindow } from "./time-window.ts";
import { numberText } from "./value-text.ts";

const data = pageData<PlotPageData>();
const page = document.documentElement;
const dark = matchMedia("(prefers-color-scheme: dark)");
const filter = byId("filter") as HTMLInputElement;
const host = byId("panels");
const on = shownFirst(data);
let themeName: ThemeName = themeOf(page.dataset["theme"]);
let axisWidth = 48;
let numberWidth = 48;
let pointedAt: number | undefined;
let isQueued = false;
let grouping: Grouping = "unit";
/** Empty until the first panel is made: charts report a cursor while they are being made. */
let panels: readonly Panel[] = [];

const view = new TimeWindow(data.start, data.stop, refresh);
const context: PanelContext = {
  data,
  view,
  theme: () => data.themes[themeName],
  axisWidth: () => axisWidth,
  numberWidth: () => numberWidth,
  refresh,
  isOn: (index) => on[index] === true,
  setOn: (index, isOn) => {
    on[index] = isOn;
    count();
  },
  point: (time) => {
    pointedAt = time;
    showValues();
  },
};

/** The panels of what is listed, made again. */
function build(): void {
  const isListed = listedBy(filter.value);
  const groups = groupPanels(data, grouping).flatMap((group): PanelGroup[] => {
    const members = group.members.filter(({ series }) => isListed(series.label));
    return members.length === 0 ? [] : [{ ...group, members }];
  });
  for (const panel of panels) panel.destroy();
  panels = [];
  const made: Panel[] = [];
  for (const [index, group] of groups.entries()) {
    const panel = new Panel(context, host, group, { index, count: groups.length });
    listenToPanel(panel.over, view);
    made.push(panel);
  }
  panels = made;
  count();
  refresh();
}

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
  const widths = panels.map((panel) => ({ isLanes: panel.isLanes, width: panel.measure() }));
  axisWidth = roomFor(widths.map(({ width }) => width));
  numberWidth = roomFor(widths.flatMap(({ isLanes, width }) => (isLanes ? [] : [width])));
  host.style.setProperty("--left", `${axisWidth}px`);
  for (const panel of panels) panel.draw();
}

/** In coarse steps, so that the plot does not tremble while zooming. */
function roomFor(widths: readonly number[]): number {
  return Math.max(48, Math.ceil((Math.max(0, ...widths) + 10) / 16) * 16);
}

function showValues(): void {
  byId("readout").textContent = pointedAt === undefined ? "" : `t = ${numberText(pointedAt, 6)} s`;
  for (const panel of panels) panel.showValues(pointedAt);
}

/** How many signals are shown, of how many. */
function count(): void {
  const shown = shownPanels().reduce((sum, { members }) => sum + members.length, 0);
  byId("counted").textContent = `${shown} of ${data.series.length}`;
}

function shownPanels(): PanelGroup[] {
  return panels.flatMap((panel) => panel.shown ?? []);
}

/** Switches everything that is listed. */
function switchAll(isOn: boolean): void {
  const isListed = listedBy(filter.value);
  data.series.forEach(({ label }, index) => {
    if (isListed(label)) on[index] = isOn;
  });
  for (const panel of panels) panel.showSwitches();
  count();
  refresh();
}

function picture(): string {
  const width = Math.round(Math.min(1400, Math.max(640, host.clientWidth)));
  return figureSvg(shownFigure(data, shownPanels(), view.span), { theme: themeName, width });
}

function listen(id: string, action: () => void): void {
  byId(id).addEventListener("click", action);
}

document.body.classList.add("alive");
if (data.series.length < 2) byId("choose").hidden = true;
build();
listen("in", () => view.zoom(0.5));
listen("out", () => view.zoom(2));
listen("all", () => view.showAll());
listen("theme", () => setTheme(themeName === "dark" ? "light" : "dark"));
listen("on", () => switchAll(true));
listen("off", () => switchAll(false));
listen("png", () => void savePng(picture(), fileName(data.title, "png")));
listen("svg", () => saveText(picture(), "image/svg+xml", fileName(data.title, "svg")));
listen("csv", () => {
  saveText(shownCsv(data, shownPanels(), view.span), "text/csv", fileName(data.title, "csv"));
});
filter.addEventListener("input", build);
byId("group").addEventListener("change", (event) => {
  const { value } = event.target as HTMLSelectElement;
  if (!isGrouping(value)) return;
  grouping = value;
  build();
});
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const action = keyAction(event.key, view);
  if (!action) return;
  event.preventDefault();
  action();
});
addEventListener("resize", refresh);
dark.addEventListener("change", () => setTheme(dark.matches ? "dark" : "light"));

/** Keys belong to the field that has the focus. */
function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement;
}
