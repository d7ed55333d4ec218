/**
 * What can be wrong with a discrete-event model before it runs: one table. Places are paths of components, because models are written
 * in code. What goes wrong while a model runs is a `UnitError` (devs-failure.ts).
 */
import { type Diagnostic, diagnose, type RulesFor } from "../base/diagnostic.ts";

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

export const DEVS_DIAGNOSTICS: RulesFor<DevsParams> = {
  "devs-coupling-malformed": {
    severity: "error",
    rule: "A coupling names an output and an input.",
    text: ({ text }) => ({
      message: `the coupling '${text}' does not name two ports`,
      fix: "write 'component.output -> component.input'; ports of the coupled model itself have no component",
    }),
  },
  "devs-unknown-component": {
    severity: "error",
    rule: "Couplings and select name components of their model.",
    text: ({ text, name, nearest, names }) => ({
      message: `'${text}' names component '${name}', which does not exist`,
      fix: meant(nearest, names),
    }),
  },
  "devs-unknown-port": {
    severity: "error",
    rule: "Couplings lead from outputs to inputs that exist; of the coupled model itself, from its inputs and to its outputs.",
    text: ({ text, owner, port, direction, nearest, names }) => ({
      message: `'${text}': ${owner} has no ${direction} '${port}'`,
      fix: meant(nearest, names),
    }),
  },
  "devs-self-coupling": {
    severity: "error",
    rule: "A component does not influence itself through a coupling.",
    text: ({ text, component }) => ({
      message: `'${text}' leads from '${component}' back to itself`,
      fix: "let its transitions do it, or put a component in between",
    }),
  },
  "devs-pass-through": {
    severity: "error",
    rule: "An input of a coupled model is not coupled to its own output.",
    text: ({ text }) => ({
      message: `'${text}' leads from an input of the coupled model straight to its output`,
      fix: "connect the two outside of the model, or put a component in between",
    }),
  },
  "devs-component-name": {
    severity: "error",
    rule: "Names of components have no dots and are not empty.",
    text: ({ name }) => ({
      message: `a component cannot be called '${name}'`,
      fix: "take a name without dots and spaces at its ends",
    }),
  },
  "devs-nests-itself": {
    severity: "error",
    rule: "A coupled model does not contain itself.",
    text: ({ name }) => ({
      message: `'${name}' is a component of itself`,
      fix: "make a model of its own for the inner one",
    }),
  },
  "devs-select": {
    severity: "error",
    rule: "An order for select names every component once.",
    text: ({ reason, names }) => ({
      message: `'select' ${reason}`,
      fix: `name every component once: ${names.join(", ")}`,
    }),
  },
  "devs-semantics": {
    severity: "error",
    rule: "All coupled models of one run have the semantics of the outermost one.",
    text: ({ inner, outer }) => ({
      message: `it asks for ${inner} semantics inside a model with ${outer} semantics`,
      fix: "omit 'semantics' inside, or run the two as units of their own",
    }),
  },
  "devs-initial-not-data": {
    severity: "error",
    rule: "The initial state is data.",
    text: ({ what }) => ({
      message: `the initial state is not data: ${what}`,
      fix: "use numbers, strings, booleans, bigints, typed arrays, and arrays and plain objects of them",
    }),
  },
  "devs-delay": {
    severity: "error",
    rule: "Declared times are 0 or more, and not NaN.",
    text: ({ field, value }) => ({
      message: `'${field}' is ${value}`,
      fix: "give seconds, 0 or more",
    }),
  },
  "devs-zero-delay-cycle": {
    severity: "warning",
    rule: "On every cycle of couplings some component has a delay.",
    text: ({ cycle }) => ({
      message: `values may go round ${[...cycle, cycle[0]].map((name) => `'${name}'`).join(" → ")} without time passing: none of them declares a delay`,
      fix: "give one of them a time advance above 0 and declare it ('minimumDelay'), or make sure that the cascade ends",
    }),
  },
  "devs-border": {
    severity: "error",
    rule: "Ports of a model that becomes a unit say what they are there.",
    text: ({ port, why, fix }) => ({ message: `port '${port}' ${why}`, fix }),
  },
};

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
