/**
 * Joint spectral radius of a switched system: how fast its fastest allowed sequence grows, between
 * a lower bound with the word that proves it and an upper bound with a proof that anyone can check.
 * Below 1, whatever a master decides within its automaton is stable.
 *
 * Exact in floating point it cannot be, and whether it is below 1 is undecidable in general, so
 * "undecided" is an answer.
 */
import { balancingExponents } from "../numerics/balance.ts";
import { withinTime } from "../numerics/time-limit.ts";
import { type Component, componentsOf } from "./jsr-components.ts";
import { type Proof, partOf, scaledSystem } from "./jsr-proof.ts";
import { ComponentSearch, type JsrMethod, type Upper } from "./jsr-search.ts";
import type { SwitchedSystem } from "./switched-system.ts";
import type { Cycle } from "./unstable-cycle.ts";

export const JSR_METHODS: readonly JsrMethod[] = [
  "quadratic",
  "polytope",
  "gripenberg",
  "lift",
  "kronecker",
];

export interface JsrOptions {
  /** Relative gap that is good enough; 1e-6 by default. */
  readonly tolerance?: number;
  /** Stop after this time; needs `now`. */
  readonly budgetMs?: number;
  /** A clock in milliseconds. Without one, effort alone is bounded. */
  readonly now?: () => number;
  /** Effort: products that one attempt of branch and bound may try; the other methods keep pace. */
  readonly maxProducts?: number;
  /** Length of walks that are tried. */
  readonly maxDepth?: number;
  /** Which upper bounds to try; all by default. */
  readonly methods?: readonly JsrMethod[];
  /** Called with every better bound. */
  readonly onProgress?: (bounds: JsrBounds) => void;
}

export interface JsrBounds {
  readonly lower: {
    readonly value: number;
    /**
     * Modes in time order, along a closed walk of the automaton; empty when no product grows at
     * all.
     */
    readonly word: readonly number[];
    /** The edges of that walk. */
    readonly edges: readonly number[];
    readonly method: string;
  };
  readonly upper: {
    readonly value: number;
    readonly method: string;
    /** Undefined only while nothing is proved and the value is Infinity. */
    readonly certificate: Proof | undefined;
  };
  /** The time was up before the bounds were as near as asked for. */
  readonly isCutShort: boolean;
  /** "stable": every allowed sequence tends to zero. "unstable": some does not. */
  readonly verdict: "stable" | "unstable" | "undecided";
}

const DEFAULT_TOLERANCE = 1e-6;
/** Without a clock, and with one, where time is what ends it. */
const DEFAULT_PRODUCTS = 400_000;
const TIMED_PRODUCTS = 100_000_000;
const DEFAULT_DEPTH = 1000;

/**
 * Bounds of the joint spectral radius, as narrow as tolerance, time and effort ask for. Both are
 * certain.
 */
export function jsrBounds(system: SwitchedSystem, options: JsrOptions = {}): JsrBounds {
  const exponents = scalesOf(system);
  const scaled = exponents.some((k) => k !== 0) ? scaledSystem(system, exponents) : undefined;
  if (scaled === undefined) return boundsOf(system, options);
  const back = (bounds: JsrBounds): JsrBounds => {
    const { certificate: proof } = bounds.upper;
    return proof
      ? { ...bounds, upper: { ...bounds.upper, certificate: { kind: "scaled", exponents, proof } } }
      : bounds;
  };
  const { onProgress } = options;
  const progress = onProgress ? { onProgress: (now: JsrBounds) => onProgress(back(now)) } : {};
  return back(boundsOf(scaled, { ...options, ...progress }));
}

/** Where states are of very different size, coordinates in which they are not. */
function scalesOf({ dimension: n, matrices }: SwitchedSystem): number[] {
  const sizes = new Float64Array(n * n);
  for (const a of matrices)
    a.forEach((x, i) => {
      sizes[i] = Math.max(sizes[i], Math.abs(x));
    });
  const exponents = balancingExponents(n, sizes);
  const spread = Math.max(...exponents) - Math.min(...exponents);
  return spread < SMALL_SPREAD ? exponents.map(() => 0) : exponents;
}

/** Up to some bits, quadratic forms find better coordinates by themselves. */
const SMALL_SPREAD = 8;

function boundsOf(system: SwitchedSystem, options: JsrOptions): JsrBounds {
  const { tolerance = DEFAULT_TOLERANCE, now, budgetMs, onProgress } = options;
  const deadline = now && budgetMs !== undefined ? now() + budgetMs : Infinity;
  const components = componentsOf(system);
  const uppers: Upper[] = components.map(() => NOTHING);
  let best: Cycle | undefined;
  const whole = components.length === 1 && components[0].nodes.length === system.automaton.nodes;
  let isCutShort = false;
  const current = (): JsrBounds => ({ ...summary(best, uppers, whole), isCutShort });
  const keepGoing = (): boolean => now === undefined || now() < deadline;
  components.forEach((component, i) => {
    const search = new ComponentSearch(partOf(system, component), {
      tolerance,
      methods: new Set(options.methods ?? JSR_METHODS),
      maxDepth: options.maxDepth ?? DEFAULT_DEPTH,
      maxProducts: options.maxProducts ?? (deadline < Infinity ? TIMED_PRODUCTS : DEFAULT_PRODUCTS),
      keepGoing,
      floor: best?.rate ?? 0,
      onChange: (lower, upper) => {
        uppers[i] = upper;
        if (lower !== undefined && lower.rate > (best?.rate ?? 0)) best = inWhole(component, lower);
        onProgress?.(current());
      },
    });
    withinTime(
      keepGoing,
      () => search.run(),
      () => undefined,
    );
    if (!search.isNarrow() && !keepGoing()) isCutShort = true;
    uppers[i] = search.upper;
  });
  return current();
}

const NOTHING: Upper = { value: Infinity, method: "none", proof: undefined };

/**
 * A cycle of a component with the edges of the whole automaton, begun where its word comes first in
 * the order of modes.
 */
function inWhole({ edges }: Component, cycle: Cycle): Cycle {
  const from = (array: readonly number[], k: number): number[] => [
    ...array.slice(k),
    ...array.slice(0, k),
  ];
  let first = 0;
  for (let k = 1; k < cycle.word.length; k++) {
    if (comesBefore(from(cycle.word, k), from(cycle.word, first))) first = k;
  }
  return {
    ...cycle,
    word: from(cycle.word, first),
    edges: from(cycle.edges, first).map((e) => edges[e]),
  };
}

function comesBefore(a: readonly number[], b: readonly number[]): boolean {
  const at = a.findIndex((mode, i) => mode !== b[i]);
  return at !== -1 && a[at] < b[at];
}

function summary(
  cycle: Cycle | undefined,
  uppers: readonly Upper[],
  whole: boolean,
): Omit<JsrBounds, "isCutShort"> {
  const lower = cycle?.rate ?? 0;
  const slowest = uppers.reduce<Upper | undefined>(
    (most, upper) => (most === undefined || upper.value > most.value ? upper : most),
    undefined,
  );
  const value = slowest?.value ?? 0;
  return {
    lower: {
      value: lower,
      word: cycle?.word ?? [],
      edges: cycle?.edges ?? [],
      method: cycle ? "spectral radius of a product" : "none",
    },
    upper: {
      value,
      method: slowest?.method ?? "no cycle, so no endless sequence",
      certificate: proofOf(uppers, whole),
    },
    verdict: value < 1 ? "stable" : lower >= 1 ? "unstable" : "undecided",
  };
}

function proofOf(uppers: readonly Upper[], whole: boolean): Proof | undefined {
  const parts: Proof[] = [];
  for (const { proof } of uppers) {
    if (proof === undefined) return undefined;
    parts.push(proof);
  }
  return whole ? parts[0] : { kind: "parts", parts };
}
