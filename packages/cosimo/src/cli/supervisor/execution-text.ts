/**
 * How a plan was executed, in words: for the summary and for the metadata of traces.
 */
import { eventsText } from "../../engine/event-counts.ts";
import type { MasterSummary } from "../../engine/masters/master-summary.ts";
import type { Profile } from "../../engine/profile.ts";
import type { IsolatedUnit } from "../../host/sources/source.ts";
import { ISOLATIONS } from "../../model/isolation.ts";
import type { ThreadsReport } from "../../platform/native/parallel/parallel-executor.ts";
import type { FaultCount } from "../../unit/unit.ts";
import { counted } from "../findings.ts";
import type { Execution } from "../protocol/protocol.ts";

/** `machine code`, or `machine code for 3 of 5 units`. */
export function executorText({ executor, interpreted }: Execution): string {
  const name = executor.replace("-", " ");
  if (interpreted === undefined) return name;
  return `${name} for ${interpreted.of - interpreted.units.length} of ${interpreted.of} units`;
}

/** A profile of a shorter run shows mostly what starting up took. */
const PROFILED_SECONDS = 0.1;

/**
 * A line each, for the summary of a run that took `wallSeconds`; `isProfiled`: the profile was
 * requested.
 */
export function executionTexts(
  execution: Execution,
  wallSeconds: number,
  isProfiled = false,
): string[] {
  const { why, interpreted, master, events = [], faults = [], threads, profile } = execution;
  const { isolated = [] } = execution;
  return [
    ...(why === undefined ? [] : [`interpreter: ${why}`]),
    ...(interpreted ? [`interpreter: ${interpretedText(interpreted)}`] : []),
    ...(master ? [`master: ${masterText(master)}`] : []),
    ...(master ? bondTexts(master).map((text) => `bond ${text}`) : []),
    ...(master?.notes ?? []).map((note) => `note: ${note}`),
    ...faults.map((fault) => `fault ${faultText(fault)}`),
    ...events.map((one) => `events: ${eventsText(one)}`),
    ...isolatedTexts(isolated),
    ...(threads ? [`threads: ${threadsText(threads)}`] : []),
    ...(profile && (isProfiled || wallSeconds >= PROFILED_SECONDS)
      ? [`time: ${profileText(profile)}`]
      : []),
  ];
}

/** `412 steps, 23 rejected (20 error, 3 event), 2.1 iterations per step`. */
function masterText({ steps, rejections, iterations, events }: MasterSummary): string {
  const rejected = rejections.reduce((sum, { count }) => sum + count, 0);
  const why = rejections.map(({ reason, count }) => `${count} ${reason}`).join(", ");
  return [
    `${steps} steps`,
    ...(events > 0 ? [counted(events, "event")] : []),
    ...(rejected > 0 ? [`${rejected} rejected (${why})`] : []),
    ...(iterations > 0
      ? [`${(iterations / Math.max(1, steps)).toFixed(1)} iterations per step`]
      : []),
  ].join(", ");
}

/**
 * `processes of their own: motor, gear (with plant), vendor restarted once (last: fmi2DoStep ended
 * with SIGSEGV)`.
 */
function isolatedTexts(isolated: readonly IsolatedUnit[]): string[] {
  return ISOLATIONS.flatMap((kind) => {
    const units = isolated.filter((one) => one.kind === kind);
    if (units.length === 0) return [];
    const shown = units.slice(0, SHOWN).map(({ unit, group, restarts }) => {
      const [last] = restarts.slice(-1);
      const times = restarts.length === 1 ? "once" : `${restarts.length} times`;
      const again = last === undefined ? "" : ` restarted ${times} (last: ${last.why})`;
      return `${unit}${group === undefined ? "" : ` (with ${group})`}${again}`;
    });
    const rest = units.length - shown.length;
    const what = kind === "process" ? "processes of their own" : "in a sandbox";
    return [`${what}: ${[...shown, ...(rest > 0 ? [`${rest} others`] : [])].join(", ")}`];
  });
}

/** `motor.speed: acted once`. */
function faultText({ name, activations }: FaultCount): string {
  const times = activations === 1 ? "once" : `${activations} times`;
  return `${name}: ${activations === 0 ? "did not act" : `acted ${times}`}`;
}

/**
 * `suspension: 412 transferred, 0.31 created and 0.02 dissipated by the coupling (0.08 %)`, a line
 * each.
 */
function bondTexts({ bonds }: MasterSummary): string[] {
  return bonds.map(({ name, moved, made, lost }) => {
    const share = moved === 0 ? "" : ` (${((100 * (made + lost)) / moved).toPrecision(2)} %)`;
    const sums = `${made.toPrecision(3)} created and ${lost.toPrecision(3)} dissipated by the coupling`;
    return `${name}: ${moved.toPrecision(4)} transferred, ${sums}${share}`;
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
