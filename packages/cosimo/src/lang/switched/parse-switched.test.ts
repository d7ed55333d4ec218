import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { automatonOf } from "../../model/testing/automaton.ts";
import { parseSwitched } from "./parse-switched.ts";

const SEED = 20_261_116;
const read = (text: string): ReturnType<typeof parseSwitched> => parseSwitched(text, "s.yaml");
const found = (text: string): string[] =>
  read(text).diagnostics.map(({ code, place }) => `${place.line}:${place.column} ${code}`);

describe("the description of a switched system", () => {
  it("[JS15] has matrices with names, in any order without an automaton", () => {
    const { value, diagnostics } = read(
      "matrices: { slow: [[0.5, 1], [0, 0.25]], fast: [[1, 0], [0, 1]] }",
    );
    expect(diagnostics).toEqual([]);
    expect(value).toMatchObject({
      dimension: 2,
      names: ["slow", "fast"],
      automaton: automatonOf(1, "0 a 0, 0 b 0"),
    });
    expect([...value!.matrices[0]!]).toEqual([0.5, 1, 0, 0.25]);
  });

  it("[JS15] is JSON too, with matrices in a list and all counted from 1", () => {
    const system = {
      matrices: [[[1]], [[2]]],
      automaton: { nodes: 3, edges: [[1, 2, 2], { from: 2, to: 1, mode: 1 }] },
    };
    expect(read(JSON.stringify(system)).value).toMatchObject({
      names: ["1", "2"],
      nodeNames: ["1", "2", "3"],
      automaton: automatonOf(3, "0 b 1, 1 a 0"),
    });
  });

  it("[JS15] names nodes, listed or as they turn up", () => {
    const edges = "edges: [[idle, busy, a], [busy, idle, a]]";
    for (const nodes of ["", "nodes: [idle, busy], "])
      expect(
        read(`{ matrices: { a: [[1]] }, automaton: { ${nodes}${edges} } }`).value,
      ).toMatchObject({
        nodeNames: ["idle", "busy"],
        automaton: { nodes: 2 },
      });
  });

  it.each([
    ["", ["1:1 scenario-empty"]],
    ["a: [", ["1:5 yaml-syntax"]],
    ["matrix: {}", ["1:1 scenario-unknown-key", "1:1 scenario-missing-key"]],
    ["matrices: 3", ["1:11 scenario-wrong-type"]],
    ["matrices: {}", ["1:11 switched-no-matrices"]],
    ["matrices: { a: 1 }", ["1:16 switched-matrix"]],
    ["matrices: { a: [] }", ["1:16 switched-matrix"]],
    ["matrices: { a: [1] }", ["1:17 switched-matrix"]],
    ["matrices: { a: [[1, 2]] }", ["1:17 switched-matrix"]],
    ["matrices: { a: [[x]] }", ["1:18 switched-entry"]],
    ["matrices: { a: [[.inf]] }", ["1:18 switched-entry"]],
    ["matrices: { a: [[1]], b: [[1, 0], [0, 1]] }", ["1:26 switched-size"]],
    ["{ matrices: [[[1]]], automaton: 1 }", ["1:33 scenario-wrong-type"]],
    ["{ matrices: [[[1]]], automaton: {} }", ["1:33 scenario-missing-key"]],
    ["{ matrices: [[[1]]], automaton: { edges: 1 } }", ["1:42 scenario-wrong-type"]],
    ["{ matrices: [[[1]]], automaton: { edges: [[1, 1]] } }", ["1:43 switched-edge"]],
    ["{ matrices: [[[1]]], automaton: { edges: [[1, 1, 2]] } }", ["1:50 switched-mode"]],
    ["{ matrices: [[[1]]], automaton: { nodes: 1, edges: [[1, 2, 1]] } }", ["1:57 switched-node"]],
    ["{ matrices: [[[1]]], automaton: { nodes: [a, a], edges: [] } }", ["1:42 switched-nodes"]],
    ["{ matrices: [[[1]]], automaton: { nodes: 0, edges: [] } }", ["1:42 switched-nodes"]],
  ])("[JS15] tells the place of what is wrong: %s", (text, expected) => {
    expect(found(text)).toEqual(expected);
    expect(read(text).value).toBeUndefined();
  });

  it("[JS15] says what was probably meant", () => {
    const text = "{ matrices: { slow: [[1]] }, automaton: { edges: [[1, 1, slwo]] } }";
    expect(read(text).diagnostics[0]).toMatchObject({
      message: "there is no mode 'slwo'",
      fix: "did you mean 'slow'?",
    });
    expect(read("").diagnostics[0]!.fix).toContain("matrices: {");
  });

  it(`[JS15] is read without throwing, whatever the text (seed ${SEED})`, () => {
    const piece = fc.constantFrom(
      "matrices",
      ":",
      "[",
      "]",
      "{",
      "}",
      ",",
      " ",
      "\n",
      "1",
      "a",
      "edges",
      "automaton",
      "nodes",
      "-",
      "&x",
      "*x",
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const { value, diagnostics } = read(pieces.join(""));
        expect(value === undefined).toBe(diagnostics.some(({ severity }) => severity === "error"));
      }),
      { seed: SEED, numRuns: 400 },
    );
  });

  it("[JS22] refuses automata that no search could hold", () => {
    const rows = Array.from({ length: 30 }, () => `[${Array(30).fill(0.01).join(", ")}]`);
    const text = `matrices: { a: [${rows.join(", ")}] }\nautomaton: { nodes: 90000, edges: [[1, 90000, a]] }`;
    const { value, diagnostics } = read(text);
    expect(value).toBeUndefined();
    expect(diagnostics).toMatchObject([{ code: "switched-too-large", place: { line: 2 } }]);
    const edges = Array.from({ length: 20_000 }, (_, i) => `[${i + 1}, ${i + 2}, a]`).join(", ");
    expect(read(`matrices: { a: [[1]] }\nautomaton: { edges: [${edges}] }`).value).toBeDefined();
  });
});
