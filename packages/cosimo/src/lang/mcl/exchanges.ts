/**
 * What an interaction exchanges: the expression before its arrow as one port with a factor and an offset, or its negation.
 */
import { type Expression, type PortName, portText } from "./specification.ts";

export type Exchange =
  | {
      readonly kind: "value";
      readonly port: PortName;
      readonly factor: number;
      readonly offset: number;
    }
  | { readonly kind: "not"; readonly port: PortName };

export interface NoExchange {
  readonly why: string;
  readonly fix: string;
}

/** Σ factor · port + offset. */
interface Linear {
  readonly terms: ReadonlyMap<string, { readonly port: PortName; readonly factor: number }>;
  readonly offset: number;
}

export function exchangeOf(source: Expression): Exchange | NoExchange {
  const negated = negationOf(source);
  if (negated !== undefined) return negated;
  const linear = linearOf(source);
  if ("why" in linear) return linear;
  const terms = [...linear.terms.values()].filter(({ factor }) => factor !== 0);
  const [first, second] = terms;
  if (first === undefined)
    return {
      why: "a constant is exchanged, which no unit gives",
      fix: "set it as the initial value of the port, in the interface",
    };
  if (second !== undefined)
    return {
      why: `'${portText(first.port)}' and '${portText(second.port)}' are combined, and a connection has one source`,
      fix: "connect both to a unit that combines them: an adaptation, or a module",
    };
  return { kind: "value", ...first, offset: linear.offset };
}

/** `not p`, also of several `not`. */
function negationOf(source: Expression): Exchange | NoExchange | undefined {
  let count = 0;
  let inner = source;
  for (; inner.kind === "unary" && inner.operator === "not"; inner = inner.operand) count++;
  if (count === 0) return undefined;
  if (inner.kind !== "port")
    return { why: "'not' is said of what is no port", fix: "write: not a.y -> b.u" };
  const { port } = inner;
  return count % 2 === 1 ? { kind: "not", port } : { kind: "value", port, factor: 1, offset: 0 };
}

function linearOf(expression: Expression): Linear | NoExchange {
  switch (expression.kind) {
    case "number":
      return { terms: new Map(), offset: expression.value };
    case "port": {
      const { port } = expression;
      return { terms: new Map([[portText(port), { port, factor: 1 }]]), offset: 0 };
    }
    case "unary": {
      if (expression.operator === "not")
        return {
          why: "'not' stands inside a formula",
          fix: "'not' is for booleans, and stands alone: not a.y -> b.u",
        };
      const operand = linearOf(expression.operand);
      return "why" in operand ? operand : scaled(operand, -1);
    }
    case "binary":
      return combined(expression);
  }
}

function combined(
  expression: Extract<Expression, { readonly kind: "binary" }>,
): Linear | NoExchange {
  const { operator } = expression;
  const left = linearOf(expression.left);
  if ("why" in left) return left;
  const right = linearOf(expression.right);
  if ("why" in right) return right;
  if (operator === "+") return sum(left, right);
  if (operator === "-") return sum(left, scaled(right, -1));
  if (operator === "*" && left.terms.size === 0) return scaled(right, left.offset);
  if (right.terms.size > 0)
    return {
      why: operator === "*" ? "two ports are multiplied" : "something is divided by a port",
      fix: "multiply by a number, or let a unit compute it",
    };
  if (operator === "/" && right.offset === 0)
    return { why: "something is divided by 0", fix: "divide by another number" };
  return operator === "*" ? scaled(left, right.offset) : scaled(left, 1 / right.offset);
}

function scaled({ terms, offset }: Linear, by: number): Linear {
  return {
    terms: new Map(
      [...terms].map(([key, { port, factor }]) => [key, { port, factor: factor * by }]),
    ),
    offset: offset * by,
  };
}

function sum(left: Linear, right: Linear): Linear {
  const terms = new Map(left.terms);
  for (const [key, { port, factor }] of right.terms)
    terms.set(key, { port, factor: factor + (terms.get(key)?.factor ?? 0) });
  return { terms, offset: left.offset + right.offset };
}
