/**
 * Units of a sequence that follow each other and that code can drive: they share programs
 * (step-program.ts). What else keeps a unit from going with code is known when a step is to be
 * taken, and is the same for all of a group.
 */
import type { Coupling } from "./coupling.ts";

export interface DrivenGroup<Programs> {
  readonly units: readonly number[];
  /** By unit of the group: into how many parts a usual step is cut. */
  readonly parts: readonly number[];
  readonly programs: Programs;
  /** Whether all of them can take a step of that length by code. */
  canTake(length: number): boolean;
}

export class DrivenGroups<Programs> {
  private readonly coupling: Coupling;
  private readonly isSimple: (unit: number) => boolean;
  private readonly makePrograms: () => Programs;
  /**
   * By sequence, then by place in it; undefined: the unit there goes alone, or is not the first of
   * its group.
   */
  private readonly known = new Map<readonly number[], (DrivenGroup<Programs> | undefined)[]>();

  private last: readonly number[] | undefined;
  private lastGroups: readonly (DrivenGroup<Programs> | undefined)[] = [];

  constructor(
    coupling: Coupling,
    isSimple: (unit: number) => boolean,
    makePrograms: () => Programs,
  ) {
    this.coupling = coupling;
    this.isSimple = isSimple;
    this.makePrograms = makePrograms;
  }

  /** The group that begins with the `first`-th of `units`. */
  from(units: readonly number[], first: number): DrivenGroup<Programs> | undefined {
    if (units === this.last) return this.lastGroups[first];
    const groups = this.known.get(units) ?? this.find(units);
    this.known.set(units, groups);
    this.last = units;
    this.lastGroups = groups;
    return groups[first];
  }

  private find(units: readonly number[]): (DrivenGroup<Programs> | undefined)[] {
    const { programs } = this.coupling;
    const isDriven = units.map((u) => programs?.drives(u) === true && this.isSimple(u));
    return units.map((_, k) => {
      if (!isDriven[k] || (k > 0 && isDriven[k - 1])) return undefined;
      const end = isDriven.indexOf(false, k);
      return this.makeGroup(units.slice(k, end < 0 ? units.length : end));
    });
  }

  private makeGroup(units: readonly number[]): DrivenGroup<Programs> {
    const { coupling } = this;
    const parts = units.map((unit) => coupling.partsFor(unit, coupling.state.plan.step));
    let isWatched = true;
    return {
      units,
      parts,
      programs: this.makePrograms(),
      canTake(length) {
        if (isWatched) {
          isWatched = units.some((unit) => !coupling.ownSteps.isOver(unit));
          if (isWatched) return false;
        }
        for (let k = 0; k < units.length; k++)
          if (coupling.hasConditions(units[k]) || coupling.partsFor(units[k], length) !== parts[k])
            return false;
        return true;
      },
    };
  }
}
