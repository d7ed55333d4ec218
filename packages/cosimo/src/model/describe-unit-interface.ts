/**
 * An interface as the description of a unit: what those who exchange data with the unit see of it.
 * Temporal references appear as ports that are independent.
 */
import { NO_CAPABILITIES, type Port, type UnitDescription } from "./unit-description.ts";
import { type InterfaceType, type UnitInterface, variableOf } from "./unit-interface.ts";
import type { ValueType } from "./value-type.ts";

const TYPES: Readonly<Record<InterfaceType, ValueType>> = {
  Real: "float64",
  Integer: "int32",
  Boolean: "boolean",
  String: "string",
  Enumeration: "enumeration",
  Binary: "binary",
  Clock: "clock",
};

/**
 * @param unit the description of the unit itself, where it is known.
 * @param variable what is known of a variable of the unit.
 */
export function describeUnitInterface(
  declared: UnitInterface,
  unit: UnitDescription | undefined,
  variable: (name: string) => Port | undefined,
): UnitDescription {
  const ports = declared.ports.map((port, index): Port => {
    const known = variable(variableOf(port));
    const { name, direction, nature, type, shape } = port;
    return {
      variability: "continuous",
      ...known,
      index,
      name,
      direction: direction ?? known?.direction ?? "local",
      type: known?.type ?? TYPES[type ?? "Real"],
      shape: known?.shape ?? shape,
      nature: nature ?? known?.nature ?? "continuous",
    };
  });
  const references = declared.references.map(
    ({ name, kind }, i): Port => ({
      index: ports.length + i,
      name,
      direction: "independent",
      type: "float64",
      shape: [],
      variability: "continuous",
      nature: "continuous",
      description: kind === "time" ? "time, in seconds" : `${kind}`,
    }),
  );
  return {
    backend: "typescript",
    capabilities: NO_CAPABILITIES,
    experiment: {},
    ...unit,
    name: declared.name,
    ports: [...ports, ...references],
  };
}
