/**
 * The inner units of tests of generated adaptations, the same as plant.c: an integrator that has a
 * port of every kind, refuses long steps, and ends the simulation when it has counted enough.
 */
import { parseUnit } from "../../src/model/physical-unit-parse.ts";
import type { UnitDescription } from "../../src/model/unit-description.ts";
import { BaseUnit } from "../../src/unit/base-unit.ts";
import { describeUnit, makePorts } from "../../src/unit/port-spec.ts";
import type { Stop } from "../../src/unit/predicate.ts";

export type PlantKind = "led" | "held";

export function plantDescription(kind: PlantKind): UnitDescription {
  const isReactive = kind === "led";
  const reactive = isReactive;
  const at = (...inputs: string[]): string[] => (isReactive ? inputs : []);
  const ports = makePorts(kind, [
    {
      direction: "input",
      ports: {
        u: { unit: parseUnit("m")!, reactive },
        n: { type: "int32", reactive },
        on: { type: "boolean", reactive },
        label: { type: "string", reactive },
        big: { type: "int64", reactive },
      },
    },
    {
      direction: "output",
      ports: {
        x: { unit: parseUnit("cm")!, feedThrough: [] },
        y: { feedThrough: at("u") },
        count: { type: "int32", feedThrough: [] },
        echo: { type: "string", feedThrough: at("label") },
        bigger: { type: "int64", feedThrough: at("big") },
      },
    },
  ]);
  return describeUnit({ name: kind }, ports, {
    refusesSteps: true,
    inputDerivativeOrder: isReactive ? 1 : 0,
  });
}

export class Plant extends BaseUnit {
  private readonly isReactive: boolean;

  constructor(name: string, kind: PlantKind) {
    super(name, plantDescription(kind));
    this.isReactive = kind === "led";
  }

  protected override evaluate(): void {
    if (this.isReactive) this.show();
  }

  private show(): void {
    const { f64, i64, obj } = this.store;
    const [u, x, y] = ["u", "x", "y"].map((name) => this.place(name)) as [number, number, number];
    f64[y] = this.isReactive ? f64[x]! + f64[u]! : f64[x]!;
    i64[this.place("bigger")] = 2n * i64[this.place("big")]! + 1n;
    obj[this.place("echo")] = obj[this.place("label")]!;
  }

  protected override proceed(from: number, bound: number): Stop {
    const { f64 } = this.store;
    const [u, n, on, x, count] = ["u", "n", "on", "x", "count"].map((name) => this.place(name)) as [
      number,
      number,
      number,
      number,
      number,
    ];
    const reach = bound - from > 0.75 ? from + 0.75 : bound;
    const dt = reach - from;
    const slope = this.slopes[0]!;
    f64[x]! += dt * (f64[u]! + f64[n]!) + ((dt * dt) / 2) * slope;
    f64[u]! += slope * dt;
    if (f64[on] !== 0) f64[count]! += 1;
    if (!this.isReactive) this.show();
    if (f64[count]! >= 12) return this.stopAt("terminated", -1, reach);
    return this.stopAt(reach < bound ? "discarded" : "time", -1, reach);
  }

  private place(name: string): number {
    return this.offsets[this.description.ports.find((port) => port.name === name)!.index]!;
  }
}
