/**
 * Units of ports that the file beside a unit declares (SSP). A port that has none of its own gets
 * them; where both say one, the unit itself knows better.
 */
import type { PhysicalUnit } from "./physical-unit.ts";
import { conversion } from "./physical-unit-conversion.ts";
import { isFloat } from "./port-value.ts";
import type { ResolveContext } from "./resolve-scenario-context.ts";
import type { UnitDraft } from "./scenario.ts";
import type { Port, UnitDescription } from "./unit-description.ts";

/** Files write factors with few digits. */
const CLOSE = 1e-6;

export function withPortUnits(
  context: ResolveContext,
  { name, portUnits }: UnitDraft,
  description: UnitDescription,
): UnitDescription {
  if (portUnits === undefined) return description;
  const named = context.portsOf(description);
  const lent = new Map<number, Port>();
  for (const { port: text, unit, place } of portUnits) {
    const port = named.get(text);
    if (port === undefined || !isFloat(port.type)) continue;
    if (port.unit === undefined) lent.set(port.index, { ...port, unit });
    else if (!isSame(unit, port.unit)) {
      const params = { port: `${name}.${text}`, declared: unit.name, is: port.unit.name };
      context.report("port-unit-differs", params, place);
    }
  }
  if (lent.size === 0) return description;
  return { ...description, ports: description.ports.map((port) => lent.get(port.index) ?? port) };
}

/** Or not comparable. */
function isSame(declared: PhysicalUnit, own: PhysicalUnit): boolean {
  const way = conversion(declared, own);
  if ("error" in way) return way.kind !== "dimension";
  return Math.abs(way.factor - 1) < CLOSE && Math.abs(way.offset) < CLOSE;
}
