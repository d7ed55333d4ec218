/**
 * Differential equations with events, without a solver: what an FMU of the Model Exchange interface
 * offers, in the words of the unit contract.
 *
 *   x' = f(t, x, u, p, d),   z = g(t, x, u, p, d),   d changes at events only
 *
 * Its phases are those of a unit; `step` is the continuous-time mode, in which time, states and
 * continuous inputs are set from outside. A state event happens where an indicator z_i moves
 * between z_i > 0 and z_i ≤ 0. An integrating unit (integrating-unit.ts) makes a simulation unit of
 * it, and several of them become one (group-ode.ts).
 */
import type { OdeStructure } from "../model/ode-structure.ts";
import type { Unit } from "../unit/unit.ts";

/** What a completed integrator step asks for. */
export type StepVerdict = "go-on" | "event" | "terminate";

export interface EventOde
  extends Pick<
    Unit,
    | "name"
    /**
     * Its capabilities are those of the model: `rollback` means that it saves all of its state
     * itself.
     */
    | "description"
    | "phase"
    | "clocks"
    | "enterInitialization"
    | "exitInitialization"
    | "enterEventMode"
    | "updateDiscreteStates"
    | "enterStepMode"
    | "terminate"
    | "reset"
    | "dispose"
    | "bind"
    | "read"
    | "write"
    | "save"
    | "restore"
    | "release"
    | "serialize"
    | "deserialize"
    | "directionalDerivative"
    | "adjointDerivative"
  > {
  readonly structure: OdeStructure;
  /** Time, states and what follows from them; in phase `step`, time also in phase `event`. */
  setTime(time: number): void;
  setStates(states: Float64Array): void;
  getStates(states: Float64Array): void;
  getDerivatives(derivatives: Float64Array): void;
  getIndicators(indicators: Float64Array): void;
  /** Typical sizes of the states. */
  getNominals(nominals: Float64Array): void;
  /**
   * A step of the integrator ends at the present time, for good unless a snapshot is restored.
   * Called only where the structure says that it is needed.
   */
  completeStep(mayGoBack: boolean): StepVerdict;
  /**
   * Present where values depend on more than the state, in their last digits: iterations that begin
   * where the last one ended.
   */
  readonly memory?: NumericalMemory;
}

export interface NumericalMemory {
  readonly size: number;
  save(into: Float64Array): void;
  restore(from: Float64Array): void;
  /** An advance ended: what is not saved is forgotten. */
  settle(): void;
}
