/**
 * Open adaptations, applied: names are put in, and what comes out is an adaptation like any other.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import type { Adaptation, AdaptationArgument, InnerUnit } from "../../model/adaptation/data.ts";
import type { Value } from "../../model/value-type.ts";
import { applySa } from "./apply-sa.ts";
import { checkSa } from "./check-sa.ts";
import { explicitForm } from "./explicit-form.ts";
import { formatSa } from "./format-sa.ts";
import { printSa } from "./print-sa.ts";
import { bare, codes, HEAD, read } from "./testing/bare.ts";
import { described } from "./testing/described.ts";

const WHERE = { file: "scenario.yaml", line: 4, column: 12 };

function given(values: Readonly<Record<string, Value>>): AdaptationArgument[] {
  return Object.entries(values).map(([name, value], i) => ({
    name,
    value,
    place: { file: "scenario.yaml", line: 4, column: 20 + i },
  }));
}

const apply = (
  text: string,
  values: Readonly<Record<string, Value>>,
  ...units: readonly string[]
): ReturnType<typeof applySa> =>
  applySa(read(HEAD + text), given(values), described(...units), WHERE);

const applied = (...all: Parameters<typeof apply>): Adaptation => unwrap(apply(...all));

const QUANTIZE = `
for inner fmu Any f
  with output ports signal: real
output ports signal, changes
param QUANTUM := 1.0, LOUD := false, LABEL := "q", COUNT: integer := 2;
control var told := 0.0;
control rules {
  do_step(f, t, H);
  var near := round(f.signal / QUANTUM);
  told := near * QUANTUM;
  return H;
}
out rules { f.signal > 0.0 -> {} --> { a.signal := told; changes := 1.0; }; }`;

describe("an open adaptation", () => {
  it("[SA35] has an inner unit without a file, and is written and formatted so", () => {
    const open = read(`${HEAD}for inner fmu Any f with input ports u: real\nfor inner fmu Any g`);
    expect(open.inner.map((unit) => "source" in unit)).toEqual([false, false]);
    const text = printSa(open);
    expect(text).toContain(
      "for inner fmu Any f\n  with input ports u: real\n\nfor inner fmu Any g",
    );
    expect(bare(read(text))).toEqual(bare(open));
    expect(unwrap(formatSa(text, "open.sa"))).toBe(text);
  });

  it("[SA35] is checked as far as its author declares ports", () => {
    const check = (text: string): string[] => codes(checkSa(read(HEAD + text), () => undefined));
    expect(check(QUANTIZE)).toEqual([]);
    expect(check(QUANTIZE.replace("round(f.signal", "round(f.signl"))).toEqual(["sa-unknown-port"]);
    // Nothing is declared, so nothing is judged.
    expect(check("for inner fmu Any f output ports y <- f.anything")).toEqual([]);
  });

  it("[SA36] gives a role to the port that is named", () => {
    const { inner, outRules } = applied(
      QUANTIZE,
      { signal: "y" },
      "f: in u, out x, out signal, out y",
    );
    expect(inner[0]!.outputs!.map(({ name }) => name)).toEqual(["x", "signal", "y"]);
    expect(outRules[0]!.condition).toMatchObject({ left: { unit: "f", name: "y" } });
  });

  it.each([
    ["the port of its name", "f: out x, out signal", "signal"],
    ["the only one that can", "f: in u, out b: boolean, out y", "y"],
    ["an integer where a real is read", "f: in u, out n: integer", "n"],
  ])("[SA36] takes %s where none is named", (_, unit, port) => {
    expect(applied(QUANTIZE, {}, unit).outputs![0]!.name).toBe(port);
  });

  it("[SA36] gives what is left to the one role that is left", () => {
    const text = "for inner fmu Any f with input ports left: real, right: real";
    const both = applied(
      `${text}\nin rules { true -> {} --> { f.left := 1.0; f.right := 2.0; }; }`,
      { left: "v" },
      "f: in u, in v, out y",
    );
    const targets = both.inRules[0]!.second.map((s) => (s.kind === "assign" ? s.target.name : ""));
    expect(targets).toEqual(["v", "u"]);
  });

  it.each([
    ["several fit", QUANTIZE, "f: out x, out y", "say it: 'signal: x' (one of x, y)"],
    ["none fits", QUANTIZE, "f: in u, out b: boolean", "this adaptation is not for it"],
    [
      "two roles want the same",
      "for inner fmu Any f with input ports p: real, q: real",
      "f: in u, in v, out y",
      "one of u, v",
    ],
  ])("[SA36] asks where %s", (_, text, unit, fix) => {
    const { value, diagnostics } = apply(text, {}, unit);
    expect(value).toBeUndefined();
    expect(diagnostics[0]).toMatchObject({ code: "sa-role-missing", place: WHERE });
    expect(diagnostics[0]!.fix).toContain(fix);
  });

  it.each([
    ["is not there", "hight", "did you mean 'height'?"],
    ["is an input", "u", "one of height, n"],
    ["is boolean", "b", "it is boolean, not real"],
    ["is an array", "v", "it is an array"],
  ])("[SA36] refuses a port that %s, where it is given", (_, port, words) => {
    const unit = "f: in u, out height, out n: integer, out b: boolean, out v[3]";
    const [found, ...more] = apply(QUANTIZE, { signal: port }, unit).diagnostics;
    expect(found).toMatchObject({ code: "sa-role-port", place: { line: 4, column: 20 } });
    expect(`${found!.message}; ${found!.fix}`).toContain(words);
    expect(more).toEqual([]);
  });

  it("[SA36] gives a port one role, of the same unit", () => {
    const two = "for inner fmu Any f with output ports x: real, y: real\noutput ports x, y";
    const [found, ...more] = apply(two, { x: "p", y: "p" }, "f: out p, out q").diagnostics;
    expect(found).toMatchObject({ code: "sa-role-port", place: { line: 4, column: 21 } });
    expect(`${found!.message}; ${found!.fix}`).toContain("it is 'x' already; one of q");
    expect(more).toEqual([]);
    // Two units of one kind have one description.
    const pair = `for inner fmu Any f with output ports x: real
      for inner fmu Any g with output ports y: real`;
    const { ports, ...rest } = described("f: out p")({ name: "f" } as InnerUnit)!;
    const both = applySa(read(HEAD + pair), given({ x: "p" }), () => ({ ...rest, ports }), WHERE);
    expect(both.diagnostics).toEqual([]);
  });

  it("[SA37] calls its own port like the one that plays the role, in its physical unit", () => {
    const { outputs, outRules } = applied(QUANTIZE, { signal: "x" }, "f: in u, out x (mm)");
    expect(outputs!.map(({ name, unit, type }) => ({ name, unit, type }))).toEqual([
      { name: "x", unit: "mm", type: "real" },
      { name: "changes" },
    ]);
    expect(outRules[0]!.second[0]).toMatchObject({ target: { unit: "a", name: "x" } });
  });

  it("[SA37] puts names into connections, bindings and conditions", () => {
    const text = `
      for inner fmu Any f with input ports back: real with output ports forth: real
      for inner fmu Any g with input ports takes: real with output ports answers: real
      with f.forth -> g.takes
      with g.answers -> f.back
      output ports seen <- g.answers
      control rules { if (g.answers > 0.0) { f.back := g.answers; } do_step(f, t, H); do_step(g, t, H); return H; }`;
    const units = ["f: in u, out y", "g: in v, out z"];
    const { connections, outputs, controlRules } = applied(text, {}, ...units);
    const name = ({ unit, port }: { unit: string; port: string }): string => `${unit}.${port}`;
    expect(connections.map(({ from, to }) => `${name(from)} -> ${name(to)}`)).toEqual([
      "f.y -> g.v",
      "g.z -> f.u",
    ]);
    expect(outputs![0]!.binding).toMatchObject({ unit: "g", port: "z" });
    const printed = printSa({ ...read(`${HEAD}for inner fmu F f`), controlRules: controlRules! });
    expect(printed).toContain("if (g.z > 0.0) {\n    f.u := g.z;");
  });

  it("[SA37] lets no variable take the place of a port that gets its name", () => {
    const text = `
      for inner fmu Any f with input ports signal: real
      input ports signal
      control var last := 0.0;
      control rules { var local := signal; last := local + last; do_step(f, t, H); return H; }
      in rules { true -> {} --> { f.signal := 1.0; }; }`;
    for (const port of ["last", "local"]) {
      const { controlRules: control } = applied(text, {}, `f: in ${port}, out y`);
      expect(control![0]).toMatchObject({ value: { unit: "a", name: port } });
      expect(control![1]).toMatchObject({
        target: { name: "last" },
        value: { left: { name: "local" }, right: { name: "last" } },
      });
      expect(control![1]).not.toHaveProperty("target.unit");
    }
  });

  it("[SA37] is an adaptation like any other afterwards", () => {
    const describe = described("f: in u (cm) = 3, out x (m); rollback");
    const closed = applied(QUANTIZE, { signal: "x" }, "f: in u (cm) = 3, out x (m); rollback");
    expect(checkSa(closed, describe)).toEqual([]);
    const explicit = unwrap(explicitForm(closed, describe));
    expect(explicit.inputs!.map(({ name, unit }) => `${name} ${unit}`)).toEqual(["u cm"]);
    expect(bare(unwrap(explicitForm(explicit, describe)))).toEqual(bare(explicit));
  });

  it("[SA38] passes on what nothing mentions, in and out", () => {
    const describe = described("f: in u, in v: boolean, out x, out y (V), out w[2]");
    const all = applied(
      QUANTIZE,
      { signal: "x" },
      "f: in u, in v: boolean, out x, out y (V), out w[2]",
    );
    const { inputs, outputs } = unwrap(explicitForm(all, describe));
    expect(inputs!.map(({ name, type }) => `${name}: ${type ?? "real"}`)).toEqual([
      "u: real",
      "v: boolean",
    ]);
    expect(outputs!.map(({ name }) => name)).toEqual(["x", "changes", "y"]);
  });

  it("[SA38] finds another name where one is taken, by a port or by a parameter", () => {
    const unit = "f: in QUANTUM, out x, out changes, out LOUD";
    const all = applied(QUANTIZE, { signal: "x" }, unit);
    const { inputs, outputs } = unwrap(explicitForm(all, described(unit)));
    expect(inputs!.map(({ name }) => name)).toEqual(["f_QUANTUM"]);
    expect(outputs!.map(({ name }) => name)).toEqual(["x", "changes", "f_changes", "f_LOUD"]);
  });

  it("[SA39] sets parameters, however their names are written", () => {
    const values = { Quantum: -0.25, loud: true, label: "5 mm", count: 3 };
    const { parameters } = applied(QUANTIZE, values, "f: out x");
    expect(parameters.map(({ value }) => printValue(value))).toEqual([-0.25, true, "5 mm", 3]);
    const slope = applied(
      "for inner fmu Any f param INITIAL_SLOPE := 0.0;",
      { "initial-slope": 2 },
      "f: out x",
    );
    expect(slope.parameters[0]!.value).toMatchObject({ kind: "number", value: 2 });
  });

  it.each([
    [{ quantum: "fast" }, "'quantum' must be a number, not the text 'fast'"],
    [{ quantum: "250 ms" }, "parameters of adaptations have no physical unit"],
    [{ quantum: true }, "'quantum' must be a number, not 'true'"],
    [{ quantum: Number.POSITIVE_INFINITY }, "'quantum' must be a number, not 'Infinity'"],
    [{ loud: 1 }, "'loud' must be true or false, not '1'"],
    [{ label: 1 }, "'label' must be a text, not '1'"],
    [{ count: 2.5 }, "'count' must be a whole number, not '2.5'"],
    [{ signal: 3 }, "'signal' must be the name of a port, not '3'"],
    [{ quantun: 1 }, "did you mean 'quantum'?"],
    [{ speed: 1 }, "it takes quantum, loud, label, count, signal"],
  ])("[SA39] refuses %j, where it is given", (values, words) => {
    const { value, diagnostics } = apply(QUANTIZE, values as Record<string, Value>, "f: out x");
    expect(value).toBeUndefined();
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]!.place).toEqual({ file: "scenario.yaml", line: 4, column: 20 });
    expect(`${diagnostics[0]!.message}; ${diagnostics[0]!.fix}`).toContain(words);
  });

  it("[SA39] asks for nothing under a name that cannot be told apart", () => {
    const check = (text: string) => codes(checkSa(read(HEAD + text), () => undefined));
    const open = "for inner fmu Any f with input ports the_rate: real param";
    expect(check(`${open} THERATE := 1.0;`)).toEqual(["sa-duplicate-name"]);
    expect(check(`${open} RATE := 1.0;`)).toEqual([]);
    expect(check(`${open.replace("param", "for inner fmu G TheRate param")} RATE := 1.0;`)).toEqual(
      ["sa-duplicate-name"],
    );
    // Where nothing is open, nothing is given.
    expect(check('for inner fmu F f at "f.fmu" with input ports a: real param A := 1.0;')).toEqual(
      [],
    );
  });

  it("[SA39] takes nothing twice", () => {
    const { diagnostics } = apply(QUANTIZE, { quantum: 1, QUANTUM: 2 }, "f: out x");
    expect(codes(diagnostics)).toEqual(["sa-argument-twice"]);
    expect(diagnostics[0]!.place.column).toBe(21);
  });
});

function printValue(e: Adaptation["parameters"][number]["value"]): Value | undefined {
  if (e.kind === "unary") return -Number(printValue(e.operand));
  return "value" in e ? e.value : undefined;
}

describe("limits", () => {
  it("[SA59] a value that breaks a limit is refused where it is given, with its reason and a fix", () => {
    const text =
      "for inner fmu Any f\nparam QUANTUM (m) := 1.0 above 0, RATE: integer := 10 min 1 max 20;";
    const { diagnostics } = apply(text, { quantum: 0, rate: 21 });
    expect(diagnostics).toMatchObject([
      {
        code: "sa-argument-limits",
        message: "'quantum' must be above 0 m, not '0'",
        fix: "give a value that is above 0",
        place: { line: 4, column: 20 },
      },
      { code: "sa-argument-limits", message: "'rate' must be at least 1 and at most 20, not '21'" },
    ]);
    expect(apply(text, { quantum: 1e-9, rate: 20 }).diagnostics).toEqual([]);
  });

  it("[SA59] so is one in the text itself, and limits of what is not a parameter", () => {
    const check = (text: string): string[] =>
      codes(checkSa(read(`${HEAD}for inner fmu F f at "f.fmu" ${text}`), () => undefined));
    expect(check("param Q := 0 above 0, P := -1.0 min -1;")).toContain("sa-out-of-limits");
    expect(check("param Q := 1 above 0, P := -1.0 min -1;")).not.toContain("sa-out-of-limits");
    expect(check("control var q := 1 min 0;")).toContain("sa-limit-here");
  });
});
