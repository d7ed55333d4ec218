/**
 * Parts of cuts on their way through a store that others can read and write: each section is
 * encrypted with a key that the caller has made for its peer, and bound to the run, the cut and the
 * peer. So a session reads states of its own units only, and takes none that was not put there by
 * one that had them.
 */
import { createCipheriv, createDecipheriv, createHmac, randomBytes } from "node:crypto";
import type { Section } from "../../coordinate/section.ts";
import { ByteReader, ByteWriter } from "../../unit/bytes.ts";

/** Which cut of which run. */
export interface CutName {
  readonly token: string;
  readonly number: number;
}

export type PeerKeys = ReadonlyMap<number, Buffer>;

const CIPHER = "aes-256-gcm";
const [NONCE_BYTES, TAG_BYTES] = [12, 16];

const KEY_BYTES = 32;

/** Of a run: with it all parts can be read. */
export function newMasterKey(): Buffer {
  return randomBytes(KEY_BYTES);
}

export function peerKey(master: Buffer, peer: number): Buffer {
  return createHmac("sha256", master).update(`peer ${peer}`).digest();
}

/** The name of the part of a process. */
export function partName({ token, number }: CutName, process: number): string {
  return `${token}-${number}-${process}`;
}

export function sealParts(name: CutName, sections: readonly Section[], keys: PeerKeys): Uint8Array {
  const bytes = new ByteWriter();
  bytes.u32(sections.length);
  for (const { peer, bytes: plain } of sections) {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, keyOf(keys, peer), nonce);
    cipher.setAAD(boundTo(name, peer));
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    bytes.u32(peer);
    bytes.raw(nonce);
    bytes.raw(cipher.getAuthTag());
    bytes.bytes(sealed);
  }
  return bytes.take();
}

/** @returns the sections that there are keys for. @throws RangeError for what was changed. */
export function openParts(name: CutName, part: Uint8Array, keys: PeerKeys): Section[] {
  const bytes = new ByteReader(part);
  const sections: Section[] = [];
  for (let left = bytes.count(4 + NONCE_BYTES + TAG_BYTES + 4); left > 0; left--) {
    const peer = bytes.u32();
    const nonce = Uint8Array.from({ length: NONCE_BYTES }, () => bytes.u8());
    const tag = Uint8Array.from({ length: TAG_BYTES }, () => bytes.u8());
    const sealed = bytes.bytes();
    const key = keys.get(peer);
    if (key === undefined) continue;
    const decipher = createDecipheriv(CIPHER, key, nonce);
    decipher.setAAD(boundTo(name, peer));
    decipher.setAuthTag(tag);
    try {
      const plain = Buffer.concat([decipher.update(sealed), decipher.final()]);
      sections.push({ peer, bytes: new Uint8Array(plain) });
    } catch {
      throw new RangeError(`the checkpoint was changed: the part of peer ${peer}`);
    }
  }
  return sections;
}

function boundTo({ token, number }: CutName, peer: number): Buffer {
  return Buffer.from(`${token} ${number} ${peer}`);
}

function keyOf(keys: PeerKeys, peer: number): Buffer {
  const key = keys.get(peer);
  if (key === undefined) throw new Error(`internal: no key for peer ${peer}`);
  return key;
}
