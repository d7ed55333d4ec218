/**
 * Types of variables, for authors who did not declare them. The checks know how to find them; here
 * they run without reporting.
 */
import type { AstNode } from "langium";
import type * as ast from "../ast.ts";
import { Scope, type Type } from "../check-scope.ts";
import { typeOf } from "../check-types.ts";
import { statementReader, TYPE_WORDS } from "../read-statements.ts";
import { type Inner, portsOfInner, type SaDocument } from "./sa-document.ts";
import type { SaSymbol, Storage } from "./symbols.ts";

const ORDER: readonly Storage[] = ["param", "in var", "control var", "out var"];

/**
 * The type of a variable or parameter; undefined where it is unknown, as in a text that cannot be
 * read.
 */
export function typeOfVariable(document: SaDocument, inner: Inner, symbol: SaSymbol): Type {
  const { adaptation, symbols } = document;
  const written = (symbol.node as Partial<ast.Declaration>).type;
  if (written !== undefined) return written;
  if (symbol.node.$type === "For") return "integer";
  if (adaptation === undefined) return undefined;
  const scope = new Scope(adaptation, portsOfInner(document, inner), []);
  for (const storage of ORDER)
    for (const one of symbols.symbols.filter(({ kind }) => kind === storage)) {
      const type = found(one, scope, "initial");
      if (one === symbol) return type;
      scope.declareVariable(
        { name: one.name } as Parameters<Scope["declareVariable"]>[0],
        storage,
        type,
      );
    }
  scope.enter();
  for (const one of symbols.symbols) {
    if (one.kind !== "local" || one.span.offset > symbol.span.offset) continue;
    if (!isVisible(one.node, symbol.node)) continue;
    const type = found(one, scope, "control");
    if (one === symbol) return type;
    scope.declareLocal(one.name, type, adaptation.place);
  }
  return undefined;
}

const PLACE = { file: "" };
const READER = statementReader(() => PLACE);

/** What is whole by chance is a real: only a declaration as `integer` makes an integer. */
function found({ node }: SaSymbol, scope: Scope, part: "initial" | "control"): Type {
  if (node.$type === "For") return "integer";
  const { type, value, written } = node as ast.Declaration;
  const declared = type ?? (written === undefined ? undefined : TYPE_WORDS[written]);
  if (value === undefined) return declared;
  const known = declared ?? typeOf(READER.expression(value), scope, part);
  return known === "integer" && declared === undefined ? "real" : known;
}

/** Whether what `local` declares can be seen where `from` stands behind it. */
export function isVisible(local: AstNode, from: AstNode): boolean {
  const block = local.$type === "For" ? local : local.$container;
  for (let around: AstNode | undefined = from; around !== undefined; around = around.$container)
    if (around === block) return true;
  return false;
}
