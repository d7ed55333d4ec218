/**
 * What generated C has to stand: names that mean something else in C, functions at the borders of
 * what they take, and readers.
 */
import { describe, expect, it } from "vitest";
import { unwrap } from "../src/base/diagnostic.ts";
import { UnitError } from "../src/base/outcome.ts";
import { startUnit } from "../src/unit/testing/drive.ts";
import { compileUnits } from "./export-adaptation/compiled.ts";
import { type Answer, answersOfUnit, type Command } from "./export-adaptation/scripts.ts";
import { openSubject, readSubject, type Subject, sourceOf } from "./export-adaptation/subject.ts";

const COMPILING = 120_000;

function both(subject: Subject, scripts: readonly (readonly Command[])[]): [Answer[], Answer[]] {
  const compiled = compileUnits([sourceOf(subject, "make_it")]);
  return [
    scripts.flatMap((script) => compiled.answers(0, script)),
    scripts.flatMap((script) => answersOfUnit(openSubject(subject), script)),
  ];
}

/** Start, one step, and a look at everything. */
function onceThrough(subject: Subject, inputs: readonly Command[]): Command[] {
  const { description } = sourceOf(subject, "make_it");
  const looks = description.ports
    .filter(({ direction }) => direction === "output")
    .map(({ index, type }): Command => ({ do: type === "string" ? "read" : "get", port: index }));
  return [
    ...inputs,
    { do: "start" },
    { do: "begin" },
    ...looks,
    { do: "step", value: 0.25 },
    ...looks,
    { do: "end" },
  ];
}

describe("generated C", () => {
  it(
    "[EXA6] keeps apart what C would take for the same, for its own words or for macros",
    () => {
      const subject = unwrap(
        readSubject(
          `semantic adaptation reactive mealy Unit double
         for inner fmu F f at "f.fmu"
         for inner fmu F F at "f.fmu"
         with f.x -> F.u
         input ports INFINITY, MAX_ROUNDS, 'it''s', u (m) -> f.u
         output ports errno <- f.y, int <- F.y, adaptation, long
         param NAN := 1.5, linux := 2.0, INNER_F := 0.5;
         control var return_ := 1.0, t_2 := 0.0;
         control rules {
           var a := 1.0;
           var u := a + 1.0;
           var floor := u;
           var INNER_F := floor(floor + 0.5);
           if (true) {
             var a := a + INNER_F;
             var taken := a;
             t_2 := taken + sin(0.0);
           }
           for (var fmod in 0 .. 3) {
             fmod := fmod + 1;
             return_ := return_ + fmod % 2;
           }
           do_step(f, t, H);
           do_step(F, t, H);
           return H;
         }
         in var struct := 0.0;
         in rules { true -> { struct := double.INFINITY + double.MAX_ROUNDS; } --> { F.n := floor(struct); }; }
         out rules { true -> {} --> { double.adaptation := return_ + NAN; double.long := t_2 * linux + INNER_F; }; }`,
          { f: "led", F: "held" },
        ),
      );
      const inputs: Command[] = [
        {
          do: "set",
          port: sourceOf(subject, "x").description.ports.findIndex(
            ({ name }) => name === "MAX_ROUNDS",
          ),
          value: 3,
        },
      ];
      const [found, expected] = both(subject, [onceThrough(subject, inputs)]);
      expect(found).toStrictEqual(expected);
      expect(found).not.toContain("error");
      // a = 1, u = 2, floor = 2, INNER_F = 2, a = 3: 3 · 2 + 0.5. Odd sums of the count: 1 + (1 + 0
      // + 1).
      expect(found.slice(-2)).toStrictEqual([3 + 1.5, 6.5]);
    },
    COMPILING,
  );

  it(
    "[EXA7] computes functions as JavaScript does: in the last digits alike, at the borders the same",
    () => {
      const one =
        "sin cos tan asin acos atan sinh cosh tanh exp log log10 sqrt abs sign floor ceil round";
      const two = "atan2 pow mod min max";
      const names = [...one.split(" "), ...two.split(" ")];
      const calls = [
        ...one.split(" ").map((name) => `${name}(sa.x)`),
        ...two.split(" ").map((name) => `${name}(sa.x, sa.y)`),
      ];
      const subject = unwrap(
        readSubject(
          `semantic adaptation delayed mealy FunctionsSA sa
         for inner fmu F f at "f.fmu"
         input ports x, y
         output ports ${names.map((name) => `r_${name}`).join(", ")}
         in var ${names.map((name) => `s_${name} := 0.0`).join(", ")};
         in rules { true -> { ${names.map((name, k) => `s_${name} := ${calls[k]};`).join(" ")} } --> {}; }
         out rules { true -> {} --> { ${names.map((name) => `sa.r_${name} := s_${name};`).join(" ")} }; }`,
          { f: "held" },
        ),
      );
      const { ports } = sourceOf(subject, "x").description;
      const at = (name: string): number => ports.find((port) => port.name === name)!.index;
      const values = [
        0,
        -0,
        0.5,
        -0.5,
        1.5,
        -1.5,
        2.5,
        1,
        -1,
        0.49999999999999994,
        3,
        -3,
        1e300,
        NaN,
        Infinity,
        -Infinity,
      ];
      const scripts = values.flatMap((x) =>
        values.map((y) =>
          onceThrough(subject, [
            { do: "set", port: at("x"), value: x },
            { do: "set", port: at("y"), value: y },
          ]),
        ),
      );
      const [found, expected] = both(subject, [
        scripts.flatMap((script) => [...script.slice(0, -1), { do: "reset" } as const]),
      ]);
      expect(found.length).toBeGreaterThan(values.length ** 2 * names.length);
      const isSame = (answer: Answer, wanted: Answer | undefined): boolean => {
        if (Object.is(answer, wanted)) return true;
        if (typeof answer !== "number" || typeof wanted !== "number" || wanted === 0) return false;
        return Math.abs(answer - wanted) <= 1e-13 * Math.abs(wanted);
      };
      expect(found.filter((answer, k) => !isSame(answer, expected[k]))).toStrictEqual([]);
      expect(found.length).toBe(expected.length);
    },
    COMPILING,
  );

  it(
    "[EXA7] [CO30] counts instants of periods as Cosimo does, to the last bit",
    () => {
      const subject = unwrap(
        readSubject(
          `semantic adaptation delayed mealy InstantsSA sa
         for inner fmu F f at "f.fmu"
         input ports o, p, n
         output ports at
         in var s_at := 0.0;
         in rules { true -> { s_at := instant_of(sa.o, sa.p, sa.n); } --> {}; }
         out rules { true -> {} --> { sa.at := s_at; }; }`,
          { f: "held" },
        ),
      );
      const { ports } = sourceOf(subject, "x").description;
      const place = (name: string): number => ports.find((port) => port.name === name)!.index;
      const origins = [0, 0.7, -0.3, 3 * 0.1, 12.345678901, Math.PI, 1e9, 1e15, Infinity];
      const periods = [0.1, 0.3, 1e-9, 1 / 3, 5, 1e-12, 0.05, NaN];
      const counts = [0, 1, 3, 7, 1e4 + 3, 1e9 + 1];
      const scripts = origins.flatMap((o) =>
        periods.flatMap((p) =>
          counts.map((n) =>
            onceThrough(subject, [
              { do: "set", port: place("o"), value: o },
              { do: "set", port: place("p"), value: p },
              { do: "set", port: place("n"), value: n },
            ]),
          ),
        ),
      );
      const [found, expected] = both(subject, [
        scripts.flatMap((script) => [...script.slice(0, -1), { do: "reset" } as const]),
      ]);
      expect(found).toStrictEqual(expected);
      const numbers = found.filter((answer) => typeof answer === "number");
      expect(new Set(numbers).size).toBeGreaterThan(200);
      expect(numbers).toContain(1000.3);
    },
    COMPILING,
  );

  it(
    "[EXA8] fails where the adaptation fails, with the same words",
    () => {
      const subjects = [
        "do_step(f, t, H); return 2 * H;",
        "do_step(f, t + 1, H); return H;",
        "do_step(f, t, -H); return H;",
        "while (c > 0) { c := c + 1; } do_step(f, t, H); return H;",
        "if (c > 5) { save_state(f); } do_step(f, t, H); rollback(f); return H;",
      ].map((control) =>
        unwrap(
          readSubject(
            `semantic adaptation reactive moore WrongSA sa for inner fmu F f at "f.fmu"
             output ports y <- f.y
             control var c := 1.0; control rules { ${control} }`,
            { f: "led" },
          ),
        ),
      );
      const compiled = compileUnits(subjects.map((one, k) => sourceOf(one, `make_wrong_${k}`)));
      const script: Command[] = [{ do: "start" }, { do: "begin" }, { do: "step", value: 0.25 }];
      subjects.forEach((subject, k) => {
        expect(compiled.answers(k, script)).toStrictEqual(["error"]);
        const unit = openSubject(subject);
        startUnit(unit);
        const words = failureOf(() => unit.advance(0, { kind: "time", time: 0.25 }));
        expect(compiled.complaints(k, script)).toBe(`adapted: ${words}\n`);
      });
    },
    COMPILING,
  );
});

/** What a unit that fails says, without its name and the time. */
function failureOf(act: () => unknown): string {
  try {
    act();
  } catch (error) {
    if (error instanceof UnitError) return error.failure.status;
  }
  throw new Error("it did not fail");
}
