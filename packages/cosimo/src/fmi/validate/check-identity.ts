/**
 * Checks of the FMU as a whole: interfaces, experiment, log categories, units and types.
 */
import type { FmuInterface, TypeAttributes, TypeDefinition } from "../description.ts";
import type { ValidationContext } from "./context.ts";

const C_IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

export function checkInterfaces(context: ValidationContext): void {
  const { description: d, version, findings } = context;
  if (d.instantiationToken === "") {
    findings.report("token-empty", { attribute: version.tokenAttribute }, d.line);
  }
  const offered: (FmuInterface & { readonly element: string })[] = [];
  if (d.modelExchange) offered.push({ element: "ModelExchange", ...d.modelExchange });
  if (d.coSimulation) offered.push({ element: "CoSimulation", ...d.coSimulation });
  if (d.scheduledExecution)
    offered.push({ element: "ScheduledExecution", ...d.scheduledExecution });
  if (offered.length === 0) findings.report("no-interface", {}, d.line);
  for (const { element, ...offer } of offered) {
    const { modelIdentifier: identifier, line } = offer;
    if (!C_IDENTIFIER.test(identifier)) findings.report("identifier-invalid", { identifier }, line);
    if (offer.canSerializeState && !offer.canGetAndSetState) {
      findings.report("serialize-without-state", { element }, line);
    }
  }
  checkCoSimulation(context);
}

function checkCoSimulation({ description: d, findings }: ValidationContext): void {
  const cs = d.coSimulation;
  if (cs === undefined) return;
  const step = cs.fixedInternalStepSize;
  if (step !== undefined && !(step > 0)) {
    findings.report("internal-step-invalid", { step }, cs.line);
  }
  if (cs.canReturnEarlyAfterIntermediateUpdate && !cs.providesIntermediateUpdate) {
    findings.report("early-return-without-update", {}, cs.line);
  }
  const clock = cs.hasEventMode ? undefined : d.variables.find((v) => v.type === "clock");
  if (clock !== undefined) {
    findings.report("clocks-without-event-mode", { name: clock.name }, clock.line);
  }
}

export function checkExperiment({ description: d, findings }: ValidationContext): void {
  const { start, stop, step, tolerance, line } = d.experiment;
  const report = (what: string, fix: string): void =>
    findings.report("experiment-invalid", { what, fix }, line ?? d.line);
  if (start !== undefined && stop !== undefined && stop <= start) {
    report(`the stop time ${stop} is not after the start time ${start}`, "correct one of the two");
  }
  if (step !== undefined && step <= 0) {
    report(`the step size ${step} is not positive`, "give a positive step size, or omit it");
  }
  if (tolerance !== undefined && tolerance <= 0) {
    report(`the tolerance ${tolerance} is not positive`, "give a positive tolerance, or omit it");
  }
}

export function checkLogCategories({ description: d, findings }: ValidationContext): void {
  const seen = new Set<string>();
  for (const { name, line } of d.logCategories) {
    if (seen.has(name)) findings.report("log-category-duplicate", { name }, line);
    seen.add(name);
  }
}

export function checkUnits({ description: d, findings }: ValidationContext): void {
  const names = new Set<string>();
  for (const { unit, displayUnits, line } of d.units) {
    const { name } = unit;
    if (names.has(name)) findings.report("unit-duplicate", { name }, line);
    names.add(name);
    if (unit.base?.factor === 0) findings.report("unit-factor-zero", { name }, line);
    const shown = new Set<string>();
    for (const display of displayUnits) {
      if (shown.has(display.name)) {
        const params = { name: display.name, unit: name };
        findings.report("display-unit-duplicate", params, display.line);
      }
      shown.add(display.name);
      if (display.factor === 0) {
        findings.report("unit-factor-zero", { name: display.name }, display.line);
      }
      if (display.inverse && display.offset !== 0) {
        findings.report("display-unit-inverse", { name: display.name }, display.line);
      }
    }
  }
}

export function checkTypes(context: ValidationContext): void {
  const { description: d, findings } = context;
  const names = new Set<string>();
  for (const type of d.types) {
    const { name, line } = type;
    if (names.has(name)) findings.report("type-duplicate", { name }, line);
    names.add(name);
    checkItems(context, type);
    checkRange(context, name, type, line);
    checkUnitUse(context, name, type, line);
  }
  for (const { name } of d.variables) {
    const clash = context.types.get(name);
    if (clash !== undefined) findings.report("type-name-clash", { name }, clash.line);
  }
}

function checkItems({ findings }: ValidationContext, type: TypeDefinition): void {
  const names = new Set<string>();
  const values = new Set<number>();
  for (const item of type.items ?? []) {
    if (names.has(item.name) || values.has(item.value)) {
      const params = { name: type.name, item: item.name };
      findings.report("enumeration-item-duplicate", params, item.line);
    }
    names.add(item.name);
    values.add(item.value);
  }
}

/** min, max and nominal of a type or a variable. */
export function checkRange(
  { findings }: ValidationContext,
  name: string,
  { min, max, nominal }: TypeAttributes,
  line: number,
): void {
  if (min !== undefined && max !== undefined && min > max) {
    findings.report("range-empty", { name, min: String(min), max: String(max) }, line);
  }
  if (nominal !== undefined && !(nominal > 0)) {
    findings.report("nominal-not-positive", { name, nominal }, line);
  }
}

/** unit and displayUnit of a type or a variable. */
export function checkUnitUse(
  { units, findings }: ValidationContext,
  name: string,
  { unit, displayUnit }: TypeAttributes,
  line: number,
): void {
  if (unit === undefined) {
    if (displayUnit !== undefined) {
      findings.report("display-unit-alone", { name, displayUnit }, line);
    }
    return;
  }
  const definition = units.get(unit);
  if (definition === undefined) {
    const params = {
      name,
      missing: unit,
      nearest: findings.suggest("unit-undefined", unit, units.keys()),
    };
    findings.report("unit-undefined", params, line);
    return;
  }
  if (displayUnit === undefined) return;
  const names = definition.displayUnits.map((display) => display.name);
  if (names.includes(displayUnit)) return;
  const params = {
    name,
    unit,
    missing: displayUnit,
    nearest: findings.suggest("display-unit-undefined", displayUnit, names),
  };
  findings.report("display-unit-undefined", params, line);
}
