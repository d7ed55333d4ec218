/**
 * What every way to take one step of the whole scenario offers to those who control it.
 */
import { EngineError } from "../engine-error.ts";
export interface StepMethod {
  /** Global order of the error that the coupling makes, where inputs are smooth. */
  readonly order: number;
  /**
   * Takes all units from the coupling's time to `to` and leaves the signals of that instant.
   * @param lower by how many degrees the inputs' trajectories are simpler than usual.
   * @returns false if a unit stopped early (`coupling.early`): the units are then at different times.
   * @throws NotConverged when the equations of the step could not be solved.
   */
  step(to: number, lower?: number): boolean;
  /** What happened in the last step, where the method iterates. */
  readonly iterations?: number;
  readonly residual?: number;
  /** By coupled input, where the method iterates: what the sources gave when they had nothing but predictions. */
  readonly firstSweep?: Float64Array;
}

/** An iteration that found no solution, with everything a person needs to see why. */
export class NotConverged extends EngineError {
  readonly loop: readonly string[];
  readonly methods: readonly string[];
  /** Residuals of the last method, relative to the tolerance's scale. */
  readonly residuals: readonly number[];
  /** The inputs that are farthest from agreement. */
  readonly worst: readonly string[];
  readonly time: number;
  readonly step: number;
  constructor(what: {
    readonly loop: readonly string[];
    readonly methods: readonly string[];
    readonly residuals: readonly number[];
    readonly worst: readonly string[];
    readonly time: number;
    readonly step: number;
  }) {
    super(`the loop of ${what.loop.join(", ")} does not converge at t=${what.time}`);
    this.name = "NotConverged";
    this.loop = what.loop;
    this.methods = what.methods;
    this.residuals = what.residuals;
    this.worst = what.worst;
    this.time = what.time;
    this.step = what.step;
  }
}

/** A step that would have to be shorter than the author allows, or than time can resolve. */
export class StepTooSmall extends EngineError {
  readonly unit: string;
  readonly signal: string;
  readonly reason: "error" | "difference";
  /** By what factor it was too large. */
  readonly over: number;
  readonly time: number;
  readonly step: number;
  /** The event that the scenario declares there. */
  declared: string | undefined;
  constructor(what: {
    readonly unit: string;
    readonly signal: string;
    readonly reason: "error" | "difference";
    readonly over: number;
    readonly time: number;
    readonly step: number;
  }) {
    super(`steps from t=${what.time} on would have to be shorter than ${what.step} s`);
    this.name = "StepTooSmall";
    this.unit = what.unit;
    this.signal = what.signal;
    this.reason = what.reason;
    this.over = what.over;
    this.time = what.time;
    this.step = what.step;
  }
}
