/**
 * Snapshots of units written in TypeScript: everything such a unit knows lies in its three banks, so a snapshot is a
 * copy of them with the phase, and its bytes are the banks' bytes.
 *
 * Bytes, little-endian: uint32 magic, phase, number of f64, i64 and obj entries, zero; the f64 entries; the i64 entries;
 * then for each object uint32 kind (0 string, 1 binary), uint32 length, and UTF-16 code units or bytes.
 */
import type { Banks, ObjectValue } from "../model/value-type.ts";
import type { Phase, Snapshot } from "./unit.ts";

const MAGIC = 0x31555343;
const HEADER_BYTES = 24;
const PHASES: readonly Phase[] = [
  "instantiated",
  "initialization",
  "step",
  "event",
  "terminated",
  "disposed",
];

export interface BankSnapshot extends Snapshot {
  readonly phase: Phase;
  readonly banks: Banks;
}

export function takeSnapshot(time: number, phase: Phase, banks: Banks): BankSnapshot {
  const { f64, i64, obj } = banks;
  return { time, phase, banks: { f64: f64.slice(), i64: i64.slice(), obj: obj.slice() } };
}

/** Copies the snapshot's values into `banks`, which have the same sizes. */
export function fillFrom(snapshot: BankSnapshot, banks: Banks): void {
  banks.f64.set(snapshot.banks.f64);
  banks.i64.set(snapshot.banks.i64);
  for (let i = 0; i < banks.obj.length; i++) banks.obj[i] = snapshot.banks.obj[i];
}

export function encodeSnapshot({ phase, banks }: BankSnapshot): Uint8Array {
  const { f64, i64, obj } = banks;
  const objectBytes = obj.reduce((sum, value) => sum + 8 + contentBytes(value), 0);
  const bytes = new Uint8Array(HEADER_BYTES + 8 * (f64.length + i64.length) + objectBytes);
  const view = new DataView(bytes.buffer);
  [MAGIC, PHASES.indexOf(phase), f64.length, i64.length, obj.length, 0].forEach((word, i) => {
    view.setUint32(4 * i, word, true);
  });
  let at = HEADER_BYTES;
  for (let i = 0; i < f64.length; i++, at += 8) view.setFloat64(at, f64[i], true);
  for (let i = 0; i < i64.length; i++, at += 8) view.setBigInt64(at, i64[i], true);
  for (const value of obj) {
    view.setUint32(at, typeof value === "string" ? 0 : 1, true);
    view.setUint32(at + 4, value.length, true);
    at += 8;
    if (typeof value === "string") {
      for (let i = 0; i < value.length; i++) view.setUint16(at + 2 * i, value.charCodeAt(i), true);
    } else {
      bytes.set(value, at);
    }
    at += contentBytes(value);
  }
  return bytes;
}

/**
 * The snapshot in `bytes`, for a unit with banks like `like` whose time is f64 entry `timeSlot`.
 * Throws when the bytes are no snapshot of such a unit.
 */
export function decodeSnapshot(
  unit: string,
  bytes: Uint8Array,
  like: Banks,
  timeSlot: number,
): BankSnapshot {
  const refuse = (why: string): never => {
    throw new Error(
      `'${unit}': these bytes are no snapshot of it (${why}); pass what serialize() of the same model gave`,
    );
  };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.length < HEADER_BYTES || view.getUint32(0, true) !== MAGIC) refuse("no header");
  const phase = PHASES[view.getUint32(4, true)] ?? refuse("unknown phase");
  const { f64, i64, obj } = like;
  [f64.length, i64.length, obj.length].forEach((size, i) => {
    if (view.getUint32(8 + 4 * i, true) !== size) refuse("another number of values");
  });
  let at = HEADER_BYTES;
  if (bytes.length < at + 8 * (f64.length + i64.length)) refuse("truncated");
  const banks: Banks = {
    f64: Float64Array.from(f64, (_, i) => view.getFloat64(at + 8 * i, true)),
    i64: BigInt64Array.from(i64, (_, i) => view.getBigInt64(at + 8 * (f64.length + i), true)),
    obj: [],
  };
  at += 8 * (f64.length + i64.length);
  for (let k = 0; k < obj.length; k++) {
    if (bytes.length < at + 8) refuse("truncated");
    const isText = view.getUint32(at, true) === 0;
    const length = view.getUint32(at + 4, true);
    at += 8;
    if (bytes.length < at + (isText ? 2 * length : length)) refuse("truncated");
    banks.obj.push(isText ? textAt(view, at, length) : bytes.slice(at, at + length));
    at += isText ? 2 * length : length;
  }
  return { time: banks.f64[timeSlot], phase, banks };
}

function contentBytes(value: ObjectValue): number {
  return typeof value === "string" ? 2 * value.length : value.length;
}

function textAt(view: DataView, at: number, length: number): string {
  let text = "";
  for (let i = 0; i < length; i++) text += String.fromCharCode(view.getUint16(at + 2 * i, true));
  return text;
}
