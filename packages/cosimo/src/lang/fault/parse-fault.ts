/**
 * Faults as text → drafts. One line says one fault, on the command line, in a scenario and in a
 * file of faults:
 *
 *   motor.speed stuck 0 at 3 s for 2 s as jammed
 *   sensor.T noise 0.2 K seed 7 while plant.on
 *   motor fails on control.trip
 *
 * A file may also hold the script of the CoSim20 thesis (§5.2), `@1900 fanIsBroken true`: the port
 * has that value from then on, until the next line about it.
 */
import { type Checked, type Diagnostic, diagnose, type Place } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import type { Expression } from "../../model/adaptation/data.ts";
import {
  FAULT_KIND_NAMES,
  FAULT_KINDS,
  type FaultDraft,
  type FaultEffectDraft,
  type FaultKind,
  type FaultTriggerDraft,
} from "../../model/faults.ts";
import { parseQuantity, parseSeconds } from "../../model/physical-unit-conversion.ts";
import { parseRule } from "../expression/parse-rule.ts";
import { FAULT_TEXT_RULES } from "./diagnostics.ts";

/** What may follow the kind of a fault and its argument. */
const FAULT_OPTIONS = ["at", "for", "until", "on", "while", "seed", "every", "as"] as const;
type FaultOption = (typeof FAULT_OPTIONS)[number];

/** A fault in parts, however it was written. */
export interface FaultWords {
  readonly target: string;
  readonly kind: string;
  readonly argument?: string;
  readonly options: ReadonlyMap<FaultOption, Written>;
  readonly text: string;
  readonly place: Place;
}

export interface Written {
  readonly text: string;
  readonly place: Place;
}

const EXAMPLE = "for example 'motor.speed stuck 0 at 3 s'";

/** One fault in a line. Never throws, whatever the text. */
export function parseFaultLine(text: string, place: Place): Checked<FaultDraft> {
  const words = wordsOf(text, place);
  const [target, kind] = words;
  const line = text.trim();
  if (target === undefined || kind === undefined) {
    return malformed(line, "it does not say what happens", EXAMPLE, place);
  }
  const argument: string[] = [];
  const options = new Map<FaultOption, Written>();
  let option: { readonly name: FaultOption; readonly place: Place } | undefined;
  const wrong = (name: string, why: string, at: Place): Checked<never> =>
    malformed(line, `'${name}' ${why}`, "for example 'motor.speed stuck 0 at 3 s for 2 s'", at);
  for (const word of words.slice(2)) {
    const name = FAULT_OPTIONS.find((one) => one === word.text);
    if (name !== undefined) {
      if (options.has(name)) return wrong(name, "is there twice", word.place);
      if (option && !options.has(option.name)) return wrong(option.name, "is empty", option.place);
      option = { name, place: word.place };
    } else if (option === undefined) argument.push(word.text);
    else {
      const before = options.get(option.name);
      const text = before === undefined ? word.text : `${before.text} ${word.text}`;
      options.set(option.name, { text, place: before?.place ?? word.place });
    }
  }
  if (option && !options.has(option.name)) return wrong(option.name, "is empty", option.place);
  return readFault({
    target: target.text,
    kind: kind.text,
    ...(argument.length > 0 && { argument: argument.join(" ") }),
    options,
    text: line,
    place,
  });
}

function wordsOf(text: string, place: Place): Written[] {
  return [...text.matchAll(/"([^"]*)"|\S+/g)].map((match) => ({
    text: match[1] ?? match[0],
    place:
      place.column === undefined ? place : { ...place, column: place.column + (match.index ?? 0) },
  }));
}

const SCRIPT = /^\s*@\s*(\S+)\s+(\S+)\s+(.*\S)\s*$/;

/** A file of faults: one per line, `#` begins a comment. */
export function parseFaultFile(text: string, file: string): Checked<readonly FaultDraft[]> {
  const diagnostics: Diagnostic[] = [];
  const drafts: FaultDraft[] = [];
  /** The last line of a script about a port: the next one ends it. */
  const open = new Map<string, number>();
  for (const [index, whole] of text.split(/\r?\n/).entries()) {
    const line = whole.replace(/(^|\s)#.*$/, "");
    if (line.trim() === "") continue;
    const place = { file, line: index + 1, column: line.search(/\S/) + 1 };
    const script = SCRIPT.exec(line);
    if (script === null) {
      const read = line.trimStart().startsWith("@")
        ? malformed(line.trim(), "a script line has a time, a port and a value", SCRIPT_FIX, place)
        : parseFaultLine(line, { ...place, column: 1 });
      diagnostics.push(...read.diagnostics);
      if (read.value !== undefined) drafts.push(read.value);
      continue;
    }
    const [, time = "", target = "", value = ""] = script;
    const at = parseSeconds(time);
    if (at === undefined) {
      const why = `'${time}' is not a time`;
      diagnostics.push(...malformed(line.trim(), why, SCRIPT_FIX, place).diagnostics);
      continue;
    }
    const before = open.get(target) ?? -1;
    const last = drafts[before];
    if (last !== undefined) drafts[before] = endedAt(last, at);
    open.set(target, drafts.length);
    const when = { kind: "time", at, until: Number.POSITIVE_INFINITY } as const;
    const name = `${target}@${time}`;
    const effect = { kind: "stuck", value } as const;
    drafts.push({ name, target, effect, when, text: line.trim(), place });
  }
  return { value: drafts, diagnostics };
}

const SCRIPT_FIX = "for example '@1900 fanIsBroken true'";

function endedAt(draft: FaultDraft, until: number): FaultDraft {
  return draft.when.kind === "time" ? { ...draft, when: { ...draft.when, until } } : draft;
}

function malformed(text: string, why: string, fix: string, place: Place): Checked<never> {
  return {
    diagnostics: [diagnose(FAULT_TEXT_RULES, "fault-malformed", { text, why, fix }, place)],
  };
}

/** A mistake, where the rest of the fault does not matter any more. */
class Mistake extends Error {
  readonly diagnostic: Diagnostic;
  constructor(diagnostic: Diagnostic) {
    super(diagnostic.message);
    this.diagnostic = diagnostic;
  }
}

export function readFault(words: FaultWords): Checked<FaultDraft> {
  try {
    const { target, text, place, options } = words;
    const kind = kindOf(words);
    const effect = effectOf(words, kind);
    const when = triggerOf(words);
    const name = options.get("as")?.text;
    return {
      value: { ...(name !== undefined && { name }), target, effect, when, text, place },
      diagnostics: [],
    };
  } catch (error) {
    if (error instanceof Mistake) return { diagnostics: [error.diagnostic] };
    throw error;
  }
}

/** Words that people use for the same thing. */
const SYNONYMS: Readonly<Record<string, FaultKind>> = {
  "stuck-at": "stuck",
  freezes: "frozen",
  freeze: "frozen",
  fail: "fails",
  dropout: "drop-out",
  bitflip: "bit-flip",
  scale: "gain",
};

function kindOf({ kind, place }: FaultWords): FaultKind {
  const found = SYNONYMS[kind] ?? FAULT_KIND_NAMES.find((name) => name === kind);
  if (found !== undefined) return found;
  const params = { kind, nearest: nearest(kind, FAULT_KIND_NAMES), known: FAULT_KIND_NAMES };
  throw new Mistake(diagnose(FAULT_TEXT_RULES, "fault-kind-unknown", params, place));
}

function effectOf(words: FaultWords, kind: FaultKind): FaultEffectDraft {
  const { argument } = words;
  const sampled = kind === "noise" || kind === "drop-out";
  for (const option of ["seed", "every"] as const)
    if (!sampled && words.options.has(option))
      fail(words, `'${option}' is for noise and drop-out`, `remove '${option}'`);
  const isPlain = kind === "frozen" || kind === "fails";
  if (isPlain && argument !== undefined)
    fail(words, `'${kind}' takes no value`, `write '${words.target} ${kind} at 3 s'`);
  if (!isPlain && kind !== "stuck" && kind !== "drop-out" && argument === undefined) {
    const { argument: what, example } = FAULT_KINDS[kind];
    fail(words, `'${kind}' needs ${what}`, `for example '${words.target} ${example} at 3 s'`);
  }
  const given = argument ?? "";
  switch (kind) {
    case "stuck":
      return { kind, ...(argument !== undefined && { value: argument }) };
    case "gain":
      return { kind, factor: numberOf(words, given, "a number", () => true) };
    case "bit-flip": {
      const isBit = (bit: number): boolean => Number.isInteger(bit) && bit >= 0 && bit < 64;
      return { kind, bit: numberOf(words, given, "a bit from 0 to 63", isBit) };
    }
    case "delay": {
      const seconds = parseSeconds(given);
      if (seconds === undefined || !(seconds > 0))
        fail(words, `'${given}' is not a time above 0`, "for example 'delay 20 ms'");
      return { kind, seconds };
    }
    case "drop-out": {
      const isPart = (part: number): boolean => part > 0 && part <= 1;
      const probability =
        argument === undefined ? 1 : numberOf(words, given, "a number above 0, at most 1", isPart);
      return { kind, probability, ...samplingOf(words) };
    }
    case "offset":
    case "noise":
    case "drift": {
      const amount = amountOf(words, given, kind === "drift");
      return kind === "noise" ? { kind, ...amount, ...samplingOf(words) } : { kind, ...amount };
    }
    default:
      return { kind };
  }
}

function samplingOf(words: FaultWords): { readonly seed: number; readonly every?: number } {
  const { options } = words;
  const seed = options.get("seed")?.text ?? "1";
  const isSeed = (value: number): boolean => Number.isInteger(value) && value >= 0;
  const every = options.get("every");
  return {
    seed: numberOf(words, seed, "a whole number of 0 or more", isSeed),
    ...(every !== undefined && { every: durationOf(words, "every", every) }),
  };
}

function numberOf(
  words: FaultWords,
  text: string,
  expected: string,
  accepts: (value: number) => boolean,
): number {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isFinite(value) && accepts(value)) return value;
  return fail(words, `'${text}' is not ${expected}`, EXAMPLE);
}

/** `2 K`, and of a drift what changes per second: `0.1 K/s`, `6 K/min`. */
function amountOf(
  words: FaultWords,
  text: string,
  perTime: boolean,
): { readonly amount: number; readonly unit?: string } {
  const quantity = parseQuantity(text);
  if (quantity === undefined)
    return fail(words, `'${text}' is not a number, with a unit or without`, "for example '0.5 K'");
  const { value, unit } = quantity;
  const slash = perTime ? unit.lastIndexOf("/") : -1;
  if (slash < 0) return { amount: value, ...(unit !== "" && { unit }) };
  const seconds = parseSeconds(`1 ${unit.slice(slash + 1)}`);
  if (seconds === undefined)
    return fail(words, `'${unit.slice(slash + 1)}' is not a unit of time`, "for example '0.1 K/s'");
  const above = unit.slice(0, slash);
  return { amount: value / seconds, ...(above !== "" && above !== "1" && { unit: above }) };
}

function durationOf(words: FaultWords, option: string, { text }: Written): number {
  const seconds = parseSeconds(text);
  if (seconds !== undefined && seconds > 0) return seconds;
  return fail(words, `'${option} ${text}' is not a time above 0`, `for example '${option} 2 s'`);
}

function instantOf(words: FaultWords, option: string, { text }: Written): number {
  const seconds = parseSeconds(text);
  if (seconds !== undefined && Number.isFinite(seconds)) return seconds;
  return fail(words, `'${option} ${text}' is not a time`, `for example '${option} 3 s'`);
}

function triggerOf(words: FaultWords): FaultTriggerDraft {
  const { options } = words;
  const [at, lasts, until] = [options.get("at"), options.get("for"), options.get("until")];
  const [on, during] = [options.get("on"), options.get("while")];
  const begins = (["at", "on", "while"] as const).filter((option) => options.has(option));
  if (begins.length > 1)
    fail(words, `'${begins.join("' and '")}' both say when it begins`, "keep one of them");
  if (lasts !== undefined && until !== undefined)
    fail(words, "'for' and 'until' both say when it ends", "keep one of them");
  if (during !== undefined) {
    if (lasts !== undefined || until !== undefined)
      fail(words, "it ends with its condition", "remove 'for' and 'until', or use 'on'");
    return { kind: "while", condition: conditionOf(during) };
  }
  if (on !== undefined) {
    if (until !== undefined) fail(words, "how long it lasts is unknown", "use 'for 2 s'");
    const duration = lasts ? durationOf(words, "for", lasts) : Number.POSITIVE_INFINITY;
    return { kind: "on", condition: conditionOf(on), lasts: duration };
  }
  if (lasts !== undefined && at === undefined)
    fail(words, "'for' needs a beginning", "add 'at 3 s', or use 'until'");
  const begin = at ? instantOf(words, "at", at) : Number.NEGATIVE_INFINITY;
  const end = until
    ? instantOf(words, "until", until)
    : lasts
      ? begin + durationOf(words, "for", lasts)
      : Number.POSITIVE_INFINITY;
  if (!(end > begin)) fail(words, "it ends before it begins", "let 'until' be later than 'at'");
  return { kind: "time", at: begin, until: end };
}

function conditionOf({ text, place }: Written): Expression {
  const read = parseRule(text, place);
  if ("expression" in read) return read.expression;
  const { message, fix, at } = read.mistake;
  const there = place.column === undefined ? place : { ...place, column: place.column + at };
  throw new Mistake(diagnose(FAULT_TEXT_RULES, "fault-condition", { text, message, fix }, there));
}

function fail({ text, place }: FaultWords, why: string, fix: string): never {
  throw new Mistake(diagnose(FAULT_TEXT_RULES, "fault-malformed", { text, why, fix }, place));
}
