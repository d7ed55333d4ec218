/**
 * Units in processes of their own: what a scenario says about it (`isolate`, `onFailure`,
 * `limits`).
 */

/** "sandbox": a process without network, and without files but those of the unit. */
export type IsolationKind = "process" | "sandbox";

export const ISOLATIONS: readonly IsolationKind[] = ["process", "sandbox"];

/**
 * What happens when the process is lost: the run ends, or the unit is started again and brought to
 * where it was.
 */
export type FailureResponse = "end" | "restart";

export const FAILURE_RESPONSES: readonly FailureResponse[] = ["end", "restart"];

/** What a unit's process may use, beyond what it needs to be there. */
export interface ProcessLimits {
  readonly memoryBytes?: number;
  readonly processorSeconds?: number;
  readonly openFiles?: number;
  /** Wall time of one call. */
  readonly callSeconds?: number;
}

/** Which process a unit gets, and what it may do there. */
export interface Isolation {
  readonly kind: IsolationKind;
  /** Units with the same group share a process; default: each has its own. */
  readonly group?: string;
  readonly onFailure?: FailureResponse;
  readonly limits?: ProcessLimits;
}

/**
 * How long a call of a unit may take whose supplier is not trusted, seconds, where nothing else is
 * said.
 */
export const UNTRUSTED_CALL_SECONDS = 10;

/** "in a process of its own, restarted when it is lost; at most 512 MB, 10 s per call". */
export function isolationWords({ kind, group, onFailure, limits = {} }: Isolation): string {
  const own = group === undefined ? "in a process of its own" : `in the process '${group}'`;
  const where = kind === "sandbox" ? "in a sandbox" : own;
  const again = onFailure === "restart" ? ", restarted when it is lost" : "";
  const { memoryBytes, processorSeconds, openFiles, callSeconds } = limits;
  const bounds = [
    memoryBytes !== undefined && bytesText(memoryBytes),
    processorSeconds !== undefined && `${processorSeconds} s of processor time`,
    openFiles !== undefined && `${openFiles} open files`,
    callSeconds !== undefined && `${callSeconds} s per call`,
  ].filter((text) => text !== false);
  return `${where}${again}${bounds.length > 0 ? `; at most ${bounds.join(", ")}` : ""}`;
}

export function bytesText(bytes: number): string {
  return `${Number((bytes / 1e6).toPrecision(3))} MB`;
}
