/**
 * One panel of the plots: a uPlot chart whose curves may change while it is shown, as those of a
 * run that goes on do. Axes, lanes and colours are those of the pictures that `cosimo plot` draws.
 */
import { type Axis, axisTitle, makeAxis } from "@cosimo/plot/axis.ts";
import { laneAxis, laneScale, NAME_LIFT } from "@cosimo/plot/lanes.ts";
import {
  type Curve,
  inLane,
  nearestRow,
  rangeWithin,
  rowsWithin,
  valueAt,
} from "@cosimo/plot/page/curve.ts";
import { listenToPanel } from "@cosimo/plot/page/gestures.ts";
import type { TimeWindow } from "@cosimo/plot/page/time-window.ts";
import { colorOf, DASHES, type Theme } from "@cosimo/plot/palette.ts";
import uPlot from "uplot";
import type { PlotCurve } from "./curves.ts";
import type { PanelSpec } from "./panels.ts";

export interface PanelContext {
  readonly view: TimeWindow;
  theme(): Theme;
  point(time: number | undefined): void;
  /** Instants that a person fixed. */
  cursors(): { readonly A?: number; readonly B?: number };
  place(time: number): void;
}

const FONT = "11px system-ui, sans-serif";
const LEFT = 56;
const LANE_LEFT = 132;
const LANE_HEIGHT = 30;
/** Ticks come from our axes; uPlot need not look for distances between them. */
const OUR_TICKS: uPlot.Axis = { incrs: [5], space: 0 };
const straight = uPlot.paths.linear?.() as uPlot.Series.PathBuilder;
const NOTHING: Curve = { x: [], y: [], lonely: [] };

interface Drawn {
  readonly curve: PlotCurve;
  readonly drawn: Curve;
}

export class PlotPanel {
  /** Signals come and go; everything else of it stays. */
  spec: PanelSpec;
  private readonly host: HTMLElement;
  private readonly context: PanelContext;
  private chart: uPlot | undefined;
  private lines: readonly Drawn[] = [];
  private axis: Axis = makeAxis(0, 1, 4);
  private readonly hidden = new Set<string>();
  private readonly resize: ResizeObserver;

  constructor(host: HTMLElement, spec: PanelSpec, context: PanelContext) {
    this.host = host;
    this.spec = spec;
    this.context = context;
    this.resize = new ResizeObserver(() => this.draw());
    this.resize.observe(host);
  }

  destroy(): void {
    this.resize.disconnect();
    this.chart?.destroy();
  }

  get curves(): readonly PlotCurve[] {
    return this.lines
      .filter(({ curve }) => !this.hidden.has(curve.label))
      .map(({ curve }) => curve);
  }

  get all(): readonly PlotCurve[] {
    return this.lines.map(({ curve }) => curve);
  }

  setHidden(label: string, isHidden: boolean): void {
    if (isHidden) this.hidden.add(label);
    else this.hidden.delete(label);
    this.draw();
  }

  setCurves(curves: readonly PlotCurve[]): void {
    const isOther =
      curves.length !== this.lines.length ||
      curves.some(({ label }, i) => this.lines[i]?.curve.label !== label);
    const lanes = this.laneNames(curves);
    this.lines = curves.map((curve) => ({
      curve,
      drawn:
        this.spec.kind === "lanes"
          ? inLane(
              curve.curve,
              laneScale(laneSignal(curve), lanes.indexOf(curve.label), lanes.length),
            )
          : this.spec.isLog
            ? logarithmic(curve.curve)
            : curve.curve,
    }));
    if (isOther || !this.chart) this.build();
    else this.chart.setData(this.points(), false);
    this.draw();
  }

  private laneNames(curves: readonly PlotCurve[]): string[] {
    return curves.map(({ label }) => label);
  }

  private points(): uPlot.AlignedData {
    // The types know aligned data (mode 1) only.
    return [
      null,
      ...this.lines.map(({ drawn }) => [drawn.x, drawn.y]),
    ] as unknown as uPlot.AlignedData;
  }

  private build(): void {
    this.chart?.destroy();
    this.chart = undefined;
    // uPlot draws at least one curve.
    if (this.lines.length === 0) return;
    this.chart = new uPlot(this.options(), this.points(), this.host);
    const names = this.lines.map(({ curve }) => curve.label).join(", ");
    this.chart.root.setAttribute("role", "img");
    this.chart.root.setAttribute("aria-label", `${names} over time`);
    listenToPanel(this.chart.over, this.context.view);
    this.listenToClicks(this.chart);
  }

  /** A click fixes the cursor; what moves meanwhile is a zoom or a pan. */
  private listenToClicks(chart: uPlot): void {
    let from: number | undefined;
    chart.over.addEventListener("pointerdown", ({ clientX, button, shiftKey }) => {
      from = button === 0 && !shiftKey ? clientX : undefined;
    });
    chart.over.addEventListener("click", ({ clientX, detail }) => {
      if (from === undefined || Math.abs(clientX - from) > 3 || detail > 1) return;
      const { left } = chart.over.getBoundingClientRect();
      this.context.place(chart.posToVal(clientX - left, "x"));
    });
  }

  private drawCursors({ ctx, bbox, valToPos }: uPlot): void {
    const { from, to } = this.context.view.span;
    const { theme, cursors } = this.context;
    ctx.save();
    ctx.font = FONT;
    for (const name of ["A", "B"] as const) {
      const time = cursors()[name];
      if (time === undefined || time < from || time > to) continue;
      const x = valToPos(time, "x", true);
      ctx.strokeStyle = theme().text;
      ctx.fillStyle = theme().text;
      ctx.lineWidth = devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      ctx.fillText(name, x + 3 * devicePixelRatio, bbox.top + 10 * devicePixelRatio);
    }
    ctx.restore();
  }

  draw(): void {
    const { chart } = this;
    if (!chart) return;
    const { from, to } = this.context.view.span;
    this.axis = this.valueAxis();
    chart.batch(() => {
      const { width, height } = this.size();
      if (width !== chart.width || height !== chart.height) chart.setSize({ width, height });
      this.lines.forEach(({ curve }, i) => {
        const series = chart.series[i + 1];
        if (series) series.show = !this.hidden.has(curve.label);
      });
      chart.redraw(true, true);
      chart.setScale("x", { min: from, max: to });
      chart.setScale("y", { min: this.axis.min, max: this.axis.max });
    });
  }

  valueAt(label: string, time: number): number | null {
    const line = this.lines.find(({ curve }) => curve.label === label);
    return line === undefined ? null : valueAt(line.curve.curve, time);
  }

  private size(): { width: number; height: number } {
    const lanes = this.lines.length * LANE_HEIGHT + 40;
    return {
      width: Math.max(120, this.host.clientWidth),
      height: this.spec.kind === "lanes" ? lanes : Math.max(90, this.host.clientHeight),
    };
  }

  /** Room for the longest name, as far as there is some. */
  private laneLeft(): number {
    const longest = Math.max(...this.lines.map(({ curve }) => curve.label.length));
    return Math.max(LANE_LEFT, Math.min(this.size().width / 2, 14 + 6.4 * longest));
  }

  private valueAxis(): Axis {
    const shown = this.lines.filter(({ curve }) => !this.hidden.has(curve.label));
    if (this.spec.kind === "lanes")
      return laneAxis(
        this.lines.map(({ curve }) => curve.label),
        11,
      );
    const { from, to } = this.context.view.span;
    const ranges = shown.map(({ drawn }) => rangeWithin(drawn, from, to));
    const low = Math.min(...ranges.map((range) => range.low));
    const high = Math.max(...ranges.map((range) => range.high));
    if (this.spec.isLog) return logAxis(low, high);
    return makeAxis(low, high, Math.max(3, this.size().height / 40), { padding: 0.06 });
  }

  private timeAxis(): Axis {
    const { from, to } = this.context.view.span;
    return makeAxis(from, to, Math.max(2, (this.chart?.over.clientWidth || 600) / 90));
  }

  private options(): uPlot.Options {
    const { view, point, theme } = this.context;
    const look: uPlot.Axis = {
      font: FONT,
      gap: 5,
      stroke: () => theme().muted,
      grid: { stroke: () => theme().grid, width: 1 },
      ticks: { show: false },
      ...OUR_TICKS,
    };
    const isLanes = this.spec.kind === "lanes";
    return {
      ...this.size(),
      mode: 2,
      padding: [8, 12, 0, 0],
      legend: { show: false },
      scales: {
        x: { time: false, range: () => [view.span.from, view.span.to] },
        y: { range: () => [this.axis.min, this.axis.max] },
      },
      axes: [
        {
          ...look,
          size: 20,
          splits: () => [...this.timeAxis().ticks],
          values: () => [...this.timeAxis().labels],
          label: () => axisTitle("", "s", this.timeAxis()),
          labelSize: 14,
          labelGap: 0,
          labelFont: FONT,
        },
        {
          ...look,
          scale: "y",
          size: isLanes ? this.laneLeft() : LEFT,
          ...(isLanes
            ? {
                splits: () => this.axis.ticks.flatMap((tick) => [tick, tick + NAME_LIFT]),
                values: () => this.axis.labels.flatMap((label) => ["", label]),
              }
            : {
                splits: () => [...this.axis.ticks],
                values: () => [...this.axis.labels],
                label: () => axisTitle("", this.spec.unit, this.axis),
                labelSize: 18,
                labelGap: 2,
                labelFont: FONT,
              }),
        },
      ],
      series: [{}, ...this.lines.map((_, i) => this.seriesOptions(i))],
      cursor: {
        y: false,
        drag: { x: true, y: false, setScale: false, dist: 5 },
        sync: { key: "studio" },
        dataIdx: (chart, i) => {
          const line = this.lines[i - 1];
          const left = chart.cursor.left ?? -1;
          return line && left >= 0 ? nearestRow(line.drawn, chart.posToVal(left, "x")) : null;
        },
        points: { size: 6 },
        bind: {
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
        draw: [(chart) => this.drawCursors(chart)],
        setCursor: [
          (chart) => {
            const { left = -1 } = chart.cursor;
            point(left < 0 ? undefined : chart.posToVal(left, "x"));
          },
        ],
        setSelect: [
          (chart) => {
            const { left, width } = chart.select;
            if (width === 0) return;
            const span = { from: chart.posToVal(left, "x"), to: chart.posToVal(left + width, "x") };
            chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
            view.show(span);
          },
        ],
      },
    };
  }

  private seriesOptions(index: number): uPlot.Series {
    const { view, theme } = this.context;
    const { color, dash } = this.look(index);
    const stroke = (): string => colorOf(theme(), color);
    return {
      auto: false,
      facets: [
        { scale: "x", auto: false },
        { scale: "y", auto: false },
      ],
      stroke,
      width: 1.6,
      pxAlign: 0,
      dash: [...dash],
      paths: (chart, i) => {
        const { drawn = NOTHING } = this.lines[i - 1] ?? {};
        const [first, last] = rowsWithin(drawn, view.span.from, view.span.to);
        return first > last ? null : straight(chart, i, first, last);
      },
      points: {
        show: false,
        filter: () => [...(this.lines[index]?.drawn.lonely ?? [])],
        size: 4,
        stroke,
        fill: stroke,
      },
    } as uPlot.Series;
  }

  /** A signal has its colour in all sources; the source decides the dash. */
  private look(index: number): { color: number; dash: readonly number[] } {
    const curve = this.lines[index]?.curve;
    const color = curve === undefined ? index : this.spec.signals.indexOf(curve.signal);
    return { color, dash: DASHES[(curve?.source ?? 0) % DASHES.length] ?? [] };
  }
}

function laneSignal({ info, low, high }: PlotCurve): Parameters<typeof laneScale>[0] {
  return { low, high, ...(info.items === undefined ? {} : { items: info.items }) };
}

/** What is not positive has no place on a logarithmic axis. */
function logarithmic({ x, y }: Curve): Curve {
  return {
    x,
    y: y.map((value) => (value === null || value <= 0 ? null : Math.log10(value))),
    lonely: [],
  };
}

const SUPERSCRIPTS = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/** @param low and `high` are powers of ten. */
function logAxis(low: number, high: number): Axis {
  const isEmpty = !(low <= high);
  const min = isEmpty ? 0 : Math.floor(low);
  const max = isEmpty ? 1 : Math.max(Math.ceil(high), min + 1);
  const every = Math.max(1, Math.ceil((max - min) / 6));
  const ticks: number[] = [];
  for (let power = min; power <= max; power += every) ticks.push(power);
  return { min, max, ticks, labels: ticks.map(powerText), offset: 0, exponent: 0 };
}

function powerText(power: number): string {
  const digits = [...String(Math.abs(power))].map((digit) => SUPERSCRIPTS[Number(digit)]).join("");
  return `10${power < 0 ? "⁻" : ""}${digits}`;
}
