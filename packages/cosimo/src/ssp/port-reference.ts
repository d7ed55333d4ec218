/**
 * `unit.port` in connections. Names of units and ports may themselves contain dots, so the units of the scenario decide where
 * one ends and the other begins.
 */

export interface PortReference {
  readonly unit: string;
  readonly port: string;
}

/** The longest unit name that `reference` begins with wins; undefined when none fits or no port follows. */
export function splitReference(
  reference: string,
  units: Iterable<string>,
): PortReference | undefined {
  let best: PortReference | undefined;
  for (const unit of units) {
    if (!reference.startsWith(`${unit}.`) || reference.length <= unit.length + 1) continue;
    if (best === undefined || unit.length > best.unit.length)
      best = { unit, port: reference.slice(unit.length + 1) };
  }
  return best;
}

/** A port name without the index of an element at its end, and the index. */
export function splitIndex(port: string): { readonly name: string; readonly indices: string } {
  const match = /^(.+)\[(\d+(?:,\d+)*)\]$/.exec(port);
  return match === null
    ? { name: port, indices: "" }
    : { name: match[1]!, indices: match[2]!.replaceAll(",", " ") };
}
