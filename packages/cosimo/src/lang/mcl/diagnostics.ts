/**
 * What can be wrong with a coordination specification (.mcl) before its units are opened. Types,
 * units of measurement and what a unit is able to report are checked as for every scenario, once
 * the units are known.
 */
import {
  type Diagnostic,
  diagnose,
  type Place,
  type RulesFor,
  rulesFrom,
  type Texts,
} from "../../base/diagnostic.ts";

interface MclParams {
  "mcl-nothing-loaded": Record<never, never>;
  "mcl-twice": { readonly what: string; readonly line: number };
  "mcl-no-unit": Texts<"path">;
  "mcl-not-runnable": Texts<"path" | "unit">;
  "mcl-unit-path": Texts<"path" | "unit">;
  "mcl-unknown-unit": {
    readonly unit: string;
    readonly nearest: string | undefined;
    readonly known: readonly string[];
  };
  "mcl-unknown-port": {
    readonly unit: string;
    readonly port: string;
    readonly nearest: string | undefined;
    readonly known: readonly string[];
  };
  "mcl-nature": Texts<"from" | "to" | "why" | "fix">;
  "mcl-head": Texts<"from" | "to">;
  "mcl-time": Texts<"what" | "value" | "expected">;
  "mcl-unknown-reference": {
    readonly unit: string;
    readonly name: string;
    readonly known: readonly string[];
  };
  "mcl-reference": Texts<"reference" | "kind">;
  "mcl-sync": Texts<"unit" | "connector">;
  "mcl-expression": Texts<"why" | "fix">;
  "mcl-target-first": Texts<"written">;
}

export const MCL_RULES: RulesFor<MclParams> = rulesFrom<MclParams>({
  "mcl-nothing-loaded": {
    rule: "A specification loads the interfaces of its units.",
    message: "no unit is loaded",
    fix: 'begin with: load "plant.mci" as plant',
  },
  "mcl-twice": {
    rule: "Names of units and connectors are unique, and settings are given once.",
    message: (p) => `${p.what} is already there in line ${p.line}`,
    fix: "rename or remove one of them",
  },
  "mcl-no-unit": {
    rule: "An interface that is loaded says where its unit is.",
    message: (p) => `${p.path} does not say where its unit is`,
    fix: 'add a path to the interface: FMUPath "plant.fmu"',
  },
  "mcl-not-runnable": {
    rule: "Units are FMUs, state machines, adaptations, modules or scenarios.",
    message: (p) => `'${p.unit}' is a program of GEMOC (${p.path}), which cannot be run here`,
    fix: 'write it as a state machine: SUPath "controller.machine.yaml"',
  },
  "mcl-unit-path": {
    rule: "The ending of a path says what kind of unit is there.",
    message: (p) => `what kind of unit '${p.unit}' is cannot be seen from its path ${p.path}`,
    fix: "name an .fmu, .machine.yaml, .sa, .mjs or a scenario",
  },
  "mcl-unknown-unit": {
    rule: "Connectors name units that are loaded.",
    message: (p) => `there is no unit '${p.unit}'`,
    fix: (p) =>
      p.nearest !== undefined
        ? `did you mean '${p.nearest}'?`
        : p.known.length > 0
          ? `loaded are ${p.known.join(", ")}`
          : `load its interface: load "${p.unit}.mci"`,
  },
  "mcl-unknown-port": {
    rule: "Connectors name ports that the interface of their unit declares.",
    message: (p) => `the interface of '${p.unit}' has no port '${p.port}'`,
    fix: (p) =>
      p.nearest !== undefined
        ? `did you mean '${p.nearest}'?`
        : `it has ${p.known.slice(0, 8).join(", ") || "none"}${p.known.length > 8 ? ", …" : ""}`,
  },
  "mcl-nature": {
    rule: "Natures of connected ports go together: events reach inputs that hold a value or take events, and what is constant is not driven.",
    message: (p) => `'${p.from}' cannot drive '${p.to}': ${p.why}`,
    fix: (p) => p.fix,
  },
  "mcl-head": {
    rule: "What a connector says in brackets is one of its interactions.",
    message: (p) => `no interaction goes from '${p.from}' to '${p.to}'`,
    fix: "correct the brackets, or omit them",
  },
  "mcl-time": {
    rule: "Times are numbers in units of time, and make sense where they stand.",
    message: (p) => `${p.what} is ${p.value}, and must be ${p.expected}`,
    fix: "write a number of seconds, or with a unit: 10 ms",
  },
  "mcl-unknown-reference": {
    rule: "Temporal references are declared by the interface of their unit.",
    message: (p) => `the interface of '${p.unit}' has no temporal reference '${p.name}'`,
    fix: (p) =>
      p.known.length > 0
        ? `it has ${p.known.join(", ")}`
        : `declare it: temporalreferences { ModelTemporalReference ${p.name} { reference time } }`,
  },
  "mcl-reference": {
    rule: "Instants of exchange are times.",
    message: (p) => `'${p.reference}' counts ${p.kind}, and instants of exchange are times`,
    fix: "use a temporal reference of time, or wait for an event of the unit",
  },
  "mcl-sync": {
    rule: "A synchronization is between units that take part in the connector.",
    message: (p) => `'${p.unit}' takes no part in '${p.connector}'`,
    fix: "name the temporal references of the units that exchange",
  },
  "mcl-expression": {
    rule: "What is exchanged is computed from ports: a.x + b.y, 2 * a.x, not a.on.",
    message: (p) => p.why,
    fix: (p) => p.fix,
  },
  "mcl-target-first": {
    severity: "note",
    rule: "The source of an interaction stands before the arrow.",
    message: "the target stands before the arrow here; it is read the other way round",
    fix: (p) => `write '${p.written}'`,
  },
});

export type ReportMcl = <Code extends keyof MclParams & string>(
  code: Code,
  params: MclParams[Code],
  place: Place,
) => Diagnostic;

export const report: ReportMcl = (code, params, place) =>
  diagnose<typeof MCL_RULES, typeof code>(MCL_RULES, code, params as never, place);
