/**
 * What the parts of a master carry from step to step, as one piece of bytes for snapshots and
 * checkpoints.
 */
import { ByteReader, ByteWriter } from "../../unit/bytes.ts";

/** A part of a master that has a past. */
export interface Keeps {
  save(): readonly Float64Array[];
  /** @param parts as `save` gave them. */
  restore(parts: readonly Float64Array[]): void;
}

export function packParts(owners: readonly Keeps[]): Uint8Array {
  const bytes = new ByteWriter();
  for (const owner of owners) {
    const parts = owner.save();
    bytes.u32(parts.length);
    for (const part of parts) {
      bytes.u32(part.length);
      bytes.f64s(part);
    }
  }
  return bytes.take();
}

/** The opposite, for the same owners in the same order. */
export function unpackParts(saved: Uint8Array, owners: readonly Keeps[]): void {
  const bytes = new ByteReader(saved);
  for (const owner of owners) {
    const count = bytes.u32();
    const parts: Float64Array[] = [];
    for (let p = 0; p < count; p++) {
      const part = new Float64Array(bytes.u32());
      for (let i = 0; i < part.length; i++) part[i] = bytes.f64();
      parts.push(part);
    }
    owner.restore(parts);
  }
}
