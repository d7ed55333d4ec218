/**
 * What a process of its own opens: the unit as the scenario names it, and how the run
 * uses it. The process reads what the unit names, as the run has read it before, so every kind of
 * source can be there. Archives are unpacked once, by the run.
 */
import { deserialize, serialize } from "node:v8";
import type { ProcessLimits } from "../../model/isolation.ts";
import type { UnitSource } from "../../model/scenario.ts";
import type { Patience } from "../../platform/process/channel.ts";
import type { UnitUse } from "../../run/open-units.ts";

/** Of one unit. */
export interface UnitOrder {
  readonly source: UnitSource;
  /** The file that names it; paths are relative to its folder. */
  readonly file: string;
  /** Adaptations that it is inside of. */
  readonly around: readonly string[];
  readonly use: UnitUse;
  /** Folders of FMUs, by path. */
  readonly unpacked: ReadonlyMap<string, string>;
  /** Where the process may write. */
  readonly scratch: string;
  /** The FMU's own debug logging is on. */
  readonly loggingOn: boolean;
  /** FMI calls are wanted line by line. */
  readonly logsCalls: boolean;
}

/** Of a process, before it has units. */
export interface ProcessOrder {
  readonly patience: Patience;
  readonly limits: ProcessLimits;
  /** It is inside a sandbox, and closes the door behind itself. */
  readonly isSandboxed: boolean;
}

/** Both travel from the run to the process, never back: the run trusts nothing that it receives. */
export function encodeOrder(order: UnitOrder): string {
  return serialize(order).toString("base64");
}

export function decodeOrder(text: string): UnitOrder {
  return deserialize(Buffer.from(text, "base64")) as UnitOrder;
}
