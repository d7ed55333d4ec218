/**
 * [AR13] on archives: seeded random damage to the bytes of small zip files. Whatever comes out,
 * opening it ends with a value or with an error that says why, and never reads outside the file.
 */
import fc from "fast-check";
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { hasErrors } from "../src/base/diagnostic.ts";
import { listArchive, readEntry } from "../src/fmi/archive.ts";
import { PORTABLE_CODEC } from "../src/fmi/archive-codec.ts";
import { concat, makeZip, memorySource } from "../src/fmi/testing/zip-builder.ts";
import { NODE_CODEC } from "../src/platform/node/file-source.ts";

const XML = new TextEncoder().encode(
  `<fmiModelDescription>${"<x/>".repeat(200)}</fmiModelDescription>`,
);

/**
 * Small archives by two writers: with and without 64-bit records, comment, stored entries, folders.
 */
const ORIGINALS: readonly Uint8Array[] = [
  zipSync({ "modelDescription.xml": XML, "binaries/linux64/m.so": XML.subarray(0, 50) }),
  makeZip([
    { name: "modelDescription.xml", data: XML },
    { name: "resources/" },
    { name: "resources/ä.txt", data: "stored", stored: true },
  ]),
  makeZip([{ name: "modelDescription.xml", data: XML, zip64: true }], {
    zip64End: true,
    comment: "a comment",
  }),
];

type Damage =
  | { readonly kind: "flip"; readonly at: number; readonly bit: number }
  | { readonly kind: "truncate"; readonly at: number }
  | { readonly kind: "insert"; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: "remove"; readonly at: number; readonly count: number }
  | { readonly kind: "repeat"; readonly at: number; readonly count: number }
  | {
      readonly kind: "field";
      readonly record: number;
      readonly offset: number;
      readonly value: number;
    };

const position = fc.nat(0xffff);
const damage: fc.Arbitrary<Damage> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant("flip" as const), at: position, bit: fc.nat(7) }),
  },
  fc.record({ kind: fc.constant("truncate" as const), at: position }),
  fc.record({
    kind: fc.constant("insert" as const),
    at: position,
    bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
  }),
  fc.record({
    kind: fc.constant("remove" as const),
    at: position,
    count: fc.integer({ min: 1, max: 60 }),
  }),
  fc.record({
    kind: fc.constant("repeat" as const),
    at: position,
    count: fc.integer({ min: 1, max: 200 }),
  }),
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("field" as const),
      record: fc.nat(20),
      offset: fc.nat(60),
      value: fc.constantFrom(
        0,
        1,
        8,
        20,
        0x7fffffff,
        0x80000000,
        0xfffffffe,
        0xffffffff,
        0xffff,
        0x10000,
      ),
    }),
  },
);

/** Where records begin: every 'PK' of the archive. */
function records(bytes: Uint8Array): number[] {
  const found: number[] = [];
  for (let i = 0; i + 4 <= bytes.length; i++) {
    if (bytes[i] === 0x50 && bytes[i + 1] === 0x4b) found.push(i);
  }
  return found;
}

function fieldPosition(bytes: Uint8Array, d: Damage & { kind: "field" }): number {
  const starts = records(bytes);
  return (starts[d.record % Math.max(1, starts.length)] ?? 0) + d.offset;
}

function damaged(bytes: Uint8Array, d: Damage): Uint8Array {
  if (bytes.length === 0) return bytes;
  const at = d.kind === "field" ? fieldPosition(bytes, d) : d.at % bytes.length;
  switch (d.kind) {
    case "field": {
      const copy = bytes.slice();
      if (at + 4 <= copy.length) new DataView(copy.buffer).setUint32(at, d.value, true);
      return copy;
    }
    case "flip": {
      const copy = bytes.slice();
      copy[at]! ^= 1 << d.bit;
      return copy;
    }
    case "truncate":
      return bytes.slice(0, at);
    case "insert":
      return concat([bytes.subarray(0, at), d.bytes, bytes.subarray(at)]);
    case "remove":
      return concat([bytes.subarray(0, at), bytes.subarray(at + d.count)]);
    case "repeat":
      return concat([bytes.subarray(0, at + d.count), bytes.subarray(at)]);
  }
}

/** How opening ended: "opened" when all of it could be read. */
function open(bytes: Uint8Array): string {
  const source = memorySource(bytes);
  const listed = listArchive(source, "m.fmu");
  expect(listed.value === undefined, "no value exactly when there is an error").toBe(
    hasErrors(listed.diagnostics),
  );
  let ending = listed.value === undefined ? "refused" : "opened";
  for (const entry of listed.value?.entries ?? []) {
    const portable = readEntry(source, entry, "m.fmu", PORTABLE_CODEC);
    const node = readEntry(source, entry, "m.fmu", NODE_CODEC);
    expect(portable.value, "both codecs agree").toEqual(
      node.value === undefined ? undefined : new Uint8Array(node.value),
    );
    expect(portable.value === undefined).toBe(hasErrors(portable.diagnostics));
    if (portable.value === undefined) ending = "entry refused";
  }
  return ending;
}

describe("archives with random damage", () => {
  it("[AR13] are fine without damage", () => {
    expect(ORIGINALS.map(open)).toEqual(["opened", "opened", "opened"]);
  });

  it("[AR13] end with a value or an error, 6 000 times", () => {
    const endings = new Map<string, number>();
    fc.assert(
      fc.property(
        fc.constantFrom(...ORIGINALS),
        fc.array(damage, { minLength: 1, maxLength: 3 }),
        (original, list) => {
          const ending = open(list.reduce(damaged, original));
          endings.set(ending, (endings.get(ending) ?? 0) + 1);
        },
      ),
      { seed: 20_240_229, numRuns: 6_000 },
    );
    // The damage must reach all depths, or the test has lost its teeth.
    expect([...endings.keys()].sort()).toEqual(["entry refused", "opened", "refused"]);
  });
});
