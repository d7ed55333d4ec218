/**
 * Verdicts on the requirements of a run from its rows, whichever way the run ended: only the
 * columns that requirements name are read.
 */

import type { TraceChunk } from "../../record/trace-chunk.ts";
import type { Verdict } from "../../requirements/check-requirement.ts";
import { verdictsOf } from "../../run/check-trace.ts";
import type { RunHeader } from "../protocol/protocol.ts";
import { joinData, joinNumbers } from "./join-chunks.ts";

export function checkRequirements(
  { requirements = [], columns }: RunHeader,
  chunks: Iterable<TraceChunk>,
): Verdict[] {
  if (requirements.length === 0) return [];
  const names = new Set(requirements.flatMap(({ signals }) => signals.map(({ name }) => name)));
  const places = columns.flatMap(({ name }, place) => (names.has(name) ? [place] : []));
  const time: Float64Array[] = [];
  const parts = places.map((): TraceChunk["data"][number][] => []);
  for (const chunk of chunks) {
    time.push(chunk.time);
    for (const [p, place] of places.entries()) parts[p]?.push(chunk.data[place] ?? []);
  }
  const kept = places.flatMap((place, p) => {
    const column = columns[place];
    return column === undefined ? [] : [{ ...column, data: joinData(parts[p] ?? []) }];
  });
  return verdictsOf(requirements, { time: joinNumbers(time), columns: kept });
}
