/**
 * Strongly connected components, in an order in which every component comes after those it depends
 * on: Tarjan's algorithm (Depth-first search and linear graph algorithms, SIAM J. Comput. 1972)
 * without recursion, since graphs of ports have long chains.
 */

/** Components with a way back: several nodes, or one that follows itself. */
export function loopsIn(edges: readonly (readonly number[])[]): number[][] {
  return strongComponents(edges).filter(
    (members) => members.length > 1 || edges[members[0]].includes(members[0]),
  );
}

/**
 * @param edges successors of every node.
 * @returns components in topological order of the edges (sources first); nodes inside in ascending
 * order.
 */
export function strongComponents(edges: readonly (readonly number[])[]): number[][] {
  const n = edges.length;
  const index = new Int32Array(n).fill(-1);
  const low = new Int32Array(n);
  const onStack = new Uint8Array(n);
  const nextEdge = new Int32Array(n);
  const stack: number[] = [];
  const path: number[] = [];
  const found: number[][] = [];
  let counter = 0;
  for (let root = 0; root < n; root++) {
    if (index[root] !== -1) continue;
    path.push(root);
    while (path.length > 0) {
      const v = path[path.length - 1];
      if (nextEdge[v] === 0) {
        index[v] = low[v] = counter++;
        stack.push(v);
        onStack[v] = 1;
      }
      const successors = edges[v];
      let descended = false;
      while (nextEdge[v] < successors.length) {
        const w = successors[nextEdge[v]++];
        if (index[w] === -1) {
          path.push(w);
          descended = true;
          break;
        }
        if (onStack[w]) low[v] = Math.min(low[v], index[w]);
      }
      if (descended) continue;
      // A node without edges is not numbered twice: it leaves the path at its first visit.
      path.pop();
      const parent = path[path.length - 1];
      if (parent !== undefined) low[parent] = Math.min(low[parent], low[v]);
      if (low[v] !== index[v]) continue;
      const component: number[] = [];
      while (onStack[v]) {
        const w = stack.pop()!;
        onStack[w] = 0;
        component.push(w);
      }
      found.push(component.sort((a, b) => a - b));
    }
  }
  return found.reverse();
}
