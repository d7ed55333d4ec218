/**
 * Events that are recorded under a master with common steps: a unit without event mode has them
 * between communication points, where no row can show all units. They are in the row at the end of
 * their step, several of one step as one, so what happened and what the trace shows are counted.
 * (Steps that ended at them would be other steps: what is recorded changes no run.)
 */
import type { Scenario } from "../model/scenario.ts";
import { portName } from "../model/scenario-ports.ts";
import type { Plan } from "../plan/plan.ts";
import type { Unit } from "../unit/unit.ts";
import type { ConnectionEvents } from "./event-counts.ts";
import type { RunPlanOptions } from "./run-plan.ts";

interface RecordedPort {
  readonly name: string;
  readonly unit: Unit;
  readonly port: number;
  readonly slot: number;
  /** Rows that show it. */
  rows: number;
  /** How often it had occurred before the first row of this run; it may be resumed. */
  before: number;
}

export interface RecordedEvents {
  /** To be called for every row. */
  readonly onRow: RunPlanOptions["onRow"];
  /** `s.go -> record`: how many occurred, and how many rows show one. */
  counts(): ConnectionEvents[];
}

/** @param units after `countEvents`, or before. */
export function recordedEvents(
  { record }: Pick<Plan, "record">,
  scenario: Scenario,
  units: readonly Unit[],
  onRow: RunPlanOptions["onRow"],
): RecordedEvents {
  const ports = record.columns.flatMap(({ unit: u, port, bank, slot }): RecordedPort[] => {
    const unit = units[u];
    const { nature, direction } = unit?.description.ports[port] ?? {};
    const isEvent = nature === "transient" && direction === "output" && bank === "f64";
    if (!isEvent || unit.eventsSent?.(port) === undefined) return [];
    if (unit.description.capabilities.eventMode) return [];
    const name = portName(scenario, { unit: u, port });
    return [{ name, unit, port, slot, rows: 0, before: Number.NaN }];
  });
  const sent = ({ unit, port }: RecordedPort): number => unit.eventsSent?.(port) ?? 0;
  return {
    onRow:
      ports.length === 0
        ? onRow
        : (time, banks) => {
            for (const one of ports) {
              const isShown = banks.f64[one.slot] !== 0;
              if (isShown) one.rows++;
              // What the first row shows is of this run.
              if (Number.isNaN(one.before)) one.before = sent(one) - (isShown ? 1 : 0);
            }
            onRow(time, banks);
          },
    counts: () =>
      ports.map((one) => ({
        connection: `${one.name} -> record`,
        sent: sent(one) - (Number.isNaN(one.before) ? 0 : one.before),
        received: one.rows,
        atEnd: 0,
      })),
  };
}
