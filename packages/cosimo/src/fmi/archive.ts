/**
 * Reading an FMU's zip archive without trusting it.
 *
 * `listArchive` accepts an archive only as a whole: every path is safe, every entry an ordinary
 * file or folder, every header agrees with the table of contents, no two entries share bytes, and
 * the limits hold. How paths are spelled and entries that are repeated with equal content are
 * tolerated, with a warning. `readEntry` then inflates one entry in memory, bounded by the size
 * that was checked against the limits. Rules: docs/spec/archive.md.
 */

import type { Checked, Diagnostic, Place } from "../base/diagnostic.ts";
import { errorText } from "../base/error-text.ts";
import { type ArchiveCodec, PORTABLE_CODEC } from "./archive-codec.ts";
import {
  type ArchiveCode,
  ArchiveFault,
  archiveDiagnostic,
  archiveFault,
} from "./archive-diagnostics.ts";
import {
  type ByteSource,
  type Directory,
  type DirectoryRecord,
  directoryRecords,
  readDirectory,
  viewOf,
} from "./archive-directory.ts";
import { withoutRepetitions } from "./archive-duplicates.ts";
import {
  type CanonicalPath,
  canonicalPath,
  collisionKey,
  pathFault,
  printableName,
} from "./archive-name.ts";

export interface ArchiveLimits {
  readonly maxEntries: number;
  /** Sum of the unpacked sizes of all entries. */
  readonly maxTotalBytes: number;
  /** Unpacked over packed size of an entry of more than 64 MiB: below that, no ratio does harm. */
  readonly maxRatio: number;
  /** Files without content: they cost space in no archive, and a file each on the disk. */
  readonly maxEmptyFiles: number;
}

export const DEFAULT_ARCHIVE_LIMITS: ArchiveLimits = {
  maxEntries: 100_000,
  maxTotalBytes: 8 * 1024 ** 3,
  maxRatio: 200,
  maxEmptyFiles: 5000,
};

export interface ArchiveEntry {
  /** Relative path with '/', without a trailing one. */
  readonly name: string;
  readonly folder: boolean;
  readonly deflated: boolean;
  readonly size: number;
  readonly compressedSize: number;
  readonly crc32: number;
  /** Where the packed data begins. */
  readonly dataOffset: number;
}

export interface Archive {
  readonly entries: readonly ArchiveEntry[];
}

const LOCAL_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
const RATIO_FREE_BYTES = 64 * 1024 ** 2;
const METHODS: Readonly<Record<number, string>> = {
  1: "shrink",
  6: "implode",
  9: "deflate64",
  12: "bzip2",
  14: "LZMA",
  93: "Zstandard",
  95: "xz",
  98: "PPMd",
};
/** Flag bits: encrypted, patch data, strong encryption, masked header. */
const FLAG_ENCRYPTED = 0x0001 | 0x0040 | 0x2000;
const FLAG_PATCH = 0x0020;
const FLAG_SIZES_FOLLOW = 0x0008;

/**
 * Lists the archive `file`.
 * @returns the entries in the order of the table of contents; no value if any rule is broken
 * (warnings aside).
 */
export function listArchive(
  source: ByteSource,
  file: string,
  limits: Partial<ArchiveLimits> = {},
): Checked<Archive> {
  const listing = new Listing(source, { file }, { ...DEFAULT_ARCHIVE_LIMITS, ...limits });
  try {
    return listing.run();
  } catch (error) {
    if (error instanceof ArchiveFault) {
      return { diagnostics: [...listing.diagnostics, error.diagnostic] };
    }
    throw error;
  }
}

/** A record of the table of contents and what its name means. */
interface Listed extends CanonicalPath {
  readonly record: DirectoryRecord;
}

/** Diagnostics of one archive beyond this many add nothing for the reader. */
const MAX_DIAGNOSTICS = 50;

class Listing {
  readonly diagnostics: Diagnostic[] = [];
  private readonly source: ByteSource;
  private readonly place: Place;
  private readonly limits: ArchiveLimits;
  private refused = false;

  constructor(source: ByteSource, place: Place, limits: ArchiveLimits) {
    this.source = source;
    this.place = place;
    this.limits = limits;
  }

  run(): Checked<Archive> {
    const directory = readDirectory(this.source, this.place, this.limits.maxEntries);
    const listed: Listed[] = [];
    let totalBytes = 0;
    let packedBytes = 0;
    let empty = 0;
    for (const record of directoryRecords(directory, this.place)) {
      const path = pathOf(record);
      this.checkRecord(record, path.folder);
      listed.push({ ...path, record });
      totalBytes += record.size;
      packedBytes += record.compressedSize;
      if (record.size === 0 && !path.folder) empty++;
    }
    if (totalBytes > this.limits.maxTotalBytes) {
      const limit = this.limits.maxTotalBytes;
      throw archiveFault("archive-too-large", { bytes: totalBytes, limit }, this.place);
    }
    const { maxRatio, maxEmptyFiles } = this.limits;
    const ratio = Math.round(totalBytes / Math.max(1, packedBytes));
    // Otherwise an entry has been named that is to blame.
    if (!this.refused && totalBytes > RATIO_FREE_BYTES && ratio > maxRatio)
      throw archiveFault("archive-total-ratio", { ratio, limit: maxRatio }, this.place);
    if (empty > maxEmptyFiles)
      throw archiveFault("archive-empty-files", { count: empty, limit: maxEmptyFiles }, this.place);
    this.checkNames(listed);
    if (this.refused) return { diagnostics: this.diagnostics };
    this.noteSpellings(listed);
    const located = listed.map((one) => this.locate(one, directory));
    this.checkOverlap(listed, located, directory);
    const { entries, differing, repeated } = withoutRepetitions(this.source, located);
    for (const entry of differing) this.refuse("archive-duplicate", entry.name);
    this.reportOnce("archive-duplicate-equal", repeated);
    if (this.refused) return { diagnostics: this.diagnostics };
    return {
      value: { entries: entries.filter(({ name }) => name !== "") },
      diagnostics: this.diagnostics,
    };
  }

  private report(diagnostic: Diagnostic): void {
    const firstError = diagnostic.severity === "error" && !this.refused;
    if (firstError || this.diagnostics.length < MAX_DIAGNOSTICS) this.diagnostics.push(diagnostic);
    if (firstError) this.refused = true;
  }

  /** For the codes that need no more than the entry's name. */
  private refuse(code: ArchiveCode, name: string): void {
    this.report(archiveDiagnostic(code, { entry: printableName(name) } as never, this.place));
  }

  private reportOnce(
    code: "archive-path-backslash" | "archive-path-segment" | "archive-duplicate-equal",
    [first, ...others]: readonly { readonly name: string }[],
  ): void {
    if (first === undefined) return;
    const params = { entry: printableName(first.name), more: others.length };
    this.report(archiveDiagnostic(code, params, this.place));
  }

  private noteSpellings(listed: readonly Listed[]): void {
    for (const code of ["archive-path-backslash", "archive-path-segment"] as const) {
      const records = listed.filter(({ spelling }) => spelling === code);
      this.reportOnce(
        code,
        records.map(({ record }) => record),
      );
    }
  }

  private checkRecord(record: DirectoryRecord, folder: boolean): void {
    const entry = printableName(record.name);
    const badPath = pathFault(record.name);
    if (badPath !== undefined) this.refuse(badPath, record.name);
    const badKind = kindFault(record.externalAttributes);
    if (badKind !== undefined) this.refuse(badKind, record.name);
    if ((record.flags & FLAG_ENCRYPTED) !== 0) this.refuse("archive-encrypted", record.name);
    else if ((record.method !== 0 && record.method !== 8) || (record.flags & FLAG_PATCH) !== 0) {
      const method = METHODS[record.method] ?? `method ${record.method}`;
      this.report(archiveDiagnostic("archive-method", { entry, method }, this.place));
    } else if (record.method === 0 && record.size !== record.compressedSize) {
      const declared = record.size;
      this.report(archiveDiagnostic("archive-size-mismatch", { entry, declared }, this.place));
    }
    if (folder && record.size > 0) this.refuse("archive-folder-data", record.name);
    const ratio = Math.round(record.size / Math.max(1, record.compressedSize));
    if (record.size > RATIO_FREE_BYTES && ratio > this.limits.maxRatio) {
      const limit = this.limits.maxRatio;
      this.report(archiveDiagnostic("archive-ratio", { entry, ratio, limit }, this.place));
    }
  }

  private checkNames(listed: readonly Listed[]): void {
    const kinds = new Map<string, boolean>();
    const folded = new Map<string, string>();
    for (const { path, folder } of listed) {
      const known = kinds.get(path);
      // Whether repetitions have the same content is seen once all headers are checked.
      if (known !== undefined) {
        if (known !== folder) this.refuse("archive-duplicate", path);
        continue;
      }
      kinds.set(path, folder);
      const key = collisionKey(path);
      const other = folded.get(key);
      if (other === undefined) folded.set(key, path);
      else {
        const params = { entry: printableName(path), other: printableName(other) };
        this.report(archiveDiagnostic("archive-case-collision", params, this.place));
      }
    }
    const parents = new Set<string>();
    for (const path of kinds.keys()) {
      let slash = path.lastIndexOf("/");
      // A parent that is known brings its own parents along, so each is visited once.
      while (slash > 0 && !parents.has(path.slice(0, slash))) {
        parents.add(path.slice(0, slash));
        slash = path.lastIndexOf("/", slash - 1);
      }
    }
    for (const [path, folder] of kinds) {
      if (!folder && parents.has(path)) this.refuse("archive-file-and-folder", path);
    }
  }

  /** Reads the entry's own header, which must agree with the table of contents. */
  private locate({ record, path, folder }: Listed, directory: Directory): ArchiveEntry {
    const entry = printableName(record.name);
    const mismatch = (what: string) =>
      archiveFault("archive-header-mismatch", { entry, what }, this.place);
    const headerBytes = LOCAL_BYTES + record.nameBytes.length;
    if (record.headerOffset + headerBytes > directory.offset) throw mismatch("where it begins");
    const header = this.source.read(record.headerOffset, headerBytes);
    const view = viewOf(header);
    if (view.getUint32(0, true) !== LOCAL_SIGNATURE) throw mismatch("where it begins");
    if (view.getUint16(26, true) !== record.nameBytes.length) throw mismatch("its name");
    for (let i = 0; i < record.nameBytes.length; i++) {
      if (header[LOCAL_BYTES + i] !== record.nameBytes[i]) throw mismatch("its name");
    }
    const flags = view.getUint16(6, true);
    if (((flags ^ record.flags) & (FLAG_ENCRYPTED | FLAG_PATCH)) !== 0)
      throw mismatch("encryption");
    if (view.getUint16(8, true) !== record.method) throw mismatch("its compression method");
    if ((flags & FLAG_SIZES_FOLLOW) === 0) {
      if (view.getUint32(14, true) !== record.crc32) throw mismatch("its checksum");
      if (!agrees(view.getUint32(18, true), record.compressedSize)) throw mismatch("its size");
      if (!agrees(view.getUint32(22, true), record.size)) throw mismatch("its size");
    }
    const dataOffset = record.headerOffset + headerBytes + view.getUint16(28, true);
    if (dataOffset + record.compressedSize > directory.offset) throw mismatch("where it ends");
    return {
      name: path,
      folder,
      deflated: record.method === 8,
      size: record.size,
      compressedSize: record.compressedSize,
      crc32: record.crc32,
      dataOffset,
    };
  }

  private checkOverlap(
    listed: readonly Listed[],
    entries: readonly ArchiveEntry[],
    directory: Directory,
  ): void {
    const order = entries.map((entry, i) => ({
      entry,
      begin: listed[i]?.record.headerOffset ?? 0,
    }));
    order.sort((a, b) => a.begin - b.begin);
    let other = "";
    let end = 0;
    for (const { entry, begin } of order) {
      if (begin < end) {
        const params = { entry: printableName(entry.name), other: printableName(other) };
        throw archiveFault("archive-overlap", params, this.place);
      }
      end = entry.dataOffset + entry.compressedSize;
      other = entry.name;
    }
    if (end > directory.offset) {
      const reason = "it overlaps the last entry";
      throw archiveFault("archive-directory-broken", { reason }, this.place);
    }
  }
}

/** Some writers mark folders by their attributes alone; content would make it a file. */
function pathOf({ name, size, externalAttributes }: DirectoryRecord): CanonicalPath {
  const written = canonicalPath(name);
  const isMarked =
    ((externalAttributes >>> 16) & MODE_TYPE) === MODE_FOLDER ||
    (externalAttributes & DOS_FOLDER) !== 0;
  return size === 0 && isMarked ? { ...written, folder: true } : written;
}

/** A 32-bit field that was too small for its value holds all ones; the value is then elsewhere. */
function agrees(local: number, central: number): boolean {
  return local === central || local === 0xffffffff;
}

const MODE_TYPE = 0xf000;
const MODE_FOLDER = 0x4000;
const MODE_FILE = 0x8000;
const MODE_LINK = 0xa000;
const DOS_FOLDER = 0x10;
const DOS_REPARSE_POINT = 0x400;

/**
 * Links and devices, by the Unix mode in the upper half or the Windows attribute in the lower one.
 */
function kindFault(externalAttributes: number): "archive-link" | "archive-device" | undefined {
  const type = (externalAttributes >>> 16) & MODE_TYPE;
  if (type === MODE_LINK || (externalAttributes & DOS_REPARSE_POINT) !== 0) return "archive-link";
  return type === 0 || type === MODE_FILE || type === MODE_FOLDER ? undefined : "archive-device";
}

/** Unpacks one entry in memory; size and checksum are verified. */
export function readEntry(
  source: ByteSource,
  entry: ArchiveEntry,
  file: string,
  codec: ArchiveCodec = PORTABLE_CODEC,
): Checked<Uint8Array> {
  const place: Place = { file };
  const name = printableName(entry.name);
  const fail = (diagnostic: Diagnostic): Checked<Uint8Array> => ({ diagnostics: [diagnostic] });
  const packed = source.read(entry.dataOffset, entry.compressedSize);
  let bytes: Uint8Array | undefined = packed;
  if (entry.deflated) {
    try {
      bytes = codec.inflate(packed, entry.size);
    } catch (error) {
      const reason = errorText(error);
      return fail(archiveDiagnostic("archive-data-broken", { entry: name, reason }, place));
    }
  }
  if (bytes?.length !== entry.size) {
    const params = { entry: name, declared: entry.size };
    return fail(archiveDiagnostic("archive-size-mismatch", params, place));
  }
  if (codec.crc32(bytes, 0) !== entry.crc32) {
    return fail(archiveDiagnostic("archive-crc", { entry: name }, place));
  }
  return { value: bytes, diagnostics: [] };
}
