/**
 * A text as an editor has it: mostly unfinished. The parser goes on behind mistakes, so the tree is there at any time, with holes: any
 * part of it may be missing, whatever ast.ts says.
 */
import type { Adaptation, InnerUnit } from "../../../model/adaptation/data.ts";
import type { KnownUnits } from "../../text/editor-language.ts";
import type * as ast from "../ast.ts";
import { addInPorts, addOutPorts } from "../explicit-ports.ts";
import { type InnerPorts, innerPorts } from "../inner-ports.ts";
import { readName } from "../names.ts";
import { parseSa } from "../parse-sa.ts";
import { SA } from "../services.ts";
import { type SymbolTable, symbolTable } from "./symbols.ts";

export interface SaDocument {
  readonly text: string;
  readonly tree: ast.SemanticAdaptation;
  readonly symbols: SymbolTable;
  /** What the text says, where it can be read. */
  readonly adaptation?: Adaptation;
}

export function saDocument(text: string, file: string): SaDocument {
  const tree = SA.parseTree(text).value;
  const { value } = parseSa(text, file);
  return {
    text,
    tree,
    symbols: symbolTable(tree),
    ...(value === undefined ? {} : { adaptation: value }),
  };
}

/** What is known of the inner units. */
export type Inner = KnownUnits;

/** Ports of inner units, also of a text that is unfinished: then as the units describe themselves. */
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

/** The adaptation with the ports that its author omits, and with the bindings of those that are only named. */
export function withAllPorts(document: SaDocument, inner: Inner): Adaptation | undefined {
  const { adaptation } = document;
  if (adaptation === undefined) return undefined;
  const units = portsOfInner(document, inner);
  return addOutPorts(addInPorts(adaptation, units), units);
}
