/**
 * Random adaptations as text, for tests that run them twice: around two plants (plant.ts), with
 * rules of every kind that compute anything and control rules that do what control rules do.
 * Functions whose last bit is a matter of taste (sin, pow, …) are left out.
 */
import fc from "fast-check";
import type { PlantKind } from "./plant.ts";

export interface RandomAdaptation {
  readonly text: string;
  readonly kinds: Readonly<Record<string, PlantKind>>;
}

interface Names {
  readonly real: readonly string[];
  /** Places for integers. */
  readonly whole?: readonly string[];
  readonly truth: readonly string[];
  readonly text: readonly string[];
}

const CLOCK = ["t", "H"];
const INSIDE = [...CLOCK, "h", "dt"];
const PARAMETERS: Names = { real: ["P", "Q"], truth: ["B"], text: ["S"] };
const IN: Names = { real: ["i1", "i2"], truth: ["ib"], text: ["is"] };
const CONTROL: Names = { real: ["c1", "c2"], truth: ["cb"], text: ["cs"] };
const OUT: Names = { real: ["o1", "o2"], truth: ["ob"], text: ["os"] };
const OWN_IN: Names = { real: ["sa.p", "sa.k"], truth: ["sa.q"], text: ["sa.s"] };
const OWN_OUT: Names = { real: ["sa.r"], whole: ["sa.m"], truth: ["sa.b"], text: ["sa.w"] };
const INNER_IN: Names = {
  real: ["f.u", "g.u"],
  whole: ["f.n", "g.n", "f.big", "g.big"],
  truth: ["f.on", "g.on"],
  text: ["f.label", "g.label"],
};
const INNER_OUT: Names = {
  real: ["f.x", "f.y", "f.count", "f.bigger", "g.x", "g.y", "g.count", "g.bigger"],
  truth: [],
  text: ["f.echo", "g.echo"],
};

function join(...parts: readonly Names[]): Names {
  return {
    real: parts.flatMap(({ real }) => real),
    whole: parts.flatMap(({ whole = [] }) => whole),
    truth: parts.flatMap(({ truth }) => truth),
    text: parts.flatMap(({ text }) => text),
  };
}

interface Expressions {
  readonly real: string;
  readonly truth: string;
  readonly text: string;
}

/** Expressions over some names, typed, so that the language takes them. */
function expressionsOver(names: Names): {
  [Kind in keyof Expressions]: fc.Arbitrary<string>;
} {
  const from = (list: readonly string[], other: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    list.length === 0 ? other : fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...list) }, other);
  return fc.letrec<Expressions>((tie) => {
    const [real, truth, text] = [tie("real"), tie("truth"), tie("text")];
    return {
      real: fc.oneof(
        { maxDepth: 2, depthSize: "small" },
        from(names.real, fc.constantFrom("0.5", "1.0", "2.0", "3", "0.25", "1e-3")),
        fc
          .tuple(real, fc.constantFrom("+", "-", "*", "/", "%"), real)
          .map(([a, sign, b]) => `(${a} ${sign} ${b})`),
        fc
          .tuple(fc.constantFrom("abs", "floor", "ceil", "round", "sign", "sqrt", "-"), real)
          .map(([f, a]) => (f === "-" ? `-${a}` : `${f}(${a})`)),
        fc
          .tuple(fc.constantFrom("min", "max", "mod"), real, real)
          .map(([f, a, b]) => `${f}(${a}, ${b})`),
        fc.tuple(real, real, real).map(([a, b, c]) => `max(${a}, ${b}, ${c})`),
        fc.tuple(truth, real, real).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
      ),
      truth: fc.oneof(
        { maxDepth: 2, depthSize: "small" },
        from(names.truth, fc.constantFrom("true", "false")),
        fc
          .tuple(real, fc.constantFrom("<", "<=", ">", ">=", "==", "!="), real)
          .map(([a, sign, b]) => `(${a} ${sign} ${b})`),
        fc
          .tuple(text, fc.constantFrom("==", "!="), text)
          .map(([a, sign, b]) => `(${a} ${sign} ${b})`),
        fc
          .tuple(truth, fc.constantFrom("and", "or", "==", "!="), truth)
          .map(([a, sign, b]) => `(${a} ${sign} ${b})`),
        truth.map((a) => `(not ${a})`),
        fc.tuple(real, real).map(([a, b]) => `is_close(${a}, ${b})`),
        fc.tuple(real, real).map(([a, b]) => `is_close(${a}, ${b}, 0.1, 0.01)`),
      ),
      text: fc.oneof(
        { maxDepth: 2, depthSize: "small" },
        from(names.text, fc.constantFrom('"one"', '"two"', '"grün"', '"?"')),
        fc.tuple(truth, text, text).map(([c, a, b]) => `(${c} ? ${a} : ${b})`),
      ),
    };
  });
}

/** Numbers that rules feed back grow without end, and integers take none that are none. */
const bounded = (real: string): string => `(abs(${real}) < 1e6 ? ${real} : 1.0)`;
const mostlyBounded = (real: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 7, arbitrary: real.map(bounded) }, { weight: 1, arbitrary: real });

function assignments(targets: Names, sources: Names, least = 0): fc.Arbitrary<readonly string[]> {
  const { real, truth, text } = expressionsOver(sources);
  const options = [
    ...targets.real.map((name) => mostlyBounded(real).map((value) => `${name} := ${value};`)),
    ...(targets.whole ?? []).map((name) =>
      real.map((value) => `${name} := floor(${bounded(value)});`),
    ),
    ...targets.truth.map((name) => truth.map((value) => `${name} := ${value};`)),
    ...targets.text.map((name) => text.map((value) => `${name} := ${value};`)),
  ];
  return fc
    .tuple(fc.shuffledSubarray(options, { minLength: least, maxLength: 4 }))
    .chain(([chosen]) => fc.tuple(...chosen));
}

/** Assignments, some of them under conditions, in loops, with locals. */
function statements(targets: Names, sources: Names): fc.Arbitrary<readonly string[]> {
  const { real, truth } = expressionsOver(sources);
  const inner = assignments(targets, sources);
  const more = assignments(targets, join(sources, { real: ["local"], truth: [], text: [] }), 1);
  return fc
    .array(
      fc.oneof(
        inner,
        fc
          .tuple(truth, inner, inner)
          .map(([c, a, b]) => [`if (${c}) {`, ...a, "} else {", ...b, "}"]),
        fc.tuple(real, more).map(([value, list]) => [
          // In a block of its own: the name may be chosen twice.
          "if (true) {",
          `var local := ${value};`,
          "local := local + 1.0;",
          ...list,
          "}",
        ]),
        fc
          .tuple(more, truth)
          .map(([list, c]) => [
            "for (var local in 0 .. 3) {",
            ...list,
            `if (${c}) { break; }`,
            "}",
          ]),
        fc
          .tuple(inner)
          .map(([list]) => [
            "if (true) {",
            "var left := 3.0;",
            "while (left > 0) {",
            "left := left - 1.0;",
            ...list,
            "}",
            "}",
          ]),
      ),
      { minLength: 1, maxLength: 2 },
    )
    .map((groups) => groups.flat());
}

function rules(
  first: readonly [Names, Names],
  second: readonly [Names, Names],
  conditions: Names,
): fc.Arbitrary<string> {
  const condition = fc.oneof(fc.constant("true"), expressionsOver(conditions).truth);
  return fc
    .array(
      fc
        .tuple(condition, statements(...first), statements(...second))
        .map(([c, a, b]) => `  ${c} -> {\n${lines(a)}\n  } --> {\n${lines(b)}\n  };`),
      { minLength: 1, maxLength: 3 },
    )
    .map((list) => list.join("\n"));
}

const lines = (list: readonly string[]): string => list.map((line) => `    ${line}`).join("\n");

/** Ways to take a step, each with assignments in between. */
function control(): fc.Arbitrary<string> {
  const sources = join(
    PARAMETERS,
    CONTROL,
    IN,
    { real: CLOCK, truth: [], text: [] },
    OWN_IN,
    INNER_OUT,
  );
  const between = statements(join(CONTROL, INNER_IN), sources);
  const { truth } = expressionsOver(sources);
  return fc
    .oneof(
      fc
        .tuple(between, between)
        .map(([a, b]) => [...a, "do_step(f, t, H);", ...b, "do_step(g, t, H);", "return H;"]),
      fc
        .tuple(between, between, truth)
        .map(([a, b, c]) => [
          "for (var round in 0 .. 3) {",
          "save_state(f);",
          "save_state(g);",
          ...a,
          "var came := do_step(f, t, H);",
          "do_step(g, t, came);",
          ...b,
          `if (${c} or round == 2) { break; }`,
          "rollback(f);",
          "rollback(g);",
          "}",
          "return H;",
        ]),
      fc
        .tuple(between, truth)
        .map(([a, c]) => [
          `if (${c} and c1 < 3.0) { c1 := c1 + 1.0; return H / 2; }`,
          ...a,
          "var at := t;",
          "for (var k in 0 .. 4) {",
          "do_step(f, at, H / 4);",
          "at := at + H / 4;",
          "}",
          "do_step(g, t, H);",
          "return H;",
        ]),
      fc
        .tuple(between)
        .map(([a]) => [
          ...a,
          "c2 := get_next_time_step(f);",
          "c2 := c2 > 1e6 ? 7.0 : c2;",
          "return min(do_step(f, t, H) + 0 * f.x, c1 * 0 + do_step(g, t, H));",
        ]),
      fc
        .tuple(between, truth)
        .map(([a, c]) => [
          "save_state(f);",
          "do_step(f, t, H);",
          "c1 := f.y;",
          "rollback(f);",
          ...a,
          `var both := ${c} ? do_step(f, t, H) : min(do_step(f, t, H / 2), H);`,
          "cb := do_step(g, t, H) == H and both > 0;",
          "return both;",
        ]),
    )
    .map((list) => `control rules {\n${lines(list)}\n}`);
}

const clock = (names: readonly string[]): Names => ({ real: names, truth: [], text: [] });

export const randomAdaptation: fc.Arbitrary<RandomAdaptation> = fc
  .record({
    input: fc.constantFrom("reactive", "delayed"),
    output: fc.constantFrom("mealy", "moore"),
    f: fc.constantFrom<PlantKind>("led", "held"),
    g: fc.constantFrom<PlantKind>("led", "held"),
    motion: fc.constantFrom("with f.x -> g.u", "with f.y -> g.u", ""),
    connections: fc.subarray(["with f.echo -> g.label", "with f.count -> g.n"]),
    back: fc.boolean(),
    control: fc.oneof(
      { weight: 3, arbitrary: control() },
      { weight: 2, arbitrary: fc.constant("") },
    ),
    inRules: rules(
      [IN, join(PARAMETERS, IN, OWN_IN, CONTROL)],
      [INNER_IN, join(PARAMETERS, IN, CONTROL, clock(INSIDE))],
      join(PARAMETERS, IN, OWN_IN, CONTROL),
    ),
    outRules: rules(
      [OUT, join(PARAMETERS, OUT, INNER_OUT, CONTROL, clock(INSIDE))],
      [OWN_OUT, join(PARAMETERS, OUT, CONTROL)],
      join(PARAMETERS, OUT, INNER_OUT),
    ),
    initial: expressionsOver({ real: ["P", "Q"], truth: ["B"], text: ["S"] }).real.map(bounded),
  })
  .map((parts) => {
    // Units that both feed each other at once need control rules.
    const back = parts.back && parts.control !== "" ? ["with g.y -> f.u"] : [];
    const text = `semantic adaptation ${parts.input} ${parts.output} RandomSA sa
for inner fmu F f at "f.fmu"
for inner fmu G g at "g.fmu"
${[parts.motion, ...parts.connections, ...back].join("\n")}
input ports p (m), k: integer, q: boolean, s: string
output ports r (m), m: integer, b: boolean, w: string
param P := 1.5, Q := -0.25, B := true, S := "one";
control var c1 := P, c2 := 0.0, cb := B, cs := S;
${parts.control}
in var i1 := ${parts.initial}, i2 := 0.5, ib := false, is := "";
in rules {
${parts.inRules}
}
out var o1 := Q, o2 := 0.0, ob := false, os := S;
out rules {
${parts.outRules}
}
`;
    return { text, kinds: { f: parts.f, g: parts.g } };
  });
