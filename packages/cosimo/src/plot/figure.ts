/**
 * What a plot shows, before it is drawn: signals grouped into panels by unit, with the words around
 * them. SVG, page and terminal draw the same figure.
 */
import type { ValueType } from "../model/value-type.ts";
import type { Column, Trace } from "../record/trace.ts";

/** One of several runs in one plot. */
export interface LabelledTrace {
  readonly label: string;
  readonly trace: Trace;
}

export type PlotInput = Trace | readonly LabelledTrace[];

export interface PlotOptions {
  /** Above the plot; default: the run's title. An empty text leaves it out. */
  readonly title?: string;
  /** Below the plot; default: the run's metadata. An empty text leaves it out. */
  readonly caption?: string;
  readonly theme?: "light" | "dark";
  /** Pixels. */
  readonly width?: number;
  /** Pixels of one panel's drawing area; by default less, the more panels there are. */
  readonly panelHeight?: number;
  /** What runs along the bottom of an SVG; default: the time in seconds. */
  readonly along?: { readonly name: string; readonly unit?: string };
  /** How many signals are drawn at most; a note counts the rest. */
  readonly maxSignals?: number;
}

export interface Series {
  /** The signal's name, in a comparison with the run's label. */
  readonly label: string;
  readonly unit?: string;
  /** Its name without that of the run, and which run it belongs to. */
  readonly signal: string;
  readonly run: number;
  readonly stepwise: boolean;
  /** Names of an enumeration's items, by value. */
  readonly items?: Readonly<Record<string, string>>;
  /**
   * Events: a track with a mark at every one of them. Values are 0, and 1 between two zeros of the
   * same time.
   */
  readonly isEvent: boolean;
  readonly time: Float64Array;
  readonly values: Float64Array;
  /** Least and greatest finite value; `low > high` when there is none. */
  readonly low: number;
  readonly high: number;
  /** Which colour and which dash of the palette. */
  readonly color: number;
  readonly dash: number;
}

export interface Panel {
  /**
   * Booleans, events and named enumerations get a lane each, like a logic analyser; everything else
   * shares one value axis.
   */
  readonly kind: "values" | "lanes";
  readonly unit?: string;
  /** What the value axis is called, without the unit. */
  readonly quantity: string;
  /** All signals are whole numbers. */
  readonly whole: boolean;
  readonly series: readonly Series[];
}

export interface Figure {
  readonly title: string;
  readonly caption: string;
  /** What is not shown, and why. */
  readonly notes: readonly string[];
  readonly start: number;
  readonly stop: number;
  readonly panels: readonly Panel[];
}

interface Signal {
  readonly column: Column;
  readonly label: string;
  readonly time: Float64Array;
  readonly run: number;
}

export function makeFigure(input: PlotInput, options: PlotOptions, colors: number): Figure {
  const runs = "columns" in input ? [{ label: "", trace: input }] : input;
  const signals = signalsOf(runs);
  const drawable = signals.filter(({ column }) => isDrawable(column.type));
  const shown = drawable.slice(0, options.maxSignals ?? 60);
  const [start, stop] = timeRange(runs);
  return {
    title: options.title ?? defaultTitle(runs),
    caption: options.caption ?? defaultCaption(runs),
    notes: notesOf(signals, drawable, shown),
    start,
    stop,
    panels: panelsOf(shown, runs.length, colors),
  };
}

/** Signals in the order of the first run, the same signal of all runs side by side. */
function signalsOf(runs: readonly LabelledTrace[]): Signal[] {
  const byName = new Map<string, Signal[]>();
  for (const [run, { label, trace }] of runs.entries()) {
    // The index of superdense time orders rows; it is not a signal.
    const hasEvents = trace.columns.some(({ isEvent }) => isEvent);
    for (const column of trace.columns) {
      if (hasEvents && column.name === "master.index") continue;
      const name = label === "" ? column.name : `${column.name} (${label})`;
      const signal = { column, label: name, time: trace.time, run };
      const same = byName.get(column.name);
      if (same === undefined) byName.set(column.name, [signal]);
      else same.push(signal);
    }
  }
  return [...byName.values()].flat();
}

function isDrawable(type: ValueType): boolean {
  return type !== "string" && type !== "binary";
}

function panelsOf(signals: readonly Signal[], runs: number, colors: number): Panel[] {
  const groups = new Map<string, Signal[]>();
  for (const signal of signals) {
    const key = groupOf(signal.column);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [signal]);
    else group.push(signal);
  }
  const keys = [...groups.keys()].filter((key) => key !== LANES);
  if (groups.has(LANES)) keys.push(LANES);
  return keys.map((key) => {
    const group = groups.get(key)!;
    const names = [...new Set(group.map(({ column }) => column.name))];
    const unit = group[0].column.unit;
    return {
      kind: key === LANES ? "lanes" : "values",
      quantity: names.join(", "),
      whole: group.every(({ column }) => isWhole(column.type)),
      series: group.map((signal, i) => seriesOf(signal, i, runs, colors)),
      ...(key === "" || key === LANES || unit === undefined ? {} : { unit }),
    };
  });
}

/** No unit begins with a zero byte, so this is not a unit. */
const LANES = "\0lanes";

/** Signals with the same key share a panel. */
function groupOf({ type, unit, isEvent, items }: Column): string {
  if (type === "boolean" || type === "clock" || isEvent || items !== undefined) return LANES;
  return unit === undefined || unit === "1" || unit === "-" ? "" : unit;
}

function isWhole(type: ValueType): boolean {
  return type !== "float64" && type !== "float32";
}

/**
 * Every curve of a panel has a colour of its own; the dash distinguishes runs, or rounds through
 * the colours.
 */
function seriesOf(signal: Signal, index: number, runs: number, colors: number): Series {
  const { column, label, run } = signal;
  const isEvent = column.isEvent === true;
  const { time, values } = isEvent
    ? marksOf(signal.time, column.data as Float64Array)
    : { time: signal.time, values: numbersOf(column) };
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return {
    label,
    signal: column.name,
    run,
    stepwise: !isEvent && (column.stepwise === true || isWhole(column.type)),
    isEvent,
    time,
    values,
    low,
    high,
    color: index % colors,
    dash: runs > 1 ? run : Math.floor(index / colors),
    ...(column.unit === undefined ? {} : { unit: column.unit }),
    ...(column.items === undefined ? {} : { items: column.items }),
  };
}

function numbersOf({ data, type }: Column): Float64Array {
  if (data instanceof Float64Array) return data;
  return Float64Array.from(data as BigInt64Array, (value) =>
    Number(type === "uint64" ? BigInt.asUintN(64, value) : value),
  );
}

/** Rows of events alone: up and down at each, flat in between. */
function marksOf(
  time: Float64Array,
  values: Float64Array,
): { readonly time: Float64Array; readonly values: Float64Array } {
  const times: number[] = [];
  const marks: number[] = [];
  const add = (at: number, mark: number): void => {
    times.push(at);
    marks.push(mark);
  };
  for (let row = 0; row < time.length; row++) {
    const isEnd = row === 0 || row === time.length - 1;
    if (isEnd && values[row] === 0) add(time[row], 0);
    else if (values[row] !== 0) for (const mark of [0, 1, 0]) add(time[row], mark);
  }
  return { time: Float64Array.from(times), values: Float64Array.from(marks) };
}

function timeRange(runs: readonly LabelledTrace[]): [number, number] {
  let start = Number.POSITIVE_INFINITY;
  let stop = Number.NEGATIVE_INFINITY;
  for (const { trace } of runs) {
    if (trace.time.length === 0) continue;
    start = Math.min(start, trace.time[0]);
    stop = Math.max(stop, trace.time.at(-1)!);
  }
  return start <= stop ? [start, stop] : [0, 1];
}

function defaultTitle(runs: readonly LabelledTrace[]): string {
  return [...new Set(runs.map(({ trace }) => trace.meta.title))].join(" · ");
}

function defaultCaption(runs: readonly LabelledTrace[]): string {
  if (runs.length !== 1) return "";
  const entries = Object.entries(runs[0].trace.meta.entries);
  return entries.map(([key, value]) => `${key}: ${value}`).join("  ·  ");
}

function notesOf(
  signals: readonly Signal[],
  drawable: readonly Signal[],
  shown: readonly Signal[],
): string[] {
  const notes: string[] = [];
  const skipped = signals.filter(({ column }) => !isDrawable(column.type));
  if (skipped.length > 0) {
    const names = skipped.slice(0, 5).map(({ label, column }) => `${label} (${column.type})`);
    const more = skipped.length > 5 ? ` and ${skipped.length - 5} more` : "";
    notes.push(`not drawn: ${names.join(", ")}${more}`);
  }
  const left = drawable.length - shown.length;
  if (left > 0) notes.push(`${left} further signals are not drawn; choose some with --record`);
  if (signals.length === 0) notes.push("nothing was recorded but the time");
  else if (signals.every(({ time }) => time.length === 0)) notes.push("the trace has no rows");
  return notes;
}
