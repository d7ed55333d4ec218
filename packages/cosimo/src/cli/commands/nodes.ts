/**
 * `cosimo nodes`: who is there, what they offer, how they are.
 */
import { DiagnosticsError } from "../../base/diagnostic.ts";
import { type AboutNode, listNodes } from "../../host/network/list-nodes.ts";
import { networkDiagnostic } from "../../host/network/remote-units.ts";
import { PROTOCOL_VERSION } from "../../remote/protocol.ts";
import type { Command } from "../command.ts";
import { counted } from "../findings.ts";
import { NETWORK_OPTIONS, requiredNetwork } from "../network-options.ts";
import { print, printError, printJson } from "../terminal.ts";
import { VERSION } from "../version.ts";

const LISTEN_SECONDS = 1;

export const nodesCommand: Command = {
  name: "nodes",
  summary: "List the nodes of a project: what they offer, health, load, versions.",
  usage: "cosimo nodes --server <url> [options]",
  details:
    "Asks all nodes that serve the caller and prints who answers within a second (--wait). The load is that of the node's\n" +
    "computer: 1 is as much work as it has cores. Exit code 0 where at least one answers, 1 where none does.",
  arguments: [],
  options: {
    "--wait <s>": "how long to listen for answers (default: 1)",
    ...NETWORK_OPTIONS,
    "--json": "print the list as JSON",
  },
  examples: {
    "cosimo nodes --server nats://localhost:4222": "who is there?",
    "cosimo nodes --json": "for scripts; the server is in COSIMO_SERVER",
  },
  async run(args) {
    const settings = requiredNetwork(args);
    try {
      const { nodes, dropped } = listNodes(settings, args.positive("wait") ?? LISTEN_SECONDS);
      if (dropped > 0) printError(`cosimo: ${counted(dropped, "answer")} that made no sense`);
      const { project } = settings;
      if (args.has("json")) printJson({ project, nodes });
      else if (nodes.length > 0) print(nodes.map(page).join("\n"));
      if (nodes.length > 0) return 0;
      printError(`cosimo: no node of the project '${project}' answers`);
      return 1;
    } catch (error) {
      const found = networkDiagnostic(error, { file: settings.servers.join(", ") });
      throw found === undefined ? error : new DiagnosticsError([found]);
    }
  },
};

function page(node: AboutNode): string {
  const facts = [
    `cosimo ${node.version}`,
    node.platform,
    `load ${node.load}`,
    `${counted(node.sessions, "run")} of ${node.maxSessions}`,
    `up ${upText(node.upSeconds)}`,
    ...(node.dropped > 0 ? [counted(node.dropped, "dropped message")] : []),
  ];
  const warnings = [
    ...(node.protocol === PROTOCOL_VERSION ? [] : ["speaks another version of the protocol"]),
    ...(node.version === VERSION ? [] : [`this is cosimo ${VERSION}`]),
    ...(node.sessions >= node.maxSessions ? ["takes no further run"] : []),
  ].map((text) => `  warning: ${text}`);
  const offers = node.offers.map(
    ({ name, kind, model, inputs, outputs }) =>
      `  ${node.node}/${name}: ${kind} '${model}', ${counted(inputs, "input")}, ${counted(outputs, "output")}`,
  );
  return [`${node.node}: ${facts.join(", ")}`, ...warnings, ...offers].join("\n");
}

function upText(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800
    ? `${Math.round(seconds / 3600)} h`
    : `${Math.round(seconds / 86_400)} days`;
}
