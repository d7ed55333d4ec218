/**
 * The generic adaptation: a unit around inner units, made of rules. It has the two faces of every
 * simulation unit,
 *   a step    In takes the inputs into storage, Control steps inner units (each between MapIn and MapOut), Out gives the outputs
 *   outputs   of the present state: In (Mealy only), inner units in the order of their dependencies, MapOut, Out; nothing changes
 * and the storage between them. Life cycle, time and transfer of values are those of all units
 * written in TypeScript; its memory is theirs (unit/base-unit.ts, adapt/layout.ts), and snapshots
 * add those of the inner units.
 */
import { UnitError } from "../base/outcome.ts";
import type { Adaptation } from "../model/adaptation/data.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import type { Banks, ObjectValue } from "../model/value-type.ts";
import { BaseUnit } from "../unit/base-unit.ts";
import type { Stop } from "../unit/predicate.ts";
import {
  type Access,
  CapabilityError,
  type InitializationOptions,
  type PortSlot,
  type Snapshot,
  type Unit,
} from "../unit/unit.ts";
import { AdaptationError } from "./adaptation-error.ts";
import { type ControlServices, compileAdaptation, type Program } from "./compile-adaptation.ts";
import { RETURN } from "./compile-statement.ts";
import { describeAdaptation } from "./describe-adaptation.ts";
import type { InnerLink } from "./inner-link.ts";
import { type IntegerCell, integerCell, outOfRange } from "./integer-range.ts";
import { type Layout, layoutOf } from "./layout.ts";
import { type Linkage, linkUnits } from "./link-units.ts";
import { OwnInputs } from "./own-inputs.ts";
import { joinStates, splitStates } from "./state-bytes.ts";

interface InnerState {
  readonly units: readonly Snapshot[];
  readonly texts: readonly ObjectValue[];
}

/**
 * A step that falls short by less than this part was taken: what is missing is rounding of the
 * rules.
 */
const WHOLE_STEP = 1e-9;
/** Without a stop time, the next event of a unit is searched within this many steps. */
const HORIZON_STEPS = 1000;

/**
 * A unit in phase `instantiated`. It owns the inner units from here on.
 * @param adaptation in explicit form.
 * @throws AdaptationError when the rules have no meaning.
 */
export function adaptedUnit(
  name: string,
  adaptation: Adaptation,
  inner: ReadonlyMap<string, Unit>,
): Unit {
  for (const { name: needed, place } of adaptation.inner)
    if (!inner.has(needed)) throw new AdaptationError(`there is no inner unit '${needed}'`, place);
  const descriptions = new Map([...inner].map(([key, unit]) => [key, unit.description]));
  const description = describeAdaptation(adaptation, descriptions);
  const layout = layoutOf(adaptation, description, descriptions);
  return new AdaptedUnit(name, description, adaptation, layout, inner);
}

class AdaptedUnit extends BaseUnit implements ControlServices {
  private readonly layout: Layout;
  private readonly program: Program;
  private readonly linkage: Linkage;
  private readonly links: readonly InnerLink[];
  private readonly isMealy: boolean;
  private readonly ownInputs: OwnInputs;
  private readonly numbers: Float64Array;
  private readonly texts: ObjectValue[];
  /** What the output function changes, and a copy to put it back. */
  private readonly passing: Float64Array;
  private readonly passingKept: Float64Array;
  /**
   * What In changes, as it was before In took the inputs of the step under way, and a copy to put
   * it back.
   */
  private readonly taking: Float64Array;
  private readonly takingBefore: Float64Array;
  private readonly takingKept: Float64Array;
  private readonly outputCells: Int32Array;
  private readonly integerOutputs: readonly IntegerCell[];
  /** Integers among the inputs of every inner unit. */
  private readonly integerInputs: readonly (readonly IntegerCell[])[];
  /** Accesses that write parameters: rules may depend on them. */
  private readonly tuning = new WeakSet<Access>();
  private readonly innerStates = new Map<Snapshot, InnerState>();
  private stopTime: number | undefined;
  /** The whole step under way. */
  private from = 0;
  private bound = 0;

  constructor(
    name: string,
    description: UnitDescription,
    adaptation: Adaptation,
    layout: Layout,
    inner: ReadonlyMap<string, Unit>,
  ) {
    super(name, description, { hidden: layout.hidden });
    if (this.hidden.byteOffset !== 8 * layout.hiddenFrom)
      throw new Error("internal: the layout of the adaptation does not begin where ports end");
    this.layout = layout;
    this.numbers = this.store.f64;
    this.texts = new Array<ObjectValue>(layout.texts).fill("");
    this.isMealy = layout.isMealy;
    this.ownInputs = new OwnInputs(this.numbers, {
      values: this.inputSlots,
      slopes: this.timeSlot + 1,
      curves: layout.curves,
      rates: layout.rates,
    });
    this.taking = this.numbers.subarray(layout.taking.from, layout.taking.to);
    this.takingBefore = new Float64Array(this.taking.length);
    this.takingKept = new Float64Array(this.taking.length);
    this.passing = this.numbers.subarray(layout.pure.from, layout.pure.to);
    this.passingKept = new Float64Array(this.passing.length);
    this.outputCells = Int32Array.from(
      [...layout.ownOutputs.values()].filter(({ bank }) => bank === "number"),
      ({ index }) => index,
    );
    this.integerOutputs = description.ports.flatMap(({ name: port, type }) => {
      const cell = layout.ownOutputs.get(port);
      return (cell && integerCell(`output '${port}'`, cell.index, type)) ?? [];
    });
    this.integerInputs = layout.links.map((link) =>
      [...link.inputs].flatMap(
        ([
          port,
          {
            cell,
            port: { type },
          },
        ]) => integerCell(`input '${port}' of '${link.name}'`, cell.index, type) ?? [],
      ),
    );
    const memory = { numbers: this.numbers, texts: this.texts, ownTexts: this.store.obj };
    this.linkage = linkUnits(adaptation, layout, memory, inner);
    this.links = this.linkage.links;
    this.program = compileAdaptation(adaptation, layout, memory, this);
  }

  // ---- life cycle -------------------------------------------------------------------------------

  override enterInitialization(options: InitializationOptions): void {
    super.enterInitialization(options);
    this.stopTime = options.stop;
    for (const link of this.links) link.enterInitialization(options);
  }

  protected override begin(): void {
    this.resolveStart(true);
    for (const link of this.links) {
      link.keepAsPrevious();
      link.exitInitialization();
    }
    this.resolveStart(this.isMealy);
    this.checkIntegers(this.integerOutputs);
  }

  override terminate(): void {
    if (this.phase === "step") this.refresh();
    super.terminate();
    for (const { unit } of this.links) unit.terminate();
  }

  override reset(): void {
    super.reset();
    this.texts.fill("");
    for (const { unit } of this.links) unit.reset();
  }

  override dispose(): void {
    super.dispose();
    this.innerStates.clear();
    for (const { unit } of this.links) unit.dispose();
  }

  /**
   * Storage and outputs at the start. Outputs of a Moore adaptation follow from the declared values
   * alone.
   */
  private resolveStart(withInputs: boolean): void {
    const { program, numbers, layout, linkage } = this;
    program.initialize();
    numbers[layout.clock.t.index] = this.time;
    // There was no step yet; 1 lets rules that divide by it give what holds at the beginning of a
    // step.
    numbers[layout.clock.H.index] = 1;
    this.atInstant();
    if (withInputs) program.runIn();
    else program.markIn();
    if (linkage.order === undefined) for (const link of this.links) link.takeOutputs();
    for (const l of linkage.order ?? this.links.keys()) {
      this.inputsOf(l);
      this.links[l].resolve();
    }
    if (linkage.order === undefined) program.markOut();
    else program.mapOut();
    program.runOut();
    this.holdOutputs();
    numbers[layout.settled] = 0;
  }

  // ---- outputs ----------------------------------------------------------------------------------

  protected override evaluate(): void {
    const { numbers, layout } = this;
    if (this.phase === "initialization") this.resolveStart(this.isMealy);
    if (this.phase !== "step" || numbers[layout.settled] === 1) return;
    const { program, linkage, passing, passingKept, texts } = this;
    const textsKept = texts.length > 0 ? texts.slice() : texts;
    passingKept.set(passing);
    numbers[layout.clock.t.index] = this.time;
    this.atInstant();
    if (this.isMealy) program.runIn();
    if (linkage.order !== undefined) {
      for (let k = 0; k < linkage.order.length; k++) {
        const l = linkage.order[k];
        this.inputsOf(l);
        this.checkIntegers(this.integerInputs[l]);
        const link = this.links[l];
        if (link.followsInputs) link.look();
      }
      program.mapOut();
    }
    this.releaseOutputs();
    program.runOut();
    this.checkIntegers(this.integerOutputs);
    passing.set(passingKept);
    for (let i = 0; i < texts.length; i++) texts[i] = textsKept[i];
    numbers[layout.settled] = 1;
  }

  /** MapIn, and what other inner units feed. */
  private inputsOf(link: number): void {
    this.links[link].connect();
    this.program.mapIn[link]();
  }

  /** Not during initialization, where values may be preliminary. */
  private checkIntegers(cells: readonly IntegerCell[]): void {
    const wrong = outOfRange(cells, this.numbers);
    if (wrong === undefined) return;
    const { what, index, type } = wrong;
    this.fail(
      `${what} is ${this.numbers[index]}, which ${type} cannot hold (adaptation '${this.description.name}'); declare it as real, or limit it in the rules`,
    );
  }

  private atInstant(): void {
    this.numbers[this.layout.clock.h.index] = 0;
    this.numbers[this.layout.clock.dt.index] = 0;
  }

  /** Outputs that no rule gives keep what the last step left. */
  private holdOutputs(): void {
    const { outputCells, numbers } = this;
    for (let k = 0; k < outputCells.length; k++)
      numbers[this.layout.held + k] = numbers[outputCells[k]];
  }
  private releaseOutputs(): void {
    const { outputCells, numbers } = this;
    for (let k = 0; k < outputCells.length; k++)
      numbers[outputCells[k]] = numbers[this.layout.held + k];
  }

  // ---- steps ------------------------------------------------------------------------------------

  protected override proceed(from: number, bound: number): Stop {
    const { numbers, layout, program, linkage, ownInputs } = this;
    const step = bound - from;
    this.from = from;
    this.bound = bound;
    numbers[layout.clock.t.index] = from;
    numbers[layout.clock.H.index] = step;
    if (linkage.needsPrevious) this.findPreviousInputs();
    for (let l = 0; l < this.links.length; l++) this.links[l].beginStep();
    ownInputs.start(step);
    if (ownInputs.moves && linkage.followsOwnInputs) this.takingBefore.set(this.taking);
    program.runIn();
    this.releaseOutputs();
    const taken = linkage.isDefault ? this.stepAll(step) : this.stepByRules(step);
    for (let l = 0; l < this.links.length; l++) this.links[l].endStep();
    program.runOut();
    this.checkIntegers(this.integerOutputs);
    this.holdOutputs();
    numbers[layout.settled] = linkage.isSettledByStep ? 1 : 0;
    // What rounds to the end of the step is its end.
    const isWhole = taken >= step * (1 - WHOLE_STEP) || from + taken >= bound;
    ownInputs.finish(isWhole ? step : taken);
    if (this.isTerminated()) return this.stopAt("terminated", -1, from + Math.min(taken, step));
    return isWhole ? this.stopAt("time", -1, bound) : this.stopAt("discarded", -1, from + taken);
  }

  private isTerminated(): boolean {
    const { links } = this;
    for (let l = 0; l < links.length; l++) if (links[l].isTerminated) return true;
    return false;
  }

  /** What inner inputs that other units feed are where the step begins. */
  private findPreviousInputs(): void {
    const { passing, passingKept, linkage, program } = this;
    passingKept.set(passing);
    this.atInstant();
    program.runIn();
    const order = linkage.order ?? [];
    for (let k = 0; k < order.length; k++) {
      const l = order[k];
      if (!linkage.feedsAtOnce[l]) continue;
      this.inputsOf(l);
      this.links[l].look();
    }
    // Only now, because the source of a delayed input may come anywhere in the order.
    for (let l = 0; l < this.links.length; l++) {
      this.inputsOf(l);
      this.links[l].keepAsPrevious();
    }
    passing.set(passingKept);
  }

  /** One step of the Gauss-Seidel master. */
  private stepAll(step: number): number {
    const { order = [] } = this.linkage;
    let taken = step;
    for (let k = 0; k < order.length; k++) {
      const came = this.doStep(order[k], this.from, step);
      if (came < taken) taken = came;
    }
    return taken;
  }

  private stepByRules(step: number): number {
    const { numbers, layout } = this;
    if (this.program.control() !== RETURN) this.fail("the control rules end without 'return'");
    const taken = numbers[layout.result];
    if (taken >= 0 && taken <= step * (1 + WHOLE_STEP)) return taken;
    return this.fail(
      `the control rules return ${taken}, which is not a part of a step of ${step} s`,
    );
  }

  doStep(link: number, from: number, step: number): number {
    const { numbers, layout } = this;
    const inner = this.links[link];
    const { isHeld } = inner.trajectories;
    if (!(step > 0) || step === Number.POSITIVE_INFINITY)
      this.fail(`do_step(${inner.layout.name}) over ${step} s`);
    if (!inner.isAt(from, step))
      this.fail(
        `do_step(${inner.layout.name}) from t=${from}, but it is at t=${inner.time}; step it from where it is, or roll it back`,
      );
    const end = from + step;
    const isLast = Math.abs(end - this.bound) <= WHOLE_STEP * step;
    const dt = from - this.from;
    numbers[layout.clock.h.index] = step;
    numbers[layout.clock.dt.index] = dt;
    this.inputsOf(link);
    if (!isHeld) this.findTrajectories(link, dt, isLast ? this.bound - this.from : dt + step, step);
    this.linkage.override(link);
    this.checkIntegers(this.integerInputs[link]);
    if (!isHeld) inner.interpolate(step, this.links, this.ownInputs);
    const came = inner.advance(isLast ? this.bound : end, step);
    this.program.mapOut();
    return came;
  }

  /**
   * How inputs of an inner unit vary over its step, which begins and ends so long after the
   * beginning of the whole one.
   */
  private findTrajectories(link: number, begin: number, end: number, step: number): void {
    const { trajectories } = this.links[link];
    const { ownInputs, numbers, layout } = this;
    trajectories.hold();
    if (ownInputs.moves) ownInputs.note(begin, end);
    const ruled = trajectories.ruled(ownInputs);
    if (ruled.length > 0) {
      this.atPoint(link, begin);
      trajectories.takeFirst(ruled);
      this.atPoint(link, end);
      trajectories.takeLast(ruled);
    }
    if (trajectories.byOwnInputs.length > 0 && ownInputs.moves) {
      const texts = this.texts.length > 0 ? this.texts.slice() : this.texts;
      this.takingKept.set(this.taking);
      this.takeAt(link, begin);
      trajectories.takeFirst(trajectories.byOwnInputs);
      if (ownInputs.isCurved) {
        this.takeAt(link, begin + (end - begin) / 2);
        trajectories.takeMiddle(trajectories.byOwnInputs);
      }
      this.takeAt(link, end);
      trajectories.takeLast(trajectories.byOwnInputs);
      ownInputs.put(this.bound - this.from);
      this.taking.set(this.takingKept);
      for (let i = 0; i < texts.length; i++) this.texts[i] = texts[i];
    } else if (ruled.length === 0) return;
    numbers[layout.clock.h.index] = step;
    numbers[layout.clock.dt.index] = begin;
    this.inputsOf(link);
    trajectories.follow(step, begin, ownInputs);
  }

  /** Inputs of an inner unit at a point of the step, as MapIn makes them of what In took. */
  private atPoint(link: number, dt: number): void {
    this.numbers[this.layout.clock.h.index] = 0;
    this.numbers[this.layout.clock.dt.index] = dt;
    this.inputsOf(link);
  }

  /** The same with what In takes at that point. */
  private takeAt(link: number, dt: number): void {
    this.taking.set(this.takingBefore);
    this.ownInputs.put(dt);
    this.program.runIn();
    this.atPoint(link, dt);
  }

  /** Called by `save_state`. */
  saveInner(link: number): void {
    this.links[link].save();
  }

  rollback(link: number): void {
    const inner = this.links[link];
    if (!inner.rollback())
      this.fail(`rollback(${inner.layout.name}) without save_state in the same step`);
  }

  nextTimeStep(link: number): number {
    const horizon = Math.max(
      this.stopTime ?? this.from + HORIZON_STEPS * (this.bound - this.from),
      this.bound,
    );
    return this.links[link].nextTimeStep(horizon);
  }

  lastExecutionTime(link: number): number {
    return this.links[link].time;
  }

  endless(): never {
    return this.fail("a 'while' of its rules does not end");
  }

  private fail(status: string): never {
    throw new UnitError({ unit: this.name, call: "advance", status, time: this.from, log: [] });
  }

  protected override takeCurve(input: number, _order: number, value: number): void {
    this.numbers[this.layout.curves + input] = value;
  }

  // ---- values and snapshots ---------------------------------------------------------------------

  override bind(slots: readonly PortSlot[]): Access {
    const access = super.bind(slots);
    const { ports } = this.description;
    if (slots.some(({ port }) => ports[port].direction === "parameter")) this.tuning.add(access);
    return access;
  }

  override write(access: Access, banks: Banks): void {
    super.write(access, banks);
    if (this.isMealy || this.tuning.has(access)) this.numbers[this.layout.settled] = 0;
  }

  override save(): Snapshot {
    this.need("rollback", this.description.capabilities.rollback);
    const snapshot = super.save();
    const units = this.links.map(({ unit }) => unit.save());
    this.innerStates.set(snapshot, { units, texts: this.texts.slice() });
    return snapshot;
  }

  override restore(snapshot: Snapshot): void {
    super.restore(snapshot);
    const { units, texts } = this.innerStateOf(snapshot);
    this.links.forEach((link, l) => {
      link.unit.restore(units[l]);
      link.wasRestored();
    });
    texts.forEach((text, i) => {
      this.texts[i] = text;
    });
  }

  private innerStateOf(snapshot: Snapshot): InnerState {
    const state = this.innerStates.get(snapshot);
    if (state === undefined) throw new Error("internal: a snapshot without its inner units");
    return state;
  }

  override release(snapshot: Snapshot): void {
    super.release(snapshot);
    const { units } = this.innerStateOf(snapshot);
    this.innerStates.delete(snapshot);
    this.links.forEach(({ unit }, l) => {
      unit.release(units[l]);
    });
  }

  override serialize(snapshot: Snapshot): Uint8Array {
    this.needSerialization();
    const own = super.serialize(snapshot);
    const { units, texts } = this.innerStateOf(snapshot);
    return joinStates({
      own,
      texts,
      inner: this.links.map(({ unit }, l) => unit.serialize(units[l])),
    });
  }

  override deserialize(bytes: Uint8Array): Snapshot {
    this.needSerialization();
    const { own, texts, inner } = splitStates(this.name, bytes, this.links.length);
    const snapshot = super.deserialize(own);
    const units = this.links.map(({ unit }, l) => unit.deserialize(inner[l]));
    this.innerStates.set(snapshot, { units, texts });
    return snapshot;
  }

  private needSerialization(): void {
    if (!this.description.capabilities.serialize)
      throw new CapabilityError(this.name, "serialization");
  }
}
