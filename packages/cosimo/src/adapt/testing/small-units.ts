/** Units with results that are easy to compute by hand. */
import { BaseUnit } from "../../unit/base-unit.ts";
import { functionUnit } from "../../unit/function-unit.ts";
import { linearUnit } from "../../unit/linear-unit.ts";
import { describeUnit, makePorts } from "../../unit/port-spec.ts";
import type { Stop } from "../../unit/predicate.ts";
import { stateMachineUnit } from "../../unit/state-machine-unit.ts";
import type { Unit } from "../../unit/unit.ts";

/** y = factor · u, at once. */
export function proportional(name: string, factor = 2, reactive = false): Unit {
  return functionUnit(
    {
      name,
      inputs: { u: { reactive } },
      outputs: { y: { feedThrough: ["u"] } },
      evaluate: (_t, u, _p, y) => {
        y[0] = factor * u[0];
      },
    },
    name,
  );
}

/** y' = u from 0. */
export function integrator(name: string, reactive = false): Unit {
  return linearUnit(
    { name, inputs: { u: { reactive } }, states: { y: {} }, a: [[0]], b: [[1]] },
    name,
  );
}

/** `on` rises with `go` and falls `after` seconds later. */
export function timer(name: string, after = 1): Unit {
  return stateMachineUnit(
    {
      name,
      inputs: { go: { type: "boolean" } },
      outputs: { on: { type: "boolean", feedThrough: [] } },
      initial: "off",
      states: {
        off: {
          entry: (machine) => machine.set("on", 0),
          transitions: [{ to: "on", on: "go", when: (machine) => machine.get("go") === 1 }],
        },
        on: {
          entry: (machine) => machine.set("on", 1),
          transitions: [{ to: "off", after }],
        },
      },
    },
    name,
  );
}

/** The unit, except that `advance` answers otherwise; what it answers is up to `answer`. */
export function answering(
  unit: Unit,
  answer: (from: number, to: number, go: (to: number) => Stop) => Stop,
): Unit {
  return new Proxy(unit, {
    get(target, key) {
      const member: unknown = Reflect.get(target, key, target);
      if (key === "advance")
        return (from: number, until: { kind: "time"; time: number }) =>
          answer(from, until.time, (time) => target.advance(from, { kind: "time", time }));
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** Takes no step longer than `longest`: goes that far, and says so. */
export function hesitant(unit: Unit, longest: number): Unit {
  return answering(unit, (from, to, go) => {
    if (to - from <= longest * (1 + 1e-9)) return go(to);
    const { time } = go(from + longest);
    return { reason: "discarded", port: -1, time };
  });
}

/** m = n, 64-bit integers. */
export function echo(): Unit {
  const plain = functionUnit({
    name: "f",
    inputs: { n: { variability: "discrete" } },
    outputs: { m: { feedThrough: ["n"], variability: "discrete" } },
    evaluate: (_t, u, _p, y) => {
      y[0] = u[0];
    },
  });
  const description = {
    ...plain.description,
    ports: plain.description.ports.map((port) => ({
      ...port,
      type: "int64" as const,
      start: [0n],
    })),
  };
  return new Proxy(plain, {
    get(target, key) {
      if (key === "description") return description;
      if (key === "read" || key === "write")
        return (access: Parameters<Unit["read"]>[0], banks: Parameters<Unit["read"]>[1]) => {
          const f64 = Float64Array.from(banks.i64, Number);
          target[key](access, { ...banks, f64 });
          if (key === "read") banks.i64.set(BigInt64Array.from(f64, BigInt));
        };
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** `said` is `say` in capitals, at once. */
class Crier extends BaseUnit {
  protected override evaluate(): void {
    const { obj } = this.store;
    obj[1] = String(obj[0]).toUpperCase();
  }
  protected override proceed(_from: number, bound: number): Stop {
    return this.stopAt("time", -1, bound);
  }
}

export function crier(name: string): Unit {
  const ports = makePorts(name, [
    { direction: "input", ports: { say: { type: "string", start: "nothing" } } },
    { direction: "output", ports: { said: { type: "string", feedThrough: ["say"] } } },
  ]);
  return new Crier(name, describeUnit({ name }, ports, {}));
}
