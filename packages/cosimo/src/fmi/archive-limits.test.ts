/**
 * Fields and totals one by one: each 64-bit field alone, each limit exactly reached and passed by
 * one, one bad entry at every place among good ones. Faults of this kind hide behind tests that
 * change everything at once.
 */
import { describe, expect, it } from "vitest";
import { type ArchiveLimits, listArchive } from "./archive.ts";
import { MAX_TEXT_BYTES, textTooLarge } from "./archive-diagnostics.ts";
import {
  concat,
  makeZip,
  memorySource,
  type WideField,
  type ZipItem,
  type ZipOptions,
} from "./testing/zip-builder.ts";

const MIB = 1024 ** 2;
const DATA = "0123456789".repeat(10);
const ITEMS: readonly ZipItem[] = [
  { name: "first", data: DATA },
  { name: "second", data: `${DATA}${DATA}`, stored: true },
  { name: "third", data: "3" },
];

function list(
  items: readonly ZipItem[],
  options: ZipOptions = {},
  limits?: Partial<ArchiveLimits>,
) {
  return listArchive(memorySource(makeZip(items, options)), "m.fmu", limits);
}

function codes(...args: Parameters<typeof list>): string[] {
  return list(...args).diagnostics.map(({ code }) => code);
}

const FIELDS: readonly WideField[] = ["size", "compressedSize", "offset"];
const SUBSETS = Array.from({ length: 8 }, (_, bits) => FIELDS.filter((__, i) => bits & (1 << i)));

describe("64-bit fields of an entry", () => {
  const plain = list(ITEMS).value!.entries;

  it.each(SUBSETS)("[AR1] read as the 32-bit ones: %j %j %j", (...fields) => {
    const zip64 = fields.filter((field) => field !== undefined);
    for (let at = 0; at < ITEMS.length; at++) {
      const items = ITEMS.map((item, i) => (i === at ? { ...item, zip64 } : item));
      const { value, diagnostics } = list(items);
      expect(diagnostics).toEqual([]);
      expect(value!.entries).toEqual(plain);
    }
  });

  it.each(FIELDS)("[AR2] a 64-bit %s that is not there is refused", (field) => {
    const item: ZipItem = { ...ITEMS[1]!, zip64: [field], extra: () => new Uint8Array() };
    expect(codes([ITEMS[0]!, item])).toEqual(["archive-directory-broken"]);
  });

  it.each([1, 7, 8])("[AR2] an extra field that is %i bytes short is refused", (missing) => {
    const cut = (wide: Uint8Array): Uint8Array => {
      const shorter = wide.slice(0, wide.length - missing);
      shorter[2]! -= missing;
      return shorter;
    };
    expect(codes([{ ...ITEMS[0]!, zip64: true, extra: cut }])).toEqual([
      "archive-directory-broken",
    ]);
    // Its length reaches beyond the record.
    const long = (wide: Uint8Array): Uint8Array => wide.slice(0, wide.length - missing);
    expect(codes([{ ...ITEMS[0]!, zip64: true, extra: long }])).toEqual([
      "archive-directory-broken",
    ]);
  });

  it("[AR1] other extra fields before and behind it are skipped", () => {
    const other = Uint8Array.of(0x55, 0x54, 3, 0, 1, 2, 3);
    const extra = (wide: Uint8Array) => concat([other, wide, other]);
    const { value } = list([{ ...ITEMS[0]!, zip64: true, extra }, ...ITEMS.slice(1)]);
    expect(value?.entries).toEqual(plain);
  });

  it("[AR1] comments of entries are skipped, at every place", () => {
    for (let at = 0; at < ITEMS.length; at++) {
      const items = ITEMS.map((item, i) =>
        i === at ? { ...item, comment: "made by a tool" } : item,
      );
      expect(list(items).value?.entries).toEqual(plain);
    }
    const all = ITEMS.map((item) => ({
      ...item,
      comment: item.name as string,
      zip64: true as const,
    }));
    expect(list(all).value?.entries).toEqual(plain);
  });

  it.each([
    ["size", "archive-too-large"],
    ["compressedSize", "archive-header-mismatch"],
    ["offset", "archive-header-mismatch"],
  ] as const)("[AR6] a 64-bit %s beyond the file is refused", (field, code) => {
    const item: ZipItem = { name: "a", data: DATA, lie: { [field]: 2 ** 40 }, zip64: [field] };
    const local = field === "offset" ? {} : { [field]: 0xffffffff };
    expect(codes([{ ...item, local }], {}, { maxRatio: Number.POSITIVE_INFINITY })).toEqual([code]);
  });
});

describe("the 64-bit end record", () => {
  it.each([[["count"]], [["size"]], [["offset"]], [["count", "offset"]]] as const)(
    "[AR1] is read where only %j does not fit",
    (zip64End) => {
      const { value, diagnostics } = list(ITEMS, { zip64End });
      expect(diagnostics).toEqual([]);
      expect(value!.entries.map(({ name }) => name)).toEqual(ITEMS.map(({ name }) => name));
    },
  );

  it.each([
    ["signature", 0x06064b51, "archive-directory-broken"],
    ["length", 43, "archive-directory-broken"],
    ["length", 45, "archive-directory-broken"],
    ["position", 0, "archive-directory-broken"],
    ["position", 2 ** 40, "archive-directory-broken"],
    ["locatorDisk", 1, "archive-split"],
    ["disks", 2, "archive-split"],
  ] as const)("[AR2] with the %s %d it is refused", (field, value, code) => {
    expect(codes(ITEMS, { zip64End: true, end64: { [field]: value } })).toEqual([code]);
  });

  it("[AR1] some tools count no disk at all", () => {
    expect(codes(ITEMS, { zip64End: true, end64: { disks: 0 } })).toEqual([]);
  });

  it("[AR1] 65 535 entries need no 64-bit record", () => {
    const count = 0xffff;
    const items = Array.from({ length: count }, (_, i) => ({ name: `${i}` }));
    const { value, diagnostics } = list(items, {}, { maxEmptyFiles: count });
    expect(diagnostics).toEqual([]);
    expect(value!.entries).toHaveLength(count);
  });
});

describe("totals exactly at a limit", () => {
  it("[AR8] entries", () => {
    expect(codes(ITEMS, {}, { maxEntries: ITEMS.length })).toEqual([]);
    expect(codes(ITEMS, {}, { maxEntries: ITEMS.length - 1 })).toEqual([
      "archive-too-many-entries",
    ]);
  });

  it("[AR8] unpacked bytes", () => {
    const total = ITEMS.reduce((sum, { data }) => sum + data!.length, 0);
    expect(codes(ITEMS, {}, { maxTotalBytes: total })).toEqual([]);
    const { diagnostics } = list(ITEMS, {}, { maxTotalBytes: total - 1 });
    expect(diagnostics.map(({ code }) => code)).toEqual(["archive-too-large"]);
  });

  it("[AR14] empty files, of which folders are none", () => {
    const empty = ["a", "b", "c"].map((name) => ({ name }));
    const items = [...empty, { name: "folder/" }, ...ITEMS];
    expect(codes(items, {}, { maxEmptyFiles: empty.length })).toEqual([]);
    expect(codes(items, {}, { maxEmptyFiles: empty.length - 1 })).toEqual(["archive-empty-files"]);
  });

  const sized = (size: number, compressedSize: number): ZipItem => {
    const data = new Uint8Array(compressedSize);
    return { name: "a", data, stored: true, lie: { method: 8, size } };
  };

  it("[AR8] the ratio of an entry above 64 MiB", () => {
    const packed = 2 * MIB;
    const limits = { maxRatio: 40 };
    expect(codes([sized(40 * packed, packed)], {}, limits)).toEqual([]);
    expect(codes([sized(41 * packed, packed)], {}, limits)).toEqual(["archive-ratio"]);
  });

  it("[AR8] an entry of exactly 64 MiB may have any ratio, one byte more may not", () => {
    expect(codes([sized(64 * MIB, 1)])).toEqual([]);
    expect(codes([sized(64 * MIB + 1, 1)])).toEqual(["archive-ratio"]);
  });

  it("[AR14] the ratio of all entries together, above 64 MiB together", () => {
    const half = 33 * MIB;
    const pair = (packed: number): ZipItem[] => [
      { ...sized(half, packed), name: "a" },
      { ...sized(half, packed), name: "b" },
    ];
    const limits = { maxRatio: 33 };
    expect(codes(pair(MIB), {}, limits)).toEqual([]);
    expect(codes(pair(MIB - MIB / 8), {}, limits)).toEqual(["archive-total-ratio"]);
    const small = pair(1).map((item) => ({ ...item, lie: { method: 8, size: 32 * MIB } }));
    expect(codes(small, {}, limits)).toEqual([]);
  });

  it("[AR15] texts", () => {
    expect(textTooLarge("a.xml", MAX_TEXT_BYTES, "m.fmu")).toBeUndefined();
    expect(textTooLarge("a.xml", MAX_TEXT_BYTES + 1, "m.fmu")?.code).toBe("archive-text-too-large");
  });
});

describe("one bad entry among good ones", () => {
  const BAD: readonly (readonly [code: string, item: ZipItem])[] = [
    ["archive-path-traversal", { name: "a/../../b" }],
    ["archive-link", { name: "link", data: "/etc", mode: 0o120777 }],
    ["archive-encrypted", { name: "secret", data: "x", lie: { flags: 0x801 } }],
    ["archive-method", { name: "packed", data: "x", lie: { method: 14 } }],
    ["archive-folder-data", { name: "folder/", data: "x" }],
    ["archive-header-mismatch", { name: "two", data: "x", local: { crc32: 1 } }],
    ["archive-duplicate", { name: "first" }],
  ];

  it.each(BAD)("[AR6] %s is found wherever it is, and nothing is listed", (code, bad) => {
    for (let at = 1; at <= ITEMS.length; at++) {
      const { value, diagnostics } = list(ITEMS.toSpliced(at, 0, bad));
      expect(diagnostics.map((d) => d.code)).toEqual([code]);
      expect(value).toBeUndefined();
    }
  });
});
