/**
 * Checks an adaptation against its inner units, before anything runs: names, directions, types,
 * physical units, what each part may assign, whether rules can fire, and whether a step does what a
 * step must do.
 */
import { append, type Diagnostic, type Place } from "../../base/diagnostic.ts";
import { type Adaptation, type Declaration, isOpen } from "../../model/adaptation/data.ts";
import { SA_CLOCK, SA_FUNCTIONS } from "../../model/adaptation/functions.ts";
import { askedFor, isSameName } from "./apply-arguments.ts";
import { Scope } from "./check-scope.ts";
import { checkControl, checkRule } from "./check-statements.ts";
import { demand, given, typeOf } from "./check-types.ts";
import { checkWiring } from "./check-wiring.ts";
import { report } from "./diagnostics.ts";
import { explicitForm } from "./explicit-form.ts";
import { type Describe, innerPorts } from "./inner-ports.ts";
import { brokenLimit, numberIn } from "./limits.ts";
import { assignedNames, assignedPorts } from "./rewrite.ts";

/** @returns everything that was noticed, in the order of the text. */
export function checkSa(adaptation: Adaptation, describe: Describe): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const scope = new Scope(adaptation, innerPorts(adaptation, describe), diagnostics);
  checkNames(adaptation, diagnostics);
  checkAskedFor(adaptation, describe, diagnostics);
  checkWiring(scope);
  checkInitialValues(adaptation, scope);
  for (const rule of adaptation.inRules) checkRule(rule, "in", "map-in", scope);
  for (const rule of adaptation.outRules) checkRule(rule, "map-out", "out", scope);
  if (adaptation.controlRules !== undefined) checkControl(adaptation.controlRules, scope);
  checkReduction(adaptation, describe, diagnostics);
  return inOrder(diagnostics);
}

function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const at = ({ place: { line = 0, column = 0 } }: Diagnostic): number => line * 1e5 + column;
  return [...diagnostics].sort((a, b) => at(a) - at(b));
}

function checkNames(adaptation: Adaptation, diagnostics: Diagnostic[]): void {
  const { inputs = [], outputs = [], parameters, inner } = adaptation;
  const variables = [
    parameters,
    adaptation.controlVariables,
    adaptation.inVariables,
    adaptation.outVariables,
  ].flat();
  const unique = (all: readonly { readonly name: string; readonly place: Place }[]) => {
    const seen = new Set<string>();
    for (const { name, place } of all) {
      if (seen.has(name)) diagnostics.push(report("sa-duplicate-name", { name }, place));
      seen.add(name);
    }
  };
  unique([...inputs, ...outputs]);
  unique(variables);
  unique([{ name: adaptation.name, place: adaptation.place }, ...inner]);
  for (const unit of inner) {
    unique([...(unit.inputs ?? []), ...(unit.outputs ?? [])]);
  }
  for (const { name, place } of variables)
    if (SA_CLOCK.has(name) || SA_FUNCTIONS.has(name))
      diagnostics.push(report("sa-reserved-name", { name }, place));
}

/**
 * What is given to an open adaptation is given by name. Where it is applied, all of it is given.
 */
function checkAskedFor(
  adaptation: Adaptation,
  describe: Describe,
  diagnostics: Diagnostic[],
): void {
  if (adaptation.inner.some((unit) => isOpen(unit) && describe(unit) !== undefined)) return;
  const asked = askedFor(adaptation);
  for (const [at, { name, place }] of asked.entries())
    if (asked.slice(0, at).some((other) => isSameName(other.name, name)))
      diagnostics.push(report("sa-duplicate-name", { name }, place));
}

function checkInitialValues(adaptation: Adaptation, scope: Scope): void {
  for (const [storage, list] of [
    ["param", adaptation.parameters],
    ["in var", adaptation.inVariables],
    ["control var", adaptation.controlVariables],
    ["out var", adaptation.outVariables],
  ] as const) {
    for (const declaration of list) {
      const { name, type, value } = declaration;
      checkLimits(declaration, storage, scope);
      if (type !== undefined) demand(value, type, scope, "initial", given(name));
      const found = type ?? typeOf(value, scope, "initial");
      scope.declareVariable(
        declaration,
        storage,
        found === "integer" && type === undefined ? "real" : found,
      );
    }
  }
}

/** Of parameters whose value is a number; what others come to is known when they are set. */
function checkLimits(declaration: Declaration, storage: string, { diagnostics }: Scope): void {
  const { name, unit, limits, value, place } = declaration;
  if (storage !== "param" && (unit !== undefined || limits !== undefined))
    diagnostics.push(report("sa-limit-here", { name }, place));
  const number = numberIn(value);
  const wanted = number === undefined ? undefined : brokenLimit(number, limits);
  if (wanted !== undefined)
    diagnostics.push(report("sa-out-of-limits", { name, wanted, value: String(number) }, place));
}

/**
 * What only shows in explicit form: conversions, the order of inner units, outputs that stay
 * without a value.
 */
function checkReduction(
  adaptation: Adaptation,
  describe: Describe,
  diagnostics: Diagnostic[],
): void {
  const { value, diagnostics: found } = explicitForm(adaptation, describe);
  append(
    diagnostics,
    found.filter(({ code }) => code !== "sa-binding-unknown"),
  );
  if (value === undefined) return;
  const assigned = new Set(
    value.outRules.flatMap(({ second }) => [...assignedNames(second), ...assignedPorts(second)]),
  );
  for (const { name, place } of value.outputs ?? [])
    if (!assigned.has(name) && !assigned.has(`${adaptation.name}.${name}`))
      diagnostics.push(report("sa-output-unset", { port: name }, place));
}
