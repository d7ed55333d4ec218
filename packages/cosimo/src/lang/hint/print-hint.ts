/**
 * A file of hints as text, in the one way that the formatter writes. Comments come from outside
 * (format-hint.ts), by the place of what they belong to.
 */
import type { Place } from "../../base/diagnostic.ts";
import type { Interval, Scope } from "../../model/requirement.ts";
import { printFormula, printSignal } from "../requirement/print-formula.ts";
import { END, indented, keyOf, type Notes, withNotes } from "../text/notes.ts";
import { printQuoted } from "../text/quoted-names.ts";
import {
  type HintFileSpec,
  type HintSpec,
  PATTERNS,
  type PatternSpec,
  type StatementSpec,
} from "./hint-file.ts";
import { printName } from "./language.ts";

export type NotesOf = (key: string) => Notes | undefined;

export function printHints({ scenario, hints }: HintFileSpec, notesOf: NotesOf): string {
  const noted = (place: Place, head: readonly string[], body: readonly string[] = []): string[] =>
    withNotes(notesOf(keyOf(place)), head, body);
  const groups: string[][] = [
    scenario === undefined ? [] : [`for ${printQuoted(scenario)}`],
    ...hints.map((hint) => noted(hint.place, [`Hint ${printName(hint.name)} {`], hintLines(hint))),
    [...(notesOf(END)?.before ?? [])],
  ];
  const written = groups.filter((lines) => lines.length > 0).map((lines) => lines.join("\n"));
  return `${written.join("\n\n")}\n`;

  function hintLines({ description, statements, scope, pattern }: HintSpec): string[] {
    const lines = [
      ...(description === undefined ? [] : [`description ${printQuoted(description)}`]),
      ...(statements.length === 0
        ? []
        : [
            "statements {",
            ...indented(statements.flatMap((one) => noted(one.place, [statementText(one)]))),
            "}",
          ]),
      ...noted(scope.place, [`scope ${scopeText(scope)}`]),
      ...noted(pattern.place, [`pattern ${patternText(pattern)}`]),
    ];
    return [...indented(lines), "}"];
  }
}

function statementText({ kind, name, value }: StatementSpec): string {
  const head = `${kind} ${printName(name)} :=`;
  switch (value.kind) {
    case "formula":
      return `${head} ${printFormula(value.formula)}`;
    case "power-bond": {
      const [left, right] = value.ports.map(printSignal);
      return `${head} ${left} == PowerBondSuggestions with ${right}`;
    }
    case "unit-property": {
      const unit = value.measure === undefined ? "" : ` ${value.measure}`;
      const owner = `${printName(value.unit)}.${printName(value.property)}`;
      return `${head} FMUProperty ${owner} == val ${value.value}${unit}`;
    }
  }
}

export function scopeText(scope: Scope<string>): string {
  switch (scope.kind) {
    case "globally":
      return "Globally";
    case "before":
      return `Before ${printFormula(scope.end)}`;
    case "after":
      // As tight as in front of `until`, which may follow.
      return `After ${printFormula(scope.begin, DISJUNCTION)}`;
    case "between":
      return `Between ${printFormula(scope.begin, PREFIXED)} and ${printFormula(scope.end)}`;
    case "after-until":
      return `After ${printFormula(scope.begin, DISJUNCTION)} until ${printFormula(scope.end)}`;
  }
}

/** Levels of print-formula.ts. */
const DISJUNCTION = 3;
const PREFIXED = 5;

export function patternText(pattern: PatternSpec): string {
  const { kind, first, second, interval } = pattern;
  const { usage, time } = PATTERNS[kind];
  const text = usage
    .replace(/ every 2 s$| 2 s$/, "")
    .replace(/\b[PS]\b/g, (letter) =>
      printFormula(letter === "P" || second === undefined ? first : second),
    );
  return `${kind}: ${text}${boundText(kind, time, interval)}`;
}

function boundText(kind: string, time: string, interval: Interval | undefined): string {
  if (interval === undefined) return "";
  const { from, to } = interval;
  if (time === "needed") return ` ${to} s`;
  if (kind === "Recurrence") return ` every ${to} s`;
  if (kind === "Invariance") return ` for ${to} s`;
  if (to === undefined) return ` after ${from} s`;
  return from === 0 ? ` within ${to} s` : ` between ${from} s and ${to} s`;
}
