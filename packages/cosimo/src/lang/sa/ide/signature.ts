/**
 * The function whose brackets the cursor is in, and which of its arguments: found by the signs
 * before the cursor, because a call that is being written can seldom be read.
 */
import { SA_FUNCTIONS } from "../../../model/adaptation/functions.ts";
import type { Signature } from "../../text/editor-language.ts";
import { SA } from "../services.ts";
import { isInComment } from "./expectation.ts";
import { signatureText } from "./hover.ts";

export function signatureAt(text: string, offset: number): Signature | undefined {
  if (isInComment(text, offset)) return undefined;
  const { tokens } = SA.tokenize(text.slice(0, offset));
  let depth = 0;
  let active = 0;
  for (let at = tokens.length - 1; at > 0; at--) {
    const image = tokens[at]?.image;
    if (image === ";" || image === "{" || image === "}") return undefined;
    if (image === ")") depth++;
    if (image === "," && depth === 0) active++;
    if (image !== "(" || depth-- > 0) continue;
    const name = tokens[at - 1]?.image ?? "";
    const known = SA_FUNCTIONS.get(name);
    // Brackets of an expression inside of an argument.
    if (known === undefined) {
      depth = 0;
      active = 0;
      continue;
    }
    const parameters = known.usage.slice(known.usage.indexOf("(") + 1, -1).split(", ");
    return {
      label: signatureText(known),
      documentation: known.text,
      parameters,
      active: Math.min(active, parameters.length - 1),
    };
  }
  return undefined;
}
