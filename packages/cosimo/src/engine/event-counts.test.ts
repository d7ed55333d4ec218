/** Events of units that are counted in two places, one after the other. */
import { expect, it } from "vitest";
import { makeBanks } from "../model/value-type.ts";
import { stateMachineUnit } from "../unit/state-machine-unit.ts";
import { indexOf, startUnit } from "../unit/testing/drive.ts";
import { type CountedSoFar, CountedUnit, countOn } from "./event-counts.ts";

it("[HC9] a unit that is handed over is counted on, as if nobody else had begun", () => {
  const unit = stateMachineUnit({
    name: "counter",
    outputs: { n: { type: "int32" }, half: { type: "int32" } },
    initial: "a",
    states: {
      a: {
        transitions: [
          {
            after: 0.5,
            to: "a",
            do: (m) => {
              m.set("n", Math.floor(m.time));
              m.set("half", Math.floor(m.time / 2));
            },
          },
        ],
      },
    },
  });
  const ports = ["n", "half"].map((name) => indexOf(unit, name));
  const kinds = new Map(
    ports.map((port) => [port, port === ports[0] ? "pulse" : "value"] as const),
  );
  const all = new CountedUnit(unit, kinds);
  startUnit(all);
  let counting = all;
  let handed: CountedSoFar[] = [];
  const sizes = { f64: 2 };
  for (let k = 0; k < 16; k++) {
    all.advance(k / 2, { kind: "time", time: (k + 1) / 2 });
    if (k === 7) {
      handed = all.soFar().map((port) => ({ unit: 0, ...port }));
      counting = countOn(unit, structuredClone(handed));
    }
    if (counting !== all) counting.cameTo((k + 1) / 2);
    for (const one of new Set([all, counting])) {
      const access = one.bind(ports.map((port, slot) => ({ port, slot })));
      one.read(access, makeBanks(sizes));
    }
  }
  expect(handed.some(({ count }) => count > 0)).toBe(true);
  for (const port of ports) {
    const before = handed.find((one) => one.port === port)?.count ?? Number.NaN;
    expect(all.countsOf(port).total).toBeGreaterThan(before);
    expect(counting.countsOf(port)).toEqual(all.countsOf(port));
  }
});
