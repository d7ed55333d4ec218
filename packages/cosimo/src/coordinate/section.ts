/**
 * What a cut through a distributed run keeps of one peer: its units, what it knows, and what was
 * under way to it. A cut is taken while all processes stand still between two marks (Chandy &
 * Lamport 1985, with marks that are waited for), so that no message is in two of them or in none.
 * By peer, because units of a process that is gone may come to several others.
 *
 * Bytes: of each unit its state and what was counted of it; then u8: whether the peer had begun,
 * and if so the peer, parcels, exchanges by connector, and instants that others have not reached.
 */
import type { CountedSoFar, EventKind } from "../engine/event-counts.ts";
import type { ObjectValue } from "../model/value-type.ts";
import { ByteReader, type ByteWriter } from "../unit/bytes.ts";
import type { Unit } from "../unit/unit.ts";
import { type Parcel, readParcel, writeParcel } from "./parcel.ts";
import type { Peer } from "./peer.ts";

export interface Section {
  readonly peer: number;
  readonly bytes: Uint8Array;
}

export interface KeptPeer {
  readonly parcels: readonly Parcel[];
  readonly counts: readonly (readonly [connector: number, count: number])[];
  readonly ahead: readonly number[];
}

/** @param unit between two steps; `counted`: what was counted of its ports. */
export function putUnit(
  bytes: ByteWriter,
  unit: Unit,
  counted: readonly Omit<CountedSoFar, "unit">[],
): void {
  const snapshot = unit.save();
  try {
    bytes.bytes(unit.serialize(snapshot));
  } finally {
    unit.release(snapshot);
  }
  bytes.u32(counted.length);
  for (const { port, kind, count, time, atLast, isCounted, last } of counted) {
    bytes.u32(port);
    bytes.text(kind);
    for (const value of [count, time, atLast]) bytes.f64(value);
    bytes.u8(isCounted ? 1 : 0);
    bytes.u32(last.length);
    for (const value of last) putLast(bytes, value);
  }
}

function putLast(bytes: ByteWriter, value: number | bigint | ObjectValue): void {
  if (typeof value === "number") {
    bytes.u8(0);
    bytes.f64(value);
  } else if (typeof value === "bigint") {
    bytes.u8(1);
    bytes.i64(value);
  } else {
    bytes.u8(2);
    bytes.object(value);
  }
}

/**
 * Brings the units of a section to what they were. @param units initialized, in the order of the
 * section. @returns what was counted of each.
 */
export function restoreUnits(
  section: Section,
  units: readonly Unit[],
): Omit<CountedSoFar, "unit">[][] {
  const bytes = new ByteReader(section.bytes);
  return units.map((unit) => {
    const snapshot = unit.deserialize(bytes.bytes());
    unit.restore(snapshot);
    unit.release(snapshot);
    return takeCounted(bytes);
  });
}

function takeCounted(bytes: ByteReader): Omit<CountedSoFar, "unit">[] {
  return Array.from({ length: bytes.count(34) }, () => {
    const [port, kind] = [bytes.u32(), bytes.text() as EventKind];
    const [count, time, atLast] = [bytes.f64(), bytes.f64(), bytes.f64()];
    const isCounted = bytes.u8() === 1;
    const last = Array.from({ length: bytes.count(2) }, () => takeLast(bytes));
    return { port, kind, count, time, atLast, isCounted, last };
  });
}

function takeLast(bytes: ByteReader): number | bigint | ObjectValue {
  const tag = bytes.u8();
  return tag === 0 ? bytes.f64() : tag === 1 ? bytes.i64() : bytes.object();
}

/** @param peer undefined: it has not begun. */
export function putSection(
  bytes: ByteWriter,
  peer: Peer | undefined,
  { parcels, counts, ahead }: KeptPeer,
): void {
  bytes.u8(peer === undefined ? 0 : 1);
  if (peer === undefined) return;
  peer.save(bytes);
  bytes.u32(parcels.length);
  for (const parcel of parcels) writeParcel(bytes, parcel);
  bytes.u32(counts.length);
  for (const [connector, count] of counts) {
    bytes.u32(connector);
    bytes.f64(count);
  }
  bytes.u32(ahead.length);
  bytes.f64s(Float64Array.from(ahead));
}

/** Brings the peer to what it was. @returns undefined where it had not begun. */
export function takeSection(section: Uint8Array, peer: Peer, units: number): KeptPeer | undefined {
  const bytes = new ByteReader(section);
  for (let u = 0; u < units; u++) {
    bytes.bytes();
    takeCounted(bytes);
  }
  if (bytes.u8() === 0) return undefined;
  peer.restore(bytes);
  return {
    parcels: Array.from({ length: bytes.count(14) }, () => readParcel(bytes)),
    counts: Array.from({ length: bytes.count(12) }, () => [bytes.u32(), bytes.f64()] as const),
    ahead: Array.from({ length: bytes.count(8) }, () => bytes.f64()),
  };
}
