/**
 * Unconnected inputs, and the value that each of them keeps: a quiet cause of many wrong results.
 */
import { addTo } from "../../base/collections.ts";
import type { Scenario } from "../../model/scenario.ts";
import { type Port, portSize } from "../../model/unit-description.ts";
import type { Value } from "../../model/value-type.ts";
import type { OpenInput } from "./explanation.ts";

export function explainInputs(scenario: Scenario): OpenInput[] {
  const outside = new Set(scenario.ports.map(({ inner }) => `${inner.unit} ${inner.port}`));
  const connected = new Map<string, number[]>();
  for (const { to, toElement, count } of scenario.connections)
    for (let i = 0; i < count; i++) addTo(connected, `${to.unit} ${to.port}`, toElement + i);
  for (const { by } of scenario.constraints)
    for (const { unit, port, element } of by) addTo(connected, `${unit} ${port}`, element);
  return scenario.units.flatMap((unit, u) =>
    unit.description.ports.flatMap((port): OpenInput[] => {
      if (port.direction !== "input" || port.type === "clock") return [];
      const key = `${u} ${port.index}`;
      const fed = new Set(connected.get(key));
      const open = Array.from({ length: portSize(port) }, (_, e) => e).filter((e) => !fed.has(e));
      if (open.length === 0) return [];
      const elements = fed.size === 0 ? "" : `[${open.map((e) => e + 1).join(", ")}]`;
      const input = `${unit.name}.${port.name}${elements}`;
      if (outside.has(key)) return [{ input, origin: "outside" }];
      const given = unit.values.find((value) => value.port === port.index)?.values;
      const values = given ?? port.start;
      if (values === undefined) return [{ input, origin: "unit" }];
      const shown = open.map((e) => valueText(port, values[values.length === 1 ? 0 : e]));
      return [{ input, value: withUnit(port, shown), origin: given ? "scenario" : "start value" }];
    }),
  );
}

const SHOWN = 6;

function withUnit(port: Port, values: readonly string[]): string {
  const [first = ""] = values;
  const same = values.every((value) => value === first);
  const more = values.length > SHOWN ? ", …" : "";
  const text = same ? first : `(${values.slice(0, SHOWN).join(", ")}${more})`;
  return port.unit === undefined ? text : `${text} ${port.unit.name}`;
}

function valueText(port: Port, value: Value): string {
  if (typeof value === "string") return `"${value}"`;
  if (value instanceof Uint8Array) return `${value.length} bytes`;
  if (port.type === "boolean") return value ? "true" : "false";
  return port.items?.get(Number(value)) ?? String(value);
}
