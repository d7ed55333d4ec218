/**
 * Rules about the model structure, and about clocks and the variables that belong to them.
 */
import { type RulesFor, rulesFrom } from "../../base/diagnostic.ts";
import type { Named } from "./rule-params.ts";

interface InList extends Named {
  readonly list: string;
}

export interface StructureParams {
  "unknown-missing": { readonly list: string; readonly reference: number };
  "unknown-duplicate": InList;
  "output-missing": Named;
  "output-extra": Named;
  "state-derivative-illegal": Named;
  "state-illegal": Named;
  "initial-unknown-missing": Named & { readonly because: string };
  "initial-unknowns-absent": { readonly count: number };
  "initial-unknown-extra": Named;
  "initial-unknown-order": Named;
  "event-indicator-illegal": Named;
  "clocked-state-illegal": Named & { readonly because: string };
  "dependency-unknown": InList & { readonly reference: number };
  "dependency-not-known": InList & { readonly dependency: string };
  "dependency-kinds": InList & { readonly kinds: number; readonly dependencies: string };
  "dependency-kind-illegal": InList & { readonly kind: string; readonly because: string };
}

export const STRUCTURE_RULES: RulesFor<StructureParams> = rulesFrom<StructureParams>({
  "unknown-missing": {
    rule: "Every entry of the model structure names a variable.",
    message: (p) => `an entry of ${p.list} names variable ${p.reference}, which does not exist`,
    fix: "FMI 2 counts variables from 1; FMI 3 names them by value reference",
  },
  "unknown-duplicate": {
    rule: "No list of the model structure names a variable twice.",
    message: (p) => `${p.list} names '${p.name}' twice`,
    fix: "remove one of the two entries",
  },
  "output-missing": {
    rule: "Every output is listed in the model structure.",
    message: (p) => `output '${p.name}' is not listed in the model structure`,
    fix: "add it to the outputs of <ModelStructure>",
  },
  "output-extra": {
    rule: "Only outputs are listed as outputs.",
    message: (p) => `'${p.name}' is listed as an output, but its causality says otherwise`,
    fix: 'set causality="output", or remove the entry',
  },
  "state-derivative-illegal": {
    rule: "Every listed state derivative is a continuous floating-point variable with the attribute derivative.",
    message: (p) =>
      `'${p.name}' is listed as a state derivative, but is not a continuous floating-point variable that names its state`,
    fix: "add the attribute derivative, or remove the entry",
  },
  "state-illegal": {
    rule: "A continuous state is local or an output.",
    message: (p) =>
      `'${p.name}' is a continuous state by its listed derivative, but neither local nor an output`,
    fix: "correct its causality, or the attribute derivative",
  },
  "initial-unknown-missing": {
    rule: "Every unknown of initialization is listed.",
    message: (p) => `'${p.name}' is not listed as an initial unknown although it is ${p.because}`,
    fix: "add it to the initial unknowns of <ModelStructure>",
  },
  "initial-unknowns-absent": {
    severity: "warning",
    rule: "A Co-Simulation FMU of FMI 2 that lists no initial unknowns has none.",
    message: (p) =>
      `no initial unknowns are listed, but ${p.count} variable(s) are calculated at initialization`,
    fix: "list them; many exporters omit them, and Cosimo then assumes that each depends on everything",
  },
  "initial-unknown-extra": {
    rule: "Only unknowns of initialization are listed.",
    message: (p) =>
      `'${p.name}' is listed as an initial unknown, but is none of the kinds that belong there`,
    fix: "remove the entry: outputs, calculated parameters, states and their derivatives that are not exact belong there",
  },
  "initial-unknown-order": {
    rule: "In FMI 2 initial unknowns are listed in the order of the variables.",
    message: (p) => `initial unknown '${p.name}' comes after a later variable`,
    fix: "sort the entries by index",
  },
  "event-indicator-illegal": {
    rule: "Event indicators are continuous floating-point variables, local or outputs.",
    message: (p) =>
      `'${p.name}' is listed as an event indicator, but is not a continuous floating-point variable that is local or an output`,
    fix: "correct the variable, or remove the entry",
  },
  "clocked-state-illegal": {
    rule: "A clocked state is discrete, clocked, no clock, and names its previous value.",
    message: (p) => `'${p.name}' is listed as a clocked state, but ${p.because}`,
    fix: "correct the variable, or remove the entry",
  },
  "dependency-unknown": {
    rule: "Every dependency names a variable.",
    message: (p) =>
      `'${p.name}' in ${p.list} depends on variable ${p.reference}, which does not exist`,
    fix: "FMI 2 counts variables from 1; FMI 3 names them by value reference",
  },
  "dependency-not-known": {
    severity: "warning",
    rule: "Dependencies are knowns: inputs, states, parameters, the independent variable, exact initial values.",
    message: (p) =>
      `'${p.name}' in ${p.list} depends on '${p.dependency}', which the FMU calculates itself`,
    fix: "list what that variable depends on instead",
  },
  "dependency-kinds": {
    rule: "There is one dependency kind for each dependency.",
    message: (p) =>
      `'${p.name}' in ${p.list} has ${p.kinds} dependency kinds for ${p.dependencies}`,
    fix: "give one kind for each dependency, or drop dependenciesKind",
  },
  "dependency-kind-illegal": {
    rule: "Every dependency kind is one that its list and type allow.",
    message: (p) =>
      `'${p.name}' in ${p.list} has the dependency kind '${p.kind}', but ${p.because}`,
    fix: 'write "dependent"',
  },
});

export interface ClockParams {
  "clocks-unknown": Named & { readonly reference: number };
  "clocks-not-clock": Named & { readonly other: string };
  "clocks-local": Named & { readonly clock: string };
  "clocked-variability": Named;
  "previous-unknown": Named & { readonly reference: number };
  "previous-shared": Named & { readonly other: string };
  "previous-illegal": Named & { readonly because: string };
  "clock-causality": Named & { readonly causality: string };
  "clock-variability": Named & { readonly variability: string };
  "clock-not-input": Named & { readonly interval: string };
  "clock-interval-missing": Named;
  "clock-interval-unused": Named & { readonly interval: string };
  "clock-interval-invalid": Named & { readonly what: string };
  "clock-fraction": Named & { readonly because: string };
  "clock-priority-missing": Named;
}

export const CLOCK_RULES: RulesFor<ClockParams> = rulesFrom<ClockParams>({
  "clocks-unknown": {
    rule: "A clocked variable names clocks that exist.",
    message: (p) =>
      `'${p.name}' belongs to a clock with value reference ${p.reference}, which does not exist`,
    fix: "name the value reference of a <Clock>",
  },
  "clocks-not-clock": {
    rule: "A clocked variable belongs to clocks.",
    message: (p) => `'${p.name}' names '${p.other}' as its clock, which is no <Clock>`,
    fix: "name a <Clock>",
  },
  "clocks-local": {
    rule: "Only local variables belong to a local clock.",
    message: (p) => `'${p.name}' is not local but belongs to the local clock '${p.clock}'`,
    fix: "make the clock an input or output, or the variable local",
  },
  "clocked-variability": {
    rule: "A clocked variable is discrete or tunable.",
    message: (p) => `'${p.name}' belongs to a clock but is neither discrete nor tunable`,
    fix: 'set variability="discrete"',
  },
  "previous-unknown": {
    rule: "previous names a variable that exists.",
    message: (p) =>
      `previous of '${p.name}' names value reference ${p.reference}, which no variable has`,
    fix: "name the variable that holds the value of the last tick",
  },
  "previous-shared": {
    rule: "No two variables name the same previous.",
    message: (p) => `'${p.name}' and '${p.other}' name the same previous`,
    fix: "give each a previous of its own",
  },
  "previous-illegal": {
    rule: "previous is stated for discrete clocked variables and names a discrete variable of the same type that is not an input.",
    message: (p) => `previous of '${p.name}' is not allowed: ${p.because}`,
    fix: "correct the variables, or drop previous",
  },
  "clock-causality": {
    rule: "A clock is an input, an output or local.",
    message: (p) => `clock '${p.name}' has causality="${p.causality}"`,
    fix: "make it an input, an output or local",
  },
  "clock-variability": {
    rule: "A clock is discrete or tunable.",
    message: (p) => `clock '${p.name}' has variability="${p.variability}"`,
    fix: 'set variability="discrete"',
  },
  "clock-not-input": {
    rule: "Clocks that follow time are inputs; outputs and local clocks are triggered.",
    message: (p) => `clock '${p.name}' has intervalVariability="${p.interval}" but is not an input`,
    fix: 'set intervalVariability="triggered", or causality="input"',
  },
  "clock-interval-missing": {
    rule: "A constant clock states its interval.",
    message: (p) => `clock '${p.name}' is constant and has no intervalDecimal`,
    fix: "add intervalDecimal",
  },
  "clock-interval-unused": {
    rule: "Only constant, fixed and tunable clocks state an interval.",
    message: (p) => `clock '${p.name}' is ${p.interval} and states an interval or shift`,
    fix: "remove intervalDecimal, intervalCounter, resolution and the shifts",
  },
  "clock-interval-invalid": {
    rule: "Intervals are positive, shifts are not negative.",
    message: (p) => `clock '${p.name}': ${p.what}`,
    fix: "correct the number",
  },
  "clock-fraction": {
    rule: "A clock with fractions states supportsFraction, resolution and intervalCounter.",
    message: (p) => `clock '${p.name}': ${p.because}`,
    fix: "state all three of them, or none",
  },
  "clock-priority-missing": {
    rule: "For Scheduled Execution every input clock has a priority.",
    message: (p) => `clock '${p.name}' has no priority, and the FMU offers Scheduled Execution`,
    fix: "add the attribute priority",
  },
});
