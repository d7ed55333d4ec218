/**
 * Texts with a cursor in them: `f.‸`.
 */
import { described } from "../../testing/described.ts";
import { type Inner, type SaDocument, saDocument } from "../sa-document.ts";

export interface AtCursor {
  readonly document: SaDocument;
  readonly offset: number;
}

export function atCursor(text: string): AtCursor {
  const offset = text.indexOf("‸");
  if (offset < 0) throw new Error("there is no cursor in the text");
  return { document: saDocument(text.replace("‸", ""), "test.sa"), offset };
}

/** Descriptions by name, in the notation of `described`. */
export function innerUnits(...units: readonly string[]): Inner {
  const describe = described(...units);
  const names = units.map((text) => text.slice(0, text.indexOf(":")));
  return new Map(
    names.map((name) => [name, describe({ type: "", name, source: "", place: { file: "" } })!]),
  );
}
