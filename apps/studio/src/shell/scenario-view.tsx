/**
 * A scenario: its graph, and beside it the text and what is selected. Both change the same text.
 */
import type { Layout as StoredLayout } from "@cosimo/serve/protocol.ts";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { api } from "../api/client.ts";
import { shared } from "../base/shared.ts";
import { useStore } from "../base/store.ts";
import type { Move } from "../document/moves.ts";
import type { ScenarioDocument } from "../document/scenario-document.ts";
import { addUnit } from "../graph/add-unit.ts";
import { failedInside, graphOf, insideOf, signalOutside } from "../graph/describe-graph.ts";
import { GraphView } from "../graph/graph-view.tsx";
import { type Graph, type Position, writtenEnds } from "../graph/model.ts";
import { Inspector } from "../inspector/inspector.tsx";
import { runs, shownRun } from "../run/runs.ts";
import { edit, report, say, selected, way } from "../session.ts";
import { Splitter, useSplit } from "./splitter.tsx";
import { TextPane } from "./text-pane.tsx";

const SAVE_DELAY_MS = 400;

export function ScenarioView({ document }: { document: ScenarioDocument }) {
  const described = useStore(document.described);
  const names = useStore(way);
  const chosen = useStore(selected);
  const all = useStore(runs);
  const shown = useStore(shownRun);
  const right = useSplit("text", 400, { least: 220, most: 900 });
  const upper = useSplit("properties", 200, { least: 60, most: 700 });
  const layout = useLayout(document, names);
  const inside = described?.scenario && insideOf(described.scenario, names);
  const last = useRef<Graph>(undefined);
  const graph = useMemo(
    () =>
      described && inside
        ? shared(last.current, graphOf(inside, described, names))
        : described && isBlank(document.text) && !document.isReadOnly
          ? EMPTY
          : undefined,
    [described, inside, names, document],
  );
  if (graph) last.current = graph;
  // While the text cannot be read, the last graph that could be is shown.
  const drawn = last.current;
  const run = all.find(({ id }) => id === shown);
  const failedUnit = run?.path === document.path ? run.failedUnit : undefined;
  const isReadOnly = !document.isDrawn || names.length > 0;
  const scenario = described?.scenario;
  const signalOf = useCallback(
    (signal: string) => (scenario ? signalOutside(scenario, names, signal) : signal),
    [scenario, names],
  );
  const enter = useCallback((unit: string) => {
    selected.set(undefined);
    way.set([...way.get(), unit]);
  }, []);
  return (
    <div className="scenario" style={{ gridTemplateColumns: `minmax(0, 1fr) 5px ${right.size}px` }}>
      <section className="graph" aria-label="graph">
        <Way title={described?.scenario?.name ?? document.path} names={names} />
        {described && !described.scenario && graph === undefined && (
          <p className="notice" role="status">
            The text cannot be read; the graph is that of the last text that could.
          </p>
        )}
        {drawn && layout.places && (
          <GraphView
            graph={drawn}
            of={`${document.path} ${names.join("/")}`}
            kept={layout.places}
            failedUnit={failedInside(failedUnit, names)}
            signalOf={signalOf}
            selected={chosen}
            isReadOnly={isReadOnly}
            select={(next) => selected.set(next)}
            pushed={layout.pushed}
            moved={(positions, before) => {
              if (before !== undefined) {
                const after = new Map([...positions].filter(([name]) => before.has(name)));
                document.moved({ prefix: layout.prefix, before, after });
              }
              layout.keep(positions);
            }}
            enter={enter}
            connect={(from, to) => {
              if (edit({ kind: "connect", from, to })) say(`connected ${from} with ${to}`);
            }}
            remove={(units, wires) => {
              const written = new Map(
                drawn.wires
                  .filter(({ id }) => wires.includes(id))
                  .map((wire) => [JSON.stringify(writtenEnds(wire)), writtenEnds(wire)]),
              );
              edit(
                ...units.map((name) => ({ kind: "remove-unit", name }) as const),
                ...[...written.values()].map((ends) => ({ kind: "disconnect", ...ends }) as const),
              );
              selected.set(undefined);
            }}
            dropFile={(path, place) => {
              const name = addUnit(path);
              if (name !== undefined) layout.keep(new Map([[name, place]]));
            }}
            say={(text) => say(text, true)}
          />
        )}
      </section>
      <Splitter split={right} along="x" label="width of the text" isBehind />
      <div
        className="beside"
        style={{
          gridTemplateRows: document.isReadOnly
            ? "minmax(0, 1fr)"
            : `${upper.size}px 5px minmax(0, 1fr)`,
        }}
      >
        <Inspector
          document={document}
          described={described}
          graph={graph}
          inside={inside}
          isReadOnly={isReadOnly}
          signalOf={signalOf}
        />
        {!document.isReadOnly && (
          <>
            <Splitter split={upper} along="y" label="height of the properties" isBehind={false} />
            <TextPane document={document} />
          </>
        )}
      </div>
    </div>
  );
}

const EMPTY: Graph = { units: [], wires: [] };

/** A file that nobody wrote anything into yet: its first unit is dropped into an empty graph. */
function isBlank(text: string): boolean {
  return /^(?:\s|#.*)*$/.test(text);
}

/** Where one is in nested scenarios, and the way back. */
function Way({ title, names }: { title: string; names: readonly string[] }) {
  if (names.length === 0) return null;
  const steps = [title, ...names];
  return (
    <nav className="way" aria-label="nested scenarios">
      {steps.map((name, i) => (
        <span key={steps.slice(0, i + 1).join("/")}>
          {i > 0 && " › "}
          <button
            type="button"
            disabled={i === steps.length - 1}
            onClick={() => {
              selected.set(undefined);
              way.set(names.slice(0, i));
            }}
          >
            {name}
          </button>
        </span>
      ))}
    </nav>
  );
}

interface KeptLayout {
  /** Undefined until it was read. */
  readonly places: ReadonlyMap<string, Position> | undefined;
  /** Of the units that are shown. */
  readonly prefix: string;
  /** What undo or redo moved last. */
  readonly pushed: ReadonlyMap<string, Position> | undefined;
  keep(positions: ReadonlyMap<string, Position>): void;
}

/**
 * Where boxes are, stored beside the scenario; those of nested units have their way in front of
 * their names.
 */
function useLayout(document: ScenarioDocument, names: readonly string[]): KeptLayout {
  const stored = useRef<StoredLayout>({ version: 1, units: {} });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [isRead, setRead] = useState(false);
  const prefix = names.map((name) => `${name}/`).join("");
  useEffect(() => {
    let isOld = false;
    const read = async (): Promise<void> => {
      try {
        stored.current = await api.layout(document.path);
      } catch {
        // Without a stored layout the boxes are arranged.
      }
      if (!isOld) setRead(true);
    };
    void read();
    return () => {
      isOld = true;
    };
  }, [document]);
  const places = useMemo(() => {
    if (!isRead) return undefined;
    const found = new Map<string, Position>();
    for (const [name, { x, y }] of Object.entries(stored.current.units))
      if (name.startsWith(prefix) && !name.slice(prefix.length).includes("/"))
        found.set(name.slice(prefix.length), { x, y });
    return found;
  }, [isRead, prefix]);
  const [pushed, setPushed] = useState<Move>();
  const store = (at: string, positions: ReadonlyMap<string, Position>): void => {
    const units = { ...stored.current.units };
    for (const [name, { x, y }] of positions)
      units[`${at}${name}`] = { x: Math.round(x), y: Math.round(y) };
    stored.current = { ...stored.current, units };
    if (positions.size === 1 && at === prefix)
      for (const [name, place] of positions) (places as Map<string, Position>)?.set(name, place);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      api.saveLayout(document.path, stored.current).catch(report);
    }, SAVE_DELAY_MS);
  };
  const latest = useRef(store);
  latest.current = store;
  useEffect(() => {
    document.onMove = (move) => {
      latest.current(move.prefix, move.after);
      setPushed(move);
    };
    return () => {
      document.onMove = () => undefined;
    };
  }, [document]);
  return {
    places,
    prefix,
    pushed: pushed?.prefix === prefix ? pushed.after : undefined,
    keep: (positions) => store(prefix, positions),
  };
}
