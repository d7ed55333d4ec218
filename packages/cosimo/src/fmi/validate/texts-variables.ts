/**
 * Rules about single variables: names, references, attributes, start values, arrays.
 */
import type { RulesFor } from "../../base/diagnostic.ts";
import { didYouMean, error, say } from "../../base/rule-text.ts";
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

export const VARIABLE_RULES: RulesFor<VariableParams> = {
  "name-empty": error("Every variable has a name.", () =>
    say("a variable has an empty name", "give it a name that is unique in the description"),
  ),
  "name-control-character": error("Names have no line feed, carriage return or tab.", (p) =>
    say(`the name ${JSON.stringify(p.name)} holds a line break or tab`, "rename the variable"),
  ),
  "name-duplicate": error("Names of variables and aliases are unique.", (p) =>
    say(`the name '${p.name}' is already used in line ${p.line}`, "rename one of the two"),
  ),
  "name-not-structured": error(
    'With variableNamingConvention="structured" every name follows the structured syntax.',
    (p) =>
      say(
        `'${p.name}' is not a structured name, but variableNamingConvention says so`,
        "quote unusual parts as in a.'b c'.d[2], or set variableNamingConvention=\"flat\"",
      ),
  ),
  "value-reference-duplicate": error(
    "In FMI 3 every variable has a value reference of its own.",
    (p) =>
      say(
        `'${p.name}' has the value reference ${p.reference} of '${p.other}'`,
        "give it another value reference, or make it an <Alias> of the other",
      ),
  ),
  "alias-two-starts": error(
    "Of variables that share a value reference, at most one can be set or has a start value.",
    (p) =>
      say(
        `'${p.name}' and '${p.other}' share a value reference and both have a start value of their own`,
        "give one of them another value reference, or make it calculated and drop its start value",
      ),
  ),
  "alias-independent": error(
    "A variable that can be set is not an alias of the independent variable.",
    (p) =>
      say(
        `'${p.name}' can be set and shares the value reference of the independent variable '${p.other}'`,
        "give it another value reference",
      ),
  ),
  "alias-constant": error("A constant shares its value reference with constants only.", (p) =>
    say(
      `'${p.name}' and '${p.other}' share a value reference, but only one of them is constant`,
      "give one of them another value reference, or make both constant",
    ),
  ),
  "alias-constant-start": error(
    "Constants that share a value reference have the same start value.",
    (p) =>
      say(
        `the constants '${p.name}' and '${p.other}' share a value reference but have different values`,
        "give one of them another value reference, or make their start values equal",
      ),
  ),
  "alias-unit": error("Variables that share a value reference have the same unit.", (p) =>
    say(
      `'${p.name}' and '${p.other}' share a value reference but have different units`,
      "give both the same unit, or one of them another value reference",
    ),
  ),
  "continuous-not-real": error("Only floating-point variables are continuous.", (p) =>
    say(`'${p.name}' is of type ${p.type} and continuous`, 'set variability="discrete"'),
  ),
  "causality-variability": error(
    "Causality and variability are a combination that the standard allows.",
    (p) =>
      say(
        `'${p.name}' has causality="${p.causality}" and variability="${p.variability}" (written or by default), which do not go together`,
        `with causality="${p.causality}" the variability is ${p.allowed}`,
      ),
  ),
  "initial-illegal": error("Initial fits causality and variability.", (p) =>
    say(
      `'${p.name}' has initial="${p.initial}", which its causality and variability do not allow`,
      p.allowed === "" ? "leave initial out" : `initial may be ${p.allowed} here`,
    ),
  ),
  "start-missing": error("A variable whose value is given from outside has a start value.", (p) =>
    say(
      `'${p.name}' has no start value although ${p.because}`,
      "add the start value that the binary uses",
    ),
  ),
  "start-forbidden": error("A variable that is calculated has no start value.", (p) =>
    say(
      `'${p.name}' has a start value although ${p.because}`,
      "remove the start value, or set initial to exact or approx",
    ),
  ),
  "start-out-of-range": error("Start values lie within min and max.", (p) =>
    say(
      `'${p.name}' starts with ${p.start}, outside ${p.range}`,
      "correct the start value or the range",
    ),
  ),
  "start-count": error("An array has one start value, or as many as it has elements.", (p) =>
    say(
      `'${p.name}' has ${p.found} start values for ${p.expected} elements`,
      `give one value for all, or ${p.expected} values`,
    ),
  ),
  "range-empty": error("min is not larger than max.", (p) =>
    say(`'${p.name}' has min ${p.min} above max ${p.max}`, "swap or correct them"),
  ),
  "nominal-not-positive": error("Nominal values are positive.", (p) =>
    say(
      `'${p.name}' has the nominal value ${p.nominal}`,
      "give the order of magnitude as a positive number",
    ),
  ),
  "enumeration-start": error("An enumeration starts with one of its items.", (p) =>
    say(
      `'${p.name}' starts with ${p.start}, which is not an item of enumeration '${p.type}'`,
      "use the value of one of the items",
    ),
  ),
  "type-unknown": error("Every declared type exists.", (p) =>
    say(
      `'${p.name}' has the declared type '${p.missing}', which is not defined`,
      didYouMean(p.nearest, "add it to <TypeDefinitions>, or remove declaredType"),
    ),
  ),
  "type-mismatch": error("A variable has the base type of its declared type.", (p) =>
    say(
      `'${p.name}' is of type ${p.expected}, its declared type '${p.declaredType}' of type ${p.found}`,
      "declare a type of the variable's own base type",
    ),
  ),
  "independent-several": error("At most one variable is independent.", (p) =>
    say(`'${p.name}' and '${p.other}' are both independent`, "make one of them local"),
  ),
  "independent-missing": error("In FMI 3 exactly one variable is independent.", () =>
    say(
      'no variable has causality="independent"',
      'add one, usually <Float64 name="time" causality="independent" variability="continuous" …/>',
    ),
  ),
  "independent-not-real": error("The independent variable is a floating-point number.", (p) =>
    say(
      `the independent variable '${p.name}' is of type ${p.type}`,
      "make it a floating-point variable",
    ),
  ),
  "derivative-unknown": error("A derivative names a variable that exists.", (p) =>
    say(
      `'${p.name}' is the derivative of variable ${p.reference}, which does not exist`,
      "FMI 2 counts variables from 1; FMI 3 names them by value reference",
    ),
  ),
  "derivative-not-continuous": error(
    "A derivative belongs to another variable, which is continuous and of a floating-point type.",
    (p) =>
      say(
        `'${p.name}' is the derivative of '${p.other}', which is not another continuous floating-point variable`,
        "correct the reference, or make that variable continuous",
      ),
  ),
  "reinit-not-state": error("Only continuous states have reinit.", (p) =>
    say(
      `'${p.name}' has reinit="true", but no state derivative is listed that belongs to it`,
      "remove reinit, or list its derivative in the model structure",
    ),
  ),
  "multiple-set-not-input": error(
    "canHandleMultipleSetPerTimeInstant is stated for inputs only.",
    (p) =>
      say(
        `'${p.name}' is not an input and has canHandleMultipleSetPerTimeInstant="false"`,
        "remove the attribute",
      ),
  ),
  "intermediate-update-illegal": error(
    "Parameters are not accessed in intermediate updates.",
    (p) => say(`parameter '${p.name}' has intermediateUpdate="true"`, "remove intermediateUpdate"),
  ),
  "structural-array": error("A structural parameter is a scalar.", (p) =>
    say(`the structural parameter '${p.name}' has dimensions`, "remove its <Dimension> elements"),
  ),
  "dimension-unclear": error("A dimension has either a start value or a value reference.", (p) =>
    say(
      `a dimension of '${p.name}' has both a start value and a value reference, or neither`,
      "keep exactly one of the two",
    ),
  ),
  "dimension-unknown": error("A dimension names a variable that exists.", (p) =>
    say(
      `a dimension of '${p.name}' names value reference ${p.reference}, which no variable has`,
      "name a structural parameter of type UInt64",
    ),
  ),
  "dimension-not-size": error(
    "A dimension names a structural parameter or constant of type UInt64.",
    (p) =>
      say(
        `a dimension of '${p.name}' is given by '${p.other}', which is not a structural parameter or constant of type UInt64`,
        "make it one, or name another variable",
      ),
  ),
  "dimension-zero": error("No dimension is zero to begin with.", (p) =>
    say(`a dimension of '${p.name}' is zero: ${p.because}`, "begin with at least one element"),
  ),
};
