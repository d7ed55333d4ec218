import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { UnitDescription } from "../model/unit-description.ts";
import { decay } from "../unit/testing/internal/decay.ts";
import { putDescription, takeDescription } from "./describe.ts";
import { Nonsense } from "./protocol.ts";

const overWire = (data: unknown): unknown => JSON.parse(JSON.stringify(data));

const RICH: UnitDescription = {
  ...decay().description,
  description: "everything that a description can say",
  minimumDelay: Number.POSITIVE_INFINITY,
  ports: [
    {
      index: 0,
      name: "big",
      aliases: ["other"],
      direction: "parameter",
      type: "int64",
      shape: [2],
      variability: "fixed",
      nature: "constant",
      start: [-(2n ** 63n), 2n ** 63n - 1n],
    },
    {
      index: 1,
      name: "real",
      direction: "output",
      type: "float64",
      shape: [],
      variability: "continuous",
      nature: "continuous",
      start: [Number.NaN],
      min: Number.NEGATIVE_INFINITY,
      max: Number.POSITIVE_INFINITY,
      nominal: 1e-300,
      unit: { name: "rpm", base: { dimension: [0, 0, -1, 0, 0, 0, 0, 1], factor: 0.1, offset: 0 } },
      feedThrough: [0],
      derivativeOf: 0,
      reactive: false,
    },
    {
      index: 2,
      name: "bytes",
      direction: "input",
      type: "binary",
      shape: [],
      variability: "discrete",
      nature: "piecewise-constant",
      start: [Uint8Array.of(0, 255)],
      clocks: [3],
    },
    {
      index: 3,
      name: "tick",
      direction: "input",
      type: "clock",
      shape: [],
      variability: "discrete",
      nature: "transient",
      clock: { interval: "countdown", shift: -0, seconds: Number.NaN },
      items: new Map([[1, "one"]]),
    },
  ],
  terminals: [
    {
      name: "plug",
      matchingRule: "plug",
      members: [{ name: "m", port: 1, kind: "inflow" }],
      streams: [{ inName: "i", outName: "o", inPort: 0, outPort: 1 }],
      terminals: [],
    },
  ],
};

describe("descriptions that travel", () => {
  it("[DI1] a description arrives as it was, bit for bit, without places", () => {
    expect(takeDescription(overWire(putDescription(RICH)))).toEqual(RICH);
    const { description } = decay();
    expect(takeDescription(overWire(putDescription(description)))).toEqual(description);
  });

  it("[DI2] whatever is changed in one, it is refused or is a description", () => {
    const good = JSON.stringify(putDescription(RICH));
    const paths = [...good.matchAll(/"\w+"|-?\d+|true|false|\[|\{/g)].map(({ index }) => index);
    let refused = 0;
    fc.assert(
      fc.property(fc.constantFrom(...paths), fc.jsonValue(), (at, junk) => {
        const token = /^("\w+"|-?\d+|true|false)/.exec(good.slice(at))?.[0] ?? "";
        const text = good.slice(0, at) + JSON.stringify(junk) + good.slice(at + token.length);
        let data: unknown;
        try {
          data = JSON.parse(text);
        } catch {
          return;
        }
        try {
          const { ports } = takeDescription(data);
          for (const { feedThrough = [], clocks = [] } of ports)
            for (const port of [...feedThrough, ...clocks]) expect(ports[port]).toBeDefined();
        } catch (error) {
          expect(error).toBeInstanceOf(Nonsense);
          refused++;
        }
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(10);
  });

  it("[DI2] refuses ports of one name, indices outside, and lists without an end", () => {
    const plain = overWire(putDescription(RICH)) as { ports: Record<string, unknown>[] };
    const broken = (change: (ports: Record<string, unknown>[]) => void): unknown => {
      const copy = structuredClone(plain);
      change(copy.ports);
      return copy;
    };
    const changes: ((ports: Record<string, unknown>[]) => void)[] = [
      (ports) => ports.push({ ...ports[0] }),
      (ports) => Object.assign(ports[1]!, { feedThrough: [4] }),
      (ports) => Object.assign(ports[1]!, { shape: [1e9, 1e9] }),
      (ports) => Object.assign(ports[1]!, { type: "__proto__" }),
      (ports) => Object.assign(ports[1]!, { start: [{ integer: "1e400" }] }),
    ];
    for (const change of changes) expect(() => takeDescription(broken(change))).toThrow(Nonsense);
  });
});
