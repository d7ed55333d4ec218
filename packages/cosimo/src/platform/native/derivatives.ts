/**
 * Derivatives that an FMU provides: directional, adjoint, of outputs over time. Both FMI versions
 * take the same arguments; one of them also the numbers of values.
 */
import type { CallTable } from "./calls.ts";
import type { FmiInstance } from "./fmi-instance.ts";
import { float64s, int32s, uint32s } from "./native-memory.ts";
import type { PreparedCall } from "./prepared-calls.ts";
import { sameNumbers } from "./same-numbers.ts";

/** Directional or adjoint, by the function that is called. */
export function differentiate<Table extends CallTable>(
  fmi: FmiInstance<Table>,
  call: keyof Table & string,
  unknowns: readonly number[],
  knowns: readonly number[],
  seed: Float64Array,
  out: Float64Array,
): void {
  const count = (values: Float64Array): number[] =>
    fmi.version.countsValues ? [values.length] : [];
  fmi.scratch.begin(4 * (unknowns.length + knowns.length) + 8 * (seed.length + out.length) + 64);
  const result = fmi.unwritten(out.length);
  fmi.invoke(
    call,
    fmi.references(unknowns),
    unknowns.length,
    fmi.references(knowns),
    knowns.length,
    fmi.doubles(seed),
    ...count(seed),
    result.address,
    ...count(out),
  );
  fmi.takeWritten(call, result, out);
}

/**
 * Who asks for derivatives of outputs asks for the same ones in every step. No unit is asked for
 * more sets of them than these at a time.
 */
const MOST_PREPARED = 8;

interface PreparedOutputs {
  readonly ports: readonly number[];
  readonly orders: readonly number[];
  readonly call: PreparedCall;
  readonly values: Float64Array;
}

/** Derivatives of an instance's outputs over time. */
export class OutputDerivatives<Table extends CallTable> {
  private readonly fmi: FmiInstance<Table>;
  private readonly sizeOf: (port: number) => number;
  private readonly prepared: PreparedOutputs[] = [];

  /** @param sizeOf elements of a port. */
  constructor(fmi: FmiInstance<Table>, sizeOf: (port: number) => number) {
    this.fmi = fmi;
    this.sizeOf = sizeOf;
  }

  get(ports: readonly number[], orders: readonly number[], out: Float64Array): void {
    const { fmi, prepared } = this;
    let one: PreparedOutputs | undefined;
    for (let i = 0; one === undefined && i < prepared.length; i++) {
      const known = prepared[i];
      if (sameNumbers(known.ports, ports) && sameNumbers(known.orders, orders)) one = known;
    }
    if (one === undefined) {
      if (prepared.length === MOST_PREPARED) prepared.length = 0;
      const elements = ports.reduce((sum, port) => sum + this.sizeOf(port), 0);
      one = this.prepare(ports, orders, elements);
      prepared.push(one);
    }
    one.values.fill(Number.NaN);
    const status = one.call.run();
    if (status !== 0 || fmi.logged[0] !== fmi.logged[1]) fmi.settle(one.call.name, status);
    out.set(one.values);
  }

  private prepare(
    ports: readonly number[],
    orders: readonly number[],
    elements: number,
  ): PreparedOutputs {
    const { arena, fmu, handleArgument, prepared, version } = this.fmi;
    const count = ports.length;
    const references = arena.allocate(4 * count);
    const orderBlock = arena.allocate(4 * count);
    const result = arena.allocate(8 * elements);
    const { variables } = fmu.description;
    uint32s(references, count).set(ports.map((port) => variables[port].valueReference));
    int32s(orderBlock, count).set(orders);
    const args = [references.address, count, orderBlock.address, result.address];
    const call = prepared.prepare(version.names.outputDerivatives, [
      handleArgument,
      ...args,
      ...(version.countsValues ? [elements] : []),
    ]);
    return { ports: [...ports], orders: [...orders], call, values: float64s(result, elements) };
  }
}
