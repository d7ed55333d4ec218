/**
 * Narrows the joint spectral radius of one strong component: closed walks from below, proofs from
 * above, each method a turn, then all again with more effort. What is known is at hand at any
 * moment.
 */
import { normFrobenius } from "../numerics/rounding.ts";
import { walkTree } from "./gripenberg.ts";
import { lift, type Proof, rateBelowLift } from "./jsr-proof.ts";
import { findPolytopes, polytopeRate } from "./polytope.ts";
import {
  bestPathComplete,
  type Certificate,
  LARGE_DIMENSION,
  normCertificate,
} from "./quadratic-certificate.ts";
import type { SwitchedSystem } from "./switched-system.ts";
import { type Cycle, certify, fastestClosedWalk, fastestPart } from "./unstable-cycle.ts";

export type JsrMethod = "quadratic" | "polytope" | "gripenberg" | "lift" | "kronecker";

export interface Upper {
  readonly value: number;
  readonly method: string;
  readonly proof: Proof | undefined;
}

export interface SearchContext {
  readonly tolerance: number;
  readonly methods: ReadonlySet<JsrMethod>;
  readonly maxDepth: number;
  /** Of branch and bound in one attempt; the other methods keep pace with it. */
  readonly maxProducts: number;
  readonly keepGoing: () => boolean;
  /**
   * A closed walk outside this component that is faster than this one's upper bound makes the rest
   * irrelevant.
   */
  readonly floor: number;
  readonly onChange: (lower: Cycle | undefined, upper: Upper) => void;
}

/** A Newton system of this size takes a tenth of a second per step. */
const MAX_UNKNOWNS = 900;
const FIRST_PRODUCTS = 20_000;
const FIRST_VERTICES = 400;
const MAX_VERTICES = 3000;
const MAX_WIDTH = 10_000;
const ZERO = 1e-6;

export class ComponentSearch {
  lower: Cycle | undefined;
  upper: Upper = { value: Infinity, method: "none", proof: undefined };
  private readonly system: SwitchedSystem;
  private readonly context: SearchContext;
  /** Of the largest matrix. */
  private readonly size: number;
  private forms: Certificate | undefined;

  constructor(system: SwitchedSystem, context: SearchContext) {
    this.system = system;
    this.context = context;
    this.size = Math.max(...system.matrices.map(normFrobenius));
  }

  run(): void {
    if (this.system.dimension > LARGE_DIMENSION) {
      this.norms();
      this.repeatedModes();
      this.quadratic();
      return;
    }
    this.cycles(200, 8);
    this.quadratic();
    this.cycles(600, 24);
    for (let effort = 1; effort <= this.mostEffort() && !this.isDone(); effort *= 4) {
      this.polytope(Math.min(FIRST_VERTICES * effort, MAX_VERTICES));
      this.gripenberg(Math.min(FIRST_PRODUCTS * effort, this.context.maxProducts));
      if (effort === 1) {
        this.lifted("kronecker", 0, 1);
        this.lifted("lift", 1, 0);
      }
      if (effort === 4) {
        this.lifted("kronecker", 0, 2);
        this.lifted("lift", 2, 0);
        this.lifted("kronecker", 1, 1);
      }
      if (effort > 1) this.cycles(600 * effort, 40);
    }
  }

  /** Rounds of more effort make sense for some methods only. */
  private mostEffort(): number {
    const { methods, maxProducts } = this.context;
    if (methods.has("polytope") || methods.has("gripenberg"))
      return Math.max(1, maxProducts / FIRST_PRODUCTS);
    return methods.has("lift") || methods.has("kronecker") ? 4 : 0;
  }

  /** Nothing more to gain, or no time. */
  private isDone(): boolean {
    return this.isNarrow() || !this.context.keepGoing();
  }

  /**
   * Where everything dies out there is no relative gap; a millionth of the largest matrix is zero
   * enough.
   */
  isNarrow(): boolean {
    const { tolerance, floor } = this.context;
    const enough = Math.max(floor, this.rate * (1 + tolerance), ZERO * this.size);
    return this.upper.value <= enough;
  }

  private get rate(): number {
    return this.lower?.rate ?? 0;
  }

  private cycles(width: number, maxLength: number): void {
    if (!this.context.keepGoing() || this.isNarrow()) return;
    const found = fastestClosedWalk(this.system, {
      width: Math.min(width, MAX_WIDTH),
      maxLength: Math.min(maxLength, this.context.maxDepth),
      floor: this.rate,
      keepGoing: this.context.keepGoing,
      ...(this.forms && { forms: this.forms }),
    });
    this.raise(found);
  }

  /**
   * Of large matrices: what their norms alone prove, at hand when the time is up before anything
   * better is.
   */
  private norms(): void {
    if (!this.context.methods.has("quadratic")) return;
    const found = normCertificate(this.system);
    if (found !== undefined) this.sink(found.gamma, "norms of the matrices", found.certificate);
  }

  /** Of large matrices: every mode that may be repeated for ever, one after the other. */
  private repeatedModes(): void {
    this.system.automaton.edges.forEach(({ from, to }, e) => {
      if (from === to && this.context.keepGoing()) this.raise(certify(this.system, [e]));
    });
  }

  private raise(cycle: Cycle | undefined): void {
    if (cycle === undefined || !(cycle.rate > this.rate)) return;
    this.lower = cycle;
    this.changed();
  }

  private sink(value: number, method: string, proof: Proof): void {
    if (!(value < this.upper.value)) return;
    this.upper = { value, method, proof };
    this.changed();
  }

  private changed(): void {
    const { upper, rate } = this;
    if (upper.value < rate)
      throw new Error(`internal: upper bound ${upper.value} (${upper.method}) below ${rate}`);
    this.context.onChange(this.lower, upper);
  }

  /**
   * Also the coordinates for everything else, so it is searched whether it counts as a method or
   * not.
   */
  private quadratic(): void {
    const { tolerance, methods, keepGoing } = this.context;
    const found = bestPathComplete(this.system, { tolerance: tolerance / 10, keepGoing });
    this.forms = found.certificate;
    if (!methods.has("quadratic")) return;
    const free = this.system.automaton.nodes === 1;
    const method = free ? "common quadratic form" : "quadratic form per node";
    this.sink(found.gamma, method, found.certificate);
  }

  private polytope(maxVertices: number): void {
    const { tolerance, methods, keepGoing } = this.context;
    if (!methods.has("polytope") || this.isDone()) return;
    if (this.lower === undefined || this.forms === undefined) return;
    const gamma = this.rate * (1 + tolerance / 4);
    const { forms } = this.forms;
    const found = findPolytopes(this.system, this.lower, gamma, { forms, maxVertices, keepGoing });
    if (found) this.sink(polytopeRate(this.system, found), "invariant polytope", found);
  }

  /**
   * First all the way down, then half the way (in logarithms), and again, as far as the effort
   * goes.
   */
  private gripenberg(maxProducts: number): void {
    const { tolerance, methods, keepGoing, maxDepth } = this.context;
    if (!methods.has("gripenberg") || this.forms === undefined) return;
    const { forms } = this.forms;
    let fraction = 0;
    for (let turn = 0; turn < 8 && !this.isDone(); turn++) {
      const low = Math.max(this.rate * (1 + tolerance / 2), ZERO * this.size);
      const high = Number.isFinite(this.upper.value)
        ? this.upper.value
        : Math.max(2 * low, this.size);
      const gamma = low * (high / low) ** fraction;
      if (!(gamma > 0 && gamma < high * (1 - tolerance / 4))) return;
      const result = walkTree(this.system, forms, gamma, {
        maxProducts,
        maxDepth,
        keepGoing,
        floor: this.rate,
        onCycle: (edges) => this.raise(certify(this.system, edges)),
        onLongWalk: (edges) => this.raise(fastestPart(this.system, edges, this.rate)),
      });
      if (result.kind === "proved") {
        const proof: Proof = { kind: "tree", forms, depth: Math.max(1, result.depth) };
        this.sink(gamma, `products of length up to ${proof.depth}`, proof);
        fraction /= 2;
      } else if (result.kind === "gave-up") fraction = (1 + fraction) / 2;
    }
  }

  private lifted(method: JsrMethod, shifts: number, squares: number): void {
    const { tolerance, methods, keepGoing } = this.context;
    if (!methods.has(method) || this.isDone()) return;
    if (unknowns(this.system, shifts, squares) > MAX_UNKNOWNS) return;
    const { system, doubt } = lift(this.system, shifts, squares);
    const found = bestPathComplete(system, {
      tolerance: tolerance / 10,
      keepGoing,
      ...(doubt && { doubt }),
    });
    const { certificate } = found;
    const proof: Proof = { kind: "lifted", shifts, squares, certificate };
    this.sink(rateBelowLift(found.gamma, squares), nameOf(shifts, squares), proof);
  }
}

function nameOf(shifts: number, squares: number): string {
  const memory =
    shifts === 0 ? "" : ` that knows the last ${shifts === 1 ? "mode" : `${shifts} modes`}`;
  const form = squares === 0 ? "quadratic form" : `form of degree ${2 ** (squares + 1)}`;
  return `${form}${memory}`;
}

/** How many numbers the forms of the lifted system have, without making it. */
function unknowns(
  { dimension, automaton }: SwitchedSystem,
  shifts: number,
  squares: number,
): number {
  let n = dimension;
  for (let i = 0; i < squares; i++) n = (n * (n + 1)) / 2;
  let nodes = automaton.nodes;
  const perNode = automaton.edges.length / Math.max(1, nodes);
  for (let i = 0; i < shifts; i++) nodes *= perNode;
  return (nodes * n * (n + 1)) / 2;
}
