/**
 * Writes an archive to a folder, as a stream, without ever leaving that folder.
 *
 * The entries come from `listArchive`, so their paths are safe; what is checked here is the disk:
 * no link in the way is followed and no file that exists is overwritten (which also refuses two
 * names that this file system takes for one).
 */

import { type FileHandle, lstat, mkdir, open, rm } from "node:fs/promises";
import { join } from "node:path";
import { Readable, Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { crc32, createInflateRaw } from "node:zlib";
import type { Checked, Diagnostic } from "../../base/diagnostic.ts";
import { errorText } from "../../base/error-text.ts";
import type { ArchiveEntry } from "../../fmi/archive.ts";
import { ArchiveFault, archiveFault } from "../../fmi/archive-diagnostics.ts";
import { type FileIdentity, identityOf, sameFile } from "./file-source.ts";

/** Chunks of the archive in flight; a few are enough to keep inflate busy. */
const CHUNK_BYTES = 256 * 1024;

export interface ExtractRequest {
  /** The archive's path. */
  readonly archive: string;
  readonly identity: FileIdentity;
  readonly entries: readonly ArchiveEntry[];
  /** Created if it does not exist; may not be a link. */
  readonly target: string;
}

/**
 * Extracts all entries.
 * @returns the target folder; or no value, and what went wrong. A file that failed is not left
 * behind half-written.
 */
export async function extractArchive(request: ExtractRequest): Promise<Checked<string>> {
  const { archive, target } = request;
  try {
    await extractAll(request);
    return { value: target, diagnostics: [] };
  } catch (error) {
    return { diagnostics: [diagnosticOf(error, archive)] };
  }
}

function diagnosticOf(error: unknown, file: string): Diagnostic {
  if (error instanceof ArchiveFault) return error.diagnostic;
  const reason = errorText(error);
  return archiveFault("archive-unpack-failed", { reason }, { file }).diagnostic;
}

async function extractAll({ archive, identity, entries, target }: ExtractRequest): Promise<void> {
  await mkdir(target, { recursive: true, mode: 0o700 });
  const known = new Set<string>();
  await makeFolder(target, known);
  const file = await open(archive, "r");
  try {
    if (!sameFile(identityOf(await file.stat()), identity)) {
      throw new Error("the archive changed since it was listed");
    }
    for (const entry of entries) {
      const parts = entry.name.split("/");
      const fileName = entry.folder ? undefined : parts.pop()!;
      let folder = target;
      for (const part of parts) {
        folder = join(folder, part);
        await makeFolder(folder, known);
      }
      if (fileName !== undefined) await extractFile(file, archive, entry, join(folder, fileName));
    }
  } finally {
    await file.close();
  }
}

/** Makes sure that `path` is a real folder. `known` spares asking twice. */
async function makeFolder(path: string, known: Set<string>): Promise<void> {
  if (known.has(path)) return;
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    if (!(await lstat(path)).isDirectory()) {
      throw new Error(`'${path}' is in the way: it is a link or a file where a folder is needed`);
    }
  }
  known.add(path);
}

async function extractFile(
  file: FileHandle,
  archive: string,
  entry: ArchiveEntry,
  path: string,
): Promise<void> {
  const place = { file: archive };
  const check = new ContentCheck(entry.size);
  // "wx" creates the file or fails: a link or file that is already there is neither followed nor
  // overwritten. It is there before anything can go wrong with the content, so whatever goes wrong
  // finds it to remove.
  const output = (await open(path, "wx", 0o600)).createWriteStream();
  const closed = new Promise<void>((resolve) => output.once("close", resolve));
  const packed = Readable.from(packedChunks(file, entry), { objectMode: false });
  try {
    if (entry.deflated) await pipeline(packed, createInflateRaw(), check.stream, output);
    else await pipeline(packed, check.stream, output);
    if (check.bytes !== entry.size) throw new ContentTooLong();
    if (check.crc32 !== entry.crc32)
      throw archiveFault("archive-crc", { entry: entry.name }, place);
  } catch (error) {
    await closed;
    await rm(path, { force: true });
    if (error instanceof ContentTooLong) {
      const params = { entry: entry.name, declared: entry.size };
      throw archiveFault("archive-size-mismatch", params, place);
    }
    if ((error as NodeJS.ErrnoException).code?.startsWith("Z_")) {
      const reason = (error as Error).message;
      throw archiveFault("archive-data-broken", { entry: entry.name, reason }, place);
    }
    throw error;
  }
}

async function* packedChunks(file: FileHandle, entry: ArchiveEntry): AsyncGenerator<Uint8Array> {
  let offset = entry.dataOffset;
  const end = entry.dataOffset + entry.compressedSize;
  while (offset < end) {
    const chunk = new Uint8Array(Math.min(CHUNK_BYTES, end - offset));
    const { bytesRead } = await file.read(chunk, 0, chunk.length, offset);
    if (bytesRead === 0) throw new Error("the archive became shorter while it was read");
    yield chunk.subarray(0, bytesRead);
    offset += bytesRead;
  }
}

class ContentTooLong extends Error {}

/** Counts and sums what passes through, and stops it when it outgrows the declared size. */
class ContentCheck {
  bytes = 0;
  crc32 = 0;
  readonly stream: Transform;

  constructor(limit: number) {
    this.stream = new Transform({
      transform: (chunk: Uint8Array, _encoding, done) => {
        this.bytes += chunk.length;
        this.crc32 = crc32(chunk, this.crc32);
        if (this.bytes > limit) done(new ContentTooLong());
        else done(null, chunk);
      },
    });
  }
}
