/**
 * What a value becomes on its way through a connection: elements, factor and offset, value tables, types. The same as the moves of
 * a plan (plan/emit-moves.ts), for one connection and one exchange at a time.
 */
import type { Connection } from "../model/scenario.ts";
import type { Port } from "../model/unit-description.ts";
import { type Banks, bankOf } from "../model/value-type.ts";

/** Writes what `source` holds into the place of the connection in `target`; both hold one port. */
export type Transfer = (source: Banks, target: Banks) => void;

export function transferOf(
  { fromElement, toElement, count, factor, offset, mapping, interaction }: Connection,
  from: Port,
  to: Port,
): Transfer {
  const [fromBank, toBank] = [bankOf(from.type), bankOf(to.type)];
  if (fromBank === "obj" || toBank === "obj")
    return (source, target) => {
      for (let i = 0; i < count; i++) target.obj[toElement + i] = source.obj[fromElement + i];
    };
  if (fromBank === "i64" && toBank === "i64" && mapping === undefined)
    return (source, target) => {
      for (let i = 0; i < count; i++) target.i64[toElement + i] = source.i64[fromElement + i];
    };
  const table = mapping && new Map(mapping.map((one) => [Number(one.from), Number(one.to)]));
  const isWhole = to.type !== "float64" && to.type !== "float32";
  return (source, target) => {
    for (let i = 0; i < count; i++) {
      const at = fromElement + i;
      const given = fromBank === "i64" ? Number(source.i64[at]) : source.f64[at];
      const mapped = table?.get(given) ?? factor * given + offset;
      const whole = isWhole ? Math.round(mapped) : mapped;
      const value = changed(whole, target, toElement + i, interaction);
      if (toBank === "i64") target.i64[toElement + i] = BigInt(value);
      else target.f64[toElement + i] = value;
    }
  };
}

function changed(
  value: number,
  target: Banks,
  at: number,
  interaction: Connection["interaction"],
): number {
  if (interaction === "not") return value === 0 ? 1 : 0;
  if (interaction === "toggle") return target.f64[at] === 0 ? 1 : 0;
  return value;
}
