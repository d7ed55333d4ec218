import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { machineAsSa } from "../lang/machine/machine-as-sa.ts";
import { parseMachine } from "../lang/machine/parse-machine.ts";
import { OVER_HEAT } from "../lang/machine/testing/over-heat.ts";
import { parseSa } from "../lang/sa/parse-sa.ts";
import type { Machine } from "../model/machine.ts";
import { getNumber, setValues, startUnit } from "../unit/testing/drive.ts";
import type { Unit } from "../unit/unit.ts";
import { adaptedUnit } from "./adapted-unit.ts";
import { machineUnit } from "./machine-unit.ts";

const asAdaptation = (machine: Machine): Unit =>
  adaptedUnit("m", unwrap(parseSa(machineAsSa(machine), "m.sa")), new Map());

/** Values of `ports` after each step; inputs change before it. */
function drive(
  unit: Unit,
  ports: readonly string[],
  steps: readonly { readonly length: number; readonly inputs: Readonly<Record<string, number>> }[],
): string[] {
  startUnit(unit);
  let t = 0;
  return steps.map(({ length, inputs }) => {
    setValues(unit, inputs);
    const { reason, time } = unit.advance(t, { kind: "time", time: t + length });
    t = time;
    return `${reason} ${t}: ${ports.map((port) => getNumber(unit, port)).join(" ")}`;
  });
}

const read = (text: string): Machine => unwrap(parseMachine(text, "m.machine.yaml"));

/**
 * Three states, one of them with two inside; timers that meet, an event, a change, conditions,
 * counters.
 */
const random = fc
  .record({
    delays: fc.array(fc.constantFrom(0.1, 0.2, 0.25, 0.3, 0.5, 1), { minLength: 8, maxLength: 8 }),
    targets: fc.array(fc.constantFrom("a", "b", "c", "b.x", "b.y"), { minLength: 9, maxLength: 9 }),
    order: fc.boolean(),
    limit: fc.integer({ min: 1, max: 4 }),
    steps: fc.array(
      fc.record({
        length: fc.constantFrom(0.1, 0.2, 0.3, 0.05, 1 / 3, 0.7),
        inputs: fc.record({
          go: fc.constantFrom(0, 0, 1),
          u: fc.constantFrom(0, 1, 2, 3),
        }),
      }),
      { minLength: 20, maxLength: 40 },
    ),
  })
  .map(({ delays: d, targets: t, order, limit, steps }) => {
    const first = `- { after: ${d[0]}, when: u > ${limit}, do: [n := n + 1, y := time * u], to: ${t[0]} }`;
    const second = `- { after: wait, do: y := y + 1, to: a }`;
    return {
      steps,
      text: `
parameters: { wait: ${d[1]} s }
inputs: { go: event, u: integer }
outputs: { n: integer, y: real }
events: [done]
initial: a
states:
  a:
    entry: y := y + 0.5
    exit: y := 2 * y - u
    transitions:
    ${order ? first : second}
    ${order ? second : first}
    - { on: go, emit: done, to: ${t[1]} }
  b:
    initial: ${order ? "x" : "y"}
    exit: n := n + 10
    states:
      x:
        - { after: ${d[2]}, to: ${t[2]} }
        - { on: u, when: n % 2 == 0, do: n := n + 1, to: y }
      y:
        entry: [n := n + 100]
        transitions: [{ after: ${d[3]}, when: "u == 1 ? y < 3 : true", emit: done, to: ${t[3]} }]
    transitions:
    - { after: ${d[4]}, do: n := n + 1000, to: ${t[4]} }
  c:
    - { after: ${d[5]}, to: c, do: n := n + 1 }
    - { after: ${d[6]}, on: go, to: ${t[5]} }
    - { on: go, to: ${t[6]} }
`,
    };
  });

describe("a machine as an adaptation", () => {
  const PORTS = ["state", "n", "y", "done"];

  it("[SM9] does what the machine does, bit for bit", () => {
    let moves = 0;
    fc.assert(
      fc.property(random, ({ text, steps }) => {
        const machine = read(text);
        const expected = drive(machineUnit(machine, "m"), PORTS, steps);
        expect(drive(asAdaptation(machine), PORTS, steps)).toEqual(expected);
        moves += new Set(expected.map((row) => row.split(" ")[2])).size - 1;
      }),
      { numRuns: 60, endOnFailure: true },
    );
    expect(moves).toBeGreaterThan(20);
  });

  it("[SM9] keeps counted periods where rounding puts the end of a step before a time that is due", () => {
    const machine = read(OVER_HEAT);
    const steps = Array.from({ length: 700 }, (_, k) => ({
      length: (k + 1) * 0.1 - k * 0.1,
      inputs: { cpuTemperature: k % 200 < 100 ? 90 : 70 },
    }));
    const ports = ["state", "isStopped", "switchCPUState"];
    const expected = drive(machineUnit(machine, "m"), ports, steps);
    expect(drive(asAdaptation(machine), ports, steps)).toEqual(expected);
    expect(new Set(expected.map((row) => row.split(" ")[2]))).toEqual(new Set(["1", "2", "3"]));
  });
});
