/**
 * Reduces an adaptation to explicit form: what authors leave out, because it is as always, is
 * written out. Thirteen rules, in order, each applied to what the one before left (the paper's
 * "Reduction to Explicit Form"). Where the paper assumes that every port has a name of its own, and
 * where it is silent, docs/spec/adaptation-language.md says what is done.
 */
import type { Checked, Diagnostic } from "../../base/diagnostic.ts";
import { hasErrors } from "../../base/diagnostic.ts";
import type {
  Adaptation,
  AdaptationPort,
  Declaration,
  Expression,
  Reference,
  Rule,
  SaType,
  Statement,
} from "../../model/adaptation/data.ts";
import { makeAssign, makeReference } from "./build.ts";
import { converted, convertedStart, initialValue } from "./convert.ts";
import { report } from "./diagnostics.ts";
import { defaultControl, implementConnections } from "./explicit-control.ts";
import { addInPorts, addOutPorts, type CompletePorts } from "./explicit-ports.ts";
import {
  type Describe,
  findPort,
  type InnerPort,
  type InnerPorts,
  innerPorts,
  physicalUnit,
} from "./inner-ports.ts";
import { assignedNames, rewriteExpression, rewriteStatements } from "./rewrite.ts";
import { type StorageNames, storageNames } from "./storage-names.ts";

/** What the rules share. */
export interface Reduction {
  readonly units: readonly InnerPorts[];
  readonly diagnostics: Diagnostic[];
}

/** An own port and the port of an inner unit that it is bound to. */
interface Bound {
  readonly own: AdaptationPort;
  readonly inner: InnerPort;
}

/**
 * The names of the rules are the paper's. Explicit form is a fixed point: reducing it changes
 * nothing.
 * @returns no value where ports that something is bound to do not exist, or where inner units have
 * no order.
 */
export function explicitForm(adaptation: Adaptation, describe: Describe): Checked<Adaptation> {
  const units = innerPorts(adaptation, describe);
  const diagnostics: Diagnostic[] = [];
  const reduction: Reduction = { units, diagnostics };
  if (adaptation.inner.length === 0) diagnostics.push(report("sa-no-inner", {}, adaptation.place));

  // AddInPorts, and AddOutPorts early: what is added later needs to know all ports to find names.
  const withPorts = addOutPorts(addInPorts(adaptation, units), units);
  const inputs = boundPorts(withPorts, "inputs", reduction);
  const outputs = boundPorts(withPorts, "outputs", reduction);
  const innerOutputs = units.flatMap((unit) => unit.outputs);
  const names = storageNames(withPorts, [
    ...withPorts.inputs.map(({ name }) => ({
      owner: adaptation.name,
      port: name,
      storage: "in" as const,
    })),
    ...innerOutputs.map(({ unit, name }) => ({ owner: unit, port: name, storage: "out" as const })),
  ]);

  const inSide = addInSide(withPorts, inputs, names, reduction);
  const outSide = addOutSide(inSide, outputs, innerOutputs, names, reduction);
  const unbound: CompletePorts = {
    ...outSide,
    inputs: withoutBindings(outSide.inputs, inputs),
    outputs: withoutBindings(outSide.outputs, outputs),
  };
  const control = unbound.controlRules ?? defaultControl(unbound, reduction);
  const controlled = {
    ...unbound,
    // What is written out stands alone, without the declarations of its file.
    inner: unbound.inner.map(({ isDeclared: _, ...unit }) => unit),
    control: adaptation.control ?? (adaptation.controlRules === undefined ? "default" : "rules"),
    controlRules: implementConnections(control, unbound.connections, reduction),
  };
  if (hasErrors(diagnostics)) return { diagnostics };
  return { value: replacePortReferences(controlled, innerOutputs, names), diagnostics };
}

function boundPorts(
  adaptation: CompletePorts,
  direction: "inputs" | "outputs",
  { units, diagnostics }: Reduction,
): Bound[] {
  return adaptation[direction].flatMap((own): Bound[] => {
    if (own.binding === undefined) return [];
    const inner = findPort(units, own.binding, direction);
    if (inner !== undefined) return [{ own, inner }];
    const { unit, port, place } = own.binding;
    const what = direction === "inputs" ? "input" : "output";
    const owner = units.find((one) => one.unit.name === unit);
    const known = owner?.description !== undefined || owner?.unit[direction] !== undefined;
    diagnostics.push(report("sa-binding-unknown", { unit, port, what, known }, place));
    return [];
  });
}

/** AddInParams, AddInVars, AddInRule. */
function addInSide(
  adaptation: CompletePorts,
  bound: readonly Bound[],
  names: StorageNames,
  { diagnostics }: Reduction,
): CompletePorts {
  const { name: sa, place } = adaptation;
  const { inputs } = adaptation;
  const starts = inputs.map((port) => {
    const inner = bound.find(({ own }) => own === port)?.inner;
    const type = port.type ?? inner?.type ?? "real";
    const start = inner && convertedStart(inner, physicalUnit(port.unit));
    return { ...port, type, owner: sa, value: initialValue(type, start, place) };
  });
  const assigned = new Set(adaptation.inRules.flatMap(({ first }) => [...assignedNames(first)]));
  const first = inputs
    .filter(({ name }) => !assigned.has(names.stored(sa, name)))
    .map(({ name, place: at }) =>
      makeAssign(makeReference(names.stored(sa, name), at), makeReference(name, at, sa), at),
    );
  const second = bound.map(({ own, inner }) => {
    const at = own.place;
    const value = makeReference(own.name, at, sa);
    const to = inner.physical;
    return makeAssign(
      makeReference(inner.name, at, inner.unit),
      converted(value, physicalUnit(own.unit), to, at, diagnostics),
      at,
    );
  });
  return {
    ...adaptation,
    parameters: addVariables("init", adaptation.parameters, starts, names),
    inVariables: addVariables("stored", adaptation.inVariables, starts, names),
    inRules: prepend(adaptation.inRules, first, second, adaptation),
  };
}

/** AddOutParams, AddOutVars, AddOutRule. */
function addOutSide(
  adaptation: CompletePorts,
  bound: readonly Bound[],
  innerOutputs: readonly InnerPort[],
  names: StorageNames,
  { diagnostics }: Reduction,
): CompletePorts {
  const { name: sa } = adaptation;
  const starts = innerOutputs.map(({ unit, name, type, start, place }) => ({
    owner: unit,
    name,
    type,
    value: initialValue(type, start, place),
    place,
  }));
  const assigned = new Set(adaptation.outRules.flatMap(({ first }) => [...assignedNames(first)]));
  const first = innerOutputs
    .filter(({ unit, name }) => !assigned.has(names.stored(unit, name)))
    .map(({ unit, name, place }) =>
      makeAssign(
        makeReference(names.stored(unit, name), place),
        makeReference(name, place, unit),
        place,
      ),
    );
  const second = bound.map(({ own, inner }) => {
    const at = own.place;
    const value = makeReference(inner.name, at, inner.unit);
    const to = physicalUnit(own.unit);
    return makeAssign(
      makeReference(own.name, at, sa),
      converted(value, inner.physical, to, at, diagnostics),
      at,
    );
  });
  return {
    ...adaptation,
    parameters: addVariables("init", adaptation.parameters, starts, names),
    outVariables: addVariables("stored", adaptation.outVariables, starts, names),
    outRules: prepend(adaptation.outRules, first, second, adaptation),
  };
}

interface Start {
  readonly owner: string;
  readonly name: string;
  readonly type: SaType;
  readonly value: Expression;
  readonly place: Declaration["place"];
}

/**
 * Start values in variables of their own, or what is stored from step to step, which begins with
 * them.
 */
function addVariables(
  role: "init" | "stored",
  known: readonly Declaration[],
  starts: readonly Start[],
  names: StorageNames,
): Declaration[] {
  return add(
    known,
    starts.map(({ owner, name, type, value, place }) => ({
      name: names[role](owner, name),
      ...(type === "integer" ? { type } : {}),
      value: role === "init" ? value : makeReference(names.init(owner, name), place),
      place,
    })),
  );
}

function add(known: readonly Declaration[], more: readonly Declaration[]): Declaration[] {
  const names = new Set(known.map(({ name }) => name));
  return [...known, ...more.filter(({ name }) => !names.has(name))];
}

function prepend(
  rules: readonly Rule[],
  first: readonly Statement[],
  second: readonly Statement[],
  { place }: Adaptation,
): readonly Rule[] {
  if (first.length === 0 && second.length === 0) return rules;
  return [{ condition: { kind: "boolean", value: true, place }, first, second, place }, ...rules];
}

/**
 * RemoveInBindings, RemoveOutBindings. The paper drops units as well; they stay, and so do types,
 * because they are what the adapted unit describes. Without a binding nothing is converted.
 */
function withoutBindings(
  ports: readonly AdaptationPort[],
  bound: readonly Bound[],
): AdaptationPort[] {
  return ports.map((port) => {
    const { binding: _, ...rest } = port;
    const inner = bound.find(({ own }) => own === port)?.inner;
    const unit = port.unit ?? inner?.physical?.name;
    const type = port.type ?? (inner?.type === "real" ? undefined : inner?.type);
    return {
      ...rest,
      ...(unit === undefined || unit === "" ? {} : { unit }),
      ...(type === undefined ? {} : { type }),
    };
  });
}

/** ReplacePortsRefsByVars. */
function replacePortReferences(
  adaptation: CompletePorts & { readonly controlRules: readonly Statement[] },
  innerOutputs: readonly InnerPort[],
  names: StorageNames,
): Adaptation {
  const { name: sa, parameters, controlVariables, inVariables, outVariables } = adaptation;
  const own = new Set(adaptation.inputs.map(({ name }) => name));
  const outputs = new Set(innerOutputs.map(({ unit, name }) => `${unit}.${name}`));
  const variables = new Set(
    [parameters, controlVariables, inVariables, outVariables].flat().map(({ name }) => name),
  );
  const byInput = (r: Reference): Expression => {
    const isOwn =
      own.has(r.name) && (r.unit === sa || (r.unit === undefined && !variables.has(r.name)));
    return isOwn ? makeReference(names.stored(sa, r.name), r.place) : r;
  };
  const byOutput = (r: Reference): Expression =>
    r.unit !== undefined && outputs.has(`${r.unit}.${r.name}`)
      ? makeReference(names.stored(r.unit, r.name), r.place)
      : r;
  const byBoth = (r: Reference): Expression => {
    const replaced = byInput(r);
    return replaced === r ? byOutput(r) : replaced;
  };
  return {
    ...adaptation,
    controlRules: rewriteStatements(adaptation.controlRules, byBoth),
    inRules: adaptation.inRules.map((rule) => ({
      ...rule,
      condition: rewriteExpression(rule.condition, byOutput),
      first: rewriteStatements(rule.first, byOutput),
      second: rewriteStatements(rule.second, byBoth),
    })),
    outRules: adaptation.outRules.map((rule) => ({
      ...rule,
      condition: rewriteExpression(rule.condition, byInput),
      first: rewriteStatements(rule.first, byInput),
      second: rewriteStatements(rule.second, byBoth),
    })),
  };
}
