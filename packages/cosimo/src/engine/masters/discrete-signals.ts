/**
 * The signals that do not vary within steps: integers, booleans, texts, clocked values. When one of
 * them changes, something happened, and others may want to know before their next step is over.
 */

import { portSize } from "../../model/unit-description.ts";
import type { ObjectValue } from "../../model/value-type.ts";
import { bankOf } from "../../model/value-type.ts";
import { isCoupled } from "../../plan/master-needs.ts";
import type { Coupling } from "./coupling.ts";
import { MasterPart } from "./master-part.ts";

interface Signal {
  readonly name: string;
  readonly unit: number;
  readonly bank: "f64" | "i64" | "obj";
  readonly slot: number;
}

export class DiscreteSignals extends MasterPart {
  private readonly signals: readonly Signal[] = drivenSignals(this.coupling);
  private readonly last: (number | bigint | ObjectValue)[] = this.signals.map(
    ({ bank, slot }) => this.coupling.state.banks[bank][slot],
  );
  private changedNames: string[] = [];

  /** Takes the signals as they are now. @returns whether one of them is another than it was. */
  take(): boolean {
    const { banks } = this.coupling.state;
    this.changedNames = [];
    for (let s = 0; s < this.signals.length; s++) {
      const { bank, slot, name } = this.signals[s];
      const value = banks[bank][slot];
      if (Object.is(value, this.last[s])) continue;
      this.last[s] = value;
      this.changedNames.push(name);
    }
    return this.changedNames.length > 0;
  }

  /**
   * Whether an input of a unit of that kind would get another value than it had when they were last
   * taken.
   */
  hasChanged(isOf: (unit: number) => boolean): boolean {
    const { banks } = this.coupling.state;
    for (let s = 0; s < this.signals.length; s++) {
      const { bank, slot, unit } = this.signals[s];
      if (!Object.is(banks[bank][slot], this.last[s]) && isOf(unit)) return true;
    }
    return false;
  }

  /** The inputs, as `unit.port`, that had new values when they were last taken. */
  get changed(): readonly string[] {
    return this.changedNames;
  }
}

/** Inputs that are written from signals and held over steps. */
function drivenSignals(coupling: Coupling): Signal[] {
  const { plan } = coupling.state;
  const signals = new Map<string, Signal>();
  for (const { unit, slots } of plan.accesses) {
    const { ports } = coupling.units[unit].description;
    for (const { port, slot } of slots) {
      const { direction, name, type, observed } = ports[port];
      if (direction !== "input" || isCoupled(ports[port]) || observed) continue;
      const bank = bankOf(type);
      for (let element = 0; element < portSize(ports[port]); element++) {
        const fullName = `${plan.units[unit].name}.${name}`;
        const signal = { name: fullName, unit, bank, slot: slot + element };
        signals.set(`${bank} ${signal.slot}`, signal);
      }
    }
  }
  return [...signals.values()];
}
