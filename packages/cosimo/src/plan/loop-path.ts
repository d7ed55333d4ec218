/**
 * A loop as people follow it: one way around along edges that exist. A component of many nodes has
 * many ways, and no single one need visit all of them, so the shortest through one node stands for
 * all, and the others are counted.
 */

/**
 * The shortest way from the first of `members` that satisfies `starts` back to it, found breadth
 * first.
 * @param edges successors of every node.
 * @param members a strongly connected component with more than one node, or one with an edge to
 * itself.
 */
export function loopPath(
  edges: readonly (readonly number[])[],
  members: readonly number[],
  starts: (node: number) => boolean = () => true,
): number[] {
  const start = members.find(starts) ?? members[0];
  const inside = new Set(members);
  const before = new Map<number, number>();
  const queue = [start];
  for (const node of queue) {
    for (const next of edges[node]) {
      if (!inside.has(next)) continue;
      if (next === start) return [...wayTo(node, start, before)].reverse();
      if (before.has(next)) continue;
      before.set(next, node);
      queue.push(next);
    }
  }
  throw new Error("internal: a loop without a way back");
}

/** From `node` backwards to `start`. */
function* wayTo(
  node: number,
  start: number,
  before: ReadonlyMap<number, number>,
): Generator<number> {
  for (let at = node; at !== start; at = before.get(at)!) yield at;
  yield start;
}

/** `a.y → b.u → b.y → a.u → a.y`, with the number of ports that lie on other ways. */
export function loopText(path: readonly string[], ports: readonly string[]): string {
  const others = ports.length - path.length;
  const more = others === 0 ? "" : ` (and ${others} more port${others === 1 ? "" : "s"})`;
  return `${[...path, path[0]].join(" → ")}${more}`;
}
