/**
 * Interfaces, as editors ask about them: words where the grammar takes them, ports that the unit
 * has and the interface does not declare yet, and what the unit says of each of them.
 */
import type { AstNode } from "langium";
import { UNIT_ENDINGS } from "../../../model/source-kind.ts";
import {
  type Nature,
  type Port,
  portNamed,
  type UnitDescription,
} from "../../../model/unit-description.ts";
import { variableOf } from "../../../model/unit-interface.ts";
import type {
  Candidate,
  EditorDocument,
  EditorLanguage,
  Hover,
  KnownUnits,
  OutlineItem,
} from "../../text/editor-language.ts";
import {
  type CompletionStyle,
  expectationAt,
  HERE,
  leafAt,
  quotedTextAt,
} from "../../text/expectation.ts";
import {
  declarationOf,
  findingSpan,
  meantWord,
  type NamedThing,
  renamable,
  renameThing,
  thingAt,
  usesOf,
} from "../../text/named-things.ts";
import {
  descriptionTexts,
  NATURE_TEXTS,
  natureLine,
  paragraphs,
  portPageOf,
} from "../../text/port-texts.ts";
import { printQuoted } from "../../text/quoted-names.ts";
import { withSlashes } from "../../text/slashes.ts";
import { spanOf, wholeSpan } from "../../text/span.ts";
import type * as ast from "../ast.ts";
import { interfacePortOf } from "../describe-mci.ts";
import { formatMci } from "../format-mci.ts";
import { MCI, printName } from "../language.ts";
import { portLines } from "../print-mci.ts";

export const MCI_LANGUAGE: EditorLanguage = { id: "mci", open, format: formatMci };

const STYLE: CompletionStyle<ast.Interface> = {
  language: MCI,
  closings: ["", "{}", "{} }", "}", "} }"],
  phrases: [],
  nameRules: new Set(["Name"]),
  behind: (word) => (word === "Interface" || word === "Port" ? ` ${HERE}` : ""),
  quote: '"',
};

const PATHS: ReadonlySet<string> = new Set(["SUPath", "FMUPath", "GemocExecutablePath"]);
const WHOLES: ReadonlySet<string> = new Set(["UnitPath", "IoEvent", "UnitProperty"]);

function open(text: string): EditorDocument {
  const tree = MCI.parseTree(text).value;
  const parts = tree.parts ?? [];
  const path = parts.find((part): part is ast.UnitPath => part.$type === "UnitPath");
  const things = thingsOf(tree);
  const spanOfFinding: EditorDocument["spanOf"] = (finding) =>
    findingSpan(text, tree, finding, WHOLES);
  return {
    text,
    names: JSON.stringify(path?.path ?? null),
    complete: (units, offset) => complete(text, units, offset),
    insideText(offset) {
      const quoted = quotedTextAt(MCI, text, offset);
      const before = quoted?.before.at(-1) ?? "";
      if (quoted === undefined || before === "Port" || before === "variableName") return undefined;
      return { span: quoted.span, endings: PATHS.has(before) ? UNIT_ENDINGS : [] };
    },
    hover: (units, offset) => hover(tree, things, units, offset),
    definition(offset) {
      const span = path && spanOf(path, "path");
      if (path && span && span.offset <= offset && offset <= span.end)
        return { kind: "there", from: span, source: withSlashes(path.path) };
      const found = thingAt(things, offset);
      const declared = found && declarationOf(things, found.key);
      return found && declared && { kind: "here", from: found.span, span: declared.span };
    },
    uses: (offset) => usesOf(things, offset),
    declarationOf: (port) =>
      (declarationOf(things, `port ${port}`) ?? declarationOf(things, `reference ${port}`))?.span,
    outline: () => outline(tree),
    renamable: (offset) => renamable(things, offset),
    rename: (_, offset, to) => renameThing(things, offset, to, printName),
    spanOf: spanOfFinding,
    fix: (finding) => meantWord(text, spanOfFinding(finding), finding, true, printName),
  };
}

function portsOf(tree: ast.Interface): ast.Port[] {
  return (tree.parts ?? []).flatMap((part) => (part.$type === "Ports" ? part.ports : []));
}

function thingsOf(tree: ast.Interface): NamedThing[] {
  const things: NamedThing[] = [];
  const add = (
    node: AstNode,
    property: string,
    kind: string,
    text: string | undefined,
    rest: Pick<NamedThing, "isDeclaration" | "fixed">,
  ): void => {
    const span = spanOf(node, property);
    if (span === undefined || text === undefined) return;
    const name = text;
    things.push({ span, name, key: `${kind} ${name}`, ...rest });
  };
  const used = "Specifications (.mcl) use this name, which would not be changed.";
  add(tree, "name", "interface", tree.name, { isDeclaration: true });
  for (const port of portsOf(tree)) {
    add(port, "name", "port", port.name, { isDeclaration: true, fixed: used });
    for (const one of port.attributes)
      if (one.$type === "ReferenceAttribute")
        add(one, "value", "reference", one.value, { isDeclaration: false });
  }
  for (const part of tree.parts ?? [])
    if (part.$type === "TemporalReferences")
      for (const one of part.references)
        add(one, "name", "reference", one.name, { isDeclaration: true, fixed: used });
  return things;
}

/** The unit of the interface: a text names one. */
function unitOf(units: KnownUnits): UnitDescription | undefined {
  return [...units.values()][0];
}

/** The port of the unit that a declaration is about. */
function declaredPort(node: ast.Port, unit: UnitDescription | undefined): Port | undefined {
  const variable = node.attributes.find(
    (one): one is ast.VariableAttribute => one.$type === "VariableAttribute",
  )?.value;
  const name = node.name ?? "";
  const port = { name, shape: [], events: [], place: { file: "" } };
  return unit && portNamed(unit, variableOf(variable === undefined ? port : { ...port, variable }));
}

function complete(text: string, units: KnownUnits, offset: number): Candidate[] {
  const expected = expectationAt(STYLE, text, offset);
  if (expected === undefined) return [];
  const { span, keywords, node, property, tree } = expected;
  const unit = unitOf(units);
  const isVariable = quotedTextAt(MCI, text, offset)?.before.at(-1) === "variableName";
  const isPort = node?.$type === "Port" && property === "name";
  const ports = unit === undefined || !(isPort || isVariable) ? [] : unit.ports.filter(isExchanged);
  const listed = new Set(portsOf(tree).flatMap(({ name }) => (name === undefined ? [] : [name])));
  // What was typed may have its quotes closed already.
  const closing = text.slice(span.offset, span.offset + 1) === '"' && text[offset] === '"' ? 1 : 0;
  const target = { offset: span.offset, end: span.end + closing };
  const isBlockNext = /^"?\s*\{/.test(text.slice(offset));
  return [
    ...ports
      .filter(({ name }) => isVariable || !listed.has(name))
      .map(
        (port): Candidate => ({
          label: port.name,
          kind: "port",
          span: target,
          insert: isVariable
            ? printQuoted(port.name)
            : isBlockNext
              ? printName(port.name)
              : wholePort(port, unit),
          detail: natureLine(port),
          documentation: portPageOf(port.name, port, unit),
        }),
      ),
    ...keywords.map(
      (label): Candidate => ({ label, kind: "keyword", span, rank: 5, ...wordText(label) }),
    ),
  ];
}

function isExchanged({ direction }: Port): boolean {
  return direction === "input" || direction === "output";
}

/** The declaration of a port as `cosimo mci` writes it, without its first word. */
function wholePort(port: Port, unit: UnitDescription | undefined): string {
  if (unit === undefined) return printName(port.name);
  const [first = "", ...rest] = portLines(interfacePortOf(port, unit), "", () => undefined);
  return [first.replace(/^Port /, ""), ...rest.map((line) => `    ${line}`)].join("\n");
}

function wordText(word: string): Pick<Candidate, "documentation"> {
  const text = WORD_TEXTS[word];
  return text === undefined ? {} : { documentation: text };
}

const nature = (name: Nature): string => NATURE_TEXTS[name];

const WORD_TEXTS: Readonly<Record<string, string>> = {
  continuous: nature("continuous"),
  "piecewise-continuous": nature("piecewise-continuous"),
  piecewiseContinuous: nature("piecewise-continuous"),
  "piecewise-constant": nature("piecewise-constant"),
  piecewiseConstant: nature("piecewise-constant"),
  constant: nature("constant"),
  transient: nature("transient"),
  Updated: "The unit gave the output a new value.",
  ReadyToRead: "The unit is about to read the input: it gets the value of that instant.",
  Triggered: "The event of the output occurs.",
  interpolation: "The unit uses the value at the end of a step too (reactive).",
  extrapolation: "The unit uses the value at the start of a step (delayed).",
  monitored:
    "Runs of a specification (.mcl) record ports that are monitored; where none is, all outputs.",
  variableName:
    "The variable of the unit, where the port has another name; what stands before '::' is omitted.",
  initialValue: "The value of an input before its first exchange.",
  rollback: "The unit can save its state and return to it.",
};

function hover(
  tree: ast.Interface,
  things: readonly NamedThing[],
  units: KnownUnits,
  offset: number,
): Hover | undefined {
  const unit = unitOf(units);
  const found = thingAt(things, offset);
  const leaf = leafAt(tree, offset);
  if (found?.key.startsWith("port ")) {
    const node = portsOf(tree).find(({ name }) => name !== undefined && name === found.name);
    const port = node && declaredPort(node, unit);
    const page = port && portPageOf(port.name, port, unit);
    return page === undefined ? undefined : { span: found.span, markdown: page };
  }
  if (found?.key.startsWith("interface "))
    return { span: found.span, markdown: interfacePage(found.name, unit) };
  const text = leaf && WORD_TEXTS[leaf.text];
  if (leaf === undefined || text === undefined) return undefined;
  const markdown = paragraphs([`**${leaf.text}**`, text]);
  return { span: { offset: leaf.offset, end: leaf.end }, markdown };
}

function interfacePage(name: string, unit: UnitDescription | undefined): string {
  const about = unit === undefined ? ["Its unit cannot be opened."] : descriptionTexts(unit);
  return paragraphs([`**${name}**: interface`, ...about]);
}

function outline(tree: ast.Interface): OutlineItem[] {
  const children = portsOf(tree).flatMap((port): OutlineItem[] => {
    const span = spanOf(port, "name");
    if (span === undefined || port.name === undefined) return [];
    const detail = port.attributes
      .flatMap((one) =>
        one.$type === "DirectionAttribute" ||
        one.$type === "NatureAttribute" ||
        one.$type === "TypeAttribute"
          ? [one.value]
          : [],
      )
      .join(", ");
    return [
      {
        name: port.name,
        detail,
        kind: "port",
        whole: wholeSpan(port),
        span,
        children: [],
      },
    ];
  });
  const span = spanOf(tree, "name");
  if (span === undefined || tree.name === undefined) return children;
  return [
    {
      name: tree.name,
      detail: "interface",
      kind: "unit",
      whole: wholeSpan(tree),
      span,
      children,
    },
  ];
}
