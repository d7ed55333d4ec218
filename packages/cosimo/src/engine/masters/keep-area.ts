/**
 * Keeps the time integral of what is exchanged. Sampling a pulse that is shorter than a step gives nothing or far too much;
 * where the source also tells the integral of its output, or where a bond is to keep its energy, what an input was given
 * is compared with what it should have been given, and the difference is paid back.
 */
import type { Coupling, Course } from "./coupling.ts";

export class AreaKeeper {
  readonly #coupling: Coupling;
  /** Inputs whose area is kept. */
  readonly #kept: readonly number[];
  readonly #integralAtBegin: Float64Array;
  readonly #signalAtBegin: Float64Array;

  constructor(coupling: Coupling) {
    this.#coupling = coupling;
    const { inputs, bonds } = coupling.plan;
    const bonded = bonds
      .filter(({ preserve }) => preserve === "energy")
      .flatMap(({ effortInput, flowInput }) => [effortInput, flowInput]);
    this.#kept = [...inputs.keys()].filter(
      (i) => inputs[i]!.integral !== undefined || bonded.includes(i),
    );
    this.#integralAtBegin = new Float64Array(inputs.length);
    this.#signalAtBegin = new Float64Array(inputs.length);
  }

  /** Before the units move: where the integrals stand. */
  begin(): void {
    const { f64 } = this.#coupling.state.banks;
    for (const i of this.#kept) {
      const { integral } = this.#coupling.plan.inputs[i]!;
      if (integral !== undefined) this.#integralAtBegin[i] = f64[integral.slot]!;
      this.#signalAtBegin[i] = this.#coupling.begin[i]!;
    }
  }

  /** The mean of an input over the step, once its source has taken it; undefined where nobody tells. */
  meanOf(i: number, length: number): number | undefined {
    const { integral } = this.#coupling.plan.inputs[i]!;
    if (integral === undefined) return undefined;
    const { f64 } = this.#coupling.state.banks;
    return (integral.factor * (f64[integral.slot]! - this.#integralAtBegin[i]!)) / length;
  }

  /** Adds to the courses of the coming step what the last ones lacked. */
  payBack(course: Course, length: number): void {
    const { debt } = this.#coupling;
    for (const i of this.#kept) course.value[i]! += debt[i]! / length;
  }

  /** After the step: what was given against what should have been. */
  settle(course: Course, length: number): void {
    const { debt, plan } = this.#coupling;
    const { f64 } = this.#coupling.state.banks;
    for (const i of this.#kept) {
      const given =
        length *
        (course.value[i]! + length * (course.first[i]! / 2 + (length * course.second[i]!) / 6));
      const mean = this.meanOf(i, length);
      const wanted =
        mean === undefined
          ? 0.5 * length * (this.#signalAtBegin[i]! + f64[plan.inputs[i]!.signal]!)
          : mean * length;
      // Debts are rolled back with the step: they live in the coupling and are only changed here.
      debt[i]! += wanted - given;
    }
  }
}
