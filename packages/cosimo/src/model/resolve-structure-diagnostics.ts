/**
 * What can be wrong with rules that change the structure of a scenario: a part of the table of
 * scenarios.
 */
import { type RulesFor, rulesFrom, type Texts } from "../base/diagnostic.ts";

export interface StructureParams {
  "structure-unit": { readonly unit: string; readonly nearest: string | undefined };
  "structure-connection": Texts<"connection">;
  "structure-idle": Texts<"what" | "why">;
  "structure-too-many": { readonly limit: number };
  "structure-nested": Texts<"name">;
  "structure-transfer-to": Texts<"to">;
  "structure-transfer-from": Texts<"from">;
  "structure-transfer-shape": Texts<"from" | "to" | "why">;
  "structure-condition": Texts<"signal" | "why">;
}

export const STRUCTURE_RULES: RulesFor<StructureParams> = rulesFrom<StructureParams>({
  "structure-unit": {
    rule: "Rules of the structure name units of the scenario.",
    message: (p) => `there is no unit '${p.unit}'`,
    fix: (p) =>
      p.nearest === undefined
        ? "list it under 'units', as one that is 'absent' at the start"
        : `did you mean '${p.nearest}'?`,
  },
  "structure-connection": {
    rule: "A rule disconnects what is connected somewhere.",
    message: (p) => `'${p.connection}' is not among the connections`,
    fix: "write it as it is written under 'connections', or in 'connect' of another rule",
  },
  "structure-idle": {
    severity: "warning",
    rule: "Every rule of the structure can have an effect.",
    message: (p) => `this rule ${p.what}, and never can: ${p.why}`,
    fix: "add what is absent, remove and disconnect what is there; or remove the rule",
  },
  "structure-too-many": {
    rule: "The structures that can occur can be checked before the run.",
    message: (p) => `the rules lead to more than ${p.limit} different structures`,
    fix: "use fewer rules that are independent of each other, or 'at' in place of 'when'",
  },
  "structure-nested": {
    rule: "The structure of a scenario inside another one does not change.",
    message: (p) => `'${p.name}' is a unit of another scenario and changes its structure`,
    fix: "put its units and rules into the outer scenario",
  },
  "structure-transfer-to": {
    rule: "A rule transfers values to ports of units that it adds, which can be set before initialization.",
    message: (p) => `'${p.to}' cannot be given a value when its unit is added`,
    fix: "name a parameter, an input or a start value of a unit that the same rule adds",
  },
  "structure-transfer-from": {
    rule: "A rule transfers values of units that exist when it takes effect.",
    message: (p) => `'${p.from}' cannot be read when the rule takes effect`,
    fix: "name a port of a unit that exists until then",
  },
  "structure-transfer-shape": {
    rule: "Values that are transferred fit the port that they are transferred to.",
    message: (p) => `'${p.from}' does not fit '${p.to}': ${p.why}`,
    fix: "transfer between ports with the same elements, types and physical dimension",
  },
  "structure-condition": {
    rule: "Conditions compare outputs that are numbers or booleans.",
    message: (p) => `'${p.signal}' cannot be part of a condition: ${p.why}`,
    fix: "write 'unit.output > value', for example 'motor.temperature > 90 degC'",
  },
});
