/**
 * Which wires of a drawing lead back. Without them signals run in no loop, so all others can run from left to right.
 *
 * Few wires lead back in a sequence of units where sinks stand at the end, sources at the front, and among the rest those that feed others
 * more than they are fed come first (Eades, Lin, Smyth: "A fast and effective heuristic for the feedback arc set problem", 1993).
 */
import type { GraphModel } from "./graph.ts";

export function wiresBack(model: GraphModel): boolean[] {
  const place = new Map(sequence(model).map((unit, i) => [unit, i]));
  const at = (unit: number): number => place.get(unit) ?? 0;
  return model.wires.map(({ from, to }) => at(from.unit) >= at(to.unit));
}

function sequence({ units, wires }: GraphModel): number[] {
  const others = wires
    .map(({ from, to }) => ({ from: from.unit, to: to.unit }))
    .filter(({ from, to }) => from !== to);
  const remaining = new Set(units.keys());
  const feeds = new Tally();
  const isFed = new Tally();
  const touching = new Map<number, { from: number; to: number }[]>();
  for (const wire of others) {
    feeds.add(wire.from, 1);
    isFed.add(wire.to, 1);
    for (const unit of [wire.from, wire.to])
      touching.set(unit, [...(touching.get(unit) ?? []), wire]);
  }
  const front: number[] = [];
  const back: number[] = [];
  const take = (unit: number, list: number[]): void => {
    remaining.delete(unit);
    list.push(unit);
    for (const { from, to } of touching.get(unit) ?? []) {
      feeds.add(from, -1);
      isFed.add(to, -1);
    }
  };
  while (remaining.size > 0) {
    const left = [...remaining];
    const source = left.find((unit) => isFed.of(unit) === 0);
    const sink = left.findLast((unit) => feeds.of(unit) === 0);
    const surplus = (unit: number): number => feeds.of(unit) - isFed.of(unit);
    if (source !== undefined) take(source, front);
    else if (sink !== undefined) take(sink, back);
    else
      take(
        left.reduce((best, unit) => (surplus(unit) > surplus(best) ? unit : best)),
        front,
      );
  }
  return [...front, ...back.reverse()];
}

class Tally {
  private readonly counts = new Map<number, number>();

  of(unit: number): number {
    return this.counts.get(unit) ?? 0;
  }

  add(unit: number, by: number): void {
    this.counts.set(unit, this.of(unit) + by);
  }
}
