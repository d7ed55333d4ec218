/**
 * The options of a master that decides at run time, read from `master:` with a diagnostic for each
 * one that does not fit.
 */
import { nearest } from "../base/nearest.ts";
import type { DecisionGuard } from "../model/decision-guard.ts";
import {
  COUPLING_SCHEMES,
  type CouplingScheme,
  DEFAULT_SCHEME,
  iterates,
  MASTER_NAMES,
  MASTERS,
  type MasterName,
} from "../model/masters.ts";
import type { MasterDraft } from "../model/scenario.ts";
import { ESTIMATOR_NAMES, ESTIMATORS, type Estimator } from "./estimators.ts";
import type { PlanReport } from "./plan-diagnostics.ts";
import { type PolicySettings, readGuard, readPolicies } from "./policies.ts";

export const ITERATION_METHODS = [
  "auto",
  "jacobi",
  "gauss-seidel",
  "aitken",
  "anderson",
  "newton",
] as const;
/** By the degree of the trajectory. */
const ORDERS = ["hold", "linear", "quadratic"] as const;

export type IterationMethod = (typeof ITERATION_METHODS)[number];

export interface MasterSettings {
  readonly coupling: CouplingScheme;
  /** Degree of the input trajectories over a step. */
  readonly order: 0 | 1 | 2;
  readonly microSteps: number;
  readonly iteration: IterationSettings;
  /** Absent: fixed steps. */
  readonly control?: ControlSettings;
  /**
   * The choices at every communication point, cheapest first. Absent: only step sizes are chosen.
   */
  readonly policies?: readonly PolicySettings[];
  /** Which policy may follow which; absent: any. */
  readonly guard?: DecisionGuard;
  /** What a loop of units that cannot roll back gets. */
  readonly fallback: "refuse" | "explicit";
  /** Units that have an event mode use it. */
  readonly eventMode: boolean;
  /**
   * How far beyond its level a signal may be when its event is handled, relative to its nominal.
   */
  readonly eventTolerance: number;
  /** Rounds of discrete updates at one instant before the cascade is called endless. */
  readonly maxEventRounds: number;
}

export interface IterationSettings {
  readonly method: IterationMethod;
  /** Where Newton's method gets its derivatives from. */
  readonly jacobian: "auto" | "directional" | "differences";
  /** Of the residual, relative to nominal values. */
  readonly tolerance: number;
  readonly maxIterations: number;
  /** Semi-implicit: exactly this many corrections, whatever the residual. */
  readonly corrections?: number;
  /** The first iterate: inputs extrapolated from their past, or as they were. */
  readonly guess: "extrapolate" | "hold";
  /**
   * Pieces of a step whose ends are exchanged together: 1 is ordinary, more waveform relaxation.
   */
  readonly pieces: number;
  /** How often a step that does not converge is halved. */
  readonly halvings: number;
}

export interface ControlSettings {
  readonly estimator: Estimator;
  readonly relative: number;
  /** Times the nominal value. */
  readonly absolute: number;
  readonly minStep: number;
  readonly maxStep: number;
  readonly firstStep?: number;
  /**
   * pessimistic: a step that was too long is rejected; optimistic: only the next one is shorter.
   */
  readonly rejection: "auto" | "pessimistic" | "optimistic";
}

/** Reads options; those that are left when all known ones were read are unknown. */
class OptionReader {
  private readonly known = new Set<string>();
  private readonly master: MasterDraft;
  private readonly report: PlanReport;

  constructor(master: MasterDraft, report: PlanReport) {
    this.master = master;
    this.report = report;
  }

  choice<const T extends string>(name: string, known: readonly T[], otherwise: T): T {
    const given = this.take(name);
    if (given === undefined) return otherwise;
    const found = known.find((one) => one === given);
    if (found !== undefined) return found;
    const near = nearest(String(given), known);
    const wanted = near ? `did you mean '${near}'?` : `one of ${known.join(", ")}`;
    return this.refuse(name, given, wanted, otherwise);
  }

  positive(name: string, otherwise: number): number {
    return this.positiveIfGiven(name) ?? otherwise;
  }

  positiveIfGiven(name: string): number | undefined {
    const given = this.take(name);
    if (given === undefined) return undefined;
    if (typeof given === "number" && given > 0) return given;
    return this.refuse(name, given, "a number greater than 0", undefined);
  }

  count(name: string, otherwise: number, least = 1, most = Number.POSITIVE_INFINITY): number {
    const given = this.take(name);
    if (given === undefined) return otherwise;
    if (Number.isInteger(given) && Number(given) >= least && Number(given) <= most)
      return Number(given);
    const bound = Number.isFinite(most) ? ` and at most ${most}` : "";
    return this.refuse(name, given, `a whole number, at least ${least}${bound}`, otherwise);
  }

  /** A number greater than 0 and at most the value of another option. */
  atMost(name: string, otherwise: number, other: string, most: number): number {
    const given = this.positive(name, otherwise);
    if (given <= most) return given;
    return this.refuse(name, given, `a number that is not above '${other}: ${most}'`, most);
  }

  flag(name: string, otherwise: boolean): boolean {
    const given = this.take(name);
    if (given === undefined) return otherwise;
    return typeof given === "boolean"
      ? given
      : this.refuse(name, given, "true or false", otherwise);
  }

  /** A value with a shape of its own; `read` refuses it with what is wanted instead. */
  shaped<T>(
    name: string,
    read: (given: unknown, refuse: (found: unknown, wanted: string) => undefined) => T | undefined,
  ): T | undefined {
    const given = this.take(name);
    if (given === undefined) return undefined;
    return read(given, (found, wanted) => this.refuse(name, found, wanted, undefined));
  }

  /** An option that is read elsewhere. */
  skip(name: string): void {
    this.known.add(name);
  }

  reportUnknown(): void {
    const { name: master, options, place } = this.master;
    for (const [name, given] of Object.entries(options)) {
      if (this.known.has(name)) continue;
      // 'algorithm: iterative', as other tools write it.
      const isName = typeof given === "string" && MASTER_NAMES.some((one) => one === given);
      const params = { name, nearest: isName ? "name" : nearest(name, this.known), master };
      this.report("master-option-unknown", params, place);
    }
  }

  has(name: string): boolean {
    return this.master.options[name] !== undefined;
  }

  private take(name: string): unknown {
    this.known.add(name);
    return this.master.options[name];
  }

  private refuse<T>(name: string, given: unknown, wanted: string, otherwise: T): T {
    const params = { name, given: String(given), wanted };
    return this.report("master-option-invalid", params, this.master.place) ?? otherwise;
  }
}

export const DEFAULT_MICRO_STEPS = 10;

/**
 * @param name of the master, which the command line may have chosen.
 * @param step of the experiment, by which the shortest step is measured.
 */
export function readMasterSettings(
  name: MasterName,
  master: MasterDraft,
  step: number,
  report: PlanReport,
): MasterSettings {
  const read = new OptionReader({ ...master, name }, report);
  const { scheme, controlsSteps: adaptive } = MASTERS[name];
  const coupling = scheme ?? read.choice("coupling", COUPLING_SCHEMES, DEFAULT_SCHEME);
  const usual = iterates({ coupling }) || adaptive ? "linear" : "hold";
  const order = ORDERS.indexOf(read.choice("approximation", ORDERS, usual)) as 0 | 1 | 2;
  // Policies may take the cheapest exchange where the step is iterated.
  const couplings: readonly CouplingScheme[] = iterates({ coupling })
    ? ["jacobi", coupling]
    : [coupling];
  const policies = adaptive
    ? read.shaped("policies", (given, refuse) => readPolicies(given, couplings, refuse))
    : undefined;
  const guard = adaptive ? read.shaped("guard", readGuard) : undefined;
  const control = adaptive ? readControl(read, step, policies !== undefined) : undefined;
  const iteration = readIteration(read, coupling, iterationTolerance(control, order + 1));
  const settings: MasterSettings = {
    coupling,
    order,
    microSteps: read.count("microSteps", DEFAULT_MICRO_STEPS),
    iteration,
    ...(control && { control }),
    ...(policies && { policies }),
    ...(guard && { guard }),
    fallback: read.choice("fallback", ["refuse", "explicit"], "refuse"),
    eventMode: read.flag("eventMode", true),
    eventTolerance: read.positive("eventTolerance", 1e-9),
    maxEventRounds: read.count("maxEventRounds", 1000),
  };
  read.skip("order");
  // A master that the command line chooses leaves the options of the one in the file as they are.
  if (master.name === name || master.name === "") read.reportUnknown();
  return settings;
}

/**
 * For plans without a master at run time, which use few options themselves: those that no master
 * has. Options of other masters stay, so that a file can be run with one and the other.
 */
export function reportForeignOptions(
  name: MasterName,
  master: MasterDraft,
  step: number,
  report: PlanReport,
): void {
  if (master.name !== name && master.name !== "") return;
  const unknownTo = MASTER_NAMES.map((other) => {
    const unknown = new Map<string, string | undefined>();
    readMasterSettings(other, { ...master, name: other }, step, (code, params) => {
      if (code === "master-option-unknown" && "nearest" in params)
        unknown.set(params.name, params.nearest);
    });
    return unknown;
  });
  for (const [option, nearest] of unknownTo[0] ?? [])
    if (unknownTo.every((unknown) => unknown.has(option)))
      report("master-option-unknown", { name: option, nearest, master: name }, master.place);
}

const DEFAULT_ITERATION_TOLERANCE = 1e-8;
/** The residual of iterations stays small against the errors that the step control sees. */
const BELOW_ERROR = 0.01;
/** Rounding, below which no iteration gets. */
const LEAST_ITERATION_TOLERANCE = 1e-14;

/** @param order of the coupling; estimates that compare steps see tolerance^(1 + 1/order). */
function iterationTolerance(control: ControlSettings | undefined, order: number): number {
  if (control === undefined) return DEFAULT_ITERATION_TOLERANCE;
  const { relative, absolute, estimator } = control;
  const tolerance = Math.min(1, Math.max(relative, absolute));
  const seen = ESTIMATORS[estimator].judgesInputs ? tolerance : tolerance ** (1 + 1 / order);
  return Math.max(LEAST_ITERATION_TOLERANCE, BELOW_ERROR * seen);
}

/** Of a step; the iteration solves for all their values at once, so more are better as steps. */
const MOST_PIECES = 1000;

function readIteration(
  read: OptionReader,
  coupling: CouplingScheme,
  tolerance: number,
): IterationSettings {
  if (!iterates({ coupling })) return NO_ITERATION;
  const corrections = read.has("corrections") ? read.count("corrections", 1) : undefined;
  return {
    method: read.choice("method", ITERATION_METHODS, "auto"),
    jacobian: read.choice("jacobian", ["auto", "directional", "differences"], "auto"),
    tolerance: read.positive("tolerance", tolerance),
    maxIterations: read.count("maxIterations", 50),
    ...(corrections === undefined ? {} : { corrections }),
    guess: read.choice("guess", ["extrapolate", "hold"], "extrapolate"),
    pieces: read.count("waveform", 1, 1, MOST_PIECES),
    halvings: read.count("halvings", 10, 0),
  };
}

const NO_ITERATION: IterationSettings = {
  method: "auto",
  jacobian: "auto",
  tolerance: DEFAULT_ITERATION_TOLERANCE,
  maxIterations: 50,
  guess: "extrapolate",
  pieces: 1,
  halvings: 0,
};

/** Short enough to get past a jump that is not announced, at any sensible tolerance. */
const LEAST_STEP = 1e-12;

/** Estimates that leave the step as it was taken: a policy is judged by its own step. */
const WATCHING: readonly Estimator[] = ESTIMATOR_NAMES.filter(
  (name) => ESTIMATORS[name].judgesInputs,
);

function readControl(read: OptionReader, step: number, hasPolicies: boolean): ControlSettings {
  const maxStep = read.positive("maxStep", Number.POSITIVE_INFINITY);
  const firstStep = read.positiveIfGiven("firstStep");
  return {
    estimator: read.choice("estimator", hasPolicies ? WATCHING : ESTIMATOR_NAMES, "milne"),
    relative: read.positive("relative", 1e-4),
    absolute: read.positive("absolute", 1e-6),
    minStep: read.atMost("minStep", Math.min(step * LEAST_STEP, maxStep), "maxStep", maxStep),
    maxStep,
    ...(firstStep === undefined ? {} : { firstStep }),
    rejection: read.choice("rejection", ["auto", "pessimistic", "optimistic"], "auto"),
  };
}
