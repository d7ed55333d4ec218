/**
 * Specifications, as editors ask about them: units that are loaded, their ports where they fit
 * (outputs before the arrow; behind it inputs whose type and nature go with the source), temporal
 * references, and words where the grammar takes them.
 */
import { type AstNode, AstUtils } from "langium";
import { natureProblem } from "../../../model/natures.ts";
import type { Port } from "../../../model/unit-description.ts";
import { interfaceType } from "../../../model/unit-interface.ts";
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
  type Expectation,
  expectationAt,
  HERE,
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
  natureLine,
  paragraphs,
  portPageOf,
  unitLine,
} from "../../text/port-texts.ts";
import { withSlashes } from "../../text/slashes.ts";
import { spanOf, wholeSpan } from "../../text/span.ts";
import type * as ast from "../ast.ts";
import { formatMcl } from "../format-mcl.ts";
import { MCL, printName, printPort } from "../language.ts";
import { unitName } from "../specification.ts";

export const MCL_LANGUAGE: EditorLanguage = { id: "mcl", open, format: formatMcl };

const STYLE: CompletionStyle<ast.Specification> = {
  language: MCL,
  closings: [
    "",
    ".p",
    ".p occurs",
    " occurs",
    " is ReadyToRead do a.b -> c.d",
    " -> a.b",
    " do a.b -> c.d",
  ],
  phrases: [
    "event on",
    "value on",
    "has been Updated",
    "is ReadyToRead",
    "rises above",
    "falls below",
  ],
  nameRules: new Set(["UnitName", "PortPart"]),
  behind: (phrase) => BEHIND[phrase] ?? ` ${HERE}`,
  quote: '"',
};

/** What tells a word from others that begin alike. */
const BEHIND: Readonly<Record<string, string>> = {
  load: ' ""',
  "value on": ` ${HERE}.p is ReadyToRead`,
  value: ` on ${HERE}.p is ReadyToRead`,
};

const WHOLES: ReadonlySet<string> = new Set(["PortName", "Load", "Interaction"]);
/** Findings about the unit before the dot. */
const ABOUT_UNITS: ReadonlySet<string> = new Set(["mcl-unknown-unit", "unknown-unit"]);

interface McThing extends NamedThing {
  /** Of a port or a temporal reference: its unit. */
  readonly unit?: string;
}

function open(text: string): EditorDocument {
  const tree = MCL.parseTree(text).value;
  const loads = new Map(
    tree.loads.flatMap((load) => {
      const name = nameOf(load);
      return name === undefined ? [] : [[name, load] as const];
    }),
  );
  const things = thingsOf(tree);
  const spanOfFinding: EditorDocument["spanOf"] = (finding) =>
    findingSpan(text, tree, finding, WHOLES);
  return {
    text,
    names: JSON.stringify([...loads].map(([name, { path }]) => [name, path])),
    complete: (units, offset) => complete(text, units, offset),
    insideText(offset) {
      const quoted = quotedTextAt(MCL, text, offset);
      const before = quoted?.before.at(-1) ?? "";
      if (quoted === undefined || before === "." || before === "as") return undefined;
      return { span: quoted.span, endings: before === "load" ? [".mci", ".mbi"] : [] };
    },
    hover: (units, offset) => hover(things, loads, units, offset),
    definition(offset) {
      for (const load of tree.loads) {
        const span = spanOf(load, "path");
        if (span && span.offset <= offset && offset <= span.end)
          return { kind: "there", from: span, source: withSlashes(load.path) };
      }
      const found = thingAt(things, offset);
      const source = found?.unit === undefined ? undefined : loads.get(found.unit)?.path;
      if (found !== undefined && source !== undefined)
        return { kind: "there", from: found.span, source: withSlashes(source), port: found.name };
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
      const print = isUnit ? printName : printPort;
      return meantWord(text, spanOfFinding(finding), finding, !isUnit, print);
    },
  };
}

function nameOf({ path, name }: Partial<ast.Load>): string | undefined {
  if (path === undefined) return undefined;
  const place = { file: "" };
  return unitName({ path, ...(name !== undefined && { name: name }), place });
}

function thingsOf(tree: ast.Specification): McThing[] {
  const things: McThing[] = [];
  for (const load of tree.loads) {
    const name = nameOf(load);
    const span = spanOf(load, load.name === undefined ? "path" : "name");
    if (name === undefined || span === undefined) continue;
    things.push({
      span,
      name,
      key: `unit ${name}`,
      isDeclaration: true,
      ...(load.name === undefined && {
        fixed: "This unit has the name of its file: give it another with 'as'.",
      }),
    });
  }
  for (const node of AstUtils.streamAst(tree)) {
    if (node.$type === "Connector") {
      const { name } = node as Partial<ast.Connector>;
      const span = spanOf(node, "name");
      if (span === undefined || name === undefined) continue;
      const text = name;
      things.push({ span, name: text, key: `connector ${text}`, isDeclaration: true });
    }
    if (node.$type === "PortName") things.push(...portThings(node as ast.PortName));
  }
  return things;
}

function portThings(node: ast.PortName): McThing[] {
  const span = spanOf(node, "unit");
  const { unit: text, port = [] } = node as Partial<ast.PortName>;
  if (span === undefined || text === undefined) return [];
  const unit = text;
  const things: McThing[] = [{ span, name: unit, key: `unit ${unit}`, isDeclaration: false }];
  const name = port.join(".");
  const first = spanOf(node, "port");
  if (name === "" || first === undefined) return things;
  const end = Math.max(first.end, first.offset + port.join(".").length);
  things.push({
    span: { offset: first.offset, end },
    name,
    key: `port ${unit}.${name}`,
    isDeclaration: false,
    unit,
  });
  return things;
}

/** What a port is for where it stands. */
type Role = "source" | "target" | "trigger" | "reference";

function roleOf(node: AstNode): Role {
  const { $container: around, $containerProperty: property } = node;
  if (around?.$type === "Every" || around?.$type === "Synchronization") return "reference";
  if (around?.$type === "Event" || around?.$type === "Updated") return "source";
  if (around?.$type === "ReadyToRead") return "target";
  if (around?.$type === "Interaction") return property === "target" ? "target" : "source";
  if (around?.$type === "Connector") return property === "to" ? "target" : "source";
  return "source";
}

function complete(text: string, units: KnownUnits, offset: number): Candidate[] {
  const expected = expectationAt(STYLE, text, offset);
  if (expected === undefined) return [];
  const { span, keywords } = expected;
  return [
    ...names(expected, units, text.slice(offset)).map((one) => ({ span, ...one })),
    ...keywords.map((label): Candidate => ({ label, kind: "keyword", span, rank: 5 })),
  ];
}

type Offer = Omit<Candidate, "span">;

/** @param rest behind the cursor: of a value it may say whether it is updated or read. */
function names(expected: Expectation<ast.Specification>, units: KnownUnits, rest: string): Offer[] {
  const { node, property, tree } = expected;
  if (node?.$type !== "PortName") return [];
  const { unit } = node as Partial<ast.PortName>;
  if (property === "unit" || unit === undefined)
    return tree.loads.flatMap((load): Offer[] => {
      const name = nameOf(load);
      if (name === undefined) return [];
      const description = units.get(name);
      const detail = description === undefined ? load.path : unitLine(description);
      return [{ label: name, kind: "unit", insert: printName(name), detail }];
    });
  const name = unit;
  const description = units.get(name);
  if (description === undefined) return [];
  const role = roleOf(node);
  return description.ports
    .filter((port) => fits(port, role, node, units, rest))
    .map((port) => ({
      label: port.name,
      kind: role === "reference" ? ("variable" as const) : ("port" as const),
      insert: printPort(port.name),
      detail: role === "reference" ? (port.description ?? "") : natureLine(port),
      ...(role === "reference"
        ? {}
        : { documentation: portPageOf(`${name}.${port.name}`, port, description) }),
    }));
}

/** Temporal references are ports that are independent (host/language-server/describe-texts.ts). */
function fits(port: Port, role: Role, node: AstNode, units: KnownUnits, rest: string): boolean {
  if (role === "reference") return port.direction === "independent";
  const around = node.$container;
  if (around?.$type === "Updated" || around?.$type === "ReadyToRead") {
    const isConstant = port.nature === "piecewise-constant";
    if (/^\s*has\b/.test(rest)) return port.direction === "output" && isConstant;
    if (/^\s*is\b/.test(rest)) return port.direction === "input" && isConstant;
    // Not said yet: it may also be a threshold.
    const isCompared = port.direction === "output" && port.nature !== "transient";
    return isCompared || (isConstant && !/^\s*(?:rises|falls)\b/.test(rest));
  }
  if (port.direction !== (role === "target" ? "input" : "output")) return false;
  if (around?.$type === "Event") return port.nature === "transient";
  const source = role === "target" ? sourceOf(node, units) : undefined;
  if (source === undefined) return true;
  const isNumber = (one: Port): boolean => !/^(String|Binary|Clock)$/.test(interfaceType(one.type));
  return (
    natureProblem(source.nature, port.nature) === undefined && isNumber(source) === isNumber(port)
  );
}

/** The port before the arrow, or behind `from`. */
function sourceOf(node: AstNode, units: KnownUnits): Port | undefined {
  const { source, from } = (node.$container ?? {}) as {
    readonly source?: ast.Expression;
    readonly from?: ast.PortName;
  };
  const before = source ?? from;
  if (before?.$type !== "PortName") return undefined;
  const { unit = "", port = [] } = before as Partial<ast.PortName>;
  const name = port.join(".");
  return units.get(unit)?.ports.find((one) => one.name === name);
}

function hover(
  things: readonly McThing[],
  loads: ReadonlyMap<string, ast.Load>,
  units: KnownUnits,
  offset: number,
): Hover | undefined {
  const found = thingAt(things, offset);
  if (found === undefined || found.key.startsWith("connector ")) return undefined;
  const { span, name, unit } = found;
  if (unit === undefined) {
    const description = units.get(name);
    const path = loads.get(name)?.path;
    if (path === undefined) return undefined;
    const about =
      description === undefined ? ["Its interface cannot be read."] : descriptionTexts(description);
    return { span, markdown: paragraphs([`**${name}**: unit, interface \`${path}\``, ...about]) };
  }
  const description = units.get(unit);
  const port = description?.ports.find((one) => one.name === name);
  if (port === undefined) return undefined;
  const full = `${unit}.${name}`;
  if (port.direction === "independent")
    return { span, markdown: paragraphs([`**${full}**: temporal reference`, port.description]) };
  return { span, markdown: portPageOf(full, port, description) };
}

function outline(tree: ast.Specification): OutlineItem[] {
  const loads = tree.loads.flatMap((load): OutlineItem[] => {
    const name = nameOf(load);
    const span = spanOf(load, load.name === undefined ? "path" : "name");
    if (name === undefined || span === undefined) return [];
    return [{ name, detail: load.path, kind: "unit", whole: wholeSpan(load), span, children: [] }];
  });
  const connectors = tree.connectors.flatMap((connector): OutlineItem[] => {
    const span = spanOf(connector, "name");
    if (span === undefined || connector.name === undefined) return [];
    const detail = connector.trigger?.$cstNode?.text.replace(/\s+/g, " ") ?? "";
    const name = connector.name;
    return [{ name, detail, kind: "connector", whole: wholeSpan(connector), span, children: [] }];
  });
  return [...loads, ...connectors];
}
