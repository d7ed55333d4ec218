/**
 * Units on nodes, for a run: asks nodes for descriptions, has sessions started, and opens units in
 * them. One session per node for all units of this process, one channel per unit, so that all of
 * them can work at once.
 */
import { type Diagnostic, DiagnosticsError, diagnose, type Place } from "../../base/diagnostic.ts";
import { errorText } from "../../base/error-text.ts";
import { UnitLost } from "../../base/outcome.ts";
import { present } from "../../base/present.ts";
import type { RemotePlace, RemoteSource } from "../../model/scenario.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { Unreachable } from "../../platform/nats/connect.ts";
import { Courier, type CourierOptions, Unanswered } from "../../platform/nats/courier.ts";
import type { SessionKey } from "../../platform/nats/courier-protocol.ts";
import { unpackJson } from "../../platform/nats/json-body.ts";
import { NatsTransport } from "../../platform/nats/nats-transport.ts";
import {
  isToken,
  type NetworkSettings,
  networkSettings,
  SettingProblem,
} from "../../platform/nats/network-settings.ts";
import { takeDescription } from "../../remote/describe.ts";
import { RemoteHost } from "../../remote/open-remote.ts";
import { Nonsense, type Note, PeerLost } from "../../remote/protocol.ts";
import { type Restart, RestartingTransport } from "../../remote/restarting-transport.ts";
import type { Transport } from "../../remote/transport.ts";
import { putNumber, Untrusted } from "../../remote/untrusted.ts";
import type { UnitUse } from "../../run/open-units.ts";
import type { Unit } from "../../unit/unit.ts";
import { ISOLATION_DIAGNOSTICS } from "../isolation/isolation-diagnostics.ts";
import { passNotes } from "../isolation/pass-notes.ts";
import type { NamedUnit, OpenContext } from "../sources/source.ts";
import { NETWORK_DIAGNOSTICS } from "./network-diagnostics.ts";
import { putRequest } from "./unit-request.ts";

const DESCRIBE_SECONDS = 60;
const SESSION_SECONDS = 60;
const PAUSE_MS = 500;

type Report = (diagnostic: Diagnostic) => void;

/** A session and the channel of a unit in it. */
export interface Seat {
  readonly session: SessionKey;
  readonly channel: number;
}

export class RemoteUnits {
  private readonly courier: Courier;
  private readonly sessions = new Map<string, SharedSession>();
  private readonly seats = new Map<string, Seat>();

  /** @throws Unreachable */
  constructor(settings: NetworkSettings, options: CourierOptions = {}) {
    this.courier = new Courier(settings, options);
  }

  /**
   * Of the first place that has it.
   * @throws DiagnosticsError
   */
  describe(
    unit: NamedUnit,
    { places }: RemoteSource,
    given: ReadonlyMap<string, number>,
  ): UnitDescription {
    const problems: Diagnostic[] = [];
    for (const place of places) {
      const found = this.describeAt(unit, place, given);
      if (!("severity" in found)) return found;
      problems.push(found);
    }
    throw new DiagnosticsError(problems.slice(0, 1));
  }

  /** @throws DiagnosticsError, UnitError */
  open(
    source: RemoteSource,
    description: UnitDescription,
    use: UnitUse,
    around: Pick<OpenContext, "native" | "isolation">,
  ): Unit {
    const native = around.native(use.name);
    const report: Report = (diagnostic) => around.isolation?.onDiagnostic?.(diagnostic);
    const onNotice = (message: string): void =>
      native.onLog?.({ status: "warning", category: "network", message });
    let [at] = source.places;
    const start = (): Transport => {
      const { place, transport } = this.connect(source, use, onNotice);
      at = place;
      return transport;
    };
    try {
      const transport =
        source.onFailure === "restart"
          ? new RestartingTransport({
              start,
              onRestart: (restart) => restarted(use, at, restart, report),
              onForgotten: () =>
                report(
                  diagnose(
                    ISOLATION_DIAGNOSTICS,
                    "restart-forgotten",
                    { unit: use.name },
                    use.place,
                  ),
                ),
            })
          : start();
      return new RemoteHost(transport).open({
        name: use.name,
        order: putRequest(at.offer, use, native),
        description,
        onNotes: (notes) =>
          passNotes(
            use.name,
            notes.map((note) => (note.kind === "diagnostic" ? noteHere(note, use.place) : note)),
            around.native,
          ),
        onLateLoss: ({ failure: { status: how } }) =>
          report(
            diagnose(ISOLATION_DIAGNOSTICS, "unit-lost-late", { unit: use.name, how }, use.place),
          ),
      });
    } catch (error) {
      if (error instanceof DiagnosticsError)
        throw new DiagnosticsError(error.diagnostics.map((one) => ({ ...one, place: use.place })));
      throw error instanceof PeerLost ? lost(use, error) : error;
    }
  }

  /** All nodes that answer, by name. */
  nodes(seconds: number): Uint8Array[] {
    return [...this.courier.askAll({ kind: "about" }, seconds)];
  }

  /** After the last unit. */
  end(): void {
    this.courier.end();
  }

  private describeAt(
    unit: NamedUnit,
    { node, offer }: RemotePlace,
    given: ReadonlyMap<string, number>,
  ): UnitDescription | Diagnostic {
    const values = [...given].map(([name, value]) => ({ name, value: putNumber(value) }));
    const body = { kind: "describe", offer, given: values };
    const about = { unit: unit.name, node };
    try {
      const reply = this.ask(node, body, DESCRIBE_SECONDS);
      if (reply.has("refused"))
        return diagnose(
          NETWORK_DIAGNOSTICS,
          "remote-refused",
          { ...about, why: reply.text("refused") },
          unit.place,
        );
      if (!reply.has("description")) {
        const offers = reply.texts("offers").join(", ") || "nothing";
        return diagnose(
          NETWORK_DIAGNOSTICS,
          "remote-offer",
          { ...about, offer, offers },
          unit.place,
        );
      }
      return takeDescription(reply.get("description"));
    } catch (error) {
      if (error instanceof Unanswered)
        return diagnose(
          NETWORK_DIAGNOSTICS,
          "remote-node",
          { ...about, why: error.message },
          unit.place,
        );
      if (!(error instanceof Nonsense)) throw error;
      const params = { ...about, why: error.message };
      return diagnose(NETWORK_DIAGNOSTICS, "remote-described", params, unit.place);
    }
  }

  private ask(node: string, body: object, seconds: number): Untrusted {
    return new Untrusted(unpackJson(this.courier.ask(node, body, seconds)), "the answer");
  }

  /**
   * The first place that is there. Where several may be, or the unit may be started again, they are
   * tried until one is.
   */
  private connect(
    { places, onFailure }: RemoteSource,
    use: UnitUse,
    onNotice: (text: string) => void,
  ): { readonly place: RemotePlace; readonly transport: Transport } {
    const end = performance.now() + 1000 * this.courier.settings.silenceSeconds;
    for (;;) {
      let problem: PeerLost | undefined;
      for (const place of places) {
        try {
          return { place, transport: this.channel(place.node, use.name, onNotice) };
        } catch (error) {
          if (!(error instanceof PeerLost)) throw error;
          problem = error;
        }
      }
      if (onFailure !== "restart" || performance.now() > end)
        throw problem ?? new Error("internal: a remote unit without a place");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }

  private channel(node: string, unit: string, onNotice: (text: string) => void): Transport {
    let session = this.sessions.get(node);
    if (session === undefined || session.isOver) {
      session = new SharedSession(this.startSession(node));
      this.sessions.set(node, session);
    }
    const transport = session.transport(this.courier, unit, onNotice);
    if (session.seat !== undefined) this.seats.set(unit, session.seat);
    return transport;
  }

  /** Where a unit is that was opened, by its full name. */
  seatOf(unit: string): Seat | undefined {
    return this.seats.get(unit);
  }

  get settings(): NetworkSettings {
    return this.courier.settings;
  }

  /** @throws PeerLost */
  startSession(node: string): SessionKey {
    const { silenceSeconds: silence } = this.courier.settings;
    const { name: mailbox, subject: answers } = this.courier.mailbox(node);
    const body = { kind: "session", answers, silence };
    try {
      const reply = this.ask(node, body, SESSION_SECONDS);
      if (reply.has("refused")) throw unavailable(node, reply.text("refused"));
      const session = reply.object("session");
      const key = session.text("key", 64);
      if (!isToken(key)) throw new Nonsense("the key of a session that is not one word");
      return {
        node,
        boot: session.text("boot", 64),
        number: session.count("number", Number.MAX_SAFE_INTEGER),
        key,
        mailbox,
      };
    } catch (error) {
      if (error instanceof Unanswered || error instanceof Nonsense)
        throw unavailable(node, error.message);
      throw error;
    }
  }
}

/** Ends when its last channel is closed; one that is lost is not used again. */
class SharedSession {
  private readonly key: SessionKey;
  private users = 0;
  isOver = false;
  /** Of the unit that was opened last. */
  seat: Seat | undefined;

  constructor(key: SessionKey) {
    this.key = key;
  }

  transport(courier: Courier, unit: string, onNotice: (text: string) => void): Transport {
    this.users++;
    const inner = new NatsTransport(courier, unit, this.key, onNotice);
    this.seat = { session: this.key, channel: inner.channel };
    let isClosed = false;
    const watched = <T>(act: () => T): T => {
      try {
        return act();
      } catch (error) {
        if (error instanceof PeerLost) this.isOver = true;
        throw error;
      }
    };
    return {
      send: (message) => watched(() => inner.send(message)),
      receive: () => watched(() => inner.receive()),
      close: () => {
        if (isClosed) return;
        isClosed = true;
        if (--this.users === 0) this.isOver = true;
        inner.close();
      },
    };
  }
}

/**
 * Places in files of a peer say nothing here: what it is about is the unit that the scenario names.
 */
function noteHere(note: Extract<Note, { readonly kind: "diagnostic" }>, place: Place): Note {
  return { ...note, diagnostic: { ...note.diagnostic, place } };
}

function unavailable(node: string, why: string): PeerLost {
  return new PeerLost(why, { problem: `the node '${node}' cannot be used: ${why}` });
}

function lost({ name: unit, start: time }: UnitUse, { how, call, problem }: PeerLost): UnitLost {
  return new UnitLost({
    unit,
    call: call ?? "opening",
    status: how,
    time,
    ...present({ problem }),
    log: [],
  });
}

function restarted(
  { name: unit, place }: UnitUse,
  { node }: RemotePlace,
  { why, differs }: Restart,
  report: Report,
): void {
  const text = why.problem ?? why.how;
  report(diagnose(NETWORK_DIAGNOSTICS, "remote-restarted", { unit, why: text, node }, place));
  if (differs) report(diagnose(NETWORK_DIAGNOSTICS, "remote-differs", { unit, node }, place));
}

let shared: { readonly key: string; readonly units: RemoteUnits } | undefined;

/**
 * The one way to the network of this process, as the environment says it. @throws DiagnosticsError
 */
export function remoteUnits(unit: string, place: Place): RemoteUnits {
  try {
    const settings = networkSettings(process.env);
    if (settings === undefined)
      throw new DiagnosticsError([
        diagnose(NETWORK_DIAGNOSTICS, "remote-no-server", { unit }, place),
      ]);
    const key = JSON.stringify(settings);
    if (shared?.key !== key) shared = { key, units: new RemoteUnits(settings) };
    return shared.units;
  } catch (error) {
    const found = networkDiagnostic(error, place);
    throw found === undefined ? error : new DiagnosticsError([found]);
  }
}

/** What a setting or a server has to do with it; undefined for other errors. */
export function networkDiagnostic(error: unknown, place: Place): Diagnostic | undefined {
  const code =
    error instanceof SettingProblem
      ? "remote-setting"
      : error instanceof Unreachable
        ? "remote-unreachable"
        : undefined;
  if (code === undefined) return undefined;
  const { fix } = error as Unreachable;
  return diagnose(NETWORK_DIAGNOSTICS, code, { message: errorText(error), fix }, place);
}
