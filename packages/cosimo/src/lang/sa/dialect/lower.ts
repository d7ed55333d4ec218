/**
 * The draft of an adaptation → the adaptation, without anything that only the dialect has. A text
 * in our notation comes out as it went in.
 */
import type { Adaptation, Expression, InnerConnection } from "../../../model/adaptation/data.ts";
import { keyOf } from "../rewrite.ts";
import { Calls } from "./calls.ts";
import { Control } from "./control.ts";
import type { Translation } from "./diagnostics.ts";
import type { DraftAdaptation, DraftUnit, Form } from "./draft.ts";
import { Names } from "./names.ts";
import { Ports } from "./ports.ts";
import { Rules } from "./rules.ts";
import { mapExpression } from "./transform.ts";
import { Work } from "./work.ts";

/** What the file says beside the adaptation. */
export interface Around {
  /** Inner units, those of lists included, with what is declared of them elsewhere. */
  readonly inner: readonly DraftUnit[];
  /** Connections of the file between ports of any units. */
  readonly connections: readonly InnerConnection[];
}

export function lowerAdaptation(
  draft: DraftAdaptation,
  { inner, connections }: Around,
  dialect: Translation,
): Adaptation {
  const work = new Work(draft, dialect);
  const ports = new Ports(work);
  work.inner.push(...inner.map((unit) => ports.innerUnit(unit)));
  work.inputs = ports.ownPorts(draft.inputs, "inputs");
  work.outputs = ports.ownPorts(draft.outputs, "outputs");
  work.connections.push(...ports.connections(draft.connections));
  if (draft.listed.length > 0) connectByFile(work, ports, connections);
  if (needsConnections(draft)) connectByName(work, ports);

  const names = new Names(work, ports);
  new Rules(work, names, ports).translate();
  const calls = new Calls(work);
  const own = draft.controlRules && names.statements(draft.controlRules, "control");
  const control = calls.translate(own);
  const forms = draft.forms.map((form) =>
    form.kind === "triggered" ? { ...form, condition: trigger(form, work, names, calls) } : form,
  );
  new Control(work, ports, forms).translate(control);
  return ports.finish(work.finish());
}

/** Where the file connects ports, and where units are listed, equal names are connected. */
function needsConnections({ listed, connections, forms }: DraftAdaptation): boolean {
  const isLoop = forms.some(({ kind }) => kind === "substitution" || kind === "delay");
  return connections.length === 0 && (listed.length > 1 || isLoop);
}

function connectByFile(work: Work, ports: Ports, all: readonly InnerConnection[]): void {
  for (const one of all) {
    const from = one.from.unit === "" ? ports.unitsWith("outputs", one.from.port) : [one.from.unit];
    const to = one.to.unit === "" ? ports.unitsWith("inputs", one.to.port) : [one.to.unit];
    const [source] = from;
    const [target] = to;
    const isInside = (unit: string): boolean => work.inner.some(({ name }) => name === unit);
    if (source === undefined || target === undefined || from.length > 1 || to.length > 1) continue;
    if (!isInside(source) || !isInside(target)) continue;
    work.connections.push({
      from: { ...one.from, unit: source },
      to: { ...one.to, unit: target },
      place: work.draft.place,
    });
    work.dialect.note("a connection of the file", "'with a.x -> b.y'", work.draft.place);
  }
}

/** An inner input that nothing feeds gets the only output of its name of another unit. */
function connectByName(work: Work, ports: Ports): void {
  const own = new Set((work.inputs ?? []).map(({ name }) => name));
  const fed = new Set([
    ...work.connections.map(({ to }) => keyOf(to.unit, to.port)),
    ...(work.inputs ?? []).flatMap(({ binding }) =>
      binding ? [keyOf(binding.unit, binding.port)] : [],
    ),
  ]);
  for (const unit of work.inner)
    for (const { name } of unit.inputs ?? []) {
      if (own.has(name) || fed.has(keyOf(unit.name, name))) continue;
      const [source, ...more] = ports
        .unitsWith("outputs", name)
        .filter((other) => other !== unit.name);
      if (source === undefined || more.length > 0) continue;
      const { place } = work.draft;
      work.connections.push({
        from: { unit: source, port: name, place },
        to: { unit: unit.name, port: name, place },
        place,
      });
      work.dialect.note("a pair of ports of the same name", "'with a.x -> b.x'", place);
    }
}

/** The condition of `triggered by`, where `signal` stands for every boolean signal. */
function trigger(
  { condition, place }: Extract<Form, { readonly kind: "triggered" }>,
  work: Work,
  names: Names,
  calls: Calls,
): Expression {
  const resolved = calls.expression(names.expression(condition));
  const isSignal = (e: Expression): boolean =>
    e.kind === "reference" && e.unit === undefined && e.name === "signal";
  const known = work.inputs?.some(({ name }) => name === "signal") === true;
  let isGeneric = false;
  mapExpression(resolved, (e) => {
    isGeneric ||= isSignal(e);
    return e;
  });
  if (!isGeneric || known) return resolved;
  const signals = names.booleanSignals();
  if (signals.length === 0) {
    work.dialect.refuse(
      "'signal'",
      "it stands for any boolean signal that comes in, and there is none",
      "name the input, or declare its type: input ports Bool x",
      place,
    );
    return resolved;
  }
  work.dialect.note("'signal'", "each boolean signal that comes in", place);
  return signals
    .map((name) =>
      mapExpression(resolved, (e) => (isSignal(e) ? { kind: "reference", name, place } : e)),
    )
    .reduce((left, right) => ({ kind: "binary", operator: "or", left, right, place }));
}
