/**
 * What every way to take one step of the whole scenario offers to those who control it.
 */
import type { SmallerSteps } from "../../base/outcome.ts";
import { EngineError } from "../engine-error.ts";

export interface StepMethod {
  /** Global order of the error that the coupling makes, where inputs are smooth. */
  readonly order: number;
  /**
   * Takes all units from the coupling's time to `to` and leaves the signals of that instant.
   * @param lower by how many degrees the inputs' trajectories are simpler than usual.
   * @returns false if a unit stopped early (`coupling.early`): the units are then at different
   * times.
   * @throws NotConverged when the equations of the step could not be solved.
   */
  step(to: number, lower?: number): boolean;
  /** What happened in the last step, where the method iterates. */
  readonly iterations?: number;
  readonly residual?: number;
  /**
   * By coupled input, where the method iterates: what the sources gave when they had nothing but
   * predictions.
   */
  readonly firstSweep?: Float64Array;
}

/** Everything that a person needs to see why an iteration found no solution. */
interface Disagreement {
  /** The units of the loop. */
  readonly loop: readonly string[];
  readonly methods: readonly string[];
  /** Residuals of the last method, relative to the tolerance's scale. */
  readonly residuals: readonly number[];
  /** The inputs that are farthest from agreement. */
  readonly worst: readonly string[];
  readonly time: number;
  readonly step: number;
}

export class NotConverged extends EngineError {
  readonly what: Disagreement;

  constructor(what: Disagreement) {
    super(`the loop of ${what.loop.join(", ")} does not converge at t=${what.time}`);
    this.name = "NotConverged";
    this.what = what;
  }
}

/** What asks for a step that is shorter than the author allows, or than time can resolve. */
interface ShortStep extends SmallerSteps {
  readonly unit: string;
  readonly time: number;
}

export class StepTooSmall extends EngineError {
  readonly what: ShortStep;
  /** The event that the scenario declares there. */
  declared: string | undefined;

  constructor(what: ShortStep) {
    super(`steps from t=${what.time} on would have to be shorter than ${what.step} s`);
    this.name = "StepTooSmall";
    this.what = what;
  }
}
