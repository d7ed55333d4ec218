/**
 * Zip files for tests, honest or lying: every header field can be overridden, because the archives
 * that matter most are those no zip tool would write.
 */
import { crc32, deflateRawSync } from "node:zlib";
import type { ByteSource } from "../archive-directory.ts";

export interface ZipItem {
  readonly name: string | Uint8Array;
  readonly data?: string | Uint8Array;
  /** Default: deflated, folders stored. */
  readonly stored?: boolean;
  /**
   * What the central directory says, where it is not the truth; the local header follows unless
   * `local` differs.
   */
  readonly lie?: Partial<HeaderFields>;
  /** What the local header says, where it differs from the central directory. */
  readonly local?: Partial<HeaderFields>;
  /** Unix mode, for the upper half of the external attributes. */
  readonly mode?: number;
  readonly externalAttributes?: number;
  /** Sizes and offset as 64-bit extra field: all of them, or those that are named. */
  readonly zip64?: true | readonly WideField[];
  /** What the central directory says beside the entry. */
  readonly comment?: string;
  /** Changes the extra fields of the central directory. */
  readonly extra?: (wide: Uint8Array) => Uint8Array;
}

export type WideField = "size" | "compressedSize" | "offset";
const WIDE_FIELDS: readonly WideField[] = ["size", "compressedSize", "offset"];

export interface HeaderFields {
  name: string;
  flags: number;
  method: number;
  crc32: number;
  compressedSize: number;
  size: number;
  offset: number;
}

export interface ZipOptions {
  readonly comment?: string;
  /**
   * A 64-bit end record beside the short one, which then says "look there" in all its fields, or in
   * those that are named.
   */
  readonly zip64End?: true | readonly ("count" | "size" | "offset")[];
  /** Overrides of the 64-bit end record and of the locator that points at it. */
  readonly end64?: {
    readonly signature?: number;
    readonly length?: number;
    readonly locatorDisk?: number;
    readonly position?: number;
    readonly disks?: number;
  };
  /** Overrides of the end record. */
  readonly end?: {
    readonly count?: number;
    readonly size?: number;
    readonly offset?: number;
    readonly disk?: number;
  };
  /** Bytes put between the entries and the directory. */
  readonly gap?: Uint8Array;
}

const UTF8 = 0x800;

export function makeZip(items: readonly ZipItem[], options: ZipOptions = {}): Uint8Array {
  const body: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let at = 0;
  for (const item of items) {
    const data = bytesOf(item.data ?? "");
    const nameBytes = bytesOf(item.name);
    const stored = item.stored ?? (data.length === 0 || undefined);
    const packed = stored === true ? data : new Uint8Array(deflateRawSync(data));
    const truth: HeaderFields = {
      name: "",
      flags: typeof item.name === "string" ? UTF8 : 0,
      method: stored === true ? 0 : 8,
      crc32: crc32(data),
      compressedSize: packed.length,
      size: data.length,
      offset: at,
    };
    const central = { ...truth, ...item.lie };
    const local = { ...central, ...item.local };
    const localName = item.local?.name === undefined ? nameBytes : bytesOf(item.local.name);
    const header = [localHeader(local, localName), localName, packed];
    body.push(...header);
    at += header.reduce((sum, part) => sum + part.length, 0);
    const attributes = item.externalAttributes ?? ((item.mode ?? 0) << 16) >>> 0;
    directory.push(...centralRecord(central, nameBytes, attributes, item));
  }
  if (options.gap !== undefined) body.push(options.gap);
  const start = total(body);
  const size = total(directory);
  return concat([...body, ...directory, ...endRecords(items.length, start, size, options)]);
}

function localHeader(fields: HeaderFields, name: Uint8Array): Uint8Array {
  return pack([
    [4, 0x04034b50],
    [2, 20],
    [2, fields.flags],
    [2, fields.method],
    [4, 0x21 << 16],
    [4, fields.crc32],
    [4, fields.compressedSize],
    [4, fields.size],
    [2, name.length],
    [2, 0],
  ]);
}

function centralRecord(
  fields: HeaderFields,
  name: Uint8Array,
  attributes: number,
  { zip64 = [], comment = "", extra: change = (made) => made }: ZipItem,
): Uint8Array[] {
  const wide = WIDE_FIELDS.filter((field) => zip64 === true || zip64.includes(field));
  const made = pack([
    [2, 1],
    [2, 8 * wide.length],
    ...wide.map((field) => [8, fields[field]] as const),
  ]);
  const extra = change(wide.length > 0 ? made : new Uint8Array());
  const narrow = (field: WideField) => (wide.includes(field) ? 0xffffffff : fields[field]);
  const header = pack([
    [4, 0x02014b50],
    [2, (3 << 8) | 20],
    [2, 20],
    [2, fields.flags],
    [2, fields.method],
    [4, 0x21 << 16],
    [4, fields.crc32],
    [4, narrow("compressedSize")],
    [4, narrow("size")],
    [2, name.length],
    [2, extra.length],
    [2, bytesOf(comment).length],
    [2, 0],
    [2, 0],
    [4, attributes],
    [4, narrow("offset")],
  ]);
  return [header, name, extra, bytesOf(comment)];
}

function endRecords(items: number, start: number, size: number, options: ZipOptions): Uint8Array[] {
  const end = { count: items, size, offset: start, disk: 0, ...options.end };
  const comment = bytesOf(options.comment ?? "");
  const { zip64End = [], end64 = {} } = options;
  const isWide = (field: "count" | "size" | "offset"): boolean =>
    zip64End === true || zip64End.includes(field);
  const records: Uint8Array[] = [];
  if (zip64End === true || zip64End.length > 0) {
    records.push(
      pack([
        [4, end64.signature ?? 0x06064b50],
        [8, end64.length ?? 44],
        [2, 45],
        [2, 45],
        [4, 0],
        [4, 0],
        [8, end.count],
        [8, end.count],
        [8, end.size],
        [8, end.offset],
      ]),
      pack([
        [4, 0x07064b50],
        [4, end64.locatorDisk ?? 0],
        [8, end64.position ?? start + size],
        [4, end64.disks ?? 1],
      ]),
    );
  }
  records.push(
    pack([
      [4, 0x06054b50],
      [2, end.disk],
      [2, end.disk],
      [2, isWide("count") ? 0xffff : end.count],
      [2, isWide("count") ? 0xffff : end.count],
      [4, isWide("size") ? 0xffffffff : end.size],
      [4, isWide("offset") ? 0xffffffff : end.offset],
      [2, comment.length],
    ]),
    comment,
  );
  return records;
}

function pack(fields: readonly (readonly [bytes: 2 | 4 | 8, value: number])[]): Uint8Array {
  const out = new Uint8Array(fields.reduce((sum, [bytes]) => sum + bytes, 0));
  const view = new DataView(out.buffer);
  let at = 0;
  for (const [bytes, value] of fields) {
    if (bytes === 2) view.setUint16(at, value, true);
    else if (bytes === 4) view.setUint32(at, value, true);
    else view.setBigUint64(at, BigInt(value), true);
    at += bytes;
  }
  return out;
}

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}

function total(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const out = new Uint8Array(total(parts));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** Bytes in memory as a source that refuses to be read outside its bounds. */
export function memorySource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    read(offset, length) {
      if (!(offset >= 0 && length >= 0 && offset + length <= bytes.length)) {
        throw new RangeError(`read of ${length} bytes at ${offset} outside ${bytes.length}`);
      }
      return bytes.subarray(offset, offset + length);
    },
  };
}
