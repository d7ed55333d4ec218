import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import type { Adaptation } from "../../model/adaptation/data.ts";
import { explicitForm } from "./explicit-form.ts";
import type { Describe } from "./inner-ports.ts";
import { printSa } from "./print-sa.ts";
import { bare, HEAD, read } from "./testing/bare.ts";
import { described } from "./testing/described.ts";
import { LISTINGS, listing } from "./testing/listings.ts";
import { randomAdaptation } from "./testing/random-adaptation.ts";

const unknown: Describe = () => undefined;

/** The explicit form as lines without indentation. */
function explicit(text: string, describeUnit: Describe = unknown): string[] {
  const reduced = unwrap(explicitForm(read(text), describeUnit));
  return printSa(reduced)
    .split("\n")
    .map((line) => line.trim());
}

const F = `for inner fmu F f at "f.fmu"`;
const G = `for inner fmu G g at "g.fmu"`;

/** What the theory page lists as errata of the print. */
function corrected(name: string): string {
  return listing(name)
    .replace("windowSA.tau := -window.reaction_force", "windowSA.tau := -window.reaction_torque")
    .replace("with output ports height (m)", "with output ports height (cm)")
    .replace("reaction_force (m)", "reaction_force (N)");
}

/**
 * Without what listing 2 leaves out or calls differently: units and order of ports, order and names
 * of storage.
 */
function compared(adaptation: Adaptation): unknown {
  const renamed = JSON.stringify(bare(adaptation))
    .replaceAll("stored_windowsa_", "stored_windowSA_")
    .replaceAll("INIT_WINDOW_REACTION_HEIGHT", "INIT_WINDOW_HEIGHT")
    .replaceAll(',"text":"0.0"', "");
  const same = JSON.parse(renamed) as Adaptation;
  const sorted = <T>(list: readonly T[]): T[] =>
    [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  const rules = (list: Adaptation["inRules"]) =>
    list.map((rule) => ({ ...rule, first: sorted(rule.first), second: sorted(rule.second) }));
  return {
    ...same,
    inputs: sorted(same.inputs!.map(({ name }) => name)),
    outputs: sorted(same.outputs!.map(({ name }) => name)),
    parameters: sorted(same.parameters),
    inVariables: sorted(same.inVariables),
    outVariables: sorted(same.outVariables),
    inRules: rules(same.inRules),
    outRules: rules(same.outRules),
  };
}

describe("the published reduction", () => {
  it("[SA12] listing 1 becomes listing 2, up to names, order and the units of own ports", () => {
    const reduced = unwrap(explicitForm(read(corrected("thesis-1")), unknown));
    expect(compared(reduced)).toEqual(compared(read(corrected("thesis-2"))));
    expect(printSa(reduced)).toContain("windowSA.disp := stored_window_height / 100;");
  });

  it("[SA12] as printed, listing 1 keeps the reference to an input that the paper negates by mistake", () => {
    expect(explicit(listing("paper-1"))).toContain("windowSA.tau := -window.reaction_force;");
  });

  it.each(LISTINGS)("[SA13] the explicit form of %s is its own explicit form", (name) => {
    const once = unwrap(explicitForm(read(corrected(name)), unknown));
    expect(bare(unwrap(explicitForm(once, unknown)))).toEqual(bare(once));
    expect(bare(read(printSa(once)))).toEqual(bare(once));
  });

  it("[SA13] explicit form is a fixed point of random adaptations (seed 20250812)", () => {
    let reduced = 0;
    fc.assert(
      fc.property(randomAdaptation, (adaptation) => {
        const { value } = explicitForm(adaptation, unknown);
        if (value === undefined) return;
        reduced++;
        expect(bare(unwrap(explicitForm(value, unknown)))).toEqual(bare(value));
      }),
      { seed: 20_250_812, numRuns: 300 },
    );
    expect(reduced).toBeGreaterThan(250);
  });
});

describe("ports", () => {
  it("[SA14] every inner input that nobody feeds becomes an input, by its own name where that is free", () => {
    const lines = explicit(
      `${HEAD}${F} with input ports u, v, w with output ports y
      ${G} with input ports u, x with output ports z with f.y -> g.x
      input ports k -> f.v
      in rules { true -> {} --> { f.w := 1; }; }`,
    );
    expect(lines).toContain("input ports k, f_u, g_u");
    expect(lines).toContain("g.u := stored_a_g_u;");
  });

  it("[SA14] a declared port that nothing binds or assigns is the inner port of its name", () => {
    const lines = explicit(
      `${HEAD}${F} with input ports u (cm), v with output ports y, z
      input ports u (m), v output ports y, z
      in rules { true -> {} --> { f.v := a.v; }; } out rules { true -> {} --> { a.z := 1; }; }`,
    );
    expect(lines).toContain("f.u := stored_a_u * 100;");
    expect(lines).toContain("a.y := stored_f_y;");
    expect(lines).toContain("f.v := stored_a_v;");
    expect(lines.filter((line) => line.startsWith("a.z"))).toEqual(["a.z := 1;"]);
    expect(lines.filter((line) => line.startsWith("f.v"))).toEqual(["f.v := stored_a_v;"]);
  });

  it("[SA14] where no output is declared, all inner outputs are outputs", () => {
    const lines = explicit(
      `${HEAD}${F} with output ports y, same ${G} with output ports z (m), same`,
    );
    expect(lines).toContain("output ports y, f_same, z (m), g_same");
  });

  it("[SA15] own ports keep units and types, bindings go", () => {
    const lines = explicit(
      `${HEAD}${F} input ports u (mm) -> f.x output ports on <- f.on`,
      described("f: in x (m), out on: boolean"),
    );
    expect(lines).toContain("input ports u (mm)");
    expect(lines).toContain("output ports on: boolean");
  });

  it("[SA15] arrays are not ports of an adaptation", () => {
    const lines = explicit(`${HEAD}${F}`, described("f: in x[3], in y, out z"));
    expect(lines).toContain("input ports y");
  });
});

describe("storage", () => {
  it("[SA16] begins with the start values that inner units describe, in the unit of the own port", () => {
    const lines = explicit(
      `${HEAD}${F} input ports u (cm) -> f.x, n -> f.n, b -> f.b, s -> f.s`,
      described(
        'f: in x (m) = 2.5, in n: integer = -3, in b: boolean = true, in s: string = "on", out y = 7',
      ),
    );
    expect(lines).toContain("INIT_A_U := 250,");
    expect(lines).toContain("INIT_A_N: integer := -3,");
    expect(lines).toContain("INIT_A_B := true,");
    expect(lines).toContain('INIT_A_S := "on",');
    expect(lines).toContain("INIT_F_Y := 7;");
    expect(lines).toContain("stored_a_n: integer := INIT_A_N,");
  });

  it("[SA16] what the author declared under these names is used, and what means something else is not", () => {
    const lines = explicit(
      `${HEAD}${F} with input ports u, U with output ports y
      param INIT_A_U := 5; control var stored_f_y := 1; in var stored_a_u := 3;
      in rules { true -> { stored_a_u := 2 * a.u; } --> {}; }`,
    );
    expect(lines).toContain("INIT_A_U := 5,");
    expect(lines).toContain("INIT_A_U_2 := 0,");
    expect(lines).toContain("stored_a_U := INIT_A_U_2;");
    expect(lines).toContain("out var stored_f_y_2 := INIT_F_Y;");
    expect(lines.filter((line) => line.startsWith("stored_a_u :="))).toEqual([
      "stored_a_u := 3,",
      "stored_a_u := 2 * a.u;",
    ]);
  });
});

describe("units", () => {
  it.each([
    ["cm", "m", "f.x := stored_a_u / 100;"],
    ["m", "cm", "f.x := stored_a_u * 100;"],
    ["degC", "K", "f.x := stored_a_u + 273.15;"],
    ["degC", "degF", "f.x := stored_a_u * 1.8 + 32;"],
    ["K", "degC", "f.x := stored_a_u - 273.15;"],
    ["N.m", "J", "f.x := stored_a_u;"],
  ])("[SA17] from %s to %s: %s", (own, inner, expected) => {
    const lines = explicit(
      `${HEAD}${F} with input ports x (${inner}) input ports u (${own}) -> f.x`,
    );
    expect(lines).toContain(expected);
  });

  it("[SA17] connections convert as well, and what measures something else is refused", () => {
    const text = (unit: string) =>
      `${HEAD}${F} with output ports y (cm) ${G} with input ports x (${unit})\nwith f.y -> g.x`;
    expect(explicit(text("m"))).toContain("g.x := stored_f_y / 100;");
    const { value, diagnostics } = explicitForm(read(text("N")), unknown);
    expect(value).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: "sa-unit", place: { line: 3, column: 1 } }]);
    expect(explicitForm(read(text("smoot")), unknown).diagnostics).toMatchObject([
      { code: "sa-unit-unknown", severity: "warning" },
    ]);
  });
});

describe("control", () => {
  it("[SA18] steps inner units once, those first that feed others, and returns the shortest step", () => {
    const lines = explicit(
      `${HEAD}${G} with input ports x with output ports z ${F} with output ports y with f.y -> g.x`,
    );
    const from = lines.indexOf("control rules {");
    expect(lines.slice(from + 1, from + 5)).toEqual([
      "var H_f := do_step(f, t, H);",
      "g.x := stored_f_y;",
      "var H_g := do_step(g, t, H);",
      "return min(H_f, H_g);",
    ]);
  });

  it("[SA18] tells written rules from the default, also of a form that is explicit already", () => {
    const control = (rules: string): unknown => {
      const once = unwrap(explicitForm(read(`${HEAD}${F}${rules}`), unknown));
      return [once.control, unwrap(explicitForm(once, unknown)).control];
    };
    expect(control("")).toEqual(["default", "default"]);
    expect(control(" control rules { return do_step(f, t, H); }")).toEqual(["rules", "rules"]);
  });

  it("[SA18] a loop has no order, unless an input takes the value of the beginning of the step", () => {
    const text = `${HEAD}${F} ${G} with f.y -> g.x with g.y -> f.x`;
    const at = (f: string) => explicitForm(read(text), described(f, "g: in x, out y"));
    const circle = explicitForm(
      read(`${HEAD}${F} with input ports x with output ports y with f.y -> f.x`),
      unknown,
    );
    expect(circle.diagnostics).toMatchObject([{ code: "sa-loop" }]);
    expect(at("f: in x delayed, out y").diagnostics).toEqual([]);
  });

  it("[SA19] connections are delivered before each step, unless the author assigned that input since the last one", () => {
    const lines = explicit(
      `${HEAD}${F} with output ports y ${G} with input ports x with output ports z with f.y -> g.x
      control rules {
        g.x := 3;
        do_step(g, t, H);
        for (var i in 0 .. 3) { if (do_step(g, t, H) > 0) { break; } }
        return do_step(f, t, H);
      }`,
    );
    const from = lines.indexOf("control rules {");
    expect(lines.slice(from + 1, from + 6)).toEqual([
      "g.x := 3;",
      "do_step(g, t, H);",
      "for (var i in 0 .. 3) {",
      "g.x := stored_f_y;",
      "if (do_step(g, t, H) > 0) {",
    ]);
  });
});

describe("references", () => {
  it("[SA20] name storage wherever ports have no value of their own", () => {
    const lines = explicit(
      `${HEAD}${F} with input ports x with output ports y input ports u
      control rules { var k := u + f.y; return H; }
      in rules { f.y > u -> { b := u; } --> { var u := 1; f.x := u + a.u; }; }
      in var b := 0;
      out rules { f.y > a.u -> { c := f.y + u; } --> { a.z := f.y + u; }; }
      out var c := 0; output ports z`,
    );
    expect(lines).toContain("var k := stored_a_u + stored_f_y;");
    expect(lines).toContain("stored_f_y > u -> {");
    expect(lines).toContain("b := u;");
    expect(lines).toContain("f.x := u + stored_a_u;");
    expect(lines).toContain("f.y > stored_a_u -> {");
    expect(lines).toContain("c := f.y + stored_a_u;");
    expect(lines).toContain("a.z := stored_f_y + stored_a_u;");
  });
});

describe("what cannot be reduced", () => {
  it.each([
    [HEAD, "sa-no-inner"],
    [`${HEAD}${F} with input ports x input ports u -> f.q`, "sa-binding-unknown"],
    [`${HEAD}${F} with input ports x output ports u <- f.x`, "sa-binding-unknown"],
  ])("[SA21] %j is reported as %s", (text, code) => {
    const { value, diagnostics } = explicitForm(read(text), unknown);
    expect(value).toBeUndefined();
    expect(diagnostics.map((one) => one.code)).toEqual([code]);
  });

  it("[SA21] a unit of which nothing is known is said to be that", () => {
    const { diagnostics } = explicitForm(read(`${HEAD}${F} input ports u -> f.q`), unknown);
    expect(diagnostics).toMatchObject([{ message: "nothing is known of the ports of 'f'" }]);
  });
});
