/**
 * How the generators of C speak of units to each other: every unit of an exported tree (an FMU
 * inside, an adaptation, a plan) is one C function of type `UnitMaker` (c-runtime/unit.h), and
 * ports are numbered as in its description.
 */
import type { UnitDescription } from "../model/unit-description.ts";

export interface CUnit {
  /**
   * Name of the C function that makes it; unique in the FMU, declared as `UnitMaker <maker>;` where
   * it is used.
   */
  readonly maker: string;
  readonly description: UnitDescription;
}

/** One generated file, with its path inside `sources/`. */
export interface CSource {
  readonly path: string;
  readonly text: string;
}

/** An identifier of C that looks like `name`; different names may give the same one. */
export function cIdentifier(name: string): string {
  const plain = name.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^(?=[0-9])/, "_");
  return C_WORDS.has(plain) || plain === "" ? `${plain}_` : plain;
}

/**
 * A string literal of C; bytes beyond ASCII as octal escapes of UTF-8, which cannot run into what
 * follows.
 */
export function cString(text: string): string {
  const literal = text.replace(/[^ !#->@-[\]-~]/gu, (character) => {
    if (character === '"' || character === "\\") return `\\${character}`;
    return utf8(character)
      .map((byte) => `\\${byte.toString(8).padStart(3, "0")}`)
      .join("");
  });
  return `"${literal}"`;
}

/** The bytes of one character; half a surrogate pair becomes the replacement character. */
function utf8(character: string): number[] {
  const code = character.codePointAt(0)!;
  const point = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
  if (point < 0x80) return [point];
  const tail = (shift: number): number => 0x80 | ((point >> shift) & 0x3f);
  if (point < 0x800) return [0xc0 | (point >> 6), tail(0)];
  if (point < 0x10000) return [0xe0 | (point >> 12), tail(6), tail(0)];
  return [0xf0 | (point >> 18), tail(12), tail(6), tail(0)];
}

/** A double literal of C with exactly this value; `math.h` has INFINITY and NAN. */
export function cNumber(value: number): string {
  if (Number.isNaN(value)) return "NAN";
  if (value === Number.POSITIVE_INFINITY) return "INFINITY";
  if (value === Number.NEGATIVE_INFINITY) return "(-INFINITY)";
  const text = Object.is(value, -0) ? "-0" : String(value);
  const literal = /[.e]/.test(text) ? text : `${text}.0`;
  return value < 0 || Object.is(value, -0) ? `(${literal})` : literal;
}

/** Text for inside a C comment. */
export function cComment(text: string): string {
  return text.replaceAll("*/", "* /").replaceAll("/*", "/ *").replace(/\s+/g, " ");
}

const C_WORDS: ReadonlySet<string> = new Set(
  (
    "auto break case char const continue default do double else enum extern float for goto if inline int long register " +
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while " +
    "bool true false main NULL"
  ).split(" "),
);
