/**
 * The text of a `.sa` file → the adaptation it describes. Nothing is opened and no name is looked up here: check-sa.ts does
 * that, once the inner units are known.
 */
import { type AstNode, GrammarUtils } from "langium";
import type { Checked, Diagnostic } from "../../base/diagnostic.ts";
import type {
  Adaptation,
  AdaptationPort,
  Declaration,
  InnerUnit,
  PortName,
  Rule,
} from "../../model/adaptation/data.ts";
import { placeOf } from "../text/text-language.ts";
import type * as ast from "./ast.ts";
import { report } from "./diagnostics.ts";
import { readName } from "./names.ts";
import { statementReader } from "./read-statements.ts";
import { SA } from "./services.ts";

/** @returns the adaptation, without a value where the text does not follow the grammar. */
export function parseSa(text: string, file: string): Checked<Adaptation> {
  const { value, diagnostics } = SA.parse(text, file);
  return value === undefined ? { diagnostics } : readAdaptation(value, file);
}

type SectionType = ast.Section["$type"];
type SectionOf<Type extends SectionType> = Extract<ast.Section, { readonly $type: Type }>;

function readAdaptation(tree: ast.SemanticAdaptation, file: string): Checked<Adaptation> {
  const diagnostics: Diagnostic[] = [];
  const at = (node: AstNode) => placeOf(node, file);
  const read = statementReader(at, (text, place) =>
    diagnostics.push(report("sa-number", { text }, place)),
  );

  const sections = <Type extends SectionType>(type: Type): SectionOf<Type>[] =>
    tree.sections.filter((section): section is SectionOf<Type> => section.$type === type);
  const declarations = (
    type: "Parameters" | "ControlVariables" | "InVariables" | "OutVariables",
  ): Declaration[] =>
    sections(type).flatMap((section) =>
      section.declarations.map((one) => ({ ...read.declaration(one), place: at(one) })),
    );
  const rules = (type: "InRules" | "OutRules"): Rule[] =>
    sections(type).flatMap((section) =>
      section.rules.map((rule) => ({
        condition: read.expression(rule.condition),
        first: read.statements(rule.first.statements),
        second: read.statements(rule.second.statements),
        place: at(rule),
      })),
    );
  const portName = (node: ast.PortName): PortName => ({
    unit: readName(node.unit),
    port: readName(node.port),
    place: at(node),
  });

  /** `arrow`: how ports of this list may be bound. */
  function ports(
    list: ast.InputPorts | ast.OutputPorts,
    arrow: "->" | "<-" | "none",
  ): AdaptationPort[] {
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
        diagnostics.push(report("sa-binding", { port: name, fix }, at(port)));
      }
      return {
        name,
        ...(port.unit === undefined ? {} : { unit: unitText(port) }),
        ...(port.type === undefined ? {} : { type: port.type }),
        ...(bound === undefined ? {} : { binding: portName(bound) }),
        place: at(port),
      };
    });
  }

  const innerUnit = (node: ast.InnerUnit): InnerUnit => ({
    type: readName(node.type),
    name: readName(node.name),
    ...(node.source === undefined ? {} : { source: node.source }),
    ...(node.inputs === undefined ? {} : { inputs: ports(node.inputs, "none") }),
    ...(node.outputs === undefined ? {} : { outputs: ports(node.outputs, "none") }),
    place: at(node),
  });

  const inputs = sections("InputPorts");
  const outputs = sections("OutputPorts");
  const [control, ...more] = sections("ControlRules");
  const line = (control && at(control).line) ?? 0;
  for (const again of more)
    diagnostics.push(report("sa-duplicate-section", { section: "control rules", line }, at(again)));
  const value: Adaptation = {
    type: readName(tree.type),
    name: readName(tree.name),
    ...(tree.inputKind === undefined ? {} : { inputKind: tree.inputKind }),
    ...(tree.outputKind === undefined ? {} : { outputKind: tree.outputKind }),
    ...(tree.target === undefined ? {} : { target: tree.target }),
    inner: tree.inner.map(innerUnit),
    connections: tree.inner
      .flatMap((unit) => unit.connections)
      .map((one) => ({
        from: portName(one.from),
        to: portName(one.to),
        place: at(one),
      })),
    ...(inputs.length === 0 ? {} : { inputs: inputs.flatMap((list) => ports(list, "->")) }),
    ...(outputs.length === 0 ? {} : { outputs: outputs.flatMap((list) => ports(list, "<-")) }),
    parameters: declarations("Parameters"),
    controlVariables: declarations("ControlVariables"),
    ...(control === undefined ? {} : { controlRules: read.statements(control.statements) }),
    inVariables: declarations("InVariables"),
    inRules: rules("InRules"),
    outVariables: declarations("OutVariables"),
    outRules: rules("OutRules"),
    place: at(tree),
  };
  return { value, diagnostics };
}

/** As written, with one blank where there were several: the tree has it without any. */
function unitText(port: ast.Port): string {
  const written = GrammarUtils.findNodeForProperty(port.$cstNode, "unit")?.text ?? "";
  return written
    .replace(/\/\*[\s\S]*?\*\/|\/\/[^\n\r]*/g, " ")
    .replace(/\s+/g, " ")
    .trim();
}
