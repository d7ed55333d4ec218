/**
 * Several sweeps of a plain iteration as one program (step-program.ts): sweep, residuals, next
 * iterate, and so on. A fixed number of corrections is straight. An iteration up to a tolerance has
 * a test behind every sweep; the program ends where it says so, and behind as many sweeps as nobody
 * would judge before their end (`ConvergenceWatch`).
 */
import type { CoupledComponent } from "../../plan/coupling-plan.ts";
import type { Coupling } from "./coupling.ts";
import type { NodeTrajectories } from "./node-trajectories.ts";
import { ProgramRun } from "./program-run.ts";
import { minus, over, plus, type StepItem, set, times } from "./step-program.ts";

/** More corrections than these go one by one. */
const MOST_CORRECTIONS = 16;
/**
 * Before it has seen one norm more, a watch has nothing to say but that the iteration converges or
 * that residuals grow.
 */
const UNJUDGED = 4;

/** No norm: there was no such sweep. */
const UNUSED = -1;

/** The unknowns of a loop, scaled; see `ComponentIteration`. */
export interface LoopNumbers {
  readonly x: Float64Array;
  readonly scale: Float64Array;
  readonly residuals: Float64Array;
}

export class IterationPrograms {
  /** Of the sweeps of the last run up to a tolerance. */
  readonly norms: Float64Array = new Float64Array(UNJUDGED);
  private readonly coupling: Coupling;
  private readonly component: CoupledComponent;
  private readonly nodes: NodeTrajectories;
  private readonly numbers: LoopNumbers;
  /** By what varies. */
  private readonly programs: (ProgramRun | undefined)[] = [];

  constructor(
    coupling: Coupling,
    component: CoupledComponent,
    nodes: NodeTrajectories,
    numbers: LoopNumbers,
  ) {
    this.coupling = coupling;
    this.component = component;
    this.nodes = nodes;
    this.numbers = numbers;
  }

  /** Corrects so often. @returns undefined: not by code; false: a unit stopped early. */
  correct(corrections: number): boolean | undefined {
    if (corrections > MOST_CORRECTIONS) return undefined;
    return this.run(corrections + 1, undefined);
  }

  /**
   * Sweeps up to a tolerance, or until that has to be judged. @returns how many; 0: none, -1: a
   * unit stopped early.
   */
  converge(tolerance: number, maxIterations: number): number {
    const most = Math.min(UNJUDGED, maxIterations - 1);
    if (most < 1) return 0;
    this.norms.fill(UNUSED);
    const hasArrived = this.run(most, tolerance);
    if (hasArrived !== true) return hasArrived === undefined ? 0 : -1;
    let sweeps = 0;
    while (sweeps < most && this.norms[sweeps] !== UNUSED) sweeps++;
    return sweeps;
  }

  private run(sweeps: number, tolerance: number | undefined): boolean | undefined {
    const { coupling, nodes } = this;
    const group = nodes.programs.wholeGroup(this.component.units);
    const { code } = coupling;
    const { from, to, lower } = nodes;
    if (group === undefined || code === undefined || !group.canTake(to - from)) return undefined;
    const hasPast = coupling.previousAgo > 0;
    const variant = lower * 2 + (hasPast ? 1 : 0);
    this.programs[variant] ??= new ProgramRun(coupling, nodes.programs.lengths, () => {
      const sweep = (goesBack: boolean): StepItem[] =>
        nodes.programs.itemsOf(group, { lower, settle: true, goesBack, hasPast });
      return this.itemsOf(sweeps, sweep, tolerance);
    });
    const program = this.programs[variant];
    return program.isReady(code) ? program.run(from, to) : undefined;
  }

  private itemsOf(
    sweeps: number,
    sweep: (goesBack: boolean) => StepItem[],
    tolerance: number | undefined,
  ): StepItem[] {
    const { x, scale, residuals } = this.numbers;
    const { inputs, units } = this.component;
    const { nodes, images, first } = this.nodes;
    const { stages } = this.coupling.plan;
    const put = inputs.map((input, at) => set(nodes, input, { array: x, index: at }));
    const feeds = units.flatMap((unit) => stages[unit].feeds);
    return Array.from({ length: sweeps }, (_, k): StepItem[] => [
      ...(k > 0 ? inputs.map((_input, at) => nextItem(this.numbers, at)) : []),
      ...put,
      ...sweep(k > 0),
      ...(k === 0 ? feeds.map((i) => set(first, i, { array: images, index: i })) : []),
      ...inputs.map((input, at) =>
        set(
          residuals,
          at,
          over(minus({ array: images, index: input }, { array: x, index: at }), {
            array: scale,
            index: at,
          }),
        ),
      ),
      ...(tolerance === undefined
        ? []
        : [{ kind: "test", residuals, tolerance, norms: this.norms, test: k } as const]),
    ]).flat();
  }
}

/**
 * The iterate behind one with a residual, in scaled numbers, as `ComponentIteration.next` has it.
 */
function nextItem({ x, scale, residuals }: LoopNumbers, index: number): StepItem {
  const unit = { array: scale, index };
  const scaled = over({ array: x, index }, unit);
  return set(x, index, times(plus(scaled, { array: residuals, index }), unit));
}
