/**
 * A saved FMU state, and its form as bytes: what the FMU wrote, behind what the FMU does not know:
 * time, phase, and the size of its steps where all of them must be equal.
 *
 * Layout: u32 magic, u32 phase (index into PHASES), f64 time, f64 step (NaN: none); in phase
 * `instantiated` u32 length and the values that wait for initialization; then the FMU's own bytes;
 * little-endian.
 */
import type { Phase, Snapshot } from "../../unit/unit.ts";
import { type GivenWrite, packWrites, unpackWrites } from "./given-values.ts";
import type { Address } from "./native-memory.ts";

const MAGIC = 0x32534643;
const HEADER_BYTES = 24;
const PHASES: readonly Phase[] = ["instantiated", "initialization", "step", "event", "terminated"];

export class NativeSnapshot implements Snapshot {
  readonly state: Address;
  readonly time: number;
  readonly phase: Phase;
  readonly step: number;
  /** What waits for initialization. */
  readonly given: readonly GivenWrite[];
  /** Derivatives of inputs that the FMU does not keep itself (input-follower.ts). */
  readonly slopes: Float64Array | undefined;
  /** Its place among those of its unit that were not released; -1: it was. */
  place = -1;

  constructor(
    state: Address,
    time: number,
    phase: Phase,
    step: number,
    given: readonly GivenWrite[],
    slopes?: Float64Array,
  ) {
    this.state = state;
    this.time = time;
    this.phase = phase;
    this.step = step;
    this.given = given;
    this.slopes = slopes;
  }
}

/**
 * The snapshots of a unit that were not released. They come and go in every step of some masters.
 */
export class LivingSnapshots {
  private readonly list: NativeSnapshot[] = [];

  get size(): number {
    return this.list.length;
  }

  has(snapshot: NativeSnapshot): boolean {
    return this.list[snapshot.place] === snapshot;
  }

  add(snapshot: NativeSnapshot): NativeSnapshot {
    snapshot.place = this.list.length;
    this.list.push(snapshot);
    return snapshot;
  }

  delete(snapshot: NativeSnapshot): void {
    const { list } = this;
    const last = list.pop();
    if (last !== undefined && last !== snapshot) {
      list[snapshot.place] = last;
      last.place = snapshot.place;
    }
    snapshot.place = -1;
  }

  /** Removes all of them. */
  take(): NativeSnapshot[] {
    return this.list.splice(0);
  }
}

export function packSnapshot(snapshot: NativeSnapshot, state: Uint8Array): Uint8Array {
  const given = snapshot.phase === "instantiated" ? packWrites(snapshot.given) : undefined;
  const before = HEADER_BYTES + (given === undefined ? 0 : 4 + given.length);
  const bytes = new Uint8Array(before + state.length);
  const header = new DataView(bytes.buffer);
  header.setUint32(0, MAGIC, true);
  header.setUint32(4, PHASES.indexOf(snapshot.phase), true);
  header.setFloat64(8, snapshot.time, true);
  header.setFloat64(16, snapshot.step, true);
  if (given !== undefined) {
    header.setUint32(HEADER_BYTES, given.length, true);
    bytes.set(given, HEADER_BYTES + 4);
  }
  bytes.set(state, before);
  return bytes;
}

export function unpackSnapshot(bytes: Uint8Array): {
  readonly time: number;
  readonly phase: Phase;
  readonly step: number;
  readonly given: readonly GivenWrite[];
  readonly state: Uint8Array;
} {
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const phase = bytes.length >= HEADER_BYTES ? PHASES[header.getUint32(4, true)] : undefined;
  if (phase === undefined || header.getUint32(0, true) !== MAGIC) throw new Error(NO_SNAPSHOT);
  const { given, before } = phase === "instantiated" ? unpackGiven(bytes, header) : NOTHING_GIVEN;
  return {
    time: header.getFloat64(8, true),
    phase,
    step: header.getFloat64(16, true),
    given,
    state: bytes.subarray(before),
  };
}

const NO_SNAPSHOT = "these bytes are not a snapshot of a native unit";
const NOTHING_GIVEN: { readonly given: readonly GivenWrite[]; readonly before: number } = {
  given: [],
  before: HEADER_BYTES,
};

function unpackGiven(bytes: Uint8Array, header: DataView): typeof NOTHING_GIVEN {
  try {
    const before = HEADER_BYTES + 4 + header.getUint32(HEADER_BYTES, true);
    return { given: unpackWrites(bytes.subarray(HEADER_BYTES + 4, before)), before };
  } catch {
    throw new Error(NO_SNAPSHOT);
  }
}
