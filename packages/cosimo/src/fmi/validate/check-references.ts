/**
 * Checks of value references. In FMI 3 they are unique; in FMI 2 variables of one base type may
 * share one, which makes them names of the same value, and then they must agree (FMI 2.0.4, section
 * 2.2.7).
 */
import type { ValueType } from "../../model/value-type.ts";
import type { FmuVariable } from "../description.ts";
import type { ValidationContext } from "./context.ts";

export function checkReferences(context: ValidationContext): void {
  if (context.version.sharesValueReferences) checkAliases(context);
  else checkUnique(context);
}

function checkUnique({ description: d, byReference, findings }: ValidationContext): void {
  for (const variable of d.variables) {
    const { name, valueReference: reference, line } = variable;
    const first = byReference.get(reference);
    if (first !== undefined && first !== variable) {
      findings.report("value-reference-duplicate", { name, reference, other: first.name }, line);
    }
  }
}

/** What is known of the variables seen so far that share one value reference. */
interface AliasSet {
  readonly first: FmuVariable;
  settable?: FmuVariable;
  independent?: FmuVariable;
}

function checkAliases(context: ValidationContext): void {
  const sets = new Map<string, AliasSet>();
  for (const variable of context.description.variables) {
    const key = `${baseOf(variable.type)}${variable.valueReference}`;
    const set = sets.get(key);
    if (set === undefined) sets.set(key, remember({ first: variable }, variable));
    else {
      checkAlias(context, set, variable);
      remember(set, variable);
    }
  }
}

function remember(set: AliasSet, variable: FmuVariable): AliasSet {
  if (hasOwnValue(variable)) set.settable ??= variable;
  if (variable.causality === "independent") set.independent ??= variable;
  return set;
}

function checkAlias({ findings }: ValidationContext, set: AliasSet, variable: FmuVariable): void {
  const { name, line } = variable;
  const { first } = set;
  const pair = { name, other: first.name };
  const constants = [first, variable].filter((v) => v.variability === "constant").length;
  if (constants === 1) findings.report("alias-constant", pair, line);
  if (constants === 2 && first.start?.[0] !== variable.start?.[0]) {
    findings.report("alias-constant-start", pair, line);
  }
  if (first.unit !== variable.unit) findings.report("alias-unit", pair, line);
  if (constants > 0) return;
  if (hasOwnValue(variable) && set.settable !== undefined) {
    findings.report("alias-two-starts", { name, other: set.settable.name }, line);
  }
  if (hasOwnValue(variable) && set.independent !== undefined) {
    findings.report("alias-independent", { name, other: set.independent.name }, line);
  } else if (variable.causality === "independent" && set.settable !== undefined) {
    findings.report("alias-independent", { name: set.settable.name, other: name }, line);
  }
}

/** It can be set from outside, or brings a start value along. */
function hasOwnValue({ causality, variability, start }: FmuVariable): boolean {
  if (variability === "constant") return false;
  return causality === "parameter" || causality === "input" || start !== undefined;
}

/** Integers and enumerations share one number space. */
function baseOf(type: ValueType): string {
  return type === "enumeration" ? "int32" : type;
}
