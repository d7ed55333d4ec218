/**
 * Variables of an FMU as lines of text: name, type, unit, role, value, what it is.
 */

import { globOf } from "../../base/glob.ts";
import { nearest } from "../../base/nearest.ts";
import type { FmuDescription, FmuVariable } from "../../fmi/description.ts";
import type { Value } from "../../model/value-type.ts";
import { counted } from "../findings.ts";
import { textTable } from "./text-table.ts";

export function variableTable(description: FmuDescription, pattern: string): string {
  const glob = globOf(pattern);
  const say = variableText(description);
  const chosen = description.variables.filter(
    (v) => glob.test(v.name) || v.aliases.some((a) => glob.test(a.name)),
  );
  const rows = chosen.map((v) => [
    v.name,
    say.type(v),
    v.unit ?? "",
    v.causality,
    v.variability,
    v.start ? `start ${say.start(v)}` : "",
    v.aliases.length > 0 ? `alias ${v.aliases.map((a) => a.name).join(", ")}` : "",
    v.description ?? "",
  ]);
  const total = description.variables.length;
  const count =
    chosen.length === total ? counted(total, "variable") : `${chosen.length} of ${total} variables`;
  const names = description.variables.map(({ name }) => name);
  const guess = chosen.length === 0 ? nearest(pattern, names) : undefined;
  const hint = guess === undefined ? "" : `; did you mean '${guess}'?`;
  return [...textTable(rows, "", 200), `${count}${hint}`].join("\n");
}

/** How this FMU's variables are written: sizes and enumeration items by their names. */
export interface VariableText {
  type(variable: FmuVariable): string;
  start(variable: FmuVariable): string;
}

export function variableText(description: FmuDescription): VariableText {
  const sizeNames = new Map<number, string>();
  for (const { causality, valueReference, name } of description.variables)
    if (causality === "structuralParameter") sizeNames.set(valueReference, name);
  const items = new Map(
    description.types.map((t) => [t.name, new Map(t.items?.map((i) => [i.value, i.name]))]),
  );
  return {
    type: ({ type, dimensions }) => {
      const sizes = dimensions.map((d) => d.size ?? sizeNames.get(d.reference ?? -1) ?? "?");
      return sizes.length === 0 ? type : `${type}[${sizes.join(",")}]`;
    },
    start: (variable) => {
      const names = variable.type === "enumeration" ? items.get(variable.declaredType ?? "") : null;
      return startText(variable, (value) => {
        const name = names?.get(Number(value));
        return name === undefined ? valueText(value) : `${name} (${value})`;
      });
    },
  };
}

const MAX_ELEMENTS = 4;

function startText(variable: FmuVariable, text: (value: Value) => string): string {
  const values = variable.start ?? [];
  const shown = values.slice(0, MAX_ELEMENTS).map(text).join(" ");
  return values.length > MAX_ELEMENTS ? `${shown} … (${values.length})` : shown;
}

function valueText(value: Value): string {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`;
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
