/** Runs initialized units with connectors that pass whole ports on. */
import type { Connection, Scenario } from "../../model/scenario.ts";
import { portSize } from "../../model/unit-description.ts";
import type { Unit } from "../../unit/unit.ts";
import type { Connector } from "../connector.ts";
import { type CoordinateOptions, Coordinator } from "../coordinator.ts";
import { type Transfer, transfersOf } from "../transfer.ts";

/** Transfers of connectors that pass whole ports on. */
export function wholeTransfers(
  units: readonly Unit[],
  connectors: readonly Connector[],
): readonly Transfer[] {
  const connections = connectors.map(({ from, to, interaction }): Connection => {
    const count = portSize(units[to.unit].description.ports[to.port]);
    const whole = { fromElement: 0, toElement: 0, count, factor: 1, offset: 0 };
    const place = { file: "" };
    return { from, to, ...whole, ...(interaction !== undefined && { interaction }), place };
  });
  return transfersOf({ units, connections } as unknown as Scenario);
}

export function coordinateUnits(
  units: readonly Unit[],
  connectors: readonly Connector[],
  options: Omit<CoordinateOptions, "transfers">,
): Coordinator {
  const transfers = wholeTransfers(units, connectors);
  const coordinator = new Coordinator(units, connectors, { ...options, transfers });
  coordinator.begin();
  coordinator.run(Number.POSITIVE_INFINITY);
  return coordinator;
}
