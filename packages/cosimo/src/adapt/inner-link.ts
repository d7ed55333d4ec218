/**
 * One inner unit as the adaptation around it sees it: inputs and outputs at fixed places of the
 * adaptation's memory, steps, and a state to go back to.
 */
import { settleEvents } from "../engine/settle-events.ts";
import { type Conversion, convertValue } from "../model/physical-unit-conversion.ts";
import { type BankName, bankOf, type ObjectValue } from "../model/value-type.ts";
import type { Predicate } from "../unit/predicate.ts";
import type { Access, InitializationOptions, PortSlot, Snapshot, Unit } from "../unit/unit.ts";
import type { Memory } from "./compile-expression.ts";
import { InputTrajectories } from "./input-trajectories.ts";
import { longOf } from "./integer-range.ts";
import type { Cell, LinkLayout, LinkPort } from "./layout.ts";
import type { PlannedInput } from "./link-plan.ts";
import type { OwnInputs } from "./own-inputs.ts";

/** A 64-bit integer passes through a double: exact up to 2^53. */
interface LongMove {
  readonly long: number;
  readonly slot: number;
  /** The bits of negative numbers are those of large ones. */
  readonly isUnsigned: boolean;
}

interface Bound {
  readonly access: Access;
  readonly longs: readonly LongMove[];
}

/** An output that feeds an input. */
export interface LinkSource {
  readonly from: Cell;
  readonly to: Cell;
  readonly by: Conversion;
}

/** How its inputs are given, in the order of the layout. */
export interface LinkKind {
  readonly inputs: readonly PlannedInput[];
  readonly followsInputs: boolean;
}

/**
 * Steps that differ by less than this part are the same; what is left is rounding of times that
 * were added up.
 */
const SAME_STEP = 1e-9;

export class InnerLink {
  readonly unit: Unit;
  readonly layout: LinkLayout;
  /** Whether an input that is given here acts on an output at once. */
  readonly followsInputs: boolean;
  /** It requests the end of the simulation. */
  isTerminated = false;
  private readonly numbers: Float64Array;
  private readonly longs: BigInt64Array;
  private readonly banks: { f64: Float64Array; i64: BigInt64Array; obj: Memory["texts"] };
  private readonly inputs: Bound;
  private readonly firstInputs: Bound;
  private readonly outputs: Bound;
  /** Places of inputs that are numbers, -1 for texts; places of those that are texts. */
  private readonly inputCells: Int32Array;
  private readonly textCells: readonly number[];
  private readonly givenTexts: (ObjectValue | undefined)[];
  readonly trajectories: InputTrajectories;
  private readonly until: { kind: "time"; time: number } = { kind: "time", time: 0 };
  private readonly wires: Int32Array;
  private readonly converting: readonly LinkSource[];
  private readonly textWires: readonly LinkSource[];
  private saved: Snapshot | undefined;
  private readonly savedPrevious: Float64Array;
  private savedTime = 0;
  private savedSloped = 0;
  private savedIsFirst = false;
  /** It has not been stepped since the whole step began. */
  private isFirst = true;
  private isStale = false;

  constructor(
    unit: Unit,
    layout: LinkLayout,
    memory: Memory,
    { inputs: planned, followsInputs }: LinkKind,
    sources: readonly LinkSource[],
  ) {
    this.unit = unit;
    this.layout = layout;
    this.numbers = memory.numbers;
    const inputs = [...layout.inputs.values()];
    const outputs = [...layout.outputs.values()];
    const isLong = ({ port }: LinkPort): boolean => bankOf(port.type) === "i64";
    this.longs = new BigInt64Array(
      2 * inputs.filter(isLong).length + outputs.filter(isLong).length,
    );
    this.banks = { f64: memory.numbers, i64: this.longs, obj: memory.texts };
    let long = 0;
    const bind = (ports: readonly LinkPort[], at: (port: LinkPort, k: number) => number): Bound => {
      const longs: LongMove[] = [];
      const slots = ports.map((port, k): PortSlot => {
        const slot = at(port, k);
        const bank: BankName = bankOf(port.port.type);
        if (bank !== "i64") return { port: port.port.index, slot };
        longs.push({ long, slot, isUnsigned: port.port.type === "uint64" });
        return { port: port.port.index, slot: long++ };
      });
      return { access: unit.bind(slots), longs };
    };
    this.inputs = bind(inputs, ({ cell }) => cell.index);
    this.firstInputs = bind(inputs, ({ cell }, k) =>
      cell.bank === "number" ? layout.first + k : cell.index,
    );
    this.outputs = bind(outputs, ({ cell }) => cell.index);
    this.inputCells = Int32Array.from(inputs, ({ cell }) =>
      cell.bank === "number" ? cell.index : -1,
    );
    this.textCells = inputs.flatMap(({ cell }) => (cell.bank === "number" ? [] : [cell.index]));
    this.givenTexts = this.textCells.map(() => undefined);
    this.trajectories = new InputTrajectories(unit, layout, memory.numbers, planned);
    this.savedPrevious = new Float64Array(inputs.length);
    this.followsInputs = followsInputs;
    const isText = ({ from }: LinkSource): boolean => from.bank !== "number";
    const isPlain = ({ by }: LinkSource): boolean => by.factor === 1 && by.offset === 0;
    this.wires = Int32Array.from(
      sources
        .filter((source) => !isText(source) && isPlain(source))
        .flatMap(({ from, to }) => [from.index, to.index]),
    );
    this.converting = sources.filter((source) => !isText(source) && !isPlain(source));
    this.textWires = sources.filter(isText);
  }

  get time(): number {
    return this.numbers[this.layout.time];
  }

  enterInitialization(options: InitializationOptions): void {
    this.unit.enterInitialization(options);
    this.numbers[this.layout.time] = options.start;
    this.isTerminated = false;
    this.numbers[this.layout.nextEvent] = Number.POSITIVE_INFINITY;
    // Inputs that no rule assigns keep the start values of the unit.
    this.unit.read(this.inputs.access, this.banks);
    this.fromLongs(this.inputs);
  }

  exitInitialization(): void {
    this.unit.exitInitialization();
    if (this.unit.phase === "event") this.settle(this.time);
  }

  /** Inputs from the outputs that feed them. */
  connect(): void {
    const { wires, numbers } = this;
    for (let k = 0; k < wires.length; k += 2) numbers[wires[k + 1]] = numbers[wires[k]];
    const { converting, textWires, banks } = this;
    for (let k = 0; k < converting.length; k++) {
      const { from, to, by } = converting[k];
      numbers[to.index] = convertValue(numbers[from.index], by);
    }
    for (let k = 0; k < textWires.length; k++)
      banks.obj[textWires[k].to.index] = banks.obj[textWires[k].from.index];
  }

  giveInputs(): void {
    this.toLongs(this.inputs);
    this.unit.write(this.inputs.access, this.banks);
  }

  takeOutputs(): void {
    this.unit.read(this.outputs.access, this.banks);
    this.fromLongs(this.outputs);
  }

  /** What is in the places of the inputs becomes what they were before. */
  keepAsPrevious(): void {
    this.keepInputs(this.layout.previous);
  }

  /** Outputs at the present instant, which belong to what is in the places of the inputs. */
  resolve(): void {
    this.giveInputs();
    this.takeOutputs();
    this.keepAsGiven();
  }

  /**
   * The same for a look that leaves no trace, and only where inputs are not those that the outputs
   * belong to.
   */
  look(): void {
    const { inputCells, numbers } = this;
    const { given } = this.layout;
    let same = this.sameTexts();
    for (let k = 0; k < inputCells.length && same; k++)
      same = inputCells[k] < 0 || numbers[inputCells[k]] === numbers[given + k];
    if (same) return;
    this.giveInputs();
    this.takeOutputs();
  }

  /**
   * Texts that were given are not part of a snapshot: after it they are given again. Whether it
   * ends is found again, too.
   */
  wasRestored(): void {
    this.givenTexts.fill(undefined);
    this.isTerminated = false;
    this.isStale = false;
  }

  private keepAsGiven(): void {
    const { textCells, givenTexts, banks } = this;
    this.keepInputs(this.layout.given);
    for (let k = 0; k < textCells.length; k++) givenTexts[k] = banks.obj[textCells[k]];
  }

  private sameTexts(): boolean {
    const { textCells, givenTexts, banks } = this;
    for (let k = 0; k < textCells.length; k++)
      if (givenTexts[k] === undefined || givenTexts[k] !== banks.obj[textCells[k]]) return false;
    return true;
  }

  private keepInputs(at: number): void {
    const { inputCells, numbers } = this;
    for (let k = 0; k < inputCells.length; k++)
      if (inputCells[k] >= 0) numbers[at + k] = numbers[inputCells[k]];
  }

  // ---- steps ------------------------------------------------------------------------------------

  beginStep(): void {
    this.isFirst = true;
  }

  /** Inputs that other units or control rules give: interpolated from what they were, or held. */
  interpolate(step: number, links: readonly InnerLink[], own: OwnInputs): void {
    this.trajectories.interpolate(
      step,
      links,
      own,
      this.isFirst ? Number.NEGATIVE_INFINITY : this.time,
    );
  }

  /**
   * Advances from where the unit is. Before and after it gets its inputs as their kinds want them,
   * afterwards its outputs are read.
   * @returns how far it came, exactly `step` when it reached `to`.
   */
  advance(to: number, step: number): number {
    const { numbers, unit, layout } = this;
    const from = numbers[layout.time];
    if (this.trajectories.isHeld) this.giveInputs();
    else this.giveFirstInputs();
    this.until.time = to;
    const { reason, time } = unit.advance(from, this.until satisfies Predicate);
    numbers[layout.time] = time;
    if (reason === "event") this.settle(time);
    else if (reason === "terminated") this.isTerminated = true;
    if (!this.trajectories.isHeld) this.giveLastInputs();
    this.takeOutputs();
    this.keepAsGiven();
    this.isStale = false;
    this.isFirst = false;
    return time === to ? step : time - from;
  }

  private giveFirstInputs(): void {
    this.toLongs(this.firstInputs);
    this.unit.write(this.firstInputs.access, this.banks);
    this.trajectories.giveDerivatives();
  }

  /** Outputs that follow inputs at once belong to those of the end of the step. */
  private giveLastInputs(): void {
    const { inputCells, numbers } = this;
    const { first } = this.layout;
    if (this.followsInputs) {
      let differs = false;
      for (let k = 0; k < inputCells.length && !differs; k++)
        differs = inputCells[k] >= 0 && numbers[first + k] !== numbers[inputCells[k]];
      if (differs) this.giveInputs();
    }
    this.keepAsPrevious();
  }

  /** Whether `time` is where the unit stands, but for rounding. */
  isAt(time: number, step: number): boolean {
    const slack = SAME_STEP * step + 4 * Number.EPSILON * Math.abs(time);
    return Math.abs(time - this.time) <= slack;
  }

  // ---- rollback ---------------------------------------------------------------------------------

  get canRollBack(): boolean {
    return this.unit.description.capabilities.rollback;
  }

  save(): void {
    if (this.saved) this.unit.release(this.saved);
    this.saved = this.unit.save();
    this.savedTime = this.time;
    this.savedSloped = this.numbers[this.layout.sloped];
    this.savedIsFirst = this.isFirst;
    const { previous } = this.layout;
    for (let k = 0; k < this.savedPrevious.length; k++)
      this.savedPrevious[k] = this.numbers[previous + k];
  }

  /** @returns false where nothing was saved in this step. */
  rollback(): boolean {
    if (this.saved === undefined) return false;
    this.unit.restore(this.saved);
    this.numbers.set(this.savedPrevious, this.layout.previous);
    this.numbers[this.layout.time] = this.savedTime;
    this.numbers[this.layout.sloped] = this.savedSloped;
    this.isFirst = this.savedIsFirst;
    this.isTerminated = false;
    this.isStale = true;
    return true;
  }

  /** Saved states last until the end of the step. */
  endStep(): void {
    if (this.isStale) this.resolve();
    this.isStale = false;
    if (this.saved === undefined) return;
    this.unit.release(this.saved);
    this.saved = undefined;
  }

  /**
   * How far the unit would go by itself: to the event that it announced, to the first event up to
   * `horizon`, or to where it refuses to go on. Only for units that can be rolled back.
   */
  nextTimeStep(horizon: number): number {
    const now = this.time;
    const announced = this.numbers[this.layout.nextEvent];
    if (announced > now && announced < Number.POSITIVE_INFINITY) return announced - now;
    const canTry = this.unit.phase === "step" && this.canRollBack && horizon > now;
    if (!canTry) return Number.POSITIVE_INFINITY;
    const { predicates } = this.unit.description.capabilities;
    const time: Predicate = { kind: "time", time: horizon };
    const until: Predicate = predicates.includes("event")
      ? { kind: "or", any: [time, { kind: "event", port: -1 }] }
      : time;
    const before = this.unit.save();
    const stop = this.unit.advance(now, until);
    const went = stop.reason === "time" ? Number.POSITIVE_INFINITY : stop.time - now;
    this.unit.restore(before);
    this.unit.release(before);
    return went;
  }

  private settle(time: number): void {
    if (this.unit.phase !== "event" && !this.unit.description.capabilities.eventMode) return;
    if (this.unit.phase !== "event") this.unit.enterEventMode();
    const { terminate, nextEventTime } = settleEvents(this.unit, time);
    this.isTerminated ||= terminate;
    this.numbers[this.layout.nextEvent] = nextEventTime ?? Number.POSITIVE_INFINITY;
    this.unit.enterStepMode();
  }

  private toLongs({ longs }: Bound): void {
    if (longs.length === 0) return;
    for (const { long, slot } of longs) this.longs[long] = longOf(this.numbers[slot]);
  }
  private fromLongs({ longs }: Bound): void {
    if (longs.length === 0) return;
    for (const { long, slot, isUnsigned } of longs) {
      const value = this.longs[long];
      this.numbers[slot] = Number(isUnsigned ? BigInt.asUintN(64, value) : value);
    }
  }
}
