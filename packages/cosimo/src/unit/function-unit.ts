/**
 * A unit without memory: outputs are a function of time and inputs. Signal generators, converters,
 * algebraic models.
 */
import type { UnitDescription } from "../model/unit-description.ts";
import { BaseUnit } from "./base-unit.ts";
import { denseProduct, placesIn } from "./dense-jacobian.ts";
import {
  describeUnit,
  makePorts,
  numericOnly,
  type OutputSpecs,
  type PortSpecs,
  SMOOTH,
} from "./port-spec.ts";
import type { Stop } from "./predicate.ts";
import type { Unit } from "./unit.ts";

export interface FunctionModel {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: PortSpecs;
  readonly inputs?: PortSpecs;
  readonly outputs: OutputSpecs;
  /** Writes the outputs. Elements are in the order of writing; booleans are 0 and 1. */
  readonly evaluate: (t: number, u: Float64Array, p: Float64Array, y: Float64Array) => void;
  /** Writes ∂y/∂u, row-major outputs × inputs. Without it derivatives are central differences. */
  readonly jacobian?: (t: number, u: Float64Array, p: Float64Array, dydu: Float64Array) => void;
}

/** A unit in phase `instantiated`. Ports: parameters, inputs, outputs, in the order of writing. */
export function functionUnit(model: FunctionModel, name: string = model.name): Unit {
  return new FunctionUnit(model, name);
}

class FunctionUnit extends BaseUnit {
  private readonly model: FunctionModel;
  private readonly p: Float64Array;
  private readonly u: Float64Array;
  private readonly y: Float64Array;
  private readonly dydu: Float64Array;

  constructor(model: FunctionModel, name: string) {
    super(name, describe(model));
    this.model = model;
    const np = Object.keys(model.parameters ?? {}).length;
    const nu = Object.keys(model.inputs ?? {}).length;
    this.p = this.view(0, np - 1);
    this.u = this.view(np, np + nu - 1);
    this.y = this.view(np + nu, this.description.ports.length - 1);
    this.dydu = new Float64Array(this.y.length * this.u.length);
  }

  protected override evaluate(): void {
    this.model.evaluate(this.time, this.u, this.p, this.y);
  }

  protected override proceed(from: number, bound: number): Stop {
    const { u, slopes } = this;
    for (let i = 0; i < u.length; i++) u[i] += slopes[i] * (bound - from);
    return this.stopAt("time", -1, bound);
  }

  protected override jacobianProduct(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): boolean {
    const { model, u, p, y, dydu } = this;
    const rows = placesIn(unknowns, p.length + u.length, y.length);
    const columns = placesIn(knowns, p.length, u.length);
    if (model.jacobian === undefined || rows === undefined || columns === undefined) return false;
    model.jacobian(this.time, u, p, dydu);
    denseProduct(dydu, u.length, rows, columns, seed, out);
    return true;
  }
}

function describe(model: FunctionModel): UnitDescription {
  const ports = makePorts(model.name, [
    { direction: "parameter", ports: model.parameters ?? {} },
    { direction: "input", ports: model.inputs ?? {} },
    { direction: "output", ports: model.outputs },
  ]);
  return describeUnit(model, numericOnly(model.name, ports), SMOOTH);
}
