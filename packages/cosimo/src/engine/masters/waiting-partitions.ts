/**
 * Partitions of units that clocks are to activate at this instant (FMI 3.0 Scheduled Execution),
 * and whose turn it is. The smallest priority of all units comes first; partitions of different
 * units with the same priority belong to one round, those of one unit follow each other as it
 * describes them. So the order of units in a scenario makes no difference.
 */
import { makeBanks } from "../../model/value-type.ts";
import { MasterPart } from "./master-part.ts";

const ONE = makeBanks({ f64: 1 });
ONE.f64[0] = 1;

interface Waiting {
  readonly unit: number;
  readonly clock: number;
  readonly priority: number;
}

export class WaitingPartitions extends MasterPart {
  private waiting: Waiting[] = [];

  get isWaiting(): boolean {
    return this.waiting.length > 0;
  }

  add(unit: number, clock: number): void {
    if (this.waiting.some((other) => other.unit === unit && other.clock === clock)) return;
    const { priority = 0 } = this.coupling.units[unit].description.ports[clock].clock ?? {};
    this.waiting.push({ unit, clock, priority });
  }

  /** Lets the clocks tick whose turn it is. */
  activate(onTick: (unit: number, clock: number) => void): void {
    if (this.waiting.length === 0) return;
    const first = Math.min(...this.waiting.map(({ priority }) => priority));
    const turns = new Map<number, Waiting>();
    for (const partition of this.waiting) {
      const other = turns.get(partition.unit);
      if (partition.priority === first && (other === undefined || partition.clock < other.clock))
        turns.set(partition.unit, partition);
    }
    for (const turn of turns.values()) {
      this.waiting = this.waiting.filter((other) => other !== turn);
      const unit = this.coupling.units[turn.unit];
      unit.write(unit.bind([{ port: turn.clock, slot: 0 }]), ONE);
      onTick(turn.unit, turn.clock);
    }
  }
}
