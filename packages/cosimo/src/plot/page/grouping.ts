/**
 * Which signals share a panel, and which of them the reader has asked for.
 */
import type { PlotPageData, PlotPageSeries } from "../page-data.ts";

export type Grouping = "unit" | "owner" | "signal";

export function isGrouping(text: string): text is Grouping {
  return text === "unit" || text === "owner" || text === "signal";
}

/** A panel, before it is drawn. */
export interface PanelGroup {
  readonly kind: "values" | "lanes";
  /** What the value axis is called; may be empty. */
  readonly quantity: string;
  readonly unit?: string;
  readonly whole: boolean;
  readonly members: readonly PanelMember[];
}

export interface PanelMember {
  /** Index into the page's series. */
  readonly index: number;
  readonly series: PlotPageSeries;
  /** Which colour and which dash. */
  readonly color: number;
  readonly dash: number;
}

/**
 * By physical unit: as in the static picture. By simulation unit (what stands before the last dot
 * of a name): the same for each of them alone. By signal: every name has a panel of its own, which
 * runs that are compared share.
 */
export function groupPanels(
  { series, themes, compares }: PlotPageData,
  grouping: Grouping,
): PanelGroup[] {
  const groups = new Map<string, number[]>();
  series.forEach((one, index) => {
    const key = keyOf(one, grouping);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [index]);
    else group.push(index);
  });
  const colors = themes.light.colors.length;
  return sorted([...groups.values()], series, grouping).map((indices) => {
    const first = series[indices[0]!]!;
    const names = new Set(indices.map((i) => series[i]!.signal));
    const kind = first.isLane ? "lanes" : "values";
    const quantity = grouping === "owner" ? ownerOf(first.signal) : first.signal;
    return {
      kind,
      // The legend names the signals; the axis of a single one does so too.
      quantity: kind === "values" && (names.size === 1 || grouping === "owner") ? quantity : "",
      ...(first.unit === undefined || kind === "lanes" ? {} : { unit: first.unit }),
      whole: indices.every((i) => series[i]!.whole),
      members: indices.map((index, i) => ({
        index,
        series: series[index]!,
        color: i % colors,
        dash: compares ? series[index]!.run : Math.floor(i / colors),
      })),
    };
  });
}

function keyOf({ panel, signal }: PlotPageSeries, grouping: Grouping): string {
  switch (grouping) {
    case "unit":
      return String(panel);
    case "owner":
      return `${panel} ${ownerOf(signal)}`;
    case "signal":
      return signal;
  }
}

/**
 * Panels of one simulation unit stand together, in the order in which the units come; otherwise as
 * they come.
 */
function sorted(
  groups: readonly number[][],
  series: readonly PlotPageSeries[],
  grouping: Grouping,
): readonly number[][] {
  if (grouping !== "owner") return groups;
  const owners = [...new Set(series.map(({ signal }) => ownerOf(signal)))];
  const place = ([first]: number[]): number => owners.indexOf(ownerOf(series[first!]!.signal));
  return groups.toSorted((a, b) => place(a) - place(b));
}

/** What is shown at first: everything, or of too many signals as many of every panel. */
export function shownFirst({ series, shown }: PlotPageData): boolean[] {
  if (series.length <= shown) return series.map(() => true);
  const panels = new Set(series.map(({ panel }) => panel)).size;
  const share = Math.max(1, Math.floor(shown / panels));
  const taken = new Map<number, number>();
  return series.map(({ panel }) => {
    const before = taken.get(panel) ?? 0;
    taken.set(panel, before + 1);
    return before < share;
  });
}

/** `left` of `left.x_1`, `plant.motor` of `plant.motor.speed`; empty for a name without dots. */
export function ownerOf(signal: string): string {
  const dot = signal.replace(/[[(].*$/s, "").lastIndexOf(".");
  return dot < 0 ? "" : signal.slice(0, dot);
}

/**
 * Whether a label is listed: commas separate alternatives, `*` and `?` match any text, other texts
 * match anywhere.
 */
export function listedBy(filter: string): (label: string) => boolean {
  const parts = filter
    .split(",")
    .map((part) => part.trim().toLowerCase())
    .filter((part) => part !== "");
  if (parts.length === 0) return () => true;
  const patterns = parts.map((part) => {
    const isPattern = /[*?]/.test(part);
    const source = part
      .replace(/[\\^$.+()|[\]{}]/g, "\\$&")
      .replace(/\*+/g, ".*")
      .replaceAll("?", ".");
    return new RegExp(isPattern ? `^${source}$` : source, "s");
  });
  return (label) => patterns.some((pattern) => pattern.test(label.toLowerCase()));
}
