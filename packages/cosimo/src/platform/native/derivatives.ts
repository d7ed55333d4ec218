/**
 * Derivatives that an FMU provides: directional, adjoint, of outputs over time. Both FMI versions take the same arguments;
 * one of them also the numbers of values.
 */
import type { CallTable } from "./calls.ts";
import type { FmiInstance } from "./fmi-instance.ts";
import { float64s } from "./native-memory.ts";

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

/** @param elements of all `ports` together. */
export function getOutputDerivatives<Table extends CallTable>(
  fmi: FmiInstance<Table>,
  ports: readonly number[],
  orders: readonly number[],
  elements: number,
  out: Float64Array,
): void {
  fmi.scratch.begin(8 * (ports.length + elements) + 64);
  const result = fmi.unwritten(elements);
  fmi.invoke(
    fmi.version.names.outputDerivatives,
    fmi.references(ports),
    ports.length,
    fmi.integers(orders),
    result.address,
    ...(fmi.version.countsValues ? [elements] : []),
  );
  out.set(float64s(result, elements));
}
