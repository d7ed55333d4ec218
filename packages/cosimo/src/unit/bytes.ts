/**
 * Bytes of what must outlive a process: snapshots, checkpoints, logs of calls, states of nested
 * scenarios. Little-endian, texts as UTF-16 code units, numbers bit for bit.
 */
import type { Banks, ObjectValue } from "../model/value-type.ts";

const TEXT = 0;
const BINARY = 1;

/** Grows as it is written to. */
export class ByteWriter {
  private data = new Uint8Array(256);
  private view = new DataView(this.data.buffer);
  private size = 0;

  get length(): number {
    return this.size;
  }

  /** What was written, as a copy. */
  take(from = 0): Uint8Array {
    return this.data.slice(from, this.size);
  }

  /** What was written, as it lies in memory: valid until more is written. */
  peek(): Uint8Array {
    return this.data.subarray(0, this.size);
  }

  /** Forgets everything behind the first `length` bytes. */
  cut(length: number): void {
    this.size = length;
  }

  u8(value: number): void {
    // `place` may replace the view, so it comes first, here and below.
    const at = this.place(1);
    this.view.setUint8(at, value);
  }

  u32(value: number): void {
    const at = this.place(4);
    this.view.setUint32(at, value, true);
  }

  f64(value: number): void {
    const at = this.place(8);
    this.view.setFloat64(at, value, true);
  }

  i64(value: bigint): void {
    const at = this.place(8);
    this.view.setBigInt64(at, value, true);
  }

  /** Numbers one after the other, without their count. */
  f64s(values: Float64Array): void {
    for (let i = 0; i < values.length; i++) this.f64(values[i]);
  }

  i64s(values: BigInt64Array): void {
    for (let i = 0; i < values.length; i++) this.i64(values[i]);
  }

  text(value: string): void {
    this.u32(value.length);
    let at = this.place(2 * value.length);
    for (let i = 0; i < value.length; i++, at += 2)
      this.view.setUint16(at, value.charCodeAt(i), true);
  }

  bytes(value: Uint8Array): void {
    this.u32(value.length);
    this.raw(value);
  }

  /** Bytes without their count. */
  raw(value: Uint8Array): void {
    const at = this.place(value.length);
    this.data.set(value, at);
  }

  object(value: ObjectValue): void {
    if (typeof value === "string") {
      this.u8(TEXT);
      this.text(value);
    } else {
      this.u8(BINARY);
      this.bytes(value);
    }
  }

  banks({ f64, i64, obj }: Banks): void {
    this.u32(f64.length);
    this.f64s(f64);
    this.u32(i64.length);
    this.i64s(i64);
    this.u32(obj.length);
    for (const value of obj) this.object(value);
  }

  private place(size: number): number {
    const at = this.size;
    this.size += size;
    if (this.size > this.data.length) {
      const grown = new Uint8Array(Math.max(2 * this.data.length, this.size));
      grown.set(this.data);
      this.data = grown;
      this.view = new DataView(grown.buffer);
    }
    return at;
  }
}

/** There is less than was to be read. */
export class EndOfBytes extends RangeError {
  constructor() {
    super("the bytes end");
    this.name = "EndOfBytes";
  }
}

/** Reads what `ByteWriter` wrote. @throws EndOfBytes at the end of the bytes. */
export class ByteReader {
  private readonly data: Uint8Array;
  private readonly view: DataView;
  private at: number;
  private end: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.data = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = at;
    this.end = bytes.length;
  }

  /**
   * From now on the bytes from `at` to `end` are read: one reader serves a memory that is filled
   * again and again.
   */
  moveTo(at: number, end: number): void {
    this.at = at;
    this.end = Math.min(end, this.data.length);
  }

  get position(): number {
    return this.at;
  }

  /** To a position that was read already. */
  moveBack(position: number): void {
    this.at = Math.min(position, this.at);
  }

  /** What was not read yet, where it lies. */
  ahead(): Uint8Array {
    return this.data.subarray(this.at, this.end);
  }

  /** A copy of what was not read yet. */
  rest(): Uint8Array {
    return new Uint8Array(this.ahead());
  }

  get isAtEnd(): boolean {
    return this.at >= this.end;
  }

  u8(): number {
    return this.view.getUint8(this.pass(1));
  }

  u32(): number {
    return this.view.getUint32(this.pass(4), true);
  }

  f64(): number {
    return this.view.getFloat64(this.pass(8), true);
  }

  i64(): bigint {
    return this.view.getBigInt64(this.pass(8), true);
  }

  text(): string {
    const length = this.u32();
    const at = this.pass(2 * length);
    let text = "";
    for (let i = 0; i < length; i++)
      text += String.fromCharCode(this.view.getUint16(at + 2 * i, true));
    return text;
  }

  bytes(): Uint8Array {
    const length = this.u32();
    const at = this.pass(length);
    // Not `slice`, of which Node's buffers make a view.
    return new Uint8Array(this.data.subarray(at, at + length));
  }

  object(): ObjectValue {
    return this.u8() === TEXT ? this.text() : this.bytes();
  }

  banks(): Banks {
    const f64 = new Float64Array(this.count(8));
    for (let i = 0; i < f64.length; i++) f64[i] = this.f64();
    const i64 = new BigInt64Array(this.count(8));
    for (let i = 0; i < i64.length; i++) i64[i] = this.i64();
    const obj = Array.from({ length: this.count(5) }, () => this.object());
    return { f64, i64, obj };
  }

  /** A number of entries that can be true: damaged bytes must not make us ask for terabytes. */
  count(bytesEach: number): number {
    const count = this.u32();
    if (count * bytesEach > this.end - this.at) throw new EndOfBytes();
    return count;
  }

  private pass(size: number): number {
    const at = this.at;
    if (at + size > this.end) throw new EndOfBytes();
    this.at += size;
    return at;
  }
}

/** CRC-32 as zip and PNG have it. */
export function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (let i = 0; i < bytes.length; i++) crc = CRC_TABLE[(crc ^ bytes[i]) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

const CRC_TABLE: Uint32Array = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});
