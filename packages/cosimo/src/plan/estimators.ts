/**
 * The error estimators of adaptive masters: what checks and settings have to know of each. The
 * engine has a constructor for every row (engine/masters/estimator-for.ts); one without the other
 * does not compile.
 */

/** What decides whether an estimator has anything to compare. */
export interface EstimatorSubject {
  /** Degree of the input trajectories. */
  readonly order: number;
  readonly hasBonds: boolean;
  /** Some loop of units is iterated. */
  readonly iterates: boolean;
}

export interface EstimatorRow {
  /** Steps are repeated, so that units have to roll back. */
  readonly repeatsSteps: boolean;
  /**
   * Judges inputs while the step lasts and leaves the step as it was taken; otherwise it judges
   * what the step leaves behind.
   */
  readonly judgesInputs: boolean;
  /** What is missing where it would see nothing, and what to do then. */
  readonly lacks?: (
    subject: EstimatorSubject,
  ) => { readonly what: string; readonly fix: string } | undefined;
}

export type Estimator = "richardson" | "milne" | "multi-order" | "energy" | "iteration";

export const ESTIMATORS: Readonly<Record<Estimator, EstimatorRow>> = {
  richardson: { repeatsSteps: true, judgesInputs: false },
  milne: { repeatsSteps: false, judgesInputs: true },
  "multi-order": {
    repeatsSteps: true,
    judgesInputs: false,
    lacks: ({ order }) =>
      order > 0
        ? undefined
        : {
            what: "held inputs have no trajectory of a lower degree",
            fix: "add 'approximation: linear'",
          },
  },
  energy: {
    repeatsSteps: false,
    judgesInputs: true,
    lacks: ({ hasBonds }) =>
      hasBonds
        ? undefined
        : {
            what: "no connection is declared a power bond",
            fix: "declare 'bonds', or use 'estimator: milne'",
          },
  },
  iteration: {
    repeatsSteps: false,
    judgesInputs: false,
    lacks: ({ iterates }) =>
      iterates
        ? undefined
        : {
            what: "nothing is iterated",
            fix: "use 'coupling: iterative', or 'estimator: milne'",
          },
  },
};

export const ESTIMATOR_NAMES: readonly Estimator[] = Object.keys(ESTIMATORS) as Estimator[];
