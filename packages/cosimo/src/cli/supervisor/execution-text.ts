/**
 * How a plan was executed, in words: for the summary and for the metadata of traces.
 */
import { eventsText } from "../../engine/event-counts.ts";
import type { MasterSummary } from "../../engine/masters/master-summary.ts";
import type { Profile } from "../../engine/profile.ts";
import type { ThreadsReport } from "../../platform/native/parallel/parallel-executor.ts";
import type { Execution } from "../protocol/protocol.ts";

/** `machine code`, or `machine code for 3 of 5 units`. */
export function executorText({ executor, interpreted }: Execution): string {
  const name = executor.replace("-", " ");
  if (interpreted === undefined) return name;
  return `${name} for ${interpreted.of - interpreted.units.length} of ${interpreted.of} units`;
}

/** A line each, for the summary. */
export function executionTexts(execution: Execution): string[] {
  const { interpreted, master, events = [], threads, profile } = execution;
  return [
    ...(interpreted ? [`interpreter: ${interpretedText(interpreted)}`] : []),
    ...(master ? [`master: ${masterText(master)}`] : []),
    ...(master ? bondTexts(master).map((text) => `bond ${text}`) : []),
    ...(master?.notes ?? []).map((note) => `note: ${note}`),
    ...events.map((one) => `events: ${eventsText(one)}`),
    ...(threads ? [`threads: ${threadsText(threads)}`] : []),
    ...(profile ? [`time: ${profileText(profile)}`] : []),
  ];
}

/** `412 steps, 23 rejected (20 error, 3 event), 2.1 iterations per step`. */
function masterText({ steps, rejections, iterations, events }: MasterSummary): string {
  const rejected = rejections.reduce((sum, { count }) => sum + count, 0);
  const why = rejections.map(({ reason, count }) => `${count} ${reason}`).join(", ");
  return [
    `${steps} steps`,
    ...(events > 0 ? [`${events} events`] : []),
    ...(rejected > 0 ? [`${rejected} rejected (${why})`] : []),
    ...(iterations > 0
      ? [`${(iterations / Math.max(1, steps)).toFixed(1)} iterations per step`]
      : []),
  ].join(", ");
}

/** `suspension: 412 went over it, 0.31 made and 0.02 lost on the way (0.08 %)`, a line each. */
function bondTexts({ bonds }: MasterSummary): string[] {
  return bonds.map(({ name, moved, made, lost }) => {
    const share = moved === 0 ? "" : ` (${((100 * (made + lost)) / moved).toPrecision(2)} %)`;
    const sums = `${made.toPrecision(3)} made and ${lost.toPrecision(3)} lost on the way`;
    return `${name}: ${moved.toPrecision(4)} went over it, ${sums}${share}`;
  });
}

/** `controller (not a native FMU), panel (values of type String)`. */
export function interpretedText({ units }: NonNullable<Execution["interpreted"]>): string {
  const shown = units.slice(0, SHOWN).map(({ unit, why }) => `${unit} (${why})`);
  const rest = units.length - shown.length;
  return [...shown, ...(rest > 0 ? [`${rest} others`] : [])].join(", ");
}

/** `2 (a, c | b): this machine has 2 cores`. */
export function threadsText({ groups, why }: ThreadsReport): string {
  const who = groups.length > 1 ? ` (${groups.map((names) => names.join(", ")).join(" | ")})` : "";
  return `${groups.length}${who}: ${why}`;
}

const SHOWN = 8;

/** Shares of the wall time, the largest first; what is left of many units goes together. */
export function profileText({ units, couplingShare }: Profile): string {
  const sorted = units.toSorted((a, b) => b.share - a.share);
  const shown = sorted.slice(0, SHOWN);
  const rest = sorted.slice(SHOWN);
  const lines = shown.map(({ unit, share }) => `${unit} ${percent(share)}`);
  if (rest.length > 0) {
    const sum = rest.reduce((total, { share }) => total + share, 0);
    lines.push(`${rest.length} others ${percent(sum)}`);
  }
  return [...lines, `between them ${percent(couplingShare)}`].join(", ");
}

function percent(share: number): string {
  return `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
}
