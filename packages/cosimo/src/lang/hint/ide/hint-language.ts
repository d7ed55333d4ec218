/**
 * Hints, as editors ask about them: units of the scenario and their ports, statements of the hint,
 * functions, patterns, and words where the grammar takes them.
 */
import { type AstNode, AstUtils } from "langium";
import type { UnitDescription } from "../../../model/unit-description.ts";
import { printSignal } from "../../requirement/print-formula.ts";
import { FORMULA_FUNCTIONS } from "../../requirement/words.ts";
import type {
  Candidate,
  EditorDocument,
  EditorLanguage,
  Hover,
  KnownUnits,
  OutlineItem,
} from "../../text/editor-language.ts";
import { type CompletionStyle, expectationAt, HERE, quotedTextAt } from "../../text/expectation.ts";
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
  natureLine,
  paragraphs,
  portPageOf,
  unitLine,
} from "../../text/port-texts.ts";
import { spanOf, wholeSpan } from "../../text/span.ts";
import type * as ast from "../ast.ts";
import { formatHint } from "../format-hint.ts";
import { PATTERNS } from "../hint-file.ts";
import { HINT, printName } from "../language.ts";

export const HINT_LANGUAGE: EditorLanguage = { id: "hint", open, format: formatHint };

const STYLE: CompletionStyle<ast.HintFile> = {
  language: HINT,
  closings: [
    "",
    " }",
    " < 1",
    " < 1 }",
    " holds }",
    " eventually-holds }",
    " scope Globally pattern Existence: a.b eventually-holds }",
    " } scope Globally pattern Existence: a.b eventually-holds }",
    " < 1 } scope Globally pattern Existence: a.b eventually-holds }",
    " pattern Existence: a.b eventually-holds }",
  ],
  phrases: [],
  nameRules: new Set(["Name", "DottedName"]),
  behind: () => ` ${HERE}`,
  quote: "'",
};

const WHOLES: ReadonlySet<string> = new Set(["SignalName", "UnitProperty", "PowerBond"]);
const ABOUT_UNITS: ReadonlySet<string> = new Set(["unknown-unit"]);

interface HintThing extends NamedThing {
  /** Of a port: its unit. */
  readonly unit?: string;
}

function open(text: string): EditorDocument {
  const tree = HINT.parseTree(text).value;
  const things = thingsOf(tree);
  const spanOfFinding: EditorDocument["spanOf"] = (finding) =>
    findingSpan(text, tree, finding, WHOLES);
  const scenario = tree.scenario === undefined ? undefined : spanOf(tree, "scenario");
  return {
    text,
    names: JSON.stringify(tree.scenario ?? null),
    complete: (units, offset) => complete(text, units, offset),
    insideText(offset) {
      const quoted = quotedTextAt(HINT, text, offset);
      if (quoted === undefined) return undefined;
      const isPath = quoted.before.at(-1) === "for";
      return { span: quoted.span, endings: isPath ? [".yaml", ".yml", ".mcl"] : [] };
    },
    hover: (units, offset) => hover(tree, things, units, offset),
    definition(offset) {
      if (scenario && scenario.offset <= offset && offset <= scenario.end)
        return { kind: "there", from: scenario, source: tree.scenario ?? "" };
      const found = thingAt(things, offset);
      const declared = found && declarationOf(things, found.key);
      return found && declared && { kind: "here", from: found.span, span: declared.span };
    },
    uses: (offset) => usesOf(things, offset),
    declarationOf: () => undefined,
    outline: () => outline(tree),
    renamable: (offset) => renamable(things, offset),
    rename: (_, offset, to) => renameThing(things, offset, to, printName),
    spanOf: spanOfFinding,
    fix: (finding) => {
      const isUnit = ABOUT_UNITS.has(finding.code);
      return meantWord(text, spanOfFinding(finding), finding, !isUnit, (name) => name);
    },
  };
}

/** Names of hints are alone; those of statements mean the same in all of their hint. */
function thingsOf(tree: ast.HintFile): HintThing[] {
  const things: HintThing[] = [];
  const add = (node: AstNode, property: string, thing: Omit<HintThing, "span">): void => {
    const span = spanOf(node, property);
    if (span !== undefined) things.push({ ...thing, span });
  };
  tree.hints.forEach((hint, h) => {
    if (hint.name !== undefined)
      add(hint, "name", { name: hint.name, key: `hint ${hint.name}`, isDeclaration: true });
    for (const node of AstUtils.streamAst(hint)) {
      if (node.$type === "Statement") {
        const { name } = node as Partial<ast.Statement>;
        if (name !== undefined)
          add(node, "name", { name, key: `statement${h} ${name}`, isDeclaration: true });
      }
      if (node.$type === "SignalName") {
        const { name } = node as Partial<ast.SignalName>;
        if (name === undefined) continue;
        const dot = name.indexOf(".");
        if (dot < 0)
          add(node, "name", { name, key: `statement${h} ${name}`, isDeclaration: false });
        else
          add(node, "name", {
            name: bare(name),
            key: `port ${bare(name)}`,
            isDeclaration: false,
            unit: bare(name).slice(0, bare(name).indexOf(".")),
          });
      }
    }
  });
  return things;
}

function bare(name: string): string {
  return name.replaceAll("'", "");
}

type Offer = Omit<Candidate, "span">;

function complete(text: string, units: KnownUnits, offset: number): Candidate[] {
  // A signal is one name with its dots: behind a dot its ports are offered.
  const dotted = /([_\p{L}][_\p{L}\p{N}]*)\.([_\p{L}\p{N}.]*)$/u.exec(text.slice(0, offset));
  const unit = dotted?.[1] === undefined ? undefined : units.get(dotted[1]);
  if (dotted !== null) {
    const [, name = "", typed = ""] = dotted;
    if (unit === undefined) return [];
    const span = { offset: offset - typed.length - name.length - 1, end: offset };
    return portOffers(name, unit).map((one) => ({ span, ...one }));
  }
  const expected = expectationAt(STYLE, text, offset);
  if (expected === undefined) return [];
  const { span, keywords, node, property, tree } = expected;
  const patterns = keywords.filter((word) => word in PATTERNS);
  const isName = property === "name" && (node?.$type === "SignalName" || node?.$type === "Call");
  const isUnit = node?.$type === "UnitProperty" && property === "owner";
  const offers: Offer[] = [
    ...(isName ? statementOffers(tree, offset) : []),
    ...(isName || isUnit ? unitOffers(units) : []),
    ...(isName ? functionOffers() : []),
    ...patterns.map((kind): Offer => patternOffer(kind as keyof typeof PATTERNS)),
    ...keywords
      .filter((word) => !patterns.includes(word))
      .map((label): Offer => ({ label, kind: "keyword", rank: 5 })),
  ];
  return offers.map((one) => ({ span, ...one }));
}

/** The whole name is written, in quotes where it needs them. */
function portOffers(unit: string, description: UnitDescription): Offer[] {
  return description.ports
    .filter(({ direction }) => direction !== "independent")
    .map((port) => ({
      label: `${unit}.${port.name}`,
      kind: "port" as const,
      insert: printSignal(`${unit}.${port.name}`),
      detail: natureLine(port),
      documentation: portPageOf(`${unit}.${port.name}`, port, description),
      rank: port.direction === "output" ? 0 : 1,
    }));
}

function unitOffers(units: KnownUnits): Offer[] {
  return [...units].map(([label, description]) => ({
    label,
    kind: "unit",
    detail: unitLine(description),
    rank: 1,
  }));
}

/** Those of the hint that the cursor is in. */
function statementOffers(tree: ast.HintFile, offset: number): Offer[] {
  const around = tree.hints.findLast((hint) => (hint.$cstNode?.offset ?? 0) <= offset);
  return (around?.statements ?? []).flatMap(({ name, kind, value }): Offer[] =>
    name === undefined || name === HERE
      ? []
      : [
          {
            label: name,
            kind: "variable",
            detail: kind,
            documentation: value?.$cstNode?.text ?? "",
          },
        ],
  );
}

function functionOffers(): Offer[] {
  return Object.entries(FORMULA_FUNCTIONS).map(([label, { usage, help }]) => ({
    label,
    kind: "function",
    insert: `${label}(`,
    detail: usage,
    documentation: help,
    rank: 3,
  }));
}

function patternOffer(kind: keyof typeof PATTERNS): Offer {
  const { usage, help } = PATTERNS[kind];
  return { label: kind, kind: "keyword", insert: `${kind}: `, detail: usage, documentation: help };
}

function hover(
  tree: ast.HintFile,
  things: readonly HintThing[],
  units: KnownUnits,
  offset: number,
): Hover | undefined {
  const found = thingAt(things, offset);
  if (found !== undefined) return thingHover(found, things, tree, units);
  for (const node of AstUtils.streamAst(tree)) {
    const isPattern = node.$type === "Pattern";
    const span =
      isPattern || node.$type === "Call" ? spanOf(node, isPattern ? "kind" : "name") : undefined;
    if (span === undefined || offset < span.offset || offset > span.end) continue;
    const word = isPattern ? (node as ast.Pattern).kind : (node as ast.Call).name;
    const pattern = PATTERNS[word.replace(/^(Min|Max)D/, "$1imumD") as keyof typeof PATTERNS];
    const about = isPattern ? pattern : FORMULA_FUNCTIONS[word];
    if (about !== undefined)
      return { span, markdown: paragraphs([`**${word}**: \`${about.usage}\``, about.help]) };
  }
  return undefined;
}

function thingHover(
  { span, name, key, unit }: HintThing,
  things: readonly HintThing[],
  tree: ast.HintFile,
  units: KnownUnits,
): Hover | undefined {
  if (unit !== undefined) {
    const description = units.get(unit);
    const port = description?.ports.find(
      (one) => `${unit}.${one.name}` === name.replace(/\[.*$/, ""),
    );
    if (port !== undefined) return { span, markdown: portPageOf(name, port, description) };
    return description && { span, markdown: paragraphs(descriptionTexts(description)) };
  }
  if (!key.startsWith("statement")) return undefined;
  const declared = declarationOf(things, key);
  for (const node of AstUtils.streamAst(tree))
    if (node.$type === "Statement" && spanOf(node, "name")?.offset === declared?.span.offset)
      return { span, markdown: `\`${node.$cstNode?.text.replace(/\s+/g, " ") ?? name}\`` };
  return undefined;
}

function outline(tree: ast.HintFile): OutlineItem[] {
  return tree.hints.flatMap((hint): OutlineItem[] => {
    const span = spanOf(hint, "name");
    if (span === undefined || hint.name === undefined) return [];
    const children = hint.statements.flatMap((one): OutlineItem[] => {
      const at = spanOf(one, "name");
      if (at === undefined || one.name === undefined) return [];
      const { name, kind: detail } = one;
      return [{ name, detail, kind: "variable", whole: wholeSpan(one), span: at, children: [] }];
    });
    const detail = hint.pattern?.kind ?? "";
    return [{ name: hint.name, detail, kind: "rules", whole: wholeSpan(hint), span, children }];
  });
}
