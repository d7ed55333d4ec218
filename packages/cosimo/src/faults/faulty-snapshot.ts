/**
 * The state of a unit with faults: that of the unit inside, and everything that faults carry. As
 * bytes in this order.
 */
import type { Banks } from "../model/value-type.ts";
import { ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { Snapshot, Unit } from "../unit/unit.ts";
import type { FaultProcess, FaultState } from "./fault-process.ts";

export interface FaultySnapshot extends Snapshot {
  readonly inner: Snapshot;
  readonly innerNow: number;
  readonly hasLag: boolean;
  readonly isLate: boolean;
  readonly usesEvents: boolean;
  readonly processes: readonly FaultState[];
  readonly given: readonly Banks[];
  readonly observed: Float64Array;
  readonly frozen: readonly Banks[];
  readonly received: Float64Array;
}

export function writeSnapshot(
  saved: FaultySnapshot,
  unit: Unit,
  processes: readonly FaultProcess[],
): Uint8Array {
  const bytes = new ByteWriter();
  bytes.f64(saved.time);
  bytes.f64(saved.innerNow);
  bytes.u8((saved.isLate ? 1 : 0) + (saved.usesEvents ? 2 : 0) + (saved.hasLag ? 4 : 0));
  processes.forEach((process, p) => {
    process.write(saved.processes[p], bytes);
  });
  for (const banks of saved.given) bytes.banks(banks);
  bytes.f64s(saved.observed);
  bytes.f64s(saved.received);
  bytes.u32(saved.frozen.length);
  for (const banks of saved.frozen) bytes.banks(banks);
  bytes.bytes(unit.serialize(saved.inner));
  return bytes.take();
}

export function readSnapshot(
  from: Uint8Array,
  unit: Unit,
  processes: readonly FaultProcess[],
  chains: number,
  counts: { readonly observed: number; readonly received: number },
): FaultySnapshot {
  const bytes = new ByteReader(from);
  const [time, innerNow] = [bytes.f64(), bytes.f64()];
  const flags = bytes.u8();
  return {
    time,
    innerNow,
    hasLag: (flags & 4) !== 0,
    isLate: (flags & 1) !== 0,
    usesEvents: (flags & 2) !== 0,
    processes: processes.map((process) => process.read(bytes)),
    given: Array.from({ length: chains }, () => bytes.banks()),
    observed: Float64Array.from({ length: counts.observed }, () => bytes.f64()),
    received: Float64Array.from({ length: counts.received }, () => bytes.f64()),
    frozen: Array.from({ length: bytes.u32() }, () => bytes.banks()),
    inner: unit.deserialize(bytes.bytes()),
  };
}
