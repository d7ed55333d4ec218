/**
 * Rules about single variables: names, references, attributes, start values, arrays.
 */
import { type RulesFor, rulesFrom } from "../../base/diagnostic.ts";
import { didYouMean } from "../../base/rule-text.ts";
import type { Dangling, Named } from "./rule-params.ts";

interface Pair extends Named {
  readonly other: string;
}

export interface VariableParams {
  "name-empty": Record<never, never>;
  "name-control-character": Named;
  "name-duplicate": Named & { readonly line: number };
  "name-not-structured": Named;
  "value-reference-duplicate": Pair & { readonly reference: number };
  "alias-two-starts": Pair;
  "alias-independent": Pair;
  "alias-constant": Pair;
  "alias-constant-start": Pair;
  "alias-unit": Pair;
  "continuous-not-real": Named & { readonly type: string };
  "variability-missing": Named & { readonly type: string; readonly variability: string };
  "causality-variability": Named & {
    readonly causality: string;
    readonly variability: string;
    readonly allowed: string;
  };
  "initial-illegal": Named & { readonly initial: string; readonly allowed: string };
  "start-missing": Named & { readonly because: string };
  "start-forbidden": Named & { readonly because: string };
  "start-out-of-range": Named & { readonly start: string; readonly range: string };
  "start-count": Named & { readonly found: number; readonly expected: number };
  "range-empty": Named & { readonly min: string; readonly max: string };
  "nominal-not-positive": Named & { readonly nominal: number };
  "enumeration-start": Named & { readonly start: string; readonly type: string };
  "type-unknown": Dangling;
  "type-mismatch": Named & {
    readonly declaredType: string;
    readonly found: string;
    readonly expected: string;
  };
  "independent-several": Pair;
  "independent-missing": Record<never, never>;
  "independent-not-real": Named & { readonly type: string };
  "derivative-unknown": Named & { readonly reference: number };
  "derivative-not-continuous": Pair;
  "reinit-not-state": Named;
  "multiple-set-not-input": Named;
  "intermediate-update-illegal": Named;
  "structural-array": Named;
  "dimension-unclear": Named;
  "dimension-unknown": Named & { readonly reference: number };
  "dimension-not-size": Pair;
  "dimension-zero": Named & { readonly because: string };
}

export const VARIABLE_RULES: RulesFor<VariableParams> = rulesFrom<VariableParams>({
  "name-empty": {
    rule: "Every variable has a name.",
    message: "a variable has an empty name",
    fix: "give it a name that is unique in the description",
  },
  "name-control-character": {
    rule: "Names have no line feed, carriage return or tab.",
    message: (p) => `the name ${JSON.stringify(p.name)} holds a line break or tab`,
    fix: "rename the variable",
  },
  "name-duplicate": {
    rule: "Names of variables and aliases are unique.",
    message: (p) => `the name '${p.name}' is already used in line ${p.line}`,
    fix: "rename one of the two",
  },
  "name-not-structured": {
    rule: 'With variableNamingConvention="structured" every name follows the structured syntax.',
    message: (p) => `'${p.name}' is not a structured name, but variableNamingConvention says so`,
    fix: "quote unusual parts as in a.'b c'.d[2], or set variableNamingConvention=\"flat\"",
  },
  "value-reference-duplicate": {
    rule: "In FMI 3 every variable has a value reference of its own.",
    message: (p) => `'${p.name}' has the value reference ${p.reference} of '${p.other}'`,
    fix: "give it another value reference, or make it an <Alias> of the other",
  },
  "alias-two-starts": {
    rule: "Of variables that share a value reference, at most one can be set or has a start value.",
    message: (p) =>
      `'${p.name}' and '${p.other}' share a value reference and both have a start value of their own`,
    fix: "give one of them another value reference, or make it calculated and drop its start value",
  },
  "alias-independent": {
    rule: "A variable that can be set is not an alias of the independent variable.",
    message: (p) =>
      `'${p.name}' can be set and shares the value reference of the independent variable '${p.other}'`,
    fix: "give it another value reference",
  },
  "alias-constant": {
    rule: "A constant shares its value reference with constants only.",
    message: (p) =>
      `'${p.name}' and '${p.other}' share a value reference, but only one of them is constant`,
    fix: "give one of them another value reference, or make both constant",
  },
  "alias-constant-start": {
    rule: "Constants that share a value reference have the same start value.",
    message: (p) =>
      `the constants '${p.name}' and '${p.other}' share a value reference but have different values`,
    fix: "give one of them another value reference, or make their start values equal",
  },
  "alias-unit": {
    rule: "Variables that share a value reference have the same unit.",
    message: (p) => `'${p.name}' and '${p.other}' share a value reference but have different units`,
    fix: "give both the same unit, or one of them another value reference",
  },
  "continuous-not-real": {
    severity: "warning",
    rule: "Only floating-point variables are continuous.",
    message: (p) => `'${p.name}' is of type ${p.type} and continuous; it is read as discrete`,
    fix: 'set variability="discrete"',
  },
  "variability-missing": {
    severity: "warning",
    rule: "In FMI 2 a variable that is not Real states its variability: the default, continuous, is for Real only.",
    message: (p) =>
      `'${p.name}' is of type ${p.type} and states no variability; it is read as ${p.variability}`,
    fix: (p) => `write variability="${p.variability}"`,
  },
  "causality-variability": {
    rule: "Causality and variability are a combination that the standard allows.",
    message: (p) =>
      `'${p.name}' has causality="${p.causality}" and variability="${p.variability}" (written or by default), which do not go together`,
    fix: (p) => `with causality="${p.causality}" the variability is ${p.allowed}`,
  },
  "initial-illegal": {
    rule: "Initial fits causality and variability.",
    message: (p) =>
      `'${p.name}' has initial="${p.initial}", which its causality and variability do not allow`,
    fix: (p) => (p.allowed === "" ? "leave initial out" : `initial may be ${p.allowed} here`),
  },
  "start-missing": {
    rule: "A variable whose value is given from outside has a start value.",
    message: (p) => `'${p.name}' has no start value although ${p.because}`,
    fix: "add the start value that the binary uses",
  },
  "start-forbidden": {
    rule: "A variable that is calculated has no start value.",
    message: (p) => `'${p.name}' has a start value although ${p.because}`,
    fix: "remove the start value, or set initial to exact or approx",
  },
  "start-out-of-range": {
    rule: "Start values lie within min and max.",
    message: (p) => `'${p.name}' starts with ${p.start}, outside ${p.range}`,
    fix: "correct the start value or the range",
  },
  "start-count": {
    rule: "An array has one start value, or as many as it has elements.",
    message: (p) => `'${p.name}' has ${p.found} start values for ${p.expected} elements`,
    fix: (p) => `give one value for all, or ${p.expected} values`,
  },
  "range-empty": {
    rule: "min is not larger than max.",
    message: (p) => `'${p.name}' has min ${p.min} above max ${p.max}`,
    fix: "swap or correct them",
  },
  "nominal-not-positive": {
    rule: "Nominal values are positive.",
    message: (p) => `'${p.name}' has the nominal value ${p.nominal}`,
    fix: "give the order of magnitude as a positive number",
  },
  "enumeration-start": {
    rule: "An enumeration starts with one of its items.",
    message: (p) =>
      `'${p.name}' starts with ${p.start}, which is not an item of enumeration '${p.type}'`,
    fix: "use the value of one of the items",
  },
  "type-unknown": {
    rule: "Every declared type exists.",
    message: (p) => `'${p.name}' has the declared type '${p.missing}', which is not defined`,
    fix: (p) => didYouMean(p.nearest, "add it to <TypeDefinitions>, or remove declaredType"),
  },
  "type-mismatch": {
    rule: "A variable has the base type of its declared type.",
    message: (p) =>
      `'${p.name}' is of type ${p.expected}, its declared type '${p.declaredType}' of type ${p.found}`,
    fix: "declare a type of the variable's own base type",
  },
  "independent-several": {
    rule: "At most one variable is independent.",
    message: (p) => `'${p.name}' and '${p.other}' are both independent`,
    fix: "make one of them local",
  },
  "independent-missing": {
    rule: "In FMI 3 exactly one variable is independent.",
    message: 'no variable has causality="independent"',
    fix: 'add one, usually <Float64 name="time" causality="independent" variability="continuous" …/>',
  },
  "independent-not-real": {
    rule: "The independent variable is a floating-point number.",
    message: (p) => `the independent variable '${p.name}' is of type ${p.type}`,
    fix: "make it a floating-point variable",
  },
  "derivative-unknown": {
    rule: "A derivative names a variable that exists.",
    message: (p) =>
      `'${p.name}' is the derivative of variable ${p.reference}, which does not exist`,
    fix: "FMI 2 counts variables from 1; FMI 3 names them by value reference",
  },
  "derivative-not-continuous": {
    rule: "A derivative belongs to another variable, which is continuous and of a floating-point type.",
    message: (p) =>
      `'${p.name}' is the derivative of '${p.other}', which is not another continuous floating-point variable`,
    fix: "correct the reference, or make that variable continuous",
  },
  "reinit-not-state": {
    rule: "Only continuous states have reinit.",
    message: (p) =>
      `'${p.name}' has reinit="true", but no state derivative is listed that belongs to it`,
    fix: "remove reinit, or list its derivative in the model structure",
  },
  "multiple-set-not-input": {
    rule: "canHandleMultipleSetPerTimeInstant is stated for inputs only.",
    message: (p) =>
      `'${p.name}' is not an input and has canHandleMultipleSetPerTimeInstant="false"`,
    fix: "remove the attribute",
  },
  "intermediate-update-illegal": {
    rule: "Parameters are not accessed in intermediate updates.",
    message: (p) => `parameter '${p.name}' has intermediateUpdate="true"`,
    fix: "remove intermediateUpdate",
  },
  "structural-array": {
    rule: "A structural parameter is a scalar.",
    message: (p) => `the structural parameter '${p.name}' has dimensions`,
    fix: "remove its <Dimension> elements",
  },
  "dimension-unclear": {
    rule: "A dimension has either a start value or a value reference.",
    message: (p) =>
      `a dimension of '${p.name}' has both a start value and a value reference, or neither`,
    fix: "keep exactly one of the two",
  },
  "dimension-unknown": {
    rule: "A dimension names a variable that exists.",
    message: (p) =>
      `a dimension of '${p.name}' names value reference ${p.reference}, which no variable has`,
    fix: "name a structural parameter of type UInt64",
  },
  "dimension-not-size": {
    rule: "A dimension names a structural parameter or constant of type UInt64.",
    message: (p) =>
      `a dimension of '${p.name}' is given by '${p.other}', which is not a structural parameter or constant of type UInt64`,
    fix: "make it one, or name another variable",
  },
  "dimension-zero": {
    rule: "No dimension is zero to begin with.",
    message: (p) => `a dimension of '${p.name}' is zero: ${p.because}`,
    fix: "begin with at least one element",
  },
});
