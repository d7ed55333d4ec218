/**
 * AddInPorts and AddOutPorts: which ports an adaptation has where its author omits them.
 */
import { type Adaptation, type AdaptationPort, isOpen } from "../../model/adaptation/data.ts";
import type { InnerPort, InnerPorts } from "./inner-ports.ts";
import { assignedNames, assignedPorts, keyOf } from "./rewrite.ts";

/** An adaptation whose ports are all known. */
export interface CompletePorts extends Adaptation {
  readonly inputs: readonly AdaptationPort[];
  readonly outputs: readonly AdaptationPort[];
}

/**
 * An input for every inner input that nothing feeds: no connection, no binding, no rule. A declared
 * input that is bound to nothing is the one for the inner input of the same name.
 */
export function addInPorts<Given extends Adaptation>(
  adaptation: Given,
  units: readonly InnerPorts[],
): Given & Pick<CompletePorts, "inputs"> {
  const { connections, controlRules = [], inRules } = adaptation;
  const declared = adaptation.inputs ?? [];
  const fed = new Set([
    ...connections.map(({ to }) => keyOf(to.unit, to.port)),
    ...declared.flatMap(({ binding }) => (binding ? [keyOf(binding.unit, binding.port)] : [])),
    ...inRules.flatMap(({ second }) => [...assignedPorts(second)]),
    ...assignedPorts(controlRules),
  ]);
  const open = units
    .flatMap((unit) => unit.inputs)
    .filter(({ unit, name }) => !fed.has(keyOf(unit, name)));
  const taken = [...(adaptation.outputs ?? []), ...adaptation.parameters].map(({ name }) => name);
  const ports = bindAll(declared, open, () => true, taken);
  const openUnits = new Set(units.filter(({ unit }) => isOpen(unit)).map(({ unit }) => unit.name));
  return {
    ...adaptation,
    // The author of an open adaptation does not know the kinds of the inputs that are passed on.
    inputs: ports.map((port, at) =>
      at >= declared.length && openUnits.has(port.binding?.unit ?? "")
        ? { ...port, inheritsKind: "passed-on" as const }
        : port,
    ),
  };
}

/**
 * Where no output is declared, one for every inner output. A declared one that nothing assigns is
 * the inner one of its name.
 */
export function addOutPorts<Given extends Adaptation & Pick<CompletePorts, "inputs">>(
  adaptation: Given,
  units: readonly InnerPorts[],
): Given & CompletePorts {
  const inner = units.flatMap((unit) => unit.outputs);
  const taken = [...adaptation.inputs, ...adaptation.parameters].map(({ name }) => name);
  const { outputs: declared } = adaptation;
  if (declared === undefined)
    return { ...adaptation, outputs: bindAll([], inner, () => true, taken) };
  return { ...adaptation, outputs: bindByName(declared, inner, isUnassigned(adaptation)) };
}

/**
 * The declared outputs, and one for every other output of the open units among `units`.
 * @param replaced outputs of open units, as `unit.port`, in whose place the adaptation has one of
 * its own.
 */
export function passOutputs(
  adaptation: Adaptation,
  units: readonly InnerPorts[],
  replaced: ReadonlySet<string>,
): AdaptationPort[] {
  const inner = units.flatMap((unit) => unit.outputs);
  const declared = bindByName(adaptation.outputs ?? [], inner, isUnassigned(adaptation));
  const open = units
    .filter(({ unit }) => isOpen(unit))
    .flatMap(({ outputs }) => outputs)
    .filter(({ unit, name }) => !replaced.has(keyOf(unit, name)));
  const taken = [...(adaptation.inputs ?? []), ...adaptation.parameters].map(({ name }) => name);
  return bindAll(declared, open, () => false, taken);
}

/** Outputs that no out rule gives a value. */
function isUnassigned({ name: sa, outRules }: Adaptation): (port: AdaptationPort) => boolean {
  const assigned = new Set(
    outRules.flatMap(({ second }) => [
      ...assignedNames(second),
      ...[...assignedPorts(second)].flatMap((key) =>
        key.startsWith(`${sa}.`) ? [key.slice(sa.length + 1)] : [],
      ),
    ]),
  );
  return ({ name }) => !assigned.has(name);
}

function bindAll(
  declared: readonly AdaptationPort[],
  open: readonly InnerPort[],
  mayBind: (port: AdaptationPort) => boolean,
  taken: readonly string[],
): AdaptationPort[] {
  const ports = bindByName(declared, open, mayBind);
  const bound = new Set(ports.map(({ binding }) => binding && keyOf(binding.unit, binding.port)));
  const names = new Set([...ports.map(({ name }) => name), ...taken]);
  const count = (name: string): number => open.filter((port) => port.name === name).length;
  for (const { unit, name, physical, place } of open) {
    if (bound.has(keyOf(unit, name))) continue;
    const wanted = count(name) > 1 || names.has(name) ? `${unit}_${name}` : name;
    let free = wanted;
    for (let n = 2; names.has(free); n++) free = `${wanted}_${n}`;
    names.add(free);
    const physicalName =
      physical === undefined || physical.name === "" ? {} : { unit: physical.name };
    ports.push({ name: free, ...physicalName, binding: { unit, port: name, place }, place });
  }
  return ports;
}

/** By name where there is one port of that name, and nothing to choose. */
function bindByName(
  declared: readonly AdaptationPort[],
  inner: readonly InnerPort[],
  mayBind: (port: AdaptationPort) => boolean,
): AdaptationPort[] {
  return declared.map((port) => {
    const [only, ...more] = inner.filter(({ name }) => name === port.name);
    if (port.binding !== undefined || only === undefined || more.length > 0 || !mayBind(port))
      return port;
    return { ...port, binding: { unit: only.unit, port: only.name, place: port.place } };
  });
}
