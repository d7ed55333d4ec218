/**
 * Asks all nodes of a project who they are. Their answers are strangers' words: what makes no sense
 * is counted.
 */
import { unpackJson } from "../../platform/nats/json-body.ts";
import type { NetworkSettings } from "../../platform/nats/network-settings.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { Untrusted } from "../../remote/untrusted.ts";
import type { OfferFacts } from "./node-host.ts";
import { RemoteUnits } from "./remote-units.ts";

export interface AboutNode {
  readonly node: string;
  readonly version: string;
  readonly protocol: number;
  readonly platform: string;
  readonly offers: readonly OfferFacts[];
  readonly sessions: number;
  readonly maxSessions: number;
  readonly load: number;
  readonly upSeconds: number;
  readonly dropped: number;
}

const MANY = 1e9;
const WORD = 1000;

/** @throws Unreachable, SettingProblem */
export function listNodes(
  settings: NetworkSettings,
  seconds: number,
): { readonly nodes: readonly AboutNode[]; readonly dropped: number } {
  const units = new RemoteUnits(settings);
  const nodes: AboutNode[] = [];
  let dropped = 0;
  for (const answer of units.nodes(seconds)) {
    try {
      nodes.push(takeAbout(answer));
    } catch (error) {
      if (!(error instanceof Nonsense)) throw error;
      dropped++;
    }
  }
  units.end();
  return { nodes: nodes.sort((a, b) => (a.node < b.node ? -1 : 1)), dropped };
}

function takeAbout(answer: Uint8Array): AboutNode {
  const from = new Untrusted(unpackJson(answer), "the answer");
  return {
    node: from.text("node", WORD),
    version: from.text("version", WORD),
    protocol: from.count("protocol", MANY),
    platform: from.text("platform", WORD),
    sessions: from.count("sessions", MANY),
    maxSessions: from.count("maxSessions", MANY),
    load: from.number("load"),
    upSeconds: from.count("upSeconds", MANY),
    dropped: from.count("dropped", MANY),
    offers: from.objects("offers").map((offer) => ({
      name: offer.text("name", WORD),
      kind: offer.text("kind", WORD),
      model: offer.text("model", WORD),
      inputs: offer.count("inputs", MANY),
      outputs: offer.count("outputs", MANY),
    })),
  };
}
