/**
 * A text as an editor has it: mostly unfinished. The parser goes on behind mistakes, so the tree is
 * there at any time, with holes: any part of it may be missing, whatever ast.ts says.
 */
import type { Adaptation, InnerUnit } from "../../../model/adaptation/data.ts";
import type { KnownUnits } from "../../text/editor-language.ts";
import type * as ast from "../ast.ts";
import { addInPorts, addOutPorts } from "../explicit-ports.ts";
import { type InnerPorts, innerPorts } from "../inner-ports.ts";
import { readName } from "../names.ts";
import { parseSaFile } from "../parse-sa.ts";
import { SA } from "../services.ts";
import { type SymbolTable, symbolTable } from "./symbols.ts";

export interface SaDocument {
  readonly text: string;
  readonly tree: ast.SemanticAdaptation;
  readonly symbols: SymbolTable;
  /** What the text says, where it can be read. */
  readonly adaptation?: Adaptation;
}

/** What a text without an adaptation has. */
const NOTHING: ast.SemanticAdaptation = {
  $type: "SemanticAdaptation",
  type: "",
  inner: [],
  listed: [],
  sections: [],
};

/** The text once for each of its adaptations, at least once. */
export function saDocuments(text: string, file: string): readonly [SaDocument, ...SaDocument[]] {
  const { value } = SA.parseTree(text);
  // What is imported is not known here: what names it stands for is, where that is declared in the
  // text.
  const read = parseSaFile(text, file, () => undefined).value?.adaptations ?? [];
  const document = (tree: ast.SemanticAdaptation, at: number): SaDocument => ({
    text,
    tree,
    symbols: symbolTable(tree),
    ...(read[at] === undefined ? {} : { adaptation: read[at] }),
  });
  const [first, ...more] = adaptationsOf(value).map(document);
  return [first ?? document(NOTHING, -1), ...more];
}

/** A text with one adaptation. */
export function saDocument(text: string, file: string): SaDocument {
  return saDocuments(text, file)[0];
}

export function adaptationsOf(tree: ast.SaFile): ast.SemanticAdaptation[] {
  return (tree.elements ?? []).filter(
    (one): one is ast.SemanticAdaptation => one?.$type === "SemanticAdaptation",
  );
}

/** The adaptation that a place belongs to: the last one that begins before it. */
export function adaptationAt(tree: ast.SaFile, offset: number): ast.SemanticAdaptation {
  const all = adaptationsOf(tree);
  return all.findLast((one) => (one.$cstNode?.offset ?? 0) <= offset) ?? all[0] ?? NOTHING;
}

/** What is known of the inner units. */
export type Inner = KnownUnits;

/**
 * Ports of inner units, also of a text that is unfinished: then as the units describe themselves.
 */
export function portsOfInner({ adaptation, tree }: SaDocument, inner: Inner): InnerPorts[] {
  if (adaptation !== undefined) return innerPorts(adaptation, ({ name }) => inner.get(name));
  return tree.inner.flatMap(({ name }) =>
    name === undefined ? [] : [describedPorts(readName(name), inner)],
  );
}

/** Ports of an inner unit as it describes them, whatever the author lists. */
export function describedPorts(name: string, inner: Inner): InnerPorts {
  const unit: InnerUnit = { type: "", name, source: "", place: { file: "" } };
  return innerPorts({ inner: [unit] }, () => inner.get(name))[0]!;
}

/**
 * The adaptation with the ports that its author omits, and with the bindings of those that are only
 * named.
 */
export function withAllPorts(document: SaDocument, inner: Inner): Adaptation | undefined {
  const { adaptation } = document;
  if (adaptation === undefined) return undefined;
  const units = portsOfInner(document, inner);
  return addOutPorts(addInPorts(adaptation, units), units);
}
