/**
 * The plots: panels over one time axis, values under the cursor, comparison with another run or a
 * trace, files to save.
 */

import { keyAction } from "@cosimo/plot/page/gestures.ts";
import { colorOf, DASHES, THEMES } from "@cosimo/plot/palette.ts";
import type { ColumnInfo, RunInfo } from "@cosimo/serve/protocol.ts";
import { type DragEvent, useEffect, useRef, useState } from "react";
import { api } from "../api/client.ts";
import { useStore } from "../base/store.ts";
import { shortNumber } from "../run/run-values.ts";
import { compared, compareWith, labelOf, runs, show, shownRun } from "../run/runs.ts";
import {
  allFiles,
  attempt,
  files,
  freePath,
  opened,
  refreshFiles,
  say,
  theme,
} from "../session.ts";
import { CursorTools } from "./cursor-tools.tsx";
import { numberIn, type Values } from "./cursors.ts";
import { saveShown } from "./export.ts";
import type { PanelSpec } from "./panels.ts";
import { board, MAX_SOURCES } from "./plot-board.ts";
import { isDrawable, type PlotSource, sourceOfRun, sourceOfTrace } from "./source.ts";

export function PlotsPane() {
  const { sources, panels } = useStore(board.state);
  const [first] = sources;
  if (first === undefined)
    return (
      <p className="muted">Curves appear here when a scenario is run (F5) or a trace is opened.</p>
    );
  const drop = (event: DragEvent, panel?: number): void => {
    const signal = event.dataTransfer.getData("application/x-cosimo-signal");
    if (signal === "") return;
    event.preventDefault();
    event.stopPropagation();
    if (!board.addSignal(signal, panel))
      say(`${signal} was not recorded`, true, "see 'record' in the scenario");
  };
  return (
    <div className="plots">
      <PlotTools columns={board.columnsIn(first)} />
      <CursorTools />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the plots; every action has a button too */}
      <div
        className="panels"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => drop(event)}
        onKeyDown={(event) => {
          const isField =
            event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
          const action = isField || event.ctrlKey ? undefined : keyAction(event.key, board.view);
          if (!action) return;
          event.preventDefault();
          action();
        }}
      >
        {panels.map((panel) => (
          <PlotPanelView
            key={panel.id}
            panel={panel}
            count={panels.length}
            drop={(event) => drop(event, panel.id)}
          />
        ))}
      </div>
    </div>
  );
}

function PlotTools({ columns }: { columns: readonly ColumnInfo[] }) {
  const { sources, isDifference } = useStore(board.state);
  const now = useStore(opened);
  const all = useStore(runs);
  const tree = useStore(files);
  const id = useStore(shownRun);
  const isRun = sources[0]?.kind === "run";
  const others = useStore(compared);
  // A run that has just been started is shown as soon as it has rows.
  const first = isRun ? `run ${id}` : `trace ${sources[0]?.id}`;
  const shownIds = new Set([first, ...others.map((source) => `${source.kind} ${source.id}`)]);
  const run = all.find((one) => one.id === id);
  const traces = allFiles(tree?.files ?? []).filter(({ kind }) => kind === "trace");
  const saveTrace = async (kept: RunInfo, ending: string): Promise<void> => {
    await refreshFiles();
    const base = kept.path.replace(/\.[^./]+$/, "");
    const wanted = `${base}-${labelOf(kept).replace(" ", "-")}`;
    const saved = await api.saveRun(kept.id, freePath(wanted, ending));
    say(`saved ${saved.path}`);
    await refreshFiles();
  };
  return (
    <div className="plot-tools">
      {all.length > (isRun ? 1 : 0) && (
        <label>
          show{" "}
          <select value={isRun ? id : ""} onChange={({ target }) => show(target.value)}>
            {!isRun && <option value="">{sources[0]?.title}</option>}
            {all.map((one) => (
              <option key={one.id} value={one.id}>
                {labelOf(one)}: {one.title}
              </option>
            ))}
          </select>
        </label>
      )}
      <label>
        compare with{" "}
        <select
          value=""
          disabled={sources.length >= MAX_SOURCES}
          onChange={({ target }) => void attempt(() => compare(target.value, all))}
        >
          <option value="">add …</option>
          {all
            .filter((one) => !shownIds.has(`run ${one.id}`))
            .map((one) => (
              <option key={one.id} value={`run ${one.id}`}>
                {labelOf(one)}: {one.title}
              </option>
            ))}
          {traces
            .filter(({ path }) => !shownIds.has(`trace ${path}`))
            .map(({ path }) => (
              <option key={path} value={`trace ${path}`}>
                {path}
              </option>
            ))}
        </select>
      </label>
      <span className="compared">
        {sources.slice(1).map((source) => (
          <button
            key={`${source.kind} ${source.id}`}
            type="button"
            aria-label={`remove ${source.label} from the comparison`}
            title={`${source.title}: remove from the comparison`}
            onClick={() => compareWith(compared.get().filter((one) => one.id !== source.id))}
          >
            {source.label} ×
          </button>
        ))}
      </span>
      {sources.length > 1 && (
        <label>
          <input
            type="checkbox"
            checked={isDifference}
            onChange={({ target }) => board.setDifference(target.checked)}
          />{" "}
          difference
        </label>
      )}
      <label>
        add{" "}
        <select
          value=""
          aria-label="add a signal in a panel of its own"
          onChange={({ target }) => board.addPanel(target.value)}
        >
          <option value="">signal …</option>
          {columns.filter(isDrawable).map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      {/* biome-ignore lint/a11y/useSemanticElements: buttons that belong together, not fields of a form */}
      <span className="buttons at-end" role="group" aria-label="save what is shown">
        {(["svg", "png", "csv"] as const).map((format) => (
          <button
            key={format}
            type="button"
            aria-label={`save what is shown as ${format.toUpperCase()}`}
            onClick={() => void attempt(() => saveShown(board, format))}
          >
            {format.toUpperCase()}
          </button>
        ))}
        {run !== undefined && isRun && now.kind !== "trace" && (
          <select
            aria-label="save all rows"
            title="all rows, as a trace in the folder"
            disabled={run.state !== "ended"}
            value=""
            onChange={({ target }) => void attempt(() => saveTrace(run, target.value))}
          >
            <option value="">Save trace …</option>
            <option value=".csv">as CSV</option>
            <option value=".parquet">as Parquet</option>
          </select>
        )}
      </span>
    </div>
  );
}

async function compare(value: string, all: readonly RunInfo[]): Promise<void> {
  const space = value.indexOf(" ");
  const [kind, id] = [value.slice(0, space), value.slice(space + 1)];
  const run = kind === "run" ? all.find((one) => one.id === id) : undefined;
  const source: PlotSource | undefined =
    run !== undefined
      ? sourceOfRun(run, labelOf(run))
      : kind === "trace"
        ? sourceOfTrace(await api.trace(id))
        : undefined;
  if (source !== undefined) compareWith([...compared.get(), source]);
}

interface PanelProps {
  readonly panel: PanelSpec;
  readonly count: number;
  drop(event: DragEvent): void;
}

function PlotPanelView({ panel, count, drop }: PanelProps) {
  const host = useRef<HTMLDivElement>(null);
  const spec = useRef(panel);
  spec.current = panel;
  const { id } = panel;
  useEffect(
    () => (host.current ? board.mount({ ...spec.current, id }, host.current) : undefined),
    [id],
  );
  const name = panel.signals.join(", ");
  return (
    <section
      className={`plot ${panel.kind}`}
      aria-label={`plot of ${name}`}
      style={{ minHeight: count > 2 ? 150 : 180 }}
      onDragOver={(event) => event.preventDefault()}
      onDrop={drop}
    >
      <Legend panel={panel} />
      <div className="chart" ref={host} />
    </section>
  );
}

/** Points of a picture that was put together say nothing of an instant. */
function exactValue(
  exact: Values,
  signal: string,
  source: number,
  isDifference: boolean,
): number | null {
  if (!isDifference) return numberIn(exact[source], signal);
  const [a, b] = [numberIn(exact[0], signal), numberIn(exact[source + 1], signal)];
  return a === null || b === null ? null : a - b;
}

/** The room that the names will take, so that the chart stays where it is. */
function Awaited({ signals }: { signals: readonly string[] }) {
  return signals.map((signal) => (
    <span className="entry awaited" key={signal} aria-hidden="true">
      <button type="button" disabled>
        <svg viewBox="0 0 20 6" className="sample" aria-hidden="true" />
        {signal}
        <output />
      </button>
      <button type="button" disabled className="quiet">
        ×
      </button>
    </span>
  ));
}

function Legend({ panel }: { panel: PanelSpec }) {
  const time = useStore(board.pointed);
  const mode = useStore(theme);
  const { isDifference } = useStore(board.state);
  const exact = useStore(board.cursors.pointed);
  useStore(board.drawn);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const chart = board.chart(panel.id);
  const curves = chart?.all ?? [];
  return (
    <div className="legend">
      {curves.length === 0 && <Awaited signals={panel.signals} />}
      {curves.map(({ label, signal, source, info, isDecimated }) => {
        const value =
          time === undefined
            ? null
            : isDecimated
              ? exactValue(exact, signal, source, isDifference)
              : (chart?.valueAt(label, time) ?? null);
        const isHidden = hidden.has(label);
        const dash = DASHES[source % DASHES.length] ?? [];
        return (
          <span className="entry" key={label}>
            <button
              type="button"
              aria-pressed={!isHidden}
              title={`show or hide ${label}`}
              onClick={() => {
                const next = new Set(hidden);
                if (!next.delete(label)) next.add(label);
                setHidden(next);
                chart?.setHidden(label, !isHidden);
              }}
            >
              <svg viewBox="0 0 20 6" className="sample" aria-hidden="true">
                <path
                  d="M0 3h20"
                  stroke={colorOf(THEMES[mode], panel.signals.indexOf(signal))}
                  strokeDasharray={dash.join(" ")}
                />
              </svg>
              {label}
              <output>
                {value === null
                  ? ""
                  : `${info.items?.[String(value)] ?? shortNumber(value)} ${info.unit ?? ""}`}
              </output>
            </button>
            {source === 0 && (
              <button
                type="button"
                className="quiet"
                aria-label={`remove ${signal} from this plot`}
                onClick={() => board.removeSignal(signal, panel.id)}
              >
                ×
              </button>
            )}
          </span>
        );
      })}
      {panel.kind === "values" && !isDifference && (
        <label className="log">
          <input
            type="checkbox"
            checked={panel.isLog}
            onChange={({ target }) => board.setLog(panel.id, target.checked)}
          />{" "}
          log
        </label>
      )}
    </div>
  );
}
