/**
 * Signals that may change by so much in a step and no more: where one changed by more, the step was
 * too long.
 */
import { MasterPart } from "./master-part.ts";

/** A step that follows what a limit allows aims at this part of it. */
const SAFETY = 0.9;
const MIN_FACTOR = 0.2;

/** What to change a step by whose signal changed by `over` times what it may. */
export function limitFactor(over: number): number {
  return Math.max(MIN_FACTOR, SAFETY / over);
}

export class DifferenceLimits extends MasterPart {
  private readonly begins = new Float64Array(this.coupling.plan.limits.length);
  private worstLimit = 0;

  /** The signal that came farthest over its limit. */
  get worst(): { readonly signal: string; readonly unit: string } {
    const signal = this.coupling.plan.limits[this.worstLimit].name;
    return { signal, unit: signal.slice(0, signal.indexOf(".")) };
  }

  /**
   * Where the signals are as a step begins: what an event made of them is not a change of the step.
   */
  begin(): void {
    const { limits } = this.coupling.plan;
    if (limits.length === 0) return;
    this.read();
    const { f64 } = this.coupling.state.banks;
    for (let k = 0; k < limits.length; k++) this.begins[k] = f64[limits[k].slot];
  }

  /**
   * The largest change of a signal over the step to the coupling's time, relative to its limit: at
   * most 1 is good.
   */
  check(): number {
    const { limits } = this.coupling.plan;
    if (limits.length === 0) return 0;
    this.read();
    const { f64 } = this.coupling.state.banks;
    let most = 0;
    for (let k = 0; k < limits.length; k++) {
      const { slot, atMost } = limits[k];
      const part = Math.abs(f64[slot] - this.begins[k]) / atMost;
      if (part <= most) continue;
      // NaN has changed by more than anything allows.
      most = Number.isNaN(part) ? Number.POSITIVE_INFINITY : part;
      this.worstLimit = k;
    }
    return most;
  }

  private read(): void {
    this.coupling.watch();
  }
}
