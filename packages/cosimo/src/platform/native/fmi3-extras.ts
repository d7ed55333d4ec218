/**
 * What FMI 3 offers beyond the unit contract: clock intervals and shifts, and dependencies that only the instance knows.
 * Event-driven masters ask for these; everybody else gets along without.
 */
import type { DependencyKind } from "../../fmi/description.ts";
import type { FmiInstance } from "./fmi-instance.ts";
import type { FMI3_CALLS } from "./fmi3-calls.ts";
import { type Block, float64s, int32s, uint32s } from "./native-memory.ts";

/** Whether a clock's interval is to be taken over now. */
export type IntervalQualifier = "not-yet-known" | "unchanged" | "changed";

export interface ClockInterval {
  readonly seconds: number;
  readonly qualifier: IntervalQualifier;
}

/** `counter / resolution` seconds, exactly. */
export interface ClockFraction {
  readonly counter: bigint;
  readonly resolution: bigint;
}

/** Element `element` of a variable depends on element `onElement` of port `on`. Elements count from 0; -1 means all. */
export interface ElementDependency {
  readonly element: number;
  readonly on: number;
  readonly onElement: number;
  readonly kind: DependencyKind | "independent";
}

/** No qualifier and no kind: it stands where the FMU has to write one. */
const UNWRITTEN = -1;
const QUALIFIERS: readonly IntervalQualifier[] = ["not-yet-known", "unchanged", "changed"];
const KINDS: readonly ElementDependency["kind"][] = [
  "independent",
  "constant",
  "fixed",
  "tunable",
  "discrete",
  "dependent",
];

export class Fmi3Extras {
  readonly #fmi: FmiInstance<typeof FMI3_CALLS>;

  constructor(fmi: FmiInstance<typeof FMI3_CALLS>) {
    this.#fmi = fmi;
  }

  getIntervals(clocks: readonly number[]): ClockInterval[] {
    const [references, seconds, qualifiers] = this.#arguments(clocks, 8, 4);
    int32s(qualifiers!, clocks.length).fill(UNWRITTEN);
    this.#fmi.invoke(
      "fmi3GetIntervalDecimal",
      references,
      clocks.length,
      seconds!.address,
      qualifiers!.address,
    );
    const told = this.#qualifiers("fmi3GetIntervalDecimal", qualifiers!, clocks.length);
    return Array.from(float64s(seconds!, clocks.length), (value, i) => ({
      seconds: value,
      qualifier: told[i],
    }));
  }

  getIntervalFractions(
    clocks: readonly number[],
  ): (ClockFraction & { readonly qualifier: IntervalQualifier })[] {
    const [references, counters, resolutions, qualifiers] = this.#arguments(clocks, 8, 8, 4);
    int32s(qualifiers!, clocks.length).fill(UNWRITTEN);
    this.#fmi.invoke(
      "fmi3GetIntervalFraction",
      references,
      clocks.length,
      counters!.address,
      resolutions!.address,
      qualifiers!.address,
    );
    const told = this.#qualifiers("fmi3GetIntervalFraction", qualifiers!, clocks.length);
    return fractions(counters!, resolutions!, clocks.length).map((fraction, i) => ({
      ...fraction,
      qualifier: told[i],
    }));
  }

  setIntervals(clocks: readonly number[], seconds: readonly number[]): void {
    const [references, values] = this.#arguments(clocks, 8);
    float64s(values!, clocks.length).set(seconds);
    this.#fmi.invoke("fmi3SetIntervalDecimal", references, clocks.length, values!.address);
  }

  setIntervalFractions(clocks: readonly number[], values: readonly ClockFraction[]): void {
    this.#setFractions("fmi3SetIntervalFraction", clocks, values);
  }

  getShifts(clocks: readonly number[]): number[] {
    const [references, shifts] = this.#arguments(clocks, 8);
    this.#fmi.invoke("fmi3GetShiftDecimal", references, clocks.length, shifts!.address);
    return Array.from(float64s(shifts!, clocks.length));
  }

  getShiftFractions(clocks: readonly number[]): ClockFraction[] {
    const [references, counters, resolutions] = this.#arguments(clocks, 8, 8);
    this.#fmi.invoke(
      "fmi3GetShiftFraction",
      references,
      clocks.length,
      counters!.address,
      resolutions!.address,
    );
    return fractions(counters!, resolutions!, clocks.length);
  }

  setShifts(clocks: readonly number[], seconds: readonly number[]): void {
    const [references, values] = this.#arguments(clocks, 8);
    float64s(values!, clocks.length).set(seconds);
    this.#fmi.invoke("fmi3SetShiftDecimal", references, clocks.length, values!.address);
  }

  setShiftFractions(clocks: readonly number[], values: readonly ClockFraction[]): void {
    this.#setFractions("fmi3SetShiftFraction", clocks, values);
  }

  /** In event mode: computes discrete outputs without ending the event iteration. */
  evaluateDiscreteStates(): void {
    this.#fmi.invoke("fmi3EvaluateDiscreteStates");
  }

  /** What each element of a port depends on, as the configured instance says. */
  getDependencies(port: number): ElementDependency[] {
    const fmi = this.#fmi;
    const { variables } = fmi.fmu.description;
    const reference = variables[port].valueReference;
    const count = fmi.sizeFrom("fmi3GetNumberOfVariableDependencies", reference);
    fmi.scratch.begin(24 * count + 64);
    const elements = fmi.scratch.take(8 * count);
    const independents = fmi.scratch.take(4 * count);
    const elementsOf = fmi.scratch.take(8 * count);
    const kinds = fmi.scratch.take(4 * count);
    int32s(kinds, count).fill(UNWRITTEN);
    fmi.invoke(
      "fmi3GetVariableDependencies",
      reference,
      elements.address,
      independents.address,
      elementsOf.address,
      kinds.address,
      count,
    );
    const portOf = new Map(variables.map((variable, index) => [variable.valueReference, index]));
    const told = int32s(kinds, count);
    if (told.some((kind) => KINDS[kind] === undefined))
      fmi.failUnwritten("fmi3GetVariableDependencies", "kind for every dependency");
    const from = words(elements, count);
    const to = words(elementsOf, count);
    // The standard counts elements from 1 and writes 0 for "all of them".
    return Array.from(uint32s(independents, count), (on, i) => ({
      element: Number(from[i]) - 1,
      on: portOf.get(on) ?? -1,
      onElement: Number(to[i]) - 1,
      kind: KINDS[told[i]],
    }));
  }

  #setFractions(
    call: "fmi3SetIntervalFraction" | "fmi3SetShiftFraction",
    clocks: readonly number[],
    values: readonly ClockFraction[],
  ): void {
    const [references, counters, resolutions] = this.#arguments(clocks, 8, 8);
    words(counters!, clocks.length).set(values.map(({ counter }) => counter));
    words(resolutions!, clocks.length).set(values.map(({ resolution }) => resolution));
    this.#fmi.invoke(call, references, clocks.length, counters!.address, resolutions!.address);
  }

  #qualifiers(call: string, block: Block, count: number): IntervalQualifier[] {
    return Array.from(
      int32s(block, count),
      (told) => QUALIFIERS[told] ?? this.#fmi.failUnwritten(call, "qualifier for every interval"),
    );
  }

  /** The clocks' value references, and one scratch array per element size. */
  #arguments(clocks: readonly number[], ...sizes: number[]): [number, ...Block[]] {
    const { scratch } = this.#fmi;
    scratch.begin(24 * clocks.length + 64);
    const references = this.#fmi.references(clocks);
    return [references, ...sizes.map((size) => scratch.take(size * clocks.length))];
  }
}

function words(block: Block, count: number): BigUint64Array {
  return new BigUint64Array(block.buffer, block.offset, count);
}

function fractions(counters: Block, resolutions: Block, count: number): ClockFraction[] {
  const parts = words(resolutions, count);
  return Array.from(words(counters, count), (counter, i) => ({ counter, resolution: parts[i] }));
}
