/**
 * What can be wrong with integrals, bonds, constraints, events and limits: a part of the table of scenarios.
 */
import type { RulesFor } from "../base/diagnostic.ts";

export interface ExtrasParams {
  "integral-single": { readonly from: string; readonly to: string };
  "integral-unit": { readonly integral: string; readonly from: string; readonly unit: string };
  "integral-shape": { readonly integral: string; readonly from: string };
  "integral-measure": { readonly integral: string; readonly from: string; readonly why: string };
  "signal-direction": {
    readonly text: string;
    readonly direction: string;
    readonly wanted: string;
  };
  "signal-type": { readonly port: string };
  "signal-scalar": { readonly text: string; readonly what: string };
  "signal-units": {
    readonly left: string;
    readonly right: string;
    readonly why: string;
    readonly fix: string;
  };
  "signal-units-doubtful": { readonly left: string; readonly right: string; readonly why: string };
  "bond-name-taken": { readonly name: string; readonly first: string };
  "bond-scalar": { readonly name: string };
  "bond-offset": { readonly name: string; readonly conversion: string | undefined };
  "bond-direction": { readonly name: string; readonly effort: string; readonly flow: string };
  "constraint-itself": { readonly text: string };
  "constraint-rate-unknown": { readonly text: string; readonly port: string };
  "constraint-rate-unit": {
    readonly rate: string;
    readonly unit: string;
    readonly signal: string;
  };
  "event-itself": { readonly text: string };
}

export const EXTRAS_RULES: RulesFor<ExtrasParams> = {
  "integral-single": {
    severity: "error",
    rule: "An integral belongs to a connection between two real ports.",
    text: (p) => ({
      message: `'${p.from}' and '${p.to}' are no pair of real ports, so they have no 'integral'`,
      fix: "write the connection of the two ports on its own line, with its integral",
    }),
  },
  "integral-unit": {
    severity: "error",
    rule: "The integral of a signal is an output of the unit that the signal comes from.",
    text: (p) => ({
      message: `'${p.integral}' is no output of '${p.unit}', where '${p.from}' comes from`,
      fix: `name a real output of '${p.unit}' that is the time integral of '${p.from}'`,
    }),
  },
  "integral-shape": {
    severity: "error",
    rule: "A signal and its integral have the same shape and the same elements.",
    text: (p) => ({
      message: `the elements of '${p.integral}' are not those of '${p.from}'`,
      fix: "name the same elements of an output of the same shape: 'from: a.v[2]', 'integral: a.x[2]'",
    }),
  },
  "integral-measure": {
    severity: "error",
    rule: "The integral of a signal is measured in the signal's unit times seconds.",
    text: (p) => ({
      message: `'${p.integral}' does not measure the time integral of '${p.from}': ${p.why}`,
      fix: "name an output whose unit is the signal's unit times seconds, or remove 'integral'",
    }),
  },
  "signal-direction": {
    severity: "error",
    rule: "Signals that a master watches are outputs, what it drives are inputs.",
    text: (p) => ({
      message: `'${p.text}' is ${p.direction}, and ${p.wanted} is needed here`,
      fix: `name ${p.wanted} of that unit`,
    }),
  },
  "signal-type": {
    severity: "error",
    rule: "Constraints, events and limits are about real numbers.",
    text: (p) => ({
      message: `${p.port} is no real number`,
      fix: "name a floating-point port",
    }),
  },
  "signal-scalar": {
    severity: "error",
    rule: "Constraints, events and limits are about single numbers.",
    text: (p) => ({
      message: `'${p.text}' ${p.what}, and one number is needed here`,
      fix: "name one element of a port: 'unit.port[1]'; write one line for each",
    }),
  },
  "signal-units": {
    severity: "error",
    rule: "Signals that are compared measure the same thing.",
    text: (p) => ({
      message: `'${p.left}' and '${p.right}' cannot be compared: ${p.why}`,
      fix: p.fix,
    }),
  },
  "signal-units-doubtful": {
    severity: "warning",
    rule: "The units of signals that are compared can be converted without doubt.",
    text: (p) => ({
      message: `the units of '${p.left}' and '${p.right}' are doubtful: ${p.why}`,
      fix: "check both units in the descriptions of the units",
    }),
  },
  "bond-name-taken": {
    severity: "error",
    rule: "Names of bonds are unique in a scenario.",
    text: (p) => ({
      message: `another bond is called '${p.name}' (${p.first})`,
      fix: "rename one of them",
    }),
  },
  "bond-scalar": {
    severity: "error",
    rule: "Effort and flow of a bond are single real numbers.",
    text: (p) => ({
      message: `this connection of the bond '${p.name}' does not carry one real number`,
      fix: "connect real scalars or elements, and write a bond for each pair: 'a.F[1] -> b.F[1]'",
    }),
  },
  "bond-offset": {
    severity: "error",
    rule: "Effort and flow of a bond have no offset: power is their product.",
    text: (p) => ({
      message: `this connection of the bond '${p.name}' adds an offset${p.conversion === undefined ? "" : ` (${p.conversion})`}, so the product of effort and flow is no power`,
      fix: "connect signals that are zero together, without 'offset'",
    }),
  },
  "bond-direction": {
    severity: "error",
    rule: "Effort and flow of a bond run in opposite directions between the same two units.",
    text: (p) => ({
      message: `effort (${p.effort}) and flow (${p.flow}) of the bond '${p.name}' do not run in opposite directions between two units`,
      fix: "let one unit give the effort and take the flow, and the other the reverse",
    }),
  },
  "constraint-itself": {
    severity: "error",
    rule: "A constraint is between two signals.",
    text: (p) => ({
      message: `'${p.text}' stands on both sides of the constraint, which always holds`,
      fix: "name the two signals that are to be equal",
    }),
  },
  "constraint-rate-unknown": {
    severity: "warning",
    rule: "The rates of both sides of a constraint are known.",
    text: (p) => ({
      message: `nobody says which port is the rate of '${p.port}', so '${p.text}' is held without its rate and may ring`,
      fix: "name the rates: 'rate: left.v = right.v', or write 'rate: none' to say that there are none",
    }),
  },
  "constraint-rate-unit": {
    severity: "error",
    rule: "The rate of a side of a constraint belongs to the same unit as that side.",
    text: (p) => ({
      message: `'${p.rate}' is no port of '${p.unit}', where '${p.signal}' comes from`,
      fix: "write the rates in the order of the constraint's sides",
    }),
  },
  "event-itself": {
    severity: "error",
    rule: "A signal crosses a level or another signal.",
    text: (p) => ({
      message: `'${p.text}' cannot cross itself`,
      fix: "name a level ('crosses: 2 m') or another output",
    }),
  },
};
