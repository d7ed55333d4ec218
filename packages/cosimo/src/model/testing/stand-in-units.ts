/**
 * Unit descriptions in one line each, so that a test of scenarios shows what it is about and needs
 * no FMU.
 *
 *   "out speed @rad/s; in load :int32 [3] =0; par mass @kg <0..10> =1; in open {closed:0,open:1}"
 *
 * A port is a direction and a name, then in any order `:type` (default float64), `[2x3]` shape,
 * `@unit`, `=start`, `<min..max>`, `{name:value,…}` items of an enumeration, `~variability`, `'x`
 * for the derivative of the port x, and `<-a,b` for feed-through (`<-` for none).
 */
import { parseUnit } from "../physical-unit-parse.ts";
import {
  type Direction,
  NO_CAPABILITIES,
  type Port,
  type Terminal,
  type UnitDescription,
} from "../unit-description.ts";
import type { Value, ValueType } from "../value-type.ts";

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  in: "input",
  out: "output",
  par: "parameter",
  struct: "structural-parameter",
  calc: "calculated-parameter",
  local: "local",
  time: "independent",
};

export function standIn(
  name: string,
  notation: string,
  terminals: readonly Terminal[] = [],
): UnitDescription {
  const texts = notation.split(";").map((text) => text.trim().split(/\s+/));
  const names = texts.map((words) => words[1]!);
  return {
    name,
    backend: "typescript",
    ports: texts.map((words, index) => portOf(words, index, names)),
    ...(terminals.length > 0 && { terminals }),
    capabilities: { ...NO_CAPABILITIES, rollback: true, variableStep: true },
    experiment: {},
  };
}

function portOf(words: readonly string[], index: number, names: readonly string[]): Port {
  const [direction, name, ...options] = words;
  let port: Port = {
    index,
    name: name!,
    direction: DIRECTIONS[direction!]!,
    type: "float64",
    shape: [],
    variability: direction === "par" ? "tunable" : "continuous",
    nature: "continuous",
  };
  for (const option of options) port = { ...port, ...optionOf(option, names) };
  return port.start === undefined ? port : { ...port, start: startOf(port) };
}

function optionOf(option: string, names: readonly string[]): Partial<Port> {
  const rest = option.slice(1);
  if (option.startsWith("<-")) {
    const inputs = option.slice(2).split(",").filter(Boolean);
    return { feedThrough: inputs.map((input) => names.indexOf(input)) };
  }
  switch (option[0]) {
    case ":":
      return { type: rest as ValueType, variability: "discrete" };
    case "[":
      return { shape: rest.slice(0, -1).split("x").map(Number) };
    case "@":
      return { unit: parseUnit(rest) ?? { name: rest } };
    case "=":
      return { start: [rest] };
    case "<": {
      const [min, max] = rest.slice(0, -1).split("..").map(Number);
      return { min: min!, max: max! };
    }
    case "{": {
      const items = rest.slice(0, -1).split(",");
      return {
        type: "enumeration",
        variability: "discrete",
        items: new Map(items.map((item) => [Number(item.split(":")[1]), item.split(":")[0]!])),
      };
    }
    case "'":
      return { derivativeOf: names.indexOf(rest) };
    case "~":
      return { variability: rest as Port["variability"] };
    default:
      throw new Error(`'${option}' is not an option of a stand-in port`);
  }
}

/** Text so far; numbers for types that count. */
function startOf({ type, start }: Port): readonly Value[] {
  const text = String(start![0]);
  if (type === "string" || type === "binary") return [text];
  return [type === "boolean" ? text === "true" : Number(text)];
}
