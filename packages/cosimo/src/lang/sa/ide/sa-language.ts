/**
 * Adaptations, as editors ask about them.
 */
import type { EditorDocument, EditorLanguage } from "../../text/editor-language.ts";
import { formatSa } from "../format-sa.ts";
import { readName } from "../names.ts";
import { completionsAt } from "./complete.ts";
import { definitionAt, usesAt } from "./definition.ts";
import { insideText } from "./expectation.ts";
import { quickFix, spanOfFinding } from "./findings.ts";
import { hoverAt } from "./hover.ts";
import { outlineOf } from "./outline.ts";
import { renamableAt, renameAt } from "./rename.ts";
import { saDocument } from "./sa-document.ts";
import { signatureAt } from "./signature.ts";

export const SA_LANGUAGE: EditorLanguage = { id: "sa", open, format: formatSa };

function open(text: string, file: string): EditorDocument {
  const document = saDocument(text, file);
  const { tree, symbols } = document;
  return {
    text,
    names: JSON.stringify(
      tree.inner.map(({ name, source }) => [name === undefined ? "" : readName(name), source]),
    ),
    complete: (units, offset) => completionsAt(document, units, offset),
    insideText: (offset) => insideText(text, offset),
    hover: (units, offset) => hoverAt(document, units, offset),
    definition: (offset) => definitionAt(document, offset),
    uses: (offset) =>
      usesAt(document, offset).map(({ span, role }) => ({
        span,
        isDeclaration: role === "declaration",
      })),
    declarationOf: (port) =>
      symbols.symbols.find(
        ({ kind, name }) => (kind === "input" || kind === "output") && name === port,
      )?.span,
    outline: () => outlineOf(document),
    signature: (offset) => signatureAt(text, offset),
    renamable: (offset) => renamableAt(document, offset),
    rename: (units, offset, to) => renameAt(document, units, offset, to),
    spanOf: (finding) => spanOfFinding(document, finding),
    fix: (finding) => quickFix(document, finding),
  };
}
