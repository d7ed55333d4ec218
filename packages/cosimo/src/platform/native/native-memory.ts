/**
 * Memory that native code may keep: JavaScript's own arrays can move or vanish, so everything an
 * FMU sees lives in blocks outside the heap, seen through typed arrays. An arena frees all its
 * blocks at once.
 *
 * Addresses travel as plain numbers (user-space addresses are below 2^53): the cheapest argument
 * koffi can pass.
 */
import koffi from "koffi";

export type Address = number;

/** A piece of native memory. `buffer` is only valid until the arena that owns it is freed. */
export interface Block {
  readonly address: Address;
  readonly buffer: ArrayBuffer;
  readonly offset: number;
  readonly bytes: number;
}

/** Of the first chunk, which is enough for most instances, and of all others. */
const FIRST_BYTES = 4 * 1024;
const CHUNK_BYTES = 16 * 1024;
const ALIGNMENT = 16;

function aligned(bytes: number): number {
  return Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
}

/** Bump allocation from a few chunks: `bind` asks for many small blocks that all die together. */
export class Arena {
  private readonly chunks: bigint[] = [];
  private buffer: ArrayBuffer = new ArrayBuffer(0);
  private base = 0;
  private used = 0;

  /** Zeroed memory, aligned to 16 bytes. */
  allocate(bytes: number): Block {
    if (!(bytes >= 0)) throw new Error(`internal: a block of ${bytes} bytes`);
    const size = Math.max(ALIGNMENT, aligned(bytes));
    if (this.used + size > this.buffer.byteLength) this.grow(size);
    const offset = this.used;
    this.used += size;
    return { address: this.base + offset, buffer: this.buffer, offset, bytes };
  }

  /** A NUL-terminated UTF-8 copy of `text`. */
  string(text: string): Address {
    const bytes = Buffer.from(text, "utf8");
    const block = this.allocate(bytes.length + 1);
    new Uint8Array(block.buffer, block.offset, bytes.length).set(bytes);
    return block.address;
  }

  free(): void {
    for (const chunk of this.chunks) koffi.free(chunk);
    this.chunks.length = 0;
    this.buffer = new ArrayBuffer(0);
    this.used = 0;
  }

  private grow(size: number): void {
    const bytes = Math.max(this.chunks.length === 0 ? FIRST_BYTES : CHUNK_BYTES, size);
    const chunk = koffi.alloc("uint8_t", bytes) as bigint;
    this.chunks.push(chunk);
    this.base = Number(chunk);
    this.buffer = koffi.view(chunk, bytes);
    new Uint8Array(this.buffer).fill(0);
    this.used = 0;
  }
}

/**
 * Memory for the arguments of one call at a time; grows to the largest call seen and is then
 * reused.
 */
export class Scratch {
  private arena = new Arena();
  private block: Block | undefined;
  private used = 0;

  /** Starts a new call that needs at most `bytes` in all, 16 more per piece. */
  begin(bytes: number): void {
    this.used = 0;
    if (this.block !== undefined && this.block.bytes >= bytes) return;
    this.arena.free();
    this.arena = new Arena();
    this.block = this.arena.allocate(aligned(Math.max(1024, 2 * bytes)));
  }

  take(bytes: number): Block {
    const whole = this.block!;
    const offset = this.used;
    this.used += aligned(bytes);
    if (this.used > whole.bytes) throw new Error("internal: scratch memory too small");
    return {
      address: whole.address + offset,
      buffer: whole.buffer,
      offset: whole.offset + offset,
      bytes,
    };
  }

  free(): void {
    this.arena.free();
    this.block = undefined;
  }
}

export function float64s(block: Block, count: number): Float64Array {
  return new Float64Array(block.buffer, block.offset, count);
}

export function int32s(block: Block, count: number): Int32Array {
  return new Int32Array(block.buffer, block.offset, count);
}

export function uint32s(block: Block, count: number): Uint32Array {
  return new Uint32Array(block.buffer, block.offset, count);
}

export function bytesOf(block: Block): Uint8Array {
  return new Uint8Array(block.buffer, block.offset, block.bytes);
}

/** A copy of the NUL-terminated UTF-8 text at `address`; undefined for NULL. */
export function readString(address: Address | bigint): string | undefined {
  return Number(address) === 0 ? undefined : koffi.decode.string(address);
}
