/**
 * CreateCtrlRules and ImplementInternalBinding: what a step does where its author leaves it out.
 */
import type { Adaptation, InnerConnection, Statement } from "../../model/adaptation/data.ts";
import { type InnerPort, innerOrder } from "../../model/adaptation/inner-order.ts";
import { makeAssign, makeCall, makeIf, makeReference } from "./build.ts";
import { converted } from "./convert.ts";
import { report } from "./diagnostics.ts";
import type { Reduction } from "./explicit-form.ts";
import { findPort } from "./inner-ports.ts";
import { keyOf, steppedBy } from "./rewrite.ts";
import { freeLocals } from "./storage-names.ts";

/** Every inner unit once, those first that feed others; the shortest step that one of them took. */
export function defaultControl(adaptation: Adaptation, reduction: Reduction): Statement[] {
  const { place } = adaptation;
  const order = orderOf(adaptation, reduction);
  if (order === undefined) {
    const units = adaptation.inner.map(({ name }) => name);
    reduction.diagnostics.push(report("sa-loop", { units }, place));
    return [];
  }
  const freeLocal = freeLocals(adaptation);
  const steps = order.map((unit): Statement & { readonly kind: "var" } => ({
    kind: "var",
    name: freeLocal(`H_${unit}`),
    value: makeCall(
      "do_step",
      [unit, "t", "H"].map((name) => makeReference(name, place)),
      place,
    ),
    place,
  }));
  const results = steps.map(({ name }) => makeReference(name, place));
  const [only, ...rest] = results;
  const value = only !== undefined && rest.length === 0 ? only : makeCall("min", results, place);
  return results.length === 0 ? [] : [...steps, { kind: "return", value, place }];
}

/**
 * Names of inner units, each after those it depends on; undefined where they form an algebraic
 * loop.
 */
function orderOf({ inner, connections }: Adaptation, { units }: Reduction): string[] | undefined {
  const described = new Map(units.map(({ unit, description }) => [unit.name, description]));
  const descriptions = inner.map(({ name }) => described.get(name));
  const places = new Map(inner.map(({ name }, index) => [name, index]));
  const at = ({ unit, port }: { readonly unit: string; readonly port: string }): InnerPort => {
    const index = places.get(unit) ?? -1;
    const ports = descriptions[index]?.ports ?? [];
    return { unit: index, port: ports.findIndex(({ name }) => name === port) };
  };
  const wires = connections
    .map(({ from, to }) => ({ from: at(from), to: at(to) }))
    .filter(({ from, to }) => from.unit >= 0 && to.unit >= 0);
  return innerOrder(descriptions, wires, "step")?.map((unit) => inner[unit]?.name ?? "");
}

/**
 * Before each `do_step(f, …)`: what connections bring to `f`, unless the author assigned that input
 * since the last step of `f`, in the order of the text. An input that is declared delayed gets what
 * its source was where the step of `f` begins; that is left to the connection itself, because no
 * rule can read it once the source is ahead.
 */
export function implementConnections(
  control: readonly Statement[],
  connections: readonly InnerConnection[],
  { units, diagnostics }: Reduction,
): Statement[] {
  const assigned = new Set<string>();
  const delivered = connections.filter(
    ({ to }) =>
      units
        .find(({ unit }) => unit.name === to.unit)
        ?.description?.ports.find(({ name }) => name === to.port)?.reactive !== false,
  );

  const block = (statements: readonly Statement[]): Statement[] =>
    statements.flatMap((statement) => [...deliveries(statement), nested(statement)]);

  function deliveries(statement: Statement): Statement[] {
    const stepped = steppedBy(statement);
    const added = delivered
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
