/**
 * Mistakes in the text of an orchestration algorithm, beyond those of every YAML file.
 */
import { type RulesFor, rulesFrom, type Texts } from "../../base/diagnostic.ts";

interface OrchestrationTextParams {
  "orchestration-operation": Texts<"text">;
  "orchestration-port": Texts<"what" | "why" | "fix">;
}

export const ORCHESTRATION_TEXT_RULES: RulesFor<OrchestrationTextParams> =
  rulesFrom<OrchestrationTextParams>({
    "orchestration-operation": {
      rule: "An operation is 'get unit.output', 'set unit.input', 'step unit', 'save unit', 'restore unit', or a loop 'repeat: { until, do, retry }'.",
      message: (p) => `'${p.text}' is not an operation`,
      fix: "write get unit.output, set unit.input, step unit, save unit, restore unit or repeat: { until: accepted, do: […] }",
    },
    "orchestration-port": {
      rule: "Algorithms name units and ports that exist, and every input has one source.",
      message: (p) => `${p.what} ${p.why}`,
      fix: (p) => p.fix,
    },
  });
