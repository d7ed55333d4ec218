import { describe, expect, it } from "vitest";
import { SA_FUNCTIONS } from "../../../model/adaptation/functions.ts";
import { conversion } from "../../../model/physical-unit-conversion.ts";
import { parseUnit } from "../../../model/physical-unit-parse.ts";
import type { Candidate } from "../../text/editor-language.ts";
import { applyEdits } from "../../text/span.ts";
import { HEAD } from "../testing/bare.ts";
import { completionsAt } from "./complete.ts";
import { insideText } from "./expectation.ts";
import { atCursor, innerUnits } from "./testing/cursor.ts";

const F = `for inner fmu F f at "f.fmu"\n`;
const INNER = innerUnits(
  "f: in u (rad), in go: boolean, out y (cm), out der(y) (m/s)",
  "g: in x, out z",
);

function offered(text: string): Candidate[] {
  const { document, offset } = atCursor(text);
  return completionsAt(document, INNER, offset);
}

const labels = (text: string, kind?: Candidate["kind"]): string[] =>
  offered(text)
    .filter((one) => kind === undefined || one.kind === kind)
    .map(({ label }) => label);

/** The text after `label` was chosen. */
function chosen(text: string, label: string): string {
  const one = offered(text).find((candidate) => candidate.label === label)!;
  return applyEdits(text.replace("‸", ""), [{ span: one.span, text: one.insert ?? one.label }]);
}

const control = (text: string): string =>
  `${HEAD}${F}param P := 1;\ncontrol var c := 0;\nin var i := 0;\ncontrol rules {\n${text}`;

describe("what is offered", () => {
  it("[LS14] outputs of an inner unit where it is read, inputs where it is assigned", () => {
    expect(labels(control("c := f.‸; }"))).toEqual(["y", "der(y)"]);
    expect(labels(control("c := 1 + f.‸"))).toEqual(["y", "der(y)"]);
    expect(labels(control("if f.‸ { } }"))).toEqual(["y", "der(y)"]);
    expect(labels(control("c := min(f.‸"))).toEqual(["y", "der(y)"]);
    expect(labels(control("f.‸"))).toEqual(["u", "go"]);
    expect(labels(control("f.‸ := 1; }"))).toEqual(["u", "go"]);
    expect(labels(`${HEAD}${F}input ports a -> f.‸`)).toEqual(["u", "go"]);
    expect(labels(`${HEAD}${F}output ports a <- f.‸, b`)).toEqual(["y", "der(y)"]);
    expect(labels(`${HEAD}${F}with f.‸`)).toEqual(["y", "der(y)"]);
    expect(labels(`${HEAD}${F}with f.y -> f.‸`)).toEqual(["u", "go"]);
  });

  it("[LS14] own inputs to read, own outputs to assign", () => {
    const text = (rule: string): string =>
      `${HEAD}${F}input ports i\noutput ports o\nout rules { true -> {} --> { ${rule} }; }`;
    expect(labels(text("a.‸ := 1;"))).toEqual(["o"]);
    expect(labels(text("a.o := a.‸;"))).toEqual(["i"]);
  });

  it("[LS14] with type, unit and kind, and quotes where the name needs them", () => {
    const y = offered(control("c := f.‸; }"));
    expect(y[0]!.detail).toBe("real (cm), Moore");
    expect(chosen(control("c := f.‸; }"), "der(y)")).toContain("c := f.'der(y)'; }");
    expect(chosen(control("c := f.'de‸; }"), "der(y)")).toContain("c := f.'der(y)'; }");
    expect(chosen(control("c := f.d‸; }"), "y")).toContain("c := f.y; }");
  });

  it("[LS15] what may be read in each part", () => {
    const read = labels(control("var k := 1; c := ‸; }"), "variable");
    expect(read).toEqual(["k", "c", "i", "t", "H"]);
    expect(labels(control("c := ‸"), "parameter")).toEqual(["P"]);
    expect(labels(control("c := ‸"), "unit")).toEqual(["f"]);
    expect(labels(`${HEAD}${F}param P := 1, Q := ‸, R := 2`, "parameter")).toEqual(["P"]);
    expect(
      labels(`${HEAD}${F}in var i := 1 in rules { true -> {} --> { f.u := ‸ }; }`, "variable"),
    ).toEqual(["i", "t", "H", "h", "dt"]);
    expect(
      labels(`${HEAD}${F}in var i := 1 in rules { true -> { i := ‸ } --> { }; }`, "variable"),
    ).toEqual(["i"]);
  });

  it("[LS15] what may be assigned in each part", () => {
    expect(labels(control("‸ }"), "variable")).toEqual(["c"]);
    expect(labels(control("‸ }"), "function")).toEqual([
      "do_step",
      "save_state",
      "rollback",
      "get_next_time_step",
      "last_execution_time",
    ]);
    const rules = (text: string): string[] =>
      labels(`${HEAD}${F}output ports o\nout var v := 1; out rules { true -> ${text}`).filter(
        (label) => label.length <= 2 && label !== "if",
      );
    expect(rules("{ ‸ } --> {}; }")).toEqual(["v"]);
    expect(rules("{ } --> { ‸ }; }")).toEqual(["o", "a"]);
  });

  it("[LS15] functions with their signatures, units for functions of units", () => {
    const sin = offered(control("c := si‸; }")).find(({ label }) => label === "sin")!;
    expect([sin.detail, sin.documentation]).toEqual([
      "sin(x) → real",
      SA_FUNCTIONS.get("sin")!.text,
    ]);
    expect(labels(control("c := do_step(‸"))).toEqual(expect.arrayContaining(["f"]));
    expect(labels(control("c := do_step(‸"), "variable")).toEqual([]);
  });

  it("[LS16] units of measurement, those first that convert to the unit inside", () => {
    const text = `${HEAD}${F}output ports height (‸) <- f.y`;
    const units = offered(text);
    const first = units.filter(({ rank }) => rank === 0);
    expect(first.length).toBeGreaterThan(5);
    for (const { label } of units.filter(({ kind }) => kind === "measure"))
      expect([label, first.some((one) => one.label === label)]).toEqual([
        label,
        !("error" in conversion(parseUnit(label)!, parseUnit("cm")!)),
      ]);
    expect(first.find(({ label }) => label === "m")!.detail).toBe("1 m = 100 cm");
    expect(chosen(`${HEAD}${F}input ports w (rad/‸) -> f.u`, "rad/s")).toContain(
      "w (rad/s) -> f.u",
    );
    expect(labels(`${HEAD}${F}with input ports u (‸)`, "measure")[0]).toBe("rad");
  });

  it("[LS17] words where the parser takes them", () => {
    const words = (text: string): string[] => labels(text, "keyword");
    expect(words("‸")).toEqual(["semantic adaptation", "module", "import", "fmu"]);
    expect(words("semantic adaptation ‸")).toEqual(["reactive", "delayed", "mealy", "moore"]);
    expect(words("semantic adaptation reactive m‸")).toEqual(["mealy", "moore"]);
    expect(words(`${HEAD}${F}‸`)).toEqual([
      "semantic adaptation",
      "for inner fmu",
      "for fmu",
      "coupled as",
      "multiply rate 10 times",
      "successive substitution starts at",
      "delay at",
      "triggered by",
      "periodic every 1",
      "with input ports",
      "with output ports",
      "input ports",
      "output ports",
      "control var",
      "control rules",
      "in var",
      "in rules",
      "out var",
      "out rules",
      "implied",
      "param",
      "fmu",
    ]);
    expect(words(`${HEAD}${F}param p := 1 m‸`)).toEqual(["multiply rate 10 times", "min", "max"]);
    expect(words(`${HEAD}${F}control ‸`)).toEqual(["rules", "var"]);
    expect(words(control("‸ }")).sort()).toEqual(["break", "for", "if", "return", "var", "while"]);
    expect(words(control("c := ‸")).sort()).toEqual(["false", "not", "true"]);
    expect(words(control("if c ‸")).sort()).toEqual(["and", "or"]);
    expect(words(control("var k: ‸")).sort()).toEqual(["boolean", "integer", "real", "string"]);
    expect(words(`${HEAD}${F}input ports w (‸`)).toEqual([]);
  });

  it("[LS17] words behind a mistake", () => {
    expect(labels(control("c := ;\n‸ }"), "keyword")).toEqual(
      expect.arrayContaining(["if", "return"]),
    );
  });

  it("[LS18] knows when it is in the path of an inner unit", () => {
    const inside = (text: string): string | undefined => {
      const { document, offset } = atCursor(text);
      const found = insideText(document.text, offset);
      return found?.endings.length
        ? document.text.slice(found.span.offset, found.span.end)
        : undefined;
    };
    expect(inside(`${HEAD}for inner fmu F f at "./mo‸`)).toBe("./mo");
    expect(inside(`${HEAD}for inner fmu F f at "./mo‸dels/f.fmu"`)).toBe("./models/f.fmu");
    expect(inside(`${HEAD}at "./x‸"`)).toBeUndefined();
    expect(inside(`${HEAD}for inner fmu F ‸f at "f.fmu"`)).toBeUndefined();
    expect(inside(`${HEAD}for inner fmu F f // at "f‸"`)).toBeUndefined();
  });

  it("[LS19] ports that are not listed yet", () => {
    expect(labels(`${HEAD}${F}with input ports u, ‸`)).toEqual(expect.arrayContaining(["go"]));
    expect(labels(`${HEAD}${F}with input ports u, ‸`, "port")).toEqual(["go"]);
    const text = `${HEAD}${F}output ports y <- f.y, ‸`;
    expect(labels(text, "port")).toEqual(["der(y)"]);
    expect(chosen(text, "der(y)")).toContain("'der(y)' (m/s) <- f.'der(y)'");
  });

  it("[LS17] offers nothing inside of comments", () => {
    expect(offered(`${HEAD}// ‸`)).toEqual([]);
    expect(offered(`${HEAD}/* ‸ */`)).toEqual([]);
  });
});
