/**
 * One panel of a plot page: a uPlot chart with the axes of the static picture, and its legend.
 *
 * uPlot runs in its mode 2, where every series has times of its own: runs that are compared and long signals that were thinned
 * share none. Ranges come from the page, so that all panels show the same time and hidden series make room.
 */
import uPlot from "uplot";
import { type Axis, axisTitle, makeAxis } from "../axis.ts";
import type { PlotPageData, PlotPagePanel } from "../page-data.ts";
import { colorOf, type Theme } from "../palette.ts";
import {
  type Curve,
  inLane,
  LIFT,
  makeCurve,
  nearestRow,
  rangeWithin,
  rowsWithin,
  valueAt,
} from "./curve.ts";
import { create } from "./dom.ts";
import { type LegendEntry, legendEntry } from "./legend.ts";
import type { TimeWindow } from "./time-window.ts";

/** What the panels of a page share. */
export interface PanelContext {
  readonly data: PlotPageData;
  readonly view: TimeWindow;
  theme(): Theme;
  /** Pixels left of the drawing areas, without the axis title. */
  axisWidth(): number;
  /** Something else is to be shown; draws soon. */
  refresh(): void;
  /** The reader points at this time, or at none. */
  point(time: number | undefined): void;
}

const FONT = "11px system-ui, sans-serif";
const TITLE_FONT = "12px system-ui, sans-serif";
const LANE_HEIGHT = 34;
const TITLE_WIDTH = 22;
const TOP = 8;
const RIGHT = 14;

interface Line {
  readonly digits: number;
  readonly unit: string;
  /** The values as recorded. */
  readonly values: Curve;
  /** As drawn. */
  readonly drawn: Curve;
  readonly entry: LegendEntry;
  on: boolean;
}

export class Panel {
  readonly root: HTMLElement = create("section");
  private readonly panel: PlotPagePanel;
  private readonly context: PanelContext;
  private readonly lines: readonly Line[];
  private readonly isLast: boolean;
  private readonly chart: uPlot;
  private axis: Axis;

  constructor(context: PanelContext, host: HTMLElement, panel: PlotPagePanel, index: number) {
    const { data } = context;
    // First of all, because the chart asks how wide it is.
    host.append(this.root);
    this.panel = panel;
    this.context = context;
    this.isLast = index === data.panels.length - 1;
    this.lines = panel.series.map((series, i) => {
      const values = makeCurve(series, data.times[series.time] ?? []);
      const dash = dashOf(data, series.dash);
      return {
        digits: series.digits,
        unit: series.unit ?? "",
        values,
        drawn: panel.kind === "lanes" ? inLane(values, panel.series.length - 1 - i) : values,
        entry: legendEntry(series, dash, (alone) => this.clicked(i, alone)),
        on: true,
      };
    });
    const legend = create("div", "legend");
    legend.append(...this.lines.map(({ entry }) => entry.button));
    this.root.append(legend);
    this.axis = this.valueAxis();
    const points = [null, ...this.lines.map(({ drawn }) => [drawn.x, drawn.y])];
    // The types know aligned data (mode 1) only.
    this.chart = new uPlot(this.options(), points as unknown as uPlot.AlignedData, this.root);
    this.chart.root.setAttribute("role", "img");
    const names = panel.series.map(({ label }) => label).join(", ");
    this.chart.root.setAttribute("aria-label", `${names} over time`);
  }

  get over(): HTMLElement {
    return this.chart.over;
  }

  /** Prepares the value axis for what is to be shown. @returns how wide its labels are, in pixels. */
  measure(): number {
    this.axis = this.valueAxis();
    const { ctx } = this.chart;
    ctx.save();
    ctx.font = FONT;
    const width = Math.max(0, ...this.axis.labels.map((label) => ctx.measureText(label).width));
    ctx.restore();
    return width;
  }

  draw(): void {
    const { from, to } = this.context.view.span;
    this.chart.batch(() => {
      const { width, height } = this.size();
      if (width !== this.chart.width) this.chart.setSize({ width, height });
      this.lines.forEach(({ on }, i) => {
        const series = this.chart.series[i + 1];
        if (series) series.show = on;
      });
      this.chart.redraw(false, true);
      this.chart.setScale("x", { min: from, max: to });
    });
  }

  showValues(time: number | undefined): void {
    for (const { entry, values, digits, unit } of this.lines) {
      const value = time === undefined ? "" : shown(valueAt(values, time), digits);
      entry.showValue(value === "" || unit === "" ? value : `${value} ${unit}`);
    }
  }

  private clicked(index: number, alone: boolean): void {
    this.lines.forEach((line, i) => {
      if (alone) line.on = i === index;
      else if (i === index) line.on = !line.on;
      line.entry.setOn(line.on);
    });
    this.context.refresh();
  }

  private get innerHeight(): number {
    const { kind, series } = this.panel;
    if (kind === "lanes") return series.length * LANE_HEIGHT + 6;
    const panels = this.context.data.panels.length;
    return panels === 1 ? 420 : panels === 2 ? 260 : 190;
  }

  private size(): { width: number; height: number } {
    const below = this.isLast ? 46 : 6;
    return { width: this.root.clientWidth, height: TOP + this.innerHeight + below };
  }

  private valueAxis(): Axis {
    const { kind, series, whole } = this.panel;
    if (kind === "lanes") return laneAxis(series.length);
    const { from, to } = this.context.view.span;
    const ranges = this.lines.flatMap((line) =>
      line.on ? [rangeWithin(line.drawn, from, to)] : [],
    );
    const low = Math.min(...ranges.map((range) => range.low));
    const high = Math.max(...ranges.map((range) => range.high));
    return makeAxis(low, high, Math.max(3, this.innerHeight / 38), { padding: 0.06, whole });
  }

  private timeAxis(): Axis {
    const { from, to } = this.context.view.span;
    return makeAxis(from, to, Math.max(2, (this.chart.over.clientWidth || 900) / 90));
  }

  private options(): uPlot.Options {
    const { view, point } = this.context;
    return {
      ...this.size(),
      mode: 2,
      padding: [TOP, RIGHT, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, range: () => [view.span.from, view.span.to] },
        y: { range: () => [this.axis.min, this.axis.max] },
      },
      axes: [this.timeAxisOptions(), this.valueAxisOptions()],
      series: [{}, ...this.lines.map((line, i) => this.seriesOptions(line, i))],
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false, dist: 5 },
        sync: { key: "panels" },
        dataIdx: (chart, i) => {
          const line = this.lines[i - 1];
          const left = chart.cursor.left ?? -1;
          return line && left >= 0 ? nearestRow(line.drawn, chart.posToVal(left, "x")) : null;
        },
        points: { size: 6 },
        bind: {
          // Panning is ours.
          mousedown: (_chart, _target, handler) => (event) => {
            if (!event.shiftKey) handler(event);
            return null;
          },
          dblclick: () => () => {
            view.showAll();
            return null;
          },
        },
      },
      hooks: {
        setCursor: [
          (chart) => {
            const left = chart.cursor.left ?? -1;
            point(left < 0 ? undefined : chart.posToVal(left, "x"));
          },
        ],
        setSelect: [
          (chart) => {
            const { left, width } = chart.select;
            if (width === 0) return;
            const span = {
              from: chart.posToVal(left, "x"),
              to: chart.posToVal(left + width, "x"),
            };
            chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            view.show(span);
          },
        ],
      },
    };
  }

  private timeAxisOptions(): uPlot.Axis {
    const look = { ...this.axisLook(), size: this.isLast ? 24 : 6, ...OUR_TICKS };
    const splits = (): number[] => [...this.timeAxis().ticks];
    if (!this.isLast) return { ...look, splits, values: () => [] };
    return {
      ...look,
      splits,
      values: () => [...this.timeAxis().labels],
      label: () => axisTitle("time", "s", this.timeAxis()),
      labelSize: 22,
      labelGap: 2,
      labelFont: TITLE_FONT,
    };
  }

  private valueAxisOptions(): uPlot.Axis {
    const { quantity, unit } = this.panel;
    return {
      ...this.axisLook(),
      ...OUR_TICKS,
      scale: "y",
      size: () => this.context.axisWidth(),
      splits: () => [...this.axis.ticks],
      values: () => [...this.axis.labels],
      label: () => axisTitle(quantity, unit, this.axis),
      labelSize: TITLE_WIDTH,
      labelGap: 4,
      labelFont: TITLE_FONT,
    };
  }

  private axisLook(): uPlot.Axis {
    const { theme } = this.context;
    return {
      font: FONT,
      gap: 6,
      stroke: () => theme().muted,
      grid: { stroke: () => theme().grid, width: 1 },
      ticks: { show: false },
    };
  }

  private seriesOptions(line: Line, index: number): uPlot.Series {
    const { data, view, theme } = this.context;
    const { color = 0, dash = 0 } = this.panel.series[index] ?? {};
    const stroke = (): string => colorOf(theme(), color);
    return {
      // The page ranges the scales itself.
      auto: false,
      facets: [
        { scale: "x", auto: false },
        { scale: "y", auto: false },
      ],
      stroke,
      width: 1.6,
      // Whole pixels would make steps of slopes.
      pxAlign: 0,
      dash: [...dashOf(data, dash)],
      paths: (chart, i) => {
        const [first, last] = rowsWithin(line.drawn, view.span.from, view.span.to);
        return first > last ? null : straight(chart, i, first, last);
      },
      points: {
        show: false,
        filter: () => [...line.drawn.lonely],
        size: 4,
        stroke,
        fill: stroke,
      },
    } as uPlot.Series;
  }
}

/** Ticks come from our axes; uPlot need not look for distances between them. */
const OUR_TICKS: uPlot.Axis = { incrs: [5], space: 0 };

const straight = uPlot.paths.linear?.() as uPlot.Series.PathBuilder;

function dashOf({ dashes }: PlotPageData, index: number): readonly number[] {
  return dashes[index % dashes.length] ?? [];
}

function laneAxis(lanes: number): Axis {
  const ticks = Array.from({ length: lanes }, (_, lane) => [lane, lane + LIFT]).flat();
  const labels = ticks.map((_, i) => String(i % 2));
  return { min: -0.22, max: lanes - 0.16, ticks, labels, offset: 0, exponent: 0 };
}

export function shown(value: number | null, digits: number): string {
  return value === null ? "–" : String(Number(value.toPrecision(digits))).replace("-", "−");
}
