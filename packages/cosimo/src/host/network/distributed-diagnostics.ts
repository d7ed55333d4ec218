/** What cannot run without a master in the data path. */
import { type RulesFor, rulesFrom, type Texts } from "../../base/diagnostic.ts";

interface DistributedParams {
  "distributed-master": Texts<"master">;
  "distributed-declared": Texts<"what">;
  "distributed-apart": Record<string, never>;
  "distributed-local": Texts<"unit">;
  "distributed-state": Texts<"unit">;
  "distributed-cycle": { readonly units: readonly string[] };
  "distributed-option": Texts<"option">;
}

export const DISTRIBUTED_DIAGNOSTICS: RulesFor<DistributedParams> = rulesFrom<DistributedParams>({
  "distributed-master": {
    rule: "Units are moved where they are under 'event-driven' alone.",
    message: ({ master }) =>
      `--distributed has no master between the units, and '${master}' is one`,
    fix: "take --master event-driven, or omit --distributed",
  },
  "distributed-declared": {
    rule: "A distributed run has neither faults nor a changing structure.",
    message: ({ what }) => `a distributed run cannot have ${what}`,
    fix: "omit --distributed: the units stay on their nodes, and values pass through this computer",
  },
  "distributed-apart": {
    rule: "Units of a distributed run exchange values.",
    message: "nothing is connected, so there is nothing that nodes could exchange",
    fix: "connect the units, or omit --distributed",
  },
  "distributed-local": {
    rule: "All units of a distributed run are on nodes.",
    message: ({ unit }) => `--distributed wants all units on nodes, and ${unit} is not on one`,
    fix: "offer it on a node, also on this computer: 'cosimo node --offer …', then { remote: node/offer }",
  },
  "distributed-state": {
    rule: "All units of a distributed run with checkpoints, or with 'onFailure: restart', can give their states.",
    message: ({ unit }) =>
      `'${unit}' cannot give its state, so that a distributed run can neither keep checkpoints nor go on without a unit that is lost`,
    fix: "omit --checkpoint and 'onFailure: restart', or ask its supplier for saved states (FMI: canSerializeFMUState)",
  },
  "distributed-cycle": {
    rule: "Units that decide instants for each other share a node in a distributed run.",
    message: ({ units }) =>
      `${units.join(" and ")} decide instants for each other, so they move together and must be on one node`,
    fix: "offer them on one node, or give one of the connections between them a period: every: 10 ms",
  },
  "distributed-option": {
    rule: "Options of a run fit each other.",
    message: ({ option }) => `--distributed cannot be used with ${option}`,
    fix: "omit one of them",
  },
});
