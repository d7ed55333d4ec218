/**
 * [AR13] on descriptions: seeded random damage to the text of descriptions. Whatever comes out,
 * parsing and validating end with a value or with an error that has a place.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasErrors } from "../src/base/diagnostic.ts";
import { parseModelDescription } from "../src/fmi/parse-description.ts";
import { validateDescription } from "../src/fmi/validate/validate.ts";

const BROKEN = join(dirname(fileURLToPath(import.meta.url)), "broken");

/**
 * The broken descriptions use every part of both grammars, which is what damage needs to work on.
 */
const ORIGINALS = ["fmi2", "fmi3"].flatMap((version) =>
  readdirSync(join(BROKEN, version)).map((name) =>
    readFileSync(join(BROKEN, version, name), "utf8"),
  ),
);

const NASTY = [
  "<",
  ">",
  "&",
  '"',
  "'",
  "/>",
  "]]>",
  "<!--",
  "<![CDATA[",
  "<!DOCTYPE a [<!ENTITY b 'c'>]>",
  "&b;",
  "&#0;",
  "&#x110000;",
  "\0",
  "\ufeff",
  "\ud800",
  "<a><a><a>",
  "</ModelVariables>",
  "<Unknown/>",
  "-1",
  "1e999",
  "NaN",
  "INF",
  "99999999999999999999",
  "4294967296",
  "true",
  "",
  " ",
  "\n",
  "0 1 2 3",
  "xmlns:x='y'",
  'valueReference="0"',
  'start="1 2"',
  "Größe",
] as const;

type Damage = (text: string) => string;

const position = fc.nat(0xffff);
const insertion = fc.tuple(position, fc.constantFrom(...NASTY)).map(
  ([at, nasty]): Damage =>
    (text) => {
      const i = at % (text.length + 1);
      return text.slice(0, i) + nasty + text.slice(i);
    },
);
const removal = fc.tuple(position, fc.integer({ min: 1, max: 80 })).map(
  ([at, count]): Damage =>
    (text) => {
      const i = at % (text.length + 1);
      return text.slice(0, i) + text.slice(i + count);
    },
);
const newValue = fc.tuple(position, fc.constantFrom(...NASTY)).map(
  ([at, nasty]): Damage =>
    (text) => {
      const values = [...text.matchAll(/="([^"]*)"/g)];
      const match = values[at % Math.max(1, values.length)];
      if (match === undefined) return text;
      return `${text.slice(0, match.index)}="${nasty}"${text.slice(match.index + match[0].length)}`;
    },
);
const exchange = fc.tuple(position, position).map(
  ([a, b]): Damage =>
    (text) => {
      const lines = text.split("\n");
      const [i, j] = [a % lines.length, b % lines.length];
      [lines[i], lines[j]] = [lines[j]!, lines[i]!];
      return lines.join("\n");
    },
);
const repetition = position.map(
  (at): Damage =>
    (text) => {
      const lines = text.split("\n");
      const i = at % lines.length;
      lines.splice(i, 0, lines[i]!);
      return lines.join("\n");
    },
);
// Mostly damage that leaves well-formed XML: the rest never gets past the parser's first layer.
const damage: fc.Arbitrary<Damage> = fc.oneof(
  insertion,
  removal,
  { weight: 6, arbitrary: newValue },
  exchange,
  { weight: 2, arbitrary: repetition },
);

describe("descriptions with random damage", () => {
  it("[AR13] end with a value or an error, 5 000 times", () => {
    let parsed = 0;
    let refused = 0;
    const codes = new Set<string>();
    fc.assert(
      fc.property(
        fc.constantFrom(...ORIGINALS),
        fc.array(damage, { minLength: 1, maxLength: 4 }),
        (original, list) => {
          const text = list.reduce((damagedText, change) => change(damagedText), original);
          const { value, diagnostics } = parseModelDescription(text, "m.xml");
          if (value === undefined) refused++;
          else parsed++;
          if (value === undefined) expect(hasErrors(diagnostics)).toBe(true);
          const findings = value === undefined ? [] : validateDescription(value, "m.xml");
          for (const d of [...diagnostics, ...findings]) {
            codes.add(d.code);
            expect(d.place.file).toBe("m.xml");
            expect(d.message.length * d.fix.length).toBeGreaterThan(0);
          }
        },
      ),
      { seed: 20_240_229, numRuns: 5_000 },
    );
    // The damage must reach parser and validator, or the test has lost its teeth.
    expect(parsed).toBeGreaterThan(1_000);
    expect(refused).toBeGreaterThan(500);
    expect(codes.size).toBeGreaterThan(80);
  });
});
