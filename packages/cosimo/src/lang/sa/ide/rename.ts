/**
 * Renaming, everywhere in a text and without changing what it means. A list of conflicts might be
 * incomplete, so the new text is read: every name in it must mean what it meant, explicit form must
 * have as many parts as before, and nothing new may be wrong.
 */
import type { Adaptation } from "../../../model/adaptation/data.ts";
import type { Refusal } from "../../text/editor-language.ts";
import { applyEdits, type Edit, wholeSpan } from "../../text/span.ts";
import { checkSa } from "../check-sa.ts";
import { explicitForm } from "../explicit-form.ts";
import { printName } from "../names.ts";
import { type Inner, type SaDocument, saDocument, withAllPorts } from "./sa-document.ts";
import { type Occurrence, occurrenceAt, type SaSymbol, type SymbolTable } from "./symbols.ts";

/** The name at the cursor, if it is one that the text itself gives. */
export function renamableAt(document: SaDocument, offset: number): Occurrence | Refusal {
  const found = occurrenceAt(document.symbols, offset);
  if (found === undefined) return { refused: "There is no name here." };
  const { symbol, role, name } = found;
  if (role === "function") return { refused: `'${name}' is a function of the language.` };
  if (symbol?.kind === "unit port" || (role === "port" && symbol === undefined))
    return { refused: `'${name}' is named by the unit inside, not by this text.` };
  if (symbol === undefined) return { refused: `'${name}' is not declared in this text.` };
  return found;
}

export function renameAt(
  document: SaDocument,
  inner: Inner,
  offset: number,
  to: string,
): readonly Edit[] | Refusal {
  const found = renamableAt(document, offset);
  if ("refused" in found) return found;
  const name = to.trim();
  if (name === "" || /[\r\n]/.test(name))
    return { refused: "A name has at least one sign, and one line." };
  const { adaptation } = document;
  const { symbol } = found;
  if (adaptation === undefined || symbol === undefined)
    return { refused: "This text cannot be read: correct its mistakes first." };
  const edits = editsFor(document, inner, symbol, name);
  const after = saDocument(applyEdits(document.text, edits), adaptation.place.file);
  const why = whatChanges(document, after, inner, symbol, name);
  return why === undefined ? edits : { refused: why };
}

function editsFor(document: SaDocument, inner: Inner, symbol: SaSymbol, name: string): Edit[] {
  const text = printName(name);
  const edits: Edit[] = document.symbols.occurrences
    .filter((one) => one.symbol === symbol)
    .map(({ span }) => ({ span, text }));
  const binding = impliedBinding(document, inner, symbol);
  if (binding !== undefined) {
    const { end } = wholeSpan(symbol.node);
    edits.push({ span: { offset: end, end }, text: ` ${binding}` });
  }
  return edits;
}

/** An own port may be bound by its name alone; with another name that must be written. */
function impliedBinding(
  document: SaDocument,
  inner: Inner,
  { kind, name }: SaSymbol,
): string | undefined {
  if (kind !== "input" && kind !== "output") return undefined;
  const side = `${kind}s` as const;
  const named = (adaptation: Adaptation | undefined) =>
    adaptation?.[side]?.find((port) => port.name === name);
  if (named(document.adaptation)?.binding !== undefined) return undefined;
  const binding = named(withAllPorts(document, inner))?.binding;
  if (binding === undefined) return undefined;
  return `${kind === "input" ? "->" : "<-"} ${printName(binding.unit)}.${printName(binding.port)}`;
}

/** Why the new text does not mean the same, as a sentence; undefined where it does. */
function whatChanges(
  before: SaDocument,
  after: SaDocument,
  inner: Inner,
  symbol: SaSymbol,
  name: string,
): string | undefined {
  const taken = `'${name}' means something else in this text already.`;
  if (after.adaptation === undefined) return `'${name}' cannot be a name here.`;
  const innerAfter =
    symbol.kind === "unit"
      ? new Map([...inner].map(([key, one]) => [key === symbol.name ? name : key, one]))
      : inner;
  const wrong = codesOf(before.adaptation!, inner);
  const more = codesOf(after.adaptation, innerAfter).filter((code) => {
    const known = wrong.indexOf(code);
    if (known >= 0) wrong.splice(known, 1);
    return known < 0;
  });
  if (more.includes("sa-reserved-name")) return `'${name}' is a word of the language in rules.`;
  if (!meansTheSame(before.symbols, after.symbols) || more.length > 0) return taken;
  const [old, now] = [sizesOf(before.adaptation!, inner), sizesOf(after.adaptation, innerAfter)];
  return old === now
    ? undefined
    : `What the adaptation omits depends on '${symbol.name}' being its name.`;
}

/**
 * Names correspond one by one, in order: all but a binding that was added, which comes with two
 * more.
 */
function meansTheSame(before: SymbolTable, after: SymbolTable): boolean {
  const number = ({ symbols }: SymbolTable, { symbol, role }: Occurrence): string =>
    `${role} ${symbol === undefined ? -1 : symbols.indexOf(symbol)}`;
  const [old, now] = [before, after].map((table) =>
    table.occurrences.map((one) => number(table, one)),
  ) as [string[], string[]];
  let at = 0;
  for (const one of now) if (one === old[at]) at++;
  return at === old.length && now.length - old.length <= 2;
}

function codesOf(adaptation: Adaptation, inner: Inner): string[] {
  return checkSa(adaptation, ({ name }) => inner.get(name)).map(({ code }) => code);
}

/** How much of everything there is in explicit form: names there are made from names here. */
function sizesOf(adaptation: Adaptation, inner: Inner): string {
  const { value } = explicitForm(adaptation, ({ name }) => inner.get(name));
  if (value === undefined) return "none";
  const { inputs, outputs, parameters, inVariables, outVariables, controlVariables } = value;
  return [inputs, outputs, parameters, inVariables, outVariables, controlVariables]
    .map((list) => list?.length)
    .join();
}
