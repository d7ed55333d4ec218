/**
 * Mistakes in the text of a fault.
 */
import { type RulesFor, rulesFrom } from "../../base/diagnostic.ts";

interface FaultTextParams {
  "fault-malformed": { readonly text: string; readonly why: string; readonly fix: string };
  "fault-kind-unknown": {
    readonly kind: string;
    readonly nearest: string | undefined;
    readonly known: readonly string[];
  };
  "fault-condition": {
    readonly text: string;
    readonly message: string;
    readonly fix: string;
  };
}

export const FAULT_TEXT_RULES: RulesFor<FaultTextParams> = rulesFrom<FaultTextParams>({
  "fault-malformed": {
    rule: "A fault says what goes wrong, how, and when: 'motor.speed stuck 0 at 3 s'.",
    message: (p) => `'${p.text}': ${p.why}`,
    fix: (p) => p.fix,
  },
  "fault-kind-unknown": {
    rule: "A fault is of a known kind.",
    message: (p) => `there is no fault of the kind '${p.kind}'`,
    fix: (p) =>
      p.nearest === undefined
        ? `one of ${p.known.join(", ")}`
        : `did you mean '${p.nearest}'? Known: ${p.known.join(", ")}`,
  },
  "fault-condition": {
    rule: "The condition of a fault is an expression over outputs: 'tank.level > 3'.",
    message: (p) => `the condition '${p.text}': ${p.message}`,
    fix: (p) => p.fix,
  },
});
