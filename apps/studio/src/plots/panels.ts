/**
 * Which signals share a panel: plain data that a person changes by dragging, and what is shown
 * before anything was dropped.
 */
import type { ColumnInfo } from "@cosimo/serve/protocol.ts";
import { isDrawable, isLane } from "./source.ts";

export interface PanelSpec {
  readonly id: number;
  readonly kind: "values" | "lanes";
  readonly unit?: string;
  readonly signals: readonly string[];
  readonly isLog: boolean;
}

/** How many curves are shown at first, and in how many panels. */
const FIRST_CURVES = 24;
const FIRST_PANELS = 6;

let nextId = 1;

export function newPanel(column: ColumnInfo): PanelSpec {
  return {
    id: nextId++,
    kind: isLane(column) ? "lanes" : "values",
    ...(column.unit === undefined ? {} : { unit: column.unit }),
    signals: [column.name],
    isLog: false,
  };
}

/** By physical unit; lanes together, below. */
export function firstPanels(columns: readonly ColumnInfo[]): PanelSpec[] {
  const groups = new Map<string, ColumnInfo[]>();
  for (const column of columns.filter(isDrawable).slice(0, FIRST_CURVES)) {
    const key = isLane(column) ? "lanes" : `unit ${column.unit ?? ""}`;
    groups.set(key, [...(groups.get(key) ?? []), column]);
  }
  const lanes = groups.get("lanes");
  groups.delete("lanes");
  return [...groups.values(), ...(lanes === undefined ? [] : [lanes])]
    .slice(0, FIRST_PANELS)
    .flatMap((members) => {
      const [first] = members;
      return first ? [{ ...newPanel(first), signals: members.map(({ name }) => name) }] : [];
    });
}

/** With a signal added to the panel `id`, or to a new one where that does not fit. */
export function withSignal(
  panels: readonly PanelSpec[],
  column: ColumnInfo,
  id?: number,
): PanelSpec[] {
  const kind = isLane(column) ? "lanes" : "values";
  const target = panels.find((panel) => panel.id === id && panel.kind === kind);
  if (!target) return [...panels, newPanel(column)];
  if (target.signals.includes(column.name)) return [...panels];
  return panels.map((panel) =>
    panel === target ? { ...panel, signals: [...panel.signals, column.name] } : panel,
  );
}

export function withoutSignal(
  panels: readonly PanelSpec[],
  id: number,
  signal: string,
): PanelSpec[] {
  return panels.flatMap((panel) => {
    if (panel.id !== id) return [panel];
    const signals = panel.signals.filter((one) => one !== signal);
    return signals.length === 0 ? [] : [{ ...panel, signals }];
  });
}
