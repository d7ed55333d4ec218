/**
 * Requirements against a trace that is there: one that was just recorded, or one from a file.
 */
import { type Checked, type Diagnostic, diagnose, reporterFor } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { parseRequirement } from "../lang/requirement/parse-requirement.ts";
import { parseUnit } from "../model/physical-unit-parse.ts";
import type { Requirement } from "../model/requirement.ts";
import {
  type FoundSignal,
  resolveRequirement,
  type SignalLookup,
} from "../model/resolve-requirement.ts";
import { REQUIREMENT_RULES } from "../model/resolve-requirement-diagnostics.ts";
import { RECORD_DIAGNOSTICS } from "../record/diagnostics.ts";
import type { Column, Trace } from "../record/trace.ts";
import { bindTrace } from "../requirements/bind-trace.ts";
import { checkRequirement, type Verdict } from "../requirements/check-requirement.ts";

/**
 * A verdict per requirement, in their order. @throws Error where the trace lacks a column that one
 * of them needs.
 */
export function verdictsOf(
  requirements: readonly Requirement[],
  trace: Pick<Trace, "time" | "columns">,
): Verdict[] {
  return requirements.map((one) => checkRequirement(one, bindTrace(one, trace)));
}

/**
 * Checks requirements in their short form (`always motor.current < 5 A`) against the columns of a
 * trace. Types and units are those of the columns.
 * @returns a verdict for every requirement, in their order; no value where one of them cannot be
 * read.
 */
export function checkTrace(
  trace: Pick<Trace, "time" | "columns">,
  requirements: readonly string[],
): Checked<readonly Verdict[]> {
  const diagnostics: Diagnostic[] = [];
  const lookup = lookupIn(trace, diagnostics);
  const report = reporterFor(REQUIREMENT_RULES, diagnostics);
  const found = requirements.flatMap((text) => {
    const read = parseRequirement(text, { file: text, line: 1, column: 1 });
    diagnostics.push(...read.diagnostics);
    if (read.value === undefined) return [];
    const name = read.value.name ?? read.value.text;
    return resolveRequirement(read.value, name, lookup, report) ?? [];
  });
  if (found.length < requirements.length) return { diagnostics };
  return { value: verdictsOf(found, trace), diagnostics };
}

function lookupIn({ columns }: Pick<Trace, "columns">, diagnostics: Diagnostic[]): SignalLookup {
  return {
    signal(text, place) {
      const column = columns.find(({ name }) => name === text);
      if (column !== undefined) return signalOf(column);
      const names = columns.map(({ name }) => name);
      const params = { signal: text, nearest: nearest(text, names) };
      diagnostics.push(diagnose(RECORD_DIAGNOSTICS, "requirement-no-column", params, place));
      return undefined;
    },
    power(bond, place) {
      const fix = "a trace has no bonds; write integral(a.effort * b.flow)";
      diagnostics.push(diagnose(REQUIREMENT_RULES, "requirement-bond", { bond, fix }, place));
      return undefined;
    },
  };
}

function signalOf({ name, type, unit, stepwise, isEvent }: Column): FoundSignal {
  return {
    name,
    type,
    ...(unit !== undefined && { unit: parseUnit(unit) ?? { name: unit } }),
    isStepwise: stepwise === true,
    ...(isEvent && { isEvent }),
  };
}
