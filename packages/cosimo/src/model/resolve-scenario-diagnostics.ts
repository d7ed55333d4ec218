/**
 * What can be wrong with a scenario once its names meet the descriptions of its units: one table,
 * so that codes keep their meaning whatever language the draft was written in.
 */
import { type RulesFor, rulesFrom, type Texts } from "../base/diagnostic.ts";
import { MAX_SCENARIO_ELEMENTS, MAX_UNIT_ELEMENTS } from "./element-limits.ts";
import { REQUIREMENT_RULES, type RequirementParams } from "./resolve-requirement-diagnostics.ts";
import {
  DECLARATION_RULES,
  type DeclarationParams,
} from "./resolve-scenario-declarations-diagnostics.ts";
import { STRUCTURE_RULES, type StructureParams } from "./resolve-structure-diagnostics.ts";

/** "did you mean", or a few of the names there are. */
export interface Hint {
  readonly nearest: string | undefined;
  readonly names: readonly string[];
}

interface OwnParams {
  "unit-name-taken": Texts<"unit" | "first">;
  "unit-not-loaded": Texts<"unit" | "source">;
  "scenario-nests-itself": Texts<"unit" | "file">;
  "reference-malformed": Texts<"text">;
  "unknown-unit": { readonly unit: string; readonly hint: Hint };
  "unknown-port": {
    readonly unit: string;
    readonly port: string;
    readonly hint: Hint;
    readonly isScenario: boolean;
  };
  "unit-too-large": {
    readonly unit: string;
    readonly port: string;
    readonly shape: readonly number[];
    readonly total: number;
  };
  "scenario-too-large": { readonly unit: string; readonly total: number };
  "value-unmatched": {
    readonly unit: string;
    readonly port: string;
    readonly nearest: string | undefined;
  };
  "element-outside": Texts<"text" | "port" | "shape">;
  "connection-kinds": Texts<"from" | "to">;
  "connection-from-input": Texts<"from" | "to">;
  "connection-from": Texts<"from" | "direction">;
  "connection-to": Texts<"to" | "direction">;
  "connection-to-itself": Texts<"unit">;
  "connection-shape": Texts<"from" | "to">;
  "connection-type": Texts<"from" | "to" | "fix">;
  "connection-rounds": Texts<"from" | "to">;
  "connection-unchecked": Texts<"from" | "to">;
  "connection-transformation": Texts<"to">;
  "connection-two-sources": Texts<"to" | "first">;
  "connection-approximation": Texts<"to" | "approximation">;
  "connection-formula": Texts<"from" | "to" | "why" | "fix">;
  "connection-nature": Texts<"from" | "to" | "why" | "fix">;
  "trigger-port": Texts<"port" | "kind" | "direction" | "wanted">;
  "mapping-type": Texts<"from" | "to">;
  "mapping-value": Texts<"value" | "port" | "how">;
  "mapping-incomplete": Texts<"from" | "missing">;
  "unit-mismatch": Texts<"from" | "to" | "why">;
  "unit-unknown": Texts<"from" | "to" | "why">;
  "unit-radian": Texts<"from" | "to">;
  "port-unit-differs": Texts<"port" | "declared" | "is">;
  "group-empty": Texts<"from" | "to">;
  "terminal-rule": Texts<"from" | "to">;
  "terminal-member": Texts<"from" | "to" | "member" | "missingIn">;
  "terminal-direction": Texts<"from" | "to" | "member" | "direction">;
  "terminal-skipped": Texts<"from" | "to" | "member">;
  "input-missing": Texts<"unit" | "port">;
  "value-not-settable": Texts<"port" | "why">;
  "value-without-effect": Texts<"port" | "why">;
  "value-malformed": Texts<"port" | "value" | "how">;
  "value-count": { readonly port: string; readonly expected: number; readonly found: number };
  "value-partial": Texts<"port">;
  "value-unit": Texts<"port" | "value" | "why">;
  "value-unit-unused": Texts<"port" | "value">;
  "value-range": Texts<"port" | "value" | "range">;
  "value-twice": Texts<"port" | "first">;
  "exposed-whole": Texts<"name" | "inner">;
  "exposed-differs": Texts<"name" | "first" | "other">;
}

const SHOWN = 5;

function didYouMean({ nearest, names }: Hint, otherwise: string): string {
  if (nearest !== undefined) return `did you mean '${nearest}'?`;
  if (names.length === 0) return otherwise;
  const more = names.length > SHOWN ? `, … (${names.length} in all)` : "";
  return `known: ${names.slice(0, SHOWN).join(", ")}${more}`;
}

const OWN_RULES = rulesFrom<OwnParams>({
  "unit-name-taken": {
    rule: "Unit names are unique in a scenario.",
    message: (p) => `another unit is called '${p.unit}' (${p.first})`,
    fix: "rename one of them",
  },
  "unit-not-loaded": {
    rule: "Every unit can be loaded.",
    message: (p) => `the unit '${p.unit}' cannot be used because ${p.source} was not loaded`,
    fix: "see the messages about that file; check that the path is relative to the scenario's folder",
  },
  "scenario-nests-itself": {
    rule: "A scenario does not contain itself.",
    message: (p) => `'${p.unit}' is the scenario ${p.file}, which contains this one`,
    fix: "break the cycle: move what both need into a scenario of its own",
  },
  "reference-malformed": {
    rule: "A reference is written 'unit.port'.",
    message: (p) => `'${p.text}' does not name a port`,
    fix: "write 'unit.port', 'unit.port[1]', 'unit.terminal' or 'unit.*'",
  },
  "unknown-unit": {
    rule: "References name units of the scenario.",
    message: (p) => `there is no unit '${p.unit}'`,
    fix: (p) => didYouMean(p.hint, "add it under 'units'"),
  },
  "unknown-port": {
    rule: "References name ports of the unit.",
    message: (p) => `'${p.unit}' has no port '${p.port}'`,
    fix: (p) =>
      `${didYouMean(p.hint, "it has no such ports")}${p.isScenario ? "; a scenario shows what it lists under 'ports'" : ""}`,
  },
  "unit-too-large": {
    rule: `The ports of a unit have at most ${MAX_UNIT_ELEMENTS} elements together.`,
    message: (p) =>
      `with its port '${p.port}'${p.shape.length > 0 ? ` (${p.shape.join(" × ")})` : ""} the unit '${p.unit}' has ${p.total} elements; at most ${MAX_UNIT_ELEMENTS} are possible`,
    fix: "give smaller values to the structural parameters that set its dimensions",
  },
  "scenario-too-large": {
    rule: `The units of a scenario have at most ${MAX_SCENARIO_ELEMENTS} elements together.`,
    message: (p) =>
      `with the unit '${p.unit}' the scenario has ${p.total} elements; at most ${MAX_SCENARIO_ELEMENTS} are possible`,
    fix: "use fewer units, or smaller dimensions",
  },
  "value-unmatched": {
    severity: "warning",
    rule: "Values of a parameter set are for parameters that the unit has.",
    message: (p) => `'${p.unit}' has no parameter '${p.port}', so this value has no effect`,
    fix: (p) =>
      p.nearest === undefined
        ? "correct the name, or remove the value from the set"
        : `did you mean '${p.nearest}'? Otherwise remove the value from the set`,
  },
  "element-outside": {
    rule: "Indices count from 1 and stay inside the port's shape.",
    message: (p) => `'${p.text}' is outside '${p.port}', which is ${p.shape}`,
    fix: "count from 1, one index per dimension; the last one may be a range: 'y[2]', 'A[1,2]', 'y[1:3]'",
  },
  "connection-nature": {
    rule: "Natures of connected ports go together: events reach inputs that hold a value or take events, and what is constant is not driven.",
    message: (p) => `'${p.from}' cannot drive '${p.to}': ${p.why}`,
    fix: (p) => p.fix,
  },
  "connection-formula": {
    rule: "A formula combines numbers with numbers and booleans with booleans.",
    message: (p) => `'${p.from}' cannot be computed for '${p.to}': ${p.why}`,
    fix: (p) => p.fix,
  },
  "trigger-port": {
    rule: "Updates and events are those of outputs; inputs are read.",
    message: (p) => `'${p.port}' is ${p.direction}, and '${p.kind}' waits for ${p.wanted}`,
    fix: (p) => `name ${p.wanted} of a unit`,
  },
  "connection-kinds": {
    rule: "Ports connect to ports, terminals to terminals, groups to groups.",
    message: (p) => `'${p.from}' and '${p.to}' are not of the same kind`,
    fix: "write a port, a terminal or a group ('unit.*') on both sides",
  },
  "connection-from-input": {
    rule: "Connections lead from an output to an input.",
    message: (p) => `'${p.from}' is an input and '${p.to}' an output`,
    fix: (p) => `reverse it: '${p.to} -> ${p.from}'`,
  },
  "connection-from": {
    rule: "Connections begin at an output.",
    message: (p) => `'${p.from}' is ${p.direction}, not an output`,
    fix: "connect an output of that unit",
  },
  "connection-to": {
    rule: "Connections end at an input.",
    message: (p) => `'${p.to}' is ${p.direction}, not an input`,
    fix: (p) =>
      p.direction.includes("parameter")
        ? "give it a value under 'set' of the unit"
        : "connect an input of that unit",
  },
  "connection-to-itself": {
    severity: "warning",
    rule: "A unit is rarely meant to be connected to itself.",
    message: (p) => `this connects '${p.unit}' to itself, which makes a loop through one unit`,
    fix: "check the unit names on both sides",
  },
  "connection-shape": {
    rule: "Both ends of a connection have the same shape.",
    message: (p) => `${p.from} does not fit ${p.to}`,
    fix: "connect elements: 'a.y[1] -> b.u', 'a.y[1:3] -> b.v'",
  },
  "connection-type": {
    rule: "The target's type holds every value of the source's type.",
    message: (p) => `${p.from} cannot feed ${p.to}`,
    fix: (p) => p.fix,
  },
  "connection-rounds": {
    severity: "warning",
    rule: "Large integers are rounded in a floating-point port.",
    message: (p) => `${p.from} is rounded in ${p.to} when it is large`,
    fix: "fine for counts; use an integer port where every digit matters",
  },
  "connection-unchecked": {
    severity: "warning",
    rule: "An enumeration is fed by an enumeration.",
    message: (p) =>
      `${p.from} feeds ${p.to}: a value that is not one of its items reaches it as it is`,
    fix: "say what becomes what, '{ from, to, mapping: { … } }', unless the numbers are those of the items",
  },
  "connection-transformation": {
    rule: "Factors, offsets and unit conversions need a floating-point target.",
    message: (p) => `${p.to} holds whole values, so nothing can be scaled into it`,
    fix: "remove factor and offset, or use 'mapping'",
  },
  "connection-two-sources": {
    rule: "An input has one source.",
    message: (p) => `'${p.to}' already has a source (${p.first})`,
    fix: "remove one of the two, or add the signals in a unit of their own",
  },
  "connection-approximation": {
    rule: "Only floating-point inputs are interpolated or extrapolated.",
    message: (p) =>
      `${p.to} cannot be approximated by '${p.approximation}': there is nothing between two of its values`,
    fix: "remove 'approximation', or write 'hold'",
  },
  "mapping-type": {
    rule: "Mappings lead from booleans, integers and enumerations to booleans, integers and enumerations.",
    message: (p) => `no values can be mapped from ${p.from} to ${p.to}`,
    fix: "use 'factor' and 'offset' for floating-point ports",
  },
  "mapping-value": {
    rule: "Mapped values are values of their ports.",
    message: (p) => `'${p.value}' is not a value of ${p.port}`,
    fix: (p) => p.how,
  },
  "mapping-incomplete": {
    rule: "A mapping between different types covers every value of the source.",
    message: (p) => `the mapping does not name '${p.missing}' of ${p.from}`,
    fix: (p) => `add '${p.missing}: …' to the mapping`,
  },
  "unit-mismatch": {
    rule: "Both ends of a connection measure the same thing.",
    message: (p) => `the units of '${p.from}' and '${p.to}' do not match: ${p.why}`,
    fix: "connect another port, or write '{ from, to, suppress: unit }' to pass the number unchanged",
  },
  "unit-unknown": {
    severity: "warning",
    rule: "Units can be compared.",
    message: (p) =>
      `the units of '${p.from}' and '${p.to}' cannot be compared: ${p.why}; the number passes unchanged`,
    fix: "give 'factor' if it must be scaled, and 'suppress: unit' to accept it",
  },
  "unit-radian": {
    severity: "warning",
    rule: "Units that differ in the radian alone are compatible, with a warning.",
    message: (p) =>
      `the units of '${p.from}' and '${p.to}' differ in the radian, which is taken as 1`,
    fix: "add 'factor: 6.283185307179586' if turns were meant, or 'suppress: unit' to accept it",
  },
  "port-unit-differs": {
    severity: "warning",
    rule: "A system declares the units that its units have themselves.",
    message: (p) =>
      `the system declares '${p.port}' in '${p.declared}', and the unit itself says '${p.is}', which is taken`,
    fix: "correct the unit of the connector, or leave it out",
  },
  "group-empty": {
    rule: "A group connects at least one pair of ports.",
    message: (p) => `no output of '${p.from}' has the name of an input of '${p.to}'`,
    fix: "connect the ports one by one, or check the direction of the arrow",
  },
  "terminal-rule": {
    rule: "Connected terminals have the same matching rule: plug, bus or sequence.",
    message: (p) => `${p.from} and ${p.to} do not match by the same known rule`,
    fix: "connect the ports one by one",
  },
  "terminal-member": {
    rule: "Plugs have the same members, sequences the same number of them.",
    message: (p) =>
      `'${p.from}' and '${p.to}' do not match: '${p.missingIn}' has no member '${p.member}'`,
    fix: "connect the ports one by one",
  },
  "terminal-direction": {
    rule: "Of two matching members of terminals one is an output and the other an input.",
    message: (p) =>
      `'${p.member}' is ${p.direction} in '${p.from}' and in '${p.to}', so nothing flows`,
    fix: "connect the ports one by one",
  },
  "terminal-skipped": {
    severity: "note",
    rule: "Members of terminals that are not signals are not connected.",
    message: (p) =>
      `'${p.member}' of '${p.from}' and '${p.to}' is not a pair of output and input and is not connected`,
    fix: "set parameters of both units under 'set'",
  },
  "input-missing": {
    rule: "Every input has a connection or a value.",
    message: (p) => `the input '${p.unit}.${p.port}' has no source and no start value`,
    fix: (p) => `connect it, or give it a value: 'set: { ${p.port}: … }'`,
  },
  "value-without-effect": {
    severity: "warning",
    rule: "Values of a parameter set are for parameters, inputs and ports with a start value.",
    message: (p) =>
      `'${p.port}' cannot be set, because ${p.why}; the value of the set has no effect`,
    fix: "remove the value from the set",
  },
  "value-not-settable": {
    rule: "Values are given to parameters, inputs and ports with a start value.",
    message: (p) => `'${p.port}' cannot be set: ${p.why}`,
    fix: "remove the value",
  },
  "value-malformed": {
    rule: "A value is of the port's type.",
    message: (p) => `'${p.value}' is not a value of ${p.port}`,
    fix: (p) => p.how,
  },
  "value-count": {
    rule: "A list has one value for each element of the port.",
    message: (p) =>
      `'${p.port}' has ${p.expected} ${p.expected === 1 ? "element" : "elements"}, and ${p.found} values are given`,
    fix: (p) =>
      p.expected === 1
        ? "give one value"
        : `give ${p.expected} values, row by row, or one value for all of them`,
  },
  "value-partial": {
    rule: "Every element of a port has a value, or the port a start value for the others.",
    message: (p) => `some elements of '${p.port}' get a value, the others have none`,
    fix: "give all of them: 'A: [1, 2, 3]'",
  },
  "value-unit": {
    rule: "A value's unit measures what the port measures.",
    message: (p) => `'${p.value}' does not fit '${p.port}': ${p.why}`,
    fix: "write the number alone to give it in the port's own unit",
  },
  "value-unit-unused": {
    severity: "warning",
    rule: "A value of a parameter set has a unit where the port has one.",
    message: (p) =>
      `'${p.value}' for '${p.port}': the port has no unit to convert to, so the number is taken as it is`,
    fix: "remove the unit from the set, or check that the FMU means the same one",
  },
  "value-range": {
    severity: "warning",
    rule: "A value is between the port's min and max.",
    message: (p) => `${p.value} is outside the range of '${p.port}' (${p.range})`,
    fix: "check the value and its unit",
  },
  "value-twice": {
    rule: "A port gets one value.",
    message: (p) => `'${p.port}' already has a value (${p.first})`,
    fix: "keep one of them",
  },
  "exposed-whole": {
    rule: "Exposed ports are whole ports of units.",
    message: (p) => `'${p.name}' shows '${p.inner}', which is not a whole port`,
    fix: "name one port of a unit: 'unit.port'",
  },
  "exposed-differs": {
    rule: "An exposed port that feeds several inputs feeds inputs of one type, shape and unit.",
    message: (p) => `'${p.name}' cannot stand for both ${p.first} and ${p.other}`,
    fix: "expose them under two names",
  },
});

export type ScenarioParams = OwnParams & DeclarationParams & StructureParams & RequirementParams;

export const SCENARIO_RULES: RulesFor<ScenarioParams> = {
  ...DECLARATION_RULES,
  ...STRUCTURE_RULES,
  ...REQUIREMENT_RULES,
  ...OWN_RULES,
};
