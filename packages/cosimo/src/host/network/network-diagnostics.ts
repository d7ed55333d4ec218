/** What can be said about units on other computers. */
import { type RulesFor, rulesFrom, type Texts } from "../../base/diagnostic.ts";

interface NetworkParams {
  "remote-no-server": Texts<"unit">;
  "remote-setting": Texts<"message" | "fix">;
  "remote-unreachable": Texts<"message" | "fix">;
  "remote-node": Texts<"unit" | "node" | "why">;
  "remote-offer": Texts<"unit" | "node" | "offer" | "offers">;
  "remote-described": Texts<"unit" | "node" | "why">;
  "remote-refused": Texts<"unit" | "node" | "why">;
  "remote-restarted": Texts<"unit" | "why" | "node">;
  "remote-differs": Texts<"unit" | "node">;
  "offer-name": Texts<"name" | "why">;
  "offer-unknown": Texts<"path">;
  "node-name": Texts<"name">;
  "node-twice": Texts<"name">;
  "watch-silent": Texts<"run" | "seconds">;
  "watch-no-match": Texts<"pattern" | "columns">;
}

export const NETWORK_DIAGNOSTICS: RulesFor<NetworkParams> = rulesFrom<NetworkParams>({
  "remote-no-server": {
    rule: "A scenario with remote units needs a server through which their nodes are reached.",
    message: ({ unit }) => `'${unit}' is on another computer, and no server is named`,
    fix: "name the NATS server: --server nats://localhost:4222, or COSIMO_SERVER",
  },
  "remote-setting": {
    rule: "Settings of the network can be used as they are.",
    message: ({ message }) => message,
    fix: ({ fix }) => fix,
  },
  "remote-unreachable": {
    rule: "The server is there and lets the caller in.",
    message: ({ message }) => message,
    fix: ({ fix }) => fix,
  },
  "remote-node": {
    rule: "The node that a remote unit names is there.",
    message: ({ unit, node, why }) => `'${unit}' is on the node '${node}': ${why}`,
    fix: "'cosimo nodes' lists who is there; check the name, the project, and whether the node serves you",
  },
  "remote-offer": {
    rule: "A node has the units that scenarios want of it.",
    message: ({ unit, node, offer, offers }) =>
      `'${unit}' wants '${offer}' of the node '${node}', which offers ${offers}`,
    fix: "'cosimo nodes' lists what is offered",
  },
  "remote-described": {
    rule: "What a node says of a unit is a description of one.",
    message: ({ unit, node, why }) =>
      `what '${node}' says of '${unit}' is not the description of a unit (${why})`,
    fix: "use the same version of cosimo on both sides, or ask the operator of the node",
  },
  "remote-refused": {
    rule: "A node starts the units that it offers.",
    message: ({ unit, node, why }) => `the node '${node}' does not start '${unit}': ${why}`,
    fix: "ask the operator of the node; its log says more",
  },
  "remote-restarted": {
    severity: "warning",
    rule: "A remote unit that was lost is started again where 'onFailure: restart' is set.",
    message: ({ unit, why, node }) => `'${unit}' was started again on '${node}': ${why}`,
    fix: "nothing is lost: its inputs were replayed, and the run went on",
  },
  "remote-differs": {
    severity: "warning",
    rule: "A remote unit that was started again gives the answers that it gave before.",
    message: ({ unit, node }) =>
      `'${unit}' on '${node}' did not give the same answers again when its inputs were replayed: from here on the trace is not what it would have been`,
    fix: "offer the same unit on all nodes that it may move to",
  },
  "offer-name": {
    rule: "What a node offers has a name of its own.",
    message: ({ name, why }) => `a unit cannot be offered as '${name}': ${why}`,
    fix: "give it a name: --offer motor=model.fmu",
  },
  "offer-unknown": {
    rule: "A node offers FMUs, scenarios, adaptations, state machines, tables and modules.",
    message: ({ path }) => `'${path}' is not a unit by its name`,
    fix: "for instance --offer motor.fmu, --offer plant/scenario.yaml",
  },
  "node-name": {
    rule: "The name of a node is one word.",
    message: ({ name }) => `'${name}' cannot be the name of a node`,
    fix: "use letters, digits, '-' and '_': --name supplier-a",
  },
  "node-twice": {
    rule: "In a project every node has a name of its own.",
    message: ({ name }) => `there is a node '${name}' already`,
    fix: "choose another --name, another --project, or end the other node",
  },
  "watch-silent": {
    rule: "A run that is watched is heard every second.",
    message: ({ run, seconds }) => `nothing was heard of '${run}' for ${seconds} s`,
    fix: "runs with --publish on this server and in this project are listed by 'cosimo watch'; --silence sets the bound",
  },
  "watch-no-match": {
    rule: "Patterns for what is watched name something that the run records.",
    message: ({ pattern, columns }) =>
      `the run records nothing that '${pattern}' names: ${columns}`,
    fix: "* and ? match any text; the run itself needs the signal in its --record",
  },
});
