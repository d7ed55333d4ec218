/**
 * The unions of the protocol as bytes. Lists begin with their length, what may be absent with 0 or
 * 1.
 */
import type { Diagnostic } from "../base/diagnostic.ts";
import type { UnitFailure } from "../base/outcome.ts";
import type { ByteWriter } from "../unit/bytes.ts";
import type { Predicate } from "../unit/predicate.ts";
import type { DiscreteUpdate, Phase } from "../unit/unit.ts";
import {
  CALLS,
  DIRECTIONS,
  FAILURES,
  FROM_UNIT,
  NOTES,
  PHASES,
  PREDICATES,
  REASONS,
  RESULTS,
  TO_UNIT,
} from "./codes.ts";
import {
  type AnsweredCall,
  type CallResult,
  type Failure,
  type FromUnit,
  MAX_NOTES,
  type Note,
  type QuietCall,
  type ToUnit,
} from "./protocol.ts";
import { putValues } from "./values.ts";

export function putMessage(
  bytes: ByteWriter,
  message: Exclude<ToUnit, { readonly kind: "batch" }>,
): void {
  bytes.u8(TO_UNIT.of(message.kind));
  if (message.kind === "choice") bytes.u32(message.place);
  else if (message.kind === "open") {
    bytes.u32(message.version);
    bytes.text(message.order);
  }
}

/** Calls follow: quiet ones, one with an answer, and what is to be read (`putReads`). */
export function beginBatch(bytes: ByteWriter, unit: number): void {
  bytes.u8(TO_UNIT.of("batch"));
  bytes.u32(unit);
}

export function putQuiet(bytes: ByteWriter, call: QuietCall): void {
  bytes.u8(CALLS.of(call.kind));
  switch (call.kind) {
    case "bind":
      bytes.u32(call.access);
      putNumbers(bytes, call.ports);
      break;
    case "write":
      bytes.u32(call.access);
      putValues(bytes, call.values);
      break;
    case "slopes":
      putNumbers(bytes, call.ports);
      putNumbers(bytes, call.orders);
      putDoubles(bytes, call.values);
      break;
    case "save":
    case "restore":
    case "release":
      bytes.u32(call.snapshot);
      break;
  }
}

export function putCall(bytes: ByteWriter, call: AnsweredCall): void {
  bytes.u8(CALLS.of(call.kind));
  switch (call.kind) {
    case "enterInitialization":
      bytes.f64(call.options.start);
      putOptional(bytes, call.options.stop);
      putOptional(bytes, call.options.tolerance);
      break;
    case "advance":
      bytes.f64(call.from);
      putPredicate(bytes, call.until);
      break;
    case "serialize":
      bytes.u32(call.snapshot);
      break;
    case "deserialize":
      bytes.u32(call.snapshot);
      bytes.bytes(call.bytes);
      break;
    case "directionalDerivative":
    case "adjointDerivative":
      putNumbers(bytes, call.unknowns);
      putNumbers(bytes, call.knowns);
      putDoubles(bytes, call.seed);
      bytes.u32(call.length);
      break;
    case "outputDerivatives":
      putNumbers(bytes, call.ports);
      putNumbers(bytes, call.orders);
      bytes.u32(call.length);
      break;
    case "getIntervals":
      putNumbers(bytes, call.clocks);
      break;
    case "setIntervals":
      putNumbers(bytes, call.clocks);
      putDoubles(bytes, call.seconds);
      break;
    case "eventsSent":
      bytes.u32(call.port);
      break;
    case "decideTies":
      bytes.u8(call.isOn ? 1 : 0);
      break;
    default:
      // The others are their names.
      break;
  }
}

export function putReads(bytes: ByteWriter, accesses: readonly { readonly id: number }[]): void {
  bytes.u32(accesses.length);
  for (let i = 0; i < accesses.length; i++) bytes.u32(accesses[i].id);
}

/** Predicates inside predicates are rare, and as deep as the caller makes them. */
function putPredicate(bytes: ByteWriter, until: Predicate): void {
  bytes.u8(PREDICATES.of(until.kind));
  switch (until.kind) {
    case "time":
      bytes.f64(until.time);
      break;
    case "or":
      bytes.u32(until.any.length);
      for (const part of until.any) putPredicate(bytes, part);
      break;
    case "threshold":
      bytes.u32(until.port);
      bytes.f64(until.value);
      bytes.u8(DIRECTIONS.of(until.direction));
      break;
    default:
      bytes.u32(until.port);
      break;
  }
}

// ---- answers ------------------------------------------------------------------------------------

export function putOpened(
  bytes: ByteWriter,
  answer: Extract<FromUnit, { readonly kind: "opened" }>,
): void {
  bytes.u8(FROM_UNIT.of("opened"));
  bytes.u32(answer.version);
  bytes.u32(answer.unit);
  bytes.u32(answer.ports);
  bytes.text(JSON.stringify(answer.capabilities));
  bytes.text(JSON.stringify(answer.offers));
  bytes.u8(PHASES.of(answer.phase));
  putNotes(bytes, answer.notes);
}

/** What every answer to a batch begins with. */
export function beginAnswer(
  bytes: ByteWriter,
  kind: "done" | "failed",
  phase: Phase,
  nextSwitch: number,
): void {
  bytes.u8(FROM_UNIT.of(kind));
  bytes.u8(PHASES.of(phase));
  bytes.f64(nextSwitch);
}

export function putAsk(
  bytes: ByteWriter,
  { tie }: Extract<FromUnit, { readonly kind: "ask" }>,
): void {
  bytes.u8(FROM_UNIT.of("ask"));
  bytes.f64(tie.time);
  bytes.text(tie.what);
  bytes.u32(tie.among.length);
  for (const name of tie.among) bytes.text(name);
}

export function putResult(bytes: ByteWriter, result: CallResult): void {
  bytes.u8(RESULTS.of(result.kind));
  switch (result.kind) {
    case "stop":
      bytes.u8(REASONS.of(result.stop.reason));
      // -1 is not a port.
      bytes.u32(result.stop.port + 1);
      bytes.f64(result.stop.time);
      break;
    case "update":
      putUpdate(bytes, result.update);
      break;
    case "bytes":
      bytes.bytes(result.bytes);
      break;
    case "numbers":
      putDoubles(bytes, result.numbers);
      break;
    case "snapshot":
      bytes.f64(result.time);
      break;
    case "intervals":
      bytes.u32(result.intervals.length);
      for (const { seconds, qualifier } of result.intervals) {
        bytes.f64(seconds);
        bytes.text(qualifier);
      }
      break;
    case "flag":
      bytes.u8(result.flag ? 1 : 0);
      break;
    case "counts":
      bytes.u32(result.counts.length);
      for (const { name, activations } of result.counts) {
        bytes.text(name);
        bytes.f64(activations);
      }
      break;
    case "nothing":
      break;
  }
}

export function putFailure(bytes: ByteWriter, failure: Failure): void {
  bytes.u8(FAILURES.of(failure.kind));
  if (failure.kind === "unit") putUnitFailure(bytes, failure.failure);
  else if (failure.kind === "diagnostics") putDiagnostics(bytes, failure.diagnostics);
  else bytes.text(failure.message);
}

/**
 * The end of every answer: notes, and how many bytes they take. Answers are compared without them
 * (restarting-transport.ts).
 */
export function putNotes(bytes: ByteWriter, notes: readonly Note[]): void {
  const count = Math.min(notes.length, MAX_NOTES);
  const before = bytes.length;
  bytes.u32(count);
  for (let i = 0; i < count; i++) putNote(bytes, notes[i]);
  bytes.u32(bytes.length - before + 4);
}

function putNote(bytes: ByteWriter, note: Note): void {
  bytes.u8(NOTES.of(note.kind));
  bytes.text(note.unit);
  switch (note.kind) {
    case "log":
      bytes.text(note.status);
      bytes.text(note.category);
      bytes.text(note.message);
      break;
    case "diagnostic":
      putDiagnostics(bytes, [note.diagnostic]);
      break;
    case "call":
      bytes.text(note.line);
      break;
  }
}

function putUpdate(bytes: ByteWriter, update: DiscreteUpdate): void {
  const { again, terminate, nominalsChanged, statesChanged, nextEventTime } = update;
  const flags = [again, terminate, nominalsChanged, statesChanged];
  bytes.u8(flags.reduce((bits, flag, i) => bits | (flag ? 1 << i : 0), 0));
  putOptional(bytes, nextEventTime);
}

function putUnitFailure(bytes: ByteWriter, failure: UnitFailure): void {
  const { unit, call, status, time, problem, log } = failure;
  bytes.text(unit);
  bytes.text(call);
  bytes.text(status);
  bytes.f64(time);
  bytes.u8(problem === undefined ? 0 : 1);
  if (problem !== undefined) bytes.text(problem);
  bytes.u32(log.length);
  for (const line of log) bytes.text(line);
}

function putDiagnostics(bytes: ByteWriter, diagnostics: readonly Diagnostic[]): void {
  bytes.text(JSON.stringify(diagnostics));
}

// ---- parts --------------------------------------------------------------------------------------

function putNumbers(bytes: ByteWriter, numbers: readonly number[]): void {
  bytes.u32(numbers.length);
  for (let i = 0; i < numbers.length; i++) bytes.u32(numbers[i]);
}

function putDoubles(bytes: ByteWriter, numbers: ArrayLike<number>): void {
  bytes.u32(numbers.length);
  for (let i = 0; i < numbers.length; i++) bytes.f64(numbers[i]);
}

function putOptional(bytes: ByteWriter, value: number | undefined): void {
  bytes.u8(value === undefined ? 0 : 1);
  if (value !== undefined) bytes.f64(value);
}
