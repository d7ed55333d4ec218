/**
 * Checks the pointers that an FMU hands out before they are followed: NULL is not a text, and not bytes.
 */
import type { Port } from "../../model/unit-description.ts";
import type { CallTable } from "./calls.ts";
import type { FmiInstance } from "./fmi-instance.ts";
import { exchangeCall } from "./fmi-version.ts";
import type { Group } from "./transfer.ts";

const NONE = new BigInt64Array();
const MOST_BYTES = 2 ** 32;

/**
 * A text that is NULL reads as empty, and is reported once per port; `reported` has those.
 * @throws UnitError for binary values that are nowhere, or larger than can be true.
 */
export function checkPointers<Table extends CallTable>(
  fmi: FmiInstance<Table>,
  { wire, family, words = NONE, sizes = NONE, ports }: Group,
  description: readonly Port[],
  reported: Set<number>,
): void {
  const call = exchangeCall(fmi.version, "Get", family);
  if (wire === "binary") {
    const isNowhere = sizes.some((size, i) => size !== 0n && words[i] === 0n);
    const isHuge = sizes.some((size) => size < 0n || size > MOST_BYTES);
    if (isNowhere || isHuge) fmi.failUnwritten(call, "bytes that could be read");
  }
  if (wire !== "text" || words.every((word) => word !== 0n)) return;
  let element = 0;
  for (const port of ports) {
    const { name, shape } = description[port];
    const size = shape.reduce((product, length) => product * length, 1);
    const hasNull = words.subarray(element, element + size).includes(0n);
    element += size;
    if (!hasNull || reported.has(port)) continue;
    reported.add(port);
    fmi.report("binary-text-missing", { unit: fmi.name, call, variable: name });
  }
}
