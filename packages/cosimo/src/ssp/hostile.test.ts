import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hasErrors } from "../base/diagnostic.ts";
import { parseSsd } from "./parse-ssd.ts";
import {
  bindings,
  bus,
  component,
  connections,
  dictionaries,
  dictionary,
  elements,
  linear,
  ssd,
  system,
} from "./testing/ssd-text.ts";

const SEED = 11;

const WHOLE = ssd(
  bindings("{k=a.k*2} k=1_mm b=true", "s.x.k=2") +
    elements(
      component("a", "u< y>", bindings("k=1")),
      system(
        "s",
        "in< out>",
        elements(component("x", "u< y>")) + connections("in -> x.u", "x.y -> out"),
      ),
      bus("can", "net", "x?"),
    ) +
    connections(`a.y -> can.x | ${linear(2)}`, "can.x -> s.in", "s.out -> a.u") +
    dictionaries(dictionary("net", "x")),
  { tail: '<ssd:DefaultExperiment stopTime="1"/>' },
);

/**
 * Cuts, doubles, swaps and replaces pieces of the text at tag boundaries and in the middle of them.
 */
const damage = fc.array(
  fc.record({
    at: fc.nat(WHOLE.length),
    length: fc.integer({ min: 0, max: 200 }),
    by: fc.oneof(
      fc.constantFrom("", '"', "<", "&", "/>", "ssv:", "#", "9e999", "s.", "<x/>"),
      fc.string({ maxLength: 5 }),
    ),
    twice: fc.boolean(),
  }),
  { minLength: 1, maxLength: 4 },
);

describe("damaged system structures", () => {
  it(`[SS19] end with a draft or an error, never with an exception (seed ${SEED})`, () => {
    expect(hasErrors(parseSsd(WHOLE, "x.ssd", () => undefined).diagnostics)).toBe(false);
    let broken = 0;
    fc.assert(
      fc.property(damage, (cuts) => {
        let text = WHOLE;
        for (const { at, length, by, twice } of cuts) {
          const piece = text.slice(at, at + length);
          text = `${text.slice(0, at)}${by}${twice ? piece + piece : ""}${text.slice(at + length)}`;
        }
        const { value, diagnostics } = parseSsd(text, "x.ssd", () => undefined, { packed: true });
        if (hasErrors(diagnostics)) broken++;
        else expect(value).toBeDefined();
      }),
      { seed: SEED, numRuns: 2000 },
    );
    expect(broken).toBeGreaterThan(1000);
  });

  it("[SS19] names that JavaScript knows by itself are only names", () => {
    const set = '<ssv:Parameter name="k"><ssv:constructor value="1"/></ssv:Parameter>';
    const text = ssd(elements(component("a", "", bindings("")), "<toString/>")).replace(
      "<ssv:Parameters></ssv:Parameters>",
      `<ssv:Parameters>${set}</ssv:Parameters><constructor xmlns=""/>`,
    );
    const { diagnostics } = parseSsd(text, "x.ssd", () => undefined);
    expect(diagnostics.map(({ code }) => code)).toContain("unknown-element");
  });

  it("[SS19] systems that instantiate each other do not grow without bound", () => {
    const levels = Array.from({ length: 60 }, (_, i) => {
      const next = component("a", "").replace("a.fmu", `#s${i + 1}`);
      return system(`s${i}`, "", elements(next, next.replace('"a"', '"b"'))).replace(
        "<ssd:System",
        `<ssd:System id="s${i}"`,
      );
    });
    const last = system("s60", "", elements(component("a", ""))).replace(
      "<ssd:System",
      '<ssd:System id="s60"',
    );
    const { diagnostics } = parseSsd(ssd(elements(...levels, last)), "x.ssd", () => undefined);
    expect(diagnostics.map(({ code }) => code)).toEqual(["xml-limit"]);
  });
});
