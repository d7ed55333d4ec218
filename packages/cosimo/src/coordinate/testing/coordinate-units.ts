/** Runs initialized units with connectors that pass whole ports on. */
import { portSize } from "../../model/unit-description.ts";
import type { Unit } from "../../unit/unit.ts";
import type { Connector } from "../connector.ts";
import { type CoordinateOptions, Coordinator } from "../coordinator.ts";
import { type Transfer, transferOf } from "../transfer.ts";

export function coordinateUnits(
  units: readonly Unit[],
  connectors: readonly Connector[],
  options: Omit<CoordinateOptions, "transfers">,
): Coordinator {
  const coordinator = coordinatorOf(units, connectors, options);
  coordinator.begin();
  coordinator.run(Number.POSITIVE_INFINITY);
  return coordinator;
}

export function coordinatorOf(
  units: readonly Unit[],
  connectors: readonly Connector[],
  options: Omit<CoordinateOptions, "transfers">,
): Coordinator {
  const transfers = connectors.map((one) => plainTransfer(units, one));
  return new Coordinator(units, connectors, { ...options, transfers });
}

function plainTransfer(units: readonly Unit[], { from, to, interaction }: Connector): Transfer {
  const [source, target] = [from, to].map(({ unit, port }) => units[unit].description.ports[port]);
  const whole = { fromElement: 0, toElement: 0, count: portSize(target), factor: 1, offset: 0 };
  const place = { file: "" };
  return transferOf(
    { from, to, ...whole, ...(interaction !== undefined && { interaction }), place },
    source,
    target,
  );
}
