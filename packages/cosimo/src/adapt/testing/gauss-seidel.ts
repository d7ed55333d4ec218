/**
 * The Gauss-Seidel master of the theory, as short as it can be: units in the order of their
 * dependencies, a reactive input is interpolated from the value at the beginning of the step to the
 * one at its end, a delayed one keeps that of the beginning. It knows nothing of adaptations, so it
 * can judge them.
 */

import { innerOrder } from "../../model/adaptation/inner-order.ts";
import { getNumber, indexOf, portOf, setValues } from "../../unit/testing/drive.ts";
import type { Unit } from "../../unit/unit.ts";

export interface Wire {
  readonly from: readonly [unit: string, port: string];
  readonly to: readonly [unit: string, port: string];
}

export class GaussSeidel {
  time: number;
  private readonly units: ReadonlyMap<string, Unit>;
  private readonly wires: readonly Wire[];
  private readonly order: readonly string[];
  /** Outputs that wires begin at, by `unit.port`. */
  private readonly outputs = new Map<string, number>();

  constructor(units: ReadonlyMap<string, Unit>, wires: readonly Wire[], start = 0) {
    this.units = units;
    this.wires = wires;
    this.time = start;
    const names = [...units.keys()];
    const at = ([unit, port]: readonly [string, string]) => ({
      unit: names.indexOf(unit),
      port: indexOf(units.get(unit)!, port),
    });
    const order = innerOrder(
      names.map((name) => units.get(name)!.description),
      wires.map(({ from, to }) => ({ from: at(from), to: at(to) })),
      "step",
    );
    if (order === undefined) throw new Error("the units form an algebraic loop");
    this.order = order.map((u) => names[u]);
    for (const unit of units.values()) unit.enterInitialization({ start });
    this.resolve();
    for (const unit of units.values()) unit.exitInitialization();
    this.resolve();
  }

  /** All signals of this instant. */
  private resolve(): void {
    for (const name of this.order) this.read(name);
    for (const name of this.order) {
      setValues(this.units.get(name)!, this.inputsOf(name));
      this.read(name);
    }
    for (const name of this.order) setValues(this.units.get(name)!, this.inputsOf(name));
  }

  step(size: number): void {
    const before = new Map(this.order.map((name) => [name, this.inputsOf(name)]));
    const to = this.time + size;
    for (const name of this.order) {
      const unit = this.units.get(name)!;
      const now = this.inputsOf(name);
      const past = before.get(name)!;
      setValues(unit, past);
      const reactive = Object.keys(now).filter((port) => portOf(unit, port).reactive === true);
      if (reactive.length > 0 && unit.description.capabilities.inputDerivativeOrder > 0) {
        unit.setInputDerivatives(
          reactive.map((port) => indexOf(unit, port)),
          reactive.map(() => 1),
          Float64Array.from(reactive, (port) => (now[port] - past[port]) / size),
        );
      }
      const stop = unit.advance(this.time, { kind: "time", time: to });
      if (stop.reason !== "time") throw new Error(`'${name}' stopped: ${stop.reason}`);
      setValues(unit, now);
      this.read(name);
    }
    this.time = to;
    this.resolve();
  }

  private inputsOf(name: string): Record<string, number> {
    return Object.fromEntries(
      this.wires
        .filter(({ to }) => to[0] === name)
        .map(({ from, to }) => [to[1], this.outputs.get(from.join("."))!]),
    );
  }

  private read(name: string): void {
    for (const { from } of this.wires)
      if (from[0] === name)
        this.outputs.set(from.join("."), getNumber(this.units.get(name)!, from[1]));
  }
}
