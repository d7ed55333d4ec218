/**
 * Connections from several ports (`a.x + b.y -> c.u`): a unit that computes the formula stands
 * between its ports and the target, so that plans, masters, initialization and export need to know
 * nothing of formulas. When its connections exchange follows from the trigger of the one that was
 * written: all terms are of the same instant.
 */
import { present } from "../base/present.ts";
import type { BinaryOperator, Expression } from "./adaptation/data.ts";
import { SA_FUNCTIONS } from "./adaptation/functions.ts";
import { INTEGER_RANGES, isFloat } from "./port-value.ts";
import { type ResolveContext, typedText } from "./resolve-scenario-context.ts";
import type { DescribedUnit, PortReference } from "./resolve-scenario-reference.ts";
import type { ConnectionDraft, FormulaDraft, FormulaSource, Trigger } from "./scenario.ts";
import {
  type Nature,
  NO_CAPABILITIES,
  type Port,
  type UnitDescription,
} from "./unit-description.ts";
import { bankOf, type ValueType } from "./value-type.ts";

/** What one part of a written connection connects, and when. */
export interface FormulaPart {
  readonly from: PortReference;
  readonly to: PortReference;
  readonly trigger?: Trigger;
  /** It leads to the target of the written connection. */
  readonly isLast: boolean;
}

/** The connections of a formula, and its unit in `context`; undefined after a report. */
export function expandFormula(
  context: ResolveContext,
  draft: ConnectionDraft & { readonly formula: FormulaDraft },
  terms: readonly PortReference[],
  target: PortReference,
  trigger: Trigger | undefined,
): readonly FormulaPart[] | undefined {
  const { from, to, place, formula } = draft;
  const refuse = (why: string, fix: string): undefined =>
    context.report("connection-formula", { from, to, why, fix }, place);
  const event = terms.find(({ port }) => port.nature === "transient");
  if (event !== undefined)
    return refuse(
      `'${event.text}' carries events, which have no value between them`,
      "use it as the trigger: when: event on unit.port",
    );
  const odd = [...terms, target].find(({ port }) => !isComputable(port.type));
  if (odd !== undefined)
    return refuse(
      `${typedText(odd.text, odd.port)} is neither a number of up to 53 bits nor a boolean`,
      "let a unit compute it: an adaptation, or a module",
    );
  if (draft.mapping !== undefined || draft.integral !== undefined || draft.interaction === "toggle")
    return refuse(
      "'mapping', 'integral' and 'toggle' are about one port",
      "remove them, or connect a single port",
    );
  if (trigger?.kind === "event" && trigger.port === undefined)
    return refuse("no port says which event is meant", "name it: when: event on unit.port");
  const kinds = terms.map(({ port }) => (port.type === "boolean" ? "boolean" : "number"));
  const result = kindOf(formula.expression, kinds);
  if (typeof result !== "string") return refuse(result.why, result.fix);
  const source = formulaSource(draft, terms, target, result);
  const unit: DescribedUnit = {
    draft: { name: `${to} = ${from}`, source, values: [], place },
    index: context.units.length,
    description: source.description,
  };
  context.units.push(unit);
  const { ports } = source.description;
  const reference = (port: Port, text: string): PortReference => ({
    kind: "port",
    unit,
    port,
    element: 0,
    shape: port.shape,
    whole: true,
    text,
  });
  const when = triggersOf(trigger, target);
  return [
    ...terms.map((term, i) => ({
      from: term,
      to: reference(ports[i] as Port, to),
      ...present({ trigger: when.terms }),
      isLast: false,
    })),
    {
      from: reference(ports[terms.length] as Port, from),
      to: target,
      ...present({ trigger: when.result }),
      isLast: true,
    },
  ];
}

/** All terms are taken when the trigger says so, and the result goes on when it is new. */
function triggersOf(
  trigger: Trigger | undefined,
  { unit, port }: PortReference,
): { readonly terms?: Trigger; readonly result?: Trigger } {
  if (trigger === undefined) return {};
  if (trigger.kind === "every") return { terms: trigger, result: trigger };
  if (trigger.kind === "ready-to-read" && trigger.port === undefined) {
    const read = { unit: unit.index, port: port.index };
    return { terms: { kind: "ready-to-read", port: read }, result: trigger };
  }
  return { terms: trigger, result: { kind: "updated" } };
}

function formulaSource(
  { from, to, formula: { expression } }: ConnectionDraft & { readonly formula: FormulaDraft },
  terms: readonly PortReference[],
  target: PortReference,
  kind: Kind,
): FormulaSource {
  const isAffine = degreeOf(expression) <= 1;
  const isWhole =
    kind === "number" &&
    INTEGER_RANGES[target.port.type] !== undefined &&
    terms.every(({ port }) => INTEGER_RANGES[port.type] !== undefined) &&
    keepsIntegers(expression);
  const number: ValueType = isWhole ? target.port.type : "float64";
  const { shape } = target;
  const inputs = terms.map(({ port }, index): Port => {
    const type: ValueType = port.type === "boolean" ? "boolean" : number;
    // Terms of a sum are converted to the unit of the target; a product has a unit of its own.
    const unit = isAffine && kind === "number" ? target.port.unit : port.unit;
    const { nature } = port;
    return {
      ...portOf(index, `u${index + 1}`, "input", type, shape, nature),
      ...present({ unit }),
    };
  });
  const isContinuous = terms.every(({ port }) => port.nature === "continuous");
  const nature = kind === "number" && isContinuous ? "continuous" : "piecewise-constant";
  const type = kind === "boolean" ? "boolean" : number;
  const unit = isAffine ? target.port.unit : undefined;
  const output: Port = {
    ...portOf(inputs.length, "y", "output", type, shape, nature),
    ...(kind === "number" && present({ unit })),
    feedThrough: inputs.map(({ index }) => index),
  };
  const isReal = inputs.some((port) => isFloat(port.type));
  const description: UnitDescription = {
    name: from,
    backend: "typescript",
    ports: [...inputs, output],
    capabilities: {
      ...NO_CAPABILITIES,
      rollback: true,
      serialize: true,
      variableStep: true,
      zeroStep: true,
      predicates: ["updated"],
      ...(isReal && {
        directionalDerivatives: true,
        adjointDerivatives: true,
        inputDerivativeOrder: 1,
        outputDerivativeOrder: 1,
      }),
    },
    experiment: {},
  };
  return { kind: "formula", expression, description, from, to };
}

function portOf(
  index: number,
  name: string,
  direction: "input" | "output",
  type: ValueType,
  shape: readonly number[],
  nature: Nature,
): Port {
  const variability = isFloat(type) && nature === "continuous" ? "continuous" : "discrete";
  const isInput = direction === "input";
  return {
    index,
    name,
    direction,
    type,
    shape,
    variability,
    nature,
    ...(isInput && { start: [type === "boolean" ? false : 0] }),
  };
}

const isComputable = (type: ValueType): boolean =>
  bankOf(type) === "f64" && type !== "clock" && type !== "enumeration";

type Kind = "number" | "boolean";
interface Problem {
  readonly why: string;
  readonly fix: string;
}

const COMPARISONS: ReadonlySet<BinaryOperator> = new Set(["<", "<=", ">", ">=", "==", "!="]);
const LOGIC: ReadonlySet<BinaryOperator> = new Set(["and", "or"]);

/** The place of a term, from 0. */
export function termOf(name: string): number {
  return Number(name.slice(1)) - 1;
}

/** What a formula gives: a number or a boolean. */
function kindOf(e: Expression, terms: readonly Kind[]): Kind | Problem {
  switch (e.kind) {
    case "number":
      return "number";
    case "boolean":
      return "boolean";
    case "string":
      return { why: "a text is not a value of a formula", fix: "use numbers and booleans" };
    case "reference":
      return terms[termOf(e.name)] as Kind;
    case "unary":
      return same([e.operand], terms, e.operator === "-" ? "number" : "boolean", e.operator);
    case "binary": {
      const { operator, left, right } = e;
      if (LOGIC.has(operator)) return same([left, right], terms, "boolean", operator);
      const found = same([left, right], terms, "number", operator);
      return COMPARISONS.has(operator) && found === "number" ? "boolean" : found;
    }
    case "conditional": {
      const condition = same([e.condition], terms, "boolean", "?");
      if (typeof condition !== "string") return condition;
      const then = kindOf(e.then, terms);
      return typeof then === "string" ? same([e.then, e.otherwise], terms, then, ":") : then;
    }
    case "call": {
      const known = SA_FUNCTIONS.get(e.callee);
      if (known?.compute === undefined)
        return {
          why: `there is no function '${e.callee}' of numbers`,
          fix: "use abs, min, max, …",
        };
      const { least, most, usage, result } = known;
      if (e.arguments.length < least || e.arguments.length > most)
        return { why: `'${e.callee}' has ${e.arguments.length} arguments`, fix: `write ${usage}` };
      const found = same(e.arguments, terms, "number", e.callee);
      return found === "number" && result === "boolean" ? "boolean" : found;
    }
  }
}

function same(
  operands: readonly Expression[],
  terms: readonly Kind[],
  wanted: Kind,
  operator: string,
): Kind | Problem {
  for (const operand of operands) {
    const kind = kindOf(operand, terms);
    if (typeof kind !== "string") return kind;
    if (kind === wanted) continue;
    const [other, fix] =
      wanted === "number"
        ? ["a boolean", "use 'and', 'or', 'not', or turn it into a number: (a.on ? 1 : 0)"]
        : ["a number", "compare it: a.x > 0"];
    return { why: `'${operator}' is for ${wanted}s, and one of its operands is ${other}`, fix };
  }
  return wanted;
}

/** 0: constant; 1: a sum of multiples of terms and a constant; 2: anything else. */
function degreeOf(e: Expression): number {
  switch (e.kind) {
    case "reference":
      return 1;
    case "unary":
      return e.operator === "-" ? degreeOf(e.operand) : 2;
    case "binary": {
      const [left, right] = [degreeOf(e.left), degreeOf(e.right)];
      if (e.operator === "+" || e.operator === "-") return Math.max(left, right);
      if (e.operator === "*") return Math.min(2, left + right);
      return e.operator === "/" && right === 0 ? left : 2;
    }
    case "conditional":
    case "call":
      return 2;
    default:
      return 0;
  }
}

function keepsIntegers(e: Expression): boolean {
  if (e.kind === "number") return Number.isInteger(e.value);
  if (e.kind === "unary") return keepsIntegers(e.operand);
  if (e.kind !== "binary") return e.kind === "reference";
  const isExact = e.operator === "+" || e.operator === "-" || e.operator === "*";
  return isExact && keepsIntegers(e.left) && keepsIntegers(e.right);
}
