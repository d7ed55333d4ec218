/**
 * Everything that can prove an upper bound of a joint spectral radius, and one check for all of it.
 * A proof is data: it can be stored, sent and checked again by anyone.
 */
import { scaledExactly } from "../numerics/balance.ts";
import { rootAbove, roundedDown } from "../numerics/rounding.ts";
import { type TreeProof, walkTree } from "./gripenberg.ts";
import { type Component, componentsOf } from "./jsr-components.ts";
import { edgeShift, symmetricSquare } from "./kronecker-lift.ts";
import { type PolytopeProof, polytopeRate } from "./polytope.ts";
import { type Certificate, type Doubt, verifyCertificate } from "./quadratic-certificate.ts";
import type { SwitchedSystem } from "./switched-system.ts";

/** Forms on the system that `shifts` edge shifts and then `squares` symmetric squares make. */
export interface LiftedProof {
  readonly kind: "lifted";
  readonly shifts: number;
  readonly squares: number;
  readonly certificate: Certificate;
}

/**
 * One proof for every strong component of the automaton, in their order. Without components there
 * is nothing to prove.
 */
export interface PartsProof {
  readonly kind: "parts";
  readonly parts: readonly Proof[];
}

/**
 * A proof for the system in coordinates scaled by powers of two, which changes nothing but sizes.
 */
export interface ScaledProof {
  readonly kind: "scaled";
  readonly exponents: readonly number[];
  readonly proof: Proof;
}

export type Proof =
  | Certificate
  | TreeProof
  | PolytopeProof
  | LiftedProof
  | PartsProof
  | ScaledProof;

/** Whether the proof shows that the joint spectral radius is at most `gamma`. */
export function verifyProof(system: SwitchedSystem, gamma: number, proof: Proof): boolean {
  // Checks look at even powers, which hide a sign.
  if (!(gamma >= 0)) return false;
  switch (proof.kind) {
    case "quadratic":
      return verifyCertificate(system, gamma, proof);
    case "polytope":
      return polytopeRate(system, proof) <= gamma;
    case "tree": {
      const search = { maxProducts: Infinity, maxDepth: proof.depth };
      return walkTree(system, proof.forms, gamma, search).kind === "proved";
    }
    case "lifted": {
      const { system: larger, doubt } = lift(system, proof.shifts, proof.squares);
      let power = gamma;
      for (let i = 0; i < proof.squares; i++) power = roundedDown(power * power);
      return verifyCertificate(larger, power, proof.certificate, doubt);
    }
    case "scaled": {
      const scaled = scaledSystem(system, proof.exponents);
      return scaled !== undefined && verifyProof(scaled, gamma, proof.proof);
    }
    case "parts": {
      const parts = componentsOf(system).map((component) => partOf(system, component));
      return (
        parts.length === proof.parts.length &&
        parts.every((part, i) => verifyProof(part, gamma, proof.parts[i]))
      );
    }
  }
}

/** The system in scaled coordinates; undefined when the scales do not fit, or are not exact. */
export function scaledSystem(
  system: SwitchedSystem,
  exponents: readonly number[],
): SwitchedSystem | undefined {
  const { dimension: n } = system;
  if (exponents.length !== n || !exponents.every(Number.isInteger)) return undefined;
  const matrices: Float64Array[] = [];
  for (const a of system.matrices) {
    const scaled = scaledExactly(n, a, exponents);
    if (scaled === undefined) return undefined;
    matrices.push(scaled);
  }
  return { ...system, matrices };
}

export function lift(
  system: SwitchedSystem,
  shifts: number,
  squares: number,
): { readonly system: SwitchedSystem; readonly doubt?: Doubt } {
  let lifted: { system: SwitchedSystem; doubt?: Doubt } = { system };
  for (let i = 0; i < shifts; i++) lifted = { system: edgeShift(lifted.system) };
  for (let i = 0; i < squares; i++) lifted = symmetricSquare(lifted.system, lifted.doubt);
  return lifted;
}

/** What a rate of the lifted system says about the system, rounded up. */
export function rateBelowLift(rate: number, squares: number): number {
  let root = rate;
  for (let i = 0; i < squares; i++) root = rootAbove(root, 2);
  return root;
}

/** A component as a system of its own: nodes renumbered, modes as before. */
export function partOf(system: SwitchedSystem, { nodes, edges, graph }: Component): SwitchedSystem {
  return {
    ...system,
    automaton: {
      nodes: nodes.length,
      edges: edges.map((e, i) => ({
        from: graph.from[i],
        to: graph.to[i],
        mode: system.automaton.edges[e].mode,
      })),
    },
  };
}
