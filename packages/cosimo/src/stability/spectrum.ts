/**
 * What a one-step map does in the long run: its eigenvalues, and who drives the largest of them.
 *
 * Of the entries of the map's state only those are kept that the future depends on. A signal that
 * keeps its value whatever happens is a constant of the run, not a motion, and is left out too; a
 * state of a unit never is.
 */
import { eigensystem, eigenvalues } from "../numerics/eigenvalues.ts";
import type { OneStepMap, StateOwner } from "./stepped-plan.ts";

export interface ReducedMap {
  readonly size: number;
  /** As the maps number them. */
  readonly entries: readonly number[];
  readonly matrix: Float64Array;
  readonly owners: readonly StateOwner[];
}

export interface Eigenvalue {
  readonly re: number;
  readonly im: number;
  readonly modulus: number;
}

/** A share of a mode, between 0 and 1. */
export interface Share {
  readonly owner: StateOwner;
  readonly share: number;
}

/** Below this an entry of a unit step is rounding. */
const NOTHING = 1e-14;

/** The entries that any of the maps needs; all maps are over the same entries, and stay so. */
export function reduceMaps(maps: readonly OneStepMap[]): ReducedMap[] {
  const [{ size, owners, entries } = { size: 0, owners: [], entries: [] }] = maps;
  let kept = Array.from({ length: size }, (_, i) => i).filter(
    (i) => owners[i].kind === "unit" || maps.some((map) => !isConstant(map, i)),
  );
  for (;;) {
    const read = kept.filter((j) =>
      maps.some(({ matrix }) => kept.some((i) => Math.abs(matrix[i * size + j]) > NOTHING)),
    );
    if (read.length === kept.length) break;
    kept = read;
  }
  return maps.map(({ matrix }) => ({
    size: kept.length,
    entries: kept.map((i) => entries[i]),
    owners: kept.map((i) => owners[i]),
    matrix: Float64Array.from(kept.flatMap((i) => kept.map((j) => matrix[i * size + j]))),
  }));
}

/** The entry is after the step what it was before, and nothing else moves it. */
function isConstant({ size, matrix }: OneStepMap, i: number): boolean {
  for (let j = 0; j < size; j++) {
    const wanted = i === j ? 1 : 0;
    if (Math.abs(matrix[i * size + j] - wanted) > NOTHING) return false;
  }
  return true;
}

/** All eigenvalues, largest modulus first. */
export function spectrumOf({ size, matrix }: ReducedMap): Eigenvalue[] {
  if (size === 0) return [];
  const { re, im } = eigenvalues(size, matrix);
  return Array.from(re, (real, k) => ({
    re: real,
    im: im[k],
    modulus: Math.hypot(real, im[k]),
  })).sort((a, b) => b.modulus - a.modulus || b.im - a.im);
}

/** A mode that neither grows nor decays is computed with this error. */
export const MARGINAL = 1e-7;

/** Whether a deviation stays: the place of something that nothing pulls back. */
export function stays(modulus: number): boolean {
  return Math.abs(modulus - 1) <= MARGINAL;
}

/** Spectral radius of a step: of one tick, where a period has several. */
export function radiusOf(map: OneStepMap): number {
  return moduliOf(map)[0] ?? 0;
}

/** Eigenvalues this small are rounding of none. */
export const NONE = 1e-5;

/** The same without modes that stay; where nothing else moves, 1. */
export function movingRadius(map: OneStepMap): number {
  const moduli = moduliOf(map);
  return moduli.find((modulus) => !stays(modulus) && modulus > NONE) ?? moduli[0] ?? 0;
}

/** Of all eigenvalues, per tick, largest first. */
export function moduliOf(map: OneStepMap): number[] {
  const [reduced] = reduceMaps([map]);
  return spectrumOf(reduced!).map(({ modulus }) => modulus ** (1 / map.ticks));
}

/**
 * Who takes part in the eigenvalue of largest modulus among those that do not stay: |left vector ·
 * right vector| entry by entry (participation factors), summed by owner, largest first.
 */
export function participations({ size, matrix, owners }: ReducedMap): Share[] {
  if (size === 0) return [];
  const right = eigensystem(size, matrix);
  const left = eigensystem(size, transposed(size, matrix));
  const r = largestIndex(right.re, right.im);
  const l = nearestIndex(left.re, left.im, right.re[r], right.im[r]);
  const sums = new Map<string, { owner: StateOwner; share: number }>();
  let all = 0;
  for (let i = 0; i < size; i++) {
    const at = i * size;
    const share =
      Math.hypot(right.vectorsRe[at + r], right.vectorsIm[at + r]) *
      Math.hypot(left.vectorsRe[at + l], left.vectorsIm[at + l]);
    all += share;
    const owner = owners[i];
    const sum = sums.get(ownerKey(owner));
    if (sum === undefined) sums.set(ownerKey(owner), { owner, share });
    else sum.share += share;
  }
  return [...sums.values()]
    .map(({ owner, share }) => ({ owner, share: all > 0 ? share / all : 0 }))
    .sort((a, b) => b.share - a.share);
}

function ownerKey(owner: StateOwner): string {
  if (owner.kind === "signal") return "signal";
  return owner.kind === "unit" ? `unit ${owner.unit}` : `input ${owner.unit} ${owner.port}`;
}

function transposed(n: number, a: Float64Array): Float64Array {
  return Float64Array.from(a, (_, at) => a[(at % n) * n + Math.floor(at / n)]);
}

function largestIndex(re: Float64Array, im: Float64Array): number {
  const moduli = Array.from(re, (real, k) => Math.hypot(real, im[k]));
  const rank = (k: number): number => (stays(moduli[k]) ? -1 : moduli[k]);
  return moduli.reduce((best, _, k) => (rank(k) > rank(best) ? k : best), 0);
}

function nearestIndex(re: Float64Array, im: Float64Array, toRe: number, toIm: number): number {
  let best = 0;
  for (let k = 1; k < re.length; k++)
    if (Math.hypot(re[k] - toRe, im[k] - toIm) < Math.hypot(re[best] - toRe, im[best] - toIm))
      best = k;
  return best;
}
