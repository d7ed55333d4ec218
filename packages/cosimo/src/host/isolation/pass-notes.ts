/** What units elsewhere say, to those who listen to them here. */
import type { LogStatus, NativeUnitOptions } from "../../platform/native/native-options.ts";
import type { Note } from "../../remote/protocol.ts";

/** A peer speaks for its own units only. */
export function passNotes(
  unit: string,
  notes: readonly Note[],
  listeners: (name: string) => NativeUnitOptions,
): void {
  for (const note of notes) {
    const isOwn = note.unit === unit || note.unit.startsWith(`${unit}.`);
    const native = listeners(isOwn ? note.unit : unit);
    switch (note.kind) {
      case "log": {
        const { category, message } = note;
        native.onLog?.({ status: logStatus(note.status), category, message });
        break;
      }
      case "diagnostic":
        native.onDiagnostic?.(note.diagnostic);
        break;
      case "call":
        native.callLog?.(note.line);
        break;
    }
  }
}

const LOG_STATUSES: readonly string[] = ["ok", "warning", "discard", "error", "fatal", "pending"];

function logStatus(text: string): LogStatus {
  return (LOG_STATUSES.includes(text) ? text : "ok") as LogStatus;
}
