/**
 * The dynamic symbols of an ELF library (Linux, 64 bits, little-endian): what it defines, what it
 * refers to, and where it wants that from. Read through the program headers, because section
 * headers may be stripped.
 */
import { closeSync, openSync, readSync } from "node:fs";

export interface ElfSymbol {
  readonly name: string;
  readonly isDefined: boolean;
  /** Bound with STB_GLOBAL: not weak, and not unique in the process by itself. */
  readonly isStrong: boolean;
  /** Data, not code. */
  readonly isObject: boolean;
  /** A relocation refers to it: the dynamic linker decides which definition is used. */
  readonly isReferred: boolean;
  /**
   * The library that a version of the symbol is wanted from ("libstdc++.so.6"), where one is named.
   */
  readonly wantedFrom: string | undefined;
}

export interface ElfLibrary {
  /** Names of the libraries that it needs. */
  readonly needs: readonly string[];
  /** Linked to look for symbols in itself first (DT_SYMBOLIC). */
  readonly isSymbolic: boolean;
  readonly symbols: readonly ElfSymbol[];
}

/** What the sections of machine code in a library hold. */
export interface ElfCode {
  readonly sections: readonly Uint8Array[];
  /** It may write into memory that it executes: code can come into being while it runs. */
  readonly isWritable: boolean;
}

const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const PT_GNU_STACK = 0x6474e551;
const EXECUTABLE = 1;
const WRITABLE = 2;
const SHT_NOBITS = 8;
const SHF_EXECINSTR = 4;
const Tag = {
  needed: 1,
  pltRelocationsSize: 2,
  hash: 4,
  strings: 5,
  symbols: 6,
  relocations: 7,
  relocationsSize: 8,
  stringsSize: 10,
  symbolic: 16,
  pltRelocations: 23,
  flags: 30,
  gnuHash: 0x6ffffef5,
  symbolVersions: 0x6ffffff0,
  neededVersions: 0x6ffffffe,
  neededVersionsCount: 0x6fffffff,
} as const;
const DF_SYMBOLIC = 2;
const SYMBOL_BYTES = 24;
const RELOCATION_BYTES = 24;
const STB_GLOBAL = 1;
const STT_OBJECT = 1;
const HIDDEN_VERSION = 0x7fff;

/** @returns undefined for what is not such a library, or is damaged. */
export function readElf(file: string): ElfLibrary | undefined {
  return read(file, (elf) => elf.library());
}

/** @returns undefined also where the library says nothing about its sections. */
export function readElfCode(file: string): ElfCode | undefined {
  return read(file, (elf) => elf.code());
}

function read<T>(file: string, part: (elf: ElfFile) => T): T | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(file, "r");
    return part(new ElfFile(fd));
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

interface Segment {
  readonly address: number;
  readonly offset: number;
  readonly bytes: number;
}

/** Whatever is out of its file throws a RangeError: damaged files are not worth more. */
class ElfFile {
  private readonly fd: number;
  private readonly segments: Segment[] = [];
  private readonly dynamic: (readonly [tag: number, value: number])[] = [];
  private readonly header: DataView;
  private isCodeWritable = false;

  constructor(fd: number) {
    this.fd = fd;
    const header = this.read(0, 64);
    this.header = header;
    const isElf64 = header.getUint32(0) === 0x7f454c46 && header.getUint16(4) === 0x0201;
    if (!isElf64) throw new RangeError("not a 64-bit ELF file");
    const at = Number(header.getBigUint64(32, true));
    const size = header.getUint16(54, true);
    const programs = this.read(at, size * header.getUint16(56, true));
    for (let p = 0; p + size <= programs.byteLength; p += size) {
      const word = (offset: number): number => Number(programs.getBigUint64(p + offset, true));
      const kind = programs.getUint32(p, true);
      const flags = programs.getUint32(p + 4, true);
      const isExecutable = (flags & EXECUTABLE) !== 0;
      if (kind === PT_GNU_STACK && isExecutable) this.isCodeWritable = true;
      if (kind === PT_LOAD && isExecutable && (flags & WRITABLE) !== 0) this.isCodeWritable = true;
      if (kind === PT_LOAD)
        this.segments.push({ offset: word(8), address: word(16), bytes: word(32) });
      if (kind === PT_DYNAMIC) this.readDynamic(word(8), word(32));
    }
  }

  library(): ElfLibrary {
    const strings = this.at(this.value(Tag.strings), this.value(Tag.stringsSize));
    const text = (offset: number): string => textAt(strings, offset);
    const count = this.symbolCount();
    const table = this.at(this.value(Tag.symbols), SYMBOL_BYTES * count);
    const referred = this.referred();
    const providers = this.providers(count, text);
    const symbols = Array.from({ length: count }, (_, i): ElfSymbol => {
      const at = SYMBOL_BYTES * i;
      const isDefined = table.getUint16(at + 6, true) !== 0;
      return {
        name: text(table.getUint32(at, true)),
        isDefined,
        isStrong: table.getUint8(at + 4) >> 4 === STB_GLOBAL,
        isObject: (table.getUint8(at + 4) & 15) === STT_OBJECT,
        isReferred: referred.has(i),
        wantedFrom: isDefined ? undefined : providers(i),
      };
    });
    return {
      needs: this.dynamic.filter(([tag]) => tag === Tag.needed).map(([, value]) => text(value)),
      isSymbolic: this.has(Tag.symbolic) || (this.value(Tag.flags) & DF_SYMBOLIC) !== 0,
      symbols: symbols.filter(({ name }) => name !== ""),
    };
  }

  code(): ElfCode {
    const at = Number(this.header.getBigUint64(40, true));
    const size = this.header.getUint16(58, true);
    const count = this.header.getUint16(60, true);
    if (count === 0) throw new RangeError("the file has no section headers");
    const table = this.read(at, size * count);
    const sections = Array.from({ length: count }, (_, i) => size * i)
      .filter((s) => table.getUint32(s + 4, true) !== SHT_NOBITS)
      .filter((s) => (Number(table.getBigUint64(s + 8, true)) & SHF_EXECINSTR) !== 0)
      .map((s) => {
        const offset = Number(table.getBigUint64(s + 24, true));
        const { buffer, byteOffset, byteLength } = this.read(
          offset,
          Number(table.getBigUint64(s + 32, true)),
        );
        return new Uint8Array(buffer, byteOffset, byteLength);
      });
    return { sections, isWritable: this.isCodeWritable };
  }

  private read(offset: number, bytes: number): DataView {
    if (bytes > 2 ** 30) throw new RangeError("the file is damaged");
    const buffer = Buffer.alloc(bytes);
    if (readSync(this.fd, buffer, 0, bytes, offset) !== bytes)
      throw new RangeError("the file ends");
    return new DataView(buffer.buffer, buffer.byteOffset, bytes);
  }

  /** What lies at an address once the library is loaded. */
  private at(address: number, bytes: number): DataView {
    const segment = this.segments.find(
      (one) => address >= one.address && address + bytes <= one.address + one.bytes,
    );
    if (segment === undefined) throw new RangeError("an address is in no segment");
    return this.read(address - segment.address + segment.offset, bytes);
  }

  private readDynamic(offset: number, bytes: number): void {
    const entries = this.read(offset, bytes);
    for (let at = 0; at + 16 <= bytes; at += 16) {
      const tag = Number(entries.getBigUint64(at, true));
      if (tag === 0) return;
      this.dynamic.push([tag, Number(entries.getBigUint64(at + 8, true))]);
    }
  }

  private has(tag: number): boolean {
    return this.dynamic.some(([one]) => one === tag);
  }

  private value(tag: number): number {
    return this.dynamic.find(([one]) => one === tag)?.[1] ?? 0;
  }

  /** No table says how many symbols there are; the hash tables lead to the last of them. */
  private symbolCount(): number {
    if (this.has(Tag.hash)) return this.at(this.value(Tag.hash), 8).getUint32(4, true);
    const table = this.value(Tag.gnuHash);
    const header = this.at(table, 16);
    const buckets = header.getUint32(0, true);
    const first = header.getUint32(4, true);
    const bucketsAt = table + 16 + 8 * header.getUint32(8, true);
    const heads = this.at(bucketsAt, 4 * buckets);
    let last = 0;
    for (let i = 0; i < buckets; i++) last = Math.max(last, heads.getUint32(4 * i, true));
    if (last < first) return first;
    const chains = bucketsAt + 4 * buckets;
    // The end of a chain has its lowest bit set.
    while ((this.at(chains + 4 * (last - first), 4).getUint32(0, true) & 1) === 0) last++;
    return last + 1;
  }

  /** Numbers of the symbols that relocations name. */
  private referred(): Set<number> {
    const found = new Set<number>();
    for (const [place, size] of [
      [Tag.relocations, Tag.relocationsSize],
      [Tag.pltRelocations, Tag.pltRelocationsSize],
    ] as const) {
      if (!this.has(place)) continue;
      const bytes = this.value(size);
      const table = this.at(this.value(place), bytes);
      for (let at = 0; at + RELOCATION_BYTES <= bytes; at += RELOCATION_BYTES)
        found.add(table.getUint32(at + 12, true));
    }
    return found;
  }

  /** The library from which the version of a symbol is wanted, by the symbol's number. */
  private providers(
    count: number,
    text: (at: number) => string,
  ): (symbol: number) => string | undefined {
    if (!this.has(Tag.symbolVersions) || !this.has(Tag.neededVersions)) return () => undefined;
    const versions = this.at(this.value(Tag.symbolVersions), 2 * count);
    const files = new Map<number, string>();
    let need = this.value(Tag.neededVersions);
    for (let left = this.value(Tag.neededVersionsCount); left > 0; left--) {
      const entry = this.at(need, 16);
      let one = need + entry.getUint32(8, true);
      for (let more = entry.getUint16(2, true); more > 0; more--) {
        const version = this.at(one, 16);
        files.set(version.getUint16(6, true), text(entry.getUint32(4, true)));
        one += version.getUint32(12, true);
      }
      need += entry.getUint32(12, true);
    }
    return (symbol) => files.get(versions.getUint16(2 * symbol, true) & HIDDEN_VERSION);
  }
}

function textAt(strings: DataView, offset: number): string {
  const bytes = Buffer.from(strings.buffer, strings.byteOffset, strings.byteLength);
  const end = bytes.indexOf(0, offset);
  if (end < 0) throw new RangeError("a name does not end");
  return bytes.toString("latin1", offset, end);
}
