/**
 * Answers the messages of the protocol for units that it has: the other end of `RemoteUnit`. Knows
 * nothing of where the messages come from, and does not trust them: what names a unit, an access or
 * a snapshot that is not there is refused without touching a unit.
 */
import { DiagnosticsError } from "../base/diagnostic.ts";
import { UnitError } from "../base/outcome.ts";
import { type Banks, makeBanks } from "../model/value-type.ts";
import { type ByteReader, type ByteWriter, EndOfBytes } from "../unit/bytes.ts";
import type { Ties } from "../unit/ties.ts";
import {
  type Access,
  CapabilityError,
  PhaseError,
  type Snapshot,
  type Unit,
} from "../unit/unit.ts";
import { CALLS, FIRST_ANSWERED, TO_UNIT } from "./codes.ts";
import { takeCall, takeDoubles, takeNumbers } from "./decode.ts";
import { beginAnswer, putFailure, putNotes, putOpened, putResult } from "./encode.ts";
import {
  type AnsweredCall,
  type CallResult,
  type Failure,
  MAX_UNITS,
  Nonsense,
  type Note,
  type Offers,
  PROTOCOL_VERSION,
  type QuietCall,
} from "./protocol.ts";
import { type Redact, redactedFailure, redactedNote } from "./redact.ts";
import { banksOf, compactLayout, putValues, takeValues } from "./values.ts";

export interface UnitServerOptions {
  /** Opens the unit that a caller orders; `index` counts the opened ones. */
  readonly open: (order: string, index: number) => Unit | Promise<Unit>;
  /** What came up since the last time, for the caller. */
  readonly takeNotes?: () => readonly Note[];
  /** Asks the caller to order simultaneous events; absent where a call cannot be interrupted. */
  readonly ties?: Ties;
  /** What the caller may read of the texts of failures and notes; default: all of it. */
  readonly redact?: Redact;
}

interface ServedAccess {
  readonly access: Access;
  readonly banks: Banks;
}

interface ServedUnit {
  readonly unit: Unit;
  readonly offers: Offers;
  readonly accesses: Map<number, ServedAccess>;
  readonly snapshots: Map<number, Snapshot>;
}

const NONE: readonly Note[] = [];
const NO_BANKS: Banks = makeBanks({});

export class UnitServer {
  private readonly options: UnitServerOptions;
  private readonly units: ServedUnit[] = [];
  /** The caller wants nothing more. */
  isOver = false;

  constructor(options: UnitServerOptions) {
    this.options = options;
  }

  /**
   * Handles one message.
   * @param answer gets the answer.
   * @returns a promise for a message that opens a unit: the next one is to wait for it.
   * @throws Nonsense or EndOfBytes for what is not a message; nothing more should be taken from
   * this caller then.
   */
  handle(message: ByteReader, answer: ByteWriter): void | Promise<void> {
    const kind = TO_UNIT.name(message.u8());
    answer.cut(0);
    if (kind === "open") return this.open(message, answer);
    if (kind === "close") {
      this.isOver = true;
      return;
    }
    if (kind === "choice") throw new Nonsense("a choice that was not requested");
    this.batch(message, answer);
  }

  private open(message: ByteReader, answer: ByteWriter): void | Promise<void> {
    const version = message.u32();
    if (version !== PROTOCOL_VERSION)
      throw new Nonsense(`version ${version} of the protocol; this is ${PROTOCOL_VERSION}`);
    const index = this.units.length;
    if (index >= MAX_UNITS) throw new Nonsense("too many units");
    const order = message.text();
    const failed = (error: unknown): void =>
      this.fail(answer, error, "instantiated", Number.POSITIVE_INFINITY);
    const opened = (unit: Unit): void => {
      const offers: Offers = {
        clocks: unit.clocks !== undefined,
        ties: unit.ties !== undefined && this.options.ties !== undefined,
        switching: unit.switching !== undefined,
        faultCounts: unit.faultCounts !== undefined,
        eventsSent: unit.eventsSent !== undefined,
      };
      this.units.push({ unit, offers, accesses: new Map(), snapshots: new Map() });
      putOpened(answer, {
        kind: "opened",
        version: PROTOCOL_VERSION,
        unit: index,
        ports: unit.description.ports.length,
        capabilities: unit.description.capabilities,
        offers,
        phase: unit.phase,
        notes: this.takeNotes(),
      });
    };
    try {
      const made = this.options.open(order, index);
      if (!(made instanceof Promise)) return opened(made);
      return made.then(opened).catch(failed);
    } catch (error) {
      failed(error);
    }
  }

  private batch(message: ByteReader, answer: ByteWriter): void {
    const served = this.units[message.u32()];
    if (served === undefined) throw new Nonsense("a call of a unit that was not opened");
    const { unit } = served;
    let isTouched = false;
    try {
      let code = message.u8();
      let failure: { readonly error: unknown } | undefined;
      for (; code < FIRST_ANSWERED; code = message.u8()) {
        const call = this.takeQuiet(served, code, message);
        // Behind a call that fails nothing is done to the unit; names that were given stay given.
        if (failure !== undefined && call.kind !== "bind") continue;
        try {
          quiet(served, call);
        } catch (error) {
          failure ??= { error };
        }
      }
      const call = takeCall(message, code);
      const reads = takeNumbers(message);
      isTouched = true;
      if (failure !== undefined) throw failure.error;
      const result = perform(served, call, this.options.ties);
      beginAnswer(answer, "done", unit.phase, nextSwitch(served));
      putResult(answer, result);
      // Reads are all that a call of nothing is about; behind others they are a guess of the
      // caller.
      for (const access of reads) read(served, access, answer, call.kind !== "nothing");
      putNotes(answer, this.takeNotes());
    } catch (error) {
      if (error instanceof Nonsense || (!isTouched && error instanceof EndOfBytes)) throw error;
      answer.cut(0);
      this.fail(answer, error, unit.phase, nextSwitch(served));
    }
  }

  /** Values are read into the banks of their access. */
  private takeQuiet(served: ServedUnit, code: number, message: ByteReader): QuietCall {
    const kind = CALLS.name(code);
    switch (kind) {
      case "bind": {
        const call = { kind, access: message.u32(), ports: takeNumbers(message) } as const;
        const { length } = served.unit.description.ports;
        if (call.ports.some((port) => port >= length)) throw new Nonsense("an unknown port");
        return call;
      }
      case "write": {
        const access = message.u32();
        const { banks: values } = accessOf(served, access);
        takeValues(message, values);
        return { kind, access, values };
      }
      case "slopes": {
        const [ports, orders] = [takeNumbers(message), takeNumbers(message)];
        return { kind, ports, orders, values: takeDoubles(message) };
      }
      case "save":
      case "restore":
      case "release":
        return { kind, snapshot: message.u32() };
      default:
        throw new Nonsense(`'${kind}' among calls without an answer`);
    }
  }

  private fail(answer: ByteWriter, error: unknown, phase: Unit["phase"], next: number): void {
    beginAnswer(answer, "failed", phase, next);
    const { redact } = this.options;
    const failure = failureOf(error);
    putFailure(answer, redact === undefined ? failure : redactedFailure(failure, redact));
    putNotes(answer, this.takeNotes());
  }

  private takeNotes(): readonly Note[] {
    const { redact, takeNotes } = this.options;
    const notes = takeNotes?.() ?? NONE;
    return redact === undefined ? notes : notes.map((note) => redactedNote(note, redact));
  }
}

function quiet(served: ServedUnit, call: QuietCall): void {
  const { unit, accesses, snapshots } = served;
  switch (call.kind) {
    case "bind": {
      const layout = compactLayout(unit.name, unit.description.ports, call.ports);
      accesses.set(call.access, { access: unit.bind(layout.slots), banks: banksOf(layout) });
      break;
    }
    case "write":
      unit.write(accessOf(served, call.access).access, call.values);
      break;
    case "slopes":
      unit.setInputDerivatives(call.ports, call.orders, call.values);
      break;
    case "save":
      snapshots.set(call.snapshot, unit.save());
      break;
    case "restore":
      unit.restore(snapshotOf(served, call.snapshot));
      break;
    case "release":
      unit.release(snapshotOf(served, call.snapshot));
      snapshots.delete(call.snapshot);
      break;
  }
}

function perform(served: ServedUnit, call: AnsweredCall, ties: Ties | undefined): CallResult {
  const { unit, snapshots } = served;
  switch (call.kind) {
    case "advance":
      return { kind: "stop", stop: unit.advance(call.from, call.until) };
    case "nothing":
      return NOTHING;
    case "enterInitialization":
      unit.enterInitialization(call.options);
      return NOTHING;
    case "exitInitialization":
    case "enterEventMode":
    case "enterStepMode":
    case "terminate":
    case "reset":
    case "dispose":
      unit[call.kind]();
      return NOTHING;
    case "updateDiscreteStates":
      return { kind: "update", update: unit.updateDiscreteStates() };
    case "serialize":
      return { kind: "bytes", bytes: unit.serialize(snapshotOf(served, call.snapshot)) };
    case "deserialize": {
      const snapshot = unit.deserialize(call.bytes);
      snapshots.set(call.snapshot, snapshot);
      return { kind: "snapshot", time: snapshot.time };
    }
    case "directionalDerivative":
    case "adjointDerivative": {
      const out = new Float64Array(boundedLength(unit, call.length));
      unit[call.kind](call.unknowns, call.knowns, call.seed, out);
      return { kind: "numbers", numbers: out };
    }
    case "outputDerivatives": {
      const out = new Float64Array(boundedLength(unit, call.length));
      unit.getOutputDerivatives(call.ports, call.orders, out);
      return { kind: "numbers", numbers: out };
    }
    case "getIntervals":
      return { kind: "intervals", intervals: unit.clocks?.getIntervals(call.clocks) ?? [] };
    case "setIntervals":
      unit.clocks?.setIntervals(call.clocks, call.seconds);
      return NOTHING;
    case "isDue":
      return { kind: "flag", flag: unit.switching?.isDue() ?? false };
    case "switch":
      unit.switching?.switch();
      return NOTHING;
    case "faultCounts":
      return { kind: "counts", counts: unit.faultCounts?.() ?? [] };
    case "eventsSent": {
      const count = unit.eventsSent?.(call.port);
      return { kind: "numbers", numbers: Float64Array.from(count === undefined ? [] : [count]) };
    }
    case "decideTies":
      unit.ties?.decideBy(call.isOn ? ties : undefined);
      return NOTHING;
  }
}

const NOTHING: CallResult = { kind: "nothing" };

/**
 * Elements of a result: no more than a derivative of everything has, and a caller of arrays may
 * want.
 */
function boundedLength(unit: Unit, length: number): number {
  if (length > MAX_DERIVATIVES) throw new Nonsense(`${length} derivatives of '${unit.name}'`);
  return length;
}

const MAX_DERIVATIVES = 1 << 26;

/** @param isGuess one that fails is left out: the caller asks again if it needs the values. */
function read(served: ServedUnit, id: number, answer: ByteWriter, isGuess: boolean): void {
  const { access, banks } = accessOf(served, id);
  try {
    served.unit.read(access, banks);
  } catch (error) {
    if (!isGuess) throw error;
    answer.u8(0);
    return;
  }
  answer.u8(1);
  putValues(answer, access.slots.length === 0 ? NO_BANKS : banks);
}

function nextSwitch({ unit, offers }: ServedUnit): number {
  if (!offers.switching || unit.phase === "disposed") return Number.POSITIVE_INFINITY;
  return unit.switching?.nextTime ?? Number.POSITIVE_INFINITY;
}

function accessOf({ accesses }: ServedUnit, id: number): ServedAccess {
  const found = accesses.get(id);
  if (found === undefined) throw new Nonsense(`the access ${id} was not bound`);
  return found;
}

function snapshotOf({ snapshots }: ServedUnit, id: number): Snapshot {
  const found = snapshots.get(id);
  if (found === undefined) throw new Error(`there is no snapshot ${id}`);
  return found;
}

function failureOf(error: unknown): Failure {
  if (error instanceof UnitError) return { kind: "unit", failure: error.failure };
  if (error instanceof DiagnosticsError)
    return { kind: "diagnostics", diagnostics: error.diagnostics };
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof PhaseError) return { kind: "phase", message };
  if (error instanceof CapabilityError) return { kind: "capability", message };
  return { kind: error instanceof RangeError ? "range" : "other", message };
}
