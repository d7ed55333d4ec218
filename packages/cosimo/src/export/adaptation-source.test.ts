/**
 * Adaptations as C, as text: what readers find in it. What it does is tested where it is compiled
 * (tests/export-adaptation-*.test.ts).
 */
import { describe, expect, it } from "vitest";
import { AdaptationError } from "../adapt/adaptation-error.ts";
import { integrator } from "../adapt/testing/small-units.ts";
import { unwrap } from "../base/diagnostic.ts";
import { explicitForm } from "../lang/sa/explicit-form.ts";
import { parseSa } from "../lang/sa/parse-sa.ts";
import type { Adaptation } from "../model/adaptation/data.ts";
import { adaptationSource } from "./adaptation-source.ts";

const inner = new Map(
  ["f", "g"].map((name) => [
    name,
    { maker: "make_integrator", description: integrator(name).description },
  ]),
);

function read(text: string): Adaptation {
  const adaptation = unwrap(parseSa(text, "some/folder/test.sa"));
  return unwrap(explicitForm(adaptation, ({ name }) => inner.get(name)?.description));
}

const WHOLE = (rules: string, params = ""): string => `semantic adaptation reactive moore TestSA sa
for inner fmu F f at "f.fmu"
for inner fmu G g at "g.fmu"
input ports x
output ports y
param P := 1.5${params};
control var c := 0.0, d := 0.0, b := false;
control rules {
${rules}
}
out rules {
  true -> {} --> { sa.y := c; };
}
`;

/** The lines of one function, without the quotes of the source. */
function bodyOf(rules: string, name = "control"): string[] {
  const text = WHOLE(rules);
  const { source } = adaptationSource(read(text), { maker: "make_test", inner, text });
  const lines = source.text.split("\n");
  const from = lines.findIndex((line) => line.includes(` ${name}(Adaptation *a`));
  const to = lines.indexOf("}", from);
  return lines
    .slice(from + 1, to)
    .map((line) => line.trim())
    .filter((line) => !line.startsWith("/*") && !line.includes("*const u ="));
}

const STEPS = "do_step(f, t, H);\ndo_step(g, t, H);";
const STEPPED = [
  "UNIT_TRY(do_step(a, INNER_F, u->t, u->H, NULL));",
  "UNIT_TRY(do_step(a, INNER_G, u->t, u->H, NULL));",
];
const DONE = ["*taken = u->H;", "return UNIT_OK;"];

/** C of `c := …;` */
const printed = (expression: string): string => {
  const [line = ""] = bodyOf(`c := ${expression};\n${STEPS}\nreturn H;`);
  return line.replace(/^u->c = (.*);$/, "$1");
};

describe("an adaptation as C", () => {
  it("[EXA6] omits rules whose condition is 'false', and keeps those of 'true'", () => {
    const text = WHOLE(`${STEPS}\nreturn H;`).replace(
      "true -> {} --> { sa.y := c; };",
      "false -> {} --> { sa.y := 2.0 * c; }; true -> {} --> { sa.y := 3.0 * c; };",
    );
    const { source } = adaptationSource(read(text), { maker: "make_test", inner });
    expect(source.text).toContain("3.0 * u->c");
    expect(source.text).not.toContain("2.0 * u->c");
  });

  it("[EXA11] has a declared variable take the result of a step at once", () => {
    const body = bodyOf(`var h := do_step(f, t, H);\ndo_step(g, t, H);\nreturn h;`);
    expect(body).toEqual([
      "double h = 0.0;",
      "UNIT_TRY(do_step(a, INNER_F, u->t, u->H, &h));",
      "UNIT_TRY(do_step(a, INNER_G, u->t, u->H, NULL));",
      "*taken = h;",
      "return UNIT_OK;",
    ]);
  });

  it("[EXA9] quotes above every statement the line that it comes from, by file name alone", () => {
    const text = WHOLE(`  c := 2 * P; // twice\n  ${STEPS}\n  return H;`);
    const { source } = adaptationSource(read(text), { maker: "make_test", inner, text });
    expect(source.path).toBe("make-test.c");
    expect(source.text).toContain("  /* test.sa:9 c := 2 * P; // twice */\n  u->c = 2.0 * u->P;\n");
    expect(source.text).not.toContain("folder");
    expect(source.text).toContain("double P; /* parameter P: float64 */");
    for (const name of ["rules_in", "map_in_f", "map_in_g", "map_out", "rules_out", "control"])
      expect(source.text).toContain(`static UnitStatus ${name}(Adaptation *a`);
  });

  it("[EXA9] is the same text for the same adaptation, with the source at hand or without", () => {
    const text = WHOLE(`${STEPS}\nreturn H;`);
    const make = (more: object): string =>
      adaptationSource(read(text), { maker: "make_test", inner, ...more }).source.text;
    expect(make({ text })).toBe(make({ text }));
    expect(make({})).toContain("/* test.sa:9 */");
  });

  it.each([
    ["c - (d - P)", "u->c - (u->d - u->P)"],
    ["(c - d) - P", "u->c - u->d - u->P"],
    ["c * (d + P) / 2", "u->c * (u->d + u->P) / 2.0"],
    ["-(-c)", "-(-u->c)"],
    ["c % d", "fmod(u->c, u->d)"],
    ["min(c, d, P)", "sa_min(sa_min(u->c, u->d), u->P)"],
    ["b and c > d or not b ? 1 : 0", "(u->b != 0 && u->c > u->d) || u->b == 0 ? 1.0 : 0.0"],
    ["not (c < d) ? c : d", "!(u->c < u->d) ? u->c : u->d"],
    ["is_close(c, d) ? c : d", "sa_is_close(u->c, u->d, 1e-5, 1e-8) ? u->c : u->d"],
    ["b == (c < d) ? c : d", "u->b == (double)(u->c < u->d) ? u->c : u->d"],
  ])("[EXA10] puts brackets where C needs them, and no others: %s", (expression, expected) => {
    expect(printed(expression)).toBe(expected);
  });

  it("[EXA11] steps inner units in the order of the text, whatever stands around", () => {
    expect(
      bodyOf(
        "c := f.y + do_step(f, t, H) * (b ? do_step(g, t, H) : P);\ndo_step(g, t, H);\nreturn H;",
      ),
    ).toEqual([
      "const double kept = u->stored_f_y;",
      "double came = 0.0;",
      "UNIT_TRY(do_step(a, INNER_F, u->t, u->H, &came));",
      "const double kept_2 = came;",
      "double chosen = 0.0;",
      "if (u->b != 0) {",
      "double came_2 = 0.0;",
      "UNIT_TRY(do_step(a, INNER_G, u->t, u->H, &came_2));",
      "chosen = came_2;",
      "} else {",
      "chosen = u->P;",
      "}",
      "u->c = kept + kept_2 * chosen;",
      STEPPED[1],
      ...DONE,
    ]);
    expect(bodyOf(`b := c > 0 and do_step(f, t, H) > 0;\ndo_step(g, t, H);\nreturn H;`)).toEqual([
      "bool holds = u->c > 0.0;",
      "if (holds) {",
      "double came = 0.0;",
      "UNIT_TRY(do_step(a, INNER_F, u->t, u->H, &came));",
      "holds = came > 0.0;",
      "}",
      "u->b = holds;",
      STEPPED[1],
      ...DONE,
    ]);
  });

  it("[EXA11] counts and repeats as the language does", () => {
    expect(
      bodyOf(
        `for (var k in 0 .. P) {\nk := k + 1;\n}\nwhile (c < 3) {\nc := c + 1;\n}\n${STEPS}\nreturn H;`,
      ),
    ).toEqual([
      "const double end = u->P;",
      "for (double count = 0.0; count < end; count++) {",
      "double k = count;",
      "k = k + 1.0;",
      "}",
      "for (long round = 0; u->c < 3.0; round++) {",
      "u->c = u->c + 1.0;",
      "if (round == MAX_ROUNDS) return endless(a);",
      "}",
      ...STEPPED,
      ...DONE,
    ]);
  });

  it("[EXA12] refuses rules without a meaning, with their place", () => {
    const place = { file: "test.sa", line: 3, column: 1 };
    const adaptation = read(WHOLE(`${STEPS}\nreturn H;`));
    const controlRules = [
      {
        kind: "return" as const,
        value: { kind: "reference" as const, name: "nobody", place },
        place,
      },
    ];
    const make = (changed: Adaptation): unknown =>
      adaptationSource(changed, { maker: "make_test", inner });
    expect(() => make({ ...adaptation, controlRules })).toThrow(AdaptationError);
    expect(() => make({ ...adaptation, controlRules })).toThrow(
      "test.sa:3:1 'nobody' means nothing here",
    );
    expect(() => adaptationSource(adaptation, { maker: "m", inner: new Map() })).toThrow(
      "there is no inner unit 'f'",
    );
  });
});
