/**
 * m x″ = F - x - 0.1 x′ (m = 1) by forward Euler on a grid of its own: a step of the grid is taken as soon as communication passes its
 * beginning, with the force of that moment, and until its end nothing moves. The fixture GriddedMass is the same as an FMU.
 */
import { BaseUnit } from "../../unit/base-unit.ts";
import { describeUnit, makePorts } from "../../unit/port-spec.ts";
import type { Stop } from "../../unit/predicate.ts";
import type { Unit } from "../../unit/unit.ts";

/** @param declares it says how long its steps are. */
export function griddedMass(name: string, ownStep: number, declares = false): Unit {
  return new GriddedMass(name, ownStep, declares);
}

/** Store: F, x, v, the beginning of the next step of the grid. */
class GriddedMass extends BaseUnit {
  private readonly ownStep: number;

  constructor(name: string, ownStep: number, declares: boolean) {
    const ports = makePorts(name, [
      { direction: "input", ports: { F: {} } },
      {
        direction: "output",
        ports: {
          x: { start: 1, feedThrough: [] },
          v: { feedThrough: [] },
          next: { variability: "discrete", feedThrough: [] },
        },
      },
    ]);
    const { capabilities, ...rest } = describeUnit({ name }, ports, {
      rollback: true,
      serialize: true,
      variableStep: true,
      inputDerivativeOrder: 0,
    });
    const declared = declares ? { internalStep: ownStep } : {};
    super(name, { ...rest, capabilities: { ...capabilities, ...declared } });
    this.ownStep = ownStep;
  }

  protected override evaluate(): void {}

  protected override proceed(_: number, bound: number): Stop {
    const { f64 } = this.store;
    const h = this.ownStep;
    while (f64[3] < bound - 1e-9 * h) {
      const [F = 0, x = 0, v = 0] = f64;
      f64[1] = x + h * v;
      f64[2] = v + h * (F - x - 0.1 * v);
      f64[3] += h;
    }
    return this.stopAt("time", -1, bound);
  }
}
