/**
 * The state of an adaptation as bytes: its own memory, its texts, and the states of the inner
 * units, each as they write it.
 */

import type { ObjectValue } from "../model/value-type.ts";
import { ByteReader, ByteWriter } from "../unit/bytes.ts";

const MAGIC = 0x31415343;

export interface States {
  readonly own: Uint8Array;
  readonly texts: readonly ObjectValue[];
  readonly inner: readonly Uint8Array[];
}

export function joinStates({ own, texts, inner }: States): Uint8Array {
  const bytes = new ByteWriter();
  bytes.u32(MAGIC);
  bytes.bytes(own);
  bytes.u32(texts.length);
  for (const text of texts) bytes.object(text);
  bytes.u32(inner.length);
  for (const state of inner) bytes.bytes(state);
  return bytes.take();
}

/** @throws when the bytes are not those of an adaptation with `count` inner units. */
export function splitStates(unit: string, bytes: Uint8Array, count: number): States {
  const reader = new ByteReader(bytes);
  try {
    if (reader.u32() === MAGIC) {
      const own = reader.bytes();
      const texts = Array.from({ length: reader.u32() }, () => reader.object());
      if (reader.u32() === count)
        return { own, texts, inner: Array.from({ length: count }, () => reader.bytes()) };
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  throw new Error(
    `'${unit}': these bytes are not a snapshot of it; pass what serialize() of the same adaptation gave`,
  );
}
