/** The published tool's dialect: what is read, what it is read as, and what is refused. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Diagnostic, formatDiagnostic, hasErrors, unwrap } from "../../../base/diagnostic.ts";
import { formatSa } from "../format-sa.ts";
import { importsFrom } from "../imports.ts";
import { parseSa, parseSaFile } from "../parse-sa.ts";
import { SA_WORDS } from "../syntax-words.ts";
import { bare, read } from "../testing/bare.ts";

const FOLDER = join(import.meta.dirname, "..", "testing", "dialect");
const FIXTURES = readdirSync(FOLDER).sort();
const fixture = (name: string): string => readFileSync(join(FOLDER, name), "utf8");

/** The fixtures as files of one folder, and some more. */
const files = (more: Readonly<Record<string, string>> = {}) => ({
  exists: (path: string) => path in more || FIXTURES.includes(path),
  text: (path: string) => more[path] ?? fixture(path),
  list: () => [...Object.keys(more), ...FIXTURES],
});

const HEAD = "semantic adaptation reactive moore A a\n";
const UNIT = 'for inner fmu F f at "f.fmu" with input ports u with output ports y\n';
const errors = (all: readonly Diagnostic[]): string[] =>
  all.filter(({ severity }) => severity === "error").map(formatDiagnostic);

describe("files in the dialect", () => {
  it.each(FIXTURES)("[SA47] %s is read, and what is translated has notes and no errors", (name) => {
    const { value, diagnostics } = parseSaFile(fixture(name), name, importsFrom(files(), name));
    expect(value).toBeDefined();
    expect(errors(diagnostics)).toEqual([]);
    const isWritten = diagnostics.every(
      ({ code, severity }) => code === "sa-dialect" && severity === "note",
    );
    expect(isWritten).toBe(true);
    expect(diagnostics.length).toBeGreaterThan(0);
  });

  it.each(FIXTURES)(
    "[SA48] formatting %s gives our notation, which means the same and stays as it is",
    (name) => {
      const find = importsFrom(files(), name);
      const text = fixture(name);
      const once = unwrap(formatSa(text, name, find));
      const again = parseSaFile(once, name, find);
      // Nothing is left to translate, but for what the units of a file declare.
      expect(again.diagnostics.filter(({ code }) => code === "sa-dialect")).toEqual([]);
      expect(bare(again.value!.adaptations)).toEqual(
        bare(parseSaFile(text, name, find).value!.adaptations),
      );
      expect(unwrap(formatSa(once, name, find))).toBe(once);
    },
  );

  it("[SA48] no comment is lost where a form is written in another way", () => {
    const text = `${HEAD}${UNIT}// above\nmultiply rate 4 times // behind\n  with no interpolation // last\nin rules {\n  // of the rule\n  u := 2 * a.u; // behind it\n}\n`;
    const formatted = unwrap(formatSa(text, "x.sa"));
    for (const comment of ["// above", "// behind", "// last", "// of the rule", "// behind it"])
      expect(formatted.split(comment)).toHaveLength(comment === "// behind" ? 3 : 2);
  });
});

/** Each in the dialect, and as our notation writes it. */
const PAIRS: readonly [what: string, dialect: string, ours: string][] = [
  [
    "a head with one name",
    `semantic adaptation delayed mealy A\n${UNIT}`,
    `semantic adaptation delayed mealy A A\n${UNIT}`,
  ],
  [
    "types in front",
    `${HEAD}${UNIT}param Real P := 1.0, Integer N := 2;\nin var Bool b := false;`,
    `${HEAD}${UNIT}param P: real := 1.0, N: integer := 2;\nin var b: boolean := false;`,
  ],
  [
    "connections in a list",
    `${HEAD}${UNIT}for inner fmu G g at "g.fmu"\ncoupled as f.y -> g.u, g.y -> f.u`,
    `${HEAD}${UNIT}for inner fmu G g at "g.fmu"\nwith f.y -> g.u\nwith g.y -> f.u`,
  ],
  [
    "an alias",
    `${HEAD}for inner fmu F f at "f.fmu" with input ports u "U IN" with output ports y\nin rules { true -> {} --> { f.u := a.u; }; } input ports u`,
    `${HEAD}for inner fmu F f at "f.fmu" with input ports 'U IN' with output ports y\ninput ports u output ports y <- f.y in rules { true -> {} --> { f.'U IN' := a.u; }; }`,
  ],
  [
    "a start value of an input",
    `${HEAD}${UNIT}input ports u := 3 -> f.u`,
    `${HEAD}${UNIT}input ports u -> f.u\nparam INIT_A_U := 3;`,
  ],
  [
    "a start value of an inner output",
    `${HEAD}for inner fmu F f at "f.fmu" with output ports y := -2`,
    `${HEAD}for inner fmu F f at "f.fmu" with output ports y\nparam INIT_F_Y := -2;`,
  ],
  [
    "an array",
    `${HEAD}for inner fmu F f at "f.fmu" with input ports x[2]\ninput ports v[2] -> f.x`,
    `${HEAD}for inner fmu F f at "f.fmu" with input ports 'x[1]', 'x[2]'\ninput ports 'v[1]' -> f.'x[1]', 'v[2]' -> f.'x[2]'`,
  ],
  [
    "ports without their unit",
    `${HEAD}${UNIT}input ports w -> u\nout rules { true -> {} --> { a.z := 2 * y; }; } output ports z`,
    `${HEAD}${UNIT}input ports w -> f.u\noutput ports z\nout rules { true -> {} --> { a.z := 2 * f.y; }; }`,
  ],
  [
    "a rule without a condition",
    `${HEAD}${UNIT}output ports z\nout rules { z := -f.y; }`,
    `${HEAD}${UNIT}output ports z\nout rules { true -> {} --> { a.z := -f.y; }; }`,
  ],
  [
    "otherwise",
    `${HEAD}${UNIT}in var v := 0;\nin rules { a.u > 2 -> { v := 1; } --> {}; a.u < -2 -> { v := 2; } --> {}; otherwise -> { v := 3; } --> {}; }`,
    `${HEAD}${UNIT}in var v := 0;\nin rules { a.u > 2 -> { v := 1; } --> {}; a.u < -2 -> { v := 2; } --> {}; not (a.u > 2 or a.u < -2) -> { v := 3; } --> {}; }`,
  ],
  [
    "an output in quotes",
    `${HEAD}${UNIT}output ports z out var v := 0;\nout rules { "y" -> { v := 1; } --> {}; }`,
    `${HEAD}${UNIT}output ports z out var v := 0;\nout rules { f.y -> { v := 1; } --> {}; }`,
  ],
  [
    "elapsed time",
    `${HEAD}${UNIT}control rules { do_step(f, t - e, elapsed(f) + H); return H; }`,
    `${HEAD}${UNIT}control rules { do_step(f, t - (t - last_execution_time(f)), t - last_execution_time(f) + H); return H; }`,
  ],
  [
    "discard",
    `${HEAD}${UNIT}control rules { if (H > 1) { discard(1); } return do_step(f, t, H); }`,
    `${HEAD}${UNIT}control rules { if (H > 1) { return 1; } return do_step(f, t, H); }`,
  ],
  [
    "states as values",
    `${HEAD}${UNIT}control rules { var s := get_state(f); do_step(f, t, H); set_state(f, s); return do_step(f, t, H); }`,
    `${HEAD}${UNIT}control rules { save_state(f); do_step(f, t, H); rollback(f); return do_step(f, t, H); }`,
  ],
  [
    "is_set",
    `${HEAD}${UNIT}control var x;\ncontrol rules { if (not is_set(x)) { x := t; } return do_step(f, t, H); }`,
    `${HEAD}${UNIT}control var x := 0.0, x_is_set := false;\ncontrol rules { if (not x_is_set) { x := t; x_is_set := true; } return do_step(f, t, H); }`,
  ],
  [
    "numbers with a point at their end",
    `${HEAD}${UNIT}param P := .5, Q := 2.;`,
    `${HEAD}${UNIT}param P := 0.5, Q := 2;`,
  ],
  [
    "'implied', '=' in declarations, 'control {'",
    `${HEAD}${UNIT}param P = 1;\ncontrol { return do_step(f, t, H); }\nimplied`,
    `${HEAD}${UNIT}param P := 1;\ncontrol rules { return do_step(f, t, H); }`,
  ],
];

describe("forms", () => {
  it.each(PAIRS)("[SA49] %s means the same in both", (_, dialect, ours) => {
    expect(bare(read(dialect))).toEqual(bare(read(ours)));
    expect(read(ours)).toBeDefined();
    expect(parseSa(ours, "x.sa").diagnostics).toEqual([]);
  });

  it("[SA50] kinds of inner units are part of our notation", () => {
    const text = `${HEAD}for inner fmu reactive mealy F f at "f.fmu"\n`;
    expect(read(text).inner[0]).toMatchObject({
      inputKind: "reactive",
      outputKind: "mealy",
      type: "F",
    });
    expect(unwrap(formatSa(text, "x.sa"))).toContain("for inner fmu reactive mealy F f");
  });

  it("[SA49] words of the dialect are names elsewhere", () => {
    const text = `${HEAD}for inner fmu Delay delay at "d.fmu"\ninput ports Real, rate, multiply, signal, min, otherwise, import\nparam periodic := 1, times := 2, max := 3;`;
    expect(parseSa(text, "x.sa").diagnostics).toEqual([]);
    expect(read(text).inputs?.map(({ name }) => name)).toEqual([
      "Real",
      "rate",
      "multiply",
      "signal",
      "min",
      "otherwise",
      "import",
    ]);
  });

  it.each([
    [
      "out rules { f.y >! 3 -> { }; }",
      "3:13 error sa-dialect-refused: '>!': what an inner unit gives is known when its step is over",
    ],
    [
      "control rules { if (a.u <! 3) { return H; } return do_step(f, t, H); }",
      "a crossing is a condition of an in rule",
    ],
    [
      "multiply rate 3 times with second order interpolation",
      "3:1 error sa-dialect-refused: interpolation of order 2",
    ],
    [
      "multiply rate 0 times",
      "3:1 error sa-dialect-refused: 'multiply rate 0 times': the inner units would take no step at all",
    ],
    ["periodic every 0.0", "the period must be a number above 0"],
    [
      "triggered by signal == true",
      "'signal': it stands for any boolean signal that comes in, and there is none",
    ],
    ["delay at nothing", "no inner unit declares an output of this name"],
    ["delay at y", "'y' feeds no inner unit"],
    ["periodic every 1\ntriggered by t > 1", "there is one that decides the same already"],
    [
      "multiply rate 2 times\ncontrol rules { return do_step(f, t, H); }",
      "there is one that decides the same already",
    ],
    ["out rules with no hold { true -> {} --> {}; }", "outputs of a unit have a value at any time"],
    ["in rules { quantize f.u every 5; }", "put the adaptation 'quantize' of the library"],
    ["extract timederivative", "derivatives are outputs of an adaptation of their own"],
    ["control rules { return do_step(f, t, MAX); }", "a step of the largest number has no end"],
    [
      "control rules { local_step(f); return H; }",
      "write save_state(f), do_step(f, t, H) and rollback(f)",
    ],
    ["input ports x[0..2000]", "an array has 1 to 1000 elements"],
    ["input ports x := [1, 2] [3]", "it has 2 elements, and the port 3"],
    [
      "control rules { var b := u[prev]; return do_step(f, t, H); }",
      "a value of an earlier step has no name",
    ],
  ])("[SA51] %s is refused with its place and reason", (text, expected) => {
    const { diagnostics } = parseSa(`${HEAD}${UNIT}${text}`, "x.sa");
    expect(errors(diagnostics).join("\n")).toContain(expected);
  });

  it("[SA51] hostile texts get an answer", () => {
    const many = (count: number, line: (k: number) => string): string =>
      Array.from({ length: count }, (_, k) => line(k)).join("\n");
    const rules = many(3000, (k) => `a.u > ${k} -> { v := ${k}; };\notherwise -> { v := 0; };`);
    expect(
      hasErrors(parseSa(`${HEAD}${UNIT}in var v := 0;\nin rules { ${rules} }`, "x.sa").diagnostics),
    ).toBe(false);
    const nested = `${"(".repeat(5000)}1${")".repeat(5000)}`;
    expect(
      errors(parseSa(`${HEAD}${UNIT}triggered by ${nested}`, "x.sa").diagnostics)[0],
    ).toContain("sa-too-deep");
  });
});

describe("tolerances, arrays and phrases", () => {
  const LOOP = `${HEAD}${UNIT}for inner fmu G g at "g.fmu" with input ports y with output ports u\n`;
  const within = (tolerance: string): string =>
    unwrap(formatSa(`${LOOP}successive substitution starts at y ${tolerance}\n`, "x.sa"));

  it.each([
    ["with tolerance 1e-6", "1e-6, 1e-6"],
    ["with tolerance = 1e-6", "1e-6, 1e-6"],
    ["with tolerance abs=1e-8 rel=1e-4", "1e-4, 1e-8"],
    ["with tolerance relative = 1e-4, absolute = 1e-8", "1e-4, 1e-8"],
    ["with tolerance abs = 1e-8", "1e-5, 1e-8"],
    ["with absolute tolerance 1e-8 and relative tolerance = 1e-4", "1e-4, 1e-8"],
  ])("[SA53] %s", (text, arguments_) => {
    expect(within(text)).toContain(`is_close(guess_y, f.y, ${arguments_})`);
  });

  it("[SA53] another kind of tolerance is refused", () => {
    const text = `${LOOP}successive substitution starts at y with tolerance total = 1`;
    expect(errors(parseSa(text, "x.sa").diagnostics).join("\n")).toContain(
      "'total': a tolerance is absolute or relative",
    );
  });

  it("[SA49] an array has its start value before or behind its size", () => {
    const ports = (text: string): unknown => bare(read(`${HEAD}${UNIT}input ports ${text}`));
    expect(ports("Real u2[3] := 1.0")).toEqual(ports("Real u2 := 1.0 [3]"));
    expect(ports("Real u2[2] := [1, 2], b")).toEqual(ports("Real u2 := [1, 2] [2], b"));
    expect(read(`${HEAD}${UNIT}input ports Real u2[3] := 1.0`).inputs).toHaveLength(3);
  });

  it("[SA47] no message names a token of the grammar", () => {
    const phrases = [
      ...readFileSync(join(FOLDER, "..", "..", "sa.langium"), "utf8").matchAll(
        /^terminal (\w+_PHRASE)/gm,
      ),
    ];
    expect(phrases.length).toBeGreaterThan(10);
    for (const [, token] of phrases) expect(SA_WORDS.tokens).toHaveProperty(token!);
    const texts = [
      "successive substitution starts at y with 1e-6",
      "successive substitution starts at y",
      "input ports u :",
      "in rules with",
    ];
    for (const text of texts) {
      const found = errors(parseSa(`${LOOP}${text}`, "x.sa").diagnostics).join("\n");
      expect(found).toContain("sa-syntax");
      expect(found).not.toContain("PHRASE");
    }
  });

  it("[SA51] nothing follows from a crossing that is refused", () => {
    const text = `${HEAD}${UNIT}output ports z\nout rules { f.y >! 3 -> { } --> { z := 1; }; otherwise -> { } --> { z := 0; }; }`;
    const { diagnostics } = parseSa(text, "x.sa");
    expect(diagnostics.filter(({ code }) => code !== "sa-dialect").map(({ code }) => code)).toEqual(
      ["sa-dialect-refused"],
    );
  });
});

describe("import", () => {
  const shared =
    'module Shared\nfmu Tank tank at "./tank.fmu" input ports u output ports y\nsemantic adaptation Twice twice for fmu tank';
  const around = (name: string, text: string, more: Readonly<Record<string, string>>) =>
    parseSaFile(text, name, importsFrom(files({ [name]: text, ...more }), name));

  it("[SA58] finds a module by the name of its file, by what the file says, and by its path", () => {
    const use = "semantic adaptation Outer outer for inner fmu Twice inside";
    for (const [line, file] of [
      ["import Shared", "Shared.sa"],
      ["import Shared", "other-name.sa"],
      ['import "./lib/shared.sa"', "lib/shared.sa"],
    ] as const) {
      const { value, diagnostics } = around("main.sa", `${line}\n${use}`, { [file]: shared });
      expect(errors(diagnostics)).toEqual([]);
      expect(value?.adaptations[0]?.inner[0]).toMatchObject({
        source: `${file}#twice`,
        isDeclared: true,
      });
    }
  });

  it("[SA58] units that are declared elsewhere are found from the folder of the file that imports them", () => {
    const { value } = around(
      "main.sa",
      'import "lib/shared.sa"\nsemantic adaptation O o for fmu tank',
      { "lib/shared.sa": shared },
    );
    expect(value?.adaptations[0]?.inner[0]).toMatchObject({
      type: "Tank",
      source: "lib/./tank.fmu",
    });
  });

  it("[SA58] reports what cannot be found, and files that import each other", () => {
    expect(
      errors(around("main.sa", "import Nowhere\nsemantic adaptation O o", {}).diagnostics)[0],
    ).toContain(
      "main.sa:1:1 error sa-import: 'Nowhere' cannot be imported: no file of this folder is called so",
    );
    const circle = { "b.sa": `import "c.sa"\n${HEAD}`, "c.sa": `import "./b.sa"\n${HEAD}` };
    expect(errors(around("main.sa", `import "b.sa"\n${HEAD}`, circle).diagnostics)[0]).toContain(
      "files import each other: main.sa → b.sa → c.sa → b.sa",
    );
  });

  it("[SA58] a chain without an end is cut off", () => {
    const endless = { exists: () => true, text: (path: string) => `import "x${path}"\n${HEAD}` };
    const { diagnostics } = parseSaFile(endless.text("a.sa"), "a.sa", importsFrom(endless, "a.sa"));
    expect(errors(diagnostics)[0]).toContain("more than 20 files import each other in a chain");
  });

  it("[SA57] of several adaptations one is named, and each can have another inside", () => {
    const text = `${HEAD}${UNIT}semantic adaptation B b for inner fmu A inside`;
    const whole = parseSa(text, "two.sa");
    expect(errors(whole.diagnostics)[0]).toContain("fix: name one: two.sa#a, two.sa#b");
    const { value } = parseSa(text, "two.sa", undefined, "b");
    expect(value?.inner[0]).toMatchObject({ name: "inside", source: "two.sa#a" });
    expect(errors(parseSa(text, "two.sa", undefined, "c").diagnostics)[0]).toContain("it has a, b");
  });
});

describe("limits of parameters", () => {
  it("[SA52] [SA53] RATE and MAXITER of the dialect are at least 1, PERIOD is above 0", () => {
    const atLeastOne = [{ kind: "min", bound: 1 }];
    const several = read(`${HEAD}${UNIT}multiply rate 10 times`).parameters;
    expect(several).toMatchObject([{ name: "RATE", type: "integer", limits: atLeastOne }]);
    const loop = read(
      `${HEAD}${UNIT}for inner fmu G g at "g.fmu" with input ports y with output ports u\nsuccessive substitution starts at y with absolute tolerance = 1e-6`,
    ).parameters;
    expect(loop).toMatchObject([{ name: "MAXITER", type: "integer", limits: atLeastOne }]);
    expect(read(`${HEAD}${UNIT}periodic every 0.5`).parameters[0]).toMatchObject({
      name: "PERIOD",
      limits: [{ kind: "above", bound: 0 }],
    });
    expect(unwrap(formatSa(`${HEAD}${UNIT}multiply rate 10 times`, "x.sa"))).toContain(
      "RATE: integer := 10 min 1;",
    );
  });

  it("[SA59] are read, written and checked", () => {
    const text = `${HEAD}${UNIT}\nparam\n  Q (m) := 1.0 above 0 max 5,\n  N: integer := 2 min 1;\n`;
    expect(read(text).parameters[0]).toMatchObject({
      unit: "m",
      limits: [
        { kind: "above", bound: 0 },
        { kind: "max", bound: 5 },
      ],
    });
    const formatted = unwrap(formatSa(text, "x.sa"));
    expect(formatted).toContain("  Q (m) := 1.0 above 0 max 5,\n  N: integer := 2 min 1;\n");
    expect(errors(parseSa(`${HEAD}param Q := 1 min x;`, "x.sa").diagnostics)[0]).toContain(
      "sa-limit: 'min' takes a number",
    );
  });
});
