import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { formatDiagnostic } from "../../base/diagnostic.ts";
import type { Expression, Statement } from "../../model/adaptation/data.ts";
import { parseSa } from "./parse-sa.ts";
import { bare, HEAD, read } from "./testing/bare.ts";
import { LISTINGS, listing, printedListing, SLIPS } from "./testing/listings.ts";

/** `(a or (not b))`: an expression with all its brackets. */
function show(e: Expression): string {
  switch (e.kind) {
    case "number":
    case "boolean":
      return String(e.value);
    case "string":
      return JSON.stringify(e.value);
    case "reference":
      return e.unit === undefined ? e.name : `${e.unit}.${e.name}`;
    case "call":
      return `${e.callee}(${e.arguments.map(show).join(" ")})`;
    case "unary":
      return `(${e.operator} ${show(e.operand)})`;
    case "binary":
      return `(${show(e.left)} ${e.operator} ${show(e.right)})`;
    case "conditional":
      return `(${show(e.condition)} ? ${show(e.then)} : ${show(e.otherwise)})`;
  }
}

function valueIn(text: string): Expression {
  return read(`${HEAD}param p := ${text};`).parameters[0]!.value;
}

function control(text: string): readonly Statement[] {
  return read(`${HEAD}control rules { ${text} }`).controlRules!;
}

const problems = (text: string): string[] =>
  parseSa(text, "x.sa").diagnostics.map(formatDiagnostic);

describe("the printed listings", () => {
  it.each(LISTINGS)("[SA1] %s is read, as printed but for the slips that are listed", (name) => {
    expect(problems(listing(name))).toEqual([]);
  });

  it("[SA1] every slip in the list keeps the print from being read", () => {
    expect(Object.keys(SLIPS)).toEqual(["paper-2", "paper-5", "thesis-5"]);
    for (const name of Object.keys(SLIPS)) expect(problems(printedListing(name))).not.toEqual([]);
  });

  it.each([3, 4, 6])("[SA1] paper and thesis say the same in listing %s", (number) => {
    const paper = JSON.stringify(bare(read(listing(`paper-${number}`))));
    // The paper misspells the armature once more than the thesis.
    const thesis = JSON.stringify(bare(read(listing(`thesis-${number}`))));
    expect(paper.replaceAll("amature", "armature")).toBe(thesis.replaceAll("amature", "armature"));
  });
});

describe("what is read", () => {
  it("[SA2] keeps head, inner units, connections, ports with units, types and bindings", () => {
    const found = read(`semantic adaptation delayed mealy Both both at "./both.fmu"
      for inner fmu Window 'the window' at "./window.sa"
        with input ports speed (rad / s), load: integer
        with output ports height (cm)
      for inner fmu Other other at "./other.mjs"
      with 'the window'.height -> other.x
      input ports u (in) -> 'the window'.speed, 'in': boolean
      output ports y (W/(m2.K)) <- other.y`);
    expect(bare(found)).toEqual({
      type: "Both",
      name: "both",
      inputKind: "delayed",
      outputKind: "mealy",
      target: "./both.fmu",
      inner: [
        {
          type: "Window",
          name: "the window",
          source: "./window.sa",
          inputs: [
            { name: "speed", unit: "rad / s" },
            { name: "load", type: "integer" },
          ],
          outputs: [{ name: "height", unit: "cm" }],
        },
        { type: "Other", name: "other", source: "./other.mjs" },
      ],
      connections: [
        { from: { unit: "the window", port: "height" }, to: { unit: "other", port: "x" } },
      ],
      inputs: [
        { name: "u", unit: "in", binding: { unit: "the window", port: "speed" } },
        { name: "in", type: "boolean" },
      ],
      outputs: [{ name: "y", unit: "W/(m2.K)", binding: { unit: "other", port: "y" } }],
      parameters: [],
      controlVariables: [],
      inVariables: [],
      inRules: [],
      outVariables: [],
      outRules: [],
    });
  });

  it("[SA2] takes sections in any order and joins those of a kind", () => {
    const found = read(`${HEAD}
      out rules { true -> {} --> {}; }
      param a := 1;
      in var x := 0.5, flag: boolean := true;
      param b := 2
      input ports u`);
    expect(found.parameters.map(({ name }) => name)).toEqual(["a", "b"]);
    expect(found.inVariables.map(({ name, type }) => [name, type])).toEqual([
      ["x", undefined],
      ["flag", "boolean"],
    ]);
    expect(found.outRules).toHaveLength(1);
    expect(found.controlRules).toBeUndefined();
    expect(found.outputs).toBeUndefined();
  });

  it.each([
    ["a or b and not c", "(a or (b and (not c)))"],
    ["not a < b", "(not (a < b))"],
    ["not is_close(p, T, r, s) and p < T", "((not is_close(p T r s)) and (p < T))"],
    ["a - b - c", "((a - b) - c)"],
    ["a - (b - c)", "(a - (b - c))"],
    ["-a * b + c / d % e", "(((- a) * b) + ((c / d) % e))"],
    ["- -1", "(- (- 1))"],
    ["a ? b : c ? d : e", "(a ? b : (c ? d : e))"],
    ["u.'der(x)' >= 1e-05", "(u.der(x) >= 0.00001)"],
    ['"a \\"b\\"" != name', '("a \\"b\\"" != name)'],
  ])("[SA3] %s means %s", (text, expected) => {
    expect(show(valueIn(text))).toBe(expected);
  });

  it("[SA3] a comparison compares two things, and no third one", () => {
    expect(problems(`${HEAD}param p := a < b < c;`)[0]).toContain("x.sa:2:18 error sa-syntax");
  });

  it.each(["-> {} --> {};", "-> {} -> {};", "→ {} → {}", "=> {} => {};", "> {} > {};"])(
    "[SA4] a rule may be written with %s",
    (arrows) => {
      const { outRules } = read(`${HEAD}out rules { a > b ${arrows} }`);
      expect(outRules.map(({ condition }) => show(condition))).toEqual(["(a > b)"]);
    },
  );

  it("[SA4] lists may do without commas, and variables with semicolons", () => {
    const { parameters, inputs } = read(
      `${HEAD}input ports a b, c param d := -1.0 e := false; f := 2;`,
    );
    expect(inputs!.map(({ name }) => name)).toEqual(["a", "b", "c"]);
    expect(parameters.map(({ name, value }) => `${name} ${show(value)}`)).toEqual([
      "d (- 1)",
      "e false",
      "f 2",
    ]);
  });

  it("[SA5] statements nest, and 'else if' is an 'if' in the other branch", () => {
    const found = control(`
      if (a) and (b) { x := 1; } else if c { do_step(f, t, H); } else { break; }
      for (var i in 0..N) { while (x < 1) { x := x + 1; } }
      var y: real := 0.0;
      return H;`);
    expect(found.map(({ kind }) => kind)).toEqual(["if", "for", "var", "return"]);
    const [first] = found;
    if (first?.kind !== "if") throw new Error("no if");
    expect(show(first.condition)).toBe("(a and b)");
    expect(first.otherwise.map(({ kind }) => kind)).toEqual(["if"]);
  });

  it("[SA6] comments are no part of what is said", () => {
    const text =
      "/* head */ semantic adaptation reactive moore A a // tail\nparam p /* , */ := 1; //";
    expect(bare(read(text))).toEqual(bare(read(`${HEAD}param p := 1;`)));
  });

  it("[SA7] everything knows its line and column", () => {
    const found = read(
      `${HEAD}output ports y,\n  z (m) <- f.x\ncontrol rules {\n  return\n    2 + b;\n}`,
    );
    expect(found.place).toEqual({ file: "test.sa", line: 1, column: 1 });
    expect(found.outputs![1]!.place).toMatchObject({ line: 3, column: 3 });
    expect(found.outputs![1]!.binding!.place).toMatchObject({ line: 3, column: 12 });
    const [only] = found.controlRules!;
    expect(only!.place).toMatchObject({ line: 5, column: 3 });
    if (only?.kind !== "return" || only.value.kind !== "binary") throw new Error("no sum");
    expect(only.value.right.place).toMatchObject({ line: 6, column: 9 });
  });

  it("[SA3] a number is kept as written where that says more than its value", () => {
    expect(bare(valueIn("0.0"))).toEqual({ kind: "number", value: 0, text: "0.0" });
    expect(bare(valueIn("0.5"))).toEqual({ kind: "number", value: 0.5 });
  });
});

describe("what is refused", () => {
  it.each([
    ["", "x.sa:1:1 error sa-syntax: expected 'semantic' or 'fmu', found the end of the text"],
    [
      `${HEAD}control rules {\n  x := 1\n  y := 2;\n}`,
      "x.sa:3:9 error sa-syntax: expected ';', found 'y'",
    ],
    [
      `${HEAD}control rules { x := ; }`,
      "x.sa:2:22 error sa-syntax: expected an expression, found ';'",
    ],
    [`${HEAD}control rules { x = 1; }`, "write ':=' to assign and '==' to compare"],
    [`${HEAD}param p := a <- 1;`, "write '< -' to compare"],
    [`${HEAD}output ports in`, "'in' is a word of the language: as a name it needs its quotes"],
    [`${HEAD}for inner fmu X x at`, "expected a text in double quotes"],
    [
      `${HEAD}param p := 1, q := , r := 2;`,
      "x.sa:2:20 error sa-syntax: expected an expression, found ','",
    ],
    [`${HEAD}param p := $1;`, "x.sa:2:12 error sa-character: '$' is not a sign of this language"],
    [`${HEAD}param p := 1e999;`, "x.sa:2:12 error sa-number: 1e999 is too large"],
    [
      `${HEAD}control rules {}\ncontrol rules {}`,
      "x.sa:3:1 error sa-duplicate-section: there are 'control rules' already, in line 2",
    ],
    [
      `${HEAD}input ports u <- f.x`,
      "x.sa:2:13 error sa-binding: the arrow of 'u' does not fit here\n  fix: write 'u -> f.x'",
    ],
    [`${HEAD}output ports y -> f.x`, "write 'y <- f.x'"],
    [
      `${HEAD}for inner fmu F f at "f.fmu" with input ports u -> f.x`,
      "ports of the adaptation itself",
    ],
  ])("[SA8] %j: %s", (text, expected) => {
    expect(problems(text).join("\n")).toContain(expected);
  });

  it("[SA8] two mistakes are two diagnostics, and what follows from one is none", () => {
    const found = problems(
      `${HEAD}control rules {\n  x := ;\n  y := 1;\n  z := 2 +;\n  return H;\n}`,
    );
    expect(found.map((text) => text.split(" ")[0])).toEqual(["x.sa:3:8", "x.sa:5:11"]);
  });
});

describe("the grammar", () => {
  it("is the one that the parser loads", () => {
    const script = join(import.meta.dirname, "../../../../../scripts/grammars.mjs");
    const { status, stderr } = spawnSync(process.execPath, [script, "--check"], {
      encoding: "utf8",
    });
    expect(stderr).toBe("");
    expect(status).toBe(0);
  });
});
