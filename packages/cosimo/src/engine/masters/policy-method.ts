/**
 * A step method that changes with the policy: policies may couple units with or without iteration.
 */
import { type CouplingScheme, iterates } from "../../model/masters.ts";
import type { Coupling } from "./coupling.ts";
import { ExplicitStep } from "./explicit-step.ts";
import type { IterativeStep } from "./iterative-step.ts";
import type { StepMethod } from "./step-method.ts";

export class PolicyMethod implements StepMethod {
  readonly order: number;
  private readonly explicit: ExplicitStep;
  private readonly iterative: IterativeStep | undefined;
  private chosen: StepMethod;
  /** What the last step was taken with: the next one may already be chosen when they are read. */
  private taken: StepMethod;

  constructor(coupling: Coupling, iterative: IterativeStep | undefined) {
    this.explicit = new ExplicitStep(coupling);
    this.iterative = iterative;
    this.chosen = iterative ?? this.explicit;
    this.taken = this.chosen;
    this.order = this.chosen.order;
  }

  choose(coupling: CouplingScheme): void {
    this.chosen = (iterates({ coupling }) ? this.iterative : undefined) ?? this.explicit;
  }

  step(to: number, lower?: number): boolean {
    this.taken = this.chosen;
    return this.chosen.step(to, lower);
  }

  get iterations(): number {
    return this.taken.iterations ?? 0;
  }

  get residual(): number {
    return this.taken.residual ?? 0;
  }
}
