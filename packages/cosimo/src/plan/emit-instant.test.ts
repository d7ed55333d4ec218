/**
 * What units exchange at one instant: in step mode only continuous inputs of units with event mode,
 * in event mode every input once, after what it depends on.
 */
import { describe, expect, it } from "vitest";
import type { Scenario } from "../model/scenario.ts";
import { InstantEmitter } from "./emit-instant.ts";
import { OpWriter } from "./op-writer.ts";
import { Op } from "./plan.ts";
import { SignalLayout } from "./signal-layout.ts";
import { describedUnit } from "./testing/described-unit.ts";
import { opsIn } from "./testing/plan-for.ts";
import { scenarioOf } from "./testing/scenario-of.ts";

/** Unit b has a continuous input u, a discrete one w and an integer n. */
const mixed = {
  ...describedUnit("u, w, n -> y"),
  ports: describedUnit("u, w, n -> y").ports.map((port) => {
    if (port.name === "w") return { ...port, variability: "discrete" as const };
    return port.name === "n"
      ? { ...port, type: "int64" as const, variability: "discrete" as const }
      : port;
  }),
};
const source = describedUnit("-> y, z");
const long = describedUnit("-> n", { type: "int64" });
const scenario: Scenario = scenarioOf(
  { a: source, b: mixed, c: mixed, l: long },
  "a.y -> b.u; a.z -> b.w; l.n -> b.n; a.y -> c.u; a.z -> c.w",
);

/** `resolve` from words: `r0` reads unit 0, `w1:0,2` writes ports 0 and 2 of unit 1, `m` moves. */
function emitterFor(text: string, hasEvents: (unit: number) => boolean) {
  const layout = new SignalLayout(scenario);
  const w = new OpWriter();
  for (const word of text.split(" ").filter((one) => one !== "")) {
    const [, kind, unit = "0", ports = "0"] = /^([rwm])(\d*)(?::([\d,]+))?$/.exec(word) ?? [];
    const access = (): number => layout.signalAccess(Number(unit), ports.split(",").map(Number));
    if (kind === "m") w.add(Op.Copy, 0, 1, 1);
    else w.add(kind === "r" ? Op.Read : Op.Write, access());
  }
  return { emitter: new InstantEmitter(scenario, layout, hasEvents), layout, resolve: w.done() };
}

const onlyB = (unit: number): boolean => unit === 1;

function inStepMode(text: string, hasEvents = onlyB): string {
  const { emitter, layout, resolve } = emitterFor(text, hasEvents);
  return opsIn(emitter.inStepMode(resolve))
    .map(([op, a]) => {
      if (op === Op.Copy) return "m";
      const { unit, slots } = layout.accesses[a];
      return `${op === Op.Read ? "r" : "w"}${unit}:${slots.map(({ port }) => port)}`;
    })
    .join(" ");
}

/** Parts as `ops | writes`, writes as unit.port. */
function inEventMode(text: string, hasEvents = onlyB): string[] {
  const { emitter, resolve } = emitterFor(text, hasEvents);
  return emitter.inEventMode(resolve).map(({ ops, writes }) => {
    const list = writes.map(({ unit, port }) => `${unit}.${port}`);
    return `${ops.length / 4} | ${list.join(" ")}`;
  });
}

describe("an instant in step mode", () => {
  it.each([
    ["r0 m w1:0,1", "r0:0 m w1:0"],
    ["w1:1,2", ""],
    ["w1:0", "w1:0"],
    ["w2:0,1", "w2:0,1"],
    ["r0 w2:1 m w1:2", "r0:0 w2:1 m"],
  ])("[EV7] of '%s' writes '%s'", (resolve, expected) => {
    expect(inStepMode(resolve)).toBe(expected);
  });

  it("[EV14] writes everything where no unit has event mode", () => {
    expect(inStepMode("r0 m w1:0,1,2 w2:1", () => false)).toBe("r0:0 m w1:0,1,2 w2:1");
  });
});

describe("an instant in event mode", () => {
  it.each<[string, string[]]>([
    ["r0 m w1:0", ["2 | 1.0 1.1 1.2"]],
    ["r0 w1:0 r0 w1:1", ["1 | 1.0", "1 | 1.1 1.2"]],
    ["w1:0 w1:1 m", ["0 | 1.0 1.1", "1 | 1.2"]],
    ["r0 w2:0 m w1:0,1,2", ["3 | 1.0 1.1 1.2"]],
    ["", ["0 | 1.0 1.1 1.2"]],
  ])(
    "[EV7] of '%s' is cut behind its writes, and ends with what it does not write",
    (resolve, parts) => {
      expect(inEventMode(resolve)).toEqual(parts);
    },
  );

  it("[EV7] writes inputs of all units with event mode, and of no others", () => {
    expect(inEventMode("r0", (unit) => unit !== 2)).toEqual(["1 | 1.0 1.1 1.2"]);
    expect(inEventMode("r0", () => true)).toEqual(["1 | 1.0 1.1 1.2 2.0 2.1"]);
    expect(inEventMode("r0 w1:0", () => false)).toEqual(["2 | "]);
  });

  it("[EV7] knows the bank and the slot of each signal", () => {
    const { emitter, layout, resolve } = emitterFor("r0", onlyB);
    const [{ writes }] = emitter.inEventMode(resolve);
    expect(writes.map(({ port, bank, slot }) => [port, bank, slot])).toEqual(
      [0, 1, 2].map((port) => [port, layout.bank(1, port), layout.signal(1, port)]),
    );
    expect(writes[2].bank).toBe("i64");
  });
});
