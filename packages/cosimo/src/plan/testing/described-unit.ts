/**
 * Descriptions of units for tests in a tiny notation: `u, v!, w~ -> x, y` has inputs u, v
 * (reactive) and w (delayed) and outputs x and y.
 */
import {
  type Capabilities,
  NO_CAPABILITIES,
  type Port,
  type UnitDescription,
} from "../../model/unit-description.ts";
import type { ValueType } from "../../model/value-type.ts";

export interface DescribedOptions {
  /** Outputs that depend on all inputs at once, as "y, z"; absent: the unit does not say. */
  readonly through?: string;
  readonly type?: ValueType;
  readonly shape?: readonly number[];
  readonly capabilities?: Partial<Capabilities>;
}

export function describedUnit(notation: string, options: DescribedOptions = {}): UnitDescription {
  const { type = "float64", shape = [] } = options;
  const [left = "", right = ""] = notation.split("->");
  const inputs = names(left);
  const outputs = names(right);
  const through = options.through === undefined ? undefined : names(options.through);
  const port = (index: number, name: string, direction: "input" | "output"): Port => ({
    index,
    name: name.replace(/[!~]$/, ""),
    direction,
    type,
    shape,
    variability: type.startsWith("float") ? "continuous" : "discrete",
    nature: type.startsWith("float") ? "continuous" : "piecewise-constant",
    ...(/[!~]$/.test(name) ? { reactive: name.endsWith("!") } : {}),
    ...(direction === "output" && through
      ? { feedThrough: through.includes(name) ? inputs.map((_, i) => i) : [] }
      : {}),
  });
  return {
    name: "described",
    backend: "typescript",
    ports: [
      ...inputs.map((name, i) => port(i, name, "input")),
      ...outputs.map((name, i) => port(inputs.length + i, name, "output")),
    ],
    capabilities: { ...NO_CAPABILITIES, ...options.capabilities },
    experiment: {},
  };
}

function names(list: string): string[] {
  return list
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}
