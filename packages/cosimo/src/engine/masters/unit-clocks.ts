/**
 * The clocks of all units that tick by themselves: periodic ones, and those whose next tick their
 * unit gives. Clocks that are driven through a connection are not among them. A clock with a
 * priority activates a partition, which has to wait for its turn (waiting-partitions.ts).
 */
import { makeBanks } from "../../model/value-type.ts";
import type { Access, ClockServices } from "../../unit/unit.ts";
import { ClockSchedule } from "../clock-schedule.ts";
import type { Coupling } from "./coupling.ts";
import { MasterPart } from "./master-part.ts";

interface UnitClocks {
  readonly unit: number;
  readonly schedule: ClockSchedule;
  /** By port. */
  readonly ticks: ReadonlyMap<number, Access>;
}

const NO_SERVICES: ClockServices = { getIntervals: () => [], setIntervals: () => undefined };
const ONE = makeBanks({ f64: 1 });
ONE.f64[0] = 1;

export class ScheduledClocks extends MasterPart {
  private readonly units: readonly UnitClocks[];

  constructor(coupling: Coupling) {
    super(coupling);
    const driven = new Set(
      coupling.plan.instant.flatMap(({ writes }) =>
        writes.map(({ unit, port }) => `${unit} ${port}`),
      ),
    );
    this.units = coupling.units.flatMap((unit, u): UnitClocks[] => {
      if (!coupling.plan.stages[u].eventMode) return [];
      const ports = unit.description.ports.filter(
        ({ index, direction, clock }) =>
          clock !== undefined && direction === "input" && !driven.has(`${u} ${index}`),
      );
      if (ports.length === 0) return [];
      const options = {
        services: unit.clocks ?? NO_SERVICES,
        intervals: new Map<number, number>(),
        triggers: new Map<number, readonly number[]>(),
      };
      return [
        {
          unit: u,
          schedule: new ClockSchedule(ports, options, coupling.state.plan.start),
          ticks: new Map(ports.map(({ index }) => [index, unit.bind([{ port: index, slot: 0 }])])),
        },
      ];
    });
  }

  /** In event mode, after initialization. */
  begin(): void {
    for (const { schedule } of this.units) schedule.begin();
  }

  /** In event mode, when the event has settled. */
  askAgain(): void {
    for (const { schedule } of this.units) schedule.askAgain(this.coupling.time);
  }

  get nextTime(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { schedule } of this.units) next = Math.min(next, schedule.next());
    return next;
  }

  /** The unit whose clock ticks then; -1: none does. */
  unitAt(time: number): number {
    return this.units.find(({ schedule }) => schedule.next() === time)?.unit ?? -1;
  }

  /**
   * Lets all that are due tick: they are one event. @param onWait gets those that activate a
   * partition.
   */
  tick(
    onTick: (unit: number, clock: number) => void,
    onWait: (unit: number, clock: number) => void,
  ): void {
    for (const { unit, schedule, ticks } of this.units) {
      for (const clock of schedule.take(this.coupling.time)) {
        if (this.coupling.units[unit].description.ports[clock].clock?.priority !== undefined) {
          onWait(unit, clock);
          continue;
        }
        this.coupling.units[unit].write(ticks.get(clock)!, ONE);
        onTick(unit, clock);
      }
    }
  }

  /** For checkpoints: one part for every unit with clocks. */
  save(): Float64Array[] {
    return this.units.map(({ schedule }) => schedule.save());
  }

  restore(saved: readonly Float64Array[]): void {
    this.units.forEach(({ schedule }, i) => {
      schedule.restore(saved[i]);
    });
  }
}
