/**
 * Adaptations, as editors ask about them.
 */
import type { Diagnostic } from "../../../base/diagnostic.ts";
import type { EditorDocument, EditorLanguage } from "../../text/editor-language.ts";
import { offsetOf } from "../../text/span.ts";
import { formatSa } from "../format-sa.ts";
import { importsFrom } from "../imports.ts";
import { readName } from "../names.ts";
import { completionsAt } from "./complete.ts";
import { definitionAt, usesAt } from "./definition.ts";
import { insideText } from "./expectation.ts";
import { quickFix, spanOfFinding } from "./findings.ts";
import { hoverAt } from "./hover.ts";
import { outlineOf } from "./outline.ts";
import { renamableAt, renameAt } from "./rename.ts";
import { type SaDocument, saDocuments } from "./sa-document.ts";
import { signatureAt } from "./signature.ts";

export const SA_LANGUAGE: EditorLanguage = {
  id: "sa",
  open,
  format: (text, file, files) => formatSa(text, file, files && importsFrom(files, file)),
};

function open(text: string, file: string): EditorDocument {
  const documents = saDocuments(text, file);
  const at = (offset: number): SaDocument =>
    documents.findLast(({ tree }) => (tree.$cstNode?.offset ?? 0) <= offset) ?? documents[0];
  const ofFinding = ({ place }: Diagnostic): SaDocument =>
    at(place.line === undefined ? 0 : offsetOf(text, place.line, place.column ?? 1));
  return {
    text,
    names: JSON.stringify(
      documents.flatMap(({ tree }) =>
        tree.inner.map(({ name, source }) => [name === undefined ? "" : readName(name), source]),
      ),
    ),
    complete: (units, offset) => completionsAt(at(offset), units, offset),
    insideText: (offset) => insideText(text, offset),
    hover: (units, offset) => hoverAt(at(offset), units, offset),
    definition: (offset) => definitionAt(at(offset), offset),
    uses: (offset) =>
      usesAt(at(offset), offset).map(({ span, role }) => ({
        span,
        isDeclaration: role === "declaration",
      })),
    declarationOf: (port) =>
      documents
        .flatMap(({ symbols }) => symbols.symbols)
        .find(({ kind, name }) => (kind === "input" || kind === "output") && name === port)?.span,
    outline: () => documents.flatMap((document) => outlineOf(document)),
    signature: (offset) => signatureAt(text, offset),
    renamable: (offset) => renamableAt(at(offset), offset),
    rename: (units, offset, to) => renameAt(at(offset), units, offset, to),
    spanOf: (finding) => spanOfFinding(ofFinding(finding), finding),
    fix: (finding) => quickFix(ofFinding(finding), finding),
  };
}
