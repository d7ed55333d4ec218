/**
 * Dependencies that an FMI 3 instance knows element by element, once its structural parameters are
 * set.
 */
import type { DependencyKind } from "../../fmi/description.ts";
import type { FmiInstance } from "./fmi-instance.ts";
import type { FMI3_CALLS } from "./fmi3-version.ts";
import { int32s, uint32s } from "./native-memory.ts";

/**
 * Element `element` of a variable depends on element `onElement` of port `on`. Elements count from
 * 0; -1 means all.
 */
export interface ElementDependency {
  readonly element: number;
  readonly on: number;
  readonly onElement: number;
  readonly kind: DependencyKind | "independent";
}

/** No kind: it stands where the FMU has to write one. */
const UNWRITTEN = -1;
const KINDS: readonly ElementDependency["kind"][] = [
  "independent",
  "constant",
  "fixed",
  "tunable",
  "discrete",
  "dependent",
];

/** What each element of `port` depends on. */
export function dependenciesOf(
  fmi: FmiInstance<typeof FMI3_CALLS>,
  port: number,
): ElementDependency[] {
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
  const found = int32s(kinds, count);
  if (found.some((kind) => KINDS[kind] === undefined))
    fmi.failUnwritten("fmi3GetVariableDependencies", "kind for every dependency");
  const from = new BigUint64Array(elements.buffer, elements.offset, count);
  const to = new BigUint64Array(elementsOf.buffer, elementsOf.offset, count);
  // The standard counts elements from 1 and writes 0 for "all of them".
  return Array.from(uint32s(independents, count), (on, i) => ({
    element: Number(from[i]) - 1,
    on: portOf.get(on) ?? -1,
    onElement: Number(to[i]) - 1,
    kind: KINDS[found[i]],
  }));
}
