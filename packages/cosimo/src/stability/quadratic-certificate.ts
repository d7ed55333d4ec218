/**
 * Proofs that no allowed sequence grows faster than γ: one quadratic form per node of the
 * automaton, that falls along every edge, Aᵀ P(to) A ≺ γ² P(from) (a path-complete Lyapunov
 * function; with one node, a common one; Ahmadi, Jungers, Parrilo & Roozbehani, "Joint spectral
 * radius and path-complete graph Lyapunov functions", 2014). Found by a barrier method, believed
 * only after an independent check with bounds for all rounding.
 */
import type { CentreOptions } from "../numerics/lyapunov-centres.ts";
import { minimizeRate } from "../numerics/lyapunov-centres.ts";
import { norm1 } from "../numerics/matrix.ts";
import {
  isSurelyPositiveDefinite,
  normFrobenius,
  normInf,
  roundedUp,
  ULP,
} from "../numerics/rounding.ts";
import { spend } from "../numerics/time-limit.ts";
import { type Component, componentsOf } from "./jsr-components.ts";
import type { SwitchedSystem } from "./switched-system.ts";

export interface Certificate {
  readonly kind: "quadratic";
  /**
   * One per node of the automaton, row-major and symmetric. Of a node on no cycle it says nothing.
   */
  readonly forms: readonly Float64Array[];
}

export interface CertificateSearch {
  readonly maxSteps?: number;
  /** Asked now and then; `false` gives up. */
  readonly keepGoing?: () => boolean;
  /** A certificate of a similar system on the same nodes, to begin with. */
  readonly start?: Certificate;
}

/**
 * A verified certificate for the rate `gamma`, or undefined when none was found: there is none, or
 * it is too close to impossible, or the search was stopped.
 */
export function findPathComplete(
  system: SwitchedSystem,
  gamma: number,
  options: CertificateSearch = {},
): Certificate | undefined {
  const forms = emptyForms(system);
  for (const component of componentsOf(system)) {
    const found = searchComponent(component, { ...options, target: gamma }, options.start);
    if (!(found.gamma < gamma)) return undefined;
    place(component, found.forms, forms);
  }
  const certificate: Certificate = { kind: "quadratic", forms };
  return verifyCertificate(system, gamma, certificate) ? certificate : undefined;
}

export interface BestQuadratic {
  readonly certificate: Certificate;
  /** The certificate is verified for this rate; Infinity when that failed. */
  readonly gamma: number;
}

/**
 * The smallest rate that quadratic forms on this automaton prove, up to `tolerance`, with the
 * proof.
 */
export function bestPathComplete(
  system: SwitchedSystem,
  options: CertificateSearch & { readonly tolerance?: number; readonly doubt?: Doubt } = {},
): BestQuadratic {
  const forms = emptyForms(system);
  let rate = 0;
  for (const component of componentsOf(system)) {
    const found = searchComponent(component, options, options.start);
    place(component, found.forms, forms);
    rate = Math.max(rate, found.gamma);
  }
  const certificate: Certificate = { kind: "quadratic", forms };
  const gamma = verifiedRate(system, rate, certificate, options.doubt);
  return gamma < Infinity
    ? { certificate, gamma }
    : (coarsest(system, options) ?? { certificate, gamma });
}

/** What the matrices' own norms prove, verified; undefined when they do not. Takes no search. */
export function normCertificate(system: SwitchedSystem): BestQuadratic | undefined {
  const { dimension: n } = system;
  const norms = system.matrices.map((a) =>
    Math.min(normFrobenius(a), Math.sqrt(norm1(n, a) * normInf(n, a))),
  );
  const gamma = roundedUp(Math.max(...norms) * (1 + 1e-6));
  const certificate: Certificate = { kind: "quadratic", forms: emptyForms(system) };
  return verifyCertificate(system, gamma, certificate) ? { certificate, gamma } : undefined;
}

/** Parts of the largest matrix. */
const COARSE = [1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1, 10];

/**
 * Where all products vanish, no rate is too small for forms that are then so flat that nothing can
 * be verified. A rate that is not the smallest has forms that can.
 */
function coarsest(
  system: SwitchedSystem,
  options: CertificateSearch & { readonly doubt?: Doubt },
): BestQuadratic | undefined {
  const size = Math.max(...system.matrices.map(normFrobenius));
  for (const part of COARSE) {
    const certificate = findPathComplete(system, part * size, options);
    if (certificate === undefined) continue;
    const gamma = verifiedRate(system, part * size, certificate, options.doubt);
    if (gamma < Infinity) return { certificate, gamma };
  }
  return undefined;
}

/**
 * The smallest rate not far above `rate` for which the certificate verifies; Infinity when there is
 * none near.
 */
function verifiedRate(
  system: SwitchedSystem,
  rate: number,
  certificate: Certificate,
  doubt: Doubt | undefined,
): number {
  // Rounding grows with the size, and so does the time of each attempt.
  const first = system.dimension > LARGE_DIMENSION ? 1e-9 : 1e-14;
  for (let margin = first; margin < 1e3; margin *= 4) {
    const gamma = rate * (1 + margin) + Number.MIN_VALUE;
    if (verifyCertificate(system, gamma, certificate, doubt)) return gamma;
  }
  return Infinity;
}

/** Products of larger matrices take so long that searches for sequences of them make no sense. */
export const LARGE_DIMENSION = 100;

/**
 * For matrices that are themselves rounded: entries are off by at most `ulps` times those of
 * `sizes`.
 */
export interface Doubt {
  /** One per mode, at least the absolute values of its matrix. */
  readonly sizes: readonly Float64Array[];
  readonly ulps: number;
}

/**
 * Whether the certificate proves that the joint spectral radius is below `gamma`: every form is
 * positive definite and every γ² P(from) − Aᵀ P(to) A on a cycle is, for the exact matrices, not
 * only for the rounded ones.
 */
export function verifyCertificate(
  system: SwitchedSystem,
  gamma: number,
  { forms }: Certificate,
  doubt?: Doubt,
): boolean {
  if (!(gamma > 0 && gamma < Infinity)) return false;
  const { dimension: n, automaton, matrices } = system;
  const check = new EdgeCheck(n);
  return componentsOf(system).every(
    ({ nodes, edges }) =>
      nodes.every((node) => check.isForm(forms[node])) &&
      edges.every((e) => {
        const { from, to, mode } = automaton.edges[e];
        const size = doubt?.sizes[mode] ?? matrices[mode];
        return check.falls(matrices[mode], size, forms[from], forms[to], gamma, doubt?.ulps ?? 0);
      }),
  );
}

/** Checks single inequalities without asking for memory each time. */
class EdgeCheck {
  private readonly n: number;
  private readonly half: Float64Array;
  private readonly left: Float64Array;
  private readonly size: Float64Array;
  private readonly work: Float64Array;

  constructor(n: number) {
    this.n = n;
    this.half = new Float64Array(n * n);
    this.left = new Float64Array(n * n);
    this.size = new Float64Array(n * n);
    this.work = new Float64Array(n * n);
  }

  /** Symmetric to the last bit and positive definite. */
  isForm(form: Float64Array | undefined): boolean {
    const { n, work } = this;
    if (form?.length !== n * n) return false;
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < i; j++) if (form[i * n + j] !== form[j * n + i]) return false;
    }
    return isSurelyPositiveDefinite(n, form, 0, work);
  }

  /** γ² P − Aᵀ Q A ≻ 0 for the exact numbers. */
  falls(
    a: Float64Array,
    sizeOfA: Float64Array,
    p: Float64Array,
    q: Float64Array,
    gamma: number,
    ulps: number,
  ): boolean {
    const { n, half, left, size, work } = this;
    transposedProduct(n, a, q, half, work, false);
    transposedProduct(n, sizeOfA, q, size, work, true);
    const squared = gamma * gamma;
    for (let i = 0; i < n * n; i++) {
      left[i] = squared * p[i] - half[i];
      size[i] = size[i] + squared * Math.abs(p[i]);
    }
    // Every entry of the left side is a sum of at most n² products of three factors, summed in two
    // passes.
    const error = roundedUp((2 * n + 8 + 4 * ulps) * ULP * normInf(n, size));
    symmetrize(n, left);
    return isSurelyPositiveDefinite(n, left, error, work);
  }
}

/**
 * out = Aᵀ Q A, or |A|ᵀ |Q| |A|. Rows of both factors are read in their order in memory: large
 * matrices do not fit elsewhere.
 */
function transposedProduct(
  n: number,
  a: Float64Array,
  q: Float64Array,
  out: Float64Array,
  work: Float64Array,
  absolute: boolean,
): void {
  work.fill(0);
  out.fill(0);
  for (let i = 0; i < n; i++) {
    spend(2 * n * n);
    for (let k = 0; k < n; k++) addRow(n, q[i * n + k], a, k, work, i, absolute);
  }
  for (let k = 0; k < n; k++) {
    spend(2 * n * n);
    for (let i = 0; i < n; i++) addRow(n, a[k * n + i], work, k, out, i, absolute);
  }
}

/** row i of `out` += factor · row k of `m`, or the same of absolute values. */
function addRow(
  n: number,
  factor: number,
  m: Float64Array,
  k: number,
  out: Float64Array,
  i: number,
  absolute: boolean,
): void {
  const [from, to] = [k * n, i * n];
  if (absolute) for (let j = 0; j < n; j++) out[to + j] += Math.abs(factor * m[from + j]);
  else for (let j = 0; j < n; j++) out[to + j] += factor * m[from + j];
}

function symmetrize(n: number, a: Float64Array): void {
  for (let i = 0; i < n; i++) {
    for (let j = 0; j < i; j++) {
      const mean = 0.5 * (a[i * n + j] + a[j * n + i]);
      a[i * n + j] = mean;
      a[j * n + i] = mean;
    }
  }
}

function emptyForms({ dimension: n, automaton }: SwitchedSystem): Float64Array[] {
  return Array.from({ length: automaton.nodes }, () => {
    const identity = new Float64Array(n * n);
    for (let i = 0; i < n; i++) identity[i * n + i] = 1;
    return identity;
  });
}

function searchComponent(
  { graph, nodes }: Component,
  options: Omit<CentreOptions, "start">,
  start: Certificate | undefined,
): { forms: Float64Array; gamma: number } {
  const { target, tolerance, maxSteps, keepGoing } = options;
  return minimizeRate(graph, {
    ...(target !== undefined && { target }),
    ...(tolerance !== undefined && { tolerance }),
    ...(maxSteps !== undefined && { maxSteps }),
    ...(keepGoing !== undefined && { keepGoing }),
    ...(start && { start: gather(graph.n, nodes, start.forms) }),
  });
}

function gather(n: number, nodes: readonly number[], forms: readonly Float64Array[]): Float64Array {
  const blocks = new Float64Array(nodes.length * n * n);
  nodes.forEach((node, i) => {
    blocks.set(forms[node], i * n * n);
  });
  return blocks;
}

/** Puts the blocks of a component at its nodes, scaled to a largest entry of 1. */
function place({ graph, nodes }: Component, blocks: Float64Array, forms: Float64Array[]): void {
  const size = graph.n * graph.n;
  const largest = blocks.reduce((most, x) => Math.max(most, Math.abs(x)), 0);
  nodes.forEach((node, i) => {
    forms[node] = blocks.slice(i * size, (i + 1) * size).map((x) => x / largest);
  });
}
