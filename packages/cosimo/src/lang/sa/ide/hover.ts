/**
 * What a name in a text means, as an editor shows it on hover.
 */
import type { AdaptationPort } from "../../../model/adaptation/data.ts";
import { SA_CLOCK, SA_FUNCTIONS, type SaFunction } from "../../../model/adaptation/functions.ts";
import { portNamed } from "../../../model/unit-description.ts";
import type { Hover } from "../../text/editor-language.ts";
import { paragraphs } from "../../text/port-texts.ts";
import { spanOf } from "../../text/span.ts";
import type * as ast from "../ast.ts";
import { findPort, type InnerPort, type InnerPorts, physicalUnit } from "../inner-ports.ts";
import { measureText } from "./measures.ts";
import { conversionText, otherPortPage, portPage, typeText, unitPage } from "./port-texts.ts";
import { type Inner, portsOfInner, type SaDocument, withAllPorts } from "./sa-document.ts";
import { type Occurrence, occurrenceAt, type SaSymbol, type Storage } from "./symbols.ts";
import { typeOfVariable } from "./types.ts";

export function hoverAt(document: SaDocument, inner: Inner, offset: number): Hover | undefined {
  const occurrence = occurrenceAt(document.symbols, offset);
  if (occurrence === undefined) return measureAt(document, offset);
  const markdown = textOf(document, inner, occurrence);
  return markdown === undefined ? measureAt(document, offset) : { span: occurrence.span, markdown };
}

export function signatureText({ usage, result }: SaFunction): string {
  if (result === "none") return usage;
  return `${usage} → ${result === "like-arguments" ? "number" : result}`;
}

function textOf(document: SaDocument, inner: Inner, occurrence: Occurrence): string | undefined {
  const { symbol, role, name, unit } = occurrence;
  if (role === "function") return functionPage(name);
  if (symbol !== undefined) return symbolPage(document, inner, symbol);
  if (role === "port") return innerPortPage(document, inner, unit ?? "", name);
  if (role !== "value") return undefined;
  if (SA_CLOCK.has(name)) return paragraphs([`**${name}**: real (s)`, SA_CLOCK.get(name)]);
  return inheritedPage(document, inner, name);
}

function symbolPage(document: SaDocument, inner: Inner, symbol: SaSymbol): string | undefined {
  switch (symbol.kind) {
    case "adaptation":
      return adaptationPage(document);
    case "unit": {
      const { source } = symbol.node as ast.InnerUnit;
      return unitPage(symbol.name, source, inner.get(symbol.name));
    }
    case "input":
    case "output":
      return ownPortPage(document, inner, symbol);
    case "unit port":
      return innerPortPage(document, inner, symbol.unit ?? "", symbol.name);
    default:
      return variablePage(document, inner, symbol);
  }
}

function functionPage(name: string): string | undefined {
  const known = SA_FUNCTIONS.get(name);
  if (known === undefined) return undefined;
  return paragraphs([
    `\`\`\`sa\n${signatureText(known)}\n\`\`\``,
    known.text,
    known.controlOnly ? "In control rules only." : undefined,
  ]);
}

function adaptationPage({ tree }: SaDocument): string {
  const { name, type, inputKind, outputKind } = tree;
  const inputs = inputKind === undefined ? "inputs" : `${inputKind} inputs`;
  const outputs = outputKind === undefined ? "outputs" : `${outputKind} outputs`;
  const open = inputKind === undefined || outputKind === undefined ? " of the kinds inside" : "";
  return `**${name}**: this adaptation, type ${type}, ${inputs}, ${outputs}${open}`;
}

function innerPortPage(
  document: SaDocument,
  inner: Inner,
  unit: string,
  name: string,
): string | undefined {
  const units = portsOfInner(document, inner);
  const description = inner.get(unit);
  for (const direction of ["input", "output"] as const) {
    const port = findPort(units, { unit, port: name }, `${direction}s`);
    if (port !== undefined) return portPage(port, direction, description);
  }
  const other = description && portNamed(description, name);
  return other && otherPortPage(unit, other);
}

/** A name in a rule that stands for an input that the author omits. */
function inheritedPage(document: SaDocument, inner: Inner, name: string): string | undefined {
  const port = withAllPorts(document, inner)?.inputs?.find((one) => one.name === name);
  return port && boundPage(port, "input", portsOfInner(document, inner), document);
}

function ownPortPage(document: SaDocument, inner: Inner, symbol: SaSymbol): string {
  const direction = symbol.kind as "input" | "output";
  const node = symbol.node as ast.Port;
  const port = withAllPorts(document, inner)?.[`${direction}s`]?.find(
    ({ name }) => name === symbol.name,
  ) ?? { name: symbol.name, ...(node.type && { type: node.type }), place: { file: "" } };
  return boundPage(port, direction, portsOfInner(document, inner), document);
}

function boundPage(
  port: AdaptationPort,
  direction: "input" | "output",
  units: readonly InnerPorts[],
  { tree }: SaDocument,
): string {
  const { binding } = port;
  const bound = binding && findPort(units, binding, `${direction}s`);
  const physical = physicalUnit(port.unit) ?? bound?.physical;
  const type = port.type ?? bound?.type ?? "real";
  const declared = direction === "input" ? tree.inputKind : tree.outputKind;
  const kind = declared ?? "of the kind inside";
  return paragraphs([
    `**${port.name}**: ${direction} of this adaptation, ${typeText(type, physical)}, ${kind}`,
    binding && `${direction === "input" ? "→" : "←"} ${binding.unit}.${binding.port}`,
    bound && physical && converted(bound, physical, direction),
    bound?.described?.description,
  ]);
}

function converted(
  bound: InnerPort,
  physical: NonNullable<InnerPort["physical"]>,
  direction: "input" | "output",
): string | undefined {
  if (bound.physical === undefined) return undefined;
  const [from, to] =
    direction === "input" ? [physical, bound.physical] : [bound.physical, physical];
  const text = conversionText(from, to);
  return text && `Converted: ${text}.`;
}

const STORAGES: Readonly<Record<Storage | "local", string>> = {
  param: "parameter; scenarios can set it",
  "in var": "variable, assigned when inputs arrive (first part of in rules)",
  "control var": "variable, assigned by control rules",
  "out var": "variable, assigned after a step of an inner unit (first part of out rules)",
  local: "local variable",
};

function variablePage(document: SaDocument, inner: Inner, symbol: SaSymbol): string {
  const type = typeOfVariable(document, inner, symbol);
  const value = spanOf(symbol.node, "value");
  const initial = value && document.text.slice(value.offset, value.end);
  return paragraphs([
    `**${symbol.name}**: ${type === undefined ? "" : `${type}, `}${STORAGES[symbol.kind as Storage]}`,
    initial && `\`\`\`sa\n${symbol.name} := ${initial}\n\`\`\``,
  ]);
}

/** The physical unit that the cursor is in. */
function measureAt({ tree, text }: SaDocument, offset: number): Hover | undefined {
  const lists = [
    ...tree.inner.flatMap(({ inputs, outputs }) => [inputs, outputs]),
    ...tree.sections.map((section) =>
      section.$type === "InputPorts" || section.$type === "OutputPorts" ? section : undefined,
    ),
  ];
  for (const port of lists.flatMap((list) => list?.ports ?? [])) {
    const span = spanOf(port, "unit");
    if (span === undefined || offset < span.offset || offset > span.end) continue;
    const name = text.slice(span.offset, span.end);
    return { span, markdown: measureText(name) };
  }
  return undefined;
}
