/**
 * Measures what the exchange over power bonds makes of energy, step by step.
 */
import type { Coupling } from "./coupling.ts";

export class BondMeter {
  readonly #coupling: Coupling;

  constructor(coupling: Coupling) {
    this.#coupling = coupling;
  }

  /** A step from `from` to the coupling's time was accepted; the signals are those of its end. */
  accepted(_from: number): void {
    for (const { power } of this.#coupling.plan.bonds) this.#coupling.state.banks.f64[power] = 0;
  }
}
