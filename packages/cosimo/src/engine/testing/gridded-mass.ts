/**
 * m x″ = F - x - 0.1 x′ (m = 1) by forward Euler on a grid of its own: a step of the grid is taken
 * as soon as communication passes its beginning, with the force of that moment, and until its end
 * nothing moves. The fixture GriddedMass is the same as an FMU. Where it interpolates, x and v go
 * straight from one point of the grid to the next, as many tools give them.
 */
import { BaseUnit } from "../../unit/base-unit.ts";
import { describeUnit, makePorts } from "../../unit/port-spec.ts";
import type { Stop } from "../../unit/predicate.ts";
import type { Unit } from "../../unit/unit.ts";

/** `declares`: it says how long its steps are. `interpolates`: between the points of its grid. */
export interface GriddedMassOptions {
  readonly declares?: boolean;
  readonly interpolates?: boolean;
}

export function griddedMass(name: string, ownStep: number, options: GriddedMassOptions = {}): Unit {
  return new GriddedMass(name, ownStep, options);
}

/**
 * Store: F, x, v, the beginning of the next step of the grid, x and v there and at the point
 * before.
 */
class GriddedMass extends BaseUnit {
  private readonly ownStep: number;
  private readonly interpolates: boolean;

  constructor(
    name: string,
    ownStep: number,
    { declares = false, interpolates = false }: GriddedMassOptions,
  ) {
    const ports = makePorts(name, [
      { direction: "input", ports: { F: {} } },
      {
        direction: "output",
        ports: {
          x: { start: 1, feedThrough: [] },
          v: { feedThrough: [] },
          next: { variability: "discrete", feedThrough: [] },
          xGrid: { variability: "discrete", start: 1, feedThrough: [] },
          vGrid: { variability: "discrete", feedThrough: [] },
          xBefore: { variability: "discrete", start: 1, feedThrough: [] },
          vBefore: { variability: "discrete", feedThrough: [] },
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
    this.interpolates = interpolates;
  }

  protected override evaluate(): void {}

  protected override proceed(_: number, bound: number): Stop {
    const { f64 } = this.store;
    const h = this.ownStep;
    while (f64[3] < bound - 1e-9 * h) {
      const [F, , , , x, v] = f64;
      f64.set([x + h * v, v + h * (F - x - 0.1 * v), x, v], 4);
      f64[3] += h;
    }
    const [, , , next, xGrid, vGrid, xBefore, vBefore] = f64;
    const part = this.interpolates ? (next - bound) / h : 0;
    f64[1] = xGrid - part * (xGrid - xBefore);
    f64[2] = vGrid - part * (vGrid - vBefore);
    return this.stopAt("time", -1, bound);
  }
}
