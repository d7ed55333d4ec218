/**
 * What is known of differential equations before they are evaluated.
 */

export interface OdeStructure {
  /** Elements of all states, and of all event indicators. */
  readonly states: number;
  readonly indicators: number;
  /**
   * Ports of the states and of their derivatives, in the order of the state vector; -1: one element
   * that no port shows.
   */
  readonly statePorts: readonly number[];
  readonly derivativePorts: readonly number[];
  /** The states that each derivative depends on, elements of the state vector; absent: any. */
  readonly pattern: readonly (readonly number[] | undefined)[];
  /** The end of each integrator step must be announced to the model. */
  readonly needsCompletedSteps: boolean;
  /**
   * Nothing but time, states, inputs and parameters decides what follows: there is nothing else to
   * save.
   */
  readonly isContinuous: boolean;
}
