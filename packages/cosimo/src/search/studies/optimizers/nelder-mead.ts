/**
 * Nelder and Mead's downhill simplex, with coefficients that suit the number of dimensions (Gao and
 * Han, 2012). For few factors and smooth goals: it needs the fewest runs, one after the other, and
 * finds the valley that it starts in.
 */
import {
  compareScores,
  isBetter,
  mirrored,
  type Score,
  type Search,
  type SearchOptions,
} from "./score.ts";

interface Vertex {
  readonly point: Float64Array;
  readonly score: Score;
}

/** Of the unit cube. */
const FIRST_SIZE = 0.15;

export function* nelderMead({ start, runs, tolerance }: SearchOptions): Search {
  const n = start.length;
  const [expand, contract, shrink] = [1 + 2 / n, 0.75 - 1 / (2 * n), 1 - 1 / Math.max(n, 2)];
  const corners = [
    start,
    ...Array.from(start, (x, i) => start.with(i, x < 0.5 ? x + FIRST_SIZE : x - FIRST_SIZE)),
  ];
  const first = yield corners;
  const simplex: Vertex[] = corners.map((point, i) => ({ point, score: first[i] }));
  let used = corners.length;
  const order = (): void => void simplex.sort((a, b) => compareScores(a.score, b.score));
  while (used < runs) {
    order();
    if (sizeOf(simplex) < tolerance) return { why: "converged" };
    const worst = simplex[n];
    const centre = start.map((_, d) => {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += simplex[i].point[d];
      return sum / n;
    });
    /** On the line from the worst vertex through the centre of the others. */
    const along = (t: number): Float64Array =>
      mirrored(centre.map((c, d) => c + t * (c - worst.point[d])));
    const reflected = along(1);
    const [score] = yield [reflected];
    used++;
    let taken: Vertex = { point: reflected, score };
    if (isBetter(score, simplex[0].score)) {
      const further = along(expand);
      const [better] = yield [further];
      used++;
      if (isBetter(better, score)) taken = { point: further, score: better };
    } else if (!isBetter(score, simplex[n - 1].score)) {
      const isOutside = isBetter(score, worst.score);
      const nearer = along(isOutside ? contract : -contract);
      const [found] = yield [nearer];
      used++;
      if (isBetter(found, isOutside ? score : worst.score)) taken = { point: nearer, score: found };
      else {
        const [best, ...others] = simplex;
        const moved = others.map(({ point }) =>
          point.map((x, d) => best.point[d] + shrink * (x - best.point[d])),
        );
        const scores = yield moved;
        used += moved.length;
        for (const [i, point] of moved.entries()) simplex[i + 1] = { point, score: scores[i] };
        continue;
      }
    }
    simplex[n] = taken;
  }
  return { why: "runs" };
}

function sizeOf([best, ...others]: readonly Vertex[]): number {
  return Math.max(
    ...others.map(({ point }) => Math.max(...point.map((x, d) => Math.abs(x - best.point[d])))),
  );
}
