/**
 * Larger systems that say the same with more room for proofs. The symmetric square of the matrices
 * acts on products of two coordinates; its joint spectral radius is the square, and a quadratic
 * form on it is a quartic on the system itself (Blondel & Nesterov, "Computationally efficient
 * approximations of the joint spectral radius", 2005). The edge shift remembers one more mode: its
 * nodes are the edges, so forms may depend on the last mode too.
 */
import type { Doubt } from "./quadratic-certificate.ts";
import type { SwitchedSystem } from "./switched-system.ts";

export interface SquaredSystem {
  readonly system: SwitchedSystem;
  /** What rounding did to the entries. */
  readonly doubt: Doubt;
}

/** Every matrix by its symmetric square. The joint spectral radius is squared. */
export function symmetricSquare(system: SwitchedSystem, doubt?: Doubt): SquaredSystem {
  const { dimension: n, matrices } = system;
  const sizes = doubt?.sizes ?? matrices.map((a) => a.map(Math.abs));
  return {
    system: {
      ...system,
      dimension: (n * (n + 1)) / 2,
      matrices: matrices.map((a) => squareOf(n, a)),
    },
    // Two factors with the doubt of each, a product and a sum.
    doubt: { sizes: sizes.map((a) => squareOf(n, a)), ulps: 2 * (doubt?.ulps ?? 0) + 4 },
  };
}

/** How (Av)ᵢ(Av)ⱼ, i ≤ j, depends on vₖvₗ, k ≤ l. */
function squareOf(n: number, a: Float64Array): Float64Array {
  const out: number[] = [];
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) {
      for (let k = 0; k < n; k++) {
        out.push(a[i * n + k] * a[j * n + k]);
        for (let l = k + 1; l < n; l++) {
          out.push(a[i * n + k] * a[j * n + l] + a[i * n + l] * a[j * n + k]);
        }
      }
    }
  }
  return Float64Array.from(out);
}

/** Edges become nodes: the same sequences of modes, up to their first. */
export function edgeShift(system: SwitchedSystem): SwitchedSystem {
  const { edges, nodes } = system.automaton;
  const leaving: number[][] = Array.from({ length: nodes }, () => []);
  edges.forEach(({ from }, e) => {
    leaving[from].push(e);
  });
  return {
    ...system,
    automaton: {
      nodes: edges.length,
      edges: edges.flatMap(({ to }, e) =>
        leaving[to].map((next) => ({ from: e, to: next, mode: edges[next].mode })),
      ),
    },
  };
}
