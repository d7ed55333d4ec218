/**
 * What can be wrong with a file of hints before its scenario is known. Signals, types and units are
 * checked as those of requirements in a scenario are.
 */
import {
  type Diagnostic,
  diagnose,
  type Place,
  type RulesFor,
  rulesFrom,
  type Texts,
} from "../../base/diagnostic.ts";

interface HintParams {
  "hint-twice": { readonly what: string; readonly line: number };
  "hint-formula": Texts<"message" | "fix">;
  "hint-unknown-statement": {
    readonly name: string;
    readonly nearest: string | undefined;
    readonly known: readonly string[];
  };
  "hint-property": Texts<"property">;
  "hint-rate": Texts<"found">;
  "hint-fact": Texts<"name" | "what">;
}

export const HINT_RULES: RulesFor<HintParams> = rulesFrom<HintParams>({
  "hint-twice": {
    rule: "Names of hints are unique in a file, those of statements in a hint.",
    message: (p) => `${p.what} is already there in line ${p.line}`,
    fix: "rename or remove one of them",
  },
  "hint-formula": {
    rule: "Conditions stand where something holds, numbers where something is compared, and times are not negative.",
    message: (p) => p.message,
    fix: (p) => p.fix,
  },
  "hint-unknown-statement": {
    rule: "A name without a dot is that of a statement before it in the same hint.",
    message: (p) => `there is no statement '${p.name}'`,
    fix: (p) =>
      p.nearest !== undefined
        ? `did you mean '${p.nearest}'?`
        : p.known.length > 0
          ? `there are ${p.known.join(", ")}; signals are written unit.port`
          : `add it to 'statements': Property ${p.name} := …`,
  },
  "hint-property": {
    rule: "The property of a unit that hints are about is its rate.",
    message: (p) => `there is no property '${p.property}' of units`,
    fix: "write exec_rate, with a frequency: FMUProperty controller.exec_rate == val 1000 Hz",
  },
  "hint-rate": {
    rule: "A rate is a frequency above 0.",
    message: (p) => `'${p.found}' is not a frequency above 0`,
    fix: "write a number of executions per second: val 1000 Hz",
  },
  "hint-fact": {
    rule: "What is known of units, rates and power bonds, holds always: Globally, Universality.",
    message: (p) => `'${p.name}' is ${p.what}, which no trace shows`,
    fix: "write 'scope Globally' and 'pattern Universality: always-the-case-that … holds' with that name alone",
  },
});

export const report = <Code extends keyof HintParams & string>(
  code: Code,
  params: HintParams[Code],
  place: Place,
): Diagnostic => diagnose<typeof HINT_RULES, typeof code>(HINT_RULES, code, params as never, place);
