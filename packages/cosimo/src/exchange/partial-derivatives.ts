/**
 * Derivatives of an integrating unit at the present instant. With respect to states and inputs the
 * model's own where it has them, else central differences; of outputs over time always differences,
 * along the solution, forwards only: models need not go back before the last completed step.
 */
import { portSize } from "../model/unit-description.ts";
import { type Banks, makeBanks } from "../model/value-type.ts";
import { directionalDifference } from "../numerics/differences.ts";
import { CapabilityError } from "../unit/unit.ts";
import type { EventOde } from "./event-ode.ts";
import { type InputPolynomials, isFollowed } from "./input-polynomials.ts";
import type { Integration } from "./integration.ts";

/**
 * The part of an accurate step over which outputs are differentiated: their third derivatives do
 * not matter, rounding neither.
 */
const PART_OF_STEP = 1e-3;

export class PartialDerivatives {
  private readonly model: EventOde;
  private readonly integration: Integration;
  private readonly inputs: InputPolynomials;

  constructor(model: EventOde, integration: Integration, inputs: InputPolynomials) {
    this.model = model;
    this.integration = integration;
    this.inputs = inputs;
  }

  /** out = ∂unknowns/∂knowns · seed */
  directional(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    const { model } = this;
    if (model.description.capabilities.directionalDerivatives)
      model.directionalDerivative(unknowns, knowns, seed, out);
    else this.difference(unknowns, knowns, seed, out);
  }

  /**
   * One array holds states, inputs that move, and what is wanted: the kernel moves the former and
   * reads the latter.
   */
  private difference(
    unknowns: readonly number[],
    knowns: readonly number[],
    seed: Float64Array,
    out: Float64Array,
  ): void {
    const { model, integration } = this;
    const { ports } = model.description;
    const states = stateOffsets(model);
    const n = model.structure.states;
    const moved = knowns.filter((port) => !states.has(port));
    for (const port of moved)
      if (!isFollowed(ports[port]))
        throw new CapabilityError(model.name, `derivatives with respect to '${ports[port].name}'`);
    if (moved.length < knowns.length && model.phase !== "step")
      throw new CapabilityError(model.name, "derivatives with respect to states outside of steps");
    const inputAccess = accessOf(model, moved);
    const outputAccess = accessOf(model, unknowns);
    const z = new Float64Array(n + inputAccess.size + outputAccess.size);
    const inputsAt = n;
    const outputsAt = n + inputAccess.size;
    z.set(integration.x);
    model.read(inputAccess.access, inputAccess.banks);
    z.set(inputAccess.banks.f64, inputsAt);
    const evaluate = (): void => {
      if (model.phase === "step" && n > 0) model.setStates(z.subarray(0, n));
      inputAccess.banks.f64.set(z.subarray(inputsAt, outputsAt));
      if (moved.length > 0) model.write(inputAccess.access, inputAccess.banks);
      model.read(outputAccess.access, outputAccess.banks);
      z.set(outputAccess.banks.f64, outputsAt);
    };
    const places = knowns.flatMap((port) => {
      const first = states.get(port) ?? inputsAt + inputAccess.offsets.get(port)!;
      return Array.from({ length: portSize(ports[port]) }, (_, i) => first + i);
    });
    const wanted = Array.from({ length: outputAccess.size }, (_, i) => outputsAt + i);
    directionalDifference(z, wanted, places, seed, evaluate, out, new Float64Array(z.length));
    evaluate();
  }

  /** dy/dt of `ports`: (−3 y₀ + 4 y₁ − y₂) / 2δ with y_i = y(t + iδ, x + iδ x', u(t + iδ)). */
  alongTime(ports: readonly number[], out: Float64Array): void {
    const { model, integration, inputs } = this;
    const { access, banks, size } = accessOf(model, ports);
    const { time, x } = integration;
    const slope = integration.slopeNow().slice();
    const rounding = 1e3 * Number.EPSILON * Math.max(1, Math.abs(time));
    const delta = time + Math.max(PART_OF_STEP * integration.scale, rounding) - time;
    const moved = new Float64Array(x.length);
    const at = (i: number): Float64Array => {
      for (let k = 0; k < x.length; k++) moved[k] = x[k] + i * delta * slope[k];
      integration.place(time + i * delta, moved);
      model.read(access, banks);
      return banks.f64.slice(0, size);
    };
    const [y1, y2] = [at(1), at(2)];
    inputs.write(time);
    integration.place(time, x);
    model.read(access, banks);
    const states = stateOffsets(model);
    let k = 0;
    for (const port of ports) {
      const state = states.get(port);
      for (let e = 0; e < portSize(model.description.ports[port]); e++, k++)
        out[k] =
          state === undefined
            ? (-3 * banks.f64[k] + 4 * y1[k] - y2[k]) / (2 * delta)
            : slope[state + e];
    }
  }
}

/** Where the elements of each state port begin in the state vector. */
function stateOffsets({ structure, description }: EventOde): Map<number, number> {
  const offsets = new Map<number, number>();
  let at = 0;
  for (const port of structure.statePorts) {
    if (port >= 0) offsets.set(port, at);
    at += port >= 0 ? portSize(description.ports[port]) : 1;
  }
  return offsets;
}

function accessOf(
  model: EventOde,
  ports: readonly number[],
): {
  readonly access: ReturnType<EventOde["bind"]>;
  readonly banks: Banks;
  readonly size: number;
  readonly offsets: ReadonlyMap<number, number>;
} {
  const offsets = new Map<number, number>();
  let size = 0;
  for (const index of ports) {
    const port = model.description.ports[index];
    if (port?.type !== "float64")
      throw new RangeError(`'${model.name}': port ${port?.name ?? index} has no derivatives`);
    offsets.set(index, size);
    size += portSize(port);
  }
  const access = model.bind([...offsets].map(([port, slot]) => ({ port, slot })));
  return { access, banks: makeBanks({ f64: size }), size, offsets };
}
