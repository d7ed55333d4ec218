/**
 * Machine code for plans of many units, written when it begins to pay: that takes about as long as
 * the interpreter needs for so many ticks. Until then the interpreter executes them, with the same
 * trace.
 */
import { interpreterExecutor, type RowSink } from "../../../engine/run-plan.ts";
import type { PlanState } from "../../../engine/signals.ts";
import { OP_WIDTH } from "../../../plan/plan.ts";
import type { MachineCodeExecutor } from "./machine-code-executor.ts";
import type { Refusal } from "./refusal.ts";

/** Ticks that the interpreter may as well do. */
const PATIENCE = 200;
/** Code for plans of fewer ops is written at once. */
const MANY_OPS = 2000;

/** Whether it takes long to write the code of a plan. */
export function isLarge({ plan }: PlanState): boolean {
  return plan.segments.step.length / OP_WIDTH >= MANY_OPS;
}

type MakeCode = (onRefusal: (reason: string) => void) => MachineCodeExecutor | undefined;

export class PatientCode implements MachineCodeExecutor {
  readonly name = "machine-code";
  private readonly interpreter: ReturnType<typeof interpreterExecutor>;
  private readonly make: MakeCode;
  private why = "the run was over before machine code would have paid";
  private code: MachineCodeExecutor | undefined;
  private isMade = false;
  private left = PATIENCE;

  /** @param make writes the code, or says why there can be none. */
  constructor(state: PlanState, make: MakeCode) {
    this.make = make;
    this.interpreter = interpreterExecutor(state);
  }

  get warnings(): number {
    return this.code?.warnings ?? 0;
  }

  get codeBytes(): number {
    return this.code?.codeBytes ?? 0;
  }

  get interpreted(): readonly Refusal[] {
    return this.code?.interpreted ?? [];
  }

  get idle(): string | undefined {
    return this.code === undefined ? this.why : undefined;
  }

  get preferredChunk(): number {
    return this.code?.preferredChunk ?? PATIENCE;
  }

  run(first: number, count: number, sink: RowSink): void {
    const few = Math.min(count, this.left);
    if (few > 0) this.interpreter.run(first, few, sink);
    this.left -= few;
    if (few === count) return;
    if (!this.isMade)
      this.code = this.make((reason) => {
        this.why = reason;
      });
    this.isMade = true;
    (this.code ?? this.interpreter).run(first + few, count - few, sink);
  }

  dispose(): void {
    this.code?.dispose();
  }
}
