/**
 * The variables of an exported FMU: its ports in the words of FMI, once for both versions. FMI 2
 * knows scalars only, so every element of an array becomes a variable of its own there.
 *
 * Value references are positions in this list; the C table and the description are written from it,
 * so they cannot disagree.
 */
import { type Port, portSize, type UnitDescription } from "../model/unit-description.ts";
import type { Value, ValueType } from "../model/value-type.ts";
import { EXPORT_VERSIONS, type ExportVersion } from "./versions.ts";

export interface FmuVariable {
  readonly name: string;
  readonly port: Port;
  readonly causality: "parameter" | "calculatedParameter" | "input" | "output" | "local";
  readonly variability: "constant" | "fixed" | "tunable" | "discrete" | "continuous";
  readonly initial: "exact" | "calculated" | undefined;
  /** First element of the port, and how many. */
  readonly element: number;
  readonly count: number;
  /** Sizes of the dimensions that are left; empty for a scalar. */
  readonly shape: readonly number[];
  /** One entry for each element; absent where the FMU calculates it. */
  readonly start?: readonly Value[];
  /** Positions of the inputs that it depends on at once; absent: all of them. */
  readonly dependencies?: readonly number[];
}

/**
 * Ports that an FMU can show: everything but time, clocks, and what shaped the units inside when it
 * was made.
 */
function isExported({ direction, type }: Port): boolean {
  return direction !== "independent" && direction !== "structural-parameter" && type !== "clock";
}

/**
 * FMI 3: inputs that the FMU asks for at the end of a step (intermediate updates), as it takes
 * their slopes.
 */
export function hasInputDerivatives(
  { direction, type, variability, reactive, shape }: Port,
  { capabilities }: UnitDescription,
): boolean {
  return (
    capabilities.inputDerivativeOrder > 0 &&
    direction === "input" &&
    type === "float64" &&
    variability === "continuous" &&
    reactive === true &&
    shape.length === 0
  );
}

export function fmuVariables({ ports }: UnitDescription, version: ExportVersion): FmuVariable[] {
  const variables: Omit<FmuVariable, "dependencies">[] = [];
  const positions = new Map<number, number[]>();
  for (const port of ports.filter(isExported)) {
    const made = EXPORT_VERSIONS[version].hasArrays ? [whole(port)] : elements(port);
    positions.set(
      port.index,
      made.map((_, i) => variables.length + i),
    );
    variables.push(...made);
  }
  return variables.map((variable) => {
    const { feedThrough } = variable.port;
    if (variable.causality !== "output" || feedThrough === undefined) return variable;
    const dependencies = feedThrough
      .flatMap((input) => positions.get(input) ?? [])
      .sort((a, b) => a - b);
    return { ...variable, dependencies };
  });
}

function whole(port: Port): Omit<FmuVariable, "dependencies"> {
  const count = portSize(port);
  return { name: port.name, ...common(port, 0, count), element: 0, count, shape: port.shape };
}

function elements(port: Port): Omit<FmuVariable, "dependencies">[] {
  if (port.shape.length === 0) return [whole(port)];
  return Array.from({ length: portSize(port) }, (_, element) => ({
    name: `${port.name}[${subscripts(port.shape, element).join(",")}]`,
    ...common(port, element, 1),
    element,
    count: 1,
    shape: [],
  }));
}

/** From 1, row-major. */
function subscripts(shape: readonly number[], element: number): number[] {
  const found: number[] = [];
  let rest = element;
  for (const size of [...shape].reverse()) {
    found.unshift((rest % size) + 1);
    rest = Math.floor(rest / size);
  }
  return found;
}

function common(
  port: Port,
  element: number,
  count: number,
): Pick<FmuVariable, "port" | "causality" | "variability" | "initial" | "start"> {
  const causality = causalityOf(port);
  const variability = variabilityOf(port, causality);
  const isGiven = causality === "input" || causality === "parameter" || variability === "constant";
  const initial = causality === "input" ? undefined : isGiven ? "exact" : "calculated";
  const start = Array.from({ length: count }, (_, i) => startOf(port, element + i));
  return { port, causality, variability, initial, ...(isGiven && { start }) };
}

function causalityOf({ direction }: Port): FmuVariable["causality"] {
  switch (direction) {
    case "input":
    case "output":
    case "parameter":
      return direction;
    case "calculated-parameter":
      return "calculatedParameter";
    default:
      return "local";
  }
}

function variabilityOf(
  { type, variability }: Port,
  causality: FmuVariable["causality"],
): FmuVariable["variability"] {
  if (causality === "parameter" || causality === "calculatedParameter")
    return variability === "tunable" ? "tunable" : "fixed";
  if (variability === "constant" && causality !== "input") return "constant";
  if (variability === "continuous" && isFloat(type)) return "continuous";
  if (causality === "local" && (variability === "fixed" || variability === "tunable"))
    return variability;
  return "discrete";
}

export function isFloat(type: ValueType): boolean {
  return type === "float64" || type === "float32";
}

function startOf({ type, start = [], items }: Port, element: number): Value {
  const given = start.length === 1 ? start[0] : start[element];
  if (given !== undefined) return given;
  switch (type) {
    case "string":
      return "";
    case "binary":
      return new Uint8Array(0);
    case "boolean":
      return false;
    case "enumeration":
      return items === undefined ? 0 : [...items.keys()].reduce((a, b) => Math.min(a, b));
    default:
      return 0;
  }
}
