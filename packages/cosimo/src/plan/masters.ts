/**
 * The masters. Help, checks and messages follow this table; what a master does is in the passes of this zone and in engine/masters.
 */

/** How values are exchanged within a communication step. */
export const COUPLING_SCHEMES = ["jacobi", "gauss-seidel", "iterative"] as const;
export type CouplingScheme = (typeof COUPLING_SCHEMES)[number];

export type MasterName = CouplingScheme | "adaptive" | "event-driven";

export interface MasterKind {
  /** Absent: the option `coupling` says. */
  readonly scheme?: CouplingScheme;
  /** No straight plan can follow it. */
  readonly decidesAtRunTime: boolean;
  /** It chooses the size of its steps. */
  readonly controlsSteps: boolean;
  /** Connections exchange when their triggers say so, and there are no common steps (zone coordinate). */
  readonly coordinates?: true;
}

export const MASTERS: Readonly<Record<MasterName, MasterKind>> = {
  jacobi: { scheme: "jacobi", decidesAtRunTime: false, controlsSteps: false },
  "gauss-seidel": { scheme: "gauss-seidel", decidesAtRunTime: false, controlsSteps: false },
  iterative: { scheme: "iterative", decidesAtRunTime: true, controlsSteps: false },
  adaptive: { decidesAtRunTime: true, controlsSteps: true },
  "event-driven": {
    scheme: "jacobi",
    decidesAtRunTime: false,
    controlsSteps: false,
    coordinates: true,
  },
};

export const MASTER_NAMES: readonly MasterName[] = Object.keys(MASTERS) as MasterName[];

/** The scheme of a master, given the options that its author wrote. */
export function schemeOf(
  master: MasterName,
  options: Readonly<Record<string, unknown>>,
): CouplingScheme {
  const { scheme } = MASTERS[master];
  const asked = COUPLING_SCHEMES.find((one) => one === options["coupling"]);
  return scheme ?? asked ?? DEFAULT_SCHEME;
}

/** Of masters that let their author choose. */
export const DEFAULT_SCHEME: CouplingScheme = "iterative";
