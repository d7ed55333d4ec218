/**
 * The text of an `.mci` file → the interface it declares. Nothing is opened here; check-mci.ts says
 * what is wrong with an interface by itself, and model/apply-interface.ts what differs from its
 * unit.
 */
import type { AstNode } from "langium";
import { type Checked, type Diagnostic, hasErrors } from "../../base/diagnostic.ts";
import type { Nature } from "../../model/unit-description.ts";
import type {
  InterfacePort,
  InterfaceSource,
  TemporalReference,
  UnitInterface,
  UnitProperty,
} from "../../model/unit-interface.ts";
import type { Mutable } from "../scenario/mutable.ts";
import { placeOf } from "../text/text-language.ts";
import type * as ast from "./ast.ts";
import { checkMci } from "./check-mci.ts";
import { report } from "./diagnostics.ts";
import { MCI } from "./language.ts";

/** @returns the interface, without a value where the text does not follow the grammar. */
export function parseMci(text: string, file: string): Checked<UnitInterface> {
  const { value: tree, diagnostics: errors } = MCI.parse(text, file);
  if (tree === undefined) return { diagnostics: errors };
  const diagnostics: Diagnostic[] = [];
  const value = new Reader(file, diagnostics).interface(tree);
  return {
    value,
    diagnostics: hasErrors(diagnostics) ? diagnostics : [...diagnostics, ...checkMci(value)],
  };
}

const NATURES: Readonly<Record<string, Nature>> = {
  continuous: "continuous",
  "piecewise-continuous": "piecewise-continuous",
  piecewiseContinuous: "piecewise-continuous",
  "piecewise-constant": "piecewise-constant",
  piecewiseConstant: "piecewise-constant",
  constant: "constant",
  transient: "transient",
};

class Reader {
  private readonly file: string;
  private readonly diagnostics: Diagnostic[];

  constructor(file: string, diagnostics: Diagnostic[]) {
    this.file = file;
    this.diagnostics = diagnostics;
  }

  interface(tree: ast.Interface): UnitInterface {
    const ports: InterfacePort[] = [];
    const references: TemporalReference[] = [];
    const properties: UnitProperty[] = [];
    let source: InterfaceSource | undefined;
    const seen = new Once(this.file, this.diagnostics);
    for (const part of tree.parts) {
      const place = placeOf(part, this.file);
      switch (part.$type) {
        case "UnitPath":
          if (!seen.isNew("path", "the path of the unit", part)) break;
          source = { keyword: part.kind, path: part.path, place };
          break;
        case "Ports":
          for (const port of part.ports) ports.push(this.port(port));
          break;
        case "TemporalReferences":
          for (const one of part.references) {
            const name = one.name;
            if (!seen.isNew(`reference ${name}`, `the temporal reference '${name}'`, one)) continue;
            references.push({ name, kind: one.kind, place: placeOf(one, this.file) });
          }
          break;
        default:
          for (const one of part.properties) {
            if (!seen.isNew("rollback", "'rollback'", one)) continue;
            const value = one.value !== "false";
            properties.push({ name: "rollback", value, place: placeOf(one, this.file) });
          }
      }
    }
    return {
      name: tree.name,
      ...(source && { source }),
      ports,
      references,
      properties,
      place: placeOf(tree, this.file),
    };
  }

  private port(tree: ast.Port): InterfacePort {
    const port: Mutable<InterfacePort> = {
      name: tree.name,
      shape: [],
      events: [],
      place: placeOf(tree, this.file),
    };
    const seen = new Once(this.file, this.diagnostics);
    for (const attribute of tree.attributes) {
      const word = WORDS[attribute.$type];
      if (seen.isNew(attribute.$type, `'${word}'`, attribute)) this.read(attribute, port);
    }
    return port;
  }

  private read(attribute: ast.Attribute, port: Mutable<InterfacePort>): void {
    switch (attribute.$type) {
      case "DirectionAttribute":
        port.direction = attribute.value === "INPUT" ? "input" : "output";
        break;
      case "NatureAttribute":
        port.nature = NATURES[attribute.value] ?? "continuous";
        break;
      case "TypeAttribute":
        port.type = attribute.value;
        port.shape = attribute.shape.map((size) => this.size(size, attribute));
        break;
      case "InitialAttribute":
        port.initial = attribute.value;
        break;
      case "VariableAttribute":
        port.variable = attribute.value;
        break;
      case "MonitoredAttribute":
        port.monitored = attribute.value === "true";
        break;
      case "ColorAttribute":
        port.color = attribute.value;
        break;
      case "ReferenceAttribute":
        port.reference = attribute.value;
        break;
      case "EventsAttribute":
        port.events = attribute.events.map((event) => ({
          kind: event.kind,
          ...(event.name !== undefined && { name: event.name }),
          place: placeOf(event, this.file),
        }));
        break;
      case "PortProperties": {
        const [first] = attribute.properties;
        if (first !== undefined) port.use = first.name;
      }
    }
  }

  private size(text: string, node: AstNode): number {
    const size = Number(text);
    if (!Number.isSafeInteger(size) || size < 1)
      this.diagnostics.push(report("mci-shape", { size: text }, placeOf(node, this.file)));
    return size;
  }
}

/** The word that each attribute begins with, in the order in which the formatter writes them. */
const WORDS: Readonly<Record<ast.Attribute["$type"], string>> = {
  VariableAttribute: "variableName",
  DirectionAttribute: "direction",
  NatureAttribute: "nature",
  TypeAttribute: "type",
  InitialAttribute: "initialValue",
  ReferenceAttribute: "temporalreference",
  EventsAttribute: "ioevents",
  PortProperties: "properties",
  MonitoredAttribute: "monitored",
  ColorAttribute: "plotterColor",
};

/** Reports what is said a second time. */
class Once {
  private readonly file: string;
  private readonly diagnostics: Diagnostic[];
  private readonly lines = new Map<string, number>();

  constructor(file: string, diagnostics: Diagnostic[]) {
    this.file = file;
    this.diagnostics = diagnostics;
  }

  isNew(key: string, what: string, node: AstNode): boolean {
    const place = placeOf(node, this.file);
    const line = this.lines.get(key);
    if (line === undefined) {
      this.lines.set(key, place.line ?? 1);
      return true;
    }
    this.diagnostics.push(report("mci-twice", { what, line }, place));
    return false;
  }
}
