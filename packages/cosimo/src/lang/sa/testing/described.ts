/**
 * Descriptions of inner units in a line: `f: in u (cm), in b: boolean = true; out y (m); rollback`.
 */
import { parseUnit } from "../../../model/physical-unit-parse.ts";
import {
  NO_CAPABILITIES,
  type Port,
  type UnitDescription,
} from "../../../model/unit-description.ts";
import type { Value, ValueType } from "../../../model/value-type.ts";
import type { Describe } from "../inner-ports.ts";

const TYPES: Readonly<Record<string, ValueType>> = {
  real: "float64",
  integer: "int32",
  boolean: "boolean",
  string: "string",
};

const PORT = /^(in|out) ([^ :[]+)(?:: (\w+))?(\[\d+\])?(?: \(([^)]*)\))?(?: = (\S+))?( delayed)?$/;

export function described(...units: readonly string[]): Describe {
  const known = new Map(units.map((text) => read(text)));
  return ({ name }) => known.get(name);
}

function read(text: string): [string, UnitDescription] {
  const [name = "", rest = ""] = text.split(/: (.*)/s);
  const parts = rest.split(/[;,] /);
  const rollback = parts.includes("rollback");
  const ports = parts
    .filter((part) => part !== "rollback")
    .map((part, index): Port => {
      const found = PORT.exec(part);
      if (found === null) throw new Error(`no port: '${part}'`);
      const [, direction, port = "", type = "real", size, unit, start, delayed] = found;
      return {
        index,
        name: port,
        direction: direction === "in" ? "input" : "output",
        type: TYPES[type]!,
        shape: size === undefined ? [] : [Number(size.slice(1, -1))],
        variability: "continuous",
        nature: "continuous",
        ...(unit === undefined ? {} : { unit: parseUnit(unit) ?? { name: unit } }),
        ...(start === undefined ? {} : { start: [JSON.parse(start) as Value] }),
        ...(delayed === undefined ? {} : { reactive: false }),
        ...(direction === "out" ? { feedThrough: [] } : {}),
      };
    });
  return [
    name,
    {
      name,
      backend: "typescript",
      ports,
      capabilities: { ...NO_CAPABILITIES, rollback },
      experiment: {},
    },
  ];
}
