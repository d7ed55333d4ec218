/**
 * Steps that are not all of one size: what a coupling does when every step may be a little shorter
 * or longer than meant. Maps that are stable at both ends do not say that changing between them is;
 * so growth is bounded over all sequences of three sizes (joint spectral radius).
 */
import { freeAutomaton } from "../model/decision-automaton.ts";
import { spectralRadius } from "../numerics/eigenvalues.ts";
import { svd } from "../numerics/svd.ts";
import { jsrBounds } from "./jsr.ts";
import { seconds } from "./spectral-advice.ts";
import { reduceMaps } from "./spectrum.ts";
import type { OneStepMap } from "./stepped-plan.ts";

export interface JitterReport {
  /** Part of the step. */
  readonly jitter: number;
  /** Step sizes that were analysed, with the radius when all steps are of that size. */
  readonly sizes: readonly { readonly step: number; readonly radius: number }[];
  /** Growth per step that some sequence of these sizes has, and the sizes that repeat in it. */
  readonly met: { readonly value: number; readonly sequence: readonly number[] };
  /** Growth per step that no sequence of these sizes exceeds; Infinity where no bound was found. */
  readonly proven: { readonly value: number; readonly method: string };
  readonly verdict: string;
}

const EFFORT = { tolerance: 1e-4, maxProducts: 20_000, maxDepth: 60 };

/** @param mapAt of the chosen master, all in the same coordinates. */
export function jitterReport(
  mapAt: (step: number) => OneStepMap,
  step: number,
  jitter: number,
): JitterReport {
  const steps = [step * (1 - jitter), step, step * (1 + jitter)];
  const maps = onSharedRange(reduceMaps(steps.map(mapAt)));
  const { size } = maps[0];
  const sizes = steps.map((length, k) => ({
    step: length,
    radius: size === 0 ? 0 : spectralRadius(size, maps[k].matrix),
  }));
  const { lower, upper, verdict } = jsrBounds(
    {
      dimension: size,
      matrices: maps.map(({ matrix }) => matrix),
      names: steps.map((length) => seconds(length)),
      automaton: freeAutomaton(steps.length),
    },
    EFFORT,
  );
  return {
    jitter,
    sizes,
    met: { value: lower.value, sequence: lower.word.map((mode) => steps[mode]) },
    proven: { value: upper.value, method: upper.method },
    verdict: verdictText(jitter, sizes, lower.value, verdict),
  };
}

function verdictText(
  jitter: number,
  sizes: JitterReport["sizes"],
  lower: number,
  verdict: "stable" | "unstable" | "undecided",
): string {
  const [shortest, , longest] = sizes;
  const what = `steps that vary by ±${Number((100 * jitter).toPrecision(3))} %`;
  if (verdict === "stable")
    return `${what} are stable as far as steps of ${sizes.map(({ step }) => seconds(step)).join(", ")} in any sequence can tell, which is proven`;
  if (verdict === "unstable")
    return `${what} can be unstable: a sequence of steps between ${seconds(shortest!.step)} and ${seconds(longest!.step)} grows by ${((lower - 1) * 100).toPrecision(2)} % per step`;
  return `${what} are undecided: neither a growing sequence nor a proof against one was found`;
}

interface SquareMap {
  readonly size: number;
  readonly matrix: Float64Array;
}

/** Directions that no map leads to, up to rounding. */
const OUTSIDE = 1e-12;

/**
 * The same maps on the space that they lead to, which they do not leave: signals that follow from
 * states are not counted twice, and proofs are sought in as few dimensions as there are.
 */
function onSharedRange(maps: readonly SquareMap[]): SquareMap[] {
  const { size: n } = maps[0];
  if (n === 0) return [...maps];
  const width = n * maps.length;
  const beside = new Float64Array(n * width);
  maps.forEach(({ matrix }, k) => {
    for (let i = 0; i < n; i++) beside.set(matrix.subarray(i * n, (i + 1) * n), i * width + k * n);
  });
  const { u, s, k: columns } = svd(n, width, beside);
  const rank = s.filter((value) => value > OUTSIDE * s[0]).length;
  if (rank === n || rank === 0) return [...maps];
  const restricted = maps.map(({ matrix }) => ({
    size: rank,
    matrix: restrict(n, matrix, u, columns, rank),
  }));
  return onSharedRange(restricted);
}

/** Uᵀ A U with the first `rank` columns of U. */
function restrict(
  n: number,
  a: Float64Array,
  u: Float64Array,
  columns: number,
  rank: number,
): Float64Array {
  const out = new Float64Array(rank * rank);
  for (let j = 0; j < rank; j++)
    for (let row = 0; row < n; row++) {
      let image = 0;
      for (let c = 0; c < n; c++) image += a[row * n + c] * u[c * columns + j];
      for (let i = 0; i < rank; i++) out[i * rank + j] += u[row * columns + i] * image;
    }
  return out;
}
