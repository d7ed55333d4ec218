/**
 * The text of a `.sa` file, or why there is none. Apart from everything that understands it:
 * formatting needs no inner units.
 */
import { readFileSync } from "node:fs";
import { type Checked, diagnose } from "../base/diagnostic.ts";
import { ADAPTATION_FILE_RULES } from "./describe-adaptation-diagnostics.ts";

/** @param read takes the text from elsewhere than the disk; throws what the system says. */
export function readAdaptationText(
  path: string,
  read: (path: string) => string = (file) => readFileSync(file, "utf8"),
): Checked<string> {
  try {
    return { value: read(path), diagnostics: [] };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    const reason = code === "ENOENT" ? "there is no such file" : message;
    const place = { file: path };
    return {
      diagnostics: [diagnose(ADAPTATION_FILE_RULES, "sa-file-unreadable", { reason }, place)],
    };
  }
}
