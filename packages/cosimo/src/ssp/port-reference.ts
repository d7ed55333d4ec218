/**
 * `unit.port` in connections. Names of units and ports may themselves contain dots, so the units of
 * the scenario decide where one ends and the other begins.
 */

export interface PortReference {
  readonly unit: string;
  readonly port: string;
}

/**
 * The longest unit name that `reference` begins with wins; undefined when none fits or no port
 * follows.
 */
export function splitReference(
  reference: string,
  units: { has(name: string): boolean },
): PortReference | undefined {
  for (let dot = reference.lastIndexOf("."); dot > 0; dot = reference.lastIndexOf(".", dot - 1)) {
    const unit = reference.slice(0, dot);
    const port = reference.slice(dot + 1);
    if (port !== "" && units.has(unit)) return { unit, port };
  }
  return undefined;
}

/** A port name without the index of an element at its end, and the index. */
export function splitIndex(port: string): { readonly name: string; readonly indices: string } {
  const [, name = port, indices = ""] = /^(.+)\[(\d+(?:,\d+)*)\]$/.exec(port) ?? [];
  return { name, indices: indices.replaceAll(",", " ") };
}
