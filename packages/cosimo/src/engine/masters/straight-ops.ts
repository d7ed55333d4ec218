/**
 * Ops that come back at every communication point, while all units are in step mode: signals that
 * are resolved, recorded, watched. As a program (step-program.ts) they are one call; the same as
 * the interpreter makes of them, op by op.
 */
import { Op } from "../../plan/plan.ts";
import type { Coupling } from "./coupling.ts";
import { ProgramRun } from "./program-run.ts";
import { opItems, StepLengths } from "./unit-items.ts";

export class StraightOps {
  private readonly coupling: Coupling;
  private readonly ops: Int32Array;
  private readonly program: ProgramRun | undefined;

  constructor(coupling: Coupling, ops: Int32Array) {
    this.coupling = coupling;
    this.ops = ops;
    const items = opItems(ops);
    // Programs know no ticks.
    const isStraight = ops.length > 0 && items.every(({ op }) => op[0] !== Op.Every);
    this.program = isStraight
      ? new ProgramRun(coupling, new StepLengths(), () => items)
      : undefined;
  }

  run(): void {
    const { coupling, program } = this;
    const { code } = coupling;
    if (code !== undefined && program?.isReady(code)) program.run(coupling.time, coupling.time);
    else coupling.interpreter.run(this.ops, 0);
  }
}
