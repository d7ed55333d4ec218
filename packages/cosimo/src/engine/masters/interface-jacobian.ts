/**
 * How the residual of a loop changes with its unknowns: ∂(image − x)/∂x, unit by unit, in scaled
 * variables.
 *
 * From directional derivatives where all units offer them and show their states: each unit is
 * linearized where it stands, and the effect of an input's trajectory on its outputs at the end of
 * the step follows from the exponential of its matrix, exactly for linear units. From finite
 * differences otherwise: one input at a time is changed and only the unit that has it repeats its
 * step.
 */
import type { CoupledComponent, CoupledConstraint } from "../../plan/coupling-plan.ts";
import type { Coupling } from "./coupling.ts";
import { constraintResidual, forceCount, putUnknowns } from "./loop-unknowns.ts";
import type { NodeTrajectories } from "./node-trajectories.ts";
import { type StepSensitivity, stepSensitivity } from "./step-sensitivity.ts";

/**
 * Change of an unknown relative to its scale: large against the noise of solvers, small against
 * what bends.
 */
const PERTURBATION = 1e-5;
/**
 * The same for a force: it reaches positions only over the square of the step, and nearly as a
 * straight line.
 */
const FORCE_PERTURBATION = 1;

export class InterfaceJacobian {
  private readonly coupling: Coupling;
  private readonly component: CoupledComponent;
  private readonly nodes: NodeTrajectories;
  private readonly constraints: readonly CoupledConstraint[];
  private readonly sensitivities: readonly StepSensitivity[] | undefined;
  private readonly kept: Float64Array;
  private readonly changed: Float64Array;
  private readonly base: Float64Array;
  private readonly shifted: Float64Array;
  private readonly images: Float64Array;

  constructor(
    coupling: Coupling,
    component: CoupledComponent,
    nodes: NodeTrajectories,
    source: "auto" | "directional" | "differences",
  ) {
    this.coupling = coupling;
    this.component = component;
    this.nodes = nodes;
    this.constraints = component.constraints.map((c) => coupling.plan.constraints[c]);
    const forces = forceCount(this.constraints);
    const n = nodes.trajectories.pieces * component.inputs.length + forces;
    this.kept = new Float64Array(coupling.state.banks.f64.length);
    this.changed = new Float64Array(n);
    this.base = new Float64Array(forces);
    this.shifted = new Float64Array(forces);
    this.images = new Float64Array(nodes.images.length);
    const linear = source !== "differences" && forces === 0 && nodes.trajectories.pieces === 1;
    const found = linear ? component.units.map((unit) => stepSensitivity(coupling, unit)) : [];
    this.sensitivities = linear && found.every((one) => one !== undefined) ? found : undefined;
  }

  /**
   * Fills `jacobian`, row-major. The units stand at the end of an evaluation with `x`; afterwards
   * they stand anywhere.
   * @returns false if a unit stopped early on the way.
   */
  fill(x: Float64Array, scale: Float64Array, jacobian: Float64Array): boolean {
    jacobian.fill(0);
    if (this.sensitivities === undefined) return this.differences(x, scale, jacobian);
    this.fromSensitivities(this.sensitivities, scale, jacobian);
    return true;
  }

  private fromSensitivities(
    sensitivities: readonly StepSensitivity[],
    scale: Float64Array,
    jacobian: Float64Array,
  ): void {
    const { inputs } = this.component;
    const n = inputs.length;
    const length = this.nodes.to - this.nodes.from;
    for (const sensitivity of sensitivities) {
      sensitivity.update(length);
      for (let j = 0; j < n; j++)
        for (let i = 0; i < n; i++)
          jacobian[i * n + j] += (sensitivity.of(inputs[i], inputs[j]) * scale[j]) / scale[i];
    }
    for (let i = 0; i < n; i++) jacobian[i * n + i] -= 1;
  }

  private differences(x: Float64Array, scale: Float64Array, jacobian: Float64Array): boolean {
    const n = x.length;
    const { f64 } = this.coupling.state.banks;
    const { inputs } = this.component;
    const k = inputs.length;
    const nodes = this.nodes.trajectories.pieces * k;
    this.kept.set(f64);
    this.images.set(this.nodes.images);
    constraintResidual(this.constraints, this.coupling, this.base, 0);
    for (let j = 0; j < n; j++) {
      const change = (j < nodes ? PERTURBATION : FORCE_PERTURBATION) * scale[j];
      this.changed.set(x);
      this.changed[j] += change;
      putUnknowns(this.component, this.constraints, this.nodes, this.coupling.size, this.changed);
      const units = j < nodes ? [this.unitOf(inputs[j % k])] : this.forcedUnits(j - nodes);
      for (const unit of units) {
        this.coupling.restoreUnit(unit);
        if (!this.nodes.advance(unit, false)) return false;
      }
      this.column(j, n, change, scale, jacobian);
      f64.set(this.kept);
      this.nodes.images.set(this.images);
    }
    putUnknowns(this.component, this.constraints, this.nodes, this.coupling.size, x);
    return true;
  }

  private column(
    j: number,
    n: number,
    change: number,
    scale: Float64Array,
    jacobian: Float64Array,
  ): void {
    const { pieces } = this.nodes.trajectories;
    const { size } = this.coupling;
    const { inputs } = this.component;
    const k = inputs.length;
    for (let m = 0; m < pieces; m++)
      for (let i = 0; i < k; i++) {
        const at = m * size + inputs[i];
        const row = m * k + i;
        const slope = (this.nodes.images[at] - this.images[at]) / change;
        jacobian[row * n + j] = (slope * scale[j]) / scale[row] - (row === j ? 1 : 0);
      }
    constraintResidual(this.constraints, this.coupling, this.shifted, 0);
    for (let c = 0; c < this.base.length; c++)
      jacobian[(pieces * k + c) * n + j] = ((this.shifted[c] - this.base[c]) / change) * scale[j];
  }

  private unitOf(input: number): number {
    return this.coupling.plan.inputs[input].unit;
  }

  /** Units that the force number `f` acts on. */
  private forcedUnits(f: number): number[] {
    let first = 0;
    for (const { by, rate } of this.constraints) {
      const count = rate ? 2 : 1;
      if (f < first + count) return [...new Set(by.map(({ input }) => this.unitOf(input)))];
      first += count;
    }
    throw new Error(`internal: no constraint has force ${f}`);
  }
}
