/**
 * Getters that say OK and write nothing: found where values are read for the first time, so that
 * later reads cost nothing.
 *
 * The memory for the answer is filled with a pattern. Where it is found again the FMU may have
 * written just that, so it is asked once more over another pattern. Numbers that are not written
 * have no value: floats become NaN, integers 0.
 */
import { type Port, portSize } from "../../model/unit-description.ts";
import type { Group } from "./transfer.ts";

const FIRST_BYTE = 0xff;
const SECOND_BYTE = 0x7f;

/**
 * Calls `get` for a group that is read for the first time; returns the ports whose numbers it does
 * not write.
 */
export function getFirst(
  group: Group,
  get: (group: Group) => void,
  description: readonly Port[],
): readonly number[] {
  // Texts, bytes and 64-bit integers are cleared before every call.
  const { numbers } = group;
  if (numbers === undefined || numbers.length === 0) {
    get(group);
    return [];
  }
  const bytes = new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength);
  const width = numbers.BYTES_PER_ELEMENT;
  const isStill = (byte: number, element: number): boolean =>
    bytes.subarray(element * width, (element + 1) * width).every((one) => one === byte);
  bytes.fill(FIRST_BYTE);
  get(group);
  if (numbers.every((_, i) => !isStill(FIRST_BYTE, i))) return [];
  bytes.fill(SECOND_BYTE);
  get(group);
  let element = 0;
  return group.ports.filter((port) => {
    let isMissing = false;
    for (const end = element + portSize(description[port]); element < end; element++) {
      if (!isStill(SECOND_BYTE, element)) continue;
      isMissing = true;
      numbers[element] = group.wire === "f64" || group.wire === "f32" ? Number.NaN : 0;
    }
    return isMissing;
  });
}
