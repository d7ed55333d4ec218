/**
 * What can be wrong with the text of a state machine. Keys, types and numbers of YAML have the
 * codes of lang/scenario.
 */
import { type RulesFor, rulesFrom } from "../../base/diagnostic.ts";
import { didYouMean } from "../../base/rule-text.ts";

interface MachineTextParams {
  "machine-name": { readonly name: string; readonly why: string };
  "machine-no-state": {
    readonly name: string;
    readonly nearest: string | undefined;
    readonly states: readonly string[];
  };
  "machine-initial": { readonly owner: string; readonly states: readonly string[] };
  "machine-rule": {
    readonly what: string;
    readonly text: string;
    readonly message: string;
    readonly fix: string;
  };
  "machine-unknown": {
    readonly name: string;
    readonly what: string;
    readonly nearest: string | undefined;
    readonly known: readonly string[];
  };
  "machine-type": { readonly what: string; readonly wanted: string; readonly found: string };
  "machine-number": { readonly what: string };
  "machine-start": {
    readonly name: string;
    readonly start: string;
    readonly isGiven: boolean;
    readonly why: string;
    readonly fix: string;
  };
  "machine-range": { readonly name: string; readonly min: number; readonly max: number };
  "machine-target": { readonly name: string; readonly kind: string };
  "machine-after": { readonly found: string };
  "machine-endless": { readonly cycle: readonly string[] };
  "machine-shadowed": { readonly from: string; readonly to: string; readonly line: number };
  "machine-unreachable": { readonly state: string };
}

const list = (names: readonly string[]): string => (names.length > 0 ? names.join(", ") : "none");

export const MACHINE_RULES: RulesFor<MachineTextParams> = rulesFrom<MachineTextParams>({
  "machine-name": {
    rule: "Names of a state machine are words, and each means one thing.",
    message: (p) => `'${p.name}' cannot be a name: ${p.why}`,
    fix: "use another one: letters, digits and _",
  },
  "machine-no-state": {
    rule: "A transition leads to a state of the machine.",
    message: (p) => `there is no state '${p.name}'`,
    fix: (p) => didYouMean(p.nearest, `the states are ${list(p.states)}`),
  },
  "machine-initial": {
    rule: "A machine, and a state that contains states, says which of them it begins in.",
    message: (p) => `${p.owner} does not say in which state it begins`,
    fix: (p) => `add initial: ${p.states[0] ?? "<state>"}`,
  },
  "machine-rule": {
    rule: "Conditions and actions are expressions as in adaptations.",
    message: (p) => `${p.what} '${p.text}': ${p.message}`,
    fix: (p) => p.fix,
  },
  "machine-unknown": {
    rule: "Conditions and actions name what the machine declares.",
    message: (p) => `there is no ${p.what} '${p.name}'`,
    fix: (p) => didYouMean(p.nearest, `declare it; known are ${list(p.known)}`),
  },
  "machine-type": {
    rule: "Conditions are booleans; a port gets values of its own type.",
    message: (p) => `${p.what} should be ${p.wanted}, and is ${p.found}`,
    fix: (p) =>
      p.wanted === "boolean"
        ? "compare it: x > 0"
        : p.wanted === "integer"
          ? "round it: floor(x), or declare the type real"
          : "write a condition as a number: x ? 1 : 0",
  },
  "machine-number": {
    rule: "Numbers are finite: at most about 1.8e308.",
    message: (p) => `${p.what} is greater than any number that can be computed with`,
    fix: "write at most 1.7976931348623157e308; for a condition that always holds write true",
  },
  "machine-start": {
    rule: "Start values are of the type of their port, and within its range.",
    message: (p) =>
      `'${p.name}' starts ${p.isGiven ? "with" : "by itself with"} ${p.start}, ${p.why}`,
    fix: (p) => p.fix,
  },
  "machine-range": {
    rule: "The range of a port has its lower end below its upper one.",
    message: (p) => `the range of '${p.name}' goes from ${p.min} to ${p.max}`,
    fix: (p) => `write min: ${p.max}, max: ${p.min}, or omit one of them`,
  },
  "machine-target": {
    rule: "Actions set outputs and locals only.",
    message: (p) => `'${p.name}' is ${p.kind}, which actions cannot set`,
    fix: (p) => (p.kind === "an event" ? `write: emit ${p.name}` : "declare a local, or an output"),
  },
  "machine-after": {
    rule: "'after' is a time of 0 or more, or a real parameter.",
    message: (p) => `'after: ${p.found}' is neither a time nor a real parameter`,
    fix: "write after: 3 s, or declare a parameter that holds the time",
  },
  "machine-endless": {
    rule: "Transitions that wait for nothing form no cycle.",
    message: (p) => `the machine never rests: ${p.cycle.join(" → ")} without waiting for anything`,
    fix: "give one of these transitions an 'after', an 'on' or a 'when'",
  },
  "machine-shadowed": {
    severity: "warning",
    rule: "A transition can be taken: none before it always comes first.",
    message: (p) =>
      `the transition ${p.from} → ${p.to} is never taken: the one of line ${p.line} always comes first`,
    fix: "put it first, or give the other one a condition",
  },
  "machine-unreachable": {
    severity: "warning",
    rule: "Every state can be reached from the initial one.",
    message: (p) => `no transition leads to the state '${p.state}'`,
    fix: "remove it, or add a transition to it",
  },
});
