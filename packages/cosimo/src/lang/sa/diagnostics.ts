/**
 * Everything that can be wrong with a semantic adaptation: its text, the names in it, and what its
 * rules may do.
 */

import { type Diagnostic, diagnose, type Place, type RulesFor } from "../../base/diagnostic.ts";
import { SA_FUNCTIONS } from "../../model/adaptation/functions.ts";
import { error, warning } from "../diagnostic-rule.ts";
import { MOST_CHARACTERS, MOST_NESTED, MOST_OPERATORS } from "../text/limits.ts";

interface SaParams {
  "sa-character": { found: string };
  "sa-syntax": { expected: string; found: string; fix: string };
  "sa-number": { text: string };
  "sa-more-errors": { count: number };
  "sa-too-deep": { limit: "nested" | "operators" | "characters" };
  "sa-duplicate-section": { section: string; line: number };
  "sa-binding": { port: string; fix: string };
  "sa-no-inner": Record<never, never>;
  "sa-binding-unknown": {
    unit: string;
    port: string;
    what: string;
    known: boolean;
  };
  "sa-unit": { from: string; to: string; why: string };
  "sa-unit-unknown": { from: string; to: string; why: string };
  "sa-loop": { units: readonly string[] };
  "sa-unknown-unit": { unit: string; nearest: string | undefined };
  "sa-unknown-port": {
    unit: string;
    port: string;
    nearest: string | undefined;
    known: readonly string[];
    /** The unit has it, and the author's list leaves it out. */
    undeclared: boolean;
  };
  "sa-declared-port": { unit: string; port: string; direction: string };
  "sa-direction": {
    port: string;
    is: string;
    why: string;
    nearest: string | undefined;
  };
  "sa-array": { port: string };
  "sa-unknown-name": { name: string; nearest: string | undefined };
  "sa-duplicate-name": { name: string };
  "sa-reserved-name": { name: string };
  "sa-fed-twice": { port: string; line: number };
  "sa-initial": { name: string };
  "sa-not-here": { what: string; part: string; where: string };
  "sa-assign": {
    name: string;
    is: string;
    part: string;
    may: string;
  };
  "sa-type": {
    what: string;
    wanted: string;
    found: string;
    rounds: boolean;
  };
  "sa-unknown-function": { name: string; nearest: string | undefined };
  "sa-arguments": { name: string; count: number; usage: string };
  "sa-never": Record<never, never>;
  "sa-unreachable": Record<never, never>;
  "sa-break": Record<never, never>;
  "sa-return": Record<never, never>;
  "sa-return-place": Record<never, never>;
  "sa-step-in-condition": Record<never, never>;
  "sa-no-step": { unit: string; written: boolean };
  "sa-rollback": { unit: string };
  "sa-never-saved": { unit: string };
  "sa-output-unset": { port: string };
  "sa-limit": { kind: string };
  "sa-limit-here": { name: string };
  "sa-out-of-limits": { name: string; value: string; wanted: string };
}

function meant(nearest: string | undefined, otherwise: string): string {
  return nearest === undefined ? otherwise : `did you mean '${nearest}'?`;
}

const TOO_DEEP = {
  nested: {
    message: `this is nested more than ${MOST_NESTED} deep`,
    fix: "give what is inside a name with 'var', and leave brackets out that change nothing",
  },
  operators: {
    message: `this expression has more than ${MOST_OPERATORS} operators`,
    fix: "add up in several statements: 'var part := …;'",
  },
  characters: {
    message: `this has more than ${MOST_CHARACTERS} characters`,
    fix: "choose something shorter that says what it is for",
  },
} as const;

export const SA_RULES: RulesFor<SaParams> = {
  "sa-character": error("An adaptation consists of the words and signs of its language.", (p) => ({
    message: `'${p.found}' is not a sign of this language`,
    fix:
      p.found === "="
        ? "write ':=' to assign and '==' to compare"
        : `remove it; a name with such signs is written in quotes: 'x${p.found}'`,
  })),
  "sa-syntax": error("An adaptation follows the grammar of its language.", (p) => ({
    message: `expected ${p.expected}, found ${p.found}`,
    fix: p.fix,
  })),
  "sa-more-errors": error(
    "Of a text that does not follow the grammar, the first 100 mistakes are listed.",
    ({ count }) => ({
      message:
        count === 1
          ? "1 further mistake is not listed"
          : `at least ${count} further mistakes are not listed`,
      fix: "correct the ones above first",
    }),
  ),
  "sa-too-deep": error(
    "At most 60 brackets, blocks, signs, conditionals or else-ifs stand inside of each other, and 1000 operators in one expression; names, numbers and quoted texts have at most 1000 characters.",
    ({ limit }) => TOO_DEEP[limit],
  ),
  "sa-number": error("A number fits into a double.", (p) => ({
    message: `${p.text} is too large for a floating-point number`,
    fix: "write a number below 1.8e308",
  })),
  "sa-duplicate-section": error("An adaptation has one block of control rules.", (p) => ({
    message: `there are '${p.section}' already, in line ${p.line}`,
    fix: "write all of them in one block, in the order in which they are to happen",
  })),
  "sa-binding": error(
    "An input is bound with '-> unit.port', an output with '<- unit.port', and ports of inner units are not bound.",
    (p) => ({ message: `the arrow of '${p.port}' does not fit here`, fix: p.fix }),
  ),
  "sa-no-inner": error("An adaptation has an inner unit.", () => ({
    message: "there is no inner unit to adapt",
    fix: 'name one: for inner fmu Window window at "./window.fmu"',
  })),
  "sa-binding-unknown": error(
    "A port is bound to a port of an inner unit, an input to an input and an output to an output.",
    (p) => ({
      message: p.known
        ? `there is no ${p.what} '${p.unit}.${p.port}'`
        : `nothing is known of the ports of '${p.unit}'`,
      fix: p.known
        ? `bind it to an ${p.what} of an inner unit`
        : `correct its file ('at'), or declare them: with ${p.what} ports ${p.port}`,
    }),
  ),
  "sa-unit": error("What is bound or connected measures the same thing.", (p) => ({
    message: `from '${p.from}' to '${p.to}': ${p.why}`,
    fix: "correct the unit of one of the ports, or convert in a rule",
  })),
  "sa-unit-unknown": warning("Physical units are known, so that values can be converted.", (p) => ({
    message: `from '${p.from}' to '${p.to}': ${p.why}; values are passed on as they are`,
    fix: "write a unit that is known, or the same one at both ends",
  })),
  "sa-loop": error("Inner units that form an algebraic loop need control rules.", (p) => ({
    message: `there is no order in which to step ${p.units.map((name) => `'${name}'`).join(", ")}: they form an algebraic loop`,
    fix: "write control rules that iterate, or that begin with a value of the last step",
  })),
  "sa-unknown-unit": error(
    "Rules, bindings and connections name inner units, or the adaptation itself.",
    (p) => ({
      message: `there is no inner unit '${p.unit}'`,
      fix: meant(p.nearest, "name an inner unit that is declared with 'for inner fmu'"),
    }),
  ),
  "sa-unknown-port": error("Rules, bindings and connections name ports that exist.", (p) => ({
    message: p.undeclared
      ? `'${p.unit}' has a port '${p.port}', and the list of its ports leaves it out`
      : `'${p.unit}' has no port '${p.port}' here`,
    fix: p.undeclared
      ? `add it to the ports of '${p.unit}', or remove the list`
      : meant(p.nearest, p.known.length === 0 ? "declare it" : `it has ${p.known.join(", ")}`),
  })),
  "sa-declared-port": error(
    "The ports that are declared for an inner unit are ports of it.",
    (p) => ({
      message: `'${p.unit}' has no ${p.direction} '${p.port}'`,
      fix: "remove it, or name another file with 'at'",
    }),
  ),
  "sa-direction": error(
    "Rules read inputs of the adaptation and outputs of inner units, and assign the others.",
    (p) => ({
      message: `'${p.port}' is ${p.is}, and ${p.why}`,
      fix: meant(p.nearest, "name a port of the other direction"),
    }),
  ),
  "sa-array": error("Adaptations speak of scalar numbers, booleans and texts.", (p) => ({
    message: `'${p.port}' is an array, binary or a clock`,
    fix: "adapt a unit with scalar ports",
  })),
  "sa-unknown-name": error("A name in a rule is declared.", (p) => ({
    message: `nothing is called '${p.name}'`,
    fix: meant(p.nearest, "declare it: a variable with 'var', a parameter with 'param'"),
  })),
  "sa-duplicate-name": error("A name is declared once.", (p) => ({
    message: `'${p.name}' is declared already`,
    fix: "give it another name",
  })),
  "sa-reserved-name": error(
    "Parameters and variables do not have the names of functions and of time.",
    (p) => ({
      message: `'${p.name}' means something else in rules`,
      fix: `give it another name: '${p.name}_0'`,
    }),
  ),
  "sa-fed-twice": error("An input of an inner unit has one source.", (p) => ({
    message: `'${p.port}' has a source already, in line ${p.line}`,
    fix: "remove one of them, or decide in a rule",
  })),
  "sa-initial": error("Initial values are made of parameters that are declared above.", (p) => ({
    message: `'${p.name}' has no value yet when variables begin`,
    fix: "use parameters, and set the variable in a rule",
  })),
  "sa-not-here": error(
    "Time, steps and functions of inner units are there where a step happens.",
    (p) => ({ message: `${p.what} means nothing in ${p.part}`, fix: `use it ${p.where}` }),
  ),
  "sa-assign": error("Each part of an adaptation assigns to its own storage.", (p) => ({
    message: `'${p.name}' is ${p.is}, and in ${p.part} only ${p.may} are assigned`,
    fix: `assign ${p.may} here, and '${p.name}' where it belongs`,
  })),
  "sa-type": error(
    "Values have the type that is wanted: numbers, booleans and texts do not turn into each other, nor reals into integers.",
    (p) => ({
      message: `${p.what} is ${article(p.found)}, and ${article(p.wanted)} is wanted`,
      fix: p.rounds
        ? "round it: round(…), floor(…), ceil(…); a number of your own is an integer where it is declared to be: 'N: integer := 3'"
        : "compare or choose: x > 0, b ? 1 : 0",
    }),
  ),
  "sa-unknown-function": error("Rules call functions that exist.", (p) => ({
    message: `there is no function '${p.name}'`,
    fix: meant(p.nearest, `call one of ${[...SA_FUNCTIONS.keys()].join(", ")}`),
  })),
  "sa-arguments": error("Functions are called with the arguments they take.", (p) => ({
    message: `'${p.name}' is called with ${p.count} argument${p.count === 1 ? "" : "s"}`,
    fix: `write ${p.usage}`,
  })),
  "sa-never": warning("A rule can fire.", () => ({
    message: "the condition of this rule is always false, so it never fires",
    fix: "correct the condition, or remove the rule",
  })),
  "sa-unreachable": warning("Every statement can happen.", () => ({
    message:
      "this never happens: what stands before it ends the block, or its condition is constant",
    fix: "move it, or remove it",
  })),
  "sa-break": error("'break' leaves a loop.", () => ({
    message: "there is no loop to leave",
    fix: "use 'if' to skip statements",
  })),
  "sa-return": error(
    "Control rules return the step that was taken, on every way through them.",
    () => ({
      message: "control rules can end without saying how long the step was",
      fix: "end them with 'return H;', or with the step that was taken",
    }),
  ),
  "sa-return-place": error("Only control rules return something.", () => ({
    message: "in and out rules return nothing",
    fix: "use 'if' to skip statements",
  })),
  "sa-step-in-condition": error("A unit is not stepped in the condition of a loop.", () => ({
    message:
      "the condition of 'while' steps a unit, so that connections cannot be delivered before it",
    fix: "step it in the body of the loop",
  })),
  "sa-no-step": error("Control rules step every inner unit.", (p) => ({
    message: p.written
      ? `no 'do_step(${p.unit}, …)' of the control rules can ever happen`
      : `the control rules never step '${p.unit}'`,
    fix: `call do_step(${p.unit}, t, H) where it can be reached`,
  })),
  "sa-rollback": error("Only units that can save their state are rolled back.", (p) => ({
    message: `'${p.unit}' cannot save its state`,
    fix: "take a unit that can (FMI: canGetAndSetFMUState), or do without save_state and rollback",
  })),
  "sa-never-saved": error("What is rolled back was saved.", (p) => ({
    message: `'${p.unit}' is rolled back and never saved`,
    fix: `call save_state(${p.unit}) before its step`,
  })),
  "sa-limit": error("The limits of a parameter are numbers.", (p) => ({
    message: `'${p.kind}' takes a number`,
    fix: `write ${p.kind} 0`,
  })),
  "sa-limit-here": error("Parameters have units and limits; variables do not.", (p) => ({
    message: `'${p.name}' is not a parameter`,
    fix: "remove its unit and limits, or declare it with 'param'",
  })),
  "sa-out-of-limits": error("The value of a parameter keeps to its limits.", (p) => ({
    message: `'${p.name}' must be ${p.wanted}, not ${p.value}`,
    fix: `give it a value that is ${p.wanted}`,
  })),
  "sa-output-unset": warning("Every output gets a value.", (p) => ({
    message: `nothing assigns the output '${p.port}'`,
    fix: `bind it with '${p.port} <- unit.port', or assign it in an out rule`,
  })),
};

export function report<Code extends keyof SaParams>(
  code: Code,
  params: SaParams[Code],
  place: Place,
): Diagnostic {
  return diagnose(SA_RULES, code, params as never, place);
}

function article(type: string): string {
  if (type === "string") return "a text";
  if (/^(a|an|the|no) /.test(type)) return type;
  return type === "integer" ? "an integer" : `a ${type}`;
}
