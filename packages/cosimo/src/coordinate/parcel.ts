/**
 * What one peer sends another: a message with its value, where it carries one. As bytes it is what
 * goes over a network, and what a checkpoint keeps of messages under way. Raise VERSION when the
 * bytes of a message change their meaning.
 */
import type { Banks } from "../model/value-type.ts";
import type { ByteReader, ByteWriter } from "../unit/bytes.ts";
import type { Message } from "./participant.ts";

/**
 * The peer has come to the instants of so many messages of the other one since it last said so
 * (flow.ts).
 */
export interface Passed {
  readonly kind: "passed";
  readonly count: number;
}

export interface Parcel {
  /** Numbers of peers. */
  readonly from: number;
  readonly to: number;
  readonly message: Message | Passed;
  /** What the source showed, of a `set`. */
  readonly value?: Banks;
}

const VERSION = 2;

const KINDS = ["set", "request", "promise", "end", "passed"] as const;

/**
 * version u8, from u32, to u32, kind u8, time f64 or, of `passed`, count f64; set, request:
 * connector u32, index u32; promise: unit u32; then u8 and the value.
 */
export function writeParcel(bytes: ByteWriter, { from, to, message, value }: Parcel): void {
  bytes.u8(VERSION);
  bytes.u32(from);
  bytes.u32(to);
  bytes.u8(KINDS.indexOf(message.kind));
  bytes.f64(message.kind === "passed" ? message.count : message.time);
  if (message.kind === "promise") bytes.u32(message.unit);
  if (message.kind === "set" || message.kind === "request") {
    bytes.u32(message.connector);
    bytes.u32(message.index);
  }
  bytes.u8(value === undefined ? 0 : 1);
  if (value !== undefined) bytes.banks(value);
}

/** @throws RangeError when the bytes are of another version, or damaged. */
export function readParcel(bytes: ByteReader): Parcel {
  const version = bytes.u8();
  if (version !== VERSION)
    throw new RangeError(`a message of version ${version}; this is version ${VERSION}`);
  const from = bytes.u32();
  const to = bytes.u32();
  const kind = KINDS[bytes.u8()];
  if (kind === undefined) throw new RangeError("a message of an unknown kind");
  const message = readMessage(kind, bytes);
  return bytes.u8() === 0 ? { from, to, message } : { from, to, message, value: bytes.banks() };
}

function readMessage(kind: Parcel["message"]["kind"], bytes: ByteReader): Parcel["message"] {
  const time = bytes.f64();
  if (kind === "passed") return { kind, count: time };
  if (kind === "end") return { kind, time };
  if (kind === "promise") return { kind, unit: bytes.u32(), time };
  const connector = bytes.u32();
  return { kind, connector, time, index: bytes.u32() };
}
