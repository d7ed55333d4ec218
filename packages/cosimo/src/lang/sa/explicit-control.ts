/**
 * CreateCtrlRules and ImplementInternalBinding: what a step does where its author leaves it out.
 */
import type { Adaptation, InnerConnection, Statement } from "../../model/adaptation.ts";
import type { UnitDescription } from "../../model/unit-description.ts";
import { makeAssign, makeCall, makeIf, makeReference } from "./build.ts";
import { converted } from "./convert.ts";
import { report } from "./diagnostics.ts";
import type { Reduction } from "./explicit-form.ts";
import { findPort } from "./inner-ports.ts";
import { keyOf, steppedBy } from "./rewrite.ts";
import { freeLocal } from "./storage-names.ts";

/** Every inner unit once, those first that feed others; the shortest step that one of them took. */
export function defaultControl(adaptation: Adaptation, reduction: Reduction): Statement[] {
  const { place } = adaptation;
  const order = innerOrder(adaptation, reduction);
  if (order === undefined) {
    const units = adaptation.inner.map(({ name }) => name);
    reduction.diagnostics.push(report("sa-loop", { units }, place));
    return [];
  }
  const used = new Set<string>();
  const steps = order.map((unit): Statement & { readonly kind: "var" } => ({
    kind: "var",
    name: freeLocal(adaptation, `H_${unit}`, used),
    value: makeCall(
      "do_step",
      [unit, "t", "H"].map((name) => makeReference(name, place)),
      place,
    ),
    place,
  }));
  const results = steps.map(({ name }) => makeReference(name, place));
  const value = results.length === 1 ? results[0]! : makeCall("min", results, place);
  return results.length === 0 ? [] : [...steps, { kind: "return", value, place }];
}

/** Names of inner units, each after those it depends on; undefined where they form a circle. */
function innerOrder(
  { inner, connections }: Adaptation,
  { units }: Reduction,
): string[] | undefined {
  const needs = new Map(inner.map(({ name }) => [name, new Set<string>()]));
  for (const { from, to } of connections) {
    const description = units.find(({ unit }) => unit.name === to.unit)?.description;
    if (waitsFor(description, to.port)) needs.get(to.unit)?.add(from.unit);
  }
  const order: string[] = [];
  while (order.length < inner.length) {
    const next = inner.find(
      ({ name }) =>
        !order.includes(name) && [...needs.get(name)!].every((other) => order.includes(other)),
    );
    if (next === undefined) return undefined;
    order.push(next.name);
  }
  return order;
}

/** Whether a step needs the new value of the input: it is reactive, or an output follows it at once. Unknown: it does. */
function waitsFor(description: UnitDescription | undefined, input: string): boolean {
  const port = description?.ports.find(({ name }) => name === input);
  if (description === undefined || port === undefined || port.reactive === true) return true;
  return description.ports.some(
    ({ direction, feedThrough }) =>
      direction === "output" && (feedThrough === undefined || feedThrough.includes(port.index)),
  );
}

/**
 * Before each `do_step(f, …)`: what connections bring to `f`, unless the author assigned that input since the last step of `f`,
 * in the order of the text.
 */
export function implementConnections(
  control: readonly Statement[],
  connections: readonly InnerConnection[],
  { units, diagnostics }: Reduction,
): Statement[] {
  const assigned = new Set<string>();

  const block = (statements: readonly Statement[]): Statement[] =>
    statements.flatMap((statement) => [...delivered(statement), nested(statement)]);

  function delivered(statement: Statement): Statement[] {
    const stepped = steppedBy(statement);
    const added = connections
      .filter(({ to }) => stepped.includes(to.unit) && !assigned.has(keyOf(to.unit, to.port)))
      .map(({ from, to, place }) => {
        const source = findPort(units, from, "outputs")?.physical;
        const target = findPort(units, to, "inputs")?.physical;
        const value = makeReference(from.port, place, from.unit);
        return makeAssign(
          makeReference(to.port, place, to.unit),
          converted(value, source, target, place, diagnostics),
          place,
        );
      });
    for (const unit of stepped)
      for (const key of assigned) if (key.startsWith(`${unit}.`)) assigned.delete(key);
    if (statement.kind === "assign" && statement.target.unit !== undefined)
      assigned.add(keyOf(statement.target.unit, statement.target.name));
    return added;
  }

  function nested(s: Statement): Statement {
    switch (s.kind) {
      case "if":
        return makeIf(s.condition, block(s.then), block(s.otherwise), s.place);
      case "for":
      case "while":
        return { ...s, body: block(s.body) };
      default:
        return s;
    }
  }

  return block(control);
}
