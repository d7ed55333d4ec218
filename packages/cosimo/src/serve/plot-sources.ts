/**
 * What plots are made of, by the name that requests give it: `run:<id>` or `trace:<path>`, the
 * signals that are derived of it, and the difference of two.
 */
import { hasErrors } from "../base/diagnostic.ts";
import type { ColumnInfo, Trace } from "../record/trace.ts";
import {
  DERIVED,
  type DerivedSignal,
  derivedReader,
  deriveSignal,
  isStepwise,
} from "./derived-signals.ts";
import { type DifferenceRows, differenceRows, type Recording } from "./difference-rows.ts";
import type { StudioFolder } from "./folder.ts";
import { RequestRefused } from "./problem.ts";
import type { RunBook } from "./runs.ts";
import { SignalIndex } from "./signal-index.ts";
import type { TraceShelf } from "./trace-shelf.ts";

export interface PlotSource {
  /** Identity of the run, or path of the trace. */
  readonly of: string;
  readonly columns: readonly ColumnInfo[];
  readonly index: SignalIndex;
  readonly isGoing: boolean;
  readonly trace?: Trace;
}

interface Difference {
  readonly rows: DifferenceRows;
  readonly index: SignalIndex;
}

/** Differences whose rows are kept. */
const KEPT = 4;

export class PlotSources {
  private readonly folder: StudioFolder;
  private readonly runs: RunBook;
  private readonly traces: TraceShelf;
  private readonly differences = new Map<string, Difference>();

  constructor(folder: StudioFolder, runs: RunBook, traces: TraceShelf) {
    this.folder = folder;
    this.runs = runs;
    this.traces = traces;
  }

  /** @throws RequestRefused where there is no such source. */
  async find(name: string): Promise<PlotSource> {
    const [, kind, id = ""] = /^(run|trace):(.*)$/s.exec(name) ?? [];
    if (kind === "run") return this.run(id);
    if (kind === "trace") return this.trace(id);
    throw new RequestRefused("request-wrong", "a source is 'run:<id>' or 'trace:<path>'");
  }

  run(id: string): PlotSource {
    const run = this.runs.find(id);
    if (run.index === undefined)
      throw new RequestRefused("request-wrong", "the run has no rows yet");
    const { columns } = run.info();
    return { of: id, columns, index: run.index, isGoing: !run.hasEnded };
  }

  async trace(path: string): Promise<PlotSource & { readonly trace: Trace }> {
    const { value, diagnostics } = await this.traces.open(this.folder.existing(path));
    if (value === undefined || hasErrors(diagnostics))
      throw new RequestRefused(
        "file-refused",
        diagnostics[0]?.message ?? "it is not a trace",
        diagnostics.map((d) => ({
          ...d,
          place: { ...d.place, file: this.folder.shown(d.place.file) },
        })),
      );
    const { trace, index } = value;
    return { of: path, columns: trace.columns, index, isGoing: false, trace };
  }

  /** Rows of both. They are put together again where there are more of them. */
  difference(first: PlotSource, second: PlotSource, signals: readonly string[]): SignalIndex {
    for (const one of [first, second]) defineDerived(one, signals);
    const { rows, index } = this.subtracted(first, second);
    for (const name of signals)
      if (name.startsWith(DERIVED))
        index.define(name, (from, target) => rows.subtract(name, from, target));
    return index;
  }

  private subtracted(first: PlotSource, second: PlotSource): Difference {
    const key = [first, second].map(({ of, index }) => `${index.rows} ${of}`).join("\n");
    const made = this.differences.get(key) ?? subtract(first, second);
    this.differences.delete(key);
    this.differences.set(key, made);
    for (const [oldest] of this.differences) {
      if (this.differences.size <= KEPT) break;
      this.differences.delete(oldest);
    }
    return made;
  }
}

function subtract(first: PlotSource, second: PlotSource): Difference {
  const rows = differenceRows(recordingOf(first), recordingOf(second));
  return { rows, index: new SignalIndex(rows) };
}

function recordingOf({ index, columns, isGoing }: PlotSource): Recording {
  const held = new Set(columns.filter(isStepwise).map(({ name }) => name));
  const isHeld = (name: string): boolean =>
    name.startsWith(DERIVED)
      ? deriveSignal(name, columns).value?.info.stepwise === true
      : held.has(name);
  const names = columns.map(({ name }) => name);
  return { index, names, isGoing, isStepwise: isHeld };
}

/** A signal in the language of requirements. @throws RequestRefused with what is wrong with it. */
function derived(name: string, columns: readonly ColumnInfo[]): DerivedSignal {
  const { value, diagnostics } = deriveSignal(name, columns);
  if (value !== undefined) return value;
  throw new RequestRefused("expression-wrong", diagnostics[0]?.message ?? name, diagnostics);
}

/**
 * Makes the index know all derived signals among `signals`. @returns whether a signal keeps its
 * value between rows.
 */
export function defineDerived(
  { index, columns }: Pick<PlotSource, "index" | "columns">,
  signals: readonly string[],
): (signal: string) => boolean {
  const held = new Set(columns.filter(isStepwise).map(({ name }) => name));
  for (const name of signals) {
    if (!name.startsWith(DERIVED)) continue;
    const signal = derived(name, columns);
    if (signal.info.stepwise) held.add(name);
    index.define(
      name,
      derivedReader(signal, (one, first, target) => index.read(one, first, target)),
    );
  }
  return (signal) => held.has(signal);
}
