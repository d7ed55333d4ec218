import { describe, expect, it } from "vitest";
import { ownSymbols, type ReadBytes } from "./unique-symbols.ts";

const UNIQUE = 10;
const GLOBAL = 1;
const OBJECT = 1;

/** An ELF file of three parts: header with two sections (symbols, names), symbols, names. */
function library(symbols: readonly (readonly [name: string, bind: number])[]): Uint8Array {
  const names = `\0${symbols.map(([name]) => `${name}\0`).join("")}`;
  const table = 64 + 2 * 64;
  const texts = table + 24 * symbols.length;
  const bytes = new Uint8Array(texts + names.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x7f454c46);
  view.setUint16(4, 0x0201);
  view.setBigUint64(40, 64n, true);
  view.setUint16(58, 64, true);
  view.setUint16(60, 2, true);
  view.setUint32(64 + 4, 11, true);
  view.setBigUint64(64 + 24, BigInt(table), true);
  view.setBigUint64(64 + 32, BigInt(texts - table), true);
  view.setUint32(64 + 40, 1, true);
  view.setUint32(128 + 4, 3, true);
  view.setBigUint64(128 + 24, BigInt(texts), true);
  view.setBigUint64(128 + 32, BigInt(names.length), true);
  for (const [k, [name, bind]] of symbols.entries()) {
    view.setUint32(table + 24 * k, names.indexOf(`\0${name}\0`) + 1, true);
    view.setUint8(table + 24 * k + 4, (bind << 4) | OBJECT);
  }
  bytes.set(new TextEncoder().encode(names), texts);
  return bytes;
}

const reader =
  (bytes: Uint8Array): ReadBytes =>
  (offset, count) => {
    if (offset + count > bytes.length) throw new RangeError("the file ends");
    return new DataView(bytes.buffer, offset, count);
  };
const changed = (...libraries: Uint8Array[]): number[][] =>
  ownSymbols(libraries.map(reader)).map((all) => all.map(({ offset }) => (offset - 196) / 24));

describe("unique symbols", () => {
  const FACET = "_ZNSt7num_putIcSt19ostreambuf_iteratorIcSt11char_traitsIcEEE2idE";

  it("become weak, others stay", () => {
    const one = library([
      ["a", GLOBAL],
      ["b", UNIQUE],
    ]);
    const [changes] = ownSymbols([reader(one)]);
    expect(changes).toEqual([{ offset: 64 + 128 + 24 + 4, value: 0x21, name: "b" }]);
  });

  it("stay where several libraries of a folder have them, except those of the C++ library", () => {
    const one = library([
      ["_ZN1S1nE", UNIQUE],
      [FACET, UNIQUE],
      ["own", UNIQUE],
    ]);
    const other = library([
      ["_ZN1S1nE", UNIQUE],
      [FACET, UNIQUE],
    ]);
    expect(changed(one, other)).toEqual([[1, 2], [1]]);
    expect(changed(one)).toEqual([[0, 1, 2]]);
  });

  it("are left alone in what is damaged or no such file", () => {
    const whole = library([["b", UNIQUE]]);
    for (let end = 0; end < whole.length; end++)
      expect(changed(whole.slice(0, end))[0]).toHaveLength(0);
    for (const at of [40, 47, 58, 60, 88, 95, 96, 103, 104, 152, 160]) {
      const damaged = whole.slice();
      damaged[at] = 0xff;
      expect(() => changed(damaged)).not.toThrow();
    }
    expect(changed(new TextEncoder().encode("not a library".repeat(20)))).toEqual([[]]);
  });
});
