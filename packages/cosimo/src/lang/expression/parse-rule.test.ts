import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Expression } from "../../model/adaptation/data.ts";
import { eachExpression } from "../../model/adaptation/walk.ts";
import { printExpression } from "../sa/print-expression.ts";
import { bare, HEAD, read } from "../sa/testing/bare.ts";
import { expression as randomExpression } from "../sa/testing/random-adaptation.ts";
import { parseActions, parseRule } from "./parse-rule.ts";

const PLACE = { file: "f", line: 3, column: 10 };
const parsed = (text: string): Expression => {
  const found = parseRule(text, PLACE);
  if ("mistake" in found) throw new Error(`${text}: ${found.mistake.message}`);
  return found.expression;
};
const mistake = (text: string): { at: number; message: string; fix: string } => {
  const found = parseRule(text, PLACE);
  if ("expression" in found) throw new Error(`'${text}' was read`);
  return found.mistake;
};
/** The brackets that an expression needs show how it was understood. */
const understood = (text: string): string => printExpression(parsed(text));

describe("one line of a rule", () => {
  it("[SM2] has the precedence of adaptations", () => {
    expect(understood("((a)) + (b * c)")).toBe("a + b * c");
    expect(understood("(a + b) * c")).toBe("(a + b) * c");
    expect(understood("a - (b - c)")).toBe("a - (b - c)");
    expect(understood("not (a < b) and (c or d)")).toBe("not a < b and (c or d)");
    expect(understood("a ? b : (c ? d : e)")).toBe("a ? b : c ? d : e");
    expect(understood("-(a) * min(x.y, 2.5e-3)")).toBe("-a * min(x.y, 0.0025)");
  });

  it("[SM2] is read as the grammar of .sa reads it", () => {
    const plain = (e: Expression): boolean => {
      let isPlain = true;
      eachExpression(e, (part) => {
        if (part.kind === "string") isPlain = false;
        const names = part.kind === "call" ? [part.callee] : [];
        if (part.kind === "reference") names.push(part.name, part.unit ?? "a");
        if (names.some((name) => !/^[a-zA-Z_]\w*$/.test(name))) isPlain = false;
      });
      return isPlain && !printExpression(e).includes("'");
    };
    let seen = 0;
    fc.assert(
      fc.property(randomExpression.filter(plain), (e) => {
        const text = printExpression(e);
        const [declared] = read(`${HEAD}param P := ${text};`).parameters;
        const here = bare(parsed(text));
        seen++;
        expect(JSON.stringify(here)).toBe(JSON.stringify(bare(withoutTexts(declared?.value))));
      }),
      { numRuns: 200 },
    );
    expect(seen).toBe(200);
  });

  it("[SM2] says where a mistake is, and what to write", () => {
    expect(mistake("a >")).toEqual({
      at: 3,
      message: "it ends where a number, a name or '(' is expected",
      fix: "correct the text there",
    });
    expect(mistake("a = 1")).toMatchObject({ at: 2, fix: "compare with ==" });
    expect(mistake("a && b")).toMatchObject({ at: 2, fix: "write 'and'" });
    expect(mistake("a || b").fix).toBe("write 'or'");
    expect(mistake("!a")).toMatchObject({ at: 0, fix: "write 'not'" });
    expect(mistake("x^2").fix).toBe("write pow(x, y)");
    expect(mistake("a < b < c").at).toBe(6);
    expect(mistake("and").message).toBe("it has 'and' where a number, a name or '(' is expected");
    expect(mistake("f(a").message).toBe("it ends where ')' is expected");
    expect(mistake("a ? b").message).toBe("it ends where ':' is expected");
    expect(mistake("a.").message).toBe("it ends where the name of a port is expected");
  });

  it("[SM2] is limited in depth and length", () => {
    const nested = (n: number): string => `${"(".repeat(n)}a${")".repeat(n)}`;
    expect(understood(nested(59))).toBe("a");
    expect(mistake(nested(60)).message).toContain("more than 60 deep");
    expect(mistake(`${"not ".repeat(61)}a`).message).toContain("more than 60 deep");
    expect(mistake(`${"-".repeat(61)}a`).message).toContain("more than 60 deep");
    expect(understood(`a${" + a".repeat(1000)}`)).toContain("a + a");
    expect(mistake(`a${" + a".repeat(1001)}`).message).toContain("more than 1000 operators");
    expect(mistake("(".repeat(100_000)).message).toContain("more than 60 deep");
  });

  it("[SM2] knows the place of every part", () => {
    const found = parsed("a + bb");
    expect(found).toMatchObject({
      place: { line: 3, column: 10 },
      right: { place: { column: 14 } },
    });
  });

  it("[SM5] actions assign and emit, separated by semicolons", () => {
    const found = parseActions("x := 1; emit done; y = x > 2;", PLACE);
    expect(found).toMatchObject({
      actions: [
        { kind: "assign", target: "x" },
        { kind: "emit", event: "done", place: { column: 18 } },
        { kind: "assign", target: "y", value: { operator: ">" } },
      ],
    });
    const wrong = (text: string): string => {
      const result = parseActions(text, PLACE);
      return "mistake" in result ? result.mistake.message : "read";
    };
    expect(wrong("x := 1 y := 2")).toBe("it has 'y' where ';' is expected");
    expect(wrong("1 := x")).toBe("it has '1' where the name of an output or a local is expected");
    expect(wrong("emit")).toBe("it ends where the name of an event is expected");
    expect(wrong("x + 1")).toBe("it has '+' where ':=' is expected");
  });
});

/** How a number is written belongs to the printing of .sa files. */
function withoutTexts(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, part) => (key === "text" ? undefined : part)));
}
