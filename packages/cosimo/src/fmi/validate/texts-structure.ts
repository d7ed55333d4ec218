/**
 * Rules about the model structure, and about clocks and the variables that belong to them.
 */
import type { RulesFor } from "../../base/diagnostic.ts";
import { error, say, warning } from "../../base/rule-text.ts";
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

export const STRUCTURE_RULES: RulesFor<StructureParams> = {
  "unknown-missing": error("Every entry of the model structure names a variable.", (p) =>
    say(
      `an entry of ${p.list} names variable ${p.reference}, which does not exist`,
      "FMI 2 counts variables from 1; FMI 3 names them by value reference",
    ),
  ),
  "unknown-duplicate": error("No list of the model structure names a variable twice.", (p) =>
    say(`${p.list} names '${p.name}' twice`, "remove one of the two entries"),
  ),
  "output-missing": error("Every output is listed in the model structure.", (p) =>
    say(
      `output '${p.name}' is not listed in the model structure`,
      "add it to the outputs of <ModelStructure>",
    ),
  ),
  "output-extra": error("Only outputs are listed as outputs.", (p) =>
    say(
      `'${p.name}' is listed as an output, but its causality says otherwise`,
      'set causality="output", or remove the entry',
    ),
  ),
  "state-derivative-illegal": error(
    "Every listed state derivative is a continuous floating-point variable with the attribute derivative.",
    (p) =>
      say(
        `'${p.name}' is listed as a state derivative, but is not a continuous floating-point variable that names its state`,
        "add the attribute derivative, or remove the entry",
      ),
  ),
  "state-illegal": error("A continuous state is local or an output.", (p) =>
    say(
      `'${p.name}' is a continuous state by its listed derivative, but neither local nor an output`,
      "correct its causality, or the attribute derivative",
    ),
  ),
  "initial-unknown-missing": error("Every unknown of initialization is listed.", (p) =>
    say(
      `'${p.name}' is not listed as an initial unknown although it is ${p.because}`,
      "add it to the initial unknowns of <ModelStructure>",
    ),
  ),
  "initial-unknowns-absent": warning(
    "A Co-Simulation FMU of FMI 2 that lists no initial unknowns has none.",
    (p) =>
      say(
        `no initial unknowns are listed, but ${p.count} variable(s) are calculated at initialization`,
        "list them; many exporters omit them, and Cosimo then assumes that each depends on everything",
      ),
  ),
  "initial-unknown-extra": error("Only unknowns of initialization are listed.", (p) =>
    say(
      `'${p.name}' is listed as an initial unknown, but is none of the kinds that belong there`,
      "remove the entry: outputs, calculated parameters, states and their derivatives that are not exact belong there",
    ),
  ),
  "initial-unknown-order": error(
    "In FMI 2 initial unknowns are listed in the order of the variables.",
    (p) =>
      say(`initial unknown '${p.name}' comes after a later variable`, "sort the entries by index"),
  ),
  "event-indicator-illegal": error(
    "Event indicators are continuous floating-point variables, local or outputs.",
    (p) =>
      say(
        `'${p.name}' is listed as an event indicator, but is not a continuous floating-point variable that is local or an output`,
        "correct the variable, or remove the entry",
      ),
  ),
  "clocked-state-illegal": error(
    "A clocked state is discrete, clocked, no clock, and names its previous value.",
    (p) =>
      say(
        `'${p.name}' is listed as a clocked state, but ${p.because}`,
        "correct the variable, or remove the entry",
      ),
  ),
  "dependency-unknown": error("Every dependency names a variable.", (p) =>
    say(
      `'${p.name}' in ${p.list} depends on variable ${p.reference}, which does not exist`,
      "FMI 2 counts variables from 1; FMI 3 names them by value reference",
    ),
  ),
  "dependency-not-known": warning(
    "Dependencies are knowns: inputs, states, parameters, the independent variable, exact initial values.",
    (p) =>
      say(
        `'${p.name}' in ${p.list} depends on '${p.dependency}', which the FMU calculates itself`,
        "list what that variable depends on instead",
      ),
  ),
  "dependency-kinds": error("There is one dependency kind for each dependency.", (p) =>
    say(
      `'${p.name}' in ${p.list} has ${p.kinds} dependency kinds for ${p.dependencies}`,
      "give one kind for each dependency, or drop dependenciesKind",
    ),
  ),
  "dependency-kind-illegal": error(
    "Every dependency kind is one that its list and type allow.",
    (p) =>
      say(
        `'${p.name}' in ${p.list} has the dependency kind '${p.kind}', but ${p.because}`,
        'write "dependent"',
      ),
  ),
};

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

export const CLOCK_RULES: RulesFor<ClockParams> = {
  "clocks-unknown": error("A clocked variable names clocks that exist.", (p) =>
    say(
      `'${p.name}' belongs to a clock with value reference ${p.reference}, which does not exist`,
      "name the value reference of a <Clock>",
    ),
  ),
  "clocks-not-clock": error("A clocked variable belongs to clocks.", (p) =>
    say(`'${p.name}' names '${p.other}' as its clock, which is no <Clock>`, "name a <Clock>"),
  ),
  "clocks-local": error("Only local variables belong to a local clock.", (p) =>
    say(
      `'${p.name}' is not local but belongs to the local clock '${p.clock}'`,
      "make the clock an input or output, or the variable local",
    ),
  ),
  "clocked-variability": error("A clocked variable is discrete or tunable.", (p) =>
    say(
      `'${p.name}' belongs to a clock but is neither discrete nor tunable`,
      'set variability="discrete"',
    ),
  ),
  "previous-unknown": error("previous names a variable that exists.", (p) =>
    say(
      `previous of '${p.name}' names value reference ${p.reference}, which no variable has`,
      "name the variable that holds the value of the last tick",
    ),
  ),
  "previous-shared": error("No two variables name the same previous.", (p) =>
    say(`'${p.name}' and '${p.other}' name the same previous`, "give each a previous of its own"),
  ),
  "previous-illegal": error(
    "previous is stated for discrete clocked variables and names a discrete variable of the same type that is not an input.",
    (p) =>
      say(
        `previous of '${p.name}' is not allowed: ${p.because}`,
        "correct the variables, or drop previous",
      ),
  ),
  "clock-causality": error("A clock is an input, an output or local.", (p) =>
    say(`clock '${p.name}' has causality="${p.causality}"`, "make it an input, an output or local"),
  ),
  "clock-variability": error("A clock is discrete or tunable.", (p) =>
    say(`clock '${p.name}' has variability="${p.variability}"`, 'set variability="discrete"'),
  ),
  "clock-not-input": error(
    "Clocks that follow time are inputs; outputs and local clocks are triggered.",
    (p) =>
      say(
        `clock '${p.name}' has intervalVariability="${p.interval}" but is not an input`,
        'set intervalVariability="triggered", or causality="input"',
      ),
  ),
  "clock-interval-missing": error("A constant clock states its interval.", (p) =>
    say(`clock '${p.name}' is constant and has no intervalDecimal`, "add intervalDecimal"),
  ),
  "clock-interval-unused": error(
    "Only constant, fixed and tunable clocks state an interval.",
    (p) =>
      say(
        `clock '${p.name}' is ${p.interval} and states an interval or shift`,
        "remove intervalDecimal, intervalCounter, resolution and the shifts",
      ),
  ),
  "clock-interval-invalid": error("Intervals are positive, shifts are not negative.", (p) =>
    say(`clock '${p.name}': ${p.what}`, "correct the number"),
  ),
  "clock-fraction": error(
    "A clock with fractions states supportsFraction, resolution and intervalCounter.",
    (p) => say(`clock '${p.name}': ${p.because}`, "state all three of them, or none"),
  ),
  "clock-priority-missing": error(
    "For Scheduled Execution every input clock has a priority.",
    (p) =>
      say(
        `clock '${p.name}' has no priority, and the FMU offers Scheduled Execution`,
        "add the attribute priority",
      ),
  ),
};
