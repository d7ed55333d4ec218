/**
 * A saved FMU state, and its form as bytes: what the FMU wrote, behind what the FMU does not tell: time, phase, and the size of
 * its steps where all of them must be equal.
 *
 * Layout: u32 magic, u32 phase (index into PHASES), f64 time, f64 step (NaN: none), then the FMU's own bytes; little-endian.
 */
import type { Phase, Snapshot } from "../../unit/unit.ts";
import type { Address } from "./native-memory.ts";

const MAGIC = 0x32534643;
const HEADER_BYTES = 24;
const PHASES: readonly Phase[] = ["instantiated", "initialization", "step", "event", "terminated"];

export class NativeSnapshot implements Snapshot {
  readonly state: Address;
  readonly time: number;
  readonly phase: Phase;
  readonly step: number;

  constructor(state: Address, time: number, phase: Phase, step: number) {
    this.state = state;
    this.time = time;
    this.phase = phase;
    this.step = step;
  }
}

export function packSnapshot(snapshot: NativeSnapshot, state: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES + state.length);
  const header = new DataView(bytes.buffer);
  header.setUint32(0, MAGIC, true);
  header.setUint32(4, PHASES.indexOf(snapshot.phase), true);
  header.setFloat64(8, snapshot.time, true);
  header.setFloat64(16, snapshot.step, true);
  bytes.set(state, HEADER_BYTES);
  return bytes;
}

export function unpackSnapshot(bytes: Uint8Array): {
  readonly time: number;
  readonly phase: Phase;
  readonly step: number;
  readonly state: Uint8Array;
} {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const phase = bytes.length >= HEADER_BYTES ? PHASES[header.getUint32(4, true)] : undefined;
  if (phase === undefined || header.getUint32(0, true) !== MAGIC)
    throw new Error("these bytes are no snapshot of a native unit");
  return {
    time: header.getFloat64(8, true),
    phase,
    step: header.getFloat64(16, true),
    state: bytes.subarray(HEADER_BYTES),
  };
}
