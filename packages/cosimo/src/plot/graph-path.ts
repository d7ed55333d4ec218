/**
 * Paths of wires: level where they cross a column of boxes, curved in the gaps between columns.
 */
import type { Point } from "./layered-layout.ts";

/** A level piece of a wire. It runs from `from` to `to`, to the left where `to` is the smaller. */
export interface Level {
  readonly from: number;
  readonly to: number;
  readonly y: number;
}

const CORNER = 7;

/** Through all levels, from left to right. */
export function forwardPath(levels: readonly Level[]): string {
  const [first, ...others] = levels;
  if (!first) return "";
  return rounded(`M${first.from} ${first.y} H${first.to}${along(first, others)}`);
}

/** Where a wire that leads back begins and ends, and where it turns after and before. */
export interface Turns {
  readonly start: Point;
  readonly end: Point;
  readonly outX: number;
  readonly inX: number;
}

/** Out to the right, round at `outX`, back through all levels, round at `inX`, and into its target. */
export function backwardPath({ start, end, outX, inX }: Turns, levels: readonly Level[]): string {
  const [first, ...others] = levels;
  const last = levels.at(-1);
  if (!first || !last) return "";
  return rounded(
    `M${start.x} ${start.y}${turn(outX, start.y, first.y, 1)} H${first.to}${along(first, others)}` +
      `${turn(inX, last.y, end.y, -1)} H${end.x}`,
  );
}

function along(first: Level, others: readonly Level[]): string {
  let path = "";
  let last = first;
  for (const level of others) {
    const reach = (level.from - last.to) / 2;
    path +=
      last.y === level.y
        ? ` H${level.to}`
        : ` C${last.to + reach} ${last.y} ${level.from - reach} ${level.y} ${level.from} ${level.y} H${level.to}`;
    last = level;
  }
  return path;
}

/** Level to `x`, up or down, and back to where it came from; `direction` 1 arrives from the left. */
function turn(x: number, from: number, to: number, direction: 1 | -1): string {
  const r = Math.min(CORNER, Math.abs(to - from) / 2);
  const side = x - direction * r;
  const down = Math.sign(to - from) * r;
  return ` H${side} Q${x} ${from} ${x} ${from + down} V${to - down} Q${x} ${to} ${side} ${to}`;
}

/** Tenths of a pixel are enough, and files stay small. */
function rounded(path: string): string {
  return path.replace(/-?\d+\.\d+(e-?\d+)?/g, (text) => String(Math.round(Number(text) * 10) / 10));
}
