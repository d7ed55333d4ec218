/**
 * The side of a distributed run that starts it: a connection of its own to the sessions that have
 * the units, links to them, and signs of life of their nodes. What comes from sessions is held
 * against what was agreed on by the observer (coordinate/observer.ts).
 */
import { randomBytes } from "node:crypto";
import { type Diagnostic, DiagnosticsError, diagnose } from "../../base/diagnostic.ts";
import { UnitError } from "../../base/outcome.ts";
import { type Agreed, dividedGroups, homesOfPeers } from "../../coordinate/agreed.ts";
import { Carrier } from "../../coordinate/carrier.ts";
import { connectorsOf } from "../../coordinate/connectors-of.ts";
import type { Distribution, Lost } from "../../coordinate/run-distributed.ts";
import { hasFaults } from "../../model/apply-faults.ts";
import { MASTERS } from "../../model/masters.ts";
import type { Scenario } from "../../model/scenario.ts";
import { makeBanks } from "../../model/value-type.ts";
import type { Plan } from "../../plan/plan.ts";
import { connectNats, type NatsConnection } from "../../platform/nats/connect.ts";
import { putFrame } from "../../platform/nats/frames.ts";
import { unpackJson } from "../../platform/nats/json-body.ts";
import { createPartStore } from "../../platform/nats/part-store.ts";
import { COORDINATE, pieceBytes } from "../../platform/nats/peer-subjects.ts";
import { inboxOf, type Subjects, subjectsOf } from "../../platform/nats/subjects.ts";
import { Nonsense } from "../../remote/protocol.ts";
import { Untrusted } from "../../remote/untrusted.ts";
import type { Unit } from "../../unit/unit.ts";
import { putInvitation } from "./agreement-data.ts";
import { DISTRIBUTED_DIAGNOSTICS } from "./distributed-diagnostics.ts";
import { KeptParts } from "./kept-parts.ts";
import { networkDiagnostic, type RemoteUnits, remoteUnits, type Seat } from "./remote-units.ts";

const TICK_MS = 100;
/** How long `next` waits where nothing comes. */
const WAIT_MS = 50;
/** A session that has not answered its invitation by then does not know what that is. */
const JOIN_SECONDS = 30;

interface Received {
  readonly process: number;
  readonly payload: Uint8Array;
}

interface Home {
  readonly node: string;
  readonly seat: Seat;
  /** Where the caller hears this session, and nobody else can speak. */
  readonly answers: string;
  /** When something of its node was heard, and something of the session itself. */
  heardAt: number;
  answeredAt: number;
  hasAnswered: boolean;
  isGone: Omit<Lost, "process"> | undefined;
}

/** Units that are started again where they are lost; then the run goes on from a cut. */
export function restartable({ units }: Scenario): ReadonlySet<string> {
  return new Set(
    units.flatMap(({ name, source }) =>
      source.kind === "remote" && source.onFailure === "restart" ? [name] : [],
    ),
  );
}

/** What cannot be distributed, and why. @param keepsCuts the states of all units are kept. */
export function undistributable(
  plan: Plan,
  scenario: Scenario,
  file: string,
  keepsCuts: boolean,
): Diagnostic[] {
  const place = { file };
  const found: Diagnostic[] = [];
  if (MASTERS[plan.master].coordinates !== true)
    return [
      diagnose(DISTRIBUTED_DIAGNOSTICS, "distributed-master", { master: plan.master }, place),
    ];
  if (hasFaults(scenario) || scenario.structure !== undefined) {
    const what = hasFaults(scenario) ? "faults" : "a changing structure";
    found.push(diagnose(DISTRIBUTED_DIAGNOSTICS, "distributed-declared", { what }, place));
  }
  if (scenario.connections.length === 0)
    found.push(diagnose(DISTRIBUTED_DIAGNOSTICS, "distributed-apart", {}, place));
  const nodes = scenario.units.map(({ name, source, place: at }) => {
    if (source.kind !== "remote") {
      const unit = source.kind === "formula" ? "a formula between units" : `'${name}'`;
      found.push(diagnose(DISTRIBUTED_DIAGNOSTICS, "distributed-local", { unit }, at));
      return "";
    }
    return source.places[0]?.node ?? "";
  });
  if (keepsCuts)
    for (const { name, description, place: at } of scenario.units)
      if (!description.capabilities.serialize)
        found.push(diagnose(DISTRIBUTED_DIAGNOSTICS, "distributed-state", { unit: name }, at));
  if (found.length > 0) return found;
  const connectors = connectorsOf(scenario, plan.step).value ?? [];
  const homes = nodes.map((node) => nodes.indexOf(node));
  for (const group of dividedGroups({ homes, connectors })) {
    const units = group.map((u) => `'${scenario.units[u]?.name}' on '${nodes[u]}'`);
    const at = scenario.units[group[0] ?? 0]?.place ?? place;
    found.push(diagnose(DISTRIBUTED_DIAGNOSTICS, "distributed-cycle", { units }, at));
  }
  return found;
}

export interface DistributeOptions {
  readonly units: readonly Unit[];
  readonly file: string;
  readonly onNotice: (unit: string, text: string) => void;
  /** Units that are started again where they are lost, at another of their places. */
  readonly restartable: ReadonlySet<string>;
  /** Cuts are kept on the server. */
  readonly keepsCuts: boolean;
}

/** @param units open, on nodes; not initialized yet. @throws DiagnosticsError, Unreachable */
export async function distribute(options: DistributeOptions): Promise<Distribution> {
  const { units, file, keepsCuts } = options;
  const network = remoteUnits(units[0]?.name ?? "", { file });
  const { settings } = network;
  const name = `cosimo distributed run of ${settings.identity}`;
  const connection = await connectNats(settings, name, { inbox: inboxOf(settings) });
  try {
    const parts = keepsCuts ? await createPartStore(connection, settings.project) : undefined;
    const made = new Spread(connection, network, options, parts && new KeptParts(parts));
    await connection.flush();
    return made;
  } catch (error) {
    await connection.close();
    const found = networkDiagnostic(error, { file });
    throw found === undefined ? error : new DiagnosticsError([found]);
  }
}

class Spread implements Distribution {
  homes: readonly number[] = [];
  nodes: readonly string[] = [];
  readonly cuts?: KeptParts;
  private readonly connection: NatsConnection;
  private readonly network: RemoteUnits;
  private readonly subjects: Subjects;
  private readonly options: DistributeOptions;
  private readonly silenceSeconds: number;
  private readonly timer: NodeJS.Timeout;
  /** How often the run went on. */
  private attempt = 0;
  private seats: readonly Seat[] = [];
  private places: readonly Home[] = [];
  private carrier = new Carrier([]);
  private subscriptions: { unsubscribe(): void }[] = [];
  private received: Received[] = [];
  private wake: (() => void) | undefined;
  private begun = Number.POSITIVE_INFINITY;
  private looked = 0;

  constructor(
    connection: NatsConnection,
    network: RemoteUnits,
    options: DistributeOptions,
    cuts: KeptParts | undefined,
  ) {
    this.connection = connection;
    this.network = network;
    this.subjects = subjectsOf(network.settings);
    this.options = options;
    this.silenceSeconds = network.settings.silenceSeconds;
    if (cuts !== undefined) this.cuts = cuts;
    this.settle();
    this.timer = setInterval(() => this.tick(), TICK_MS);
  }

  /** Where the units are now. */
  private settle(): void {
    for (const one of this.subscriptions.splice(0)) one.unsubscribe();
    const seats = this.options.units.map(({ name }) => {
      const seat = this.network.seatOf(name);
      if (seat === undefined) throw new Error(`internal: '${name}' is not on a node`);
      return seat;
    });
    const keys = [...new Map(seats.map((seat) => [seat.session.key, seat])).keys()];
    this.seats = seats;
    this.homes = seats.map(({ session }) => keys.indexOf(session.key));
    const token = randomBytes(16).toString("hex");
    this.places = keys.map((key): Home => {
      const seat = seats.find(({ session }) => session.key === key) as Seat;
      const answers = this.subjects.answer(token, randomBytes(16).toString("hex"));
      const { node } = seat.session;
      const now = this.now();
      const unheard = { heardAt: now, answeredAt: now, hasAnswered: false, isGone: undefined };
      return { node, seat, answers, ...unheard };
    });
    this.nodes = this.places.map(({ node }) => node);
    this.received = [];
    this.begun = Number.POSITIVE_INFINITY;
    this.carrier = new Carrier([...keys.keys()], pieceBytes(this.connection.info?.max_payload));
    for (const [process, place] of this.places.entries()) this.listen(place, process);
  }

  /** By a call of each, which finds it another place and makes it what it was at the beginning. */
  replace(process: number): boolean {
    const { units, restartable: may } = this.options;
    const lost = units.filter((_, u) => this.homes[u] === process);
    if (!lost.every(({ name }) => may.has(name))) return false;
    try {
      for (const unit of lost) unit.read(unit.bind([]), makeBanks({}));
    } catch (error) {
      if (!(error instanceof UnitError)) throw error;
      return false;
    }
    this.attempt++;
    this.settle();
    // Nothing could be heard meanwhile.
    this.looked = 0;
    return true;
  }

  private listen(place: Home, process: number): void {
    const answers = this.connection.subscribe(place.answers, {
      callback: (error, { data }) => {
        if (error !== null) return;
        place.heardAt = place.answeredAt = this.now();
        place.hasAnswered = true;
        try {
          for (const payload of this.carrier.receive(process, new Uint8Array(data)))
            this.received.push({ process, payload });
        } catch (problem) {
          if (!(problem instanceof RangeError)) throw problem;
          const how = "its session said what does not parse";
          place.isGone ??= {
            how,
            problem: `${this.unitsOf(process)} is lost: ${how}`,
            isTold: false,
          };
        }
        this.flush();
        this.wake?.();
      },
    });
    const beats = this.connection.subscribe(this.subjects.beat(place.node), {
      callback: (error, { data }) => {
        if (error === null) this.beat(place, process, data);
      },
    });
    this.subscriptions.push(answers, beats);
  }

  /** A sign of life says which sessions there are. */
  private beat(place: Home, process: number, data: Uint8Array): void {
    const { session } = place.seat;
    try {
      const beat = new Untrusted(unpackJson(data), "the sign of life");
      const boot = beat.text("boot", 64);
      const sessions = beat.counts("sessions", Number.MAX_SAFE_INTEGER);
      place.heardAt = this.now();
      if (boot === session.boot && sessions.includes(session.number)) return;
      const how =
        boot === session.boot ? "its session ended" : `its node '${place.node}' was started again`;
      place.isGone ??= { how, problem: `${this.unitsOf(process)} is lost: ${how}`, isTold: true };
      this.wake?.();
    } catch (error) {
      if (!(error instanceof Nonsense)) throw error;
    }
  }

  begin(agreed: Agreed, from?: Uint8Array): void {
    this.begun = this.now();
    const run = randomBytes(16).toString("hex");
    const peers = homesOfPeers(agreed);
    const cuts = this.cuts?.begin(peers, this.places.length, from);
    this.places.forEach(({ answers }, process) => {
      const seats = this.seats.flatMap(({ channel }, unit) =>
        this.homes[unit] === process ? [{ unit, channel }] : [],
      );
      const { nodes } = this;
      const invitation = { agreed, process, nodes, run, answers, seats };
      this.carrier.send(process, putInvitation({ ...invitation, ...cuts?.(process) }));
    });
    this.flush();
  }

  send(process: number, payload: Uint8Array): void {
    this.carrier.send(process, payload);
    this.flush();
  }

  pendingTo(process: number): number {
    return this.carrier.pendingTo(process);
  }

  async next(): Promise<readonly Received[]> {
    if (this.received.length === 0)
      await new Promise<void>((resolve) => {
        const timer = setTimeout(done, WAIT_MS);
        const self = this;
        this.wake = done;
        function done(): void {
          clearTimeout(timer);
          self.wake = undefined;
          resolve();
        }
      });
    const taken = this.received;
    this.received = [];
    return taken;
  }

  lost(): Lost | undefined {
    const now = this.now();
    for (const [process, place] of this.places.entries()) {
      if (place.isGone !== undefined) return { process, ...place.isGone };
      const silent = now - place.heardAt;
      if (silent > this.silenceSeconds) {
        const how = `nothing was heard of its node for ${Math.round(silent)} s`;
        return { process, how, problem: `${this.unitsOf(process)} is lost: ${how}`, isTold: false };
      }
      if (!place.hasAnswered && now - this.begun > JOIN_SECONDS) {
        const how = `its session did not answer within ${JOIN_SECONDS} s`;
        const why =
          "is another version of cosimo there, or may the node not use subjects of peers?";
        return { process, how, problem: `${this.unitsOf(process)}: ${how}; ${why}`, isTold: false };
      }
    }
    return undefined;
  }

  private unitsOf(process: number): string {
    const names = this.options.units.flatMap(({ name }, u) =>
      this.homes[u] === process ? [`'${name}'`] : [],
    );
    return `${names.join(", ")} on '${this.nodes[process]}'`;
  }

  heard(process: number): number {
    return this.now() - this.place(process).answeredAt;
  }

  private place(process: number): Home {
    return this.places[process] as Home;
  }

  now(): number {
    return performance.now() / 1000;
  }

  notice(unit: string, text: string): void {
    this.options.onNotice(unit, text);
  }

  async close(isOver: boolean): Promise<void> {
    clearInterval(this.timer);
    if (isOver) await this.cuts?.clear();
    await this.connection.drain().catch(() => undefined);
  }

  private tick(): void {
    const now = this.now();
    // Where this process stood still, nothing could be heard.
    if (this.looked > 0 && now - this.looked > 1)
      for (const place of this.places) place.heardAt = place.answeredAt = now;
    this.looked = now;
    this.carrier.tick();
    this.flush();
  }

  private flush(): void {
    if (this.connection.isClosed()) return;
    for (const { to, bytes: body } of this.carrier.take()) {
      const { session } = this.place(to).seat;
      const frame = putFrame({
        kind: COORDINATE,
        channel: 0,
        number: this.attempt,
        piece: 0,
        pieces: 1,
        body,
      });
      this.connection.publish(this.subjects.call(session.node, session.key), frame);
    }
  }
}
