/**
 * Arguments of an open adaptation, matched with what it declares: parameters, roles, further open
 * units.
 */
import type { Checked, Diagnostic, Place } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import {
  type Adaptation,
  type AdaptationArgument,
  type AdaptationPort,
  type Declaration,
  type Expression,
  type InnerUnit,
  isOpen,
} from "../../model/adaptation/data.ts";
import type { Value } from "../../model/value-type.ts";
import { reportApply } from "./apply-diagnostics.ts";
import { makeNumber } from "./build.ts";
import { brokenLimit } from "./limits.ts";

/** A port that an adaptation refers to, and that is named where it is applied. */
export interface Role {
  readonly unit: InnerUnit;
  readonly direction: "input" | "output";
  readonly port: AdaptationPort;
}

export interface GivenArguments {
  readonly parameters: ReadonlyMap<Declaration, AdaptationArgument>;
  /** By the port that the adaptation declares. */
  readonly roles: ReadonlyMap<AdaptationPort, AdaptationArgument>;
  /** Files of open units but the first, which is the unit that is adapted. */
  readonly units: ReadonlyMap<string, AdaptationArgument>;
}

export function openUnits({ inner }: Adaptation): readonly InnerUnit[] {
  return inner.filter(isOpen);
}

export function rolesOf(adaptation: Adaptation): Role[] {
  return openUnits(adaptation).flatMap((unit) => [
    ...(unit.inputs ?? []).map((port): Role => ({ unit, direction: "input", port })),
    ...(unit.outputs ?? []).map((port): Role => ({ unit, direction: "output", port })),
  ]);
}

/** As an argument is best written: INITIAL_SPEED is `initial-speed`. */
export function argumentName(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

const plain = (name: string): string => name.toLowerCase().replaceAll(/[-_]/g, "");

/** Whether two names are the same where an adaptation is applied. */
export function isSameName(a: string, b: string): boolean {
  return plain(a) === plain(b);
}

/** Everything that can be given to an open adaptation. */
export function askedFor(
  adaptation: Adaptation,
): readonly { readonly name: string; readonly place: Place }[] {
  const [first, ...units] = openUnits(adaptation);
  if (first === undefined) return [];
  return [...adaptation.parameters, ...rolesOf(adaptation).map(({ port }) => port), ...units];
}

/** Arguments that match; the rest is reported. */
export function matchArguments(
  adaptation: Adaptation,
  given: readonly AdaptationArgument[],
): Checked<GivenArguments> & { readonly value: GivenArguments } {
  const diagnostics: Diagnostic[] = [];
  const [, ...units] = openUnits(adaptation);
  const roles = rolesOf(adaptation);
  const known = [
    ...adaptation.parameters.map(({ name }) => argumentName(name)),
    ...roles.map(({ port }) => port.name),
    ...units.map(({ name }) => name),
  ];
  const matched = {
    parameters: new Map<Declaration, AdaptationArgument>(),
    roles: new Map<AdaptationPort, AdaptationArgument>(),
    units: new Map<string, AdaptationArgument>(),
  };
  const seen = new Set<string>();
  for (const one of given) {
    const name = plain(one.name);
    if (seen.has(name)) {
      diagnostics.push(reportApply("sa-argument-twice", { name: one.name }, one.place));
      continue;
    }
    seen.add(name);
    const parameter = adaptation.parameters.find((p) => plain(p.name) === name);
    const role = roles.find(({ port }) => plain(port.name) === name);
    const unit = units.find((inner) => plain(inner.name) === name);
    const isText = typeof one.value === "string" && one.value !== "";
    if (parameter !== undefined) matched.parameters.set(parameter, one);
    else if (role === undefined && unit === undefined) {
      const close = nearest(argumentName(one.name), known);
      const params = {
        adaptation: argumentName(adaptation.name),
        name: one.name,
        nearest: close,
        known,
      };
      diagnostics.push(reportApply("sa-argument-unknown", params, one.place));
    } else if (!isText) {
      const wanted = role === undefined ? "the name of a file" : "the name of a port";
      const params = { name: one.name, wanted, found: valueText(one.value) };
      diagnostics.push(reportApply("sa-argument-type", params, one.place));
    } else if (role !== undefined) matched.roles.set(role.port, one);
    else if (unit !== undefined) matched.units.set(unit.name, one);
  }
  return { value: matched, diagnostics };
}

/** The parameter with the value that is given for it; unchanged after a report. */
export function withValue(
  declaration: Declaration,
  { name, value, place }: AdaptationArgument,
  diagnostics: Diagnostic[],
): Declaration {
  const wanted = declaration.type ?? kindOf(declaration.value);
  const literal = literalOf(value, wanted, place);
  if (literal !== undefined) {
    const limit = brokenLimit(Number(value), declaration.limits);
    if (limit === undefined || typeof value === "boolean")
      return { ...declaration, value: literal };
    const params = { name, limit, unit: declaration.unit, found: valueText(value) };
    diagnostics.push(reportApply("sa-argument-limits", params, place));
    return declaration;
  }
  const words = { integer: "a whole number", real: "a number", boolean: "true or false" } as const;
  const params = {
    name,
    wanted: wanted === "string" || wanted === undefined ? "a text" : words[wanted],
    found: valueText(value),
  };
  diagnostics.push(reportApply("sa-argument-type", params, place));
  return declaration;
}

/** What a parameter without a type is, by the value that it has otherwise. */
function kindOf(e: Expression): "real" | "boolean" | "string" | undefined {
  if (e.kind === "unary" && e.operator === "-") return kindOf(e.operand);
  if (e.kind === "number") return "real";
  return e.kind === "boolean" || e.kind === "string" ? e.kind : undefined;
}

function literalOf(
  value: Value,
  wanted: Declaration["type"],
  place: Declaration["place"],
): Expression | undefined {
  if (typeof value === "number" || typeof value === "bigint") {
    const number = Number(value);
    const fits = wanted === undefined || wanted === "real" || wanted === "integer";
    if (!fits || !Number.isFinite(number)) return undefined;
    return wanted === "integer" && !Number.isInteger(number)
      ? undefined
      : makeNumber(number, place);
  }
  if (typeof value === "boolean")
    return wanted === undefined || wanted === "boolean"
      ? { kind: "boolean", value, place }
      : undefined;
  if (typeof value !== "string" || (wanted !== undefined && wanted !== "string")) return undefined;
  return { kind: "string", value, place };
}

function valueText(value: Value): string {
  return typeof value === "string" ? `the text '${value}'` : `'${String(value)}'`;
}
