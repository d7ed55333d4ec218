/**
 * A timed state machine as a unit: controllers, protocols, fault scripts.
 *
 * Transitions wait for a time in the state, for a change of an input, for a condition, or for a
 * combination. All that is due at one time happens there, one after the other (superdense time);
 * the chain is bounded. Transitions that sample inputs say so (`reads`), and a coordinator can run
 * the machine `until ready-to-read` and hand it the value of that instant. States may contain
 * states (Harel 1987): inner transitions come before outer ones, and a transition leaves and enters
 * all states between its source and its target.
 */
import { areSameInstant, countedInstant } from "../base/instants.ts";
import { UnitError } from "../base/outcome.ts";
import { StateTree } from "../model/state-tree.ts";
import type { Port } from "../model/unit-description.ts";
import { BaseUnit, type Condition } from "./base-unit.ts";
import type { Stop } from "./predicate.ts";
import {
  describeMachine,
  type MachineState,
  type MachineTransition,
  type MachineView,
  type StateMachineModel,
  statesIn,
} from "./state-machine-model.ts";
import type { Unit } from "./unit.ts";

/**
 * A unit in phase `instantiated`. Ports: parameters, inputs, outputs, events, locals, and the local
 * enumeration `state`, whose items are the innermost states by their paths. A transition to its own
 * state enters it again; repeated by `after`, it keeps a counted period.
 */
export function stateMachineUnit(model: StateMachineModel, name: string = model.name): Unit {
  return new StateMachineUnit(model, name);
}

interface Compiled {
  /** The state that has the transition, and the one it leads to, among all states. */
  readonly from: number;
  readonly to: number;
  /** The innermost state around both, which is neither left nor entered; -1: the machine. */
  readonly within: number;
  /** The states that it enters, in this order. */
  readonly entered: readonly number[];
  /** Seconds, the place of the parameter in the store, or absent. */
  readonly after?: number;
  readonly afterSlot?: number;
  /** Place of the input among the inputs. */
  readonly on: number;
  readonly when: ((machine: MachineView) => boolean) | undefined;
  readonly reads: readonly number[];
  readonly do: ((machine: MachineView) => void) | undefined;
}

/**
 * Hidden entries of each state; after them what the machine last saw of each input, and when it
 * announced reading it.
 */
const ENTERED = 0;
/** The running period: where it began, how often it was completed, its length (-1: none). */
const ORIGIN = 1;
const COUNT = 2;
const PERIOD = 3;
const STATE_ENTRIES = 4;
/**
 * After these: transitions at one time so far, and that time. A cascade may be interrupted by stops
 * at its events.
 */
const CASCADE_ENTRIES = 2;

class StateMachineUnit extends BaseUnit {
  private readonly model: StateMachineModel;
  private readonly tree: StateTree<MachineState>;
  /** For each innermost state its own transitions, then those of the states around it. */
  private readonly transitions: readonly (readonly Compiled[])[];
  private readonly statePort: number;
  private readonly stateSlot: number;
  private readonly eventSlots: Int32Array;
  private readonly seen: Float64Array;
  private readonly announced: Float64Array;
  private readonly cascade: Float64Array;
  /** How often an event was emitted that was there already: it follows at the next indices. */
  private readonly again: Float64Array;
  /** How often each event was emitted. */
  private readonly emitted: Float64Array;
  /** Inputs that carry events, by place among the inputs. */
  private readonly isTransient: readonly boolean[];
  /** Ports that the transitions of the present instant gave a new value. */
  private readonly updated: Uint8Array;
  private readonly machine: MachineView;
  /** What is entered in the beginning. */
  private readonly first: readonly number[];
  private fired = false;

  constructor(model: StateMachineModel, name: string) {
    const tree = new StateTree(name, statesIn(model.states));
    const description = describeMachine(model, tree);
    const inputs = description.ports.filter(({ direction }) => direction === "input");
    const first = STATE_ENTRIES * tree.nodes.length;
    const again = first + 2 * inputs.length + CASCADE_ENTRIES;
    const events = model.events?.length ?? 0;
    super(name, description, { hidden: again + 2 * events });
    this.model = model;
    this.tree = tree;
    this.statePort = description.ports.length - 1;
    this.stateSlot = this.offsets[this.statePort];
    this.eventSlots = Int32Array.from(
      (model.events ?? []).map((event) => this.offsets[this.portNamed(event).index]),
    );
    this.seen = this.hidden.subarray(first, first + inputs.length);
    this.announced = this.hidden.subarray(first + inputs.length, first + 2 * inputs.length);
    this.cascade = this.hidden.subarray(first + 2 * inputs.length, again);
    this.again = this.hidden.subarray(again, again + events);
    this.emitted = this.hidden.subarray(again + events);
    this.isTransient = inputs.map(({ nature }) => nature === "transient");
    this.updated = new Uint8Array(description.ports.length);
    this.machine = this.makeView();
    const own = tree.nodes.map(({ state }, n) =>
      (state.transitions ?? []).map((t) => this.compile(n, t, inputs)),
    );
    this.transitions = tree.leaves.map((n) => tree.around(n).flatMap((outer) => own[outer]));
    this.first = tree.entered(-1, tree.find(-1, model.initial));
  }

  protected override begin(): void {
    this.checkDelays();
    this.announced.fill(Number.NaN);
    this.rememberInputs();
    this.enter(this.first);
    this.settle([]);
  }

  nextAction(): number {
    return this.nextDue(this.time);
  }

  eventsSent(port: number): number | undefined {
    return this.emitted[this.eventSlots.indexOf(this.offsets[port])];
  }

  private checkDelays(): void {
    for (const { from, to, afterSlot } of this.transitions.flat()) {
      if (afterSlot === undefined || this.store.f64[afterSlot] >= 0) continue;
      const port = this.description.ports.find(({ index }) => this.offsets[index] === afterSlot);
      const { nodes } = this.tree;
      throw new UnitError({
        unit: this.name,
        call: "exitInitialization",
        status: `the transition ${nodes[from].path} → ${nodes[to].path} waits for '${port?.name}', which is ${this.store.f64[afterSlot]} s`,
        time: this.time,
        log: [`give '${port?.name}' a value of 0 or more`],
      });
    }
  }

  /** Values only change by transitions, which write them where they belong. */
  protected override evaluate(): void {}

  protected override proceed(from: number, bound: number, conditions: readonly Condition[]): Stop {
    for (let t = from; ; t = this.nextDue(t)) {
      // What is due at the end of the step is due in it, though rounding may put the end before it.
      if (t > bound && !areSameInstant(t, bound)) return this.stopAt("time", -1, bound);
      const end = Math.min(t, bound);
      this.time = t;
      const repeated = t === from ? this.repeat(conditions) : -1;
      if (repeated >= 0) return this.stopAt("event", repeated, end);
      const reading = this.announcement(t, conditions);
      if (reading >= 0) return this.stopAt("ready-to-read", reading, end);
      // An event that a sampling master did not ask for is seen at the end of the step in which it
      // occurred.
      if (t === from || conditions.length > 0) this.clearEvents();
      this.settle(conditions);
      for (let i = 0; i < conditions.length; i++) {
        const { kind, port } = conditions[i];
        if (kind === "ready-to-read" || !this.fired) continue;
        if (port >= 0 ? this.updated[port] === 1 : kind === "event") {
          return this.stopAt(kind, port, end);
        }
      }
      if (end === bound) return this.stopAt("time", -1, bound);
    }
  }

  /** Events that were emitted more than once. @returns one that is waited for, or -1. */
  private repeat(conditions: readonly Condition[]): number {
    const again = this.again;
    let waited = -1;
    for (let k = 0; k < again.length; k++) {
      if (again[k] === 0) continue;
      const { index } = this.portNamed(this.model.events?.[k] ?? "");
      const isWaitedFor = conditions.some(({ kind, port }) => kind === "event" && port === index);
      if (!isWaitedFor) again[k] = 0;
      else if (waited < 0) {
        this.clearEvents();
        again[k]--;
        this.store.f64[this.eventSlots[k]] = 1;
        waited = index;
      }
    }
    return waited;
  }

  /** The input that is about to be read at `t`, was asked for and not announced yet, or -1. */
  private announcement(t: number, conditions: readonly Condition[]): number {
    for (let i = 0; i < conditions.length; i++) {
      const { kind, port } = conditions[i];
      if (kind !== "ready-to-read") continue;
      const input = this.inputSlots.indexOf(this.offsets[port]);
      if (input < 0 || areSameInstant(this.announced[input], t) || !this.readsAt(t, input))
        continue;
      this.announced[input] = t;
      return port;
    }
    return -1;
  }

  private readsAt(t: number, input: number): boolean {
    const open = this.transitions[this.state];
    for (let i = 0; i < open.length; i++) {
      if (open[i].reads.includes(input) && areSameInstant(this.dueTime(open[i]), t)) return true;
    }
    return false;
  }

  /** Number of the innermost state that is active. */
  private get state(): number {
    return this.store.f64[this.stateSlot] - 1;
  }

  private clearEvents(): void {
    for (let i = 0; i < this.eventSlots.length; i++) this.store.f64[this.eventSlots[i]] = 0;
  }

  /**
   * Takes transitions until none is enabled at the present time, or until one emits an event that
   * is waited for: each transition is an index of superdense time, so that an event which is
   * emitted twice at one time is seen twice.
   */
  private settle(conditions: readonly Condition[]): void {
    const limit = this.model.cascadeLimit ?? 1000;
    const cascade = this.cascade;
    this.fired = false;
    this.updated.fill(0);
    if (cascade[1] !== this.time) cascade[0] = 0;
    cascade[1] = this.time;
    for (;;) {
      const next = this.enabled();
      this.rememberInputs();
      if (next === undefined) return;
      // What waits for an input comes to an end by itself: who goes round is known to those who
      // connect (CO16).
      if (next.on < 0 && cascade[0]++ === limit) throw this.endless(limit);
      this.take(next);
      for (let i = 0; i < conditions.length; i++) {
        const { kind, port } = conditions[i];
        if (kind === "event" && port >= 0 && this.updated[port] === 1) return;
      }
    }
  }

  private enabled(): Compiled | undefined {
    const { time } = this;
    const open = this.transitions[this.state];
    for (let i = 0; i < open.length; i++) {
      const t = open[i];
      const due = this.dueTime(t);
      if (due !== Number.NEGATIVE_INFINITY && !areSameInstant(due, time)) continue;
      if (t.on >= 0 && !this.hasChanged(t.on)) continue;
      if (t.when === undefined || t.when(this.machine)) return t;
    }
    return undefined;
  }

  private hasChanged(input: number): boolean {
    const value = this.store.f64[this.inputSlots[input]];
    return this.isTransient[input] ? value !== 0 : value !== this.seen[input];
  }

  private take(transition: Compiled): void {
    const { from, to, within } = transition;
    const after = this.delay(transition);
    const period = STATE_ENTRIES * from + PERIOD;
    const count = STATE_ENTRIES * from + COUNT;
    const origin = STATE_ENTRIES * from + ORIGIN;
    const { hidden } = this;
    const isPeriodic = to === from && after > 0;
    if (isPeriodic && hidden[period] !== after) {
      hidden[origin] = hidden[STATE_ENTRIES * from + ENTERED];
      hidden[count] = 0;
    }
    const began = hidden[origin];
    const done = hidden[count] + 1;
    this.fired = true;
    const { nodes, leaves } = this.tree;
    const left = this.state;
    for (let n = leaves[left]; n !== within; n = nodes[n].parent)
      nodes[n].state.exit?.(this.machine);
    transition.do?.(this.machine);
    this.enter(transition.entered);
    if (isPeriodic) {
      hidden[origin] = began;
      hidden[count] = done;
      hidden[period] = after;
    }
    if (this.state !== left) this.updated[this.statePort] = 1;
  }

  private enter(states: readonly number[]): void {
    const { nodes } = this.tree;
    this.store.f64[this.stateSlot] = nodes[states[states.length - 1]].leaf + 1;
    for (let i = 0; i < states.length; i++) {
      const n = states[i];
      this.hidden[STATE_ENTRIES * n + ENTERED] = this.time;
      this.hidden[STATE_ENTRIES * n + PERIOD] = -1;
      nodes[n].state.entry?.(this.machine);
    }
  }

  /** Seconds to wait in the state; negative when the transition does not wait. */
  private delay({ after, afterSlot }: Compiled): number {
    return afterSlot === undefined ? (after ?? -1) : this.store.f64[afterSlot];
  }

  /**
   * When a waiting transition is due; -Infinity for one that does not wait. Periods are counted,
   * not summed up, and whole nanoseconds are exact.
   */
  private dueTime(transition: Compiled): number {
    const { hidden } = this;
    const at = STATE_ENTRIES * transition.from;
    const after = this.delay(transition);
    if (after < 0) return Number.NEGATIVE_INFINITY;
    if (after === hidden[at + PERIOD])
      return countedInstant(hidden[at + ORIGIN], after, hidden[at + COUNT] + 1);
    return countedInstant(hidden[at + ENTERED], after, 1);
  }

  private nextDue(t: number): number {
    const open = this.transitions[this.state];
    let next = Number.POSITIVE_INFINITY;
    for (let i = 0; i < open.length; i++) {
      const due = this.dueTime(open[i]);
      if (due > t && due < next && !areSameInstant(due, t)) next = due;
    }
    return next;
  }

  /** Changes were seen, events are consumed. */
  private rememberInputs(): void {
    const { inputSlots, store } = this;
    for (let i = 0; i < inputSlots.length; i++) {
      if (this.isTransient[i]) store.f64[inputSlots[i]] = 0;
      this.seen[i] = store.f64[inputSlots[i]];
    }
  }

  private portNamed(name: string): Port {
    const found = this.description.ports.find((port) => port.name === name);
    if (found === undefined) throw new Error(`'${this.name}' has no port '${name}'`);
    return found;
  }

  private makeView(): MachineView {
    const { store, offsets, timeSlot } = this;
    const updated = this.updated;
    const ports = new Map(this.description.ports.map((port) => [port.name, port]));
    const named = (port: string): Port => ports.get(port) ?? this.portNamed(port);
    return {
      get time() {
        return store.f64[timeSlot];
      },
      get: (port) => store.f64[offsets[named(port).index]],
      set: (port, value) => {
        const { index, direction, type } = named(port);
        if (type === "int32" && value !== (value | 0)) throw this.noInteger(port, value);
        if (direction !== "output" && direction !== "local") {
          throw new Error(
            `'${this.name}': '${port}' is neither an output nor a local, so actions cannot set it`,
          );
        }
        const slot = offsets[index];
        if (store.f64[slot] !== value) updated[index] = 1;
        store.f64[slot] = value;
      },
      emit: (event) => {
        const { index, nature, direction } = named(event);
        if (direction !== "output" || nature !== "transient") {
          throw new Error(`'${this.name}': '${event}' is not an event, so it cannot be emitted`);
        }
        const slot = offsets[index];
        if (store.f64[slot] !== 0) this.again[this.eventSlots.indexOf(slot)]++;
        updated[index] = 1;
        store.f64[slot] = 1;
        this.emitted[this.eventSlots.indexOf(slot)]++;
      },
    };
  }

  private noInteger(port: string, value: number): UnitError {
    const why = Number.isInteger(value)
      ? "which 32 bits do not hold"
      : "which is not a whole number";
    return new UnitError({
      unit: this.name,
      call: "advance",
      status: `'${port}' would be ${value}, ${why}`,
      time: this.time,
      log: [`bound what '${port}' is set to, or make its type real`],
    });
  }

  private compile(
    from: number,
    { to: name, after, on, when, reads = [], do: action }: MachineTransition,
    inputs: readonly Port[],
  ): Compiled {
    const where = `'${this.name}': transition ${this.tree.nodes[from].path} → ${name}`;
    const inputNamed = (input: string): number => {
      const place = inputs.findIndex((port) => port.name === input);
      if (place < 0) throw new Error(`${where} names input '${input}', which is not there`);
      return place;
    };
    if (reads.length > 0 && after === undefined) {
      throw new Error(`${where} has 'reads' but no 'after', so the time of reading is not known`);
    }
    const to = this.tree.find(from, name);
    const within = this.tree.commonParent(from, to);
    const common = {
      from,
      to,
      within,
      entered: this.tree.entered(within, to),
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

  /** Follows the chain a little further, to show what it repeats. */
  private endless(limit: number): UnitError {
    const nameNow = (): string => this.tree.nodes[this.tree.leaves[this.state]].path;
    const chain = [nameNow()];
    for (let i = 0; i < 4; i++) {
      const next = this.enabled();
      if (next === undefined) break;
      this.take(next);
      chain.push(nameNow());
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
