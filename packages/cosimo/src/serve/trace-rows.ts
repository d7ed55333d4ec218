/**
 * A recorded trace as rows that can be drawn; 64-bit integers become numbers, texts the numbers of
 * their first occurrence.
 */
import type { Column, Trace } from "../record/trace.ts";
import type { RowSource } from "./signal-index.ts";

export function traceRows({ time, columns }: Trace): RowSource {
  const made = new Map<number, { values: Float64Array; texts?: readonly string[] }>();
  const numbers = (c: number): { values: Float64Array; texts?: readonly string[] } => {
    const known = made.get(c);
    if (known !== undefined) return known;
    const column = columns[c];
    const built = column === undefined ? { values: new Float64Array(0) } : asNumbers(column);
    made.set(c, built);
    return built;
  };
  return {
    names: columns.map(({ name }) => name),
    count: () => time.length,
    read(column, first, target) {
      const values = column < 0 ? time : numbers(column).values;
      target.set(values.subarray(first, first + target.length));
    },
    texts: (column) => numbers(column).texts,
  };
}

function asNumbers({ data }: Column): { values: Float64Array; texts?: readonly string[] } {
  if (data instanceof Float64Array) return { values: data };
  if (data instanceof BigInt64Array) return { values: Float64Array.from(data, Number) };
  const known = new Map<string, number>();
  const values = new Float64Array(data.length);
  for (const [row, value] of data.entries()) {
    const text = typeof value === "string" ? value : Buffer.from(value).toString("hex");
    const number = known.get(text) ?? known.size;
    known.set(text, number);
    values[row] = number;
  }
  return { values, texts: [...known.keys()] };
}
