/**
 * The syntax tree of a file → drafts of its adaptations and the units that it declares. Nothing is
 * looked up here.
 */
import { type AstNode, GrammarUtils } from "langium";
import type { Checked, Diagnostic, Place } from "../../../base/diagnostic.ts";
import type {
  Declaration,
  Expression,
  InnerConnection,
  PortName,
  SaType,
  ValueLimit,
} from "../../../model/adaptation/data.ts";
import { placeOf } from "../../text/text-language.ts";
import type * as ast from "../ast.ts";
import { makeCall } from "../build.ts";
import { report } from "../diagnostics.ts";
import { numberIn } from "../limits.ts";
import { readName } from "../names.ts";
import { type StatementReader, statementReader, TYPE_WORDS } from "../read-statements.ts";
import { Translation } from "./diagnostics.ts";
import {
  type DraftAdaptation,
  type DraftPort,
  type DraftRule,
  type DraftRules,
  type DraftUnit,
  type Form,
  type Hold,
  type SaDraft,
  type Tolerances,
  UNSET,
} from "./draft.ts";

type SectionType = ast.Section["$type"];
type SectionOf<Type extends SectionType> = Extract<ast.Section, { readonly $type: Type }>;
type Variables = "Parameters" | "ControlVariables" | "InVariables" | "OutVariables";

export function readDraft(tree: ast.SaFile, file: string): Checked<SaDraft> & { value: SaDraft } {
  return new DraftReader(file).read(tree);
}

class DraftReader {
  private readonly file: string;
  private readonly diagnostics: Diagnostic[] = [];
  private readonly dialect = new Translation();
  private readonly statements: StatementReader;
  private readonly connections: InnerConnection[] = [];

  constructor(file: string) {
    this.file = file;
    this.statements = statementReader(this.at, {
      tooLarge: (text, place) => this.diagnostics.push(report("sa-number", { text }, place)),
      equals: (place) => this.diagnostics.push(report("sa-character", { found: "=" }, place)),
    });
  }

  private readonly at = (node: AstNode): Place => placeOf(node, this.file);

  read(tree: ast.SaFile): Checked<SaDraft> & { value: SaDraft } {
    const units: DraftUnit[] = [];
    const adaptations: DraftAdaptation[] = [];
    const order: (DraftUnit | DraftAdaptation)[] = [];
    for (const element of tree.elements) {
      if (element.$type === "SemanticAdaptation") {
        const made = this.adaptation(element);
        adaptations.push(made);
        order.push(made);
      } else if (element.parts.length > 0) {
        const made = this.composed(element);
        adaptations.push(made);
        order.push(made);
      } else {
        const made = this.declared(element);
        units.push(made);
        order.push(made);
      }
    }
    const value: SaDraft = {
      file: this.file,
      ...(tree.module === undefined ? {} : { module: readName(tree.module) }),
      imports: tree.imports.map((one) => ({
        ...(one.name === undefined ? {} : { name: readName(one.name) }),
        ...(one.path === undefined ? {} : { path: one.path }),
        place: this.at(one),
      })),
      units,
      connections: this.connections,
      adaptations,
      order,
    };
    return { value, diagnostics: [...this.diagnostics, ...this.dialect.diagnostics] };
  }

  private adaptation(tree: ast.SemanticAdaptation): DraftAdaptation {
    const { at } = this;
    const sections = <Type extends SectionType>(type: Type): SectionOf<Type>[] =>
      tree.sections.filter((section): section is SectionOf<Type> => section.$type === type);
    const declarations = (type: Variables): Declaration[] =>
      sections(type).flatMap((section) => section.declarations.map((one) => this.declaration(one)));
    const inputs = sections("InputPorts");
    const outputs = sections("OutputPorts");
    const [control, ...more] = sections("ControlRules");
    const line = (control && at(control).line) ?? 0;
    for (const again of more)
      this.diagnostics.push(
        report("sa-duplicate-section", { section: "control rules", line }, at(again)),
      );
    if (tree.name === undefined)
      this.dialect.note("a head with one name", "type and name alike", at(tree));
    if (tree.withoutMaster !== undefined)
      this.dialect.note("'without master'", "nothing: control rules decide", at(tree));
    for (const refused of sections("Refused")) this.refuse(refused);
    const type = readName(tree.type);
    return {
      type,
      name: tree.name === undefined ? type : readName(tree.name),
      ...(tree.inputKind === undefined ? {} : { inputKind: tree.inputKind }),
      ...(tree.outputKind === undefined ? {} : { outputKind: tree.outputKind }),
      ...(tree.target === undefined ? {} : { target: tree.target }),
      inner: tree.inner.map((unit) => this.innerUnit(unit)),
      listed: tree.listed.map((one) => ({ name: readName(one.name), place: at(one) })),
      connections: tree.inner
        .flatMap((unit) => unit.connections)
        .map((one) => this.connection(one)),
      ...(inputs.length === 0 ? {} : { inputs: inputs.flatMap((list) => this.ports(list, "->")) }),
      ...(outputs.length === 0
        ? {}
        : { outputs: outputs.flatMap((list) => this.ports(list, "<-")) }),
      parameters: declarations("Parameters"),
      controlVariables: declarations("ControlVariables"),
      ...(control === undefined
        ? {}
        : { controlRules: this.statements.statements(control.statements) }),
      inVariables: declarations("InVariables"),
      inRules: sections("InRules").map((section) => this.rules(section)),
      outVariables: declarations("OutVariables"),
      outRules: sections("OutRules").map((section) => this.rules(section)),
      forms: tree.sections.flatMap((section) => this.form(section)),
      place: at(tree),
    };
  }

  private innerUnit(node: ast.InnerUnit): DraftUnit {
    return {
      type: readName(node.type),
      name: readName(node.name),
      ...(node.source === undefined ? {} : { source: node.source }),
      ...(node.inputKind === undefined ? {} : { inputKind: node.inputKind }),
      ...(node.outputKind === undefined ? {} : { outputKind: node.outputKind }),
      ...(node.inputs === undefined ? {} : { inputs: this.ports(node.inputs, "none") }),
      ...(node.outputs === undefined ? {} : { outputs: this.ports(node.outputs, "none") }),
      place: this.at(node),
    };
  }

  /** `fmu Type name …` of a file. */
  private declared(node: ast.UnitDeclaration): DraftUnit {
    const place = this.at(node);
    const type = readName(node.type);
    for (const one of node.connections) this.connections.push(this.connection(one));
    if (node.name === undefined)
      this.dialect.note("a unit with one name", "type and name alike", place);
    if (node.modelType !== undefined)
      this.dialect.note(`'${node.modelType}'`, "nothing: the unit says what it is", place);
    if (node.dependencies !== undefined)
      this.dialect.note(`'${node.dependencies}'`, "nothing: the unit discloses them", place);
    return {
      type,
      name: node.name === undefined ? type : readName(node.name),
      ...(node.source === undefined ? {} : { source: node.source }),
      ...(node.inputs === undefined ? {} : { inputs: this.declaredPorts(node.inputs) }),
      ...(node.outputs === undefined ? {} : { outputs: this.declaredPorts(node.outputs) }),
      place,
    };
  }

  /** Behind the last list of a file, `a -> b` is a connection, and looks like a bound port. */
  private declaredPorts(list: ast.InputPorts | ast.OutputPorts): DraftPort[] {
    return this.ports(list, "any").flatMap((port) => {
      const { binding, name, place } = port;
      if (binding === undefined) return [port];
      const from = { unit: "", port: name, place };
      this.connections.push({ from, to: binding, place });
      return [];
    });
  }

  /** `fmu T name at "…" composed of a, b`: an adaptation without rules. */
  private composed(node: ast.UnitDeclaration): DraftAdaptation {
    const place = this.at(node);
    this.dialect.note("'composed of'", "an adaptation without rules", place);
    const type = readName(node.type);
    return {
      type,
      name: node.name === undefined ? type : readName(node.name),
      ...(node.source === undefined ? {} : { target: node.source }),
      inner: [],
      listed: node.parts.map((one) => ({ name: readName(one.name), place: this.at(one) })),
      connections: [],
      ...(node.inputs === undefined ? {} : { inputs: this.ports(node.inputs, "->") }),
      ...(node.outputs === undefined ? {} : { outputs: this.ports(node.outputs, "<-") }),
      parameters: [],
      controlVariables: [],
      inVariables: [],
      inRules: [],
      outVariables: [],
      outRules: [],
      forms: [],
      place,
    };
  }

  private readonly portName = (node: ast.PortName): PortName => ({
    unit: node.unit === undefined ? "" : readName(node.unit),
    port: readName(node.port),
    place: this.at(node),
  });

  private connection(node: ast.Connection | ast.FileConnection): InnerConnection {
    return { from: this.portName(node.from), to: this.portName(node.to), place: this.at(node) };
  }

  /** `arrow`: how ports of this list may be bound. */
  private ports(
    list: ast.InputPorts | ast.OutputPorts,
    arrow: "->" | "<-" | "none" | "any",
  ): DraftPort[] {
    return list.ports.map((port) => {
      const wrong = arrow === "->" ? port.source : arrow === "<-" ? port.target : undefined;
      const bound = port.target ?? port.source;
      const name = readName(port.name);
      if (wrong !== undefined || (arrow === "none" && bound !== undefined)) {
        const text = `${name} ${arrow} ${wrong?.unit}.${wrong?.port}`;
        const fix =
          wrong === undefined
            ? `connect inner units with 'with ${bound?.unit}.${bound?.port} -> …', and bind ports of the adaptation itself`
            : `write '${text}'`;
        this.diagnostics.push(report("sa-binding", { port: name, fix }, this.at(port)));
      }
      const type = typeOf(port);
      return {
        name,
        ...(port.unit === undefined ? {} : { unit: unitText(port) }),
        ...(type === undefined ? {} : { type }),
        ...(port.discrete === undefined ? {} : { isDiscrete: true as const }),
        ...(port.written === undefined ? {} : { isTyped: true as const }),
        ...(port.alias === undefined ? {} : { alias: port.alias }),
        ...(port.start === undefined ? {} : { start: this.start(port.start) }),
        ...(port.size === undefined ? {} : { size: this.size(port.size) }),
        ...(bound === undefined ? {} : { binding: this.portName(bound) }),
        place: this.at(port),
      };
    });
  }

  private start(node: ast.Start): NonNullable<DraftPort["start"]> {
    return { values: node.values.map(this.statements.expression), isArray: node.isArray };
  }

  private size({ lower, upper }: ast.ArraySize): NonNullable<DraftPort["size"]> {
    return { lower: lower === undefined ? 1 : Number(lower), upper: Number(upper) };
  }

  private declaration(node: ast.Declaration): Declaration {
    const place = this.at(node);
    const type = typeOf(node);
    if (node.written !== undefined) this.dialect.note("'Real x'", "'x: real'", place);
    const limits = node.limits.flatMap((limit) => this.limit(limit));
    return {
      name: readName(node.name),
      ...(type === undefined ? {} : { type }),
      ...(node.unit === undefined ? {} : { unit: unitText(node) }),
      ...(limits.length === 0 ? {} : { limits }),
      value:
        node.value === undefined
          ? makeCall(UNSET, [], place)
          : this.statements.expression(node.value),
      place,
    };
  }

  private limit(node: ast.Limit): ValueLimit[] {
    const bound = numberIn(this.statements.expression(node.value));
    if (bound !== undefined) return [{ kind: node.kind, bound }];
    this.diagnostics.push(report("sa-limit", { kind: node.kind }, this.at(node)));
    return [];
  }

  private rules(section: ast.InRules | ast.OutRules): DraftRules {
    const crossing = section.settings.find(({ tolerances }) => tolerances.length > 0);
    const holds = section.settings.flatMap((setting) => this.hold(setting) ?? []);
    return {
      rules: section.rules.flatMap((rule) => this.rule(rule)),
      ...(crossing === undefined ? {} : { crossing: this.tolerances(crossing.tolerances) }),
      ...(holds[0] === undefined ? {} : { hold: holds[0] }),
      place: this.at(section),
    };
  }

  private hold(node: ast.Setting | ast.Rule): Hold | undefined {
    if (node.hold === undefined) return undefined;
    const [word = ""] = node.hold.split(/\s/);
    const known = { no: "no", zero: "zero", first: "first", ZOH: "zero", FOH: "first" } as const;
    if (word in known) return known[word as keyof typeof known];
    this.dialect.refuse(
      `'${node.hold}'`,
      "it is not a way to hold a value",
      "write 'zero order hold', 'first order hold' or 'no hold', or statements in braces",
      this.at(node),
    );
    return undefined;
  }

  private tolerances(nodes: readonly ast.Tolerance[]): Tolerances {
    const found: { relative?: Expression; absolute?: Expression } = {};
    for (const node of nodes) {
      const value = this.statements.expression(node.value);
      // One number alone is both.
      const { kind } = node;
      if (kind === undefined) return { relative: value, absolute: value };
      if (/^rel(ative)?\b/.test(kind)) found.relative = value;
      else if (/^abs(olute)?\b/.test(kind)) found.absolute = value;
      else
        this.dialect.refuse(
          `'${kind}'`,
          "a tolerance is absolute or relative",
          "write 'with tolerance abs=1e-8 rel=1e-5', or one number for both",
          this.at(node),
        );
    }
    return found;
  }

  private rule(node: ast.Rule): DraftRule[] {
    const place = this.at(node);
    if (node.refused !== undefined) {
      this.refuse(node.refused);
      return [];
    }
    if (node.delay !== undefined) return [{ delay: node.delay.signals.map(this.portName), place }];
    const hold = this.hold(node);
    return [
      {
        ...(node.condition === undefined
          ? {}
          : { condition: this.statements.expression(node.condition) }),
        ...(node.isOtherwise
          ? { otherwise: node.of === undefined ? {} : { of: readName(node.of) } }
          : {}),
        ...(node.tolerances.length === 0 ? {} : { tolerances: this.tolerances(node.tolerances) }),
        ...(node.first === undefined
          ? {}
          : { first: this.statements.statements(node.first.statements) }),
        ...(node.target === undefined || node.value === undefined
          ? {}
          : {
              transition: {
                target: this.statements.reference(node.target),
                value: this.statements.expression(node.value),
              },
            }),
        ...(node.second === undefined
          ? {}
          : { second: this.statements.statements(node.second.statements) }),
        ...(hold === undefined ? {} : { hold }),
        place,
      },
    ];
  }

  private form(section: ast.Section): Form[] {
    const place = this.at(section);
    switch (section.$type) {
      case "MultiRate": {
        const times = Number(/\d+/.exec(section.rate)?.[0]);
        const isControlOnly = section.rate.startsWith("multiplied");
        const order = isControlOnly ? undefined : interpolationOrder(section.interpolation);
        return [{ kind: "multi-rate", times, ...(order === undefined ? {} : { order }), place }];
      }
      case "Substitution":
        return [
          {
            kind: "substitution",
            signals: section.signals.map(this.portName),
            tolerances: this.tolerances(section.tolerances),
            place,
          },
        ];
      case "Delay":
        return [{ kind: "delay", signals: section.signals.map(this.portName), place }];
      case "Triggered":
        return [
          { kind: "triggered", condition: this.statements.expression(section.condition), place },
        ];
      case "Periodic": {
        const [, first = "0", period = ""] =
          /^periodic(?:\s+at\s+(\S+))?\s+every\s+(\S+)$/.exec(section.period) ?? [];
        return [{ kind: "periodic", first: Number(first), period: Number(period), place }];
      }
      case "Implied":
        this.dialect.note("'implied'", "nothing: it is the default", place);
        return [];
      default:
        return [];
    }
  }

  private refuse(node: ast.Refused): void {
    const [word = ""] = node.text.split(/[\s(]/);
    const isQuantize = word === "quantize";
    this.dialect.refuse(
      `'${isQuantize ? word : node.text.trim()}'`,
      isQuantize
        ? "a rule cannot quantize a signal by itself"
        : "derivatives are outputs of an adaptation of their own",
      isQuantize
        ? "put the adaptation 'quantize' of the library around the unit (cosimo adapt quantize)"
        : "put 'derivative' or 'sensitivity' of the library around the unit (cosimo adapt --list)",
      this.at(node),
    );
  }
}

function typeOf(node: ast.Port | ast.Declaration): SaType | undefined {
  const { type, written } = node;
  if ("discrete" in node && node.discrete !== undefined) return "real";
  return type ?? (written === undefined ? undefined : TYPE_WORDS[written]);
}

/** The tool's default is the first order. */
function interpolationOrder(text: string | undefined): number {
  if (text === undefined) return 1;
  const words = ["no", "first", "second", "third", "fourth"];
  const [, word = "", number] =
    /^with\s+(?:(no|first|second|third|fourth)\b|interpolation\s+of\s+order\s+(\d+))/.exec(text) ??
    [];
  return number === undefined ? words.indexOf(word) : Number(number);
}

/** As written, with one blank where there were several: the tree has it without any. */
function unitText(node: ast.Port | ast.Declaration): string {
  const written = GrammarUtils.findNodeForProperty(node.$cstNode, "unit")?.text ?? "";
  return written
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n\r]*/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}
