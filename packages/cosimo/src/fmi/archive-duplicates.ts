/**
 * Entries of an archive that have the same path. Exporters that add a file twice are common; an
 * archive that shows one content to one tool and another to the next is an attack. So a repetition
 * is dropped only when its content was compared and is the same.
 *
 * Comparing is bounded: packed data is read at most once per entry (entries share no bytes), and
 * what was packed differently is unpacked up to a limit, beyond which it counts as different.
 */
import type { ArchiveEntry } from "./archive.ts";
import { PORTABLE_CODEC } from "./archive-codec.ts";
import type { ByteSource } from "./archive-directory.ts";

const CHUNK_BYTES = 1024 ** 2;
/** Bytes read and made to compare what was packed differently, over the whole archive. */
const MAX_UNPACKED_BYTES = 64 * 1024 ** 2;

export interface Repetitions {
  /** The first entry of each path, in their order. */
  readonly entries: readonly ArchiveEntry[];
  /** Entries whose content is that of the first one with their path. */
  readonly repeated: readonly ArchiveEntry[];
  /** Entries whose content differs from it, or could not be compared. */
  readonly differing: readonly ArchiveEntry[];
}

export function withoutRepetitions(source: ByteSource, all: readonly ArchiveEntry[]): Repetitions {
  const first = new Map<string, ArchiveEntry>();
  const repeated: ArchiveEntry[] = [];
  const differing: ArchiveEntry[] = [];
  let budget = MAX_UNPACKED_BYTES;
  for (const entry of all) {
    const known = first.get(entry.name);
    if (known === undefined) {
      first.set(entry.name, entry);
      continue;
    }
    const isSameSize = known.size === entry.size && known.crc32 === entry.crc32;
    let isSame = isSameSize && (entry.folder || samePacked(source, known, entry));
    if (isSameSize && !isSame) {
      budget -= 2 * entry.size + known.compressedSize + entry.compressedSize;
      isSame = budget >= 0 && sameUnpacked(source, known, entry);
    }
    (isSame ? repeated : differing).push(entry);
  }
  return { entries: [...first.values()], repeated, differing };
}

function samePacked(source: ByteSource, a: ArchiveEntry, b: ArchiveEntry): boolean {
  if (a.deflated !== b.deflated || a.compressedSize !== b.compressedSize) return false;
  for (let at = 0; at < a.compressedSize; at += CHUNK_BYTES) {
    const length = Math.min(CHUNK_BYTES, a.compressedSize - at);
    const one = source.read(a.dataOffset + at, length);
    if (!sameBytes(one, source.read(b.dataOffset + at, length))) return false;
  }
  return true;
}

function sameUnpacked(source: ByteSource, a: ArchiveEntry, b: ArchiveEntry): boolean {
  const [one, other] = [unpacked(source, a), unpacked(source, b)];
  return one !== undefined && other !== undefined && sameBytes(one, other);
}

/** The content; undefined when it is broken or has another size than declared. */
function unpacked(source: ByteSource, entry: ArchiveEntry): Uint8Array | undefined {
  const packed = source.read(entry.dataOffset, entry.compressedSize);
  if (!entry.deflated) return packed;
  try {
    const bytes = PORTABLE_CODEC.inflate(packed, entry.size);
    return bytes?.length === entry.size ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
