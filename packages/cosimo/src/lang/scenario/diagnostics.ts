/**
 * Everything that can be wrong with the text of a scenario.yaml, before any unit is opened: one table, so that codes
 * keep their meaning. What names refer to is checked by model/resolve-scenario.ts.
 */
import { type Diagnostic, diagnose, type Place, type RulesFor } from "../../base/diagnostic.ts";

interface ScenarioTextParams {
  "yaml-syntax": { readonly detail: string; readonly fix: string };
  "yaml-alias-unknown": { readonly alias: string };
  "yaml-alias-cycle": { readonly alias: string };
  "yaml-limit": { readonly what: string; readonly limit: number };
  "yaml-duplicate-key": { readonly key: string; readonly line: number };
  "yaml-key": { readonly found: string };
  "scenario-empty": { example: string };
  "scenario-unknown-key": {
    readonly key: string;
    readonly owner: string;
    readonly nearest: string | undefined;
    readonly known: readonly string[];
  };
  "scenario-missing-key": {
    readonly key: string;
    readonly owner: string;
    readonly example: string;
  };
  "scenario-wrong-type": {
    readonly what: string;
    readonly expected: string;
    readonly found: string;
    readonly example: string;
  };
  "scenario-unit-name": { readonly name: string };
  "scenario-unit-source": { readonly unit: string; readonly path: string };
  "scenario-unit-sources": { readonly unit: string; readonly keys: readonly string[] };
  "scenario-connection": { readonly text: string };
  "scenario-equation": { readonly key: string; readonly text: string; readonly example: string };
  "scenario-force": { readonly text: string };
  "scenario-limit": { readonly keys: readonly string[] };
  "scenario-choice": {
    readonly what: string;
    readonly found: string;
    readonly nearest: string | undefined;
    readonly choices: readonly string[];
  };
  "scenario-number": {
    readonly what: string;
    readonly found: string;
    readonly expected: string;
    readonly example: string;
  };
  "scenario-ragged": {
    readonly port: string;
    readonly first: number;
    readonly other: number;
  };
}

function or(nearest: string | undefined, otherwise: string): string {
  return nearest === undefined ? otherwise : `did you mean '${nearest}'?`;
}

export const SCENARIO_TEXT_RULES: RulesFor<ScenarioTextParams> = {
  "yaml-syntax": {
    severity: "error",
    rule: "A scenario file is well-formed YAML 1.2.",
    text: (p) => ({ message: `this is not YAML: ${p.detail}`, fix: p.fix }),
  },
  "yaml-alias-unknown": {
    severity: "error",
    rule: "An alias names an anchor above it.",
    text: (p) => ({
      message: `'*${p.alias}' is an alias in YAML, and there is no anchor '&${p.alias}' above it`,
      fix: `if a pattern was meant, put it in quotes: "*${p.alias}"`,
    }),
  },
  "yaml-alias-cycle": {
    severity: "error",
    rule: "An anchor does not contain itself.",
    text: (p) => ({
      message: `'*${p.alias}' stands inside its own anchor '&${p.alias}', which never ends`,
      fix: "write the content out, or move the anchor",
    }),
  },
  "yaml-limit": {
    severity: "error",
    rule: "Aliases multiply content only up to a limit.",
    text: (p) => ({
      message: `${p.what} grows beyond ${p.limit} by its aliases`,
      fix: "write less, or keep large data in a file of its own",
    }),
  },
  "yaml-duplicate-key": {
    severity: "error",
    rule: "A key occurs once in a map.",
    text: (p) => ({
      message: `'${p.key}' is already there in line ${p.line}`,
      fix: "rename or remove one of them",
    }),
  },
  "yaml-key": {
    severity: "error",
    rule: "Keys are plain words.",
    text: (p) => ({ message: `${p.found} cannot be a key`, fix: "write a name before the colon" }),
  },
  "scenario-empty": {
    severity: "error",
    rule: "A scenario file has content.",
    text: (p) => ({ message: "the file is empty", fix: `begin with '${p.example}'` }),
  },
  "scenario-unknown-key": {
    severity: "error",
    rule: "Every key is one that Cosimo knows; keys that begin with 'x-' are yours.",
    text: (p) => ({
      message: `${p.owner} has no key '${p.key}'`,
      fix: or(p.nearest, `known keys: ${p.known.join(", ")}`),
    }),
  },
  "scenario-missing-key": {
    severity: "error",
    rule: "Required keys are there.",
    text: (p) => ({ message: `${p.owner} needs '${p.key}'`, fix: `add '${p.example}'` }),
  },
  "scenario-wrong-type": {
    severity: "error",
    rule: "Every key has content of the kind it is made for.",
    text: (p) => ({
      message: `${p.what} must be ${p.expected}, not ${p.found}`,
      fix: `for example '${p.example}'`,
    }),
  },
  "scenario-unit-name": {
    severity: "error",
    rule: "Unit names are words of letters, digits, '_' and '-' that begin with a letter or '_'.",
    text: (p) => ({
      message: `'${p.name}' cannot name a unit: connections write 'unit.port'`,
      fix: `use letters, digits, '_' and '-' only, for example '${suggestedName(p.name)}'`,
    }),
  },
  "scenario-unit-source": {
    severity: "error",
    rule: "The short form of a unit names a file whose extension shows what it is.",
    text: (p) => ({
      message: `'${p.path}' does not show what kind of unit '${p.unit}' is`,
      fix: `say it: '${p.unit}: { fmu: ${p.path} }', or 'module:', 'adaptation:', 'scenario:'`,
    }),
  },
  "scenario-unit-sources": {
    severity: "error",
    rule: "A unit has one source: 'fmu', 'module', 'adaptation' or 'scenario'.",
    text: (p) =>
      p.keys.length === 0
        ? {
            message: `'${p.unit}' does not say where it comes from`,
            fix: `add 'fmu: ${p.unit}.fmu', 'module: ${p.unit}.js', 'adaptation: ${p.unit}.sa' or 'scenario: ${p.unit}.yaml'`,
          }
        : {
            message: `'${p.unit}' has two sources: ${p.keys.map((key) => `'${key}'`).join(" and ")}`,
            fix: "keep one of them",
          },
  },
  "scenario-connection": {
    severity: "error",
    rule: "A connection is written 'unit.port -> unit.port'.",
    text: (p) => ({
      message: `'${p.text}' is no connection`,
      fix: "write 'motor.speed -> load.speed'; one arrow, one connection a line",
    }),
  },
  "scenario-equation": {
    severity: "error",
    rule: "A constraint and its rate are equations between two signals: 'unit.port = unit.port'.",
    text: (p) => ({
      message: `'${p.text}' is no equation between two signals, as '${p.key}' must be`,
      fix: `for example '${p.example}'`,
    }),
  },
  "scenario-force": {
    severity: "error",
    rule: "A constraint is held by inputs, each with a sign or a factor.",
    text: (p) => ({
      message: `'${p.text}' is no input with a sign or a factor`,
      fix: "write inputs with commas between them, for example 'by: \"left.F, -right.F\"' or '-0.5 * right.M'",
    }),
  },
  "scenario-limit": {
    severity: "error",
    rule: "A limit is one of 'every', 'at' and 'difference'.",
    text: (p) => ({
      message:
        p.keys.length === 0
          ? "this limit does not say what it bounds"
          : `this limit says ${p.keys.map((key) => `'${key}'`).join(" and ")} at once`,
      fix: "write one line for each: '- { every: 10 ms }', '- { at: [1, 2] }', '- { difference: motor.speed, atMost: 10 rpm }'",
    }),
  },
  "scenario-choice": {
    severity: "error",
    rule: "Where there is a choice, one of the choices is written.",
    text: (p) => ({
      message: `${p.what} cannot be '${p.found}'`,
      fix: or(p.nearest, `one of ${p.choices.join(", ")}`),
    }),
  },
  "scenario-number": {
    severity: "error",
    rule: "Times, steps and tolerances are numbers in their range.",
    text: (p) => ({
      message: `${p.what} must be ${p.expected}, not '${p.found}'`,
      fix: `for example '${p.example}'`,
    }),
  },
  "scenario-ragged": {
    severity: "error",
    rule: "Rows of a matrix have the same length.",
    text: (p) => ({
      message: `the rows of '${p.port}' differ: one has ${p.first} values, another ${p.other}`,
      fix: "give every row the same number of values",
    }),
  },
};

function suggestedName(name: string): string {
  const word = name.replace(/[^\p{L}\p{N}_-]+/gu, "_").replace(/^[^\p{L}_]+/u, "");
  return word === "" ? "unit1" : word;
}

type Params<Code extends keyof ScenarioTextParams> = ScenarioTextParams[Code];

/** Collects what was noticed while one file is read. */
export class TextReporter {
  readonly diagnostics: Diagnostic[] = [];

  report<Code extends keyof ScenarioTextParams>(
    code: Code,
    params: Params<Code>,
    place: Place,
  ): void {
    this.diagnostics.push(diagnose(SCENARIO_TEXT_RULES, code, params as never, place));
  }
}
