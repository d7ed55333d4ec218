/**
 * Everything that can be wrong with the text of a scenario.yaml, before any unit is opened: one
 * table, so that codes keep their meaning. What names refer to is checked by
 * model/resolve-scenario.ts.
 */
import {
  type Diagnostic,
  type DiagnosticTable,
  diagnose,
  type Place,
  type RulesFor,
} from "../../base/diagnostic.ts";
import { error } from "../diagnostic-rule.ts";

interface ScenarioTextParams {
  "yaml-syntax": { detail: string; fix: string };
  "yaml-alias-unknown": { alias: string };
  "yaml-alias-cycle": { alias: string };
  "yaml-limit": { what: string; limit: number };
  "yaml-duplicate-key": { key: string; line: number };
  "yaml-key": { found: string };
  "scenario-empty": { example: string };
  "scenario-unknown-key": {
    key: string;
    owner: string;
    nearest: string | undefined;
    known: readonly string[];
  };
  "scenario-missing-key": {
    key: string;
    owner: string;
    example: string;
  };
  "scenario-wrong-type": {
    what: string;
    expected: string;
    found: string;
    example: string;
  };
  "scenario-unit-name": { name: string };
  "scenario-unit-source": { unit: string; path: string };
  "scenario-unit-sources": { unit: string; keys: readonly string[] };
  "scenario-connection": { text: string };
  "scenario-equation": { key: string; text: string; example: string };
  "scenario-force": { text: string };
  "scenario-limit": { keys: readonly string[] };
  "scenario-choice": {
    what: string;
    found: string;
    nearest: string | undefined;
    choices: readonly string[];
  };
  "scenario-number": {
    what: string;
    found: string;
    expected: string;
    example: string;
  };
  "scenario-not-isolated": { unit: string; key: string };
  "scenario-remote": { text: string };
  "scenario-group-isolated": { unit: string; member: string };
  "scenario-two-triggers": Record<never, never>;
  "scenario-formula": { readonly text: string; readonly why: string; readonly fix: string };
  "scenario-condition": { text: string };
  "scenario-rule-when": { isTwice: boolean };
  "scenario-replace": { key: string; missing: string };
  "scenario-ragged": {
    port: string;
    first: number;
    other: number;
  };
}

function or(nearest: string | undefined, otherwise: string): string {
  return nearest === undefined ? otherwise : `did you mean '${nearest}'?`;
}

export const SCENARIO_TEXT_RULES: RulesFor<ScenarioTextParams> = {
  "yaml-syntax": error("A scenario file is well-formed YAML 1.2.", (p) => ({
    message: `this is not YAML: ${p.detail}`,
    fix: p.fix,
  })),
  "yaml-alias-unknown": error("An alias names an anchor above it.", (p) => ({
    message: `'*${p.alias}' is an alias in YAML, and there is no anchor '&${p.alias}' above it`,
    fix: `if a pattern was meant, put it in quotes: "*${p.alias}"`,
  })),
  "yaml-alias-cycle": error("An anchor does not contain itself.", (p) => ({
    message: `'*${p.alias}' stands inside its own anchor '&${p.alias}', which never ends`,
    fix: "write the content out, or move the anchor",
  })),
  "yaml-limit": error("Aliases multiply content only up to a limit.", (p) => ({
    message: `${p.what} grows beyond ${p.limit} by its aliases`,
    fix: "write less, or keep large data in a file of its own",
  })),
  "yaml-duplicate-key": error("A key occurs once in a map.", (p) => ({
    message: `'${p.key}' is already there in line ${p.line}`,
    fix: "rename or remove one of them",
  })),
  "yaml-key": error("Keys are plain words.", (p) => ({
    message: `${p.found} cannot be a key`,
    fix: "write a name before the colon",
  })),
  "scenario-empty": error("A scenario file has content.", (p) => ({
    message: "the file is empty",
    fix: `begin with '${p.example}'`,
  })),
  "scenario-unknown-key": error(
    "Every key is one that Cosimo knows; keys that begin with 'x-' are yours.",
    (p) => ({
      message: `${p.owner} has no key '${p.key}'`,
      fix: or(p.nearest, `known keys: ${p.known.join(", ")}`),
    }),
  ),
  "scenario-missing-key": error("Required keys are there.", (p) => ({
    message: `${p.owner} needs '${p.key}'`,
    fix: `add '${p.example}'`,
  })),
  "scenario-wrong-type": error("Every key has content of the kind it is made for.", (p) => ({
    message: `${p.what} must be ${p.expected}, not ${p.found}`,
    fix: `for example '${p.example}'`,
  })),
  "scenario-unit-name": error(
    "Unit names are words of letters, digits, '_' and '-' that begin with a letter or '_'.",
    (p) => ({
      message: `'${p.name}' cannot name a unit: connections write 'unit.port'`,
      fix: `use letters, digits, '_' and '-' only, for example '${suggestedName(p.name)}'`,
    }),
  ),
  "scenario-unit-source": error(
    "The short form of a unit names a file whose extension shows what it is.",
    (p) => ({
      message: `'${p.path}' does not show what kind of unit '${p.unit}' is`,
      fix: `say it: '${p.unit}: { fmu: ${p.path} }', or 'module:', 'adaptation:', 'scenario:'`,
    }),
  ),
  "scenario-unit-sources": error(
    "A unit has one source: 'fmu', 'module', 'adaptation' or 'scenario'.",
    (p) =>
      p.keys.length === 0
        ? {
            message: `'${p.unit}' does not say where it comes from`,
            fix: `add 'fmu: ${p.unit}.fmu', 'module: ${p.unit}.js', 'adaptation: ${p.unit}.sa' or 'scenario: ${p.unit}.yaml'`,
          }
        : {
            message: `'${p.unit}' has two sources: ${p.keys.map((key) => `'${key}'`).join(" and ")}`,
            fix: "keep one of them",
          },
  ),
  "scenario-connection": error("A connection is written 'unit.port -> unit.port'.", (p) => ({
    message: `'${p.text}' is not a connection`,
    fix: "write 'motor.speed -> load.speed'; one arrow, one connection a line",
  })),
  "scenario-equation": error(
    "A constraint and its rate are equations between two signals: 'unit.port = unit.port'.",
    (p) => ({
      message: `'${p.text}' is not an equation between two signals, as '${p.key}' must be`,
      fix: `for example '${p.example}'`,
    }),
  ),
  "scenario-force": error("A constraint is held by inputs, each with a sign or a factor.", (p) => ({
    message: `'${p.text}' is not an input with a sign or a factor`,
    fix: "write inputs with commas between them, for example 'by: \"left.F, -right.F\"' or '-0.5 * right.M'",
  })),
  "scenario-limit": error("A limit is one of 'every', 'at' and 'difference'.", (p) => ({
    message:
      p.keys.length === 0
        ? "this limit does not say what it bounds"
        : `this limit says ${p.keys.map((key) => `'${key}'`).join(" and ")} at once`,
    fix: "write one line for each: '- { every: 10 ms }', '- { at: [1, 2] }', '- { difference: motor.speed, atMost: 10 rpm }'",
  })),
  "scenario-choice": error("Where there is a choice, one of the choices is written.", (p) => ({
    message: `${p.what} cannot be '${p.found}'`,
    fix: or(p.nearest, `one of ${p.choices.join(", ")}`),
  })),
  "scenario-number": error("Times, steps and tolerances are numbers in their range.", (p) => ({
    message: `${p.what} must be ${p.expected}, not '${p.found}'`,
    fix: `for example '${p.example}'`,
  })),
  "scenario-formula": error(
    "What is exchanged is a port, or a formula over ports: a.x + b.y.",
    (p) => ({ message: `'${p.text}' is not a formula: ${p.why}`, fix: p.fix }),
  ),
  "scenario-not-isolated": error("Limits and restarts are those of a process.", (p) => ({
    message: `the unit '${p.unit}' has '${p.key}' but no process of its own`,
    fix: "add 'isolate: process'",
  })),
  "scenario-remote": error("A remote unit is named by its node and its offer.", (p) => ({
    message: `'${p.text}' does not name a unit on another computer`,
    fix: "write the node, a slash and what it offers: remote: supplier-a/motor ('cosimo nodes' lists them)",
  })),
  "scenario-group-isolated": error("FMUs that share an integrator share a process.", (p) => ({
    message: `'${p.member}' is a part of the group '${p.unit}' and cannot have a process of its own`,
    fix: `say 'isolate' of '${p.unit}'`,
  })),
  "scenario-two-triggers": error("A connection has one trigger.", () => ({
    message: "'every' and 'when' both say when the connection exchanges",
    fix: "keep one of them",
  })),
  "scenario-condition": error(
    "A condition compares an output with a value or another output.",
    (p) => ({
      message: `'${p.text}' does not compare two values`,
      fix: "write 'motor.temperature > 90 degC', with one of <, <=, >, >=, =, !=",
    }),
  ),
  "scenario-rule-when": error("A rule of the structure has one of 'at' and 'when'.", (p) => ({
    message: p.isTwice
      ? "'at' and 'when' both say when the rule takes effect"
      : "the rule does not say when it takes effect",
    fix: p.isTwice ? "write two rules" : "add 'at: 3 s' or 'when: motor.temperature > 90 degC'",
  })),
  "scenario-replace": error("'replace' and 'with' belong together.", (p) => ({
    message: `the rule has '${p.key}' and no '${p.missing}'`,
    fix: "write 'replace: detailed' and 'with: cheap', or 'remove' and 'add'",
  })),
  "scenario-ragged": error("Rows of a matrix have the same length.", (p) => ({
    message: `the rows of '${p.port}' differ: one has ${p.first} values, another ${p.other}`,
    fix: "give every row the same number of values",
  })),
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

  /**
   * Reports mistakes of another table, for languages that share the shape of their YAML with
   * scenarios.
   */
  from<Table extends DiagnosticTable>(table: Table): ReportFrom<Table> {
    return (code, params, place) => {
      this.diagnostics.push(diagnose(table, code, params as never, place));
      return undefined;
    };
  }
}

/** Reports a mistake; the result stands for what could not be read. */
export type ReportFrom<Table extends DiagnosticTable> = <Code extends keyof Table & string>(
  code: Code,
  params: Parameters<Table[Code]["text"]>[0],
  place: Place,
) => undefined;
