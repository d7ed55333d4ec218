/**
 * A program of a coupling and how it is run: by code once it has been needed often, and from where
 * the code stops item by item.
 */
import type { Coupling } from "./coupling.ts";
import { ProgramNotes } from "./program-notes.ts";
import {
  evaluate,
  type IterationTest,
  type KeptValues,
  type MasterCode,
  runTest,
  type StepCode,
  type StepItem,
} from "./step-program.ts";
import { partEnd, type StepLengths } from "./unit-items.ts";

/** So often a step is taken in the usual way before code is made for it. */
const RUNS_BEFORE_CODE = 50;

export class ProgramRun {
  private readonly coupling: Coupling;
  private readonly make: () => readonly StepItem[];
  private readonly lengths: StepLengths;
  private notes: ProgramNotes | undefined;
  private items: readonly StepItem[] = [];
  private code: StepCode | undefined;
  private wanted = 0;
  private steps = 0;

  /** @param make gives the items when code is to be made. */
  constructor(coupling: Coupling, lengths: StepLengths, make: () => readonly StepItem[]) {
    this.coupling = coupling;
    this.lengths = lengths;
    this.make = make;
  }

  /** Whether there is code; asking often makes some. */
  isReady(master: MasterCode): boolean {
    if (this.code !== undefined) return true;
    if (++this.wanted !== RUNS_BEFORE_CODE) return false;
    const notes = new ProgramNotes(this.coupling, this.make());
    const { items } = notes;
    const canRun = items.every((item) => item.kind !== "op" || master.canRun(item.op));
    this.code = canRun ? master.compile(items) : undefined;
    if (this.code === undefined) return false;
    this.items = items;
    this.notes = notes.isEmpty ? undefined : notes;
    this.steps = items.filter(({ kind }) => kind === "advance").length;
    return true;
  }

  /** Takes the step. @returns false if a unit stopped early. */
  run(from: number, to: number): boolean {
    const { coupling, items, code } = this;
    if (code === undefined) throw new Error("internal: there is no code");
    this.lengths.put(coupling, from, to);
    const done = this.runCode(code, from, to);
    if (done === items.length && code.stop === undefined) {
      coupling.advances += this.steps;
      return true;
    }
    for (let i = 0; i < done; i++) if (items[i].kind === "advance") coupling.advances++;
    if (code.isOver) return true;
    const last = items[done - 1];
    if (code.stop !== undefined && last.kind === "advance") {
      const end = partEnd(from, to, last.part + 1, last.parts);
      if (!coupling.isArrival(last.unit, code.stop, end)) return false;
    }
    for (let i = done; i < items.length; i++) {
      const item = items[i];
      // The units see what is done to them one by one.
      if (item.kind === "keep") continue;
      if (item.kind === "test") {
        if (runTest(item)) return true;
      } else if (!this.runItem(item, from, to)) return false;
    }
    return true;
  }

  private runCode(code: StepCode, from: number, to: number): number {
    const { coupling, notes, items } = this;
    try {
      return code.run(from, to, coupling.startSnapshots);
    } catch (error) {
      // The call that failed was made as well.
      for (let i = 0; i <= code.done; i++) if (items[i]?.kind === "advance") coupling.advances++;
      throw error;
    } finally {
      notes?.tell(code, from, to);
    }
  }

  private runItem(
    item: Exclude<StepItem, IterationTest | KeptValues>,
    from: number,
    to: number,
  ): boolean {
    const { coupling } = this;
    switch (item.kind) {
      case "op":
        coupling.interpreter.run(item.op, 0);
        return true;
      case "set":
        item.to.array[item.to.index] = evaluate(item.formula);
        return true;
      case "restore":
        coupling.restoreUnit(item.unit);
        return true;
      default: {
        const begin = item.part === 0 ? from : partEnd(from, to, item.part, item.parts);
        const end = partEnd(from, to, item.part + 1, item.parts);
        return !(end > begin) || coupling.advanceUnit(item.unit, begin, end);
      }
    }
  }
}
