/**
 * What an adaptation consists of, as a list to jump around in.
 */
import type { AstNode } from "langium";
import type { OutlineItem } from "../../text/editor-language.ts";
import { spanOf, wholeSpan } from "../../text/span.ts";
import type * as ast from "../ast.ts";
import { readName } from "../names.ts";
import type { SaDocument } from "./sa-document.ts";

export function outlineOf({ tree }: SaDocument): OutlineItem[] {
  const children = [
    ...tree.inner.flatMap((unit) => named(unit, "unit", unit.source ?? "", unit.name)),
    ...tree.sections.flatMap(sectionItems),
  ];
  const [item] = named(tree, "adaptation", readName(tree.type ?? ""), tree.name);
  return item === undefined ? children : [{ ...item, children }];
}

function named(
  node: AstNode,
  kind: OutlineItem["kind"],
  detail: string,
  name: string | undefined,
): OutlineItem[] {
  const span = spanOf(node, "name");
  if (span === undefined || name === undefined) return [];
  return [{ name: readName(name), detail, kind, whole: wholeSpan(node), span, children: [] }];
}

const VARIABLES = {
  Parameters: "param",
  ControlVariables: "control var",
  InVariables: "in var",
  OutVariables: "out var",
} as const;

const RULES = {
  ControlRules: "control rules",
  InRules: "in rules",
  OutRules: "out rules",
} as const;

/** A form of the dialect, by its first words. */
function formItem(section: ast.Section): OutlineItem[] {
  const whole = wholeSpan(section);
  const span = { offset: whole.offset, end: whole.offset };
  const [name = section.$type] = section.$cstNode?.text.split("\n") ?? [];
  return [{ name, detail: "form", kind: "rules", whole, span, children: [] }];
}

function sectionItems(section: ast.Section): OutlineItem[] {
  switch (section.$type) {
    case "InputPorts":
    case "OutputPorts": {
      const direction = section.$type === "InputPorts" ? "input" : "output";
      return section.ports.flatMap((port) => named(port, "port", direction, port.name));
    }
    case "ControlRules":
    case "InRules":
    case "OutRules": {
      const whole = wholeSpan(section);
      const span = { offset: whole.offset, end: whole.offset };
      return [{ name: RULES[section.$type], detail: "", kind: "rules", whole, span, children: [] }];
    }
    case "Parameters":
    case "ControlVariables":
    case "InVariables":
    case "OutVariables": {
      const kind = section.$type === "Parameters" ? "parameter" : "variable";
      return section.declarations.flatMap((one) =>
        named(one, kind, VARIABLES[section.$type], one.name),
      );
    }
    default:
      return formItem(section);
  }
}
