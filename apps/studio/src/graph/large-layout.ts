/**
 * Where the boxes of a large scenario go. The layout kernel takes tens of seconds for a thousand
 * coupled units; this takes milliseconds: columns by distance from the sources, sweeps that put
 * each box beside the mean of its neighbours (the barycentre heuristic of Sugiyama, Tagawa and
 * Toda, 1981), boxes of a column one below the other. Wires are straight lines then.
 */
import type { BoxShape } from "./box-shape.ts";
import type { Graph, Layout, Position } from "./model.ts";

const GAP_X = 90;
const GAP_Y = 28;
const SWEEPS = 8;

export function largeLayout(
  { units, wires }: Graph,
  shapes: ReadonlyMap<string, BoxShape>,
): Layout {
  const indices = new Map(units.map(({ name }, index) => [name, index]));
  const targets = units.map(() => new Set<number>());
  const sources = units.map(() => new Set<number>());
  for (const { from, to } of wires) {
    const [source, target] = [indices.get(from.unit), indices.get(to.unit)];
    if (source === undefined || target === undefined || source === target) continue;
    targets[source]?.add(target);
    sources[target]?.add(source);
  }
  const columns = cutColumns(columnsOf(distances(targets, sources)));
  const neighbours = units.map((_, unit) => [...(targets[unit] ?? []), ...(sources[unit] ?? [])]);
  sweep(columns, neighbours);
  const sizeOf = (unit: number): { width: number; height: number } =>
    shapes.get(units[unit]?.name ?? "") ?? { width: 120, height: 60 };
  const positions = new Map<string, Position>();
  let x = 0;
  for (const column of columns) {
    const height = column.reduce((sum, unit) => sum + sizeOf(unit).height + GAP_Y, -GAP_Y);
    let y = Math.round(-height / 2);
    for (const unit of column) {
      const name = units[unit]?.name;
      if (name !== undefined) positions.set(name, { x, y });
      y += sizeOf(unit).height + GAP_Y;
    }
    x += Math.max(0, ...column.map((unit) => sizeOf(unit).width)) + GAP_X;
  }
  return { positions, routes: new Map() };
}

/**
 * Of every unit from those that nothing feeds; in a part without such units, from its first one.
 */
function distances(
  targets: readonly ReadonlySet<number>[],
  sources: readonly ReadonlySet<number>[],
): number[] {
  const found = targets.map(() => -1);
  let queue = sources.flatMap((before, unit) => (before.size === 0 ? [unit] : []));
  for (const unit of queue) found[unit] = 0;
  for (let next = 0; ; ) {
    while (queue.length > 0) {
      const reached: number[] = [];
      for (const unit of queue)
        for (const target of targets[unit] ?? [])
          if (found[target] === -1) {
            found[target] = (found[unit] ?? 0) + 1;
            reached.push(target);
          }
      queue = reached;
    }
    while (next < found.length && found[next] !== -1) next++;
    if (next === found.length) return found;
    found[next] = 0;
    queue = [next];
  }
}

function columnsOf(distance: readonly number[]): number[][] {
  const columns: number[][] = [];
  distance.forEach((at, unit) => {
    while (columns.length <= at) columns.push([]);
    columns[at]?.push(unit);
  });
  return columns;
}

/** Columns that are much longer than the drawing is wide become several. */
function cutColumns(columns: readonly number[][]): number[][] {
  const count = columns.reduce((sum, column) => sum + column.length, 0);
  const longest = Math.max(8, Math.ceil(Math.sqrt(count)));
  return columns.flatMap((column) => {
    const parts: number[][] = [];
    for (let from = 0; from < column.length; from += longest)
      parts.push(column.slice(from, from + longest));
    return parts;
  });
}

function sweep(columns: readonly number[][], neighbours: readonly (readonly number[])[]): void {
  const place = new Map<number, number>();
  const keep = (column: readonly number[]): void =>
    column.forEach((unit, row) => {
      place.set(unit, row - column.length / 2);
    });
  columns.forEach(keep);
  for (let round = 0; round < SWEEPS; round++)
    for (const column of round % 2 === 0 ? columns : columns.toReversed()) {
      const wanted = new Map(
        column.map((unit) => {
          const around = neighbours[unit] ?? [];
          const sum = around.reduce((total, other) => total + (place.get(other) ?? 0), 0);
          return [unit, around.length === 0 ? (place.get(unit) ?? 0) : sum / around.length];
        }),
      );
      column.sort((a, b) => (wanted.get(a) ?? 0) - (wanted.get(b) ?? 0));
      keep(column);
    }
}
