import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HEAD } from "../testing/bare.ts";
import { completionsAt } from "./complete.ts";
import { definitionAt, usesAt } from "./definition.ts";
import { hoverAt } from "./hover.ts";
import { outlineOf } from "./outline.ts";
import { renameAt } from "./rename.ts";
import { saDocument } from "./sa-document.ts";
import { signatureAt } from "./signature.ts";
import { atCursor } from "./testing/cursor.ts";

const F = `for inner fmu F f at "f.fmu"\n`;

/** `line:column` of the declaration that the name at the cursor leads to, or the file. */
function definition(text: string): string | undefined {
  const { document, offset } = atCursor(text);
  const target = definitionAt(document, offset);
  if (target === undefined) return undefined;
  if (target.kind === "there") return `${target.source} ${target.port ?? ""}`.trim();
  return document.text.slice(target.span.offset).split("\n", 1)[0];
}

function uses(text: string): number {
  const { document, offset } = atCursor(text);
  return usesAt(document, offset).length;
}

describe("names", () => {
  it("[LS10] local variables hide variables, from their declaration on", () => {
    const text = (use: string): string =>
      `${HEAD}${F}control var x := 1; // variable\ncontrol rules {\n${use}\nreturn H; }`;
    expect(definition(text("f.u := ‸x; var x := 2; // local"))).toBe("x := 1; // variable");
    expect(definition(text("var x := 2; // local\nf.u := ‸x;"))).toBe("x := 2; // local");
    expect(definition(text("var x := ‸x;"))).toBe("x := 1; // variable");
    expect(definition(text("if true { var x := 2; } f.u := ‸x;"))).toBe("x := 1; // variable");
    expect(definition(text("for (var x in 0 .. 3) {\nf.u := ‸x; }"))).toBe("x in 0 .. 3) {");
  });

  it("[LS10] the first argument of do_step is an inner unit, even where a variable is called like it", () => {
    const text = `${HEAD}for inner fmu F f // unit\n at "f.fmu"\ncontrol var f := 1;\ncontrol rules { return do_step(‸f, t, H); }`;
    expect(definition(text)).toBe("f // unit");
  });

  it("[LS11] leads to parameters, own ports with and without the name of the adaptation, and inner units", () => {
    const text = (rule: string): string =>
      `${HEAD}${F}param P := 1;\ninput ports i // in\noutput ports o // out\nout rules { true -> {} --> { ${rule} }; }`;
    expect(definition(text("a.‸o := 1;"))).toBe("o // out");
    expect(definition(text("‸o := P;"))).toBe("o // out");
    expect(definition(text("a.o := ‸P;"))).toBe("P := 1;");
    expect(definition(text("a.o := ‸f.y;"))).toBe('f at "f.fmu"');
    expect(definition(text("‸a.o := 1;"))).toBe("a");
    expect(definition(text("a.o := sin‸(1);"))).toBeUndefined();
  });

  it("[LS11] leads into the file of an inner unit, for its ports and for its path", () => {
    const inner = `${HEAD}for inner fmu G g at "./g.sa" with input ports u\n`;
    expect(definition(`${inner}output ports o <- g.‸y`)).toBe("./g.sa y");
    expect(definition(`${inner}input ports i -> g.‸u`)).toBe("./g.sa u");
    expect(definition(`${HEAD}for inner fmu G g at "./‸g.sa"`)).toBe("./g.sa");
  });

  it("[LS12] finds the uses of a name, and no others", () => {
    const rules =
      "out rules { true -> {} --> { var i := 3; a.o := f.i + i; }; true -> {} --> { a.o := i; }; }";
    expect(uses(`${HEAD}${F}input ports ‸i -> f.i\noutput ports o\n${rules}`)).toBe(2);
    expect(uses(`${HEAD}${F}input ports i -> f.‸i\noutput ports o\n${rules}`)).toBe(2);
    expect(uses(`${HEAD}${F}input ports i\noutput ports ‸o\n${rules}`)).toBe(3);
  });

  it("[LS12] finds names in texts that are unfinished", () => {
    expect(definition(`${HEAD}${F}param P := 1;\ncontrol rules { f.u := ‸P +`)).toBe("P := 1;");
    expect(definition(`${HEAD}${F}param P := 1;\ncontrol rules { f.u := ; return ‸P; `)).toBe(
      "P := 1;",
    );
  });

  it("[LS5] answers at any place of any listing, whole, cut off or without a piece", () => {
    const folder = join(import.meta.dirname, "..", "testing", "listings");
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), "utf8"));
    expect(texts.length).toBeGreaterThan(4);
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    const cut = fc.record({
      text: fc.constantFrom(...texts),
      from: part,
      length: fc.constantFrom(0, 1, 7, 60, 1e6),
      place: part,
    });
    fc.assert(
      fc.property(cut, ({ text, from, length, place }) => {
        const at = Math.floor(from * text.length);
        const piece = text.slice(0, at) + text.slice(at + length);
        const document = saDocument(piece, "cut.sa");
        for (const { span, name } of document.symbols.occurrences)
          expect(piece.slice(span.offset, span.end).replace(/^'|'$/g, "")).toBe(name);
        const offset = Math.floor(place * piece.length);
        const inner = new Map();
        for (const { span } of completionsAt(document, inner, offset))
          expect([span.offset <= offset, span.end]).toEqual([true, offset]);
        hoverAt(document, inner, offset);
        definitionAt(document, offset);
        outlineOf(document);
        signatureAt(piece, offset);
        const edits = renameAt(document, inner, offset, "unheard_of");
        if ("refused" in edits) expect(edits.refused).toMatch(/\.$/);
        else expect(edits.length).toBeGreaterThan(0);
      }),
      { seed: 7, numRuns: 120 },
    );
  });
});
