/**
 * Derivatives of ports with faults, from those of the ports without: element by element, as the
 * faults of each port change them.
 */
import { type Port, portSize } from "../model/unit-description.ts";
import type { PortChain } from "./port-chain.ts";

export interface FaultyPorts {
  readonly ports: readonly Port[];
  /** By port, where it has faults. */
  readonly chains: ReadonlyMap<number, PortChain>;
  /** The unit stands still: nothing changes its outputs. */
  readonly isFrozen: boolean;
}

/**
 * @param of the elements of `ports`, one port after the other.
 * @param change what faults make of an element of the p-th port.
 */
export function changedElements(
  { ports, chains, isFrozen }: FaultyPorts,
  given: readonly number[],
  of: Float64Array,
  change: (chain: PortChain, element: number, value: number, p: number) => number,
): Float64Array {
  const changed = of.slice();
  let at = 0;
  given.forEach((index, p) => {
    const port = ports[index];
    const chain = chains.get(index);
    const isStill = isFrozen && port.direction === "output";
    for (let element = 0; element < portSize(port); element++, at++) {
      if (isStill) changed[at] = 0;
      if (chain !== undefined) changed[at] = change(chain, element, changed[at], p);
    }
  });
  return changed;
}
