/**
 * Explicit steps as programs (step-program.ts): units one after the other along trajectories that
 * are known, or that follow what earlier units have just given, and, where all units go together,
 * the signals of the new time. The same as `ExplicitStep` does call by call.
 */
import type { Coupling, InputTrajectories } from "./coupling.ts";
import { DrivenGroups } from "./driven-groups.ts";
import { ProgramRun } from "./program-run.ts";
import { type StepItem, set } from "./step-program.ts";
import { advanceItems, opItems, StepLengths, throughNodeItems } from "./unit-items.ts";

/** What an explicit step is made of. */
export interface ExplicitParts {
  readonly trajectories: InputTrajectories;
  /** Units see what earlier ones have reached. */
  readonly sequential: boolean;
  /** By input: it follows its source, which goes first. */
  readonly follows: readonly boolean[];
  /** By input, where it follows: the signal at the end of the step. */
  readonly end: Float64Array;
}

export class ExplicitPrograms {
  /** The last program also resolved the signals of its end. */
  hasResolved = false;
  private readonly coupling: Coupling;
  private readonly parts: ExplicitParts;
  private readonly lengths = new StepLengths();
  private readonly groups: DrivenGroups<{ run: ProgramRun | undefined; isWhole: boolean }>;

  constructor(coupling: Coupling, parts: ExplicitParts) {
    this.coupling = coupling;
    this.parts = parts;
    const { bonds, inputs } = coupling.plan;
    const isSimple = bonds.length === 0 && inputs.every(({ integral }) => integral === undefined);
    this.groups = new DrivenGroups(
      coupling,
      () => isSimple,
      () => ({ run: undefined, isWhole: false }),
    );
  }

  /** As `SweepPrograms.run`. */
  run(units: readonly number[], first: number, from: number, to: number): number {
    this.hasResolved = false;
    const group = this.groups.from(units, first);
    const { code } = this.coupling;
    if (group === undefined || code === undefined || !group.canTake(to - from)) return 0;
    const { programs } = group;
    programs.run ??= new ProgramRun(this.coupling, this.lengths, () => {
      const resolve = opItems(this.coupling.plan.resolve);
      const canResolve = resolve.every((item) => item.kind === "op" && code.canRun(item.op));
      programs.isWhole = group.units.length === units.length && canResolve;
      const items = group.units.flatMap((unit, k) => this.unitItems(unit, group.parts[k]));
      return programs.isWhole ? [...items, ...resolve] : items;
    });
    if (!programs.run.isReady(code)) return 0;
    if (!programs.run.run(from, to)) return -1;
    this.hasResolved = programs.isWhole;
    return group.units.length;
  }

  private unitItems(unit: number, parts: number): StepItem[] {
    const { coupling, lengths } = this;
    const { trajectories, sequential } = this.parts;
    const items = advanceItems(coupling, unit, trajectories, lengths, parts);
    if (!sequential) return items;
    const { inputs, collect } = coupling.plan.stages[unit];
    return [...inputs.flatMap((i) => this.followItems(i)), ...items, ...opItems(collect)];
  }

  /** As `ExplicitStep.interpolate`. */
  private followItems(i: number): StepItem[] {
    const { coupling, lengths } = this;
    const { trajectories, follows, end } = this.parts;
    const { signal, takesEnd } = coupling.plan.inputs[i];
    if (!follows[i]) return [];
    const left = { array: coupling.begin, index: i };
    const right = { array: end, index: i };
    return [
      set(end, i, { array: coupling.state.banks.f64, index: signal }),
      ...throughNodeItems(trajectories, i, takesEnd ? 0 : 1, left, right, {
        length: lengths.nominal,
      }),
    ];
  }
}
