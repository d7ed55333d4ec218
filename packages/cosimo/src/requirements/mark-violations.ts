/**
 * Violations as signals: what plots show of requirements, in every format. Each violated
 * requirement is a lane that is high where it is violated.
 */
import type { Column, Trace } from "../record/trace.ts";
import type { TimeSpan, Verdict } from "./check-requirement.ts";

/** The trace with a boolean column per violated requirement. */
export function withMarks(trace: Trace, verdicts: readonly Verdict[]): Trace {
  const violated = verdicts.filter(({ violations }) => violations.length > 0);
  if (violated.length === 0) return trace;
  const marks = violated.map(({ name, violations }): Column => {
    const data = marked(trace.time, violations);
    return { name: `violated: ${name}`, type: "boolean", stepwise: true, data };
  });
  return { ...trace, columns: [...trace.columns, ...marks] };
}

function marked(time: Float64Array, spans: readonly TimeSpan[]): Float64Array {
  const data = new Float64Array(time.length);
  let row = 0;
  for (const { from, to } of spans) {
    while (row < time.length && time[row] < from) row++;
    for (; row < time.length && time[row] <= to; row++) data[row] = 1;
  }
  return data;
}
