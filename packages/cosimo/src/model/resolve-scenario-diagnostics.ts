/**
 * What can be wrong with a scenario once its names meet the descriptions of its units: one table, so that codes keep
 * their meaning whatever language the draft was written in.
 */
import type { RulesFor } from "../base/diagnostic.ts";
import { MAX_SCENARIO_ELEMENTS, MAX_UNIT_ELEMENTS } from "./element-limits.ts";
import { EXTRAS_RULES, type ExtrasParams } from "./resolve-scenario-declarations-diagnostics.ts";

/** "did you mean", or a few of the names there are. */
export interface Hint {
  readonly nearest: string | undefined;
  readonly names: readonly string[];
}

interface ScenarioParams extends ExtrasParams {
  "unit-name-taken": { readonly unit: string; readonly first: string };
  "unit-not-loaded": { readonly unit: string; readonly source: string };
  "scenario-nests-itself": { readonly unit: string; readonly file: string };
  "reference-malformed": { readonly text: string };
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
  "element-outside": { readonly text: string; readonly port: string; readonly shape: string };
  "connection-kinds": { readonly from: string; readonly to: string };
  "connection-from-input": { readonly from: string; readonly to: string };
  "connection-from": { readonly from: string; readonly direction: string };
  "connection-to": { readonly to: string; readonly direction: string };
  "connection-to-itself": { readonly unit: string };
  "connection-shape": { readonly from: string; readonly to: string };
  "connection-type": { readonly from: string; readonly to: string; readonly fix: string };
  "connection-rounds": { readonly from: string; readonly to: string };
  "connection-transformation": { readonly to: string };
  "connection-two-sources": { readonly to: string; readonly first: string };
  "connection-approximation": { readonly to: string; readonly approximation: string };
  "mapping-type": { readonly from: string; readonly to: string };
  "mapping-value": { readonly value: string; readonly port: string; readonly how: string };
  "mapping-incomplete": { readonly from: string; readonly missing: string };
  "unit-mismatch": { readonly from: string; readonly to: string; readonly why: string };
  "unit-unknown": { readonly from: string; readonly to: string; readonly why: string };
  "unit-radian": { readonly from: string; readonly to: string };
  "group-empty": { readonly from: string; readonly to: string };
  "terminal-rule": { readonly from: string; readonly to: string };
  "terminal-member": {
    readonly from: string;
    readonly to: string;
    readonly member: string;
    readonly missingIn: string;
  };
  "terminal-direction": {
    readonly from: string;
    readonly to: string;
    readonly member: string;
    readonly direction: string;
  };
  "terminal-skipped": { readonly from: string; readonly to: string; readonly member: string };
  "input-missing": { readonly unit: string; readonly port: string };
  "value-not-settable": { readonly port: string; readonly why: string };
  "value-malformed": { readonly port: string; readonly value: string; readonly how: string };
  "value-count": { readonly port: string; readonly expected: number; readonly found: number };
  "value-partial": { readonly port: string };
  "value-unit": { readonly port: string; readonly value: string; readonly why: string };
  "value-range": { readonly port: string; readonly value: string; readonly range: string };
  "value-twice": { readonly port: string; readonly first: string };
  "exposed-whole": { readonly name: string; readonly inner: string };
  "exposed-differs": { readonly name: string; readonly first: string; readonly other: string };
}

const SHOWN = 5;

function didYouMean({ nearest, names }: Hint, otherwise: string): string {
  if (nearest !== undefined) return `did you mean '${nearest}'?`;
  if (names.length === 0) return otherwise;
  const more = names.length > SHOWN ? `, … (${names.length} in all)` : "";
  return `known: ${names.slice(0, SHOWN).join(", ")}${more}`;
}

export const SCENARIO_RULES: RulesFor<ScenarioParams> = {
  ...EXTRAS_RULES,
  "unit-name-taken": {
    severity: "error",
    rule: "Unit names are unique in a scenario.",
    text: (p) => ({
      message: `another unit is called '${p.unit}' (${p.first})`,
      fix: "rename one of them",
    }),
  },
  "unit-not-loaded": {
    severity: "error",
    rule: "Every unit can be loaded.",
    text: (p) => ({
      message: `the unit '${p.unit}' cannot be used, because ${p.source} was not loaded`,
      fix: "see the messages about that file; check that the path is relative to the scenario's folder",
    }),
  },
  "scenario-nests-itself": {
    severity: "error",
    rule: "A scenario does not contain itself.",
    text: (p) => ({
      message: `'${p.unit}' is the scenario ${p.file}, which contains this one`,
      fix: "break the circle: move what both need into a scenario of its own",
    }),
  },
  "reference-malformed": {
    severity: "error",
    rule: "A reference is written 'unit.port'.",
    text: (p) => ({
      message: `'${p.text}' names no port`,
      fix: "write 'unit.port', 'unit.port[1]', 'unit.terminal' or 'unit.*'",
    }),
  },
  "unknown-unit": {
    severity: "error",
    rule: "References name units of the scenario.",
    text: (p) => ({
      message: `there is no unit '${p.unit}'`,
      fix: didYouMean(p.hint, "add it under 'units'"),
    }),
  },
  "unknown-port": {
    severity: "error",
    rule: "References name ports of the unit.",
    text: (p) => ({
      message: `'${p.unit}' has no port '${p.port}'`,
      fix: `${didYouMean(p.hint, "it has no such ports")}${p.isScenario ? "; a scenario shows what it lists under 'ports'" : ""}`,
    }),
  },
  "unit-too-large": {
    severity: "error",
    rule: `The ports of a unit have at most ${MAX_UNIT_ELEMENTS} elements together.`,
    text: (p) => ({
      message: `with its port '${p.port}'${p.shape.length > 0 ? ` (${p.shape.join(" × ")})` : ""} the unit '${p.unit}' has ${p.total} elements; at most ${MAX_UNIT_ELEMENTS} are possible`,
      fix: "give smaller values to the structural parameters that set its dimensions",
    }),
  },
  "scenario-too-large": {
    severity: "error",
    rule: `The units of a scenario have at most ${MAX_SCENARIO_ELEMENTS} elements together.`,
    text: (p) => ({
      message: `with the unit '${p.unit}' the scenario has ${p.total} elements; at most ${MAX_SCENARIO_ELEMENTS} are possible`,
      fix: "use fewer units, or smaller dimensions",
    }),
  },
  "value-unmatched": {
    severity: "warning",
    rule: "Values of a parameter set are for parameters that the unit has.",
    text: (p) => ({
      message: `'${p.unit}' has no parameter '${p.port}', so this value has no effect`,
      fix:
        p.nearest === undefined
          ? "correct the name, or remove the value from the set"
          : `did you mean '${p.nearest}'? Otherwise remove the value from the set`,
    }),
  },
  "element-outside": {
    severity: "error",
    rule: "Indices count from 1 and stay inside the port's shape.",
    text: (p) => ({
      message: `'${p.text}' is outside of '${p.port}', which is ${p.shape}`,
      fix: "count from 1, one index a dimension, the last one may be a range: 'y[2]', 'A[1,2]', 'y[1:3]'",
    }),
  },
  "connection-kinds": {
    severity: "error",
    rule: "Ports connect to ports, terminals to terminals, groups to groups.",
    text: (p) => ({
      message: `'${p.from}' and '${p.to}' are not of the same kind`,
      fix: "write a port, a terminal or a group ('unit.*') on both sides",
    }),
  },
  "connection-from-input": {
    severity: "error",
    rule: "Connections lead from an output to an input.",
    text: (p) => ({
      message: `'${p.from}' is an input and '${p.to}' an output`,
      fix: `turn it around: '${p.to} -> ${p.from}'`,
    }),
  },
  "connection-from": {
    severity: "error",
    rule: "Connections begin at an output.",
    text: (p) => ({
      message: `'${p.from}' is ${p.direction}, no output`,
      fix: "connect an output of that unit",
    }),
  },
  "connection-to": {
    severity: "error",
    rule: "Connections end at an input.",
    text: (p) => ({
      message: `'${p.to}' is ${p.direction}, no input`,
      fix: p.direction.includes("parameter")
        ? "give it a value under 'set' of the unit"
        : "connect an input of that unit",
    }),
  },
  "connection-to-itself": {
    severity: "warning",
    rule: "A unit is rarely meant to be connected to itself.",
    text: (p) => ({
      message: `this connects '${p.unit}' to itself, which makes a loop through one unit`,
      fix: "check the unit names on both sides",
    }),
  },
  "connection-shape": {
    severity: "error",
    rule: "Both ends of a connection have the same shape.",
    text: (p) => ({
      message: `${p.from} does not fit ${p.to}`,
      fix: "connect elements: 'a.y[1] -> b.u', 'a.y[1:3] -> b.v'",
    }),
  },
  "connection-type": {
    severity: "error",
    rule: "The target's type holds every value of the source's type.",
    text: (p) => ({ message: `${p.from} cannot feed ${p.to}`, fix: p.fix }),
  },
  "connection-rounds": {
    severity: "warning",
    rule: "Large integers are rounded in a floating-point port.",
    text: (p) => ({
      message: `${p.from} is rounded in ${p.to} when it gets large`,
      fix: "fine for counts; use an integer port where every digit matters",
    }),
  },
  "connection-transformation": {
    severity: "error",
    rule: "Factors, offsets and unit conversions need a floating-point target.",
    text: (p) => ({
      message: `${p.to} holds whole values, so nothing can be scaled into it`,
      fix: "remove factor and offset, or use 'mapping'",
    }),
  },
  "connection-two-sources": {
    severity: "error",
    rule: "An input has one source.",
    text: (p) => ({
      message: `'${p.to}' already has a source (${p.first})`,
      fix: "remove one of the two, or add the signals in a unit of their own",
    }),
  },
  "connection-approximation": {
    severity: "error",
    rule: "Only floating-point inputs are interpolated or extrapolated.",
    text: (p) => ({
      message: `${p.to} cannot be approximated by '${p.approximation}': there is nothing between two of its values`,
      fix: "remove 'approximation', or write 'hold'",
    }),
  },
  "mapping-type": {
    severity: "error",
    rule: "Mappings lead from booleans, integers and enumerations to booleans, integers and enumerations.",
    text: (p) => ({
      message: `no values can be mapped from ${p.from} to ${p.to}`,
      fix: "use 'factor' and 'offset' for floating-point ports",
    }),
  },
  "mapping-value": {
    severity: "error",
    rule: "Mapped values are values of their ports.",
    text: (p) => ({ message: `'${p.value}' is no value of ${p.port}`, fix: p.how }),
  },
  "mapping-incomplete": {
    severity: "error",
    rule: "A mapping between different types covers every value of the source.",
    text: (p) => ({
      message: `the mapping says nothing about '${p.missing}' of ${p.from}`,
      fix: `add '${p.missing}: …' to the mapping`,
    }),
  },
  "unit-mismatch": {
    severity: "error",
    rule: "Both ends of a connection measure the same thing.",
    text: (p) => ({
      message: `the units of '${p.from}' and '${p.to}' do not fit: ${p.why}`,
      fix: "connect another port, or write '{ from, to, suppress: unit }' to pass the number unchanged",
    }),
  },
  "unit-unknown": {
    severity: "warning",
    rule: "Units can be compared.",
    text: (p) => ({
      message: `the units of '${p.from}' and '${p.to}' cannot be compared: ${p.why}; the number passes unchanged`,
      fix: "give 'factor' if it must be scaled, and 'suppress: unit' to say that you know",
    }),
  },
  "unit-radian": {
    severity: "warning",
    rule: "Units that differ in the radian alone are compatible, with a remark.",
    text: (p) => ({
      message: `the units of '${p.from}' and '${p.to}' differ in the radian, which is taken as 1`,
      fix: "add 'factor: 6.283185307179586' if turns were meant, or 'suppress: unit' to say that you know",
    }),
  },
  "group-empty": {
    severity: "error",
    rule: "A group connects at least one pair of ports.",
    text: (p) => ({
      message: `no output of '${p.from}' has the name of an input of '${p.to}'`,
      fix: "connect the ports one by one, or check the direction of the arrow",
    }),
  },
  "terminal-rule": {
    severity: "error",
    rule: "Connected terminals have the same matching rule: plug, bus or sequence.",
    text: (p) => ({
      message: `${p.from} and ${p.to} do not match by the same known rule`,
      fix: "connect the ports one by one",
    }),
  },
  "terminal-member": {
    severity: "error",
    rule: "Plugs have the same members, sequences the same number of them.",
    text: (p) => ({
      message: `'${p.from}' and '${p.to}' do not match: '${p.missingIn}' has no member '${p.member}'`,
      fix: "connect the ports one by one",
    }),
  },
  "terminal-direction": {
    severity: "error",
    rule: "Of two matching members of terminals one is an output and the other an input.",
    text: (p) => ({
      message: `'${p.member}' is ${p.direction} in '${p.from}' and in '${p.to}', so nothing flows`,
      fix: "connect the ports one by one",
    }),
  },
  "terminal-skipped": {
    severity: "note",
    rule: "Members of terminals that are no signals are left alone.",
    text: (p) => ({
      message: `'${p.member}' of '${p.from}' and '${p.to}' is no pair of output and input and is not connected`,
      fix: "set parameters of both units under 'set'",
    }),
  },
  "input-missing": {
    severity: "error",
    rule: "Every input has a connection or a value.",
    text: (p) => ({
      message: `the input '${p.unit}.${p.port}' has no source and no start value`,
      fix: `connect it, or give it a value: 'set: { ${p.port}: … }'`,
    }),
  },
  "value-not-settable": {
    severity: "error",
    rule: "Values are given to parameters, inputs and ports with a start value.",
    text: (p) => ({ message: `'${p.port}' cannot be set: ${p.why}`, fix: "remove the value" }),
  },
  "value-malformed": {
    severity: "error",
    rule: "A value is of the port's type.",
    text: (p) => ({ message: `'${p.value}' is no value of ${p.port}`, fix: p.how }),
  },
  "value-count": {
    severity: "error",
    rule: "A list has one value for each element of the port.",
    text: (p) => ({
      message: `'${p.port}' has ${p.expected} ${p.expected === 1 ? "element" : "elements"}, and ${p.found} values are given`,
      fix:
        p.expected === 1
          ? "give one value"
          : `give ${p.expected} values, row by row, or one value for all of them`,
    }),
  },
  "value-partial": {
    severity: "error",
    rule: "Every element of a port has a value, or the port a start value for the others.",
    text: (p) => ({
      message: `some elements of '${p.port}' get a value, the others have none`,
      fix: "give all of them: 'A: [1, 2, 3]'",
    }),
  },
  "value-unit": {
    severity: "error",
    rule: "A value's unit measures what the port measures.",
    text: (p) => ({
      message: `'${p.value}' does not fit '${p.port}': ${p.why}`,
      fix: "write the number alone to give it in the port's own unit",
    }),
  },
  "value-range": {
    severity: "warning",
    rule: "A value is between the port's min and max.",
    text: (p) => ({
      message: `${p.value} is outside of the range of '${p.port}' (${p.range})`,
      fix: "check the value and its unit",
    }),
  },
  "value-twice": {
    severity: "error",
    rule: "A port gets one value.",
    text: (p) => ({
      message: `'${p.port}' already has a value (${p.first})`,
      fix: "keep one of them",
    }),
  },
  "exposed-whole": {
    severity: "error",
    rule: "Exposed ports are whole ports of units.",
    text: (p) => ({
      message: `'${p.name}' shows '${p.inner}', which is no whole port`,
      fix: "name one port of a unit: 'unit.port'",
    }),
  },
  "exposed-differs": {
    severity: "error",
    rule: "An exposed port that feeds several inputs feeds inputs of one type, shape and unit.",
    text: (p) => ({
      message: `'${p.name}' cannot stand for both ${p.first} and ${p.other}`,
      fix: "expose them under two names",
    }),
  },
};

export type ScenarioCode = keyof ScenarioParams;
export type ScenarioParamsOf<Code extends ScenarioCode> = ScenarioParams[Code];
