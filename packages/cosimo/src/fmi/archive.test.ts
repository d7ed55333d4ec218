import { describe, expect, it } from "vitest";
import { NODE_CODEC } from "../platform/node/file-source.ts";
import { type ArchiveLimits, listArchive, readEntry } from "./archive.ts";
import { PORTABLE_CODEC } from "./archive-codec.ts";
import { ARCHIVE_DIAGNOSTICS } from "./archive-diagnostics.ts";
import {
  concat,
  makeZip,
  memorySource,
  type ZipItem,
  type ZipOptions,
} from "./testing/zip-builder.ts";

const XML: ZipItem = { name: "modelDescription.xml", data: "<fmiModelDescription/>" };
const encoder = new TextEncoder();

function codes(bytes: Uint8Array, limits?: Partial<ArchiveLimits>): string[] {
  const { value, diagnostics } = listArchive(memorySource(bytes), "m.fmu", limits);
  const errors = diagnostics.filter((d) => d.severity === "error");
  expect(value === undefined, "no value exactly when there is an error").toBe(errors.length > 0);
  return diagnostics.map((d) => d.code);
}

const codesOf = (items: ZipItem[], options?: ZipOptions) => codes(makeZip(items, options));

/** Every code that a test of this file has seen; the last test compares it with the table. */
const seen = new Set<string>();
function expectCode(found: string[], code: string): void {
  expect(found).toEqual([code]);
  seen.add(code);
}

describe("an honest archive", () => {
  it.each([
    ["plain", {}],
    ["with a comment", { comment: "made by a tool" }],
    ["with 64-bit end record", { zip64End: true }],
    ["with unused bytes before the directory", { gap: new Uint8Array(7) }],
  ] as [string, ZipOptions][])("[AR1] lists its entries: %s", (_, options) => {
    const zip = makeZip(
      [{ name: "resources/" }, { name: "resources/ä.txt", data: "hello", zip64: true }, XML],
      options,
    );
    const { value, diagnostics } = listArchive(memorySource(zip), "m.fmu");
    expect(diagnostics).toEqual([]);
    expect(value!.entries.map((e) => [e.name, e.folder, e.size])).toEqual([
      ["resources", true, 0],
      ["resources/ä.txt", false, 5],
      ["modelDescription.xml", false, 22],
    ]);
  });

  it("[AR1] reads a name that is not marked as UTF-8 as UTF-8 if it is valid, else as code page 437", () => {
    const name = (bytes: Uint8Array) =>
      listArchive(memorySource(makeZip([{ name: bytes }])), "m.fmu").value!.entries[0]!.name;
    expect(name(encoder.encode("größe.txt"))).toBe("größe.txt");
    expect(name(Uint8Array.of(0x67, 0x72, 0x94, 0xe1, 0x65))).toBe("größe");
  });

  it("[AR1] accepts sizes that follow the data instead of standing in the entry's own header", () => {
    const follow = { flags: 0x808 };
    const local = { flags: 0x808, crc32: 0, compressedSize: 0, size: 0 };
    expect(codesOf([{ ...XML, lie: follow, local }])).toEqual([]);
  });

  it.each([
    ["portable", PORTABLE_CODEC],
    ["node", NODE_CODEC],
  ] as const)("[AR7] unpacks an entry and verifies size and checksum (%s codec)", (_, codec) => {
    const big = "0123456789abcdef".repeat(100_000);
    const zip = makeZip([
      { name: "a", data: big },
      { name: "b", data: "stored", stored: true },
      { name: "c" },
    ]);
    const source = memorySource(zip);
    const texts = listArchive(source, "m.fmu").value!.entries.map((entry) =>
      new TextDecoder().decode(readEntry(source, entry, "m.fmu", codec).value),
    );
    expect(texts).toEqual([big, "stored", ""]);
  });
});

describe("an archive that is spelled in its own way", () => {
  const namesOf = (items: ZipItem[]): string[] =>
    listArchive(memorySource(makeZip(items)), "m.fmu").value!.entries.map(
      ({ name, folder }) => `${name}${folder ? "/" : ""}`,
    );

  it.each([
    ["binaries\\win64\\m.dll", "binaries/win64/m.dll", "archive-path-backslash"],
    ["resources\\", "resources/", "archive-path-backslash"],
    ["a//b", "a/b", "archive-path-segment"],
    ["./a", "a", "archive-path-segment"],
    ["./a/./b/", "a/b/", "archive-path-segment"],
  ])("[AR3] the path %j is read as %j, with a warning", (name, path, code) => {
    expectCode(codesOf([XML, { name }]), code);
    expect(namesOf([XML, { name }])).toEqual(["modelDescription.xml", path]);
  });

  it("[AR3] says so once, however many entries are spelled so; the root itself is not an entry", () => {
    const items = ["./", "./a", "./b", "./c"].map((name) => ({ name }));
    const { diagnostics } = listArchive(memorySource(makeZip(items)), "m.fmu");
    expect(diagnostics.map(({ message }) => message)).toEqual([
      expect.stringContaining("entry './' (and 3 other entries)"),
    ]);
    expect(namesOf(items)).toEqual(["a", "b", "c"]);
  });

  it("[AR5] an entry that is repeated with the same content counts once", () => {
    expectCode(codesOf([XML, XML]), "archive-duplicate-equal");
    expect(namesOf([XML, { name: "a/" }, XML, { name: "a/" }])).toEqual([XML.name, "a/"]);
    expect(codesOf([XML, { ...XML, stored: true }])).toEqual(["archive-duplicate-equal"]);
  });

  it("[AR5] a folder may be marked by its attributes alone", () => {
    expect(namesOf([{ name: "a", externalAttributes: 0x10 }, { name: "a/b" }])).toEqual([
      "a/",
      "a/b",
    ]);
    expect(namesOf([{ name: "a", mode: 0o040755 }, { name: "a/b" }])).toEqual(["a/", "a/b"]);
  });
});

describe("a container that is broken", () => {
  it.each([
    ["", "an empty file"],
    ["<?xml version='1.0'?><a/>", "an XML file"],
    ["<!DOCTYPE html><html>", "a web page (HTML)"],
    ["version https://git-lfs.github.com/spec/v1", "a Git LFS pointer, not the file it points at"],
    ["\u001f\u008b\b", "unknown binary data"],
    ["hello\n", "a text file"],
    ["PK", "a damaged zip archive"],
    ["MZ\0\0", "a Windows program or library"],
  ])("[AR2] %j is not a zip archive but %s", (text, what) => {
    const { diagnostics } = listArchive(memorySource(encoder.encode(text)), "m.fmu");
    expectCode(
      diagnostics.map((d) => d.code),
      "archive-not-zip",
    );
    expect(diagnostics[0]!.message).toContain(what);
  });

  it("[AR2] recognises gzip by its first bytes", () => {
    const { diagnostics } = listArchive(memorySource(Uint8Array.of(0x1f, 0x8b, 8, 0)), "m.fmu");
    expect(diagnostics[0]!.message).toContain("a gzip file");
  });

  it("[AR2] a zip file that was cut off is refused wherever the cut is", () => {
    const zip = makeZip([XML]);
    expectCode(codes(zip.subarray(0, zip.length - 1)), "archive-truncated");
    expect(codes(zip.subarray(0, 40))).toEqual(["archive-truncated"]);
    for (let length = 0; length < zip.length; length++) {
      expect(codes(zip.subarray(0, length))).toHaveLength(1);
    }
  });

  it("[AR2] bytes after the end are refused", () => {
    expectCode(codes(concat([makeZip([XML]), Uint8Array.of(1, 2, 3)])), "archive-trailing-data");
  });

  it("[AR2] a directory that is not where the end record says is refused", () => {
    expectCode(codes(concat([Uint8Array.of(1, 2, 3), makeZip([XML])])), "archive-directory-broken");
    expect(codesOf([XML], { end: { count: 2 } })).toEqual(["archive-directory-broken"]);
    expect(codesOf([XML, { name: "b" }], { end: { count: 1 } })).toEqual([
      "archive-directory-broken",
    ]);
    expect(codesOf([XML], { zip64End: true, end: { offset: 2 ** 40 } })).toEqual([
      "archive-directory-broken",
    ]);
    expect(codesOf([{ ...XML, lie: { size: 0xffffffff } }])).toEqual(["archive-directory-broken"]);
  });

  it("[AR2] a part of a split archive is refused", () => {
    expectCode(codesOf([XML], { end: { disk: 1 } }), "archive-split");
  });
});

describe("a container that attacks", () => {
  it.each([
    ["../evil", "archive-path-traversal"],
    ["a/../../evil", "archive-path-traversal"],
    ["..\\evil", "archive-path-traversal"],
    ["/etc/passwd", "archive-path-absolute"],
    ["\\\\host\\share", "archive-path-absolute"],
    ["C:/Windows/x", "archive-path-drive"],
    ["c:x", "archive-path-drive"],
    ["a\\..\\..\\evil", "archive-path-traversal"],
    ["./../evil", "archive-path-traversal"],
    ["a\0.xml", "archive-name-nul"],
    ["a\nb", "archive-name-nul"],
    ["", "archive-name-encoding"],
    [".", "archive-name-encoding"],
  ])("[AR3] the path %j is refused as %s", (name, code) => {
    expectCode(codesOf([XML, { name }]), code);
  });

  it("[AR3] a name that is marked as UTF-8 and is not is refused", () => {
    for (const bytes of [
      [0xff],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
      [0xe2, 0x82],
      [0xf5, 0x80, 0x80, 0x80],
    ]) {
      const item: ZipItem = { name: Uint8Array.from(bytes), lie: { flags: 0x800 } };
      expectCode(codesOf([item]), "archive-name-encoding");
    }
  });

  it("[AR4] links, devices and pipes are refused; files and folders of Unix are not", () => {
    expectCode(codesOf([{ name: "l", data: "/etc/passwd", mode: 0o120777 }]), "archive-link");
    expect(codesOf([{ name: "l", externalAttributes: 0x420 }])).toEqual(["archive-link"]);
    expectCode(codesOf([{ name: "d", mode: 0o060600 }]), "archive-device");
    expect(codesOf([{ name: "p", mode: 0o010600 }])).toEqual(["archive-device"]);
    expect(
      codesOf([
        { name: "f", mode: 0o100644 },
        { name: "d/", mode: 0o040755 },
      ]),
    ).toEqual([]);
  });

  it("[AR5] an entry that appears twice with other content is refused, also as a folder", () => {
    expectCode(codesOf([XML, { ...XML, data: "<other/>" }]), "archive-duplicate");
    expect(codesOf([XML, { ...XML, name: "./modelDescription.xml", data: "<other/>" }])).toEqual([
      "archive-path-segment",
      "archive-duplicate",
    ]);
    expect(codesOf([{ name: "a" }, { name: "a/" }])).toEqual(["archive-duplicate"]);
  });

  it("[AR5] equal checksums do not make equal content", () => {
    // CRC-32 is linear: these two texts of equal length have the same one.
    const [one, other] = ["plumless", "buckeroo"];
    expect(
      codesOf([
        { name: "a", data: one },
        { name: "a", data: other },
      ]),
    ).toEqual(["archive-duplicate"]);
  });

  it("[AR5] what is packed differently is compared up to a limit, and refused beyond it", () => {
    const data = new Uint8Array(33 * 1024 ** 2);
    const twice = [{ name: "a", data: data.subarray(0, 1000) }];
    expect(codesOf([...twice, { ...twice[0]!, stored: true }])).toEqual([
      "archive-duplicate-equal",
    ]);
    expect(
      codesOf([
        { name: "a", data },
        { name: "a", data, stored: true },
      ]),
    ).toEqual(["archive-duplicate"]);
  });

  it("[AR5] entries that differ only in case or composition are a warning", () => {
    expectCode(
      codesOf([{ name: "resources/A" }, { name: "resources/a" }]),
      "archive-case-collision",
    );
    expect(codesOf([{ name: "\u00e9" }, { name: "e\u0301" }])).toEqual(["archive-case-collision"]);
  });

  it("[AR5] a file that is also a folder is refused, in either order", () => {
    expectCode(codesOf([{ name: "a" }, { name: "a/b/c" }]), "archive-file-and-folder");
    expect(codesOf([{ name: "a/b/c" }, { name: "a/b" }])).toEqual(["archive-file-and-folder"]);
    expect(codesOf([{ name: "a/" }, { name: "a/b" }])).toEqual([]);
  });

  it("[AR5] a folder with content is refused", () => {
    expectCode(codesOf([{ name: "a/", data: "x", stored: true }]), "archive-folder-data");
  });

  it("[AR6] encrypted entries and foreign compression are refused", () => {
    expectCode(codesOf([{ ...XML, lie: { flags: 0x801 } }]), "archive-encrypted");
    expectCode(codesOf([{ ...XML, lie: { method: 93 } }]), "archive-method");
    const { diagnostics } = listArchive(
      memorySource(makeZip([{ ...XML, lie: { method: 9 } }])),
      "m",
    );
    expect(diagnostics[0]!.message).toContain("deflate64");
  });

  it.each([
    ["its name", { name: "modelDescription.xmL" }],
    ["its name", { name: "x" }],
    ["encryption", { flags: 0x801 }],
    ["its compression method", { method: 0 }],
    ["its checksum", { crc32: 1 }],
    ["its size", { compressedSize: 1 }],
    ["its size", { size: 1 }],
  ] as const)("[AR6] two headers that disagree about %s are refused", (what, local) => {
    const { diagnostics } = listArchive(memorySource(makeZip([{ ...XML, local }])), "m.fmu");
    expectCode(
      diagnostics.map((d) => d.code),
      "archive-header-mismatch",
    );
    expect(diagnostics[0]!.message).toContain(what);
  });

  it("[AR6] an entry that points outside the archive is refused", () => {
    expect(codesOf([{ ...XML, lie: { offset: 2 ** 31 } }])).toEqual(["archive-header-mismatch"]);
    expect(codesOf([{ ...XML, lie: { offset: 3 } }])).toEqual(["archive-header-mismatch"]);
    const huge = { compressedSize: 2 ** 31, size: 2 ** 31 };
    expect(codesOf([{ ...XML, lie: huge }])).toEqual(["archive-header-mismatch"]);
  });

  it("[AR6] entries that share bytes are refused", () => {
    const inner = makeZip([{ name: "b", data: "shared", stored: true }]);
    const local = inner.subarray(0, inner.length - 22 - 47);
    const outer: ZipItem = { name: "a", data: local, stored: true };
    const second: ZipItem = { name: "b", data: "shared", stored: true, lie: { offset: 31 } };
    expectCode(codesOf([outer, second]), "archive-overlap");
  });

  it("[AR8] limits hold and can be raised", () => {
    const many = makeZip([{ name: "a" }, { name: "b" }, { name: "c" }]);
    expectCode(codes(many, { maxEntries: 2 }), "archive-too-many-entries");
    const large = makeZip([{ name: "a", data: "tiny", lie: { size: 100 * 1024 ** 2 } }]);
    expectCode(codes(large, { maxTotalBytes: 1024 ** 2, maxRatio: 1e9 }), "archive-too-large");
    expectCode(codes(large), "archive-ratio");
    expect(codes(large, { maxRatio: 1e9 })).toEqual([]);
  });

  it("[AR14] entries below 64 MiB, and empty ones, count together", () => {
    const size = 63 * 1024 ** 2;
    const bomb = Array.from({ length: 60 }, (_, i) => ({
      name: `${i}`,
      data: "tiny",
      lie: { size },
    }));
    expectCode(codesOf(bomb), "archive-total-ratio");
    expect(codes(makeZip(bomb), { maxRatio: 1e9 })).toEqual([]);
    const empty = Array.from({ length: 6000 }, (_, i) => ({ name: `${i}`, data: "" }));
    expectCode(codesOf(empty), "archive-empty-files");
    expect(codes(makeZip(empty), { maxEmptyFiles: 6000 })).toEqual([]);
  });

  it("[AR8] reports a limited number of faults", () => {
    const items = Array.from({ length: 500 }, (_, i) => ({ name: `../${i}` }));
    expect(codesOf(items)).toHaveLength(50);
  });
});

describe.each([
  ["portable", PORTABLE_CODEC],
  ["node", NODE_CODEC],
] as const)("an entry whose content is broken (%s codec)", (_, codec) => {
  function readFirst(item: ZipItem): string[] {
    const source = memorySource(makeZip([item]));
    const listed = listArchive(source, "m.fmu", { maxRatio: 1e9 });
    expect(listed.diagnostics).toEqual([]);
    return readEntry(source, listed.value!.entries[0]!, "m.fmu", codec).diagnostics.map(
      (d) => d.code,
    );
  }

  it("[AR7] data that is not a deflate stream is refused", () => {
    const item: ZipItem = {
      name: "a",
      data: "\u0007\u0007\u0007\u0007",
      stored: true,
      lie: { method: 8, size: 9 },
    };
    expectCode(readFirst(item), "archive-data-broken");
  });

  it("[AR7] data that is longer or shorter than declared is refused, without unpacking all of it", () => {
    const bomb = new Uint8Array(64 * 1024 ** 2);
    expectCode(readFirst({ name: "a", data: bomb, lie: { size: 10 } }), "archive-size-mismatch");
    expect(readFirst({ name: "a", data: "abc", lie: { size: 10 } })).toEqual([
      "archive-size-mismatch",
    ]);
  });

  it("[AR7] a wrong checksum is refused", () => {
    expectCode(readFirst({ name: "a", data: "abc", lie: { crc32: 1 } }), "archive-crc");
  });
});

it("every code about archives in memory has been provoked by a test above", () => {
  // These need a disk; platform/node/fmu-file.test.ts provokes them.
  const onDisk = [
    "archive-unreadable",
    "archive-unpack-failed",
    "archive-no-description",
    "archive-nested-root",
    "archive-text-too-large",
  ];
  const missing = Object.keys(ARCHIVE_DIAGNOSTICS).filter((code) => !seen.has(code));
  expect(missing.sort()).toEqual(onDisk.sort());
});
