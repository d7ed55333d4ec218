/**
 * Checks what an FMU hands out before it is used: numbers that a getter does not write when they
 * are first read, texts and bytes that are NULL. What is odd is reported once per port.
 */
import type { Port } from "../../model/unit-description.ts";
import type { CallTable } from "./calls.ts";
import type { FmiInstance } from "./fmi-instance.ts";
import { exchangeCall } from "./fmi-version.ts";
import type { Group } from "./transfer.ts";
import { getFirst } from "./unwritten-values.ts";

const NONE = new BigInt64Array();
const MOST_BYTES = 2 ** 32;

export class ValueChecks<Table extends CallTable> {
  private readonly fmi: FmiInstance<Table>;
  private readonly ports: readonly Port[];
  private readonly textless = new Set<number>();
  private readonly numberless = new Set<number>();

  constructor(fmi: FmiInstance<Table>, ports: readonly Port[]) {
    this.fmi = fmi;
    this.ports = ports;
  }

  /**
   * Gets a group that is read for the first time, and reports the ports whose numbers the FMU does
   * not write.
   */
  getFirst(group: Group, get: (group: Group) => void): void {
    for (const port of getFirst(group, get, this.ports))
      this.report("binary-value-missing", this.numberless, group, port);
  }

  /**
   * A text that is NULL reads as empty, and is reported.
   * @throws UnitError for binary values that are nowhere, or larger than can be true.
   */
  checkPointers(group: Group): void {
    const { wire, words = NONE, sizes = NONE, ports } = group;
    if (wire === "binary") {
      const isNowhere = sizes.some((size, i) => size !== 0n && words[i] === 0n);
      const isHuge = sizes.some((size) => size < 0n || size > MOST_BYTES);
      if (isNowhere || isHuge) this.fmi.failUnwritten(this.call(group), "bytes that could be read");
    }
    if (wire !== "text" || words.every((word) => word !== 0n)) return;
    let element = 0;
    for (const port of ports) {
      const size = this.ports[port].shape.reduce((product, length) => product * length, 1);
      const hasNull = words.subarray(element, element + size).includes(0n);
      element += size;
      if (hasNull) this.report("binary-text-missing", this.textless, group, port);
    }
  }

  private call({ family }: Group): string {
    return exchangeCall(this.fmi.version, "Get", family);
  }

  private report(
    code: "binary-value-missing" | "binary-text-missing",
    reported: Set<number>,
    group: Group,
    port: number,
  ): void {
    if (reported.has(port)) return;
    reported.add(port);
    const { name } = this.ports[port];
    this.fmi.report(code, { unit: this.fmi.name, call: this.call(group), variable: name });
  }
}
