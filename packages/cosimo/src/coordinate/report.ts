/**
 * What processes of a distributed run say to each other, as bytes: parcels between those that have
 * peers; what units showed, how a unit failed and how the run ended to the one that records; how
 * far all are, and that it is over, from there. What is read is not trusted.
 */
import type { UnitFailure } from "../base/outcome.ts";
import { ByteReader, ByteWriter, EndOfBytes } from "../unit/bytes.ts";
import { type Parcel, readParcel, writeParcel } from "./parcel.ts";
import type { Shown } from "./rows.ts";

export interface Ended {
  readonly advances: number;
  /** Exchanges by connector, of those that lead to this process. */
  readonly counts: readonly (readonly [connector: number, count: number])[];
  /** Events that met another one of their instant, by connector. */
  readonly merged: readonly (readonly [connector: number, count: number])[];
  /** Groups that moved together, with their rollbacks. */
  readonly cycles: readonly (readonly [peer: number, rollbacks: number])[];
  /** Of counted ports (agreed.ts), by place: their events, and how many at the last instant. */
  readonly events: readonly (readonly [place: number, total: number, atLast: number])[];
  readonly notes: readonly string[];
}

export type Report =
  | { readonly kind: "parcels"; readonly parcels: readonly Parcel[] }
  | {
      readonly kind: "shown";
      /** All units of the process are there. */
      readonly reached: number;
      readonly advances: number;
      readonly shown: readonly Shown[];
    }
  | { readonly kind: "failed"; readonly failure: UnitFailure; readonly isLost: boolean }
  /** The process cannot take part, or found a mistake of ours. */
  | { readonly kind: "refused"; readonly why: string }
  | ({ readonly kind: "ended" } & Ended)
  /**
   * What was sent before it belongs to the cut of this number, what comes after it does not: an
   * order from the one that records, a word to all others from each that has it (cuts.ts).
   */
  | { readonly kind: "mark"; readonly number: number }
  /** The process has put its part of the cut where it can be found, or cannot. */
  | { readonly kind: "kept"; readonly number: number }
  | { readonly kind: "unkept"; readonly number: number; readonly why: string }
  /** All units of all processes are there. */
  | { readonly kind: "least"; readonly time: number }
  /** The run is over, whatever there is to do. */
  | { readonly kind: "stop" };

const KINDS = [
  ...["parcels", "shown", "failed", "refused", "ended"],
  ...["least", "stop", "mark", "kept", "unkept"],
] as Report["kind"][];
const MAX_LOG = 1000;

export function putReport(report: Report): Uint8Array {
  const bytes = new ByteWriter();
  bytes.u8(KINDS.indexOf(report.kind));
  switch (report.kind) {
    case "parcels":
      bytes.u32(report.parcels.length);
      for (const parcel of report.parcels) writeParcel(bytes, parcel);
      break;
    case "shown":
      bytes.f64(report.reached);
      bytes.f64(report.advances);
      bytes.u32(report.shown.length);
      for (const { unit, time, index, banks } of report.shown) {
        bytes.u32(unit);
        bytes.f64(time);
        bytes.u32(index);
        bytes.banks(banks);
      }
      break;
    case "failed": {
      const { unit, call, status, time, log, problem } = report.failure;
      bytes.u8(report.isLost ? 1 : 0);
      for (const text of [unit, call, status, problem ?? ""]) bytes.text(text);
      bytes.f64(time);
      putTexts(bytes, log.slice(-MAX_LOG));
      break;
    }
    case "refused":
      bytes.text(report.why);
      break;
    case "ended":
      bytes.f64(report.advances);
      for (const pairs of [report.counts, report.merged, report.cycles]) {
        bytes.u32(pairs.length);
        for (const [key, count] of pairs) {
          bytes.u32(key);
          bytes.f64(count);
        }
      }
      bytes.u32(report.events.length);
      for (const [place, total, atLast] of report.events) {
        bytes.u32(place);
        bytes.f64(total);
        bytes.f64(atLast);
      }
      putTexts(bytes, report.notes);
      break;
    case "least":
      bytes.f64(report.time);
      break;
    case "mark":
    case "kept":
      bytes.f64(report.number);
      break;
    case "unkept":
      bytes.f64(report.number);
      bytes.text(report.why);
      break;
    case "stop":
      break;
  }
  return bytes.take();
}

/** @throws RangeError for what is not a report. */
export function takeReport(given: Uint8Array): Report {
  const bytes = new ByteReader(given);
  const kind = KINDS[bytes.u8()];
  switch (kind) {
    case "parcels":
      return { kind, parcels: list(bytes, 14, () => readParcel(bytes)) };
    case "shown": {
      const [reached, advances] = [bytes.f64(), bytes.f64()];
      const shown = list(bytes, 28, (): Shown => {
        const [unit, time, index] = [bytes.u32(), bytes.f64(), bytes.u32()];
        return { unit, time, index, banks: bytes.banks() };
      });
      return { kind, reached, advances, shown };
    }
    case "failed": {
      const isLost = bytes.u8() === 1;
      const [unit, call, status, problem] = [text(bytes), text(bytes), text(bytes), text(bytes)];
      const time = bytes.f64();
      const failure = { unit, call, status, time, log: takeTexts(bytes) };
      return { kind, failure: problem === "" ? failure : { ...failure, problem }, isLost };
    }
    case "refused":
      return { kind, why: text(bytes) };
    case "ended": {
      const advances = bytes.f64();
      const pairs = (): [number, number][] => list(bytes, 12, () => [bytes.u32(), bytes.f64()]);
      const [counts, merged, cycles] = [pairs(), pairs(), pairs()];
      const events = list(
        bytes,
        20,
        () => [bytes.u32(), takeCount(bytes), takeCount(bytes)] as const,
      );
      return { kind, advances, counts, merged, cycles, events, notes: takeTexts(bytes) };
    }
    case "least":
      return { kind, time: bytes.f64() };
    case "mark":
    case "kept":
      return { kind, number: takeCount(bytes) };
    case "unkept":
      return { kind, number: takeCount(bytes), why: text(bytes) };
    case "stop":
      return { kind };
    case undefined:
      throw new RangeError("a report of an unknown kind");
  }
}

function list<T>(bytes: ByteReader, bytesEach: number, take: () => T): T[] {
  return Array.from({ length: bytes.count(bytesEach) }, take);
}

function takeCount(bytes: ByteReader): number {
  const count = bytes.f64();
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError("a count that is none");
  return count;
}

function text(bytes: ByteReader): string {
  const at = bytes.position;
  const length = bytes.count(2);
  if (length > MAX_TEXT) throw new EndOfBytes();
  bytes.moveBack(at);
  return bytes.text();
}

function putTexts(bytes: ByteWriter, texts: readonly string[]): void {
  bytes.u32(texts.length);
  for (const one of texts) bytes.text(one);
}

function takeTexts(bytes: ByteReader): string[] {
  return list(bytes, 4, () => text(bytes));
}

const MAX_TEXT = 1 << 20;
