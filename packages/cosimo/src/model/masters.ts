/**
 * The masters, by name, with what the rest of the program asks of them. The command's help, checks,
 * messages and the schema of scenarios follow this table; what a master does is in the passes of
 * `plan` and in `engine/masters`. Code asks for properties of a master, never for its name.
 */

/** How values are exchanged within a communication step. */
export interface Scheme {
  /** Later units use what earlier ones have reached in the same step. */
  readonly isSequential: boolean;
  /** The step is repeated until inputs and outputs agree. */
  readonly iterates: boolean;
  /** The order of units changes the result. */
  readonly usesOrder: boolean;
}

export type CouplingScheme = "jacobi" | "gauss-seidel" | "iterative";

export const SCHEMES: Readonly<Record<CouplingScheme, Scheme>> = {
  jacobi: { isSequential: false, iterates: false, usesOrder: false },
  "gauss-seidel": { isSequential: true, iterates: false, usesOrder: true },
  iterative: { isSequential: false, iterates: true, usesOrder: true },
};

export const COUPLING_SCHEMES: readonly CouplingScheme[] = Object.keys(SCHEMES) as CouplingScheme[];

export type MasterName = CouplingScheme | "adaptive" | "event-driven";

export interface MasterKind {
  /** Absent: the option `coupling` says. */
  readonly scheme?: CouplingScheme;
  /** No straight plan can follow it, and it can end a step anywhere. */
  readonly decidesAtRunTime: boolean;
  /** It chooses the size of its steps. */
  readonly controlsSteps: boolean;
  /** Connections exchange when their triggers say so, without common steps (zone `coordinate`). */
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

/** Of masters that let their author choose. */
export const DEFAULT_SCHEME: CouplingScheme = "iterative";

export function masterNamed(name: string): MasterName | undefined {
  return MASTER_NAMES.find((master) => master === name);
}

/** The scheme of a master, given the options that its author wrote. */
export function schemeOf(
  master: MasterName,
  options: Readonly<Record<string, unknown>>,
): CouplingScheme {
  const { scheme } = MASTERS[master];
  const wanted = COUPLING_SCHEMES.find((one) => one === options["coupling"]);
  return scheme ?? wanted ?? DEFAULT_SCHEME;
}

/** Whether a coupling repeats its steps until inputs and outputs agree. */
export function iterates({ coupling }: { readonly coupling: CouplingScheme }): boolean {
  return SCHEMES[coupling].iterates;
}

/** Whether later units of a coupling use what earlier ones have reached. */
export function isSequential({ coupling }: { readonly coupling: CouplingScheme }): boolean {
  return SCHEMES[coupling].isSequential;
}
