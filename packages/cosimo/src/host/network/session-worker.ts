/**
 * The program of a session: the units that one run uses on a node, in a process of their own, so
 * that a unit that crashes takes this run's part with it and neither the node nor other runs.
 * Started by node-host.ts; ends with the run or with the node.
 */
import { errorText } from "../../base/error-text.ts";
import { dieWithParent } from "../../platform/native/die-with-parent.ts";
import { connectNats } from "../../platform/nats/connect.ts";
import type { NetworkSettings } from "../../platform/nats/network-settings.ts";
import { serveSession } from "../../platform/nats/serve-session.ts";
import { inboxOf } from "../../platform/nats/subjects.ts";
import { trustOf } from "../trust.ts";
import { DistributedSession } from "./distributed-session.ts";
import type { Offer } from "./offers.ts";
import type { PartSession } from "./part-session.ts";
import { SessionUnits } from "./session-units.ts";

/** What the node says to it. */
export interface SessionOrder {
  readonly settings: NetworkSettings;
  readonly node: string;
  /** Of the caller. */
  readonly identity: string;
  readonly calls: string;
  readonly answers: string;
  readonly silenceSeconds: number;
  readonly offers: readonly Offer[];
  /** Modules are run: all, or those in these folders. */
  readonly trust: true | readonly string[];
  readonly folder: string;
}

/** What it says to the node. */
export type FromSession =
  | { readonly kind: "ready" }
  | { readonly kind: "dropped"; readonly why: string }
  | { readonly kind: "ended"; readonly why: string };

// The node decides when we end.
for (const signal of ["SIGINT", "SIGHUP", "SIGQUIT"] as const) process.on(signal, () => undefined);
process.on("disconnect", () => process.exit(0));
dieWithParent();

const say = (message: FromSession): void => void process.send?.(message);

process.once("message", (order: SessionOrder) => {
  void serve(order).then(
    (why) => {
      say({ kind: "ended", why });
      process.exit(0);
    },
    (error: unknown) => {
      say({ kind: "ended", why: errorText(error) });
      process.exit(1);
    },
  );
});

async function serve(order: SessionOrder): Promise<string> {
  const name = `cosimo session of ${order.node}`;
  // The node has reached the server before: where it is away, it comes back.
  const connection = await connectNats(order.settings, name, {
    isPatient: true,
    inbox: inboxOf(order.settings),
  });
  const units = new SessionUnits(order.offers, trustOf(order.trust), order.folder);
  const about = {
    ...{ project: order.settings.project, node: order.node, identity: order.identity },
    onDropped: (why: string) => say({ kind: "dropped", why }),
  };
  const distributed = new DistributedSession(connection, about);
  let part: Promise<PartSession> | undefined;
  const openPart = async (): Promise<PartSession> => {
    // Most sessions have units, and none of a model.
    const { PartSession: Made } = await import("./part-session.ts");
    return new Made(connection, {
      ...about,
      ...{ offers: order.offers, trust: trustOf(order.trust), folder: order.folder },
    });
  };
  const ended = serveSession(connection, {
    ...order,
    units: () => distributed.channel(units.channel()),
    onDropped: (why) => say({ kind: "dropped", why }),
    onCoordinate: (packet, unitOf, attempt) => distributed.take(packet, unitOf, attempt),
    onParts: (packet) => {
      part ??= openPart();
      void part.then((session) => session.take(packet));
    },
  });
  await connection.flush();
  say({ kind: "ready" });
  const why = await ended;
  distributed.close();
  (await part)?.close();
  await connection.drain();
  return why;
}
