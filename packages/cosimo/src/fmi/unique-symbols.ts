/**
 * Which symbols of Linux libraries are one per process (STB_GNU_UNIQUE), and how to make them an
 * FMU's own.
 *
 * Compilers of C++ mark so what templates and inline functions keep: static members, static locals,
 * the numbers of facets in a copy of the C++ library. The dynamic linker then gives every library
 * of the process the first definition that it met, also where each was loaded by itself
 * (RTLD_LOCAL, RTLD_DEEPBIND, -Bsymbolic). Two FMUs would share counters and singletons, and an FMU
 * with a C++ library of its own would mix it with that of the process: its streams write no
 * numbers. Weak symbols are looked up in the same order and shared with nobody. One byte per symbol
 * says which kind it is.
 *
 * What several libraries of one FMU define stays as it is, because they may be loaded one by one
 * and mean the same thing by it. This is not so for the C++ library: each of them has all of it.
 */

/**
 * A part of a file: [first byte, number of bytes]. @throws RangeError where the file does not have
 * them
 */
export type ReadBytes = (offset: number, bytes: number) => DataView;

export interface ByteChange {
  readonly offset: number;
  readonly value: number;
}

interface UniqueSymbol extends ByteChange {
  readonly name: string;
}

const SHT_DYNSYM = 11;
const SECTION_BYTES = 64;
const SYMBOL_BYTES = 24;
const STB_WEAK = 2;
const STB_GNU_UNIQUE = 10;
/** No library has a table, or names, of that size; a damaged one may say so. */
const MOST_BYTES = 2 ** 27;
/** `std::…`, and the guard of its initialization. */
const OF_CXX_LIBRARY = /^_Z(GV)?NK?St/;

/**
 * What makes unique symbols weak.
 * @param libraries those that lie in one folder, 64-bit little-endian ELF; what is none, is damaged
 * or has no section headers is left alone
 * @returns the changes of each, in the same order
 */
export function ownSymbols(libraries: readonly ReadBytes[]): readonly (readonly ByteChange[])[] {
  const found = libraries.map(uniqueSymbols);
  const counts = new Map<string, number>();
  for (const { name } of found.flat()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return found.map((symbols) =>
    symbols.filter(({ name }) => counts.get(name) === 1 || OF_CXX_LIBRARY.test(name)),
  );
}

function uniqueSymbols(read: ReadBytes): readonly UniqueSymbol[] {
  try {
    return [...readUnique(read)];
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

function* readUnique(read: ReadBytes): Generator<UniqueSymbol> {
  const header = read(0, 64);
  if (header.getUint32(0) !== 0x7f454c46 || header.getUint16(4) !== 0x0201) return;
  const at = Number(header.getBigUint64(40, true));
  const size = header.getUint16(58, true);
  if (size !== SECTION_BYTES) return;
  const sections = read(at, size * header.getUint16(60, true));
  const contentOf = (section: number): DataView => {
    const bytes = Number(sections.getBigUint64(section + 32, true));
    if (bytes > MOST_BYTES) throw new RangeError("the file is damaged");
    return read(Number(sections.getBigUint64(section + 24, true)), bytes);
  };
  for (let s = 0; s < sections.byteLength; s += size) {
    if (sections.getUint32(s + 4, true) !== SHT_DYNSYM) continue;
    const table = Number(sections.getBigUint64(s + 24, true));
    const symbols = contentOf(s);
    const names = contentOf(size * sections.getUint32(s + 40, true));
    let characters = 0;
    for (let k = 0; k + SYMBOL_BYTES <= symbols.byteLength; k += SYMBOL_BYTES) {
      const kind = symbols.getUint8(k + 4);
      if (kind >> 4 !== STB_GNU_UNIQUE) continue;
      const name = nameAt(names, symbols.getUint32(k, true));
      characters += name.length;
      if (characters > MOST_BYTES) throw new RangeError("the file is damaged");
      yield { offset: table + k + 4, value: (STB_WEAK << 4) | (kind & 15), name };
    }
    return;
  }
}

function nameAt(names: DataView, offset: number): string {
  let name = "";
  for (let at = offset; ; at++) {
    const code = names.getUint8(at);
    if (code === 0) return name;
    name += String.fromCharCode(code);
  }
}
