/**
 * One table of functions: who compiles, describes, checks and exports rules means the same by a
 * name.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { adaptationSource } from "../export/adaptation-source.ts";
import { checkSa } from "../lang/sa/check-sa.ts";
import { explicitForm } from "../lang/sa/explicit-form.ts";
import { SA_FUNCTIONS } from "../model/adaptation/functions.ts";
import { typeOfExpression } from "../model/adaptation/types.ts";
import { getNumber, portOf } from "../unit/testing/drive.ts";
import { adapt, adaptation, around, started } from "./testing/adapt.ts";
import { integrator } from "./testing/small-units.ts";

const GIVEN = [0.625, 0.25, 0.5, 0.125];
const NUMERIC = [...SA_FUNCTIONS].filter(([, { compute }]) => compute !== undefined);
const CASES = NUMERIC.map(([name, { least, most, compute }]) => {
  const given = GIVEN.slice(0, Math.min(most, GIVEN.length));
  return { name, least, call: `${name}(${given.join(", ")})`, value: compute!(...given) };
});

/** An adaptation whose output is what a call gives. */
const telling = (call: string): string =>
  around(
    "reactive moore",
    `input ports u output ports y
     in rules { true -> {} --> { f.u := a.u; }; }
     out rules { true -> {} --> { a.y := ${call}; }; }`,
  );

function parsed(call: string): ReturnType<typeof adaptation>["parameters"][number]["value"] {
  return adaptation(around("", `param P := ${call};`)).parameters[0].value;
}

describe("functions of rules", () => {
  it.each(CASES)("[SA45] $name is computed alike by rules, start values and C", (one) => {
    expect(getNumber(started(adapt(telling(one.call), integrator("f"))), "y")).toBe(one.value);
    const unit = adapt(around("reactive moore", `param P := ${one.call};`), integrator("f"));
    expect(Number(portOf(unit, "P").start![0])).toBe(one.value);
    const { description } = integrator("f");
    const { source } = adaptationSource(
      unwrap(explicitForm(adaptation(telling(one.call)), () => description)),
      { maker: "make", inner: new Map([["f", { maker: "make_f", description }]]) },
    );
    expect(source.text).toContain(`${SA_FUNCTIONS.get(one.name)!.c}(`);
  });

  it.each(["floor", "ceil", "round", "sign"])(
    "[SA45] %s gives an integer in every implementation",
    (name) => {
      expect(portOf(adapt(telling(`${name}(0.5)`), integrator("f")), "y").type).toBe("int32");
      expect(typeOfExpression(parsed(`${name}(0.5)`), () => undefined)).toBe("integer");
      const text = around(
        "reactive moore",
        `control var n: integer := 0;
      control rules { n := ${name}(t); return do_step(f, t, H); }`,
      );
      expect(checkSa(adaptation(text), () => integrator("f").description)).toEqual([]);
    },
  );

  it("[SA45] min, max, abs and mod are integers of integers", () => {
    const whole = (): "integer" => "integer";
    for (const call of ["min(n, m)", "max(n, m)", "abs(n)", "mod(n, m)"]) {
      expect(typeOfExpression(parsed(call), whole)).toBe("integer");
      expect(typeOfExpression(parsed(call), () => undefined)).toBe("real");
    }
  });

  it("[SA45] refuses the same numbers of arguments when it is compiled and when it is exported", () => {
    const { description } = integrator("f");
    const inner = new Map([["f", { maker: "make_f", description }]]);
    for (const { name, least } of CASES) {
      const few = telling(`${name}(${GIVEN.slice(0, least - 1).join(", ")})`);
      const message = new RegExp(
        `'${name}' takes (at least )?${least} arguments, not ${least - 1}`,
      );
      expect(() => adapt(few, integrator("f"))).toThrow(message);
      expect(() => adaptationSource(adaptation(few), { maker: "make", inner })).toThrow(message);
    }
  });

  it("[SA45] calls functions of C that the runtime or the standard library has", () => {
    const header = readFileSync(
      join(import.meta.dirname, "..", "..", "c-runtime", "adaptation.h"),
      "utf8",
    );
    const ours = [...SA_FUNCTIONS.values()].flatMap(({ c, ofUnit }) =>
      c !== undefined && (ofUnit || c.startsWith("sa_")) ? [c] : [],
    );
    expect(ours).toEqual(expect.arrayContaining(["do_step", "sa_min", "sa_round"]));
    for (const name of ours) expect(header).toContain(`${name}(`);
  });
});
