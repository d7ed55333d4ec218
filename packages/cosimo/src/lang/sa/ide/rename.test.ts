import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyEdits } from "../../text/span.ts";
import { checkSa } from "../check-sa.ts";
import { HEAD } from "../testing/bare.ts";
import { quickFix, spanOfFinding } from "./findings.ts";
import { renameAt } from "./rename.ts";
import { saDocument } from "./sa-document.ts";
import { atCursor, innerUnits } from "./testing/cursor.ts";

const F = `for inner fmu F f at "f.fmu"\n`;
const INNER = innerUnits("f: in u, in b: boolean, out y, out w");

/** The text after renaming, without its head; or why not. */
function renamed(text: string, to: string): string {
  const { document, offset } = atCursor(HEAD + text);
  const found = renameAt(document, INNER, offset, to);
  if ("refused" in found) return `refused: ${found.refused}`;
  return applyEdits(document.text, found).slice(HEAD.length);
}

const rules = (text: string): string => `out rules { true -> {} --> { ${text} }; }`;

describe("renaming", () => {
  it("[LS20] changes parameters, variables and locals everywhere", () => {
    expect(
      renamed(`${F}param ‸P := 1, Q := P;\noutput ports o\n${rules("a.o := P + Q;")}`, "K"),
    ).toBe(`${F}param K := 1, Q := K;\noutput ports o\n${rules("a.o := K + Q;")}`);
    expect(renamed(`${F}output ports o\n${rules("var x := 1; a.o := ‸x; x := 2;")}`, "z")).toBe(
      `${F}output ports o\n${rules("var z := 1; a.o := z; z := 2;")}`,
    );
  });

  it("[LS20] changes inner units in bindings, rules and calls, with quotes where needed", () => {
    const text = (f: string): string =>
      `for inner fmu F ${f} at "f.fmu"\ninput ports i -> ${f.replace("‸", "")}.u\ncontrol rules { return do_step(${f.replace("‸", "")}, t, H); }`;
    expect(renamed(text("‸f"), "wheel")).toBe(text("wheel"));
    expect(renamed(text("‸f"), "my wheel")).toBe(text("'my wheel'"));
  });

  it("[LS20] writes down the binding of a port that is bound by its name", () => {
    expect(renamed(`${F}input ports ‸u, b`, "angle")).toBe(`${F}input ports angle -> f.u, b`);
    expect(renamed(`${F}output ports ‸y (m)\n`, "height")).toBe(
      `${F}output ports height (m) <- f.y\n`,
    );
  });

  it("[LS20] changes the name of the adaptation in front of its ports", () => {
    const { document } = atCursor(
      `semantic adaptation reactive moore A ‸a\n${F}output ports o\n${rules("a.o := 1;")}`,
    );
    const found = renameAt(document, INNER, document.text.indexOf(" a\n") + 1, "window");
    expect("refused" in found ? "" : applyEdits(document.text, found)).toBe(
      `semantic adaptation reactive moore A window\n${F}output ports o\n${rules("window.o := 1;")}`,
    );
  });

  it("[LS20] there and back again, for every name of the paper's listings", () => {
    const folder = join(import.meta.dirname, "..", "testing", "listings");
    const names = readdirSync(folder).filter((name) => name.startsWith("paper-"));
    const texts = names.map((name) => readFileSync(join(folder, name), "utf8"));
    let done = 0;
    for (const text of texts) {
      const document = saDocument(text, "listing.sa");
      if (document.adaptation === undefined) continue;
      for (const { kind, span, name } of document.symbols.symbols) {
        if (kind === "unit port") continue;
        const there = renameAt(document, new Map(), span.offset, "somewhere_else");
        if ("refused" in there) continue;
        const renamed = saDocument(applyEdits(text, there), "listing.sa");
        // Uses before the declaration moved it.
        const moved = there.filter((edit) => edit.span.offset < span.offset).length;
        const offset = span.offset + moved * ("somewhere_else".length - (span.end - span.offset));
        const back = renameAt(renamed, new Map(), offset, name);
        expect([name, "refused" in back ? back : applyEdits(renamed.text, back)]).toEqual([
          name,
          text,
        ]);
        done++;
      }
    }
    expect(done).toBeGreaterThan(30);
  });

  it("[LS21] refuses a name that is taken, or that would be captured", () => {
    expect(renamed(`${F}param ‸P := 1, Q := P;`, "Q")).toMatch(
      /^refused: 'Q' means something else/,
    );
    const local = `${F}param ‸P := 1;\noutput ports o\n${rules("var x := 2; a.o := P + x;")}`;
    expect(renamed(local, "x")).toMatch(/^refused: 'x' means something else/);
    const back = `${F}param P := 1;\noutput ports o\n${rules("var ‸x := 2; a.o := P + x;")}`;
    expect(renamed(back, "P")).toMatch(/^refused: 'P' means something else/);
    expect(renamed(`${F}param ‸P := 1;`, "sin")).toMatch(/^refused: 'sin' is a word/);
    expect(renamed(`${F}param ‸P := 1;`, " ")).toMatch(/^refused: /);
  });

  it("[LS21] refuses a name that explicit form depends on", () => {
    const text = `${F}out var ‸stored_f_y := 0;\nout rules { true -> { stored_f_y := f.y; } --> {}; }`;
    expect(renamed(text, "kept")).toMatch(/^refused: What the adaptation omits/);
  });

  it("[LS21] refuses names that are not given by this text, and texts that cannot be read", () => {
    expect(renamed(`${F}input ports i -> f.‸u`, "v")).toBe(
      "refused: 'u' is named by the unit inside, not by this text.",
    );
    expect(renamed(`${F}with input ports ‸u`, "v")).toMatch(/named by the unit inside/);
    expect(renamed(`${F}output ports o\n${rules("a.o := ‸sin(1);")}`, "cos")).toMatch(
      /function of the language/,
    );
    expect(renamed(`${F}param ‸P := 1, Q :=`, "K")).toMatch(/cannot be read/);
    expect(renamed(`${F}‸ param P := 1;`, "K")).toMatch(/no name here/);
  });
});

describe("fixes", () => {
  /** The text after every fix that is offered, without its head. */
  function fixed(text: string): string {
    const document = saDocument(HEAD + text, "test.sa");
    const findings = checkSa(document.adaptation!, ({ name }) => INNER.get(name));
    const edits = findings.flatMap((finding) => {
      const fix = quickFix(document, finding);
      return fix === undefined ? [] : [fix.edit];
    });
    expect(edits.length).toBeGreaterThan(0);
    return applyEdits(document.text, edits).slice(HEAD.length);
  }

  it("[LS23] write what was meant", () => {
    expect(
      fixed(
        `for inner fmu F wheel at "f.fmu"\nparam Pi := 3, Q := 1;\noutput ports o\n${rules("a.o := whel.y + sqr(Q);")}`,
      ),
    ).toContain("a.o := wheel.y + sqrt(Q)");
  });

  it("[LS23] end control rules with a step", () => {
    expect(fixed(`${F}control rules {\n  do_step(f, t, H);\n}`)).toContain(
      "\n  do_step(f, t, H);\n  return H;\n}",
    );
  });

  it("[LS2] a finding begins at its place and covers what it is about", () => {
    const document = saDocument(`${HEAD}${F}output ports o <- f.yy`, "test.sa");
    const [finding] = checkSa(document.adaptation!, ({ name }) => INNER.get(name));
    const { offset, end } = spanOfFinding(document, finding!);
    expect(document.text.slice(offset, end)).toBe("f.yy");
  });
});
