/**
 * Indices of arrays against a naive enumeration, and names with dots, brackets and terminals: what
 * a text refers to.
 */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cases } from "../base/testing/cases.ts";
import { ResolveContext } from "./resolve-scenario-context.ts";
import { elementsOf, findReference, type Reference } from "./resolve-scenario-reference.ts";
import { standIn } from "./testing/stand-in-units.ts";
import type { Terminal, UnitDescription } from "./unit-description.ts";

const place = { file: "s.yaml" };

/** Indices of all elements, row-major, from 1. */
function allIndices(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (list, size) =>
      list.flatMap((head) => Array.from({ length: size }, (_, i) => [...head, i + 1])),
    [[]],
  );
}

describe("elements of an array", () => {
  const shapes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 });
  const ports = (shape: readonly number[]) =>
    new Map(standIn("M", `out A [${shape.join("x")}]`).ports.map((port) => [port.name, port]));

  it("[SC20] leading indices choose a block: its first element and its shape", () => {
    fc.assert(
      fc.property(shapes, fc.nat(), fc.nat(), (shape, pick, depth) => {
        const all = allIndices(shape);
        const chosen = all[pick % all.length].slice(0, 1 + (depth % shape.length));
        const inside = all.flatMap((indices, element) =>
          chosen.every((index, i) => indices[i] === index) ? [element] : [],
        );
        const found = elementsOf(ports(shape), `A[${chosen.join(", ")}]`);
        expect(found?.part).toEqual({ element: inside[0], shape: shape.slice(chosen.length) });
        const size = shape.slice(chosen.length).reduce((product, n) => product * n, 1);
        expect(inside).toEqual(Array.from({ length: size }, (_, i) => inside[0] + i));
      }),
      { seed: 30, numRuns: cases(500) },
    );
  });

  it("[SC20] the last index may be a range, which adds a dimension", () => {
    fc.assert(
      fc.property(shapes, fc.nat(), fc.nat(), fc.nat(), (shape, pick, depth, length) => {
        const all = allIndices(shape);
        const chosen = all[pick % all.length].slice(0, 1 + (depth % shape.length));
        const last = chosen.length - 1;
        const end = chosen[last] + (length % (shape[last] - chosen[last] + 1));
        const inside = all.flatMap((indices, element) => {
          const isInside = chosen.every((index, i) =>
            i === last ? indices[i] >= index && indices[i] <= end : indices[i] === index,
          );
          return isInside ? [element] : [];
        });
        const found = elementsOf(ports(shape), `A[${chosen.join(",")}:${end}]`);
        expect(found?.part).toEqual({
          element: inside[0],
          shape: [end - chosen[last] + 1, ...shape.slice(chosen.length)],
        });
        expect(inside.at(-1)).toBe(inside[0] + inside.length - 1);
      }),
      { seed: 31, numRuns: cases(500) },
    );
  });

  it.each([
    "A[0]",
    "A[3]",
    "A[1,4]",
    "A[1,0]",
    "A[1,1,1]",
    "A[2:1]",
    "A[1:3]",
    "A[1,2:4]",
    "A[3,1]",
  ])("[SC20] %s leads outside of an array of 2 × 3", (text) => {
    const found = elementsOf(ports([2, 3]), text);
    expect(found?.port.name).toBe("A");
    expect(found).not.toHaveProperty("part");
  });

  it.each(["A", "A[]", "A[x]", "A[-1]", "A[1", "B[1]", "[1]", "A[1][2]", "A[1:2,1]", "A[1.5]"])(
    "[SC20] '%s' names no elements",
    (text) => {
      expect(elementsOf(ports([2, 3]), text)).toBeUndefined();
    },
  );

  it("[SC20] a scalar has no elements", () => {
    const scalar = new Map(standIn("M", "out y").ports.map((port) => [port.name, port]));
    expect(elementsOf(scalar, "y[1]")).not.toHaveProperty("part");
  });
});

describe("a reference", () => {
  function contextOf(units: Readonly<Record<string, UnitDescription | undefined>>): ResolveContext {
    const context = new ResolveContext();
    for (const [name, description] of Object.entries(units)) {
      const draft = { name, source: { kind: "fmu" as const, path: name }, values: [], place };
      const unit = { draft, index: context.units.length, ...(description && { description }) };
      context.units.push(unit);
      context.unitByName.set(name, unit);
    }
    return context;
  }

  const shown = (found: Reference | undefined): string => {
    if (found === undefined) return "nothing";
    const unit = found.unit.draft.name;
    if (found.kind === "group") return `group ${unit} '${found.prefix}'`;
    if (found.kind === "terminal") return `terminal ${unit} ${found.terminal.name}`;
    const { port, element, whole } = found;
    return `port ${unit} ${port.name}${whole ? "" : ` from ${element}`}`;
  };

  const empty = { members: [], streams: [], matchingRule: "plug" };
  const inner: Terminal = { ...empty, name: "pin", terminals: [] };
  const dotted: Terminal = { ...empty, name: "a.b", terminals: [] };
  const robot = standIn("R", "out y; out u[1]; out u [3]; out arm.y; in plug", [
    { ...empty, name: "plug", terminals: [] },
    { ...empty, name: "flange", terminals: [inner] },
    { ...empty, name: "a", terminals: [] },
    dotted,
  ]);
  const context = contextOf({
    robot,
    "robot.arm": standIn("A", "out y; out z [2]"),
    broken: undefined,
  });

  it.each([
    ["robot.y", "port robot y"],
    ["robot.u[1]", "port robot u[1]"],
    ["robot.u[2]", "port robot u from 1"],
    ["robot.arm.y", "port robot.arm y"],
    ["robot.arm.z[2]", "port robot.arm z from 1"],
    ["robot.plug", "port robot plug"],
    ["robot.flange", "terminal robot flange"],
    ["robot.flange.pin", "terminal robot pin"],
    ["robot.a.b", "terminal robot a.b"],
    ["robot.*", "group robot ''"],
    ["robot.arm.*", "group robot.arm ''"],
    ["robot.ar*", "group robot 'ar'"],
    ["broken.y", "nothing"],
  ])("[SC21] [SC22] [SC23] '%s' is the %s", (text, expected) => {
    expect(shown(findReference(context, text, "output", place))).toBe(expected);
    expect(context.diagnostics).toEqual([]);
  });

  it.each<[string, string, RegExp]>([
    ["robot", "reference-malformed", /robot/],
    ["robot.", "reference-malformed", /robot\./],
    [".y", "reference-malformed", /\.y/],
    ["robto.y", "unknown-unit", /'robto'/],
    ["robot.why", "unknown-port", /'why'/],
    ["robot.w[2]", "unknown-port", /'w'/],
    ["robot.u[4]", "element-outside", /u\[4\]/],
    ["robot.arm.w", "unknown-port", /'w'/],
  ])("[SC21] '%s' is refused: %s", (text, code, message) => {
    const own = contextOf({ robot, "robot.arm": standIn("A", "out y") });
    expect(findReference(own, text, "output", place)).toBeUndefined();
    expect(own.diagnostics.map((one) => one.code)).toEqual([code]);
    expect(own.diagnostics[0].message).toMatch(message);
  });

  it("[SC21] hints at ports of the wanted direction first", () => {
    const own = contextOf({ a: standIn("A", "in level1; out level2") });
    findReference(own, "a.level3", "output", place);
    findReference(own, "a.level3", "input", place);
    expect(own.diagnostics.map(({ fix }) => fix)).toEqual([
      expect.stringContaining("'level2'"),
      expect.stringContaining("'level1'"),
    ]);
  });
});
