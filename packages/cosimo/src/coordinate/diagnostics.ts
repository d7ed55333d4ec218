/**
 * Why connections cannot exchange when their triggers say so.
 */
import type { RulesFor } from "../base/diagnostic.ts";

interface CoordinationParams {
  "trigger-not-possible": {
    readonly connection: string;
    readonly trigger: string;
    readonly why: string;
    readonly fix: string;
  };
  "trigger-cycle": { readonly units: readonly string[]; readonly stuck: readonly string[] };
}

export const COORDINATION_DIAGNOSTICS: RulesFor<CoordinationParams> = {
  "trigger-not-possible": {
    severity: "error",
    rule: "A connection exchanges when its unit can say that it is time.",
    text: (p) => ({
      message: `'${p.connection}' cannot exchange ${p.trigger}: ${p.why}`,
      fix: p.fix,
    }),
  },
  "trigger-cycle": {
    severity: "error",
    rule: "Units decide instants of exchange for each other in a cycle only where all of them but one can roll back.",
    text: (p) => ({
      message: `each of these waits for the next one to go first: ${[...p.units, p.units[0]].join(" → ")}; ${p.stuck.map((name) => `'${name}'`).join(" and ")} cannot roll back, which all but one must`,
      fix: "give one of the connections between them a period: every: 10 ms",
    }),
  },
};
