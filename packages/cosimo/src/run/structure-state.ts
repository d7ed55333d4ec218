/**
 * What a run of changing structures carries besides its present plan, for checkpoints: which
 * structure it is in and since when, what has happened, and what earlier plans counted. It travels
 * with what the master of the present plan keeps.
 */
import type { RunState } from "../engine/checkpoint.ts";
import type { ConnectionEvents } from "../engine/event-counts.ts";
import type { MasterSummary } from "../engine/masters/master-summary.ts";
import { ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { FaultCount } from "../unit/unit.ts";

export interface StructureProgress {
  readonly state: number;
  /** Where the present plan began, and whether it takes what is left of a step. */
  readonly planStart: number;
  readonly isRest: boolean;
  readonly nominal: number;
  /** Steps of earlier plans. */
  readonly steps: number;
  readonly passed: readonly number[];
  readonly notes: readonly string[];
  readonly changes: readonly number[];
  /** null: nothing has changed yet. */
  readonly changedAt: number | null;
  readonly events: readonly ConnectionEvents[];
  readonly faults: readonly FaultCount[];
  readonly summaries: readonly MasterSummary[];
}

/** The state of the present plan, as that of the whole run. */
export function packProgress(plan: RunState, progress: StructureProgress): RunState {
  const bytes = new ByteWriter();
  bytes.text(JSON.stringify(progress));
  bytes.f64(plan.steps);
  bytes.u8(plan.master === undefined ? 0 : 1);
  if (plan.master !== undefined) bytes.bytes(plan.master);
  return { ...plan, steps: progress.steps + plan.steps, master: bytes.take() };
}

/** The opposite. */
export function unpackProgress(saved: RunState): {
  readonly plan: RunState;
  readonly progress: StructureProgress;
} {
  const { master: packed = new Uint8Array(), ...rest } = saved;
  const bytes = new ByteReader(packed);
  const progress = JSON.parse(bytes.text()) as StructureProgress;
  const steps = bytes.f64();
  const master = bytes.u8() === 1 ? { master: bytes.bytes() } : {};
  return { plan: { ...rest, steps, ...master }, progress };
}
