/**
 * A timed state machine as a unit: controllers, protocols, fault scripts.
 *
 * Transitions wait for a time in the state, for a change of an input, for a condition, or for a combination. All that is
 * due at one time happens there, one after the other (superdense time); the chain is bounded. Transitions that sample
 * inputs say so (`reads`), and a coordinator can run the machine `until ready-to-read` and hand it the value of that instant.
 */
import { UnitError } from "../base/outcome.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import { BaseUnit, type Condition } from "./base-unit.ts";
import {
  describeUnit,
  makePorts,
  numericOnly,
  type OutputSpecs,
  type PortSpecs,
} from "./port-spec.ts";
import type { Stop } from "./predicate.ts";
import type { Unit } from "./unit.ts";

/** What conditions and actions see. Booleans are 0 and 1. */
export interface MachineView {
  readonly time: number;
  get(port: string): number;
  /** Only outputs and locals can be set. */
  set(port: string, value: number): void;
}

export interface MachineTransition {
  readonly to: string;
  /** Seconds after the state was entered, or the name of a fixed parameter that holds them. Absent: at once. */
  readonly after?: number | string;
  /** Only when this input has another value than before. */
  readonly on?: string;
  /** Only when this holds. */
  readonly when?: (machine: MachineView) => boolean;
  /** Inputs that a transition with `after` samples when it is due. */
  readonly reads?: readonly string[];
  readonly do?: (machine: MachineView) => void;
}

export interface MachineState {
  readonly entry?: (machine: MachineView) => void;
  readonly transitions?: readonly MachineTransition[];
}

export interface StateMachineModel {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: PortSpecs;
  readonly inputs?: PortSpecs;
  readonly outputs?: OutputSpecs;
  readonly locals?: PortSpecs;
  readonly initial: string;
  readonly states: Readonly<Record<string, MachineState>>;
  /** Transitions allowed at one time; default: 1000. */
  readonly cascadeLimit?: number;
}

/**
 * A unit in phase `instantiated`. Ports: parameters, inputs, outputs, locals, and the local enumeration `state`.
 * A transition to its own state enters it again; repeated by `after`, it keeps a counted period.
 */
export function stateMachineUnit(model: StateMachineModel, name: string = model.name): Unit {
  return new StateMachineUnit(model, name);
}

interface Compiled {
  readonly to: number;
  /** Seconds, the place of the parameter in the store, or absent. */
  readonly after?: number;
  readonly afterSlot?: number;
  /** Place of the input among the inputs. */
  readonly on: number;
  readonly when: ((machine: MachineView) => boolean) | undefined;
  readonly reads: readonly number[];
  readonly do: ((machine: MachineView) => void) | undefined;
}

/** Hidden entries; after them what the machine last saw of each input, and when it announced reading it. */
const ENTERED = 0;
/** The running period: where it began, how often it was completed, its length (-1: none). */
const ORIGIN = 1;
const COUNT = 2;
const PERIOD = 3;
const FIXED_ENTRIES = 4;

class StateMachineUnit extends BaseUnit {
  private readonly model: StateMachineModel;
  private readonly names: readonly string[];
  private readonly transitions: readonly (readonly Compiled[])[];
  private readonly statePort: number;
  private readonly stateSlot: number;
  private readonly seen: Float64Array;
  private readonly announced: Float64Array;
  /** Ports that the transitions of the present instant gave a new value. */
  private readonly updated: Uint8Array;
  private readonly machine: MachineView;
  private fired = false;

  constructor(model: StateMachineModel, name: string) {
    const description = describe(model);
    const inputs = description.ports.filter(({ direction }) => direction === "input");
    super(name, description, { hidden: FIXED_ENTRIES + 2 * inputs.length });
    this.model = model;
    this.names = Object.keys(model.states);
    this.statePort = description.ports.length - 1;
    this.stateSlot = this.offsets[this.statePort];
    const [first, second] = [FIXED_ENTRIES, FIXED_ENTRIES + inputs.length];
    this.seen = this.hidden.subarray(first, second);
    this.announced = this.hidden.subarray(second);
    this.updated = new Uint8Array(description.ports.length);
    this.machine = this.makeView();
    this.transitions = this.names.map((state) =>
      (model.states[state].transitions ?? []).map((t) => this.compile(state, t, inputs)),
    );
    this.stateNumber(model.initial);
  }

  protected override begin(): void {
    const { hidden, store, model } = this;
    hidden[ENTERED] = this.time;
    hidden[PERIOD] = -1;
    this.announced.fill(Number.NaN);
    this.rememberInputs();
    store.f64[this.stateSlot] = this.stateNumber(model.initial) + 1;
    model.states[model.initial].entry?.(this.machine);
    this.settle();
  }

  /** Values only change by transitions, which write them where they belong. */
  protected override evaluate(): void {}

  protected override proceed(from: number, bound: number, conditions: readonly Condition[]): Stop {
    for (let t = from; ; t = this.nextDue(t)) {
      if (t > bound) return this.stopAt("time", -1, bound);
      this.time = t;
      const reading = this.announcement(t, conditions);
      if (reading >= 0) return this.stopAt("ready-to-read", reading, t);
      this.settle();
      for (let i = 0; i < conditions.length; i++) {
        const { kind, port } = conditions[i];
        if (kind === "ready-to-read" || !this.fired) continue;
        if (port >= 0 ? this.updated[port] === 1 : kind === "event") {
          return this.stopAt(kind, port, t);
        }
      }
      if (t === bound) return this.stopAt("time", -1, bound);
    }
  }

  /** The input that is about to be read at `t`, was requested and not announced yet, or -1. */
  private announcement(t: number, conditions: readonly Condition[]): number {
    for (let i = 0; i < conditions.length; i++) {
      const { kind, port } = conditions[i];
      if (kind !== "ready-to-read") continue;
      const input = this.inputSlots.indexOf(this.offsets[port]);
      if (input < 0 || this.announced[input] === t || !this.readsAt(t, input)) continue;
      this.announced[input] = t;
      return port;
    }
    return -1;
  }

  private readsAt(t: number, input: number): boolean {
    const open = this.transitions[this.state];
    for (let i = 0; i < open.length; i++) {
      if (open[i].reads.includes(input) && this.dueTime(open[i]) === t) return true;
    }
    return false;
  }

  private get state(): number {
    return this.store.f64[this.stateSlot] - 1;
  }

  /** Takes transitions until none is enabled at the present time. */
  private settle(): void {
    const limit = this.model.cascadeLimit ?? 1000;
    this.fired = false;
    this.updated.fill(0);
    for (let count = 0; ; count++) {
      const next = this.enabled();
      this.rememberInputs();
      if (next === undefined) return;
      if (count === limit) throw this.endless(limit);
      this.take(next);
    }
  }

  private enabled(): Compiled | undefined {
    const { time, seen, inputSlots, store } = this;
    const open = this.transitions[this.state];
    for (let i = 0; i < open.length; i++) {
      const t = open[i];
      const due = this.dueTime(t);
      if (due !== time && due !== Number.NEGATIVE_INFINITY) continue;
      if (t.on >= 0 && seen[t.on] === store.f64[inputSlots[t.on]]) continue;
      if (t.when === undefined || t.when(this.machine)) return t;
    }
    return undefined;
  }

  private take(transition: Compiled): void {
    const { hidden } = this;
    const after = this.delay(transition);
    if (transition.to === this.state && after > 0) {
      if (hidden[PERIOD] !== after) {
        hidden[ORIGIN] = hidden[ENTERED];
        hidden[COUNT] = 0;
        hidden[PERIOD] = after;
      }
      hidden[COUNT]++;
    } else {
      hidden[PERIOD] = -1;
    }
    hidden[ENTERED] = this.time;
    this.fired = true;
    transition.do?.(this.machine);
    if (transition.to !== this.state) this.updated[this.statePort] = 1;
    this.store.f64[this.stateSlot] = transition.to + 1;
    this.model.states[this.names[transition.to]].entry?.(this.machine);
  }

  /** Seconds to wait in the state; negative when the transition does not wait. */
  private delay({ after, afterSlot }: Compiled): number {
    return afterSlot === undefined ? (after ?? -1) : this.store.f64[afterSlot];
  }

  /** When a waiting transition is due; -Infinity for one that does not wait. Periods are counted, not summed up. */
  private dueTime(transition: Compiled): number {
    const { hidden } = this;
    const after = this.delay(transition);
    if (after < 0) return Number.NEGATIVE_INFINITY;
    if (after === hidden[PERIOD]) return hidden[ORIGIN] + (hidden[COUNT] + 1) * after;
    return hidden[ENTERED] + after;
  }

  private nextDue(t: number): number {
    const open = this.transitions[this.state];
    let next = Number.POSITIVE_INFINITY;
    for (let i = 0; i < open.length; i++) {
      const due = this.dueTime(open[i]);
      if (due > t && due < next) next = due;
    }
    return next;
  }

  private rememberInputs(): void {
    const { seen, inputSlots, store } = this;
    for (let i = 0; i < seen.length; i++) seen[i] = store.f64[inputSlots[i]];
  }

  private makeView(): MachineView {
    const { store, offsets, updated, timeSlot } = this;
    const ports = new Map(this.description.ports.map((port) => [port.name, port]));
    const named = (port: string): Port => {
      const found = ports.get(port);
      if (found === undefined) throw new Error(`'${this.name}' has no port '${port}'`);
      return found;
    };
    return {
      get time() {
        return store.f64[timeSlot];
      },
      get: (port) => store.f64[offsets[named(port).index]],
      set: (port, value) => {
        const { index, direction } = named(port);
        if (direction !== "output" && direction !== "local") {
          throw new Error(
            `'${this.name}': '${port}' is no output or local, so no action can set it`,
          );
        }
        const slot = offsets[index];
        if (store.f64[slot] !== value) updated[index] = 1;
        store.f64[slot] = value;
      },
    };
  }

  private compile(
    from: string,
    { to, after, on, when, reads = [], do: action }: MachineTransition,
    inputs: readonly Port[],
  ): Compiled {
    const where = `'${this.name}': transition ${from} → ${to}`;
    const inputNamed = (name: string): number => {
      const place = inputs.findIndex((port) => port.name === name);
      if (place < 0) throw new Error(`${where} names input '${name}', which is not there`);
      return place;
    };
    if (reads.length > 0 && after === undefined) {
      throw new Error(`${where} has 'reads' but no 'after', so it is unknown when it reads`);
    }
    const common = {
      to: this.stateNumber(to),
      on: on === undefined ? -1 : inputNamed(on),
      when,
      reads: reads.map(inputNamed),
      do: action,
    };
    if (typeof after === "string")
      return { ...common, afterSlot: this.fixedParameter(where, after) };
    if (after === undefined) return common;
    if (!(after >= 0)) throw new Error(`${where} waits for ${after} s; 'after' is 0 or more`);
    return { ...common, after };
  }

  private fixedParameter(where: string, name: string): number {
    const port = this.description.ports.find((candidate) => candidate.name === name);
    if (port?.direction !== "parameter" || port.variability !== "fixed") {
      throw new Error(
        `${where} waits for '${name}', which must be a parameter with variability 'fixed'`,
      );
    }
    return this.offsets[port.index];
  }

  private stateNumber(state: string): number {
    const number = this.names.indexOf(state);
    if (number >= 0) return number;
    throw new Error(
      `'${this.name}' has no state '${state}'; its states are ${this.names.join(", ")}`,
    );
  }

  /** Follows the chain a little further, to show what it repeats. */
  private endless(limit: number): UnitError {
    const chain = [this.names[this.state]];
    for (let i = 0; i < 4; i++) {
      const next = this.enabled();
      if (next === undefined) break;
      this.take(next);
      chain.push(this.names[this.state]);
    }
    return new UnitError({
      unit: this.name,
      call: "advance",
      status: `more than ${limit} transitions at one time`,
      time: this.time,
      log: [
        `it goes on with ${chain.join(" → ")}`,
        "let a transition wait, or make its condition false once it was taken",
      ],
    });
  }
}

function describe(model: StateMachineModel): UnitDescription {
  const { name, parameters = {}, inputs = {}, outputs = {}, locals = {} } = model;
  const states = Object.keys(model.states);
  const items = new Map(states.map((state, i) => [i + 1, state]));
  const start = states.indexOf(model.initial) + 1;
  const stepwise = (specs: OutputSpecs): OutputSpecs =>
    Object.fromEntries(
      Object.entries(specs).map(([key, spec]) => [
        key,
        { variability: "discrete", feedThrough: [], ...spec },
      ]),
    );
  const ports = makePorts(name, [
    { direction: "parameter", ports: parameters },
    { direction: "input", ports: inputs },
    { direction: "output", ports: stepwise(outputs) },
    { direction: "local", ports: stepwise(locals) },
    {
      direction: "local",
      ports: {
        state: { type: "enumeration", items, start, description: "where the machine is" },
      },
    },
  ]);
  const array = ports.find(({ shape }) => shape.length > 0);
  if (array !== undefined) throw new Error(`'${name}': port '${array.name}' must be a scalar`);
  return describeUnit(model, numericOnly(name, ports), {
    predicates: ["updated", "event", "ready-to-read"],
  });
}
