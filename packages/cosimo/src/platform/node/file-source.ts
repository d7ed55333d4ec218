/**
 * A file as the byte source of an archive, and Node's own zlib as its codec (several times faster
 * than ours).
 *
 * The file is opened for each piece of work and closed again, so that callers need not close an
 * FMU; a file that changed in between is refused rather than read as a mixture.
 */
import { closeSync, fstatSync, openSync, readSync, type Stats } from "node:fs";
import { crc32, inflateRawSync } from "node:zlib";
import type { ArchiveCodec } from "../../fmi/archive-codec.ts";
import type { ByteSource } from "../../fmi/archive-directory.ts";

export const NODE_CODEC: ArchiveCodec = {
  inflate(packed, limit) {
    try {
      return inflateRawSync(packed, { maxOutputLength: Math.max(1, limit) });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE") return undefined;
      throw error;
    }
  },
  crc32,
};

/** Whether a file is still the one that was read before. */
export interface FileIdentity {
  readonly size: number;
  readonly modifiedMs: number;
  readonly inode: number;
}

/**
 * Runs `work` with the bytes of the file at `path`.
 * @throws Error if the file cannot be opened, or is no longer the one of `expected`.
 */
export function withFileSource<T>(
  path: string,
  expected: FileIdentity | undefined,
  work: (source: ByteSource, identity: FileIdentity) => T,
): T {
  const fd = openSync(path, "r");
  try {
    const identity = identityOf(fstatSync(fd));
    if (expected !== undefined && !sameFile(identity, expected)) {
      throw new Error("the file changed while it was in use");
    }
    return work(sourceOf(fd, identity.size), identity);
  } finally {
    closeSync(fd);
  }
}

export function identityOf(stats: Stats): FileIdentity {
  return { size: stats.size, modifiedMs: stats.mtimeMs, inode: stats.ino };
}

export function sameFile(a: FileIdentity, b: FileIdentity): boolean {
  return a.size === b.size && a.modifiedMs === b.modifiedMs && a.inode === b.inode;
}

function sourceOf(fd: number, size: number): ByteSource {
  return {
    size,
    read(offset, length) {
      const bytes = new Uint8Array(length);
      let done = 0;
      while (done < length) {
        const count = readSync(fd, bytes, done, length - done, offset + done);
        if (count === 0) throw new Error("the file became shorter while it was read");
        done += count;
      }
      return bytes;
    },
  };
}
