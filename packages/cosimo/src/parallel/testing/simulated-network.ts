/**
 * A network between parts that share nothing, worse than real ones: packets are bytes, each with a
 * delay of its own, some are lost, some come twice, later ones overtake earlier ones, pairs are cut
 * off for a while, and parts end, for ever or to be started again from what they last kept. How far
 * a part works between two packets is left to chance as well. Time on the network is simulated and
 * chance has a seed, so every run can be repeated exactly.
 */

import { Link, type LinkPacket, type LinkState } from "../../base/link.ts";
import { randomFrom } from "../../coordinate/testing/simulated-network.ts";
import { DataReader, DataWriter } from "../../devs/data.ts";
import type { Component } from "../../devs/model.ts";
import { ConservativePart, type ConservativeState } from "../conservative.ts";
import { GvtController } from "../gvt.ts";
import { mergeSendings, type Sending } from "../part.ts";
import { openPart, type PartsOptions, planParts } from "../plan-parts.ts";
import type { Packet, PartFailure, PartMessage, PartStatistics, Runner } from "../protocol.ts";
import type { Split } from "../split.ts";

export interface NetworkOptions {
  readonly seed: number;
  /** The longest delay of a packet. Time between two ticks of a link is 40. */
  readonly delay?: number;
  /** How likely a packet is lost, and comes twice. */
  readonly loss?: number;
  readonly twice?: number;
  /** How likely it is, at a tick, that two parts are cut off from each other for a while. */
  readonly cuts?: number;
  /**
   * How likely a part ends before it gets a packet, to come back from what it kept (conservative).
   */
  readonly restarts?: number;
  /** A part that ends for ever after so many packets. */
  readonly dies?: { readonly part: number; readonly after: number };
}

export type NetworkEnd =
  | { readonly kind: "finished" }
  | { readonly kind: "failed"; readonly failure: PartFailure }
  | { readonly kind: "lost"; readonly part: number };

export interface NetworkRun {
  readonly end: NetworkEnd;
  readonly sendings: readonly Sending[];
  readonly statistics: readonly PartStatistics[];
  readonly parts: number;
  /** What the network did. */
  readonly packets: number;
  readonly lost: number;
  readonly repeated: number;
  readonly overtaking: number;
  readonly restarts: number;
  readonly rounds: number;
}

type Messages = readonly PartMessage[];
type WirePacket = LinkPacket<Messages>;

const TICK = 40;
/** Ticks without a word after which the other end is given up: longer than any cut. */
const SILENCE = 60;
const LONGEST_CUT = 10 * TICK;
/** Work and packets after which a run hangs. */
const PATIENCE = 100_000;

interface Happening {
  readonly due: number;
  readonly order: number;
  readonly act: () => void;
}

/** A part, or the one that computes commit times, with its links. */
interface Endpoint {
  runner: Runner | undefined;
  controller: GvtController | undefined;
  links: Map<number, Link<Messages>>;
  state: "up" | "down" | "dead";
  isBusy: boolean;
  handled: number;
  /** What it would be started from. */
  kept: Uint8Array | undefined;
}

export function runOverLossyNetwork(
  model: Component,
  options: PartsOptions,
  network: NetworkOptions,
): NetworkRun {
  return new Network(model, options, network).run();
}

class Network {
  private readonly split: Split;
  private readonly options: PartsOptions;
  private readonly network: NetworkOptions;
  private readonly random: () => number;
  private readonly endpoints: Endpoint[];
  private readonly sendings: Sending[][];
  private happenings: Happening[] = [];
  private now = 0;
  private order = 0;
  private readonly latest = new Map<string, number>();
  private readonly cutUntil = new Map<string, number>();
  private readonly counts = { packets: 0, lost: 0, repeated: 0, overtaking: 0, restarts: 0 };

  constructor(model: Component, options: PartsOptions, network: NetworkOptions) {
    this.split = planParts(model, options);
    this.options = options;
    this.network = network;
    this.random = randomFrom(network.seed);
    const { parts } = this.split;
    const count = parts.length + (options.kind === "optimistic" ? 1 : 0);
    this.sendings = parts.map(() => []);
    this.endpoints = Array.from({ length: count }, (_, e) => ({
      runner: e < parts.length ? openPart(this.split, e, options) : undefined,
      controller: e < parts.length ? undefined : new GvtController(parts.length),
      links: linksOf(e, count),
      state: "up",
      isBusy: false,
      handled: 0,
      kept: undefined,
    }));
  }

  run(): NetworkRun {
    this.endpoints.forEach((endpoint, e) => {
      this.keep(endpoint);
      this.work(e);
      this.at(TICK * this.random(), () => this.tick(e));
    });
    let end: NetworkEnd | undefined;
    for (let k = 0; end === undefined; k++) {
      if (k > PATIENCE) throw new Error(`seed ${this.network.seed}: the run hangs`);
      const next = this.nextHappening();
      this.now = next.due;
      next.act();
      end = this.end();
    }
    const runners = this.endpoints.flatMap(({ runner }) => (runner ? [runner] : []));
    return {
      end,
      sendings: mergeSendings(this.sendings),
      statistics: runners.map(({ statistics }) => statistics),
      parts: this.split.parts.length,
      ...this.counts,
      rounds: this.endpoints.at(-1)?.controller?.round ?? 0,
    };
  }

  private end(): NetworkEnd | undefined {
    const runners = this.endpoints.flatMap(({ runner }) => (runner ? [runner] : []));
    for (const { links, state } of this.endpoints) {
      if (state !== "up") continue;
      for (const [part, { silence }] of links) if (silence > SILENCE) return { kind: "lost", part };
    }
    const failures = runners.flatMap(({ failure }) => failure ?? []);
    if (failures.length > 0) {
      const first = failures.reduce((a, b) =>
        b.stamp.time < a.stamp.time ||
        (b.stamp.time === a.stamp.time && b.stamp.index < a.stamp.index)
          ? b
          : a,
      );
      for (const runner of runners) runner.endAt(first.stamp.time);
      const isOver =
        this.options.kind === "optimistic" ||
        runners.every((one) => one.isFinished || one.failure !== undefined);
      return isOver ? { kind: "failed", failure: first } : undefined;
    }
    const isOver = this.endpoints.every(
      ({ runner, state }) => state === "up" && (runner?.isFinished ?? true),
    );
    return isOver ? { kind: "finished" } : undefined;
  }

  private at(delay: number, act: () => void): void {
    this.happenings.push({ due: this.now + delay, order: this.order++, act });
  }

  private nextHappening(): Happening {
    let best = 0;
    this.happenings.forEach((one, k) => {
      const { due, order } = this.happenings[best];
      if (one.due < due || (one.due === due && one.order < order)) best = k;
    });
    const [next] = this.happenings.splice(best, 1);
    return next;
  }

  /** Lets a part go on for a while, soon. */
  private work(e: number): void {
    const endpoint = this.endpoints[e];
    if (endpoint.isBusy) return;
    endpoint.isBusy = true;
    this.at(3 * this.random(), () => {
      endpoint.isBusy = false;
      if (endpoint.state !== "up") return;
      const hasMore = endpoint.runner?.proceed(1 + Math.floor(20 * this.random()));
      this.flush(e);
      if (hasMore) this.work(e);
    });
  }

  private tick(e: number): void {
    const endpoint = this.endpoints[e];
    if (endpoint.state === "up") {
      for (const [to, link] of endpoint.links) {
        link.tick();
        if (this.random() < (this.network.cuts ?? 0))
          this.cutUntil.set(pairOf(e, to), this.now + LONGEST_CUT * this.random());
      }
      this.flush(e);
    }
    this.at(TICK, () => this.tick(e));
  }

  /** Hands to the network what a part has to send; what it knows is kept first. */
  private flush(e: number): void {
    const endpoint = this.endpoints[e];
    const { runner, controller, links } = endpoint;
    const packets: readonly Packet[] = runner?.take() ?? controller?.take() ?? [];
    for (const { to, messages } of packets) links.get(to)?.send(messages);
    if (runner !== undefined) this.sendings[e].push(...runner.takeSendings());
    const wires = [...links].flatMap(([to, link]) =>
      link.take().map((packet): readonly [number, WirePacket] => [to, packet]),
    );
    this.keep(endpoint);
    for (const [to, packet] of wires) this.transmit(e, to, packet);
  }

  private transmit(from: number, to: number, packet: WirePacket): void {
    const { delay = 10, loss = 0, twice = 0 } = this.network;
    const bytes = bytesOf(packet);
    const copies = this.random() < twice ? 2 : 1;
    if (copies === 2) this.counts.repeated++;
    for (let k = 0; k < copies; k++) {
      const isCut = (this.cutUntil.get(pairOf(from, to)) ?? 0) > this.now;
      if (isCut || this.random() < loss) {
        this.counts.lost++;
        continue;
      }
      const sent = this.order;
      this.at(delay * this.random(), () => {
        const pair = `${from} ${to}`;
        if (sent < (this.latest.get(pair) ?? 0)) this.counts.overtaking++;
        this.latest.set(pair, Math.max(sent, this.latest.get(pair) ?? 0));
        this.deliver(from, to, bytes);
      });
    }
  }

  private deliver(from: number, to: number, bytes: Uint8Array): void {
    const endpoint = this.endpoints[to];
    if (endpoint.state !== "up") return;
    const { dies, restarts = 0 } = this.network;
    this.counts.packets++;
    if (dies?.part === to && endpoint.handled++ >= dies.after) {
      endpoint.state = "dead";
      return;
    }
    if (endpoint.kept !== undefined && this.random() < restarts) {
      endpoint.state = "down";
      this.at(TICK * this.random(), () => this.restart(to));
      return;
    }
    const packet = new DataReader(bytes).value() as WirePacket;
    for (const messages of endpoint.links.get(from)?.receive(packet) ?? [])
      (endpoint.runner ?? endpoint.controller)?.receive(from, messages);
    this.flush(to);
    this.work(to);
  }

  private keep(endpoint: Endpoint): void {
    const { runner, links } = endpoint;
    if (!(runner instanceof ConservativePart) || (this.network.restarts ?? 0) === 0) return;
    if (runner.failure !== undefined) return;
    const state: Kept = {
      runner: runner.save(),
      links: [...links].map(([to, link]) => [to, link.save()]),
    };
    endpoint.kept = bytesOf(state);
  }

  private restart(e: number): void {
    const endpoint = this.endpoints[e];
    if (endpoint.kept === undefined) return;
    this.counts.restarts++;
    const kept = new DataReader(endpoint.kept).value() as Kept;
    const runner = openPart(this.split, e, this.options);
    if (runner instanceof ConservativePart) runner.restore(kept.runner);
    endpoint.runner = runner;
    endpoint.links = linksOf(e, this.endpoints.length);
    for (const [to, state] of kept.links) endpoint.links.get(to)?.restore(state);
    endpoint.state = "up";
    this.work(e);
  }
}

interface Kept {
  readonly runner: ConservativeState;
  readonly links: readonly (readonly [number, LinkState<Messages>])[];
}

function linksOf(e: number, count: number): Map<number, Link<Messages>> {
  const others = Array.from({ length: count }, (_, to) => to).filter((to) => to !== e);
  return new Map(others.map((to) => [to, new Link<Messages>()]));
}

const pairOf = (a: number, b: number): string => `${Math.min(a, b)} ${Math.max(a, b)}`;

function bytesOf(data: unknown): Uint8Array {
  const writer = new DataWriter();
  writer.value(data);
  return writer.done();
}
