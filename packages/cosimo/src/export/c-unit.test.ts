/**
 * Literals of C: what a compiler reads must be what was meant, for every text and every number.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cComment, cIdentifier, cNumber, cString } from "./c-unit.ts";

const SEED = 20261116;
console.log(`seed ${SEED}`);

/** What a C compiler makes of a string literal without universal character names and trigraphs. */
function readCString(literal: string): string {
  const bytes: number[] = [];
  const inside = literal.slice(1, -1);
  for (let i = 0; i < inside.length; i++) {
    if (inside[i] !== "\\") bytes.push(inside.charCodeAt(i));
    else if (/[0-7]/.test(inside[i + 1])) {
      bytes.push(Number.parseInt(inside.slice(i + 1, i + 4), 8));
      i += 3;
    } else bytes.push(inside.charCodeAt(++i));
  }
  return Buffer.from(bytes).toString("utf8");
}

describe("literals of C", () => {
  it("[EX13] a text comes back as it was, and its literal is plain ASCII", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const literal = cString(text);
        expect(literal).toMatch(/^"(?:[ !#->@-[\]-~]|\\["\\]|\\[0-7]{3})*"$/);
        expect(readCString(literal)).toBe(text);
      }),
      { seed: SEED },
    );
  });

  it("[EX13] a number comes back bit for bit, and is a double", () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true }), (value) => {
        const literal = cNumber(value);
        const plain = literal.replace(/^\((.*)\)$/, "$1");
        expect(Object.is(Number(plain), value)).toBe(true);
        expect(plain).toMatch(/[.e]/);
        // A sign never meets an operator.
        expect(literal.startsWith("-")).toBe(false);
      }),
      { seed: SEED },
    );
    expect([Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map(cNumber)).toEqual([
      "NAN",
      "INFINITY",
      "(-INFINITY)",
    ]);
  });

  it("[EX13] an identifier is one of C, whatever the name", () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(cIdentifier(name)).toMatch(/^[A-Za-z_][A-Za-z0-9_]*$/);
      }),
      { seed: SEED },
    );
    expect(cIdentifier("double")).not.toBe("double");
    expect(cIdentifier("2 masses")).toBe("_2_masses");
  });

  it("[EX13] no name ends a comment", () => {
    expect(cComment("a */ b /* c\nd")).toBe("a * / b / * c d");
  });
});
