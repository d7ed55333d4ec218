/**
 * One panel of a plot page: a uPlot chart with the axes of the static picture, and its legend.
 *
 * uPlot runs in its mode 2, where every series has times of its own: runs that are compared and
 * long signals that were thinned share none. Ranges come from the page, so that all panels show the
 * same time and hidden series make room.
 */
import uPlot from "uplot";
import { type Axis, axisTitle, makeAxis } from "../axis.ts";
import { laneAxis, laneScale, NAME_LIFT, segmentsOf } from "../lanes.ts";
import type { PlotPageData } from "../page-data.ts";
import { colorOf, type Theme } from "../palette.ts";
import {
  type Curve,
  inLane,
  makeCurve,
  nearestRow,
  rangeWithin,
  rowsWithin,
  valueAt,
} from "./curve.ts";
import { create } from "./dom.ts";
import type { PanelGroup, PanelMember } from "./grouping.ts";
import { type LegendEntry, legendEntry } from "./legend.ts";
import type { TimeWindow } from "./time-window.ts";
import { valueText } from "./value-text.ts";

/** What the panels of a page share. */
export interface PanelContext {
  readonly data: PlotPageData;
  readonly view: TimeWindow;
  theme(): Theme;
  /** Pixels left of the drawing areas, without the axis title. */
  axisWidth(): number;
  /** Those of numbers alone: names of lanes may be longer. */
  numberWidth(): number;
  /** Something else is to be shown; draws soon. */
  refresh(): void;
  /** Which series the reader sees, by their index. */
  isOn(index: number): boolean;
  setOn(index: number, on: boolean): void;
  /** The reader points at this time, or at none. */
  point(time: number | undefined): void;
}

const FONT_SIZE = 11;
const FONT = `${FONT_SIZE}px system-ui, sans-serif`;
const ITEM_SIZE = 9.5;
const TITLE_FONT = "12px system-ui, sans-serif";
const LANE_HEIGHT = 34;
const TITLE_WIDTH = 22;
const TITLE_GAP = 4;
const TOP = 8;
const RIGHT = 14;

interface Line {
  readonly member: PanelMember;
  /** The values as recorded. */
  readonly values: Curve;
  /** As drawn. */
  readonly drawn: Curve;
  readonly entry: LegendEntry;
}

export class Panel {
  readonly root: HTMLElement = create("section");
  private readonly panel: PanelGroup;
  /** How many panels the page has. */
  private readonly count: number;
  private readonly context: PanelContext;
  private readonly lines: readonly Line[];
  private readonly isLast: boolean;
  private readonly chart: uPlot;
  private axis: Axis;

  constructor(
    context: PanelContext,
    host: HTMLElement,
    panel: PanelGroup,
    place: { readonly index: number; readonly count: number },
  ) {
    const { data } = context;
    // First of all, because the chart asks how wide it is.
    host.append(this.root);
    this.panel = panel;
    this.context = context;
    this.isLast = place.index === place.count - 1;
    this.count = place.count;
    const lanes = panel.members.length;
    this.lines = panel.members.map((member, i) => {
      const { series } = member;
      const values = makeCurve(series, data.times[series.time] ?? []);
      const entry = legendEntry(member, dashOf(data, member.dash), (alone) =>
        this.clicked(i, alone),
      );
      entry.setOn(context.isOn(member.index));
      const isLane = panel.kind === "lanes";
      const drawn = isLane ? inLane(values, laneScale(series, i, lanes)) : values;
      return { member, values, drawn, entry };
    });
    const legend = create("div", "legend");
    legend.append(...this.lines.map(({ entry }) => entry.button));
    this.root.append(legend);
    this.axis = this.valueAxis();
    const points = [null, ...this.lines.map(({ drawn }) => [drawn.x, drawn.y])];
    // The types know aligned data (mode 1) only.
    this.chart = new uPlot(this.options(), points as unknown as uPlot.AlignedData, this.root);
    this.chart.root.setAttribute("role", "img");
    const names = this.names.join(", ");
    this.chart.root.setAttribute("aria-label", `${names} over time`);
  }

  get isLanes(): boolean {
    return this.panel.kind === "lanes";
  }

  get over(): HTMLElement {
    return this.chart.over;
  }

  /** What of it is switched on, for a picture; undefined when nothing is. */
  get shown(): PanelGroup | undefined {
    const members = this.panel.members.filter(({ index }) => this.context.isOn(index));
    return members.length === 0 ? undefined : { ...this.panel, members };
  }

  private get names(): string[] {
    return this.panel.members.map(({ series }) => series.label);
  }

  destroy(): void {
    this.chart.destroy();
    this.root.remove();
  }

  /**
   * Prepares the value axis for what is to be shown. @returns how wide its labels are, in pixels.
   */
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
    const { axisWidth, numberWidth, view } = this.context;
    const { from, to } = view.span;
    const [, valueAxis] = this.chart.axes;
    // Titles stand beside the numbers.
    if (valueAxis) valueAxis.labelGap = TITLE_GAP - (axisWidth() - numberWidth());
    this.chart.batch(() => {
      const { width, height } = this.size();
      if (width !== this.chart.width) this.chart.setSize({ width, height });
      this.lines.forEach(({ member }, i) => {
        const series = this.chart.series[i + 1];
        if (series) series.show = this.context.isOn(member.index);
      });
      this.chart.redraw(false, true);
      this.chart.setScale("x", { min: from, max: to });
    });
  }

  showValues(time: number | undefined): void {
    for (const { entry, values, member } of this.lines) {
      const { series } = member;
      // Between its marks an event has no value.
      const isSilent = time === undefined || series.isEvent;
      entry.showValue(isSilent ? "" : valueText(series, valueAt(values, time)));
    }
  }

  private clicked(clicked: number, alone: boolean): void {
    this.lines.forEach(({ member: { index } }, i) => {
      if (alone) this.context.setOn(index, i === clicked);
      else if (i === clicked) this.context.setOn(index, !this.context.isOn(index));
    });
    this.showSwitches();
    this.context.refresh();
  }

  /** Series may have been switched from outside. */
  showSwitches(): void {
    for (const { entry, member } of this.lines) entry.setOn(this.context.isOn(member.index));
  }

  private get innerHeight(): number {
    const { kind, members } = this.panel;
    if (kind === "lanes") return members.length * LANE_HEIGHT + 6;
    return this.count === 1 ? 420 : this.count === 2 ? 260 : 190;
  }

  private size(): { width: number; height: number } {
    const below = this.isLast ? 46 : 6;
    return { width: this.root.clientWidth, height: TOP + this.innerHeight + below };
  }

  private valueAxis(): Axis {
    const { kind, whole } = this.panel;
    if (kind === "lanes") return laneAxis(this.names, FONT_SIZE);
    const { from, to } = this.context.view.span;
    const ranges = this.lines.flatMap(({ drawn, member }) =>
      this.context.isOn(member.index) ? [rangeWithin(drawn, from, to)] : [],
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
        draw: [(chart) => this.drawItems(chart)],
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
      ...(this.panel.kind === "lanes" ? this.laneTicks() : this.valueTicks()),
      label: () => axisTitle(quantity, unit, this.axis),
      labelSize: TITLE_WIDTH,
      labelGap: TITLE_GAP,
      labelFont: TITLE_FONT,
    };
  }

  private valueTicks(): Pick<uPlot.Axis, "splits" | "values"> {
    return { splits: () => [...this.axis.ticks], values: () => [...this.axis.labels] };
  }

  /**
   * A line at the base of a lane, and its name somewhat above: two places, one of which has no
   * line.
   */
  private laneTicks(): Pick<uPlot.Axis, "splits" | "values" | "grid" | "stroke"> {
    const { theme } = this.context;
    return {
      splits: () => this.axis.ticks.flatMap((tick) => [tick, tick + NAME_LIFT]),
      values: () => this.axis.labels.flatMap((label) => ["", label]),
      stroke: () => theme().text,
      grid: {
        stroke: () => theme().grid,
        width: 1,
        filter: (_chart, splits) => splits.map((split, i) => (i % 2 === 0 ? split : null)),
      },
    };
  }

  /** Names of an enumeration's items beside its line, where there is room. */
  private drawItems(chart: uPlot): void {
    const { data, view, theme, isOn } = this.context;
    const { from, to } = view.span;
    const { ctx } = chart;
    const size = ITEM_SIZE * devicePixelRatio;
    ctx.save();
    ctx.font = `${size}px system-ui, sans-serif`;
    ctx.fillStyle = theme().muted;
    ctx.textAlign = "left";
    ctx.textBaseline = "alphabetic";
    this.lines.forEach(({ member: { series, index } }, lane) => {
      const { items, low, high } = series;
      if (items === undefined || !isOn(index)) return;
      const height = laneScale(series, lane, this.lines.length);
      const time = data.times[series.time] ?? [];
      for (const segment of segmentsOf(time, series.values, from, to)) {
        const name = items[String(segment.value)];
        const left = chart.valToPos(segment.from, "x", true);
        const room = chart.valToPos(segment.to, "x", true) - left - size;
        if (name === undefined || ctx.measureText(name).width > room) continue;
        const y = chart.valToPos(height(segment.value), "y", true);
        const below = segment.value > (low + high) / 2 ? size + 2 : -4;
        ctx.fillText(name, left + size / 2, y + below);
      }
    });
    ctx.restore();
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
    const { color = 0, dash = 0 } = this.panel.members[index] ?? {};
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
