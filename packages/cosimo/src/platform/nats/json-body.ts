/**
 * Questions to nodes and their answers: JSON, compressed where it is long (descriptions of large
 * units), with a bound on what it becomes.
 */
import { gunzipSync, gzipSync } from "node:zlib";
import { Nonsense } from "../../remote/protocol.ts";

const PLAIN = 0;
const PACKED = 1;
const LONG_BYTES = 1024;
const MAX_BYTES: number = 256 * 1024 * 1024;

export function packJson(data: unknown): Uint8Array {
  const text = Buffer.from(JSON.stringify(data), "utf8");
  if (text.length < LONG_BYTES) return Buffer.concat([Uint8Array.of(PLAIN), text]);
  return Buffer.concat([Uint8Array.of(PACKED), gzipSync(text)]);
}

/** @throws Nonsense */
export function unpackJson(bytes: Uint8Array): unknown {
  const rest = bytes.subarray(1);
  try {
    if (bytes[0] === PLAIN) return JSON.parse(Buffer.from(rest).toString("utf8"));
    if (bytes[0] === PACKED)
      return JSON.parse(gunzipSync(rest, { maxOutputLength: MAX_BYTES }).toString("utf8"));
  } catch (error) {
    throw new Nonsense(error instanceof Error ? error.message : String(error));
  }
  throw new Nonsense("neither plain nor compressed JSON");
}
