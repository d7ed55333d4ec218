/**
 * Bytes of a peer as unions of the protocol. Nothing here trusts them: every number is read once,
 * held against what it may be, and lists are no longer than the bytes that are left. @throws
 * Nonsense, or EndOfBytes.
 */
import type { Diagnostic, Place } from "../base/diagnostic.ts";
import type { UnitFailure } from "../base/outcome.ts";
import { present } from "../base/present.ts";
import {
  each,
  isBoolean,
  isListOf,
  isNumber,
  isObject,
  isOneOf,
  isOptional,
  isText,
  type Shape,
} from "../base/shapes.ts";
import type { Capabilities } from "../model/unit-description.ts";
import { type ByteReader, EndOfBytes } from "../unit/bytes.ts";
import type { Predicate, Stop } from "../unit/predicate.ts";
import type { Tie } from "../unit/ties.ts";
import type { DiscreteUpdate, FaultCount } from "../unit/unit.ts";
import {
  CALLS,
  DIRECTIONS,
  FAILURES,
  NOTES,
  PHASES,
  PREDICATES,
  REASONS,
  RESULTS,
} from "./codes.ts";
import {
  type AnsweredCall,
  type CallResult,
  type Failure,
  type FromUnit,
  MAX_NOTES,
  Nonsense,
  type Note,
  type Offers,
} from "./protocol.ts";

// ---- calls --------------------------------------------------------------------------------------

/** How deep predicates of a peer may nest. */
const MAX_DEPTH = 16;

/** The call with this number, with its arguments. */
export function takeCall(bytes: ByteReader, number: number): AnsweredCall {
  const kind = CALLS.name(number);
  switch (kind) {
    case "bind":
    case "write":
    case "slopes":
    case "save":
    case "restore":
    case "release":
      throw new Nonsense(`'${kind}' has no answer`);
    case "enterInitialization":
      return {
        kind,
        options: {
          start: bytes.f64(),
          ...present({ stop: takeOptional(bytes), tolerance: takeOptional(bytes) }),
        },
      };
    case "advance":
      return { kind, from: bytes.f64(), until: takePredicate(bytes, MAX_DEPTH) };
    case "serialize":
      return { kind, snapshot: bytes.u32() };
    case "deserialize":
      return { kind, snapshot: bytes.u32(), bytes: bytes.bytes() };
    case "directionalDerivative":
    case "adjointDerivative":
      return {
        kind,
        unknowns: takeNumbers(bytes),
        knowns: takeNumbers(bytes),
        seed: takeDoubles(bytes),
        length: bytes.u32(),
      };
    case "outputDerivatives":
      return { kind, ports: takeNumbers(bytes), orders: takeNumbers(bytes), length: bytes.u32() };
    case "getIntervals":
      return { kind, clocks: takeNumbers(bytes) };
    case "setIntervals":
      return { kind, clocks: takeNumbers(bytes), seconds: [...takeDoubles(bytes)] };
    case "eventsSent":
      return { kind, port: bytes.u32() };
    case "decideTies":
      return { kind, isOn: takeFlag(bytes) };
    default:
      return { kind };
  }
}

function takePredicate(bytes: ByteReader, depth: number): Predicate {
  const kind = PREDICATES.name(bytes.u8());
  switch (kind) {
    case "time":
      return { kind, time: bytes.f64() };
    case "or": {
      if (depth === 0) throw new Nonsense("predicates are nested too deeply");
      const any = Array.from({ length: bytes.count(2) }, () => takePredicate(bytes, depth - 1));
      return { kind, any };
    }
    case "threshold":
      return {
        kind,
        port: bytes.u32(),
        value: bytes.f64(),
        direction: DIRECTIONS.name(bytes.u8()),
      };
    default:
      return { kind, port: bytes.u32() };
  }
}

// ---- answers ------------------------------------------------------------------------------------

type Opened = Extract<FromUnit, { readonly kind: "opened" }>;

export function takeOpened(bytes: ByteReader): Opened {
  return {
    kind: "opened",
    version: bytes.u32(),
    unit: bytes.u32(),
    ports: bytes.u32(),
    capabilities: takeJson(bytes, isCapabilities, "capabilities"),
    offers: takeJson(bytes, isOffers, "offers"),
    phase: PHASES.name(bytes.u8()),
    notes: takeNotes(bytes),
  };
}

export function takeAsk(bytes: ByteReader): Tie {
  const time = bytes.f64();
  const what = bytes.text();
  const among = Array.from({ length: bytes.count(4) }, () => bytes.text());
  return { time, what, among };
}

/** @param stop is filled and handed out where the result is one. */
export function takeResult(bytes: ByteReader, ports: number, stop: Stop): CallResult {
  const kind = RESULTS.name(bytes.u8());
  switch (kind) {
    case "nothing":
      return { kind };
    case "stop":
      takeStop(bytes, ports, stop);
      return { kind, stop };
    case "update":
      return { kind, update: takeUpdate(bytes) };
    case "bytes":
      return { kind, bytes: bytes.bytes() };
    case "numbers":
      return { kind, numbers: takeDoubles(bytes) };
    case "snapshot":
      return { kind, time: takeTime(bytes) };
    case "intervals": {
      const intervals = Array.from({ length: bytes.count(12) }, () => ({
        seconds: bytes.f64(),
        qualifier: bytes.text(),
      }));
      return { kind, intervals };
    }
    case "flag":
      return { kind, flag: takeFlag(bytes) };
    case "counts": {
      const counts = Array.from(
        { length: bytes.count(12) },
        (): FaultCount => ({ name: bytes.text(), activations: bytes.f64() }),
      );
      return { kind, counts };
    }
  }
}

function takeStop(bytes: ByteReader, ports: number, stop: Stop): void {
  stop.reason = REASONS.name(bytes.u8());
  const port = bytes.u32() - 1;
  if (port >= ports) throw new Nonsense(`a stop at port ${port} of ${ports}`);
  stop.port = port;
  stop.time = takeTime(bytes);
}

export function takeFailure(bytes: ByteReader): Failure {
  const kind = FAILURES.name(bytes.u8());
  switch (kind) {
    case "unit":
      return { kind, failure: takeUnitFailure(bytes) };
    case "diagnostics":
      return { kind, diagnostics: takeJson(bytes, isListOf(isDiagnostic), "diagnostics") };
    default:
      return { kind, message: bytes.text() };
  }
}

const NO_NOTES: readonly Note[] = [];

export function takeNotes(bytes: ByteReader): readonly Note[] {
  const count = bytes.count(5);
  if (count > MAX_NOTES) throw new Nonsense(`${count} notes`);
  const notes = count === 0 ? NO_NOTES : Array.from({ length: count }, () => takeNote(bytes));
  // How many bytes they take is said for those who do not want them.
  bytes.u32();
  return notes;
}

function takeNote(bytes: ByteReader): Note {
  const kind = NOTES.name(bytes.u8());
  const unit = bytes.text();
  switch (kind) {
    case "log":
      return { kind, unit, status: bytes.text(), category: bytes.text(), message: bytes.text() };
    case "call":
      return { kind, unit, line: bytes.text() };
    case "diagnostic": {
      const [diagnostic] = takeJson<readonly Diagnostic[]>(bytes, isListOf(isDiagnostic), kind);
      if (diagnostic === undefined) throw new Nonsense("a note without a diagnostic");
      return { kind, unit, diagnostic };
    }
  }
}

function takeUpdate(bytes: ByteReader): DiscreteUpdate {
  const flags = bytes.u8();
  const nextEventTime = takeOptional(bytes);
  return {
    again: (flags & 1) !== 0,
    terminate: (flags & 2) !== 0,
    nominalsChanged: (flags & 4) !== 0,
    statesChanged: (flags & 8) !== 0,
    nextEventTime,
  };
}

function takeUnitFailure(bytes: ByteReader): UnitFailure {
  const [unit, call, status] = [bytes.text(), bytes.text(), bytes.text()];
  const time = bytes.f64();
  const problem = takeFlag(bytes) ? bytes.text() : undefined;
  const log = Array.from({ length: bytes.count(4) }, () => bytes.text());
  return { unit, call, status, time, log, ...present({ problem }) };
}

// ---- parts --------------------------------------------------------------------------------------

/** Where a unit is: any number that is one. */
function takeTime(bytes: ByteReader): number {
  const time = bytes.f64();
  if (!Number.isFinite(time)) throw new Nonsense(`the time ${time}`);
  return time;
}

export function takeFlag(bytes: ByteReader): boolean {
  const flag = bytes.u8();
  if (flag > 1) throw new Nonsense(`${flag} is neither 0 nor 1`);
  return flag === 1;
}

function takeOptional(bytes: ByteReader): number | undefined {
  return takeFlag(bytes) ? bytes.f64() : undefined;
}

export function takeNumbers(bytes: ByteReader): number[] {
  const numbers = new Array<number>(bytes.count(4));
  for (let i = 0; i < numbers.length; i++) numbers[i] = bytes.u32();
  return numbers;
}

export function takeDoubles(bytes: ByteReader): Float64Array {
  const numbers = new Float64Array(bytes.count(8));
  for (let i = 0; i < numbers.length; i++) numbers[i] = bytes.f64();
  return numbers;
}

function takeJson<T>(bytes: ByteReader, shape: Shape, what: string): T {
  let value: unknown;
  try {
    value = JSON.parse(bytes.text());
  } catch (error) {
    if (error instanceof EndOfBytes) throw error;
    throw new Nonsense(`${what} that are not JSON`);
  }
  if (!shape(value)) throw new Nonsense(`${what} of another shape`);
  return value as T;
}

const isDiagnostic: Shape = isObject<Diagnostic>({
  ...each(isText, "code", "message", "fix"),
  severity: isOneOf("error", "warning", "note"),
  place: isObject<Place>({ file: isText, ...each(isOptional(isNumber), "line", "column") }),
});

const isOffers: Shape = isObject<Offers>(
  each(isBoolean, "clocks", "ties", "switching", "faultCounts", "eventsSent"),
);

const isCapabilities: Shape = isObject<Capabilities>({
  ...each(isBoolean, "rollback", "serialize", "directionalDerivatives", "adjointDerivatives"),
  ...each(isNumber, "outputDerivativeOrder", "inputDerivativeOrder"),
  ...each(isBoolean, "variableStep", "eventMode", "earlyReturn", "intermediateUpdate"),
  ...each(isBoolean, "oncePerProcess", "needsExecutionTool"),
  ...each(isOptional(isBoolean), "zeroStep", "announces", "refusesSteps", "mayDiscard"),
  ...each(isOptional(isNumber), "preferredStep", "internalStep"),
  followsInputs: isOptional(isOneOf("every", "declared", "scalars")),
  predicates: isListOf(isOneOf("updated", "ready-to-read", "event", "threshold")),
});
