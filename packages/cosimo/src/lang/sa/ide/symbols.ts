/**
 * Every name in a text and what it means: the one source for going to definitions, finding uses,
 * renaming and explaining. The order in which names are looked up is that of check-scope.ts: local
 * variables, variables and parameters, own ports, time.
 */
import type { AstNode } from "langium";
import { SA_FUNCTIONS } from "../../../model/adaptation/functions.ts";
import { type Span, spanOf } from "../../text/span.ts";
import type * as ast from "../ast.ts";
import { readName } from "../names.ts";

export type Storage = "param" | "in var" | "control var" | "out var";

export interface SaSymbol {
  readonly kind: "adaptation" | "unit" | "input" | "output" | "unit port" | "local" | Storage;
  readonly name: string;
  /** The inner unit of a `unit port`: one that the author lists. */
  readonly unit?: string;
  readonly span: Span;
  readonly node: AstNode;
}

export interface Occurrence {
  readonly span: Span;
  readonly name: string;
  readonly role: "declaration" | "unit" | "port" | "value" | "function";
  /**
   * Where it is declared in this text; absent where it is not (ports of FMUs, functions, time,
   * mistakes).
   */
  readonly symbol?: SaSymbol;
  /** Of a port: the name before its dot. */
  readonly unit?: string;
  readonly node: AstNode;
}

export interface SymbolTable {
  readonly symbols: readonly SaSymbol[];
  /** In the order of the text. */
  readonly occurrences: readonly Occurrence[];
}

/** The name that the cursor is in or behind. */
export function occurrenceAt({ occurrences }: SymbolTable, offset: number): Occurrence | undefined {
  return (
    occurrences.find(({ span }) => span.offset <= offset && offset < span.end) ??
    occurrences.find(({ span }) => span.end === offset)
  );
}

export function symbolTable(tree: ast.SemanticAdaptation): SymbolTable {
  const reader = new SymbolReader();
  reader.declareAll(tree);
  reader.readAll(tree);
  reader.occurrences.sort((a, b) => a.span.offset - b.span.offset);
  return reader;
}

type Scopes = readonly ReadonlyMap<string, SaSymbol>[];

const STORAGES = {
  Parameters: "param",
  InVariables: "in var",
  ControlVariables: "control var",
  OutVariables: "out var",
} as const;

class SymbolReader implements SymbolTable {
  readonly symbols: SaSymbol[] = [];
  readonly occurrences: Occurrence[] = [];
  private readonly units = new Map<string, SaSymbol>();
  private readonly variables = new Map<string, SaSymbol>();
  private readonly ownPorts = new Map<string, SaSymbol>();
  private readonly unitPorts = new Map<string, SaSymbol>();
  private own = "";

  declareAll(tree: ast.SemanticAdaptation): void {
    if (tree.name !== undefined) this.own = readName(tree.name);
    this.declare(this.units, "adaptation", tree);
    for (const unit of tree.inner) {
      this.declare(this.units, "unit", unit);
      if (unit.name === undefined) continue;
      const name = readName(unit.name);
      for (const port of [...(unit.inputs?.ports ?? []), ...(unit.outputs?.ports ?? [])])
        this.declare(this.unitPorts, "unit port", port, name);
    }
    for (const section of tree.sections) {
      if (section.$type === "InputPorts" || section.$type === "OutputPorts") {
        const kind = section.$type === "InputPorts" ? "input" : "output";
        for (const port of section.ports) this.declare(this.ownPorts, kind, port);
      } else if (section.$type in STORAGES) {
        const kind = STORAGES[section.$type as keyof typeof STORAGES];
        for (const one of (section as ast.Parameters).declarations)
          this.declare(this.variables, kind, one);
      }
    }
  }

  private declare(
    into: Map<string, SaSymbol>,
    kind: SaSymbol["kind"],
    node: AstNode & { readonly name?: string; readonly variable?: string },
    unit?: string,
  ): SaSymbol | undefined {
    const property = node.$type === "For" ? "variable" : "name";
    const span = spanOf(node, property);
    const text = node[property];
    if (span === undefined || text === undefined) return undefined;
    const name = readName(text);
    const symbol: SaSymbol = { kind, name, span, node, ...(unit === undefined ? {} : { unit }) };
    const key = unit === undefined ? name : `${unit}.${name}`;
    // Names that are declared twice mean what the checks take them for: the first port or unit, the
    // last variable.
    if (kind === "local" || into === this.variables || !into.has(key)) into.set(key, symbol);
    this.symbols.push(symbol);
    this.occurrences.push({ span, name, role: "declaration", symbol, node });
    return symbol;
  }

  readAll(tree: ast.SemanticAdaptation): void {
    for (const { connections } of tree.inner)
      for (const { from, to } of connections) {
        this.portName(from);
        this.portName(to);
      }
    for (const section of tree.sections) this.section(section);
  }

  private section(section: ast.Section): void {
    switch (section.$type) {
      case "InputPorts":
      case "OutputPorts":
        for (const { target, source } of section.ports) {
          this.portName(target);
          this.portName(source);
        }
        break;
      case "ControlRules":
        this.block(section.statements, []);
        break;
      case "InRules":
      case "OutRules":
        for (const { condition, first, second, target, value, delay } of section.rules) {
          this.expression(condition, []);
          this.expression(target, []);
          this.expression(value, []);
          for (const one of delay?.signals ?? []) this.portName(one);
          this.block(first?.statements, []);
          this.block(second?.statements, []);
        }
        break;
      case "Triggered":
        this.expression(section.condition, []);
        break;
      case "Substitution":
      case "Delay":
        for (const one of section.signals) this.portName(one);
        break;
      case "Parameters":
      case "ControlVariables":
      case "InVariables":
      case "OutVariables":
        for (const { value } of section.declarations) this.expression(value, []);
        break;
      default:
    }
  }

  private portName(node: ast.PortName | undefined): void {
    if (node?.unit !== undefined) this.unitAndPort(node, "port");
  }

  private unitAndPort(node: ast.PortName | ast.Reference, property: "port" | "name"): void {
    const unitSpan = spanOf(node, "unit");
    const unit = readName(node.unit ?? "");
    if (unitSpan !== undefined) this.use(node, unitSpan, unit, "unit", this.units.get(unit));
    const span = spanOf(node, property);
    const text = (node as unknown as Partial<Record<string, string>>)[property];
    if (span === undefined || text === undefined) return;
    const name = readName(text);
    const symbol =
      unit === this.own ? this.ownPorts.get(name) : this.unitPorts.get(`${unit}.${name}`);
    this.use(node, span, name, "port", symbol, unit);
  }

  private use(
    node: AstNode,
    span: Span,
    name: string,
    role: Occurrence["role"],
    symbol?: SaSymbol,
    unit?: string,
  ): void {
    this.occurrences.push({
      span,
      name,
      role,
      node,
      ...(symbol === undefined ? {} : { symbol }),
      ...(unit === undefined ? {} : { unit }),
    });
  }

  private block(statements: readonly ast.Statement[] | undefined, around: Scopes): void {
    const locals = new Map<string, SaSymbol>();
    const scopes = [...around, locals];
    for (const s of statements ?? []) this.statement(s, scopes, locals);
  }

  private statement(s: ast.Statement, scopes: Scopes, locals: Map<string, SaSymbol>): void {
    switch (s.$type) {
      case "Assignment":
        this.expression(s.target, scopes);
        this.expression(s.value, scopes);
        break;
      case "Variable":
        this.expression(s.value, scopes);
        this.declare(locals, "local", s);
        break;
      case "If":
        this.expression(s.condition, scopes);
        this.block(s.body?.statements, scopes);
        this.block(s.otherwise?.statements, scopes);
        if (s.otherwiseIf !== undefined) this.block([s.otherwiseIf], scopes);
        break;
      case "For": {
        this.expression(s.from, scopes);
        this.expression(s.to, scopes);
        const counter = new Map<string, SaSymbol>();
        this.declare(counter, "local", s);
        this.block(s.body?.statements, [...scopes, counter]);
        break;
      }
      case "While":
        this.expression(s.condition, scopes);
        this.block(s.body?.statements, scopes);
        break;
      case "Return":
        this.expression(s.value, scopes);
        break;
      case "CallStatement":
        this.expression(s.call, scopes);
        break;
      case "Break":
    }
  }

  private expression(e: ast.Expression | undefined, scopes: Scopes): void {
    switch (e?.$type) {
      case "Reference":
        this.reference(e, scopes);
        break;
      case "Call":
        this.call(e, scopes);
        break;
      case "Unary":
        this.expression(e.operand, scopes);
        break;
      case "Binary":
        this.expression(e.left, scopes);
        this.expression(e.right, scopes);
        break;
      case "Conditional":
        this.expression(e.condition, scopes);
        this.expression(e.whenTrue, scopes);
        this.expression(e.whenFalse, scopes);
        break;
      default:
    }
  }

  private reference(node: ast.Reference, scopes: Scopes): void {
    if (node.unit !== undefined) {
      this.unitAndPort(node, "name");
      return;
    }
    const span = spanOf(node, "name");
    if (span === undefined) return;
    const name = readName(node.name);
    const local = scopes.findLast((block) => block.has(name))?.get(name);
    const symbol = local ?? this.variables.get(name) ?? this.ownPorts.get(name);
    this.use(node, span, name, "value", symbol);
  }

  private call(node: ast.Call, scopes: Scopes): void {
    const span = spanOf(node, "callee");
    const callee = node.callee === undefined ? "" : readName(node.callee);
    if (span !== undefined) this.use(node, span, callee, "function");
    const [first, ...others] = node.arguments;
    const ofUnit = SA_FUNCTIONS.get(callee)?.ofUnit === true;
    const unit =
      ofUnit && first?.$type === "Reference" && first.unit === undefined ? first : undefined;
    const unitSpan = unit && spanOf(unit, "name");
    if (unit !== undefined && unitSpan !== undefined) {
      const name = readName(unit.name);
      this.use(unit, unitSpan, name, "unit", this.units.get(name));
    } else this.expression(first, scopes);
    for (const one of others) this.expression(one, scopes);
  }
}
