/**
 * Two coupled masses whose solvers (forward Euler) take as many steps between communication points
 * as a tunable parameter says: the smallest thing about which a master can decide wrongly. Both
 * count their calls.
 */
import type { UnitDescription } from "../../model/unit-description.ts";
import { BaseUnit } from "../../unit/base-unit.ts";
import { describeUnit, makePorts } from "../../unit/port-spec.ts";
import type { Stop } from "../../unit/predicate.ts";
import type { Unit } from "../../unit/unit.ts";

export const STEPPED_WIRES = "left.x -> right.xc; left.v -> right.vc; right.F -> left.F";

export function steppedMasses(): { readonly left: Unit; readonly right: Unit } {
  return {
    left: new SteppedMass("left", ["F"], ["x", "v"], 1, (x, v, [F = 0]) => F - x - 0.1 * v),
    right: new SteppedMass("right", ["xc", "vc"], ["x", "v", "F"], 0, (x, v, [xc = 0, vc = 0]) => {
      return -x - (x - xc + 0.1 * (v - vc));
    }),
  };
}

type Acceleration = (x: number, v: number, inputs: Float64Array) => number;

/**
 * Store: substeps, label (a fixed parameter that cannot be set), inputs, x, v, F where there is
 * one, evaluations.
 */
class SteppedMass extends BaseUnit {
  private readonly acceleration: Acceleration;
  private readonly inputs: Float64Array;
  private readonly state: Float64Array;
  private readonly hasForce: boolean;

  constructor(
    name: string,
    inputs: readonly string[],
    outputs: readonly string[],
    start: number,
    acceleration: Acceleration,
  ) {
    super(name, describe(name, inputs, outputs, start));
    this.acceleration = acceleration;
    this.inputs = this.view(2, 1 + inputs.length);
    this.state = this.view(2 + inputs.length, this.description.ports.length - 1);
    this.hasForce = outputs.includes("F");
  }

  protected override evaluate(): void {
    const [x = 0, v = 0] = this.state;
    const [xc = 0, vc = 0] = this.inputs;
    if (this.hasForce) this.state[2] = x - xc + 0.1 * (v - vc);
  }

  protected override proceed(from: number, bound: number): Stop {
    const substeps = this.store.f64[0];
    const h = (bound - from) / substeps;
    for (let k = 0; k < substeps; k++) {
      const [x = 0, v = 0] = this.state;
      this.state[0] = x + h * v;
      this.state[1] = v + h * this.acceleration(x, v, this.inputs);
    }
    this.state[this.state.length - 1] += substeps;
    return this.stopAt("time", -1, bound);
  }
}

function describe(
  name: string,
  inputs: readonly string[],
  outputs: readonly string[],
  start: number,
): UnitDescription {
  const own = Object.fromEntries(
    outputs.map((output) => [
      output,
      output === "F" ? {} : { feedThrough: [], ...(output === "x" ? { start } : {}) },
    ]),
  );
  const ports = makePorts(name, [
    {
      direction: "parameter",
      ports: { substeps: { type: "int32", start: 1 }, label: { variability: "fixed" } },
    },
    { direction: "input", ports: Object.fromEntries(inputs.map((input) => [input, {}])) },
    { direction: "output", ports: { ...own, evaluations: { feedThrough: [] } } },
  ]);
  return describeUnit({ name }, ports, { rollback: true, serialize: true, variableStep: true });
}
