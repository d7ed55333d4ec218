/**
 * Formats the text of a file: what printSa writes of its adaptations, in our notation, with the
 * comments where they belong (text/notes.ts) and the blank lines that set statements apart.
 */
import { type AstNode, AstUtils } from "langium";
import { type Checked, hasErrors, type Place } from "../../base/diagnostic.ts";
import type { Adaptation } from "../../model/adaptation/data.ts";
import { collectNotes, END, keyOf, type Notes, type Part } from "../text/notes.ts";
import { positionsIn } from "../text/text-positions.ts";
import type * as ast from "./ast.ts";
import type { DraftAdaptation, DraftUnit, SaDraft } from "./dialect/draft.ts";
import { printName } from "./names.ts";
import { type FindImport, parseSaFile } from "./parse-sa.ts";
import { printString } from "./print-expression.ts";
import { type NotesOf, portText, printUnitDeclaration, printWithNotes } from "./print-sa.ts";
import { SA } from "./services.ts";

/**
 * @returns the formatted text; without a value where it has mistakes that keep it from being read.
 */
export function formatSa(text: string, file: string, find?: FindImport): Checked<string> {
  const { value, diagnostics } = parseSaFile(text, file, find);
  if (value === undefined || hasErrors(diagnostics)) return { diagnostics };
  const tree = SA.parseTree(text).value;
  const parts = partsOf(tree, text);
  const notes = collectNotes(text, SA.tokenize(text), parts, (word) => word === "with");
  return {
    value: new FilePrinter(value.draft, notes, parts).print(value.adaptations),
    diagnostics,
  };
}

class FilePrinter {
  private readonly draft: SaDraft;
  private readonly notes: ReadonlyMap<string, Notes>;
  private readonly parts: readonly OwnedPart[];
  /** Keys of notes that were written. */
  private readonly taken = new Set<string>();

  constructor(draft: SaDraft, notes: ReadonlyMap<string, Notes>, parts: readonly OwnedPart[]) {
    this.draft = draft;
    this.notes = notes;
    this.parts = parts;
  }

  print(adaptations: readonly Adaptation[]): string {
    const { draft } = this;
    const written = new Map(draft.adaptations.map((one, at) => [one, adaptations[at]]));
    const texts = [this.head(), ...draft.order.map((one, at) => this.element(one, at, written))];
    const connections = draft.connections.map(({ from, to, place }) =>
      this.line(place, `${portText(from)} -> ${portText(to)}`),
    );
    const end = this.notes.get(END)?.before ?? [];
    return `${[...texts, connections.join("\n"), end.join("\n")]
      .map((one) => one.replace(/\n+$/, ""))
      .filter((one) => one !== "")
      .join("\n\n")}\n`;
  }

  private head(): string {
    const { imports, module } = this.draft;
    const lines = imports.map(({ name, path, place }) =>
      this.line(place, `import ${name === undefined ? printString(path ?? "") : printName(name)}`),
    );
    const own = module === undefined ? [] : [this.line("module", `module ${printName(module)}`)];
    return [own.join("\n"), lines.join("\n")].filter((one) => one !== "").join("\n\n");
  }

  /** One that is written on a line, with its notes. */
  private line(key: Place | string, text: string): string {
    const of = typeof key === "string" ? key : keyOf(key);
    this.taken.add(of);
    const { before = [], trailing, after = [] } = this.notes.get(of) ?? {};
    return [...before, trailing === undefined ? text : `${text} ${trailing}`, ...after].join("\n");
  }

  private element(
    one: DraftUnit | DraftAdaptation,
    at: number,
    written: ReadonlyMap<DraftUnit | DraftAdaptation, Adaptation | undefined>,
  ): string {
    const keys = new Set<string>();
    const key = (part: Parameters<NotesOf>[0]): string =>
      typeof part === "string" ? `${at}/${part}` : keyOf(part);
    const notesOf: NotesOf = (part) => (part === "end" ? undefined : this.notes.get(key(part)));
    const adaptation = written.get(one);
    const text =
      adaptation === undefined
        ? printUnitDeclaration(one as DraftUnit, notesOf, keys)
        : printWithNotes(adaptation, notesOf, keys);
    for (const of of keys) this.taken.add(/^\d+:/.test(of) ? of : `${at}/${of}`);
    // What belongs to a form that is written in another way stays with its adaptation.
    const left = this.parts
      .filter((part) => part.element === at && !this.taken.has(part.key))
      .flatMap((part) => {
        this.taken.add(part.key);
        const { before = [], trailing, after = [] } = this.notes.get(part.key) ?? {};
        return [...before, ...(trailing === undefined ? [] : [trailing]), ...after];
      });
    return left.length === 0 ? text : `${left.join("\n")}\n${text}`;
  }
}

const ELEMENTS: ReadonlySet<string> = new Set([
  "SemanticAdaptation",
  "UnitDeclaration",
  "FileConnection",
  "Import",
  "InnerUnit",
  "ListedUnit",
  "Connection",
  "Port",
  "Declaration",
  "Rule",
  "Assignment",
  "Variable",
  "If",
  "For",
  "While",
  "Break",
  "Return",
  "CallStatement",
]);

/** A part of the text, and which element of the file it belongs to. */
interface OwnedPart extends Part {
  readonly element: number;
}

/** Forms that are written as control rules. */
const FORMS: ReadonlySet<string> = new Set([
  "MultiRate",
  "Substitution",
  "Delay",
  "Triggered",
  "Periodic",
  "Implied",
]);

/** Parts that begin lines, in the order of the text. */
function partsOf(tree: ast.SaFile, text: string): OwnedPart[] {
  const found: OwnedPart[] = [];
  const positionAt = positionsIn(text);
  const index = new Map<AstNode, number>(tree.elements.map((one, at) => [one, at]));
  const sections = new Set<AstNode>(
    tree.elements.flatMap((one) => (one.$type === "SemanticAdaptation" ? one.sections : [])),
  );
  const module = tree.module === undefined ? -1 : (/\bmodule\b/.exec(text)?.index ?? -1);
  if (module >= 0) found.push({ key: "module", offset: module, element: -1 });
  for (const element of [...tree.imports, ...tree.elements]) {
    const at = index.get(element) ?? -1;
    for (const node of AstUtils.streamAst(element)) {
      const offset = (node as AstNode).$cstNode?.offset ?? 0;
      const isSection = sections.has(node);
      if (!isSection && !ELEMENTS.has(node.$type)) continue;
      // `else if` goes on with the line of the `if` before it.
      if (node.$containerProperty === "otherwiseIf") continue;
      const section = FORMS.has(node.$type) ? "ControlRules" : node.$type;
      const key = isSection ? `${at}/${section}` : keyOf(positionAt(offset));
      found.push({ key, offset, element: at });
    }
  }
  return found.sort((a, b) => a.offset - b.offset);
}
