/**
 * What works on a coupling and keeps something from step to step. A base class, so that such things
 * can be made where they are declared.
 */
import type { Coupling } from "./coupling.ts";

export abstract class MasterPart {
  protected readonly coupling: Coupling;

  constructor(coupling: Coupling) {
    this.coupling = coupling;
  }
}
