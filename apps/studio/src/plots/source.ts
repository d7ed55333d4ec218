/**
 * Where curves come from: a run, which may still go on, or a trace on disk. Both answer with
 * columns that have about as many points as a screen shows, so a source may be of any length.
 */
import type { Columns } from "@cosimo/serve/columns.ts";
import type { ColumnInfo, RunInfo, TraceInfo } from "@cosimo/serve/protocol.ts";
import { api, type ColumnsRequest } from "../api/client.ts";

export interface PlotSource {
  readonly id: string;
  readonly kind: "run" | "trace";
  readonly label: string;
  readonly title: string;
  readonly columns: readonly ColumnInfo[];
  readonly start: number;
  readonly stop: number;
  readonly isLive: boolean;
}

export function sourceOfRun(run: RunInfo, label: string): PlotSource {
  const { id, title, columns, experiment, state, time } = run;
  const start = experiment?.start ?? 0;
  const isLive = state !== "ended";
  const stop = isLive ? (experiment?.stop ?? time ?? start + 1) : (time ?? experiment?.stop ?? 1);
  return { id, kind: "run", label, title, columns, start, stop, isLive };
}

export function sourceOfTrace({ path, title, columns, from, to }: TraceInfo): PlotSource {
  return {
    id: path,
    kind: "trace",
    label: path.split("/").at(-1) ?? path,
    title: title || path,
    columns,
    start: from ?? 0,
    stop: to ?? 1,
    isLive: false,
  };
}

/** As requests name it. */
export function nameOf({ kind, id }: PlotSource): string {
  return `${kind}:${id}`;
}

export function columnsOf(source: PlotSource, request: ColumnsRequest): Promise<Columns> {
  return source.kind === "run"
    ? api.runColumns(source.id, request)
    : api.traceColumns(source.id, request);
}

/** Booleans, events and named enumerations get a lane each, as in the plots of the command. */
export function isLane({ type, isEvent, items }: ColumnInfo): boolean {
  return isEvent === true || type === "boolean" || type === "clock" || items !== undefined;
}

export function isDrawable({ type, name }: ColumnInfo): boolean {
  return type !== "string" && type !== "binary" && name !== "master.index";
}
