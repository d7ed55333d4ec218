import { describe, expect, it } from "vitest";
import { unwrap } from "../base/diagnostic.ts";
import { UnitError } from "../base/outcome.ts";
import { parseMachine } from "../lang/machine/parse-machine.ts";
import { OVER_HEAT } from "../lang/machine/testing/over-heat.ts";
import { unitContract } from "../unit/testing/contract.ts";
import { advanceTo, getNumber, indexOf, setValues, startUnit } from "../unit/testing/drive.ts";
import { samplerSubject } from "../unit/testing/internal/sampler.ts";
import type { Unit } from "../unit/unit.ts";
import { machineUnit } from "./machine-unit.ts";

const machine = (text: string, name = "m"): Unit =>
  machineUnit(unwrap(parseMachine(text, "test.machine.yaml")), name);

/** Samples u every 0.4 s, and counts. */
const SAMPLER = `
parameters: { every: 0.4 s }
inputs: { u: real }
outputs: { y: real, n: integer }
states:
  wait:
    - { after: every, do: [y := u, n := n + 1], to: wait }
`;

unitContract(
  "a machine from a file",
  samplerSubject(() => machine(SAMPLER, "sampler")),
);

describe("a machine from a file", () => {
  /**
   * Runs until it reads, hands over the temperature of that instant, and logs reads and switches.
   */
  const coordinate = (unit: Unit, stop: number, temperature: (t: number) => number): string[] => {
    const input = indexOf(unit, "cpuTemperature");
    const event = indexOf(unit, "switchCPUState");
    const log: string[] = [];
    for (let t = 0; t < stop; ) {
      const found = unit.advance(t, {
        kind: "or",
        any: [
          { kind: "time", time: stop },
          { kind: "ready-to-read", port: input },
          { kind: "event", port: event },
        ],
      });
      t = found.time;
      if (found.reason === "ready-to-read") {
        log.push(`read ${t}`);
        setValues(unit, { cpuTemperature: temperature(t) });
      } else if (found.reason === "event")
        log.push(
          `switch ${t} ${getNumber(unit, "isStopped")} ${getNumber(unit, "switchCPUState")}`,
        );
    }
    return log;
  };

  it("[SM6] reads its inputs where timed transitions mention them, and nowhere else", () => {
    const unit = machine(OVER_HEAT);
    startUnit(unit);
    expect(coordinate(unit, 23, (t) => (t < 10 ? 80 : t < 20 ? 90 : 70))).toEqual([
      "read 5",
      "read 8",
      "read 11",
      "switch 11 1 1",
      "read 16",
      "read 21",
      "switch 21 0 1",
    ]);
  });

  it("[SM3] computes with the functions of adaptations, integers and booleans", () => {
    const unit = machine(`
inputs: { u: real, on: boolean, n: integer }
outputs: { y: real, k: integer, b: boolean, t: real }
states:
  a:
    entry: ["y := max(u, -2) * 2 ; k := n % 3; b := not (on and u > 1) or false", "t := time"]
    transitions: [{ after: 1 s, to: a }]
`);
    startUnit(unit);
    setValues(unit, { u: 1.5, on: 1, n: 8 });
    advanceTo(unit, 0, 1);
    const values = ["y", "k", "b", "t"].map((name) => getNumber(unit, name));
    expect(values).toEqual([3, 2, 0, 1]);
  });

  it("[SM4] refuses a negative time to wait, with the transition and the parameter", () => {
    const unit = machine(SAMPLER);
    setValues(unit, { every: -1 });
    expect(() => startUnit(unit)).toThrow(UnitError);
    expect(() => startUnit(machine(SAMPLER.replace("0.4 s", "-1 s")))).toThrow(
      "the transition wait → wait waits for 'every', which is -1 s",
    );
  });

  it("[SM13] an integer beyond 32 bits ends the run", () => {
    const text = `outputs: { y: { type: integer, start: 1 } }
initial: a
states: { a: [{ after: 0.3 s, do: "y := y * 100000", to: a }] }`;
    const unit = machine(text);
    startUnit(unit);
    advanceTo(unit, 0, 0.3);
    expect(getNumber(unit, "y")).toBe(100000);
    expect(() => advanceTo(unit, 0.3, 1)).toThrow(
      "'y' would be 10000000000, which 32 bits do not hold",
    );
  });
});
