import { describe, expect, it } from "vitest";
import { unwrap } from "../../base/diagnostic.ts";
import { parseSwitched } from "../switched/parse-switched.ts";
import { parseGuard } from "./parse-guard.ts";

const FORMS = [
  [1, 0, 0, 1.1],
  [1, 0.1, 0.1, 0.3],
];
const DATA: Readonly<Record<string, object>> = {
  matrices: {
    quick: [
      [0.5, 0.1],
      [0, 1.1],
    ],
    careful: [
      [0.5, 0],
      [0, 0.5],
    ],
  },
  automaton: {
    nodes: 2,
    edges: [
      [1, 2, "quick"],
      [2, 1, "careful"],
      [1, 1, "careful"],
    ],
  },
  guard: { start: 1, rate: 0.9, proof: { forms: FORMS } },
};
const TEXT = JSON.stringify(DATA);

/** Changes one part of the file. */
const changed = (part: string, change: object): string =>
  JSON.stringify({ ...DATA, [part]: { ...DATA[part], ...change } });
const edges = (...list: readonly (readonly [number, number, string])[]): string =>
  changed("automaton", { edges: list });

describe("a guard file", () => {
  it("[GU9] is read to the last bit, and is a switched system for all other readers", () => {
    const guard = unwrap(parseGuard(TEXT, "guard.json"));
    expect(guard.policies).toEqual(["quick", "careful"]);
    expect(guard.start).toBe(0);
    expect(guard.rate).toBe(0.9);
    expect(guard.forms.map((form) => [...form])).toEqual(FORMS);
    const { matrices, automaton } = unwrap(parseSwitched(TEXT, "guard.json"));
    expect(guard.system.matrices).toEqual(matrices);
    expect(guard.automaton).toEqual(automaton);
    expect(automaton.edges[0]).toEqual({ from: 0, to: 1, mode: 0 });
  });

  it.each<[string, string, string]>([
    ["no guard in it", "guard-missing", JSON.stringify({ ...DATA, guard: undefined })],
    ["a start that is not a node", "guard-invalid", changed("guard", { start: 3 })],
    ["a rate above 1", "guard-invalid", changed("guard", { rate: 2 })],
    ["no proof", "guard-invalid", changed("guard", { proof: undefined })],
    ["a form too few", "guard-invalid", changed("guard", { proof: { forms: [FORMS[0]] } })],
    ["a short form", "guard-invalid", changed("guard", { proof: { forms: [[1], FORMS[1]] } })],
    ["a node without a way on", "guard-invalid", edges([1, 2, "quick"], [1, 1, "careful"])],
    [
      "two ways for one decision",
      "guard-ambiguous",
      edges([1, 2, "quick"], [1, 1, "quick"], [2, 1, "careful"]),
    ],
    ["a mode that has no matrix", "switched-mode", edges([1, 2, "fast"])],
  ])("[GU9] with %s is refused", (_, code, text) => {
    const { value, diagnostics } = parseGuard(text, "guard.json");
    expect(value).toBeUndefined();
    expect(diagnostics.map((one) => one.code)).toContain(code);
    expect(diagnostics.every(({ place }) => place.file === "guard.json")).toBe(true);
  });

  it("[GU9] may be any text without harm", () => {
    for (const text of ["", "[", "guard: 1", "matrices: {}", "{}", "guard: {start: x}"])
      expect(parseGuard(text, "x").value).toBeUndefined();
  });
});
