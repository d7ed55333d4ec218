/**
 * Why connections cannot exchange when their triggers say so.
 */
import { type RulesFor, rulesFrom } from "../base/diagnostic.ts";

interface CoordinationParams {
  "trigger-not-possible": {
    readonly connection: string;
    readonly trigger: string;
    readonly why: string;
    readonly fix: string;
  };
  "trigger-cycle": { readonly units: readonly string[]; readonly stuck: readonly string[] };
}

export const COORDINATION_DIAGNOSTICS: RulesFor<CoordinationParams> = rulesFrom<CoordinationParams>(
  {
    "trigger-not-possible": {
      rule: "A connection exchanges when its unit can say that it is time.",
      message: (p) => `'${p.connection}' cannot exchange ${p.trigger}: ${p.why}`,
      fix: (p) => p.fix,
    },
    "trigger-cycle": {
      rule: "Units decide instants of exchange for each other in a cycle only where all of them but one can roll back, or are watched at communication points.",
      message: (p) =>
        `each of these waits for the next one to go first: ${[...p.units, p.units[0]].join(" → ")}; ${p.stuck.map((name) => `'${name}'`).join(" and ")} stop at instants of their own and cannot roll back, which only one may`,
      fix: "give one of the connections between them a period: every: 10 ms",
    },
  },
);
