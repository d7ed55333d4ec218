/**
 * Adaptations as sources: the uses of inner units, what is closed when opening fails, what becomes
 * C once.
 */
import { describe, expect, it } from "vitest";
import type { ExposedPorts } from "../../adapt/exposed-ports.ts";
import type { ExportNode } from "../../export/exported-fmu.ts";
import { HEAD, read } from "../../lang/sa/testing/bare.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { describedUnit } from "../../plan/testing/described-unit.ts";
import type { UnitUse } from "../../run/open-units.ts";
import type { Unit } from "../../unit/unit.ts";
import { exportContext, use } from "../testing/export-context.ts";
import { adaptationSource, type FittedAdaptation } from "./adaptation.ts";
import type { OpenContext, Source } from "./source.ts";
import { givenNumbers, innerUse } from "./source.ts";

const TEXT = `${HEAD}for inner fmu F f at "f.fmu"\nfor inner fmu G g at "g.fmu"\noutput ports o <- f.y\n`;
const description: UnitDescription = describedUnit("u -> y, size");
const around = {} as OpenContext;

interface Inner {
  readonly opened: UnitUse[];
  readonly disposed: string[];
  readonly sources: Map<string, Source>;
}

function innerSources(fails: readonly string[] = [], cannotBecomeC: readonly string[] = []): Inner {
  const opened: UnitUse[] = [];
  const disposed: string[] = [];
  const sources = new Map(
    ["f", "g"].map((name): [string, Source] => [
      name,
      {
        path: `/${name}.fmu`,
        describe: () => description,
        async open(given) {
          opened.push(given);
          if (fails.includes(name)) throw new Error(`${name} cannot be opened`);
          return { description, dispose: () => disposed.push(name) } as unknown as Unit;
        },
        toC: (given) => {
          opened.push(given);
          return cannotBecomeC.includes(name)
            ? undefined
            : ({ kind: "fmu", description, fmu: {} } as unknown as ExportNode);
        },
      },
    ]),
  );
  return { opened, disposed, sources };
}

function fitted(inner: Inner, passing?: ExposedPorts): FittedAdaptation {
  return {
    explicit: read(TEXT),
    description,
    inner: inner.sources,
    text: TEXT,
    ...(passing && { passing }),
  };
}

describe("an adaptation", () => {
  it("that does not fit has no description, and is never opened", async () => {
    const source = adaptationSource("file", "/a.sa", () => undefined);
    expect(source.describe(new Map(), { name: "a", place: { file: "s" } })).toBeUndefined();
    await expect(source.open(use("a"), around)).rejects.toThrow("internal");
    expect(source).toMatchObject({ path: "/a.sa", adaptation: "file" });
  });

  it("closes the units that it opened when one of them fails, and says why", async () => {
    const inner = innerSources(["g"]);
    const source = adaptationSource("file", "/a.sa", () => fitted(inner));
    await expect(source.open(use("outer"), around)).rejects.toThrow("g cannot be opened");
    expect(inner.disposed).toEqual(["f"]);
    expect(inner.opened.map(({ name }) => name)).toEqual(["outer.f", "outer.g"]);
  });

  it("gives inner units its start, slopes, no events, and their places in its text", async () => {
    const inner = innerSources(["f"]);
    const source = adaptationSource("file", "/a.sa", () => fitted(inner));
    const given = use("outer", { start: 3, hasEvents: true, mayReturnEarly: true });
    await expect(source.open(given, around)).rejects.toThrow();
    expect(inner.opened[0]).toMatchObject({
      name: "outer.f",
      start: 3,
      takesSlopes: true,
      hasEvents: false,
      mayReturnEarly: false,
      place: { file: "test.sa", line: 2 },
    });
  });

  it("hands sizes on to the unit behind the port that shows them, and to no other", async () => {
    const inner = innerSources([], ["f", "g"]);
    const size = description.ports.findIndex(({ name }) => name === "size");
    const passing = {
      description,
      ports: [{ own: size, unit: "g", portName: "n", port: 0 }],
    } as unknown as ExposedPorts;
    const source = adaptationSource("applied", "/a.sa", () => fitted(inner, passing));
    const structural = new Map([
      ["size", 4],
      ["other", 9],
    ]);
    const context = exportContext({ node: (one, given) => one.toC?.(given, context) });
    source.toC?.(use("outer", { structural }), context);
    expect(inner.opened.map((one) => [one.name, [...one.structural]])).toEqual([
      ["outer.f", []],
      ["outer.g", [["n", 4]]],
    ]);
  });
});

describe("an adaptation that becomes C", () => {
  const toC = (inner: Inner, structural: ReadonlyMap<string, number> = new Map()) => {
    const keys: string[] = [];
    const context = exportContext({
      node: (one, given) => one.toC?.(given, context),
      once: (_, key, make) => {
        keys.push(key);
        return make();
      },
    });
    const source = adaptationSource("file", "/a.sa", () => fitted(inner));
    return { node: source.toC?.(use("outer", { structural }), context), keys };
  };

  it("has a node for each inner unit, its explicit form and its text", () => {
    const { node } = toC(innerSources());
    if (node?.kind !== "adaptation") throw new Error("test: no adaptation");
    expect([...node.inner.keys()]).toEqual(["f", "g"]);
    expect(node.text).toBe(TEXT);
    expect(node.adaptation).toEqual(read(TEXT));
    expect(node).not.toHaveProperty("passing");
  });

  it("visits all inner units, so that everything is reported, and is none where one is none", () => {
    for (const missing of [["f"], ["g"], ["f", "g"]]) {
      const inner = innerSources([], missing);
      expect(toC(inner).node).toBeUndefined();
      expect(inner.opened).toHaveLength(2);
    }
  });

  it("is another one for other sizes", () => {
    const sizes = [new Map(), new Map([["n", 2]]), new Map([["n", 3]])];
    const keys = sizes.flatMap((structural) => toC(innerSources(), structural).keys);
    expect(new Set(keys).size).toBe(3);
  });
});

describe("numbers that a unit is given", () => {
  it("are those of its values, the last one of a port", () => {
    const place = { file: "s" };
    const values = [
      { port: "n", value: 3, place },
      { port: "on", value: true, place },
      { port: "text", value: "4", place },
      { port: "n", value: 5, place },
    ];
    expect([...givenNumbers({ values })]).toEqual([
      ["n", 5],
      ["on", 1],
      ["text", 4],
    ]);
  });

  it("reach inner units under full names", () => {
    const inner = innerUse(use("a.b", { start: 2 }), "c", new Map([["n", 1]]), { file: "x" });
    expect(inner).toEqual({
      name: "a.b.c",
      structural: new Map([["n", 1]]),
      takesSlopes: true,
      hasEvents: false,
      mayReturnEarly: false,
      start: 2,
      place: { file: "x" },
    });
  });
});
