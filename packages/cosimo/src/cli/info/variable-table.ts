/**
 * Variables of an FMU as lines of text: name, type, unit, role, value, what it is.
 */
import type { FmuDescription, FmuVariable } from "../../fmi/description.ts";
import type { Value } from "../../model/value-type.ts";
import { textTable } from "./text-table.ts";

export function variableTable(description: FmuDescription, pattern: string): string {
  const glob = globOf(pattern);
  const chosen = description.variables.filter(
    (v) => glob.test(v.name) || v.aliases.some((a) => glob.test(a.name)),
  );
  const rows = chosen.map((v) => [
    v.name,
    typeText(v),
    v.unit ?? "",
    v.causality,
    v.variability,
    v.start ? `start ${startText(v)}` : "",
    v.aliases.length > 0 ? `alias ${v.aliases.map((a) => a.name).join(", ")}` : "",
    v.description ?? "",
  ]);
  const total = description.variables.length;
  const count =
    chosen.length === total ? `${total} variables` : `${chosen.length} of ${total} variables`;
  return [...textTable(rows, "", 200), count].join("\n");
}

/** `*` and `?` as wild cards; brackets and everything else mean themselves. */
function globOf(pattern: string): RegExp {
  const escaped = pattern
    .replace(/[\\^$.|+()[\]{}]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${escaped}$`, "s");
}

export function typeText(variable: FmuVariable): string {
  const size = variable.dimensions.map((d) => d.size ?? `#${d.reference}`);
  return size.length === 0 ? variable.type : `${variable.type}[${size.join(",")}]`;
}

const MAX_ELEMENTS = 4;

export function startText(variable: FmuVariable): string {
  const values = variable.start ?? [];
  const shown = values.slice(0, MAX_ELEMENTS).map(valueText).join(" ");
  return values.length > MAX_ELEMENTS ? `${shown} … (${values.length})` : shown;
}

function valueText(value: Value): string {
  if (value instanceof Uint8Array) return `0x${Buffer.from(value).toString("hex")}`;
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}
