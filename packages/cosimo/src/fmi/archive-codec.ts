/**
 * Inflating and checksums for hosts that have none of their own (a browser).
 *
 * Archives read through this interface so that Node can bring its native zlib, which is several
 * times faster. Declared sizes are never trusted: output is limited while it is made.
 */
import { Inflate } from "fflate";

export interface ArchiveCodec {
  /**
   * Inflates raw deflate data.
   * @returns the output, or undefined as soon as it grows beyond `limit` bytes.
   * @throws Error if the data is broken or ends early.
   */
  inflate(packed: Uint8Array, limit: number): Uint8Array | undefined;
  /** CRC-32 of `bytes`, going on from `previous` (0 to begin with). */
  crc32(bytes: Uint8Array, previous: number): number;
}

/**
 * Input is handed over in slices, because deflate can grow one by about a thousand before we see
 * its size.
 */
const SLICE_BYTES = 16 * 1024;

export const PORTABLE_CODEC: ArchiveCodec = { inflate: inflateLimited, crc32: crc32Portable };

function inflateLimited(packed: Uint8Array, limit: number): Uint8Array | undefined {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const stream = new Inflate((chunk) => {
    size += chunk.length;
    chunks.push(chunk);
  });
  let at = 0;
  do {
    const end = Math.min(at + SLICE_BYTES, packed.length);
    stream.push(packed.subarray(at, end), end === packed.length);
    if (size > limit) return undefined;
    at = end;
  } while (at < packed.length);
  const out = new Uint8Array(size);
  let offset = 0;
  for (const chunk of chunks) {
    out.set(chunk, offset);
    offset += chunk.length;
  }
  return out;
}

const CRC_TABLE: Int32Array = new Int32Array(256).map((_, byte) => {
  let c = byte;
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1;
  return c;
});

function crc32Portable(bytes: Uint8Array, previous: number): number {
  let c = ~previous;
  for (let i = 0; i < bytes.length; i++) {
    const entry = (c ^ (bytes[i] ?? 0)) & 0xff;
    c = (CRC_TABLE[entry] ?? 0) ^ (c >>> 8);
  }
  return ~c >>> 0;
}
