/**
 * The signals whose crossings are watched, as functions that change their sign there, with their
 * rates where the units behind them give those.
 */

import { portSize } from "../../model/unit-description.ts";
import type { WatchedCrossing } from "../../plan/coupling-plan.ts";
import { evaluate } from "../../unit/evaluate-expression.ts";
import type { Coupling } from "./coupling.ts";
import { MasterPart } from "./master-part.ts";

/** The output behind a signal. */
export interface CrossingSource {
  readonly unit: number;
  readonly port: number;
  readonly element: number;
  readonly factor: number;
  /** Whether its unit gives its rate, and where it writes that: once for all that watch it. */
  readonly givesRate: boolean;
  /** A parameter: it does not change within a step. */
  readonly isHeld: boolean;
  readonly out: Float64Array;
}

export class CrossingSignals extends MasterPart {
  readonly count: number = this.coupling.plan.crossings.length;
  /** What each crossing is made of. */
  private readonly sources: readonly (readonly CrossingSource[])[] = sharedRates(
    this.coupling.plan.crossings.map((crossing) => sourcesOf(this.coupling, crossing)),
  );
  private readonly givenRates: readonly boolean[] = this.sources.map(
    (sources) => sources.length > 0 && sources.every(({ givesRate }) => givesRate),
  );
  /** By crossing: the number made of signals that crosses, where it is no signal. */
  private readonly made: readonly ((() => number) | undefined)[] = this.coupling.plan.crossings.map(
    ({ of }) => of && maker(this.coupling, of),
  );

  /** Whose rates are asked for, each output once. */
  private readonly rated: readonly { unit: number; ports: readonly number[]; out: Float64Array }[] =
    ratedSources(this.sources.filter((_, c) => this.givenRates[c]).flat());

  /** Whether the rate of a signal is known. */
  givesRate(c: number): boolean {
    return this.givenRates[c];
  }

  /** The one scalar that a crossing with a fixed level watches; undefined where it compares two. */
  soleSource(c: number): CrossingSource | undefined {
    const [source, other] = this.sources[c];
    return other === undefined && source?.out.length === 1 ? source : undefined;
  }

  /** The distance of every signal from its level, now. */
  read(out: Float64Array): void {
    const { plan, state } = this.coupling;
    this.coupling.watch();
    const { f64 } = state.banks;
    for (let c = 0; c < this.count; c++) {
      const { slot, level, other } = plan.crossings[c];
      const to = other === undefined ? level : other.factor * f64[other.slot] + other.offset;
      out[c] = (this.made[c]?.() ?? f64[slot]) - to;
    }
  }

  /**
   * How fast the distances change; NaN where the units do not give that. Right after a step only.
   */
  readRates(out: Float64Array): void {
    const { units } = this.coupling;
    for (const { unit, ports, out: rates } of this.rated)
      units[unit].getOutputDerivatives(ports, FIRST, rates);
    for (let c = 0; c < this.count; c++) {
      out[c] = Number.NaN;
      if (!this.givesRate(c)) continue;
      let rate = 0;
      for (const { element, factor, isHeld, out: rates } of this.sources[c])
        if (!isHeld) rate += factor * rates[element];
      out[c] = rate;
    }
  }
}

const FIRST: readonly number[] = [1];

/** Crossings of one output write its rates to one place. */
function sharedRates(all: readonly (readonly CrossingSource[])[]): CrossingSource[][] {
  const outs = new Map<string, Float64Array>();
  return all.map((sources) =>
    sources.map((source) => {
      const key = `${source.unit} ${source.port}`;
      const out = outs.get(key) ?? source.out;
      outs.set(key, out);
      return { ...source, out };
    }),
  );
}

function ratedSources(
  sources: readonly CrossingSource[],
): { unit: number; ports: readonly number[]; out: Float64Array }[] {
  const byOut = new Map(sources.flatMap((one) => (one.isHeld ? [] : [[one.out, one] as const])));
  return [...byOut].map(([out, { unit, port }]) => ({ unit, ports: [port], out }));
}

function maker(
  coupling: Coupling,
  { expression, slots }: NonNullable<WatchedCrossing["of"]>,
): () => number {
  const places = new Map(slots);
  const { f64 } = coupling.state.banks;
  const signal = (name: string): number => f64[places.get(name)!];
  return () => evaluate(expression, coupling.time, signal);
}

/** Rates of what is made of signals are not known. */
function sourcesOf(coupling: Coupling, { slot, other, of }: WatchedCrossing): CrossingSource[] {
  if (of !== undefined) return [];
  const source = sourceAt(coupling, slot, 1);
  return other === undefined ? [source] : [source, sourceAt(coupling, other.slot, -other.factor)];
}

function sourceAt(coupling: Coupling, slot: number, factor: number): CrossingSource {
  for (const { unit, slots } of coupling.state.plan.accesses) {
    const { ports, capabilities } = coupling.units[unit].description;
    for (const { port, slot: first } of slots) {
      const size = portSize(ports[port]);
      const element = slot - first;
      if (!isWatched(ports[port].direction) || element < 0 || element >= size) continue;
      const isHeld = isParameter(ports[port].direction);
      const givesRate = isHeld || capabilities.outputDerivativeOrder > 0;
      return { unit, port, element, factor, givesRate, isHeld, out: new Float64Array(size) };
    }
  }
  throw new Error(`internal: no access reads the signal in slot ${slot}`);
}

function isWatched(direction: string): boolean {
  return direction === "output" || direction === "local" || isParameter(direction);
}

function isParameter(direction: string): boolean {
  return direction === "parameter" || direction === "calculated-parameter";
}
