/**
 * Scenarios, as editors ask about them. The text is YAML, mostly unfinished, so everything is
 * answered from what a tolerant parser makes of it.
 */
import { portNamed } from "../../../model/unit-description.ts";
import { FORMULA_FUNCTIONS } from "../../requirement/words.ts";
import type {
  EditorDocument,
  EditorLanguage,
  Hover,
  InsideText,
  KnownUnits,
  OutlineItem,
  Refusal,
  Target,
} from "../../text/editor-language.ts";
import { declarationOf, renamable, renameThing, thingAt, usesOf } from "../../text/named-things.ts";
import { descriptionTexts, paragraphs, portPageOf } from "../../text/port-texts.ts";
import { applyEdits, type Edit, lineEnd, type Span } from "../../text/span.ts";
import { parseScenarioYaml } from "../parse-scenario.ts";
import { UNIT_NAME } from "../parse-units.ts";
import { completionsAt } from "./complete.ts";
import { roleAt } from "./roles.ts";
import { namesOf, type ScenarioNames } from "./scenario-names.ts";
import { textAt, wordsAt } from "./schema.ts";
import { contextsAt, type WrittenScalar } from "./yaml-context.ts";
import { findingFix, findingSpan } from "./yaml-findings.ts";

/** YAML has more than one good layout: it is left to its author. */
export const SCENARIO_LANGUAGE: EditorLanguage = { id: "scenario", open };

function open(text: string, file: string): EditorDocument {
  const names = namesOf(text);
  const { things, sources, interfaces } = names;
  return {
    text,
    names: JSON.stringify([...sources, ...interfaces]),
    complete: (units, offset) => completionsAt({ text, names, units, offset }),
    insideText: (offset) => insideText(text, offset),
    hover: (units, offset) => hover(text, names, units, offset),
    definition: (offset) => definition(names, offset),
    uses: (offset) => usesOf(things, offset),
    declarationOf: (port) => exposedPort(names, port),
    outline: () => outline(text, names),
    renamable: (offset) => renamable(things, offset),
    rename: (_, offset, to) => rename(text, file, names, offset, to),
    spanOf: (finding) => findingSpan(text, names.scalars, finding),
    fix: (finding) => findingFix(text, names.scalars, finding),
  };
}

/** A path is completed by the files that are there. */
function insideText(text: string, offset: number): InsideText | undefined {
  for (const { isKey, path, before, behind } of contextsAt(text, offset)) {
    const role = isKey ? undefined : roleAt(path);
    if (role?.kind !== "file" || before.includes("\n")) continue;
    const rest = behind.split("\n", 1)[0]!.length;
    return { span: { offset: offset - before.length, end: offset + rest }, endings: role.endings };
  }
  return undefined;
}

function hover(
  text: string,
  names: ScenarioNames,
  units: KnownUnits,
  offset: number,
): Hover | undefined {
  const { things, sources } = names;
  const thing = thingAt(things, offset);
  if (thing?.unit !== undefined) {
    const description = units.get(thing.unit);
    const port = description && portNamed(description, thing.name.replace(/\[[^\]]*\]$/, ""));
    if (port === undefined) return undefined;
    const markdown = portPageOf(`${thing.unit}.${thing.name}`, port, description);
    return { span: thing.span, markdown };
  }
  if (thing !== undefined) {
    const description = units.get(thing.name);
    const source = sources.get(thing.name);
    const file = source && "path" in source ? source.path : undefined;
    const head = file === undefined ? `**${thing.name}**` : `**${thing.name}**: \`${file}\``;
    const texts = description === undefined ? [] : descriptionTexts(description);
    return { span: thing.span, markdown: paragraphs([head, ...texts]) };
  }
  const scalar = scalarAt(names, offset);
  if (scalar === undefined) return undefined;
  const ofFunction = functionHover(text, scalar, offset);
  if (ofFunction !== undefined) return ofFunction;
  const isWord = scalar.isKey || wordsAt(scalar.path).includes(scalar.value);
  const markdown = isWord ? textAt(scalar.path) : "";
  return markdown === ""
    ? undefined
    : { span: scalar, markdown: `**${scalar.path.at(-1)}**: ${markdown}` };
}

/** A function of a requirement. */
function functionHover(text: string, scalar: WrittenScalar, offset: number): Hover | undefined {
  if (scalar.isKey || roleAt(scalar.path)?.kind !== "formula") return undefined;
  const begin = /[\p{L}\p{N}_]*$/u.exec(text.slice(scalar.offset, offset))?.[0] ?? "";
  const rest = /^[\p{L}\p{N}_]*/u.exec(text.slice(offset, scalar.end))?.[0] ?? "";
  const word = begin + rest;
  if (!Object.hasOwn(FORMULA_FUNCTIONS, word)) return undefined;
  const { usage, help } = FORMULA_FUNCTIONS[word] ?? { usage: word, help: "" };
  const span = { offset: offset - begin.length, end: offset + rest.length };
  return { span, markdown: paragraphs([`**${word}**: \`${usage}\``, help]) };
}

function scalarAt({ scalars }: ScenarioNames, offset: number): WrittenScalar | undefined {
  return (
    scalars.find((one) => one.offset <= offset && offset < one.end) ??
    scalars.find((one) => one.end === offset)
  );
}

/**
 * Files that an editor shows have ports of their own; of an FMU, the unit's line is the best there
 * is.
 */
const TEXT_FILE = /\.(sa|mci|mbi|mcl|ya?ml|ssd|[cm]?[jt]s)$/i;

function definition(
  { things, files, sources, interfaces }: ScenarioNames,
  offset: number,
): Target | undefined {
  const file = files.find(({ span }) => span.offset <= offset && offset <= span.end);
  if (file !== undefined) return { kind: "there", from: file.span, source: file.path };
  const thing = thingAt(things, offset);
  if (thing === undefined) return undefined;
  const { span: from } = thing;
  const unit = thing.unit ?? thing.name;
  const source = sources.get(unit);
  const path = interfaces.get(unit) ?? (source && "path" in source ? source.path : undefined);
  const isText = path !== undefined && TEXT_FILE.test(path);
  if (thing.unit !== undefined && isText)
    return { kind: "there", from, source: path, port: thing.name };
  // From its own declaration a unit leads to its file.
  if (thing.isDeclaration && isText) return { kind: "there", from, source: path };
  const declared = declarationOf(things, `unit ${unit}`);
  return declared && { kind: "here", from, span: declared.span };
}

/** A port that this scenario shows to others. */
function exposedPort({ scalars }: ScenarioNames, port: string): Span | undefined {
  return scalars.find(({ isKey, path }) => isKey && path.join("\n") === `ports\n${port}`);
}

function rename(
  text: string,
  file: string,
  { things }: ScenarioNames,
  offset: number,
  to: string,
): readonly Edit[] | Refusal {
  const edits = renameThing(things, offset, to, (name) => name);
  if ("refused" in edits) return edits;
  const name = to.trim();
  if (!UNIT_NAME.test(name))
    return { refused: `'${name}' is not a name of a unit: letters, digits, _ and -.` };
  const errors = (one: string): number =>
    parseScenarioYaml(one, file).diagnostics.filter(({ severity }) => severity === "error").length;
  if (errors(applyEdits(text, edits)) > errors(text))
    return { refused: `Something would be wrong with '${name}' in this text.` };
  return edits;
}

const SECTIONS: ReadonlySet<string> = new Set([
  "connections",
  "bonds",
  "events",
  "faults",
  "experiment",
  "master",
  "record",
]);

function outline(text: string, { things, scalars, sources }: ScenarioNames): OutlineItem[] {
  const units = things
    .filter(({ isDeclaration }) => isDeclaration)
    .map(({ name, span }): OutlineItem => {
      const source = sources.get(name);
      const detail = source && "path" in source ? source.path : "";
      return { name, detail, kind: "unit", whole: span, span, children: [] };
    });
  const sections = scalars
    .filter(({ isKey, path, value }) => isKey && path.length === 1 && SECTIONS.has(value))
    .map(({ value: name, offset, end }): OutlineItem => {
      const span = { offset, end };
      const whole = { offset, end: Math.max(end, lineEnd(text, offset)) };
      return { name, detail: "", kind: "rules", whole, span, children: [] };
    });
  return [...units, ...sections].sort((a, b) => a.span.offset - b.span.offset);
}
