/**
 * Names in a text and what they stand for, for languages in which a name means the same everywhere
 * in its text: going to definitions, finding uses and renaming follow from the list of them.
 */
import type { AstNode } from "langium";
import type { Diagnostic } from "../../base/diagnostic.ts";
import type { QuickFix, Refusal, Renamable, Use } from "./editor-language.ts";
import { leafAt } from "./expectation.ts";
import { type Edit, lineEnd, offsetOf, type Span, wordEnd } from "./span.ts";

export interface NamedThing {
  readonly span: Span;
  readonly name: string;
  /** Equal for all names of one thing: `unit plant`. */
  readonly key: string;
  readonly isDeclaration: boolean;
  /** Why it cannot be renamed here, as a sentence. */
  readonly fixed?: string;
}

/** The name that the cursor is in or behind. */
export function thingAt<Thing extends NamedThing>(
  things: readonly Thing[],
  offset: number,
): Thing | undefined {
  return (
    things.find(({ span }) => span.offset <= offset && offset < span.end) ??
    things.find(({ span }) => span.end === offset)
  );
}

export function usesOf(things: readonly NamedThing[], offset: number): readonly Use[] {
  const found = thingAt(things, offset);
  return found === undefined ? [] : things.filter(({ key }) => key === found.key);
}

export function declarationOf(things: readonly NamedThing[], key: string): NamedThing | undefined {
  return things.find((one) => one.key === key && one.isDeclaration);
}

export function renamable(
  things: readonly NamedThing[],
  offset: number,
): (Renamable & { readonly key: string }) | Refusal {
  const found = thingAt(things, offset);
  if (found === undefined) return { refused: "There is no name here." };
  const declared = declarationOf(things, found.key);
  if (declared === undefined) return { refused: `'${found.name}' is not declared in this text.` };
  if (declared.fixed !== undefined) return { refused: declared.fixed };
  return found;
}

export function renameThing(
  things: readonly NamedThing[],
  offset: number,
  to: string,
  print: (name: string) => string,
): readonly Edit[] | Refusal {
  const found = renamable(things, offset);
  if ("refused" in found) return found;
  const name = to.trim();
  if (name === "" || /[\r\n]/.test(name))
    return { refused: "A name has at least one sign, and one line." };
  const kind = found.key.slice(0, found.key.indexOf(" "));
  if (name !== found.name && things.some(({ key }) => key === `${kind} ${name}`))
    return { refused: `'${name}' is the name of another ${kind}.` };
  return things
    .filter(({ key }) => key === found.key)
    .map(({ span }) => ({ span, text: print(name) }));
}

/** What a finding is about: the node of one of these types that begins there, or the word. */
export function findingSpan(
  text: string,
  tree: AstNode,
  { place }: Diagnostic,
  wholes: ReadonlySet<string>,
): Span {
  if (place.line === undefined) return { offset: 0, end: lineEnd(text, 0) };
  const offset = Math.min(offsetOf(text, place.line, place.column ?? 1), text.length);
  const leaf = leafAt(tree, offset);
  if (leaf === undefined || leaf.offset !== offset) return { offset, end: wordEnd(text, offset) };
  for (let node: AstNode | undefined = leaf.astNode; node !== undefined; node = node.$container)
    if (wholes.has(node.$type) && node.$cstNode?.offset === offset)
      return { offset, end: node.$cstNode.end };
  return { offset, end: Math.max(leaf.end, offset + 1) };
}

/**
 * "did you mean": the word that is meant, in place of the last word of what the finding is about.
 */
export function meantWord(
  text: string,
  { offset, end }: Span,
  { fix }: Diagnostic,
  isLast: boolean,
  print: (name: string) => string,
): QuickFix | undefined {
  const meant = /^did you mean '(.+?)'\?/.exec(fix)?.[1];
  if (meant === undefined) return undefined;
  const words = text.slice(offset, end);
  const dot = words.indexOf(".");
  const span =
    dot < 0
      ? { offset, end }
      : isLast
        ? { offset: offset + dot + 1, end }
        : { offset, end: offset + dot };
  const old = text.slice(span.offset, span.end);
  return {
    title: `Write '${meant}' in place of '${old}'`,
    edit: { span, text: print(meant) },
  };
}
