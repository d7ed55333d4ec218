/**
 * What can be wrong with integrals, bonds, constraints, events, limits and faults: a part of the
 * table of scenarios.
 */
import { type RulesFor, rulesFrom, type Texts } from "../base/diagnostic.ts";

export interface DeclarationParams {
  "integral-single": Texts<"from" | "to">;
  "integral-unit": Texts<"integral" | "from" | "unit">;
  "integral-shape": Texts<"integral" | "from">;
  "integral-measure": Texts<"integral" | "from" | "why">;
  "signal-direction": Texts<"text" | "direction" | "wanted">;
  "signal-type": Texts<"port">;
  "signal-scalar": Texts<"text" | "what">;
  "signal-units": Texts<"left" | "right" | "why" | "fix">;
  "signal-units-doubtful": Texts<"left" | "right" | "why">;
  "bond-name-taken": Texts<"name" | "first">;
  "bond-scalar": Texts<"name">;
  "bond-offset": { readonly name: string; readonly conversion: string | undefined };
  "bond-direction": Texts<"name" | "effort" | "flow">;
  "constraint-itself": Texts<"text">;
  "constraint-rate-unknown": Texts<"text" | "port">;
  "constraint-rate-unit": Texts<"rate" | "unit" | "signal">;
  "event-itself": Texts<"text">;
  "fault-name-taken": Texts<"name" | "first">;
  "fault-not-possible": Texts<"target" | "why" | "fix">;
}

export const DECLARATION_RULES: RulesFor<DeclarationParams> = rulesFrom<DeclarationParams>({
  "integral-single": {
    rule: "An integral belongs to a connection between two real ports.",
    message: (p) =>
      `'${p.from}' and '${p.to}' are not two real ports, so the connection cannot have an 'integral'`,
    fix: "write the connection of the two ports on its own line, with its integral",
  },
  "integral-unit": {
    rule: "The integral of a signal is an output of the unit that the signal comes from.",
    message: (p) => `'${p.integral}' is not an output of '${p.unit}', where '${p.from}' comes from`,
    fix: (p) => `name a real output of '${p.unit}' that is the time integral of '${p.from}'`,
  },
  "integral-shape": {
    rule: "A signal and its integral have the same shape and the same elements.",
    message: (p) => `the elements of '${p.integral}' are not those of '${p.from}'`,
    fix: "name the same elements of an output of the same shape: 'from: a.v[2]', 'integral: a.x[2]'",
  },
  "integral-measure": {
    rule: "The integral of a signal is measured in the signal's unit times seconds.",
    message: (p) => `'${p.integral}' does not measure the time integral of '${p.from}': ${p.why}`,
    fix: "name an output whose unit is the signal's unit times seconds, or remove 'integral'",
  },
  "signal-direction": {
    rule: "Signals that a master watches are outputs, what it drives are inputs.",
    message: (p) => `'${p.text}' is ${p.direction}, and ${p.wanted} is needed here`,
    fix: (p) => `name ${p.wanted} of that unit`,
  },
  "signal-type": {
    rule: "Constraints, events and limits are about real numbers.",
    message: (p) => `${p.port} is not a real number`,
    fix: "name a floating-point port",
  },
  "signal-scalar": {
    rule: "Constraints, events and limits are about single numbers.",
    message: (p) => `'${p.text}' ${p.what}, and one number is needed here`,
    fix: "name one element of a port: 'unit.port[1]'; write one line for each",
  },
  "signal-units": {
    rule: "Signals that are compared measure the same thing.",
    message: (p) => `'${p.left}' and '${p.right}' cannot be compared: ${p.why}`,
    fix: (p) => p.fix,
  },
  "signal-units-doubtful": {
    severity: "warning",
    rule: "The units of signals that are compared can be converted without doubt.",
    message: (p) => `the units of '${p.left}' and '${p.right}' may not match: ${p.why}`,
    fix: "check both units in the descriptions of the units",
  },
  "bond-name-taken": {
    rule: "Names of bonds are unique in a scenario.",
    message: (p) => `another bond is called '${p.name}' (${p.first})`,
    fix: "rename one of them",
  },
  "bond-scalar": {
    rule: "Effort and flow of a bond are single real numbers.",
    message: (p) => `this connection of the bond '${p.name}' does not carry one real number`,
    fix: "connect real scalars or elements, and write a bond for each pair: 'a.F[1] -> b.F[1]'",
  },
  "bond-offset": {
    rule: "Effort and flow of a bond have no offset: power is their product.",
    message: (p) =>
      `this connection of the bond '${p.name}' adds an offset${p.conversion === undefined ? "" : ` (${p.conversion})`}, so the product of effort and flow is not a power`,
    fix: "connect signals that are zero together, without 'offset'",
  },
  "bond-direction": {
    rule: "Effort and flow of a bond lead in opposite directions between the same two units.",
    message: (p) =>
      `effort (${p.effort}) and flow (${p.flow}) of the bond '${p.name}' do not lead in opposite directions between two units`,
    fix: "let one unit give the effort and take the flow, and the other the reverse",
  },
  "constraint-itself": {
    rule: "A constraint is between two signals.",
    message: (p) => `'${p.text}' stands on both sides of the constraint, which always holds`,
    fix: "name the two signals that are to be equal",
  },
  "constraint-rate-unknown": {
    severity: "warning",
    rule: "The rates of both sides of a constraint are known.",
    message: (p) =>
      `no port is declared to be the rate of '${p.port}', so '${p.text}' is held without its rate and may oscillate`,
    fix: "name the rates: 'rate: left.v = right.v', or write 'rate: none' to say that there are none",
  },
  "constraint-rate-unit": {
    rule: "The rate of a side of a constraint belongs to the same unit as that side.",
    message: (p) => `'${p.rate}' is not a port of '${p.unit}', where '${p.signal}' comes from`,
    fix: "write the rates in the order of the constraint's sides",
  },
  "event-itself": {
    rule: "A signal crosses a level or another signal.",
    message: (p) => `'${p.text}' cannot cross itself`,
    fix: "name a level ('crosses: 2 m') or another output",
  },
  "fault-name-taken": {
    rule: "Faults have names of their own: each is a track of the trace.",
    message: (p) => `there is a fault '${p.name}' already (${p.first})`,
    fix: "give one of them another name",
  },
  "fault-not-possible": {
    rule: "A fault acts on a port or a unit that can have it, and its condition is about what units give.",
    message: (p) => `'${p.target}': ${p.why}`,
    fix: (p) => p.fix,
  },
});
