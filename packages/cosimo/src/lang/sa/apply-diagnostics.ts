/**
 * What can go wrong where an open adaptation is applied to a unit. The mistakes are in the text
 * that applies it, so their places are there and not in the adaptation.
 */
import { type Diagnostic, diagnose, type Place, type RulesFor } from "../../base/diagnostic.ts";
import { error } from "../diagnostic-rule.ts";

interface ApplyParams {
  "sa-argument-unknown": {
    adaptation: string;
    name: string;
    nearest: string | undefined;
    known: readonly string[];
  };
  "sa-argument-twice": { name: string };
  "sa-argument-type": { name: string; wanted: string; found: string };
  "sa-argument-limits": {
    name: string;
    limit: string;
    unit: string | undefined;
    found: string;
  };
  "sa-role-missing": {
    role: string;
    direction: string;
    known: readonly string[];
  };
  "sa-role-port": {
    role: string;
    port: string;
    why: string;
    nearest: string | undefined;
    known: readonly string[];
  };
  "sa-inner-missing": { adaptation: string; unit: string };
}

function choices(known: readonly string[], what: string): string {
  return known.length === 0 ? `the unit has no ${what}` : `one of ${known.join(", ")}`;
}

export const APPLY_RULES: RulesFor<ApplyParams> = {
  "sa-argument-unknown": error(
    "What is given to an adaptation is a parameter, a port or an inner unit that it declares.",
    (p) => ({
      message: `'${p.adaptation}' has no '${p.name}'`,
      fix:
        p.nearest !== undefined
          ? `did you mean '${p.nearest}'?`
          : p.known.length === 0
            ? "it takes nothing: remove it"
            : `it takes ${p.known.join(", ")}`,
    }),
  ),
  "sa-argument-twice": error("Everything is given to an adaptation once.", (p) => ({
    message: `'${p.name}' is given already; '-', '_' and case make no difference`,
    fix: "keep one of them",
  })),
  "sa-argument-type": error(
    "What is given to an adaptation is of the type that it declares.",
    (p) => ({
      message: `'${p.name}' must be ${p.wanted}, not ${p.found}`,
      fix: "parameters of adaptations have no physical unit: write the value alone",
    }),
  ),
  "sa-argument-limits": error(
    "What is given to an adaptation keeps to the limits that it declares.",
    (p) => ({
      message: `'${p.name}' must be ${p.limit}${p.unit === undefined ? "" : ` ${p.unit}`}, not ${p.found}`,
      fix: `give a value that is ${p.limit}`,
    }),
  ),
  "sa-role-missing": error("It is clear which port of the unit an adaptation is about.", (p) => ({
    message: `it is not clear which ${p.direction} '${p.role}' is`,
    fix:
      p.known.length === 0
        ? `the unit has no ${p.direction} that fits: this adaptation is not for it`
        : `say it: '${p.role}: ${p.known[0]}' (${choices(p.known, p.direction)})`,
  })),
  "sa-role-port": error("The port that is given for a role exists and fits.", (p) => ({
    message: `'${p.port}' cannot be '${p.role}': ${p.why}`,
    fix:
      p.nearest === undefined ? choices(p.known, "port that fits") : `did you mean '${p.nearest}'?`,
  })),
  "sa-inner-missing": error("Every open unit of an adaptation is given.", (p) => ({
    message: `'${p.adaptation}' is around two units, and '${p.unit}' is not given`,
    fix: `name its file: '${p.unit}: ${p.unit}.fmu'`,
  })),
};

export function reportApply<Code extends keyof ApplyParams>(
  code: Code,
  params: ApplyParams[Code],
  place: Place,
): Diagnostic {
  return diagnose(APPLY_RULES, code, params as never, place);
}
