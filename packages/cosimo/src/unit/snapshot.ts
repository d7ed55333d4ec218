/**
 * Snapshots of units written in TypeScript: everything such a unit knows lies in its three banks,
 * so a snapshot is a copy of them with the phase, and its bytes are a mark, the phase and the
 * banks.
 */
import type { Banks } from "../model/value-type.ts";
import { copyBanks } from "./banks.ts";
import { ByteReader, ByteWriter } from "./bytes.ts";
import type { Phase, Snapshot } from "./unit.ts";

const MARK = 0x32555343;
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
  return { time, phase, banks: copyBanks(banks) };
}

export function encodeSnapshot({ phase, banks }: BankSnapshot): Uint8Array {
  const bytes = new ByteWriter();
  bytes.u32(MARK);
  bytes.u8(PHASES.indexOf(phase));
  bytes.banks(banks);
  return bytes.take();
}

/**
 * The snapshot in `bytes`, for a unit with banks like `like` whose time is f64 entry `timeSlot`.
 * @throws Error when the bytes are not a snapshot of such a unit.
 */
export function decodeSnapshot(
  unit: string,
  bytes: Uint8Array,
  like: Banks,
  timeSlot: number,
): BankSnapshot {
  const refuse = (why: string): never => {
    throw new Error(
      `'${unit}': these bytes are not a snapshot of it (${why}); pass what serialize() of the same model gave`,
    );
  };
  const reader = new ByteReader(bytes);
  try {
    if (reader.u32() !== MARK) refuse("no header");
    const phase = PHASES[reader.u8()] ?? refuse("unknown phase");
    const banks = reader.banks();
    const isAlike = (["f64", "i64", "obj"] as const).every(
      (bank) => banks[bank].length === like[bank].length,
    );
    if (!isAlike) refuse("another number of values");
    return { time: banks.f64[timeSlot], phase, banks };
  } catch (error) {
    if (error instanceof RangeError) return refuse("truncated");
    throw error;
  }
}
