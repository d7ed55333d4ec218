import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Diagnostic, formatDiagnostic, unwrap } from "../../base/diagnostic.ts";
import type { Machine } from "../../model/machine.ts";
import { parseMachine } from "./parse-machine.ts";
import { OVER_HEAT } from "./testing/over-heat.ts";

const FILE = "dir/light.machine.yaml";
const read = (text: string): Machine => unwrap(parseMachine(text, FILE));
const findings = (text: string): readonly Diagnostic[] => parseMachine(text, FILE).diagnostics;
/** `code line:column` of every finding. */
const found = (text: string): string[] =>
  findings(text).map(({ code, place }) => `${code} ${place.line}:${place.column}`);
const only = (text: string): Diagnostic => {
  const [first, ...more] = findings(text);
  expect(more.map(formatDiagnostic)).toEqual([]);
  if (first === undefined) throw new Error("nothing was found");
  return first;
};

describe("machine files", () => {
  it("[SM1] are named by 'machine', or by their file", () => {
    expect(read(OVER_HEAT).name).toBe("over-heat controller");
    expect(read("states: { a: }").name).toBe("light");
  });

  it("[SM1] declare ports by a value, a quantity, a type, or a map", () => {
    const { parameters, inputs, outputs, locals, events } = read(`
parameters: { limit: 85 degC, gain: 2, on: true }
inputs: { go: event, tick: { type: event, description: every second }, u: { start: 1.5, min: 0, max: 2 } }
outputs: { n: integer, ok: { start: true } }
locals: { x: real }
events: { done: all is over, failed: }
states: { a: }
`);
    const plain = (ports: Machine["inputs"]): object[] =>
      ports.map(({ place, ...rest }) => ({ ...rest, ...(place.line === undefined && { place }) }));
    expect(plain(parameters)).toEqual([
      { name: "limit", type: "real", start: 85, unit: "degC" },
      { name: "gain", type: "real", start: 2 },
      { name: "on", type: "boolean", start: 1 },
    ]);
    expect(plain(inputs)).toEqual([
      { name: "go", type: "boolean", isEvent: true, start: 0 },
      { name: "tick", type: "boolean", isEvent: true, start: 0, description: "every second" },
      { name: "u", type: "real", start: 1.5, min: 0, max: 2 },
    ]);
    expect(plain(outputs)).toEqual([
      { name: "n", type: "integer", start: 0 },
      { name: "ok", type: "boolean", start: 1 },
    ]);
    expect(plain(locals)).toEqual([{ name: "x", type: "real", start: 0 }]);
    expect(events.map(({ name, description }) => [name, description])).toEqual([
      ["done", "all is over"],
      ["failed", undefined],
    ]);
  });

  it("[SM1] a state is a list of transitions, a map, or empty", () => {
    const [a, b, c] = read(`
initial: a
states:
  a: [{ after: 20 ms, to: b }]
  b:
    entry: x := 1
    exit: [x := 2, x := 3; x := 4]
    initial: d
    states: { d: [{ on: go, to: c }], e: }
    transitions: [{ when: go, to: b.e }]
  c:
outputs: { x: real }
inputs: { go: boolean }
`).states;
    expect(a?.transitions).toMatchObject([{ after: 0.02, to: "b" }]);
    expect(b).toMatchObject({ initial: "d", states: [{ name: "d" }, { name: "e" }] });
    expect([b?.entry.length, b?.exit.length]).toEqual([1, 3]);
    expect(c?.transitions).toEqual([]);
  });

  it("[SM1] begins in the only state, or says where", () => {
    expect(read("states: { a: }").initial).toBe("a");
    expect(only("states: { a: , b: }")).toMatchObject({
      code: "machine-initial",
      fix: "add initial: a",
    });
    const inner = "initial: a\nstates:\n  a:\n    states: { b: , c: }";
    expect(only(inner).message).toBe("state 'a' does not say in which state it begins");
    expect(only("initial: c\nstates: { a: , b: }").code).toBe("scenario-choice");
  });

  it("[SM1] refuses names that are not words, twice there, or have a meaning", () => {
    const code = (port: string, more = ""): string =>
      only(`inputs: { ${port}: real${more} }\nstates: { a: }`).message;
    expect(code("'x y'")).toContain("it is not a word");
    expect(code("time")).toContain("a meaning of its own");
    expect(code("sin")).toContain("it is a function");
    expect(only("inputs: { x: real }\noutputs: { x: real }\nstates: { a: }").place.line).toBe(2);
    expect(found("states: { a: , b c: }")).toEqual(["machine-name 1:16"]);
  });

  it("[SM7] reports keys, types and missing parts with their place", () => {
    expect(found("states: { a: [{ after: 1 s }] }")).toEqual(["scenario-missing-key 1:15"]);
    expect(found("initial: a")).toEqual(["scenario-missing-key 1:1"]);
    expect(found("statse: { a: }")).toEqual([
      "scenario-unknown-key 1:1",
      "scenario-missing-key 1:1",
    ]);
    expect(found("states: 3")).toContain("scenario-wrong-type 1:9");
    expect(found("states: { a: [{ after: -1 s, to: a }] }")).toEqual(["machine-after 1:24"]);
    expect(found("states: { a: [{ after: soon, to: a }] }")).toEqual(["machine-after 1:15"]);
    expect(found("states: { a: [{ when: 1, to: a }] }")).toEqual(["scenario-wrong-type 1:23"]);
    expect(found("inputs: { x: blue }\nstates: { a: }")).toEqual(["scenario-wrong-type 1:14"]);
  });

  it("[SM7] says which name is meant, inside conditions and actions", () => {
    const head = "inputs: { level: real }\noutputs: { valve: boolean }\nevents: [full]\n";
    const only1 = (transition: string): Diagnostic =>
      only(`${head}states: { a: [{ after: 1, ${transition}, to: a }] }`);
    expect(only1("when: levle > 1")).toMatchObject({
      code: "machine-unknown",
      fix: "did you mean 'level'?",
      place: { line: 4, column: "states: { a: [{ after: 1, when: ".length + 1 },
    });
    expect(only1("when: level > sine(1)").fix).toBe("did you mean 'sin'?");
    expect(only1("when: max() > 1").code).toBe("machine-rule");
    expect(only1("do: valv := true").fix).toBe("did you mean 'valve'?");
    expect(only1("emit: ful").fix).toBe("did you mean 'full'?");
    expect(only1("on: levl").message).toBe("there is no input 'levl'");
    expect(only1("do: level := 1")).toMatchObject({ code: "machine-target" });
    expect(only1("do: full := true").fix).toBe("write: emit full");
    expect(only1("when: level >")).toMatchObject({
      code: "machine-rule",
      place: { column: "states: { a: [{ after: 1, when: level >".length + 1 },
    });
    expect(only("states: { aa: [{ after: 1, to: ab }] }").fix).toBe("did you mean 'aa'?");
  });

  it("[SM3] conditions are booleans, and ports get values of their type", () => {
    const head =
      "inputs: { u: real, n: integer, b: boolean }\noutputs: { y: real, k: integer, z: boolean }\n";
    const type = (transition: string): string => {
      const all = findings(`${head}states: { a: [{ after: 1, ${transition}, to: a }] }`);
      expect(all.map(({ code }) => code)).toEqual(all.map(() => "machine-type"));
      return all.map(({ message }) => message).join("; ");
    };
    expect(type("when: u")).toBe("'when' should be boolean, and is real");
    expect(type("when: not n")).toBe("the operand of 'not' should be boolean, and is integer");
    expect(type("when: b > 1")).toBe("an operand of '>' should be number, and is boolean");
    expect(type("when: b == true")).toBe("");
    expect(type("do: y := b")).toBe("the value of 'y' should be real, and is boolean");
    expect(type("do: k := u")).toBe("the value of 'k' should be integer, and is real");
    expect(type("do: k := n * 2 + 1")).toBe("");
    expect(type("do: k := n / 2")).toBe("the value of 'k' should be integer, and is real");
    expect(type('do: "k := b ? -1 : 1"')).toBe("");
    expect(type('do: "k := b ? 1.5 : 1"')).toBe("the value of 'k' should be integer, and is real");
    expect(type("do: y := n")).toBe("");
    expect(type('do: "z := u > 1 ? b : true"')).toBe("");
    expect(type('do: "z := b ? b : 1"')).toBe("what follows ':' should be boolean, and is integer");
  });

  it("[SM12] numbers beyond all that can be computed with are refused where they stand", () => {
    const head = "outputs: { y: real, b: boolean }\n";
    expect(found(`${head}states: { a: [{ after: 1, do: y := 1e400, to: a }] }`)).toEqual([
      "machine-number 2:36",
    ]);
    expect(found(`${head}states: { a: [{ when: time > 2 + 1e999, to: a }] }`)).toEqual([
      "machine-number 2:34",
    ]);
    expect(found("outputs: { y: 1e400 }\nstates: { a: }")).toEqual(["machine-number 1:15"]);
    expect(found("outputs: { y: 1e400 m }\nstates: { a: }")).toEqual(["machine-number 1:15"]);
    expect(found("outputs: { y: .nan }\nstates: { a: }")).toEqual(["machine-number 1:15"]);
    expect(found("outputs: { y: { start: -.inf } }\nstates: { a: }")).toEqual([
      "scenario-number 1:24",
    ]);
  });

  it("[SM13] start values are of the type of their port, and within its range", () => {
    const y = (text: string): string =>
      findings(`outputs: { y: { ${text} } }\nstates: { a: }`)
        .map(({ code, message }) => `${code}: ${message}`)
        .join("; ");
    expect(y("type: integer, start: 1.5, max: 1")).toBe(
      "machine-start: 'y' starts with 1.5, which is not a whole number",
    );
    expect(y("type: integer, start: 3e9")).toContain("which is more than 32 bits hold");
    expect(y("type: integer, start: true")).toContain("starts with true, and its type is integer");
    expect(y("type: boolean, start: 2")).toContain("starts with 2, and is boolean");
    expect(y("start: 2, max: 1")).toContain("which is above its 'max', 1");
    expect(y("min: 1")).toBe(
      "machine-start: 'y' starts by itself with 0, which is below its 'min', 1",
    );
    expect(y("start: 1, min: 2, max: 1")).toBe("machine-range: the range of 'y' goes from 2 to 1");
    for (const right of [
      "type: integer, start: -2",
      "start: 1, min: 1, max: 1",
      "type: boolean, start: 1",
      "start: true",
    ])
      expect(y(right)).toBe("");
  });

  it("[SM8] finds cycles that wait for nothing, also through outer and initial states", () => {
    expect(only("initial: a\nstates: { a: [{ to: b }], b: [{ to: a }] }").message).toBe(
      "the machine never rests: a → b → a without waiting for anything",
    );
    const nested = `
initial: a
states:
  a: { initial: b, states: { b: }, transitions: [{ to: c }] }
  c: [{ to: a }]`;
    expect(only(nested).message).toContain("never rests: c → a.b → c");
    expect(findings("initial: a\nstates: { a: [{ to: b }], b: [{ after: 0 s, to: a }] }")).toEqual(
      [],
    );
  });

  it("[SM8] warns of transitions that never come first and states that are never reached", () => {
    const shadowed = "initial: a\nstates: { a: [{ after: 1, to: a }, { after: 1, to: b }], b: }";
    expect(parseMachine(shadowed, FILE).value).toBeDefined();
    expect(found(shadowed)).toEqual(["machine-shadowed 2:36"]);
    expect(found("initial: a\nstates:\n  a:\n  b: [{ to: a }]")).toEqual([
      "machine-unreachable 4:3",
    ]);
    const inner = "initial: a\nstates:\n  a: { initial: b, states: { b: , c: } }";
    expect(found(inner)).toEqual(["machine-unreachable 3:35"]);
    expect(findings(`${inner.slice(0, -1)}, transitions: [{ after: 1, to: a.c }] }`)).toEqual([]);
  });

  it("[SM7] never throws, whatever the text", () => {
    const lines = OVER_HEAT.split("\n");
    fc.assert(
      fc.property(
        fc.nat(lines.length - 1),
        fc.nat(60),
        fc.string({ maxLength: 12 }),
        (line, column, insert) => {
          const changed = lines.map((text, i) =>
            i === line ? text.slice(0, column) + insert + text.slice(column + 2) : text,
          );
          expect(Array.isArray(findings(changed.join("\n")))).toBe(true);
        },
      ),
      { numRuns: 300 },
    );
  });
});
