/**
 * A checkpoint with every kind of content, and every single bit of it flipped: header, checksum,
 * length, and each section of what follows.
 */
import { describe, expect, it } from "vitest";
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint } from "./checkpoint.ts";

const banks = (): Checkpoint["banks"] => ({
  f64: Float64Array.of(1, Number.NaN, -0, 1e300),
  i64: BigInt64Array.of(1n, -(2n ** 62n)),
  obj: ["text", Uint8Array.of(1, 2, 3), ""],
});

const WHOLE: Checkpoint = {
  planHash: "0123456789abcdef",
  steps: 150,
  time: 1.5,
  rows: 151,
  parts: [
    { name: "rows", bytes: 64, checksum: 7 },
    { name: "replay-1.bin", bytes: 1000, checksum: 0xffffffff },
  ],
  facts: { scenario: "one", machine: "this" },
  banks: banks(),
  units: [
    { kind: "saved", bytes: new Uint8Array(40).fill(7) },
    { kind: "replay", length: 1000, shown: banks() },
  ],
  master: new Uint8Array(16).fill(3),
};

/** Where the checksummed part begins: behind it the sections follow each other without a gap. */
const HEADER = { magic: 0, version: 8, checksum: 12, length: 16, sections: 24 };

describe("a checkpoint of which a bit has flipped", () => {
  const bytes = encodeCheckpoint(WHOLE);
  const regions = Object.entries(HEADER).map(
    ([name, from], k, all) => [name, from, all[k + 1]?.[1] ?? bytes.length] as const,
  );

  it("[CK4] is one that was whole before", () => {
    expect(decodeCheckpoint(bytes, "ck").value).toEqual(WHOLE);
  });

  it.each(regions)("[CK4] in its %s is refused, whichever bit it is", (_, from, to) => {
    const believed: string[] = [];
    for (let bit = 8 * from; bit < 8 * to; bit++) {
      const flipped = bytes.slice();
      flipped[bit >> 3] ^= 1 << (bit & 7);
      const { value, diagnostics } = decodeCheckpoint(flipped, "ck");
      const isRefused = value === undefined && diagnostics.length === 1;
      if (!isRefused) believed.push(`bit ${bit & 7} of byte ${bit >> 3}`);
    }
    expect(to).toBeGreaterThan(from);
    expect(believed).toEqual([]);
  });

  it("[CK4] or that is longer or shorter by a byte is refused", () => {
    const longer = new Uint8Array(bytes.length + 1);
    longer.set(bytes);
    for (const changed of [longer, bytes.subarray(0, -1)])
      expect(decodeCheckpoint(changed, "ck").value).toBeUndefined();
  });
});
