/**
 * The signals whose crossings somebody wants to know of, as functions that change their sign there, with their rates where the units
 * behind them tell.
 */

import { portSize } from "../../model/unit-description.ts";
import type { WatchedCrossing } from "../../plan/coupling-plan.ts";
import type { Coupling } from "./coupling.ts";

interface Source {
  readonly unit: number;
  readonly port: number;
  readonly element: number;
  readonly factor: number;
  readonly out: Float64Array;
}

export class CrossingSignals {
  readonly count: number;
  readonly #coupling: Coupling;
  /** What each crossing is made of; empty where a unit does not tell rates. */
  readonly #sources: readonly (readonly Source[])[];

  constructor(coupling: Coupling) {
    const { crossings } = coupling.plan;
    this.#coupling = coupling;
    this.count = crossings.length;
    this.#sources = crossings.map((crossing) => sourcesOf(coupling, crossing));
  }

  /** Whether the rate of a signal is known. */
  tellsRate(c: number): boolean {
    return this.#sources[c]!.length > 0;
  }

  /** The distance of every signal from its level, now. */
  read(out: Float64Array): void {
    const { plan, state, interpreter } = this.#coupling;
    interpreter.run(plan.watch, 0);
    const { f64 } = state.banks;
    for (let c = 0; c < this.count; c++) {
      const { slot, level, other } = plan.crossings[c]!;
      const to = other === undefined ? level : other.factor * f64[other.slot]! + other.offset;
      out[c] = f64[slot]! - to;
    }
  }

  /** How fast the distances change; not a number where the units do not tell. Right after a step only. */
  readRates(out: Float64Array): void {
    const { units } = this.#coupling;
    for (let c = 0; c < this.count; c++) {
      const sources = this.#sources[c]!;
      let rate = sources.length === 0 ? Number.NaN : 0;
      for (const { unit, port, element, factor, out: rates } of sources) {
        units[unit]!.getOutputDerivatives([port], FIRST, rates);
        rate += factor * rates[element]!;
      }
      out[c] = rate;
    }
  }
}

const FIRST: readonly number[] = [1];

function sourcesOf(coupling: Coupling, { slot, other }: WatchedCrossing): Source[] {
  const found = [sourceAt(coupling, slot, 1)];
  if (other !== undefined) found.push(sourceAt(coupling, other.slot, -other.factor));
  const sources = found.filter((source) => source !== undefined);
  return sources.length === found.length ? sources : [];
}

function sourceAt(coupling: Coupling, slot: number, factor: number): Source | undefined {
  for (const { unit, slots } of coupling.state.plan.accesses) {
    const { ports, capabilities } = coupling.units[unit]!.description;
    for (const { port, slot: first } of slots) {
      const size = portSize(ports[port]!);
      const element = slot - first;
      if (!isSignal(ports[port]!.direction) || element < 0 || element >= size) continue;
      if (capabilities.outputDerivativeOrder === 0) return undefined;
      return { unit, port, element, factor, out: new Float64Array(size) };
    }
  }
  return undefined;
}

function isSignal(direction: string): boolean {
  return direction === "output" || direction === "local";
}
