/**
 * What can be wrong with a discrete-event model before it runs: one table. Places are paths of
 * components, because models are written in code. What goes wrong while a model runs is a
 * `UnitError` (devs-failure.ts).
 */
import { type Diagnostic, diagnose, type RulesFor, rulesFrom } from "../base/diagnostic.ts";

interface DevsParams {
  "devs-coupling-malformed": { readonly text: string };
  "devs-unknown-component": {
    readonly text: string;
    readonly name: string;
    readonly nearest: string | undefined;
    readonly names: readonly string[];
  };
  "devs-unknown-port": {
    readonly text: string;
    readonly owner: string;
    readonly port: string;
    readonly direction: "input" | "output";
    readonly nearest: string | undefined;
    readonly names: readonly string[];
  };
  "devs-self-coupling": { readonly text: string; readonly component: string };
  "devs-pass-through": { readonly text: string };
  "devs-component-name": { readonly name: string };
  "devs-nests-itself": { readonly name: string };
  "devs-select": { readonly reason: string; readonly names: readonly string[] };
  "devs-semantics": { readonly inner: string; readonly outer: string };
  "devs-unknown-semantics": { readonly given: string; readonly nearest: string | undefined };
  "devs-initial-not-data": { readonly what: string };
  "devs-delay": { readonly field: string; readonly value: number };
  "devs-zero-delay-cycle": { readonly cycle: readonly string[] };
  "devs-border": { readonly port: string; readonly why: string; readonly fix: string };
}

const list = (names: readonly string[]): string =>
  names.length === 0
    ? "it has none"
    : `there are ${names.slice(0, 8).join(", ")}${names.length > 8 ? ", …" : ""}`;
const meant = (nearest: string | undefined, names: readonly string[]): string =>
  nearest === undefined ? list(names) : `did you mean '${nearest}'?`;

export const SEMANTICS: readonly string[] = ["parallel", "classic"];

export const DEVS_DIAGNOSTICS: RulesFor<DevsParams> = rulesFrom<DevsParams>({
  "devs-coupling-malformed": {
    rule: "A coupling names an output and an input.",
    message: ({ text }) => `the coupling '${text}' does not name two ports`,
    fix: "write 'component.output -> component.input'; ports of the coupled model itself have no component",
  },
  "devs-unknown-component": {
    rule: "Couplings and select name components of their model.",
    message: ({ text, name }) => `'${text}' names component '${name}', which does not exist`,
    fix: ({ nearest, names }) => meant(nearest, names),
  },
  "devs-unknown-port": {
    rule: "Couplings lead from outputs to inputs that exist; of the coupled model itself, from its inputs and to its outputs.",
    message: ({ text, owner, port, direction }) =>
      `'${text}': ${owner} has no ${direction} '${port}'`,
    fix: ({ nearest, names }) => meant(nearest, names),
  },
  "devs-self-coupling": {
    rule: "A component does not influence itself through a coupling.",
    message: ({ text, component }) => `'${text}' leads from '${component}' back to itself`,
    fix: "let its transitions do it, or put a component in between",
  },
  "devs-pass-through": {
    rule: "An input of a coupled model is not coupled to its own output.",
    message: ({ text }) =>
      `'${text}' leads from an input of the coupled model straight to its output`,
    fix: "connect the two outside of the model, or put a component in between",
  },
  "devs-component-name": {
    rule: "Names of components have no dots and are not empty.",
    message: ({ name }) => `a component cannot be called '${name}'`,
    fix: "take a name without dots and spaces at its ends",
  },
  "devs-nests-itself": {
    rule: "A coupled model does not contain itself.",
    message: ({ name }) => `'${name}' is a component of itself`,
    fix: "make a model of its own for the inner one",
  },
  "devs-select": {
    rule: "An order for select names every component once.",
    message: ({ reason }) => `'select' ${reason}`,
    fix: ({ names }) => `name every component once: ${names.join(", ")}`,
  },
  "devs-semantics": {
    rule: "All coupled models of one run have the semantics of the outermost one.",
    message: ({ inner, outer }) =>
      `it asks for ${inner} semantics inside a model with ${outer} semantics`,
    fix: "omit 'semantics' inside, or run the two as units of their own",
  },
  "devs-unknown-semantics": {
    rule: "Coupled models have parallel or classic semantics.",
    message: ({ given }) => `there are no semantics '${given}'`,
    fix: ({ nearest: near }) => meant(near, SEMANTICS),
  },
  "devs-initial-not-data": {
    rule: "The initial state is data.",
    message: ({ what }) => `the initial state is not data: ${what}`,
    fix: "use numbers, strings, booleans, bigints, typed arrays, and arrays and plain objects of them",
  },
  "devs-delay": {
    rule: "Declared times are 0 or more, and not NaN.",
    message: ({ field, value }) => `'${field}' is ${value}`,
    fix: "give seconds, 0 or more",
  },
  "devs-zero-delay-cycle": {
    severity: "warning",
    rule: "On every cycle of couplings some component has a delay.",
    message: ({ cycle }) =>
      `values may go round ${[...cycle, cycle[0]].map((name) => `'${name}'`).join(" → ")} without time passing: none of them declares a delay`,
    fix: "give one of them a time advance above 0 and declare it ('minimumDelay'), or make sure that the cascade ends",
  },
  "devs-border": {
    rule: "Ports of a model that becomes a unit say what they are there.",
    message: ({ port, why }) => `port '${port}' ${why}`,
    fix: ({ fix }) => fix,
  },
});

export type ReportDevs = <Code extends keyof DevsParams & string>(
  code: Code,
  params: DevsParams[Code],
  path: string,
) => void;

/** Adds findings to `found`; the place is the path of the component. */
export function devsReporter(found: Diagnostic[]): ReportDevs {
  return (code, params, path) => {
    found.push(diagnose(DEVS_DIAGNOSTICS, code, params as never, { file: path }));
  };
}
