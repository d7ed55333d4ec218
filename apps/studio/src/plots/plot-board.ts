/**
 * All panels of the plots over one time axis: which sources they show, what part of the time, and
 * where their curves come from. A run that goes on sends its curves; everything else is asked for,
 * again whenever the window moves, with as many points as there are pixels.
 */
import { TimeWindow } from "@cosimo/plot/page/time-window.ts";
import { THEMES, type ThemeName } from "@cosimo/plot/palette.ts";
import type { Columns } from "@cosimo/serve/columns.ts";
import type { ColumnInfo, DerivedInfo } from "@cosimo/serve/protocol.ts";
import { api, Refused } from "../api/client.ts";
import { live } from "../api/live.ts";
import { Store } from "../base/store.ts";
import { Cursors } from "./cursors.ts";
import { curvesOf, type PlotCurve } from "./curves.ts";
import { firstPanels, newPanel, type PanelSpec, withoutSignal, withSignal } from "./panels.ts";
import { type PanelContext, PlotPanel } from "./plot-panel.ts";
import { columnsOf, nameOf, type PlotSource } from "./source.ts";

export interface BoardState {
  readonly sources: readonly PlotSource[];
  readonly panels: readonly PanelSpec[];
  /** The other sources are subtracted from the first. */
  readonly isDifference: boolean;
  /** Signals that are made of others. */
  readonly derived: readonly DerivedInfo[];
}

const NOTHING: BoardState = { sources: [], panels: [], isDifference: false, derived: [] };

const POINTS = 1200;
const ASK_AGAIN_MS = 60;
/** Differences of a run that goes on are not sent by themselves. */
const LIVE_DIFFERENCE_MS = 1000;
/** Sources over each other; frames of live curves have a number for each. */
export const MAX_SOURCES = 8;

export class PlotBoard {
  readonly state = new Store<BoardState>(NOTHING);
  readonly cursors = new Cursors();
  /** The time under the cursor. */
  readonly pointed = new Store<number | undefined>(undefined);
  /** Counts changes of curves, for what shows their values. */
  readonly drawn = new Store(0);
  readonly view = new TimeWindow(0, 1, () => this.moved());
  private theme: ThemeName = "light";
  private readonly charts = new Map<number, PlotPanel>();
  private readonly curves = new Map<string, readonly PlotCurve[]>();
  private readonly watched = new Map<number, string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;

  private readonly context: PanelContext = {
    view: this.view,
    theme: () => THEMES[this.theme],
    point: (time) => {
      this.pointed.set(time);
      void this.cursors.point(time);
    },
    cursors: () => this.cursors.state.get(),
    place: (time) => this.cursors.place(time),
  };

  constructor() {
    this.cursors.state.subscribe(() => {
      for (const chart of this.charts.values()) chart.draw();
    });
  }

  setTheme(theme: ThemeName): void {
    this.theme = theme;
    for (const chart of this.charts.values()) chart.draw();
  }

  get themeName(): ThemeName {
    return this.theme;
  }

  /** Signals of a source, recorded and derived. */
  columnsIn({ columns }: PlotSource): readonly ColumnInfo[] {
    const names = new Set(columns.map(({ name }) => name));
    const own = this.state
      .get()
      .derived.filter(({ signals }) => signals.every((s) => names.has(s)));
    return own.length === 0 ? columns : [...columns, ...own.map(({ info }) => info)];
  }

  /** Draws what a person made of other signals, in a panel of its own. */
  async derive(text: string): Promise<void> {
    const [first] = this.state.get().sources;
    if (first === undefined) return;
    const { signal: made, diagnostics } = await api.expression(nameOf(first), text);
    if (made === undefined) {
      const { code = "", message = "it cannot be computed", fix = "" } = diagnostics[0] ?? {};
      throw new Refused({ code, message, fix }, 422);
    }
    const { derived } = this.state.get();
    if (!derived.some(({ info }) => info.name === made.info.name))
      this.state.update({ derived: [...derived, made] });
    this.addPanel(made.info.name);
  }

  columnNamed(name: string): ColumnInfo | undefined {
    for (const source of this.state.get().sources) {
      const found = this.columnsIn(source).find((column) => column.name === name);
      if (found) return found;
    }
    return undefined;
  }

  /**
   * Other sources. Panels stay where the first source has their signals; a first look is made where
   * none do.
   */
  show(sources: readonly PlotSource[]): void {
    const before = this.state.get();
    const [first] = sources;
    const names = new Set(first && this.columnsIn(first).map(({ name }) => name));
    const kept = before.panels.flatMap((panel) => {
      const signals = panel.signals.filter((signal) => names.has(signal));
      return signals.length === 0 ? [] : [{ ...panel, signals }];
    });
    const isSame = kept.length > 0 && kept.length === before.panels.length;
    const panels = isSame ? kept : firstPanels(first?.columns ?? []);
    if (first?.id !== before.sources[0]?.id) this.curves.clear();
    this.state.update({
      sources,
      panels,
      isDifference: before.isDifference && sources.length > 1,
    });
    const start = Math.min(...sources.map((source) => source.start));
    const stop = Math.max(...sources.map((source) => source.stop));
    if (sources.length > 0) this.view.extend(start, stop);
    this.ask();
  }

  setPanels(panels: readonly PanelSpec[]): void {
    this.state.update({ panels });
    for (const panel of panels) {
      const chart = this.charts.get(panel.id);
      if (chart) chart.spec = panel;
    }
    this.ask();
  }

  addSignal(name: string, panel?: number): boolean {
    const column = this.columnNamed(name);
    if (!column) return false;
    this.setPanels(withSignal(this.state.get().panels, column, panel));
    return true;
  }

  removeSignal(name: string, panel: number): void {
    this.setPanels(withoutSignal(this.state.get().panels, panel, name));
  }

  addPanel(name: string): void {
    const column = this.columnNamed(name);
    if (column) this.setPanels([...this.state.get().panels, newPanel(column)]);
  }

  setLog(id: number, isLog: boolean): void {
    const { panels } = this.state.get();
    this.charts.get(id)?.destroy();
    this.charts.delete(id);
    this.setPanels(
      panels.map((panel) => (panel.id === id ? { ...panel, id: newIdOf(panel), isLog } : panel)),
    );
  }

  setDifference(isDifference: boolean): void {
    this.state.update({ isDifference });
    this.curves.clear();
    this.ask();
  }

  /** A panel appeared on the page. @returns what takes it away. */
  mount(spec: PanelSpec, host: HTMLElement): () => void {
    const chart = new PlotPanel(host, spec, this.context);
    this.charts.set(spec.id, chart);
    this.hand(spec.id);
    return () => {
      chart.destroy();
      if (this.charts.get(spec.id) === chart) this.charts.delete(spec.id);
    };
  }

  chart(id: number): PlotPanel | undefined {
    return this.charts.get(id);
  }

  private moved(): void {
    for (const chart of this.charts.values()) chart.draw();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), ASK_AGAIN_MS);
  }

  /** Asks for what is to be seen. */
  private ask(): void {
    clearTimeout(this.timer);
    const number = ++this.asked;
    const { sources, panels, isDifference, derived } = this.state.get();
    const { span, whole } = this.view;
    const drawn = [...new Set(panels.flatMap((panel) => panel.signals))];
    this.cursors.look(
      sources,
      drawn,
      derived.map(({ info }) => info.name),
    );
    const isWhole = span.from === whole.from && span.to === whole.to;
    const wanted = new Set<number>();
    for (const [index, source] of sources.entries())
      for (const panel of panels) {
        const known = new Set(this.columnsIn(source).map(({ name }) => name));
        const signals = panel.signals.filter((signal) => known.has(signal));
        if (signals.length === 0) continue;
        const range = isWhole ? {} : { from: span.from, to: span.to };
        const request = { signals, points: POINTS, ...range };
        const receive = (columns: Columns): void => {
          if (this.state.get().isDifference === isDifference)
            this.received(panel, index, source, columns);
        };
        const [first] = sources;
        if (isDifference) {
          if (first === undefined || index === 0) continue;
          api
            .difference(nameOf(first), nameOf(source), request)
            .then((columns) => {
              if (number === this.asked) receive(columns);
            })
            .catch(() => undefined);
        } else if (source.isLive) {
          const plot = panel.id * 8 + index;
          wanted.add(plot);
          this.watched.set(plot, source.id);
          live.watch({ kind: "watch", run: source.id, plot, ...request }, receive);
        } else
          columnsOf(source, request)
            .then((columns) => {
              if (number === this.asked) receive(columns);
            })
            .catch(() => undefined);
      }
    if (isDifference && sources.some(({ isLive }) => isLive))
      this.timer = setTimeout(() => this.ask(), LIVE_DIFFERENCE_MS);
    for (const [plot, run] of this.watched)
      if (!wanted.has(plot)) {
        live.unwatch(run, plot);
        this.watched.delete(plot);
      }
  }

  private received(panel: PanelSpec, index: number, source: PlotSource, columns: Columns): void {
    const { sources } = this.state.get();
    if (sources[index]?.id !== source.id) return;
    const { isDifference } = this.state.get();
    const label = sources.length > (isDifference ? 2 : 1) ? source.label : "";
    const place = { source: isDifference ? index - 1 : index, label, isDifference };
    const made = curvesOf(columns, this.columnsIn(source), place);
    this.curves.set(`${panel.id} ${index}`, made);
    this.hand(panel.id);
  }

  /** Gives a chart its curves. */
  private hand(id: number): void {
    const { sources } = this.state.get();
    const all = sources.flatMap((_, index) => this.curves.get(`${id} ${index}`) ?? []);
    this.charts.get(id)?.setCurves(all);
    this.drawn.set(this.drawn.get() + 1);
  }
}

/** A chart with another axis is another chart. */
function newIdOf({ signals, id }: PanelSpec): number {
  return newPanel({ name: signals[0] ?? String(id), type: "float64" }).id;
}

export const board = new PlotBoard();
