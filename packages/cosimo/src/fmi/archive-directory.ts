/**
 * The tail of a zip file: the end record, its 64-bit extension, and the central directory they
 * point at.
 *
 * Our own small and strict reader: general zip libraries search and repair, which is exactly how
 * two tools come to see two different archives in one hostile file. Layout: PKWARE APPNOTE 6.3,
 * sections 4.3.12 – 4.3.16. All numbers are little-endian.
 */
import type { Place } from "../base/diagnostic.ts";
import { archiveFault } from "./archive-diagnostics.ts";
import { decodeName, decodeUnmarked, printableName } from "./archive-name.ts";

/**
 * Random access to the archive's bytes. `read` is only asked for bytes inside `size` and returns
 * all of them.
 */
export interface ByteSource {
  readonly size: number;
  read(offset: number, length: number): Uint8Array;
}

/** One record of the central directory, as written. */
export interface DirectoryRecord {
  readonly name: string;
  readonly nameBytes: Uint8Array;
  readonly flags: number;
  readonly method: number;
  readonly crc32: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly headerOffset: number;
  /** MS-DOS attributes in the low half, a Unix mode in the high half. */
  readonly externalAttributes: number;
}

export interface Directory {
  /** Where the central directory begins: entries must end before it. */
  readonly offset: number;
  readonly count: number;
  readonly bytes: Uint8Array;
}

const LOCAL_SIGNATURE = 0x04034b50;
const CENTRAL_SIGNATURE = 0x02014b50;
const END_SIGNATURE = 0x06054b50;
const END64_SIGNATURE = 0x06064b50;
const END64_LOCATOR_SIGNATURE = 0x07064b50;
const END_BYTES = 22;
const END64_BYTES = 56;
const END64_LOCATOR_BYTES = 20;
const CENTRAL_BYTES = 46;
const MAX_COMMENT_BYTES = 0xffff;
const NEEDS_64 = 0xffffffff;

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/**
 * Finds the central directory. @throws ArchiveFault if this is not a complete, single-part zip
 * file.
 */
export function readDirectory(source: ByteSource, place: Place, maxEntries: number): Directory {
  const end = findEnd(source, place);
  const { position } = end;
  const firstDisk = (disk: number) => disk === 0 || disk === 0xffff;
  if (!firstDisk(end.disk) || !firstDisk(end.directoryDisk) || end.countHere !== end.count) {
    throw archiveFault("archive-split", {}, place);
  }
  const needs64 = end.count === 0xffff || end.size === NEEDS_64 || end.offset === NEEDS_64;
  const extended = needs64 ? readEnd64(source, position, place) : undefined;
  const { count, size, offset } = extended ?? end;
  const directoryEnd = extended?.position ?? position;
  if (count > maxEntries) {
    throw archiveFault("archive-too-many-entries", { count, limit: maxEntries }, place);
  }
  if (offset + size !== directoryEnd) {
    const reason = `it should lie at byte ${offset} with ${size} bytes and end at byte ${directoryEnd}`;
    throw archiveFault("archive-directory-broken", { reason }, place);
  }
  return { offset, count, bytes: source.read(offset, size) };
}

interface End {
  readonly position: number;
  readonly disk: number;
  readonly directoryDisk: number;
  readonly countHere: number;
  readonly count: number;
  readonly size: number;
  readonly offset: number;
}

function findEnd(source: ByteSource, place: Place): End {
  const tailBytes = Math.min(source.size, END_BYTES + MAX_COMMENT_BYTES);
  const tailStart = source.size - tailBytes;
  const tail = source.read(tailStart, tailBytes);
  const view = viewOf(tail);
  let shorter: number | undefined;
  for (let at = tailBytes - END_BYTES; at >= 0; at--) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    const rest = tailBytes - at - END_BYTES - view.getUint16(at + 20, true);
    // The record nearest the end whose comment reaches the end of the file is the only one that
    // counts.
    if (rest === 0) return endAt(view, at, tailStart);
    if (rest > 0) shorter ??= rest;
  }
  if (shorter !== undefined) throw archiveFault("archive-trailing-data", { bytes: shorter }, place);
  throw noEnd(source, place);
}

function endAt(view: DataView, at: number, tailStart: number): End {
  return {
    position: tailStart + at,
    disk: view.getUint16(at + 4, true),
    directoryDisk: view.getUint16(at + 6, true),
    countHere: view.getUint16(at + 8, true),
    count: view.getUint16(at + 10, true),
    size: view.getUint32(at + 12, true),
    offset: view.getUint32(at + 16, true),
  };
}

interface End64 {
  readonly position: number;
  readonly count: number;
  readonly size: number;
  readonly offset: number;
}

function readEnd64(source: ByteSource, endPosition: number, place: Place): End64 | undefined {
  const locatorAt = endPosition - END64_LOCATOR_BYTES;
  if (locatorAt < END64_BYTES) return undefined;
  const locator = viewOf(source.read(locatorAt, END64_LOCATOR_BYTES));
  // Without a locator the all-ones values of the short record are meant literally.
  if (locator.getUint32(0, true) !== END64_LOCATOR_SIGNATURE) return undefined;
  const broken = (reason: string) => archiveFault("archive-directory-broken", { reason }, place);
  if (locator.getUint32(4, true) !== 0 || locator.getUint32(16, true) > 1) {
    throw archiveFault("archive-split", {}, place);
  }
  const position = uint64(locator, 8);
  if (position + END64_BYTES > locatorAt)
    throw broken("its 64-bit end record lies outside the file");
  const view = viewOf(source.read(position, END64_BYTES));
  if (view.getUint32(0, true) !== END64_SIGNATURE) throw broken("its 64-bit end record is missing");
  if (position + 12 + uint64(view, 4) !== locatorAt) {
    throw broken("its 64-bit end record has a wrong length");
  }
  return {
    position,
    count: uint64(view, 32),
    size: uint64(view, 40),
    offset: uint64(view, 48),
  };
}

/** Beyond 2^53 the value is only good for being too large, which is all that it is used for. */
function uint64(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, true));
}

/**
 * Yields the records one by one. @throws ArchiveFault if they are cut off or do not fill the
 * directory.
 */
export function* directoryRecords(directory: Directory, place: Place): Generator<DirectoryRecord> {
  const { bytes, count } = directory;
  const view = viewOf(bytes);
  const broken = (reason: string) => archiveFault("archive-directory-broken", { reason }, place);
  let at = 0;
  for (let i = 0; i < count; i++) {
    if (at + CENTRAL_BYTES > bytes.length || view.getUint32(at, true) !== CENTRAL_SIGNATURE) {
      throw broken(`it announces ${count} entries and has ${i}`);
    }
    const nameAt = at + CENTRAL_BYTES;
    const extraAt = nameAt + view.getUint16(at + 28, true);
    const extraEnd = extraAt + view.getUint16(at + 30, true);
    const next = extraEnd + view.getUint16(at + 32, true);
    if (next > bytes.length) throw broken(`entry ${i + 1} of ${count} is cut off`);
    if (view.getUint16(at + 34, true) !== 0) throw archiveFault("archive-split", {}, place);
    const flags = view.getUint16(at + 8, true);
    const nameBytes = bytes.subarray(nameAt, extraAt);
    const name = decodeName(nameBytes, (flags & 0x800) !== 0);
    if (name === undefined) {
      const entry = printableName(decodeUnmarked(nameBytes));
      throw archiveFault("archive-name-encoding", { entry }, place);
    }
    const wide = wideSizes(view, at, extraAt, extraEnd);
    if (wide === undefined) throw broken(`entry '${printableName(name)}' lacks its 64-bit sizes`);
    yield {
      name,
      nameBytes,
      flags,
      method: view.getUint16(at + 10, true),
      crc32: view.getUint32(at + 16, true),
      externalAttributes: view.getUint32(at + 38, true),
      ...wide,
    };
    at = next;
  }
  if (at !== bytes.length) throw broken(`${bytes.length - at} bytes follow its last entry`);
}

type WideSizes = Pick<DirectoryRecord, "compressedSize" | "size" | "headerOffset">;

/**
 * Sizes and offset; those that do not fit 32 bits come from the 64-bit extra field (id 1), in this
 * order.
 */
function wideSizes(
  view: DataView,
  at: number,
  extraAt: number,
  extraEnd: number,
): WideSizes | undefined {
  const short = [20, 24, 42].map((offset) => view.getUint32(at + offset, true));
  let [compressedSize, size, headerOffset] = short as [number, number, number];
  if (!short.includes(NEEDS_64)) return { compressedSize, size, headerOffset };
  let field = extraAt;
  while (field + 4 <= extraEnd && view.getUint16(field, true) !== 1) {
    field += 4 + view.getUint16(field + 2, true);
  }
  if (field + 4 > extraEnd) return undefined;
  const fieldEnd = Math.min(extraEnd, field + 4 + view.getUint16(field + 2, true));
  let next = field + 4;
  const take = (value: number): number => {
    if (value !== NEEDS_64) return value;
    next += 8;
    return next <= fieldEnd ? uint64(view, next - 8) : Number.NaN;
  };
  size = take(size);
  compressedSize = take(compressedSize);
  headerOffset = take(headerOffset);
  return Number.isNaN(size + compressedSize + headerOffset)
    ? undefined
    : { compressedSize, size, headerOffset };
}

/** Why there is no end record: a cut-off zip, or something else altogether. */
function noEnd(source: ByteSource, place: Place): Error {
  const head = source.read(0, Math.min(source.size, 512));
  if (head.length >= 4 && viewOf(head).getUint32(0, true) === LOCAL_SIGNATURE) {
    return archiveFault("archive-truncated", { missing: "its end record is missing" }, place);
  }
  return archiveFault("archive-not-zip", { looksLike: looksLike(head) }, place);
}

/** First bytes that give a file away. */
const KNOWN_STARTS: readonly (readonly [bytes: readonly number[], what: string])[] = [
  [[0x1f, 0x8b], "a gzip file"],
  [[0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c], "a 7-Zip archive"],
  [[0x52, 0x61, 0x72, 0x21], "a RAR archive"],
  [[0x42, 0x5a, 0x68], "a bzip2 file"],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a], "an xz file"],
  [[0x28, 0xb5, 0x2f, 0xfd], "a Zstandard file"],
  [[0x7f, 0x45, 0x4c, 0x46], "a Linux program or library"],
  [[0x4d, 0x5a], "a Windows program or library"],
  [[0x50, 0x4b], "a damaged zip archive"],
];

function looksLike(head: Uint8Array): string {
  if (head.length === 0) return "an empty file";
  for (const [start, what] of KNOWN_STARTS) {
    if (start.every((byte, i) => head[i] === byte)) return what;
  }
  const text = decodeUnmarked(head)
    .replace(/^\uFEFF/, "")
    .trimStart();
  if (/^<!doctype html|^<html/i.test(text)) return "a web page (HTML)";
  if (/^version https:\/\/git-lfs/.test(text))
    return "a Git LFS pointer, not the file it points at";
  if (text.startsWith("<")) return "an XML file";
  const printable = head.every((byte) => byte >= 0x20 || byte === 9 || byte === 10 || byte === 13);
  return printable ? "a text file" : "unknown binary data";
}
