/**
 * What an interaction exchanges: the expression before its arrow, over the ports that it names.
 */
import type { Expression as Formula } from "../../model/adaptation/data.ts";
import { type Exchanged, exchangedBy, type NoExchange } from "../expression/interaction.ts";
import { expressionText } from "./print-mcl.ts";
import { type Expression, type PortName, portText } from "./specification.ts";

/** Every port once, in the order of writing. */
export function portsOf(source: Expression): readonly PortName[] {
  const found = new Map<string, PortName>();
  const visit = (e: Expression): void => {
    if (e.kind === "port" && !found.has(portText(e.port))) found.set(portText(e.port), e.port);
    if (e.kind === "unary") visit(e.operand);
    if (e.kind !== "binary") return;
    visit(e.left);
    visit(e.right);
  };
  visit(source);
  return [...found.values()];
}

/** @param nameOf how scenarios refer to a port. */
export function exchangeOf(
  source: Expression,
  nameOf: (port: PortName) => string,
): Exchanged | NoExchange {
  const ports = portsOf(source);
  const keys = ports.map(portText);
  const formulaOf = (e: Expression): Formula => {
    const { place } = e;
    switch (e.kind) {
      case "number":
        return e;
      case "port":
        return { kind: "reference", name: `u${keys.indexOf(portText(e.port)) + 1}`, place };
      case "unary":
        return { ...e, operand: formulaOf(e.operand) };
      case "binary":
        return { ...e, left: formulaOf(e.left), right: formulaOf(e.right) };
    }
  };
  const formula = { expression: formulaOf(source), terms: ports.map(nameOf) };
  // A port alone needs no formula around it.
  if (source.kind === "port") return { from: nameOf(source.port) };
  return exchangedBy(expressionText(source), formula);
}
