/**
 * Checks of single variables: names, attributes and their combinations, start values, units, types,
 * derivatives.
 */
import type { FmuVariable, TypeAttributes, TypeDefinition } from "../description.ts";
import { checkRange, checkUnitUse } from "./check-identity.ts";
import { allowedInitials, allowedVariabilities } from "./combinations.ts";
import { isContinuousFloat, isFloat, type ValidationContext } from "./context.ts";
import { isStructuredName } from "./structured-name.ts";

export function checkVariables(context: ValidationContext): void {
  const { description: d } = context;
  d.variables.forEach((variable, index) => {
    checkDeclaredType(context, variable);
    checkAttributes(context, variable, index);
    if (variable.type !== "clock") checkCombination(context, variable);
    checkStartValues(context, variable);
    checkDerivative(context, variable);
  });
  checkNames(context);
  checkIndependent(context);
}

function checkNames({ description: d, findings }: ValidationContext): void {
  const lines = new Map<string, number>();
  const structured = d.variableNamingConvention === "structured";
  const check = (name: string, line: number): void => {
    if (name === "") {
      findings.report("name-empty", {}, line);
      return;
    }
    const first = lines.get(name);
    if (first === undefined) lines.set(name, line);
    else findings.report("name-duplicate", { name, line: first }, line);
    if (/[\r\n\t]/.test(name)) findings.report("name-control-character", { name }, line);
    else if (structured && !isStructuredName(name)) {
      findings.report("name-not-structured", { name }, line);
    }
  };
  for (const variable of d.variables) {
    check(variable.name, variable.line);
    for (const alias of variable.aliases) check(alias.name, alias.line);
  }
}

function checkIndependent({ description: d, version, findings }: ValidationContext): void {
  let first: FmuVariable | undefined;
  for (const variable of d.variables) {
    if (variable.causality !== "independent") continue;
    const { name, type, line } = variable;
    if (first !== undefined) {
      findings.report("independent-several", { name, other: first.name }, line);
    }
    first ??= variable;
    if (!isFloat(variable)) findings.report("independent-not-real", { name, type }, line);
  }
  if (first === undefined && version.needsIndependent) {
    findings.report("independent-missing", {}, d.line);
  }
}

function checkDeclaredType(context: ValidationContext, variable: FmuVariable): void {
  const { types, findings } = context;
  const { name, declaredType, line } = variable;
  const type = declaredType === undefined ? undefined : types.get(declaredType);
  if (declaredType !== undefined && type === undefined) {
    const params = {
      name,
      missing: declaredType,
      nearest: findings.suggest("type-unknown", declaredType, types.keys()),
    };
    findings.report("type-unknown", params, line);
  }
  if (type !== undefined && type.type !== variable.type) {
    const params = { name, declaredType: type.name, found: type.type, expected: variable.type };
    findings.report("type-mismatch", params, line);
  }
  const own = ownAttributes(variable, type?.type === variable.type ? type : undefined);
  checkRange(context, name, own, line);
  checkUnitUse(context, name, own, line);
  for (const alias of variable.aliases) {
    if (alias.displayUnit === undefined || variable.unit === undefined) continue;
    checkUnitUse(
      context,
      alias.name,
      { unit: variable.unit, displayUnit: alias.displayUnit },
      alias.line,
    );
  }
}

/** What a variable has beyond its type: what is wrong with a type is reported there, once. */
function ownAttributes(variable: FmuVariable, type: TypeDefinition | undefined): TypeAttributes {
  if (type === undefined) return variable;
  const own: { -readonly [Key in keyof TypeAttributes]: TypeAttributes[Key] } = {};
  if (variable.min !== type.min || variable.max !== type.max) {
    if (variable.min !== undefined) own.min = variable.min;
    if (variable.max !== undefined) own.max = variable.max;
  }
  if (variable.nominal !== undefined && variable.nominal !== type.nominal) {
    own.nominal = variable.nominal;
  }
  if (variable.unit !== type.unit || variable.displayUnit !== type.displayUnit) {
    if (variable.unit !== undefined) own.unit = variable.unit;
    if (variable.displayUnit !== undefined) own.displayUnit = variable.displayUnit;
  }
  return own;
}

function checkAttributes(context: ValidationContext, variable: FmuVariable, index: number): void {
  const { states, findings } = context;
  const { name, type, causality, line } = variable;
  // Of clocks and the independent variable other rules say what they must be.
  const ruledElsewhere = type === "clock" || causality === "independent";
  if (variable.variability === "continuous" && !isFloat(variable) && !ruledElsewhere) {
    findings.report("continuous-not-real", { name, type }, line);
  }
  if (variable.assumesVariability) {
    const { variability } = variable;
    findings.report("variability-missing", { name, type, variability }, line);
  }
  if (variable.reinit && !states.has(index)) findings.report("reinit-not-state", { name }, line);
  if (!variable.canHandleMultipleSetPerTimeInstant && causality !== "input") {
    findings.report("multiple-set-not-input", { name }, line);
  }
  const isParameter = causality === "parameter" || causality === "structuralParameter";
  if (variable.intermediateUpdate && isParameter) {
    findings.report("intermediate-update-illegal", { name }, line);
  }
}

function checkCombination(context: ValidationContext, variable: FmuVariable): void {
  const { version, findings } = context;
  const { name, causality, variability, initial, start, line } = variable;
  const variabilities = allowedVariabilities(causality);
  if (!variabilities.includes(variability)) {
    // A non-float that is continuous was reported; the combination follows from it.
    if (variability === "continuous" && !isFloat(variable)) return;
    const params = { name, causality, variability, allowed: variabilities.join(" or ") };
    findings.report("causality-variability", params, line);
    return;
  }
  const initials = allowedInitials(version, variable);
  if (initial !== undefined && !initials.includes(initial)) {
    findings.report("initial-illegal", { name, initial, allowed: initials.join(" or ") }, line);
    return;
  }
  if (start === undefined) {
    const because = startRequired(variable);
    if (because !== undefined) findings.report("start-missing", { name, because }, line);
  } else {
    const because = startForbidden(variable);
    if (because !== undefined) findings.report("start-forbidden", { name, because }, line);
  }
}

function startRequired({ causality, variability, initial }: FmuVariable): string | undefined {
  if (causality === "input") return "it is an input";
  if (variability === "constant") return "it is a constant";
  if (causality === "parameter" || causality === "structuralParameter") return "it is a parameter";
  return initial === "exact" || initial === "approx" ? `initial is ${initial}` : undefined;
}

function startForbidden({ causality, initial }: FmuVariable): string | undefined {
  if (causality === "independent") return "it is the independent variable";
  return initial === "calculated" ? "it is calculated at initialization" : undefined;
}

function checkStartValues({ types, findings }: ValidationContext, variable: FmuVariable): void {
  const { name, min, max, start, line } = variable;
  if (start === undefined) return;
  const range = `${min ?? "-∞"} … ${max ?? "∞"}`;
  const outside = start.find(
    (value) =>
      (typeof value === "number" || typeof value === "bigint") &&
      ((min !== undefined && value < min) || (max !== undefined && value > max)),
  );
  if (outside !== undefined) {
    findings.report("start-out-of-range", { name, start: String(outside), range }, line);
  }
  const items =
    variable.type === "enumeration" ? types.get(variable.declaredType ?? "")?.items : undefined;
  if (items === undefined) return;
  const values = new Set(items.map((item) => item.value));
  const strange = start.find((value) => !values.has(Number(value)));
  if (strange !== undefined) {
    const params = { name, start: String(strange), type: variable.declaredType ?? "" };
    findings.report("enumeration-start", params, line);
  }
}

function checkDerivative(
  { description: d, findings }: ValidationContext,
  variable: FmuVariable,
): void {
  const { name, derivativeOf, derivativeReference, line } = variable;
  if (derivativeOf === undefined || derivativeReference === undefined) return;
  const integral = d.variables[derivativeOf];
  if (integral === undefined) {
    findings.report("derivative-unknown", { name, reference: derivativeReference }, line);
  } else if (integral === variable || !isContinuousFloat(integral)) {
    findings.report("derivative-not-continuous", { name, other: integral.name }, line);
  }
}
