/**
 * Traces from files, in every format that runs write, with the notes that stand beside them.
 */
import { readFileSync } from "node:fs";
import type { Checked } from "../base/diagnostic.ts";
import { traceFormatOf } from "../record/formats.ts";
import type { Trace } from "../record/trace.ts";
import { readBytes } from "./read-file.ts";

export async function readTrace(path: string): Promise<Checked<Trace>> {
  const { value: bytes, diagnostics } = readBytes(path);
  if (bytes === undefined) return { diagnostics };
  return traceFormatOf(path).read({
    file: path,
    bytes,
    text: () => bytes.toString("utf8"),
    notes: readIfThere,
  });
}

/** Notes are optional, and a folder of that name is none. */
function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
