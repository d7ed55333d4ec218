/**
 * Models of differential equations with events in TypeScript, for tests: what an FMU of Model
 * Exchange would be, a few lines each.
 */

import type { OdeStructure } from "../../model/ode-structure.ts";
import { BaseUnit } from "../../unit/base-unit.ts";
import {
  describeUnit,
  type OutputSpecs,
  type PortSpecs,
  type StateSpecs,
  stateSpacePorts,
} from "../../unit/port-spec.ts";
import type { Stop } from "../../unit/predicate.ts";
import type { DiscreteUpdate, Phase } from "../../unit/unit.ts";
import type { EventOde, StepVerdict } from "../event-ode.ts";

/**
 * Everything at one instant; what a model writes into `dx`, `y` and `z`, and changes in `x` and `d`
 * at events.
 */
export interface Instant {
  t: number;
  readonly x: Float64Array;
  readonly u: Float64Array;
  readonly p: Float64Array;
  readonly y: Float64Array;
  readonly dx: Float64Array;
  readonly z: Float64Array;
  /** Discrete state. */
  readonly d: Float64Array;
}

export interface PlainModel {
  readonly name: string;
  readonly parameters?: PortSpecs;
  readonly inputs?: PortSpecs;
  readonly states: StateSpecs;
  readonly outputs?: OutputSpecs;
  readonly indicators?: number;
  readonly discrete?: readonly number[];
  readonly nominals?: readonly number[];
  readonly pattern?: OdeStructure["pattern"];
  readonly cannotSave?: boolean;
  /** Derivatives, outputs and indicators. */
  readonly evaluate: (i: Instant) => void;
  /** One discrete update. */
  readonly update?: (i: Instant) => Partial<DiscreteUpdate>;
  /** Called at the end of each integrator step, where it is given. */
  readonly complete?: (i: Instant) => StepVerdict;
}

/** `calls` counts what was called, by name. */
export interface PlainOde extends EventOde {
  readonly calls: Map<string, number>;
}

export function plainOde(model: PlainModel): PlainOde {
  return new Plain(model) as unknown as PlainOde;
}

class Plain extends BaseUnit {
  readonly structure: OdeStructure;
  readonly calls = new Map<string, number>();
  private readonly model: PlainModel;
  private readonly now: Instant;
  private mode: "event" | "step" = "event";

  constructor(model: PlainModel) {
    const ports = stateSpacePorts(model);
    const count = (specs: object | undefined): number => Object.keys(specs ?? {}).length;
    const [np, nu, nx, ny] = [
      count(model.parameters),
      count(model.inputs),
      count(model.states),
      count(model.outputs),
    ] as const;
    const discrete = model.discrete ?? [];
    const description = describeUnit(model, ports, {
      rollback: model.cannotSave !== true,
      serialize: model.cannotSave !== true,
      directionalDerivatives: false,
    });
    const states = new Set(Array.from({ length: nx }, (_, i) => np + nu + i));
    super(model.name, description, { hidden: discrete.length + 1, states });
    this.model = model;
    const indicators = model.indicators ?? 0;
    this.now = {
      t: 0,
      p: this.view(0, np - 1),
      u: this.view(np, np + nu - 1),
      x: this.view(np + nu, np + nu + nx - 1),
      y: this.view(np + nu + nx, np + nu + nx + ny - 1),
      dx: this.view(np + nu + nx + ny, np + nu + 2 * nx + ny - 1),
      z: new Float64Array(indicators),
      d: this.hidden.subarray(0, discrete.length),
    };
    this.hidden.set(discrete);
    this.structure = {
      states: nx,
      indicators,
      statePorts: [...states],
      derivativePorts: Array.from({ length: nx }, (_, i) => np + nu + nx + ny + i),
      pattern: model.pattern ?? Array.from({ length: nx }, () => undefined),
      needsCompletedSteps: model.complete !== undefined,
      isContinuous: indicators === 0 && discrete.length === 0,
    };
  }

  override get phase(): Phase {
    const { phase } = { phase: super.phase };
    return phase === "step" ? this.mode : phase;
  }

  protected override evaluate(): void {
    this.now.t = this.time;
    this.model.evaluate(this.now);
  }
  protected override proceed(): Stop {
    throw new Error("an ODE has no solver");
  }
  protected override begin(): void {
    this.mode = "event";
    this.hidden[this.hidden.length - 1] = 0;
  }
  override reset(): void {
    super.reset();
    this.hidden.set(this.model.discrete ?? []);
    this.mode = "event";
  }
  override restore(snapshot: Parameters<BaseUnit["restore"]>[0]): void {
    super.restore(snapshot);
    this.mode = this.hidden[this.hidden.length - 1] === 1 ? "step" : "event";
  }
  /** Values follow from what was set, when they are read. */
  override read(...[access, banks]: Parameters<BaseUnit["read"]>): void {
    if (this.phase !== "instantiated" && this.phase !== "disposed") this.evaluate();
    super.read(access, banks);
  }
  override enterEventMode(): void {
    this.count("enterEventMode");
    this.switchTo("event");
  }
  override updateDiscreteStates(): DiscreteUpdate {
    this.count("updateDiscreteStates");
    this.evaluate();
    const update = this.model.update?.(this.now) ?? {};
    return {
      again: false,
      terminate: false,
      nominalsChanged: false,
      statesChanged: false,
      nextEventTime: undefined,
      ...update,
    };
  }
  override enterStepMode(): void {
    this.switchTo("step");
  }
  setTime(time: number): void {
    this.time = time;
  }
  setStates(states: Float64Array): void {
    this.count("setStates");
    this.now.x.set(states);
  }
  getStates(states: Float64Array): void {
    states.set(this.now.x);
  }
  getDerivatives(derivatives: Float64Array): void {
    this.count("getDerivatives");
    this.evaluate();
    derivatives.set(this.now.dx);
  }
  getIndicators(indicators: Float64Array): void {
    this.evaluate();
    indicators.set(this.now.z);
  }
  getNominals(nominals: Float64Array): void {
    nominals.set(this.model.nominals ?? nominals.map(() => 1));
  }
  completeStep(): StepVerdict {
    this.count("completeStep");
    this.evaluate();
    return this.model.complete?.(this.now) ?? "go-on";
  }

  private switchTo(mode: "event" | "step"): void {
    this.mode = mode;
    this.hidden[this.hidden.length - 1] = mode === "step" ? 1 : 0;
  }

  private count(call: string): void {
    this.calls.set(call, (this.calls.get(call) ?? 0) + 1);
  }
}
