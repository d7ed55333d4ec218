/**
 * Processes of a distributed run over a network that is worse than real ones: packets have delays
 * of their own, are lost, come twice and overtake each other, pairs are cut off from each other for
 * a while, and a process may end for ever. Time on the network is simulated and chance has a seed,
 * so that every run can be repeated.
 */
import type { UnitFailure } from "../../base/outcome.ts";
import { portSize } from "../../model/unit-description.ts";
import { bankOf, makeBanks } from "../../model/value-type.ts";
import type { Unit } from "../../unit/unit.ts";
import { Carrier } from "../carrier.ts";
import type { Connector } from "../connector.ts";
import { Member, type MemberOptions } from "../member.ts";
import { Observer } from "../observer.ts";
import { agree } from "../peer.ts";
import { packPorts, type Shown } from "../rows.ts";
import { putUnit, restoreUnits, type Section } from "../section.ts";
import { wholeTransfers } from "./coordinate-units.ts";
import { randomFrom } from "./simulated-network.ts";

export interface LossyOptions {
  readonly seed: number;
  readonly stop: number;
  /** Processes with units; fewer where there are fewer groups of units. */
  readonly processes: number;
  readonly loss?: number;
  readonly twice?: number;
  /** How likely it is, at a tick, that two processes are cut off from each other for a while. */
  readonly partings?: number;
  /** A process that ends for ever after so many packets. */
  readonly dies?: { readonly process: number; readonly after: number };
  /** The run goes on from its last cut, with other units for those of a process that has ended. */
  readonly cuts?: {
    /** Ticks between two cuts. */
    readonly every: number;
    /** All units once more, initialized. */
    readonly reopen: () => readonly Unit[];
    /** Packets after which a process ends once more, each time that the run went on. */
    readonly again: readonly number[];
  };
}

export type LossyEnd =
  | { readonly kind: "completed" }
  | { readonly kind: "failed"; readonly failure: UnitFailure }
  | { readonly kind: "lost"; readonly process: number };

export interface LossyRun {
  readonly end: LossyEnd;
  readonly shown: readonly Shown[];
  readonly processes: number;
  readonly counts: {
    readonly packets: number;
    readonly lost: number;
    readonly repeated: number;
    readonly overtaking: number;
  };
  /** Cuts that are whole, and from which the run went on. */
  readonly cuts: number;
  readonly wentOn: readonly number[];
}

const TICK = 40;
const DELAY = 30;
/** Ticks without a word after which a process is given up: longer than any cut. */
const SILENCE = 80;
const LONGEST_CUT = 10 * TICK;
/** Happenings after which a run hangs. */
const PATIENCE = 400_000;

interface Endpoint {
  readonly carrier: Carrier;
  readonly member: Member | undefined;
  /** Before that nobody there listens: what comes is lost. */
  hasBegun: boolean;
  isDead: boolean;
  isBusy: boolean;
  handled: number;
}

/** Outputs of a unit, which the observer sees. */
const outputsOf = (unit: Unit): number[] =>
  unit.description.ports.flatMap(({ direction, index }) => (direction === "output" ? [index] : []));

export function runOverLossyNetwork(
  given: readonly Unit[],
  connectors: readonly Connector[],
  options: LossyOptions,
): LossyRun {
  const { seed, stop, loss = 0, twice = 0, partings = 0, cuts } = options;
  const random = randomFrom(seed);
  const agreement = agree(given.length, connectors, { start: 0, stop });
  let processes = Math.min(options.processes, agreement.groups.length);
  const first = processes;
  let homes = { of: agreement.groups.map((_, p) => p % processes), observer: processes };
  let dies = options.dies;
  let units = [...given];
  /** Counts how often the run went on: what is of an earlier time is over. */
  let epoch = 0;
  const wentOn: number[] = [];
  const parts = new Map<number, Section[]>();
  const shownAt = new Map<number, number>([[0, 0]]);
  let [lastCut, whole] = [0, -1];
  const sizesOf = ({ from }: Connector) => {
    const port = units[from.unit].description.ports[from.port];
    return { f64: 0, i64: 0, obj: 0, [bankOf(port.type)]: portSize(port) };
  };
  const shown: Shown[] = [];
  const openObserver = (): Observer =>
    new Observer({
      homes: units.map((_, u) => homes.of[agreement.groupOf[u]]),
      processes,
      sizes: units.map((unit) => packPorts(unit, outputsOf(unit)).sizes),
      start: 0,
      onShown: (one) => shown.push(one),
      onCut: (number) => shownAt.set(number, shown.length),
      onKept: (number) => {
        whole = number;
      },
    });
  let observer = openObserver();
  const openEndpoints = (): Endpoint[] =>
    Array.from({ length: processes + 1 }, (_, process): Endpoint => {
      const others = Array.from({ length: processes + 1 }, (_, k) => k).filter(
        (k) => k !== process,
      );
      // A process sees its own units only.
      const own: Unit[] = [];
      units.forEach((unit, u) => {
        if (homes.of[agreement.groupOf[u]] === process) own[u] = unit;
      });
      const given: MemberOptions = {
        process,
        homes,
        agreement,
        units: own,
        transfers: wholeTransfers(units, connectors),
        sizes: connectors.map(sizesOf),
        shown: units.map(outputsOf),
        watched: [],
        step: 0.25,
        ...(cuts && {
          cuts: {
            putUnit: (bytes, u) => putUnit(bytes, own[u], []),
            keep: (number, sections) => {
              parts.set(number, [...(parts.get(number) ?? []), ...sections]);
              at(TICK * random(), () => {
                member?.sayKept(number);
                flush(process);
              });
            },
          },
        }),
      };
      const member: Member | undefined = process === processes ? undefined : new Member(given);
      const carrier = new Carrier(others);
      return {
        carrier,
        member,
        hasBegun: member === undefined,
        isDead: false,
        isBusy: false,
        handled: 0,
      };
    });

  let endpoints = openEndpoints();
  let happenings: { readonly due: number; readonly order: number; readonly act: () => void }[] = [];
  let [now, order] = [0, 0];
  const counts = { packets: 0, lost: 0, repeated: 0, overtaking: 0 };
  const latest = new Map<string, number>();
  const cutUntil = new Map<string, number>();
  const pairOf = (a: number, b: number): string => `${Math.min(a, b)} ${Math.max(a, b)}`;
  const at = (delay: number, act: () => void): void => {
    const then = epoch;
    const current = (): void => {
      if (then === epoch) act();
    };
    happenings.push({ due: now + delay, order: order++, act: current });
  };
  const begin = (from?: number): void => {
    endpoints.forEach(({ member }, e) => {
      // They do not start together.
      at(20 * TICK * random(), () => {
        endpoints[e].hasBegun = true;
        if (from === undefined) member?.begin();
        else if (member !== undefined) resume(e, member, from);
        work(e);
      });
      at(TICK * random(), () => tick(e));
    });
    if (cuts) at(TICK * cuts.every * random(), cut);
    // The first part of all.
    if (cuts && from === undefined) observer.beginCut(0);
  };

  begin();
  for (let k = 0; k < PATIENCE; k++) {
    const next = happenings.reduce((a, b) =>
      b.due < a.due || (b.due === a.due && b.order < a.order) ? b : a,
    );
    happenings = happenings.filter((one) => one !== next);
    now = next.due;
    next.act();
    const end = ended();
    if (end?.kind === "lost" && cuts !== undefined && whole >= 0) {
      goOn(end.process);
      continue;
    }
    if (end !== undefined) return { end, shown, processes: first, counts, cuts: lastCut, wentOn };
  }
  throw new Error(`seed ${seed}: the run hangs`);

  function cut(): void {
    if (!observer.isCutting && whole >= 0 && !observer.hasEnded) {
      const { carrier } = endpoints[processes];
      for (const { to, bytes } of observer.beginCut(++lastCut)) carrier.send(to, bytes);
      flush(processes);
    }
    at(TICK * (cuts?.every ?? 1), cut);
  }

  /** Other processes, some with what one had that has ended, go on from the last whole cut. */
  function goOn(process: number): void {
    wentOn.push(whole);
    const fresh = cuts?.reopen() ?? [];
    units = units.map((unit, u) =>
      homes.of[agreement.groupOf[u]] === process ? (fresh[u] ?? unit) : unit,
    );
    if (processes > 1 && random() < 0.5) {
      processes--;
      homes = { of: agreement.groups.map((_, p) => p % processes), observer: processes };
    }
    const after = cuts?.again[wentOn.length - 1];
    dies = after === undefined ? undefined : { process: process % processes, after };
    for (const number of [...parts.keys()]) if (number > whole) parts.delete(number);
    shown.length = shownAt.get(whole) ?? 0;
    epoch++;
    observer = openObserver();
    endpoints = openEndpoints();
    latest.clear();
    begin(whole);
  }

  function resume(e: number, member: Member, number: number): void {
    const sections = parts.get(number) ?? [];
    agreement.groups.forEach((group, p) => {
      const section = sections.find(({ peer }) => peer === p);
      if (homes.of[p] !== e || section === undefined) return;
      restoreUnits(
        section,
        group.map((u) => units[u]),
      );
    });
    member.resume(number, sections);
  }

  function ended(): LossyEnd | undefined {
    const { failure } = observer;
    if (failure?.kind === "refused") throw new Error(failure.why);
    if (failure !== undefined) return { kind: "failed", failure: failure.failure };
    if (observer.hasEnded) return { kind: "completed" };
    const { carrier } = endpoints[processes];
    for (let p = 0; p < processes; p++)
      if (carrier.silenceOf(p) > SILENCE) return { kind: "lost", process: p };
    return undefined;
  }

  function work(e: number): void {
    const endpoint = endpoints[e];
    if (endpoint.isBusy || endpoint.isDead) return;
    endpoint.isBusy = true;
    at(3 * random(), () => {
      endpoint.isBusy = false;
      if (endpoint.isDead) return;
      endpoint.member?.work();
      flush(e);
      if (endpoint.member?.isReady) work(e);
    });
  }

  function tick(e: number): void {
    const { carrier, isDead } = endpoints[e];
    if (isDead) return;
    carrier.tick();
    for (let to = 0; to < endpoints.length; to++)
      if (random() < partings) cutUntil.set(pairOf(e, to), now + LONGEST_CUT * random());
    flush(e);
    at(TICK, () => tick(e));
  }

  function flush(e: number): void {
    const { carrier, member } = endpoints[e];
    const payloads = member?.payloads() ?? observer.news((to) => carrier.pendingTo(to) === 0);
    for (const { to, bytes } of payloads) carrier.send(to, bytes);
    for (const { to, bytes } of carrier.take()) transmit(e, to, bytes);
  }

  function transmit(from: number, to: number, bytes: Uint8Array): void {
    const copies = random() < twice ? 2 : 1;
    if (copies === 2) counts.repeated++;
    for (let k = 0; k < copies; k++) {
      if ((cutUntil.get(pairOf(from, to)) ?? 0) > now || random() < loss) {
        counts.lost++;
        continue;
      }
      const sent = order;
      at(DELAY * random(), () => {
        const pair = `${from} ${to}`;
        if (sent < (latest.get(pair) ?? 0)) counts.overtaking++;
        latest.set(pair, Math.max(sent, latest.get(pair) ?? 0));
        deliver(from, to, bytes);
      });
    }
  }

  function deliver(from: number, to: number, bytes: Uint8Array): void {
    const endpoint = endpoints[to];
    if (endpoint.isDead || !endpoint.hasBegun) return;
    counts.packets++;
    if (dies?.process === to && to < processes && endpoint.handled++ >= dies.after) {
      endpoint.isDead = true;
      return;
    }
    for (const payload of endpoint.carrier.receive(from, bytes))
      (endpoint.member ?? observer).receive(from, payload);
    flush(to);
    work(to);
  }
}

/** What units showed, as `Log` has it: the last at each index of each instant. */
export function linesOf(units: readonly Unit[], shown: readonly Shown[]): string[][] {
  const lines = units.map(() => new Map<string, string>());
  for (const { unit, time, index, banks } of shown) {
    const { access, sizes } = packPorts(units[unit], outputsOf(units[unit]));
    const full = makeBanks(sizes);
    full.f64.set(banks.f64);
    full.i64.set(banks.i64);
    const values = access.slots.map(({ port, slot }) => {
      const bank = bankOf(units[unit].description.ports[port].type);
      return String(full[bank][slot]);
    });
    lines[unit].set(`${time} ${index}`, values.join(" "));
  }
  return lines.map((one) => [...one].map(([key, values]) => `${key}: ${values}`));
}
