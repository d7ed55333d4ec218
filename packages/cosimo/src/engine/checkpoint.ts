/**
 * A run on its way, as data: the state of every unit, the signals and histories between them, what
 * the master knows, how many rows there are. With it the run can be continued the run in another
 * process, and the trace is the one of an uninterrupted run, bit for bit (docs/spec/checkpoint.md).
 *
 * Bytes: the magic, u32 version, u32 checksum of what follows the header, f64 its length; so a torn
 * file is recognised.
 */
import { type Checked, DiagnosticsError, diagnose } from "../base/diagnostic.ts";
import type { Banks } from "../model/value-type.ts";
import { planHash } from "../plan/plan-hash.ts";
import { copyBanks, fillBanks } from "../unit/banks.ts";
import { ByteReader, ByteWriter, checksum } from "../unit/bytes.ts";
import type { Unit } from "../unit/unit.ts";
import { CHECKPOINT_DIAGNOSTICS } from "./checkpoint-diagnostics.ts";
import { uncounted } from "./event-counts.ts";
import { LoggedUnit } from "./replay-log.ts";
import type { PlanState } from "./signals.ts";

export type UnitState =
  | { readonly kind: "saved"; readonly bytes: Uint8Array }
  /** Brought back by repeating the calls in the first `length` bytes of its log. */
  | {
      readonly kind: "replay";
      readonly length: number;
      /**
       * What it showed at its ports when the checkpoint was taken: a replay must lead to the same.
       */
      readonly shown: Banks;
    };

/** What the engine knows of a run between two steps. */
export interface RunState {
  readonly planHash: string;
  /** Ticks of a straight plan, communication steps of a master that decides at run time. */
  readonly steps: number;
  readonly time: number;
  readonly banks: Banks;
  readonly units: readonly UnitState[];
  /**
   * What the master carries from step to step, and what was seen so far
   * (engine/divergence-monitor.ts).
   */
  readonly master?: Uint8Array;
}

export interface Checkpoint extends RunState {
  /** Recorded rows up to here. */
  readonly rows: number;
  /** What it needs besides itself (rows, logs), as it was when it was taken. */
  readonly parts: readonly KeptPart[];
  /** What the host wants to find unchanged: files, settings, the machine. */
  readonly facts: Readonly<Record<string, string>>;
}

/** The first `bytes` bytes of something that is kept beside a checkpoint. */
export interface KeptPart {
  readonly name: string;
  readonly bytes: number;
  readonly checksum: number;
}

/** When checkpoints are taken, and where they go. */
export interface CheckpointKeeper {
  /** Simulated time at which the next one is due; infinity where only the wall clock counts. */
  readonly nextTime: number;
  /** Asked between chunks of steps, and at `nextTime`. */
  isDue(time: number): boolean;
  store(state: RunState): void;
}

/** @param at how far the run is. All units stand at a point between two steps. */
export function takeRunState(
  { plan, units, banks }: PlanState,
  at: { readonly steps: number; readonly time: number },
  master?: Uint8Array,
): RunState {
  return {
    planHash: planHash(plan),
    steps: at.steps,
    time: at.time,
    banks: copyBanks(banks),
    units: units.map(unitState),
    ...(master === undefined ? {} : { master }),
  };
}

/**
 * Brings units and signals, which have just been initialized, to where the run was.
 * @throws DiagnosticsError when the checkpoint is of another plan, or a unit does not repeat what
 * it did.
 */
export function restoreRunState({ plan, units, banks }: PlanState, saved: RunState): void {
  const isOfPlan =
    saved.planHash === planHash(plan) &&
    saved.units.length === units.length &&
    saved.banks.f64.length === banks.f64.length;
  if (!isOfPlan)
    throw new DiagnosticsError([
      diagnose(CHECKPOINT_DIAGNOSTICS, "checkpoint-other-plan", {}, { file: plan.name }),
    ]);
  units.forEach((unit, u) => {
    restoreUnit(unit, saved.units[u]);
  });
  fillBanks(banks, saved.banks);
}

function unitState(counted: Unit): UnitState {
  const unit = uncounted(counted);
  if (unit instanceof LoggedUnit)
    return { kind: "replay", length: unit.logLength, shown: unit.shown() };
  const snapshot = unit.save();
  try {
    return { kind: "saved", bytes: unit.serialize(snapshot) };
  } finally {
    unit.release(snapshot);
  }
}

function restoreUnit(counted: Unit, state: UnitState): void {
  const unit = uncounted(counted);
  if (state.kind === "saved") {
    const snapshot = unit.deserialize(state.bytes);
    unit.restore(snapshot);
    unit.release(snapshot);
  } else if (unit instanceof LoggedUnit) unit.replay(state.length, state.shown);
  else throw new Error(`internal: '${unit.name}' has no log to be replayed from`);
}

const MAGIC = "COSIMOCP";
/** Bump when the meaning of a byte changes. */
const VERSION = 2;
const HEADER_BYTES = 24;

export function encodeCheckpoint(checkpoint: Checkpoint): Uint8Array {
  const body = new ByteWriter();
  body.text(checkpoint.planHash);
  body.f64(checkpoint.steps);
  body.f64(checkpoint.time);
  body.f64(checkpoint.rows);
  body.u32(checkpoint.parts.length);
  for (const { name, bytes, checksum: sum } of checkpoint.parts) {
    body.text(name);
    body.f64(bytes);
    body.u32(sum);
  }
  const facts = Object.entries(checkpoint.facts);
  body.u32(facts.length);
  for (const [name, value] of facts) {
    body.text(name);
    body.text(value);
  }
  body.banks(checkpoint.banks);
  body.u32(checkpoint.units.length);
  for (const unit of checkpoint.units) {
    if (unit.kind === "saved") {
      body.u8(0);
      body.bytes(unit.bytes);
    } else {
      body.u8(1);
      body.f64(unit.length);
      body.banks(unit.shown);
    }
  }
  body.u8(checkpoint.master === undefined ? 0 : 1);
  if (checkpoint.master !== undefined) body.bytes(checkpoint.master);
  const payload = body.take();
  const bytes = new Uint8Array(HEADER_BYTES + payload.length);
  const header = new DataView(bytes.buffer);
  for (let i = 0; i < MAGIC.length; i++) header.setUint8(i, MAGIC.charCodeAt(i));
  header.setUint32(8, VERSION, true);
  header.setUint32(12, checksum(payload), true);
  header.setFloat64(16, payload.length, true);
  bytes.set(payload, HEADER_BYTES);
  return bytes;
}

/** @param file where the bytes come from, for the diagnostics. */
export function decodeCheckpoint(bytes: Uint8Array, file: string): Checked<Checkpoint> {
  const torn = (reason: string): Checked<Checkpoint> => ({
    diagnostics: [diagnose(CHECKPOINT_DIAGNOSTICS, "checkpoint-torn", { reason }, { file })],
  });
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES) return torn("it ends in its header");
  for (let i = 0; i < MAGIC.length; i++)
    if (header.getUint8(i) !== MAGIC.charCodeAt(i)) return torn("it does not begin like one");
  const version = header.getUint32(8, true);
  if (version !== VERSION) {
    const params = { version, known: VERSION };
    return {
      diagnostics: [diagnose(CHECKPOINT_DIAGNOSTICS, "checkpoint-version", params, { file })],
    };
  }
  const payload = bytes.subarray(HEADER_BYTES);
  const length = header.getFloat64(16, true);
  if (payload.length !== length)
    return torn(`${length} bytes were written and ${payload.length} are there`);
  if (checksum(payload) !== header.getUint32(12, true)) return torn("its checksum is wrong");
  return { value: readPayload(new ByteReader(payload)), diagnostics: [] };
}

function readPayload(body: ByteReader): Checkpoint {
  const planHashText = body.text();
  const steps = body.f64();
  const time = body.f64();
  const rows = body.f64();
  const parts = Array.from({ length: body.u32() }, (): KeptPart => {
    const name = body.text();
    const bytes = body.f64();
    return { name, bytes, checksum: body.u32() };
  });
  const facts: Record<string, string> = {};
  for (let left = body.u32(); left > 0; left--) {
    const name = body.text();
    facts[name] = body.text();
  }
  const banks = body.banks();
  const units = Array.from({ length: body.u32() }, (): UnitState => {
    if (body.u8() === 0) return { kind: "saved", bytes: body.bytes() };
    const length = body.f64();
    return { kind: "replay", length, shown: body.banks() };
  });
  const master = body.u8() === 1 ? { master: body.bytes() } : {};
  return { planHash: planHashText, steps, time, rows, parts, facts, banks, units, ...master };
}
