/**
 * Instants at which units are switched from outside: faults begin and end (zone `faults`). Steps
 * end there exactly, with the values before the instant; then the units are switched, and all
 * signals are resolved again.
 */
import type { Switching } from "../../unit/unit.ts";
import { EarlyStop } from "../interpreter.ts";
import type { Coupling } from "./coupling.ts";
import { MasterPart } from "./master-part.ts";

/** A step that would end so shortly before an instant, in parts of its length, goes there. */
const CLOSE = 1e-9;

export class UnitSwitches extends MasterPart {
  private readonly switched: readonly { readonly unit: number; readonly switching: Switching }[] =
    this.coupling.units.flatMap(({ switching }, unit) =>
      switching === undefined ? [] : [{ unit, switching }],
    );

  constructor(coupling: Coupling) {
    super(coupling);
    for (const { unit, port, kind } of coupling.plan.announced ?? [])
      coupling.stopAt(unit, [{ kind, port }]);
  }

  /** Some conditions are about signals of other units. */
  private readonly observes: boolean = this.switched.some(
    ({ unit, switching }) =>
      switching.looksAtInputs === true ||
      this.coupling.units[unit].description.ports.some(({ observed }) => observed),
  );

  get isUsed(): boolean {
    return this.switched.length > 0;
  }

  /** Where a step that shall go to `to` has to end. */
  bound(to: number): number {
    let end = to;
    for (const { unit, switching } of this.switched) {
      const next = switching.nextTime;
      const length = end - this.coupling.time;
      if (next < end - CLOSE * length && !this.coupling.canVarySteps)
        throw new EarlyStop(this.coupling.unitName(unit), "event", next, end);
      if (next - end <= CLOSE * length && this.coupling.canVarySteps) end = next;
    }
    return end;
  }

  /**
   * Whether a unit is to be switched at the coupling's time; conditions then see the signals of
   * this instant.
   */
  isDue(): boolean {
    if (!this.isUsed) return false;
    if (this.observes) this.coupling.resolve();
    return this.switched.some(({ switching }) => switching.isDue());
  }

  /**
   * Switches what is due until nothing is: a fault may be the condition of another one. @returns
   * whether anything was.
   */
  handle(): boolean {
    const { maxEventRounds } = this.coupling.plan.settings;
    let hasSwitched = false;
    if (this.observes) this.coupling.resolve();
    for (let round = 0; round < maxEventRounds; round++) {
      const due = this.switched.filter(({ switching }) => switching.isDue());
      if (due.length === 0) break;
      for (const { switching } of due) switching.switch();
      hasSwitched = true;
      this.coupling.resolve();
    }
    return hasSwitched;
  }
}
