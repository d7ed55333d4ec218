import { describe, expect, it } from "vitest";
import { newMasterKey, openParts, peerKey, sealParts } from "./part-box.ts";

const NAME = { token: "0123abcd", number: 3 };
const master = newMasterKey();
const keys = new Map([1, 4].map((peer) => [peer, peerKey(master, peer)]));
const SECTIONS = [
  { peer: 1, bytes: Uint8Array.of(1, 2, 3) },
  { peer: 4, bytes: new Uint8Array(1000).fill(7) },
];
const part = sealParts(NAME, SECTIONS, keys);

describe("a part of a cut", () => {
  it("[DI34] is for those who have the keys of its peers, and of no others", () => {
    expect(openParts(NAME, part, keys)).toEqual(SECTIONS);
    expect(openParts(NAME, part, new Map([...keys].slice(1)))).toEqual(SECTIONS.slice(1));
    expect(openParts(NAME, part, new Map())).toEqual([]);
    expect(Buffer.from(part).includes(Buffer.alloc(16, 7))).toBe(false);
  });

  it("[DI34] is not taken for that of another run, cut or peer", () => {
    const refused = /was changed: the part of peer/;
    expect(() => openParts({ ...NAME, number: 4 }, part, keys)).toThrow(refused);
    expect(() => openParts({ ...NAME, token: "0123abce" }, part, keys)).toThrow(refused);
    const swapped = new Map([[1, peerKey(master, 4)]]);
    expect(() => openParts(NAME, part, swapped)).toThrow(refused);
  });

  it("[DI34] that was changed or cut is refused, whatever was changed", () => {
    for (let at = 0; at < 80; at++) {
      const damaged = Uint8Array.from(part);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      let opened: unknown;
      try {
        opened = openParts(NAME, damaged, keys);
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
        continue;
      }
      // Under another number it is for nobody here.
      expect(opened).not.toEqual(SECTIONS);
    }
    expect(() => openParts(NAME, part.subarray(0, 500), keys)).toThrow();
  });
});
