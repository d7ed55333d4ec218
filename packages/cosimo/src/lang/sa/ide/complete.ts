/**
 * What an editor offers at the cursor: names that mean something there, with what they are, and the
 * words that the grammar takes.
 */
import type { AstNode } from "langium";
import { SA_CLOCK, SA_FUNCTIONS } from "../../../model/adaptation/functions.ts";
import type { PhysicalUnit } from "../../../model/physical-unit.ts";
import type { Candidate } from "../../text/editor-language.ts";
import { unitLine } from "../../text/port-texts.ts";
import { type Span, spanOf, wholeSpan } from "../../text/span.ts";
import type * as ast from "../ast.ts";
import type { Part } from "../check-scope.ts";
import { findPort, type InnerPort, type InnerPorts } from "../inner-ports.ts";
import { printName, readName } from "../names.ts";
import { type Expectation, expectationAt } from "./expectation.ts";
import { signatureText } from "./hover.ts";
import { measures } from "./measures.ts";
import { directionOf, isAssigned, isUnitArgument, listOf, partOf } from "./part-of.ts";
import { portLine, portPage } from "./port-texts.ts";
import {
  adaptationAt,
  describedPorts,
  type Inner,
  portsOfInner,
  type SaDocument,
} from "./sa-document.ts";
import { type SaSymbol, symbolTable } from "./symbols.ts";
import { isVisible, typeOfVariable } from "./types.ts";

export function completionsAt(document: SaDocument, inner: Inner, offset: number): Candidate[] {
  const expected = expectationAt(document.text, offset);
  if (expected === undefined) return [];
  const names = new Completion(document, inner, expected).names();
  const { span, keywords } = expected;
  return [
    ...names.map((one) => ({ span, ...one })),
    ...keywords.map((label): Candidate => ({ label, kind: "keyword", span, rank: 5 })),
  ];
}

type Offer = Omit<Candidate, "span"> & { readonly span?: Span };

class Completion {
  private readonly document: SaDocument;
  private readonly inner: Inner;
  private readonly expected: Expectation;
  private readonly units: readonly InnerPorts[];
  private readonly symbols: readonly SaSymbol[];

  constructor(document: SaDocument, inner: Inner, expected: Expectation) {
    this.document = document;
    this.inner = inner;
    this.expected = expected;
    this.units = portsOfInner(document, inner);
    // The text with a name at the cursor is often the one that can be read.
    this.symbols = symbolTable(adaptationAt(expected.tree, expected.span.offset)).symbols.filter(
      ({ span }) => span.offset !== expected.span.offset,
    );
  }

  names(): Offer[] {
    const { node, property } = this.expected;
    switch (node?.$type) {
      case "Reference": {
        const reference = node as ast.Reference;
        return reference.unit === undefined || property === "unit"
          ? this.values(reference)
          : this.portsOf(readName(reference.unit), directionOf(reference));
      }
      case "Call":
        return this.functions(partOf(node));
      case "PortName": {
        const { unit } = node as ast.PortName;
        if (property === "unit") return this.unitNames();
        return unit === undefined ? [] : this.portsOf(readName(unit), directionOf(node));
      }
      case "Port":
        if (property === "unit") return this.measures(node as ast.Port);
        return property === "name" ? this.portNames(node as ast.Port) : [];
      default:
        return [];
    }
  }

  private portsOf(unit: string, direction: "inputs" | "outputs"): Offer[] {
    if (unit === this.ownName()) {
      const kind = direction === "inputs" ? "output" : "input";
      return this.symbols.filter((one) => one.kind === kind).map((one) => this.ownPort(one));
    }
    const ports = this.units.find((one) => one.unit.name === unit)?.[direction] ?? [];
    return ports.map((port) => this.innerPort(port, direction));
  }

  private innerPort(port: InnerPort, direction: "inputs" | "outputs"): Offer {
    const description = this.inner.get(port.unit);
    return {
      label: port.name,
      kind: "port",
      insert: printName(port.name),
      detail: portLine(port, description),
      documentation: portPage(port, direction === "inputs" ? "input" : "output", description),
    };
  }

  private ownName(): string | undefined {
    return this.symbols.find(({ kind }) => kind === "adaptation")?.name;
  }

  private ownPort({ name, kind }: SaSymbol): Offer {
    return {
      label: name,
      kind: "port",
      insert: printName(name),
      detail: `${kind} of this adaptation`,
    };
  }

  private unitNames(): Offer[] {
    return this.symbols
      .filter(({ kind }) => kind === "unit")
      .map(({ name }) => {
        const description = this.inner.get(name);
        return {
          label: name,
          kind: "unit" as const,
          insert: printName(name),
          detail: description === undefined ? "inner unit" : unitLine(description),
        };
      });
  }

  private values(node: ast.Reference): Offer[] {
    const part = partOf(node);
    if (isUnitArgument(node)) return this.unitNames();
    if (isAssigned(node)) return this.targets(node, part);
    const params = this.symbols.filter(({ kind }) => kind === "param");
    const functions = this.functions(part);
    if (part === "initial") {
      const above = params.filter((one) => wholeSpan(one.node).end < this.expected.span.offset);
      return [...above.map((one) => this.variable(one)), ...functions];
    }
    const inputs = this.symbols.filter(({ kind }) => kind === "input");
    return [
      ...this.locals(node),
      ...this.variables(() => true),
      ...inputs.map((one) => this.ownPort(one)),
      ...this.clocks(part),
      ...this.unitNames(),
      ...functions,
    ];
  }

  /** What may be assigned in this part, and what may be called for its effect. */
  private targets(node: ast.Reference, part: Part): Offer[] {
    const own = this.ownName();
    const outputs = this.symbols.filter(({ kind }) => kind === "output");
    return [
      ...this.locals(node),
      ...this.variables((kind) => ASSIGNED_IN[kind] === part),
      ...(part === "map-in" || part === "control" ? this.unitNames() : []),
      ...(part === "out" ? outputs.map((one) => this.ownPort(one)) : []),
      ...(part === "out" && own !== undefined
        ? [{ label: own, kind: "unit" as const, insert: printName(own), detail: "this adaptation" }]
        : []),
      ...(part === "control" ? this.functions(part).filter(({ rank }) => rank === 1) : []),
    ];
  }

  private locals(node: AstNode): Offer[] {
    return this.symbols
      .filter(
        (one) =>
          one.kind === "local" &&
          one.span.offset < this.expected.span.offset &&
          isVisible(one.node, node),
      )
      .map((one) => this.variable(one));
  }

  private variables(may: (kind: keyof typeof ASSIGNED_IN) => boolean): Offer[] {
    return this.symbols
      .filter(({ kind }) => kind in ASSIGNED_IN && may(kind as keyof typeof ASSIGNED_IN))
      .map((one) => this.variable(one));
  }

  private variable(symbol: SaSymbol): Offer {
    const { name, kind } = symbol;
    const known = this.document.symbols.symbols.find(
      (one) => one.kind === kind && one.name === name,
    );
    const type = known && typeOfVariable(this.document, this.inner, known);
    const what = kind === "local" ? "local variable" : kind === "param" ? "parameter" : kind;
    return {
      label: name,
      kind: kind === "param" ? "parameter" : "variable",
      insert: printName(name),
      detail: type === undefined ? what : `${type}, ${what}`,
    };
  }

  private clocks(part: Part): Offer[] {
    const names = part === "control" ? ["t", "H"] : [...SA_CLOCK.keys()];
    if (part === "in" || part === "out") return [];
    return names.map((label) => ({
      label,
      kind: "variable" as const,
      detail: "real (s)",
      documentation: SA_CLOCK.get(label) ?? "",
      rank: 1,
    }));
  }

  private functions(part: Part): Offer[] {
    return [...SA_FUNCTIONS]
      .filter(([, { controlOnly, ofUnit }]) => part === "control" || !(controlOnly || ofUnit))
      .map(([label, known]) => ({
        label,
        kind: "function" as const,
        detail: signatureText(known),
        documentation: known.text,
        rank: known.ofUnit ? 1 : 2,
      }));
  }

  /**
   * Names for a new port: of an inner unit those that it has, of the adaptation those that can be
   * bound.
   */
  private portNames(node: ast.Port): Offer[] {
    const { ports, direction, unit } = listOf(node);
    const listed = new Set(
      ports.flatMap(({ name }) => (name === undefined ? [] : [readName(name)])),
    );
    const found =
      unit === undefined
        ? this.units.flatMap((one) => one[direction])
        : describedPorts(unit, this.inner)[direction];
    return found
      .filter(({ name }) => !listed.has(name))
      .map((port) => {
        const offer = this.innerPort(port, direction);
        return unit === undefined ? { ...offer, ...bound(port, direction) } : offer;
      });
  }

  private measures(node: ast.Port): Offer[] {
    const wanted = this.measureInside(node);
    // The whole unit is replaced: what was typed may be the first half of `rad/s`.
    const span = spanOf(node, "unit");
    const start = span?.offset ?? this.expected.span.offset;
    return measures(wanted).map(({ name, detail, fits }) => ({
      label: name,
      kind: "measure" as const,
      detail,
      rank: fits ? 0 : 4,
      span: { offset: start, end: this.expected.span.end },
    }));
  }

  private measureInside(node: ast.Port): PhysicalUnit | undefined {
    const { direction, unit } = listOf(node);
    if (unit !== undefined) {
      const ports = describedPorts(unit, this.inner)[direction];
      return ports.find(({ name }) => name === readName(node.name ?? ""))?.physical;
    }
    const inside = node.target ?? node.source;
    if (inside?.unit === undefined || inside.port === undefined) return undefined;
    const name = { unit: readName(inside.unit), port: readName(inside.port) };
    return findPort(this.units, name, direction)?.physical;
  }
}

/** The whole declaration of an own port: `height (cm) <- window.height`. */
function bound(
  { unit, name, physical }: InnerPort,
  direction: "inputs" | "outputs",
): Pick<Offer, "insert" | "detail"> {
  const measure = physical === undefined || physical.name === "" ? "" : ` (${physical.name})`;
  const inside = `${printName(unit)}.${printName(name)}`;
  const arrow = direction === "inputs" ? "->" : "<-";
  return {
    insert: `${printName(name)}${measure} ${arrow} ${inside}`,
    detail: `${arrow} ${inside}`,
  };
}

/** Where variables are assigned; parameters nowhere. */
const ASSIGNED_IN = {
  param: undefined,
  "in var": "in",
  "control var": "control",
  "out var": "map-out",
} as const;
