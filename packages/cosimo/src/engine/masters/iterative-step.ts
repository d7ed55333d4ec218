/**
 * Strong coupling: a step whose inputs agree with the outputs of its end. Units that do not wait
 * for each other are advanced in sequence; each group that does is iterated until it agrees
 * (component-iteration.ts).
 */
import type { CoupledComponent } from "../../plan/coupling-plan.ts";
import { measureBonds } from "./bond-meter.ts";
import { ComponentIteration } from "./component-iteration.ts";
import type { Coupling } from "./coupling.ts";
import { MasterPart } from "./master-part.ts";
import { NodeTrajectories } from "./node-trajectories.ts";
import type { StepMethod } from "./step-method.ts";
import { Extrapolation } from "./trajectories.ts";

export class IterativeStep extends MasterPart implements StepMethod {
  readonly order: number;
  iterations = 0;
  residual = 0;
  /**
   * Units get one sweep each and need not agree: for steps that are too short for disagreement to
   * matter.
   */
  isOnce = false;
  private readonly nodes: NodeTrajectories;
  private readonly extrapolation = new Extrapolation(this.coupling);
  /** One entry per component; undefined: advanced in sequence. */
  private readonly solvers: readonly (ComponentIteration | undefined)[];
  /** Units were last given something else than the signals of the end of the step. */
  private readonly mustResolve: boolean;

  constructor(coupling: Coupling) {
    super(coupling);
    const { settings, components, inputs } = coupling.plan;
    this.order = Math.min(settings.order, ...inputs.map(({ order }) => order)) + 1;
    this.nodes = new NodeTrajectories(coupling, settings.iteration.pieces);
    this.solvers = components.map((component) =>
      isIterated(coupling, component)
        ? new ComponentIteration(coupling, component, this.nodes)
        : undefined,
    );
    this.mustResolve =
      coupling.plan.keepsStart ||
      coupling.plan.stages.some(({ writeHeld }) => writeHeld.length > 0) ||
      inputs.some(({ integral, jumps }) => jumps || integral !== undefined);
  }

  /** Units that have to be rolled back within every step. */
  get repeats(): boolean {
    return this.solvers.some((solver) => solver !== undefined);
  }

  /** What the iterations carry from step to step, for checkpoints. */
  save(): Float64Array[] {
    return this.solvers.flatMap((solver) => solver?.save() ?? []);
  }

  restore(saved: readonly Float64Array[]): void {
    const parts = [...saved];
    for (const solver of this.solvers) solver?.restore(parts);
  }

  get firstSweep(): Float64Array {
    return this.nodes.first;
  }

  step(to: number, lower = 0): boolean {
    const coupling = this.coupling;
    const { components } = coupling.plan;
    this.iterations = 0;
    this.residual = 0;
    this.nodes.lower = lower;
    this.nodes.beginStep(to);
    if (coupling.size > 0) {
      const { guess } = coupling.plan.settings.iteration;
      this.extrapolation.nodes(
        to,
        this.nodes.trajectories.pieces,
        this.nodes.nodes,
        guess === "hold",
      );
    }
    for (let c = 0; c < components.length; c++) {
      const solver = this.solvers[c];
      if (solver === undefined) {
        if (!this.nodes.sweep(components[c].units, true, false)) return false;
        this.nodes.keepFirst(components[c].units);
      } else {
        if (!solver.solve(this.isOnce)) return false;
        // What the loop gives to units behind it is known now.
        for (const unit of components[c].units) this.nodes.settle(unit);
        this.iterations += solver.iterations;
        this.residual = Math.max(this.residual, solver.residual);
      }
    }
    measureBonds(coupling, this.nodes.exchange, to - coupling.time);
    coupling.time = to;
    if (this.mustResolve || this.isOnce) coupling.resolve();
    return true;
  }
}

/** A loop that cannot roll back is only here where the author accepted an explicit exchange. */
function isIterated(coupling: Coupling, { cyclic, units }: CoupledComponent): boolean {
  return cyclic && coupling.canRollBack(units);
}
