/**
 * Mistakes in the text of a fault.
 */
import type { RulesFor } from "../../base/diagnostic.ts";

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

export const FAULT_TEXT_RULES: RulesFor<FaultTextParams> = {
  "fault-malformed": {
    severity: "error",
    rule: "A fault says what goes wrong, how, and when: 'motor.speed stuck 0 at 3 s'.",
    text: (p) => ({ message: `'${p.text}': ${p.why}`, fix: p.fix }),
  },
  "fault-kind-unknown": {
    severity: "error",
    rule: "A fault is of a known kind.",
    text: (p) => ({
      message: `there is no fault of the kind '${p.kind}'`,
      fix:
        p.nearest === undefined
          ? `one of ${p.known.join(", ")}`
          : `did you mean '${p.nearest}'? Known: ${p.known.join(", ")}`,
    }),
  },
  "fault-condition": {
    severity: "error",
    rule: "The condition of a fault is an expression over outputs: 'tank.level > 3'.",
    text: (p) => ({ message: `the condition '${p.text}': ${p.message}`, fix: p.fix }),
  },
};
