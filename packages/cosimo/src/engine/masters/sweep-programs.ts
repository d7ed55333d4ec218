/**
 * Sweeps over units as programs (step-program.ts): each goes through the step along the nodes of
 * its inputs, and what it gives becomes their images. The same as `NodeTrajectories.advance`, unit
 * after unit. Units that follow each other and that code can drive share a program; what varies
 * from sweep to sweep chooses among several.
 */
import type { Coupling } from "./coupling.ts";
import { type DrivenGroup, DrivenGroups } from "./driven-groups.ts";
import type { NodeTrajectories } from "./node-trajectories.ts";
import { ProgramRun } from "./program-run.ts";
import { type StepItem, set } from "./step-program.ts";
import { advanceItems, heldItems, opItems, StepLengths, throughNodeItems } from "./unit-items.ts";

/** Degrees that trajectories may be lowered by, and two more things that vary. */
const VARIANTS = 3 * 2 * 2 * 2;

export class SweepPrograms {
  private readonly coupling: Coupling;
  private readonly nodes: NodeTrajectories;
  readonly lengths: StepLengths = new StepLengths();
  private readonly groups: DrivenGroups<(ProgramRun | undefined)[]>;

  constructor(coupling: Coupling, nodes: NodeTrajectories) {
    this.coupling = coupling;
    this.nodes = nodes;
    const isSimple = (unit: number): boolean => {
      const { stages, inputs } = coupling.plan;
      const { inputs: own, feeds } = stages[unit];
      return (
        nodes.trajectories.pieces === 1 &&
        !nodes.measures(unit) &&
        [...own, ...feeds].every((i) => inputs[i].integral === undefined)
      );
    };
    this.groups = new DrivenGroups(coupling, isSimple, () =>
      new Array<ProgramRun | undefined>(VARIANTS).fill(undefined),
    );
  }

  /**
   * Takes units of `units` from the `first`-th on through the step, as many as go together.
   * @returns how many; 0: none, they are to go one by one; -1: one of them stopped early.
   */
  run(units: readonly number[], first: number, settle: boolean, goesBack: boolean): number {
    const group = this.groups.from(units, first);
    const { code } = this.coupling;
    if (group === undefined || code === undefined) return 0;
    const { from, to, lower } = this.nodes;
    if (!group.canTake(to - from)) return 0;
    const hasPast = this.coupling.previousAgo > 0;
    const variant =
      ((lower * 2 + (settle ? 1 : 0)) * 2 + (goesBack ? 1 : 0)) * 2 + (hasPast ? 1 : 0);
    group.programs[variant] ??= new ProgramRun(this.coupling, this.lengths, () =>
      this.itemsOf(group, { lower, settle, goesBack, hasPast }),
    );
    const program = group.programs[variant];
    if (!program.isReady(code)) return 0;
    return program.run(from, to) ? group.units.length : -1;
  }

  /** The group of all these units; undefined: they do not go together. */
  wholeGroup(units: readonly number[]): DrivenGroup<unknown> | undefined {
    const group = this.groups.from(units, 0);
    return group?.units.length === units.length ? group : undefined;
  }

  itemsOf({ units, parts }: DrivenGroup<unknown>, variant: Variant): StepItem[] {
    return units.flatMap((unit, k) => this.unitItems(unit, parts[k], variant));
  }

  private unitItems(
    unit: number,
    parts: number,
    { lower, settle, goesBack, hasPast }: Variant,
  ): StepItem[] {
    const { coupling, nodes, lengths } = this;
    const { inputs, feeds, collect } = coupling.plan.stages[unit];
    const { f64 } = coupling.state.banks;
    return [
      ...(goesBack ? [{ kind: "restore", unit } as const] : []),
      ...inputs.flatMap((i) => this.fillItems(i, lower, hasPast)),
      ...advanceItems(coupling, unit, nodes.trajectories, lengths, parts),
      ...opItems(collect),
      ...feeds.map((i) =>
        set(nodes.images, i, { array: f64, index: coupling.plan.inputs[i].signal }),
      ),
      ...(settle ? feeds.map((i) => set(nodes.nodes, i, { array: nodes.images, index: i })) : []),
    ];
  }

  /** As `NodeTrajectories.fill`. */
  private fillItems(i: number, lower: number, hasPast: boolean): StepItem[] {
    const { coupling, nodes, lengths } = this;
    const { jumps, takesEnd, order: usual } = coupling.plan.inputs[i];
    const begin = { array: nodes.begin, index: i };
    const end = { array: nodes.nodes, index: i };
    if (jumps && !takesEnd) return heldItems(nodes.trajectories, i, begin);
    const order = jumps ? 0 : (Math.max(0, usual - lower) as 0 | 1 | 2);
    const before = hasPast
      ? { value: { array: coupling.previous, index: i }, ago: lengths.ago }
      : undefined;
    return throughNodeItems(nodes.trajectories, i, order, begin, end, {
      length: lengths.length,
      before,
    });
  }
}

/** What varies from sweep to sweep. */
export interface Variant {
  readonly lower: number;
  readonly settle: boolean;
  readonly goesBack: boolean;
  readonly hasPast: boolean;
}
