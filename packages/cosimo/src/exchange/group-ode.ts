/**
 * Several models of differential equations as one, so that they share an integrator (coupled
 * integration): states and indicators one after the other, connections between the models evaluated
 * wherever one of them is, algebraic loops solved, and every event an event of all.
 *
 * Connections are taken in the order in which outputs follow from inputs; those of algebraic loops
 * are solved together by Newton's method, r(u) = G(u) − u = 0, where G writes the connected inputs
 * u and reads the outputs that they come from (coupling-loop.ts).
 */
import { UnitError } from "../base/outcome.ts";
import type { OdeStructure } from "../model/ode-structure.ts";
import { portSize, type UnitDescription } from "../model/unit-description.ts";
import { type Banks, bankOf, makeBanks } from "../model/value-type.ts";
import { ByteReader, ByteWriter } from "../unit/bytes.ts";
import {
  type Access,
  CapabilityError,
  type DiscreteUpdate,
  type InitializationOptions,
  type Phase,
  PhaseError,
  type PortSlot,
  type Snapshot,
} from "../unit/unit.ts";
import { CouplingLoop, type LoopEquations } from "./coupling-loop.ts";
import type { EventOde, NumericalMemory, StepVerdict } from "./event-ode.ts";
import { type GroupConnection, orderConnections } from "./group-description.ts";

export interface GroupMember {
  readonly name: string;
  readonly model: EventOde;
  /** What is set before initialization, in slots of `banks`. */
  readonly values?: { readonly slots: readonly PortSlot[]; readonly banks: Banks };
}

interface GroupAccess extends Access {
  readonly parts: readonly { readonly member: number; readonly access: Access }[];
}

interface GroupSnapshot extends Snapshot {
  readonly parts: readonly Snapshot[];
}

/**
 * One connection, bound: its source is read to `from`, its target written from `to`, places in
 * `values`.
 */
interface Line {
  readonly connection: GroupConnection;
  readonly read: Access;
  readonly write: Access;
  readonly from: number;
  readonly to: number;
  readonly isDiscrete: boolean;
}

/** So often all models are updated again because a value between them moved. */
const MOST_ROUNDS = 100;
const READABLE: readonly Phase[] = ["initialization", "step", "event", "terminated"];
const WRITABLE: readonly Phase[] = ["instantiated", "initialization", "step", "event"];

export class GroupOde implements EventOde {
  readonly name: string;
  readonly description: UnitDescription;
  readonly structure: OdeStructure;
  readonly memory?: NumericalMemory;
  private readonly members: readonly GroupMember[];
  private readonly models: readonly EventOde[];
  /** Of each member: its first port, state and indicator. */
  private readonly portsAt: readonly number[];
  private readonly statesAt: readonly number[];
  private readonly indicatorsAt: readonly number[];
  private readonly straight: readonly Line[];
  private readonly looped: readonly Line[];
  private readonly values: Banks;
  private readonly loop: CouplingLoop | undefined;
  private time = 0;
  private isStale = true;

  constructor(
    name: string,
    members: readonly GroupMember[],
    connections: readonly GroupConnection[],
    description: UnitDescription,
  ) {
    this.name = name;
    this.members = members;
    this.models = members.map(({ model }) => model);
    this.description = description;
    const { models } = this;
    this.portsAt = offsets(models.map((model) => model.description.ports.length));
    this.statesAt = offsets(models.map(({ structure }) => structure.states));
    this.indicatorsAt = offsets(models.map(({ structure }) => structure.indicators));
    this.structure = this.joinStructures();
    const order = orderConnections(
      models.map((model) => model.description),
      connections,
    );
    let at = 0;
    const bind = (connection: GroupConnection): Line => {
      const { from, to } = connection;
      const line = this.bindLine(connection, at);
      at += portSize(models[from.unit].description.ports[from.port]);
      at += portSize(models[to.unit].description.ports[to.port]);
      return line;
    };
    this.straight = order.straight.map(bind);
    this.looped = order.looped.map(bind);
    this.values = makeBanks({ f64: at });
    const equations: LoopEquations = { evaluate: (u, out) => this.evaluateLoop(u, out) };
    const unknowns = this.looped.reduce((sum, { connection }) => sum + connection.count, 0);
    this.loop = unknowns > 0 ? new CouplingLoop(unknowns, equations) : undefined;
    if (this.loop !== undefined) this.memory = this.loop;
    this.give();
  }

  private joinStructures(): OdeStructure {
    const { models, portsAt } = this;
    const all = models.map(({ structure }) => structure);
    const shifted = (ports: (s: OdeStructure) => readonly number[]): number[] =>
      all.flatMap((s, m) => ports(s).map((port) => (port < 0 ? port : portsAt[m] + port)));
    return {
      states: sum(all.map(({ states }) => states)),
      indicators: sum(all.map(({ indicators }) => indicators)),
      statePorts: shifted(({ statePorts }) => statePorts),
      derivativePorts: shifted(({ derivativePorts }) => derivativePorts),
      // What a derivative depends on through connections is not said.
      pattern: all.flatMap(({ pattern }) => pattern.map(() => undefined)),
      needsCompletedSteps: all.some((s) => s.needsCompletedSteps),
      isContinuous: all.every((s) => s.isContinuous),
    };
  }

  private bindLine(connection: GroupConnection, at: number): Line {
    const { models } = this;
    const { from, to } = connection;
    const target = models[to.unit].description.ports[to.port];
    const source = models[from.unit].description.ports[from.port];
    for (const port of [source, target])
      if (bankOf(port.type) !== "f64")
        throw new Error(
          `'${this.name}': '${port.name}' is of type ${port.type}, which connections inside a group do not carry`,
        );
    const target0 = at + portSize(source);
    return {
      connection,
      read: models[from.unit].bind([{ port: from.port, slot: at }]),
      write: models[to.unit].bind([{ port: to.port, slot: target0 }]),
      from: at,
      to: target0,
      isDiscrete: target.variability !== "continuous",
    };
  }

  /** What members were set to before initialization. */
  private give(): void {
    for (const { model, values } of this.members)
      if (values !== undefined) model.write(model.bind(values.slots), values.banks);
  }

  get phase(): Phase {
    return this.models[0].phase;
  }

  enterInitialization(options: InitializationOptions): void {
    this.time = options.start;
    for (const model of this.models) model.enterInitialization(options);
    this.isStale = true;
    this.propagate();
  }

  exitInitialization(): void {
    this.propagate();
    for (const model of this.models) model.exitInitialization();
    this.isStale = true;
  }

  enterEventMode(): void {
    for (const model of this.models) model.enterEventMode();
    this.isStale = true;
  }

  /**
   * Values at the ends of connections are compared before and after: where one moved, all are
   * updated again.
   */
  updateDiscreteStates(): DiscreteUpdate {
    this.propagate();
    const before = this.values.f64.slice();
    const updates = this.models.map((model) => model.updateDiscreteStates());
    this.isStale = true;
    this.propagate();
    const moved = this.values.f64.some((value, i) => !Object.is(value, before[i]));
    const times = updates.flatMap(({ nextEventTime }) => nextEventTime ?? []);
    return {
      again: updates.some(({ again }) => again) || (moved && this.mayUpdateAgain()),
      terminate: updates.some(({ terminate }) => terminate),
      nominalsChanged: updates.some(({ nominalsChanged }) => nominalsChanged),
      statesChanged: updates.some(({ statesChanged }) => statesChanged),
      nextEventTime: times.length > 0 ? Math.min(...times) : undefined,
    };
  }

  private rounds = { time: Number.NaN, count: 0 };

  /**
   * Continuous values of a loop move in their last digits forever: what matters has settled long
   * before.
   */
  private mayUpdateAgain(): boolean {
    const { rounds, time } = this;
    this.rounds = { time, count: rounds.time === time ? rounds.count + 1 : 0 };
    return this.rounds.count < MOST_ROUNDS;
  }

  enterStepMode(): void {
    for (const model of this.models) model.enterStepMode();
    this.isStale = true;
  }

  terminate(): void {
    for (const model of this.models) model.terminate();
  }

  reset(): void {
    for (const model of this.models) model.reset();
    this.loop?.reset();
    this.isStale = true;
    this.give();
  }

  dispose(): void {
    for (const model of this.models) model.dispose();
  }

  bind(slots: readonly PortSlot[]): Access {
    if (this.phase === "disposed") throw new PhaseError(this.name, "bind", this.phase, READABLE);
    const { portsAt, models } = this;
    const byMember = models.map((): PortSlot[] => []);
    for (const { port, slot } of slots) {
      const member = this.memberOf(port);
      byMember[member].push({ port: port - portsAt[member], slot });
    }
    const parts = byMember.flatMap((own, member) =>
      own.length === 0 ? [] : [{ member, access: models[member].bind(own) }],
    );
    return { slots, parts } as GroupAccess;
  }

  private memberOf(port: number): number {
    const member = this.portsAt.findLastIndex((first) => first <= port);
    if (member < 0 || port >= this.description.ports.length || port < 0)
      throw new RangeError(`'${this.name}': there is no port ${port}`);
    return member;
  }

  read(access: Access, banks: Banks): void {
    if (this.phase === "instantiated" || this.phase === "disposed")
      throw new PhaseError(this.name, "read", this.phase, READABLE);
    this.propagate();
    for (const { member, access: own } of (access as GroupAccess).parts)
      this.models[member].read(own, banks);
  }

  write(access: Access, banks: Banks): void {
    const { phase } = this;
    if (phase === "terminated" || phase === "disposed")
      throw new PhaseError(this.name, "write", phase, WRITABLE);
    for (const { port } of access.slots) this.requireWritable(port);
    for (const { member, access: own } of (access as GroupAccess).parts)
      this.models[member].write(own, banks);
    this.isStale = true;
  }

  /**
   * Connected inputs belong to the group; what members calculate does not change while they run.
   */
  private requireWritable(index: number): void {
    const { name, direction } = this.description.ports[index];
    const member = this.memberOf(index);
    const own = this.models[member].description.ports[index - this.portsAt[member]].direction;
    const isRunning = this.phase === "step" || this.phase === "event";
    const isSettable = direction === "input" || direction === "parameter";
    if (own === "input" ? isSettable : isSettable || !isRunning) return;
    const why = own === "input" ? "it is connected inside the group" : "its unit calculates it";
    throw new Error(`'${this.name}': '${name}' cannot be written in phase '${this.phase}': ${why}`);
  }

  setTime(time: number): void {
    this.time = time;
    for (const model of this.models) model.setTime(time);
    this.isStale = true;
  }

  setStates(states: Float64Array): void {
    this.each(states, this.statesAt, (model, part) => model.setStates(part));
    this.isStale = true;
  }

  getStates(states: Float64Array): void {
    this.each(states, this.statesAt, (model, part) => model.getStates(part));
  }

  getDerivatives(derivatives: Float64Array): void {
    this.propagate();
    this.each(derivatives, this.statesAt, (model, part) => model.getDerivatives(part));
  }

  getIndicators(indicators: Float64Array): void {
    this.propagate();
    this.each(indicators, this.indicatorsAt, (model, part) => model.getIndicators(part));
  }

  getNominals(nominals: Float64Array): void {
    this.each(nominals, this.statesAt, (model, part) => model.getNominals(part));
  }

  private each(
    all: Float64Array,
    at: readonly number[],
    act: (model: EventOde, part: Float64Array) => void,
  ): void {
    this.models.forEach((model, m) => {
      const part = all.subarray(at[m], at[m + 1] ?? all.length);
      if (part.length > 0) act(model, part);
    });
  }

  completeStep(mayGoBack: boolean): StepVerdict {
    this.propagate();
    const verdicts = this.models
      .filter(({ structure }) => structure.needsCompletedSteps)
      .map((model) => model.completeStep(mayGoBack));
    if (verdicts.includes("terminate")) return "terminate";
    return verdicts.includes("event") ? "event" : "go-on";
  }

  save(): Snapshot {
    this.offer("rollback", this.description.capabilities.rollback);
    return { time: this.time, parts: this.models.map((model) => model.save()) } as GroupSnapshot;
  }

  restore(snapshot: Snapshot): void {
    const { parts, time } = snapshot as GroupSnapshot;
    this.models.forEach((model, m) => {
      model.restore(parts[m]);
    });
    this.time = time;
    this.isStale = true;
  }

  release(snapshot: Snapshot): void {
    (snapshot as GroupSnapshot).parts.forEach((part, m) => {
      this.models[m].release(part);
    });
  }

  serialize(snapshot: Snapshot): Uint8Array {
    const { parts, time } = snapshot as GroupSnapshot;
    const out = new ByteWriter();
    out.banks({
      ...makeBanks({ f64: 1 }),
      f64: Float64Array.of(time),
      obj: parts.map((part, m) => this.models[m].serialize(part)),
    });
    return out.take();
  }

  deserialize(bytes: Uint8Array): Snapshot {
    this.offer("serialization of its state", this.description.capabilities.serialize);
    const { f64, obj } = new ByteReader(bytes).banks();
    const parts = this.models.map((model, m) => model.deserialize(obj[m] as Uint8Array));
    return { time: f64[0], parts } as GroupSnapshot;
  }

  directionalDerivative(): void {
    throw new CapabilityError(this.name, "directional derivatives");
  }

  adjointDerivative(): void {
    throw new CapabilityError(this.name, "adjoint derivatives");
  }

  private offer(what: string, offered: boolean): void {
    if (!offered) throw new CapabilityError(this.name, what);
  }

  // ---- connections ------------------------------------------------------------------------------

  /** Brings the connected inputs up to date; in continuous time those that may change there. */
  private propagate(): void {
    const { phase } = this;
    if (!this.isStale || phase === "instantiated" || phase === "terminated") return;
    this.isStale = false;
    for (const line of this.straight) this.carry(line);
    if (this.loop !== undefined && !this.loop.solve(() => this.loopValues()))
      throw new UnitError({
        unit: this.name,
        call: "advance",
        // A smaller step may help: the integrator tries one.
        status:
          "the algebraic loop between its units has no solution that Newton's method finds: discard",
        time: this.time,
        log: [
          `in the loop: ${this.looped.map(({ connection: c }) => this.nameOf(c.to.unit, c.to.port)).join(", ")}`,
        ],
      });
    for (const line of this.looped) this.read1(line);
  }

  private nameOf(unit: number, port: number): string {
    return this.description.ports[this.portsAt[unit] + port].name;
  }

  private carry(line: Line): void {
    this.read1(line);
    this.write1(line, this.values.f64, line.from);
  }

  private read1({ connection, read }: Line): void {
    this.models[connection.from.unit].read(read, this.values);
  }

  /**
   * Writes the target from source values at `at` of `from`; the elements that are not connected
   * stay.
   */
  private write1(line: Line, from: Float64Array, at: number): void {
    const { connection, write, to } = line;
    const { fromElement, toElement, count, factor, offset } = connection;
    const model = this.models[connection.to.unit];
    if (line.isDiscrete && model.phase === "step") return;
    if (count < portSize(model.description.ports[connection.to.port]))
      model.read(write, this.values);
    for (let i = 0; i < count; i++)
      this.values.f64[to + toElement + i] = factor * from[at + fromElement + i] + offset;
    model.write(write, this.values);
  }

  /** The present values of the sources in the loop, where the iteration begins. */
  private loopValues(): Float64Array {
    const values: number[] = [];
    for (const line of this.looped) {
      this.read1(line);
      const { fromElement, count } = line.connection;
      for (let i = 0; i < count; i++) values.push(this.values.f64[line.from + fromElement + i]);
    }
    return Float64Array.from(values);
  }

  /** out = G(u): the sources of the loop, when they are u. */
  private evaluateLoop(u: Float64Array, out: Float64Array): void {
    let at = 0;
    for (const line of this.looped) {
      const { fromElement, count } = line.connection;
      this.write1(line, u, at - fromElement);
      at += count;
    }
    at = 0;
    for (const line of this.looped) {
      this.read1(line);
      const { fromElement, count } = line.connection;
      for (let i = 0; i < count; i++) out[at++] = this.values.f64[line.from + fromElement + i];
    }
  }
}

function offsets(sizes: readonly number[]): number[] {
  let at = 0;
  return sizes.map((size) => {
    at += size;
    return at - size;
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
