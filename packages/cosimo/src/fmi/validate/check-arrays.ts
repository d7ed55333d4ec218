/**
 * Checks of arrays, which only some versions have: dimensions, the structural parameters behind
 * them, and the number of start values.
 */
import type { Dimension, FmuVariable } from "../description.ts";
import type { ValidationContext } from "./context.ts";

export function checkArrays(context: ValidationContext): void {
  const { description: d, findings } = context;
  for (const variable of d.variables) {
    const { name, dimensions, start } = variable;
    const [first] = dimensions;
    if (first !== undefined && variable.causality === "structuralParameter") {
      findings.report("structural-array", { name }, first.line);
      continue;
    }
    let expected: number | undefined = 1;
    for (const dimension of dimensions) {
      const size = checkDimension(context, variable, dimension);
      expected = size === undefined || expected === undefined ? undefined : expected * size;
    }
    if (start === undefined || expected === undefined || start.length === 1) continue;
    if (start.length !== expected) {
      findings.report("start-count", { name, found: start.length, expected }, variable.line);
    }
  }
}

/** The size at the start; undefined when it is unknown (and that was reported). */
function checkDimension(
  { byReference, findings }: ValidationContext,
  { name }: FmuVariable,
  { size, reference, line }: Dimension,
): number | undefined {
  if ((size === undefined) === (reference === undefined)) {
    findings.report("dimension-unclear", { name }, line);
    return undefined;
  }
  if (reference === undefined) {
    if (size !== 0) return size;
    findings.report("dimension-zero", { name, because: "its start value is 0" }, line);
    return undefined;
  }
  const parameter = byReference.get(reference);
  if (parameter === undefined) {
    findings.report("dimension-unknown", { name, reference }, line);
    return undefined;
  }
  const holdsSize =
    parameter.causality === "structuralParameter" || parameter.variability === "constant";
  if (!holdsSize || parameter.type !== "uint64") {
    findings.report("dimension-not-size", { name, other: parameter.name }, line);
    return undefined;
  }
  const start = parameter.start?.[0];
  if (start === undefined) return undefined;
  if (Number(start) !== 0) return Number(start);
  const because = `'${parameter.name}' starts with 0`;
  findings.report("dimension-zero", { name, because }, line);
  return undefined;
}
