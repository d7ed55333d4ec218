/**
 * In which part of an adaptation something stands (see check-scope.ts), found in the tree: an
 * unfinished text has nothing else.
 */
import { type AstNode, AstUtils } from "langium";
import { SA_FUNCTIONS } from "../../../model/adaptation/functions.ts";
import type * as ast from "../ast.ts";
import type { Part } from "../check-scope.ts";
import { readName } from "../names.ts";

export function partOf(node: AstNode): Part {
  const rule = AstUtils.getContainerOfType(node, isRule);
  if (rule === undefined) {
    const control = AstUtils.getContainerOfType(node, isControl);
    return control === undefined ? "initial" : "control";
  }
  let child = node;
  while (child.$container !== undefined && child.$container !== rule) child = child.$container;
  const isSecond = child.$containerProperty === "second";
  if (rule.$container?.$type === "InRules") return isSecond ? "map-in" : "in";
  return isSecond ? "out" : "map-out";
}

const isRule = (node: AstNode): node is ast.Rule => node.$type === "Rule";
const isControl = (node: AstNode): node is ast.ControlRules => node.$type === "ControlRules";

/** `do_step(here, …)`. */
export function isUnitArgument(node: AstNode): boolean {
  const { $container: call, $containerProperty: as, $containerIndex: index } = node;
  if (call?.$type !== "Call" || as !== "arguments" || index !== 0) return false;
  return SA_FUNCTIONS.get(readName((call as ast.Call).callee ?? ""))?.ofUnit === true;
}

export function isAssigned(node: AstNode): boolean {
  return node.$container?.$type === "Assignment" && node.$containerProperty === "target";
}

/** Which ports of inner units can stand there; of the adaptation it is the other way round. */
export function directionOf(node: AstNode): "inputs" | "outputs" {
  const { $container: around, $containerProperty: as } = node;
  if (around?.$type === "Connection") return as === "from" ? "outputs" : "inputs";
  if (around?.$type === "Port") return as === "target" ? "inputs" : "outputs";
  return isAssigned(node) ? "inputs" : "outputs";
}

/** The list that a port is in, its direction, and the inner unit whose list it is. */
export function listOf(node: ast.Port): {
  readonly ports: readonly ast.Port[];
  readonly direction: "inputs" | "outputs";
  readonly unit?: string;
} {
  const list = node.$container as ast.InputPorts | ast.OutputPorts;
  const direction = list.$type === "InputPorts" ? "inputs" : "outputs";
  const { ports, $container: around } = list;
  if (around?.$type !== "InnerUnit") return { ports, direction };
  return { ports, direction, unit: readName((around as ast.InnerUnit).name ?? "") };
}
