/**
 * What the studio answers about plots: columns of runs and traces and of their differences, values
 * at an instant, derived signals.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { present } from "../base/present.ts";
import { encodeColumns } from "./columns.ts";
import { DERIVED, deriveSignal } from "./derived-signals.ts";
import { type ApiAnswer, type ApiRequest, json, type Route } from "./http.ts";
import { defineDerived, type PlotSource, type PlotSources } from "./plot-sources.ts";
import { RequestRefused } from "./problem.ts";
import type { DerivedAnswer, ExpressionRequest, Instant, TraceInfo } from "./protocol.ts";
import type { SignalIndex } from "./signal-index.ts";

export function plotRoutes({ sources }: { readonly sources: PlotSources }): Route[] {
  return [
    {
      method: "GET",
      path: "/api/runs/*/columns",
      answer: (request) => columnsOf(sources.run(request.parts[0] ?? ""), request),
    },
    {
      method: "GET",
      path: "/api/trace",
      answer: async (request) => {
        const source = await sources.trace(textOf(request, "path"));
        if (request.url.searchParams.has("signals")) return columnsOf(source, request);
        const { title, entries } = source.trace.meta;
        const { time } = source.trace;
        const info: TraceInfo = {
          path: source.of,
          // Formats without a title are titled by their file.
          title: title.endsWith(`/${source.of}`) ? source.of : title,
          columns: source.trace.columns.map(({ data: _, ...column }) => column),
          rows: time.length,
          entries,
          ...present({ from: time[0], to: time.at(-1) }),
        };
        return json(info);
      },
    },
    {
      method: "GET",
      path: "/api/difference",
      answer: async (request) => {
        const first = await sources.find(textOf(request, "first"));
        const second = await sources.find(textOf(request, "second"));
        const index = sources.difference(first, second, signalsOf(request));
        return columns(index, `${first.of} - ${second.of}`, request);
      },
    },
    {
      method: "GET",
      path: "/api/instant",
      answer: async (request) => {
        const source = await sources.find(textOf(request, "of"));
        const time = numberOf(request, "time");
        if (time === undefined) throw new RequestRefused("request-wrong", "'time' is a number");
        const by = Math.trunc(numberOf(request, "by") ?? 0);
        if (Math.abs(by) > MAX_ROWS_BY)
          throw new RequestRefused("request-wrong", `'by' is at most ${MAX_ROWS_BY}`);
        const asked = signalsOf(request);
        const isAll = !request.url.searchParams.has("signals");
        const own = isAll ? source.columns.map(({ name }) => name).slice(0, MAX_VALUES) : [];
        const isStepwise = defineDerived(source, asked);
        const found = source.index.instant(time, by, [...own, ...asked], isStepwise);
        const answer: Instant = { of: source.of, ...found };
        return json(answer);
      },
    },
    {
      method: "POST",
      path: "/api/expression",
      answer: async (request) => {
        const { of, text } = await request.json<ExpressionRequest>();
        if (typeof of !== "string" || typeof text !== "string")
          throw new RequestRefused("request-wrong", "an expression has 'of' and 'text'");
        const { columns } = await sources.find(of);
        const { value, diagnostics } = deriveSignal(`${DERIVED} ${text}`, columns);
        const answer: DerivedAnswer = {
          diagnostics,
          ...present({ signal: value && { info: value.info, signals: value.signals } }),
        };
        return json(answer);
      },
    },
  ];
}

const DEFAULT_POINTS = 2000;
const MAX_SIGNALS = 256;
/** Values at one instant. */
const MAX_VALUES = 5000;
const MAX_ROWS_BY = 1000;

function columnsOf(source: PlotSource, request: ApiRequest): Promise<ApiAnswer> {
  defineDerived(source, signalsOf(request));
  return columns(source.index, source.of, request);
}

async function columns(index: SignalIndex, of: string, request: ApiRequest): Promise<ApiAnswer> {
  const signals = signalsOf(request);
  await index.prepare(signals, nextTurn);
  const query = {
    of,
    signals,
    points: numberOf(request, "points") ?? DEFAULT_POINTS,
    ...present({ from: numberOf(request, "from"), to: numberOf(request, "to") }),
  };
  const bytes = encodeColumns(index.query(query));
  return { bytes, headers: { "content-type": "application/octet-stream" } };
}

/** Recorded signals in one list; derived ones, whose texts have commas too, one by one. */
function signalsOf({ url }: ApiRequest): string[] {
  // Names of arrays have commas of their own: `A[1,2]`.
  const recorded = (url.searchParams.get("signals") ?? "")
    .split(/,(?![^[\]]*\])/)
    .filter((name) => name !== "");
  const signals = [...recorded, ...url.searchParams.getAll("derived")];
  if (signals.length > MAX_SIGNALS)
    throw new RequestRefused("request-wrong", `at most ${MAX_SIGNALS} signals at once`);
  return signals;
}

function textOf({ url }: ApiRequest, name: string): string {
  const text = url.searchParams.get(name);
  if (text === null || text === "")
    throw new RequestRefused("request-wrong", `the request lacks '${name}'`);
  return text;
}

function numberOf({ url }: ApiRequest, name: string): number | undefined {
  const text = url.searchParams.get(name);
  if (text === null || text === "") return undefined;
  const value = Number(text);
  if (!Number.isFinite(value))
    throw new RequestRefused("request-wrong", `'${name}' is not a number`);
  return value;
}
