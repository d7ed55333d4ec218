/**
 * What is known of an adaptation without running it. Checks, plans and commands read this as they
 * read the description of an FMU.
 *
 * Explicit form has lost the bindings of ports, so their types are found again by following plain
 * assignments: own port → variable → port of an inner unit.
 */
import {
  type Adaptation,
  type AdaptationPort,
  type Declaration,
  type Expression,
  type SaType,
  saTypeOf,
} from "../model/adaptation/data.ts";
import { SA_FUNCTIONS } from "../model/adaptation/functions.ts";
import { takesSlopes } from "../model/adaptation/inner-order.ts";
import { typeOfExpression, typesOf } from "../model/adaptation/types.ts";
import {
  eachExpression,
  eachStatement,
  expressionsOf,
  referencesIn,
} from "../model/adaptation/walk.ts";
import type { PhysicalUnit } from "../model/physical-unit.ts";
import { parseUnit } from "../model/physical-unit-parse.ts";
import {
  type Capabilities,
  NO_CAPABILITIES,
  type Port,
  type UnitDescription,
} from "../model/unit-description.ts";
import type { Value, ValueType } from "../model/value-type.ts";
import { makePorts, type OutputSpec } from "../unit/port-spec.ts";
import { defaultValues } from "./default-values.ts";
import { inputCauses, inputsBehind } from "./dependencies.ts";
import { named } from "./layout.ts";
import { hasDefaultControl } from "./link-plan.ts";
import { mayRefuse } from "./refusal.ts";
import { Twins } from "./twins.ts";

/** @param inner descriptions of the inner units by their names. */
export function describeAdaptation(
  adaptation: Adaptation,
  inner: ReadonlyMap<string, UnitDescription>,
): UnitDescription {
  const { inputs = [], outputs = [], parameters } = adaptation;
  const twins = new Twins(adaptation, inner);
  const types = typesOf(adaptation);
  const targets = innerTargets(adaptation, inner);
  const values = defaultValues(adaptation);
  const used = namesInRules(adaptation);

  const inputSpecs = inputs.map((port): [string, OutputSpec] => {
    const twin = twins.of(adaptation.name, port);
    const variable = twins.variableOf(adaptation.name, port.name);
    const type = portType(port, twin, variable === undefined ? undefined : types.get(variable));
    const start = values.get(variable ?? "") ?? twin?.start?.[0];
    return [
      port.name,
      {
        ...common(port, type, twin),
        ...(start !== undefined && { start: fitting(start, type) }),
        ...kindOf(adaptation, port, named(targets, port.name)),
      },
    ];
  });
  const inputNames = inputs.map(({ name }) => name);
  const outputSpecs = outputs.map((port): [string, OutputSpec] => {
    const twin = twins.of(adaptation.name, port);
    const given = assignedTo(adaptation, port.name);
    const found = given[0] && typeOfExpression(given[0], twins.typeOf(types));
    const type = portType(port, twin, found);
    const jumps = given.length > 0 && given.every(({ kind }) => kind === "number");
    return [
      port.name,
      {
        ...common(port, type, twin),
        ...(jumps && { variability: "discrete" as const }),
        feedThrough:
          adaptation.outputKind === "moore"
            ? []
            : inputNames.filter((name) => inputsBehind(adaptation, inner, port.name).has(name)),
      },
    ];
  });
  const parameterSpecs = parameters.map(({ name, unit, limits }): [string, OutputSpec] => {
    const type = parameterType(named(types, name), named(values, name));
    return [
      name,
      {
        type,
        start: fitting(named(values, name), type),
        variability: used.has(name) ? "tunable" : "fixed",
        ...(unit !== undefined && { unit: parseUnit(unit) ?? { name: unit } }),
        ...rangeOf(limits),
      },
    ];
  });
  const ports = makePorts(adaptation.type, [
    { direction: "parameter", ports: Object.fromEntries(parameterSpecs) },
    { direction: "input", ports: Object.fromEntries(inputSpecs) },
    { direction: "output", ports: Object.fromEntries(outputSpecs) },
  ]);
  const units = adaptation.inner.map(({ name }) => named(inner, name));
  const read = derivativesRead(adaptation);
  const moving = inputs.filter(
    (port) =>
      ports.some((one) => one.name === port.name && isSmooth(one)) &&
      (read.has(port.name) || !isDeclaredDelayed(adaptation, port)),
  );
  return {
    name: adaptation.type,
    backend: "typescript",
    ports,
    capabilities: capabilitiesOf(
      units,
      slopeOrder(
        moving.map((port) => ({
          order: read.get(port.name) ?? (isDeclaredReactive(adaptation, port) ? 1 : 0),
          targets: named(targets, port.name),
        })),
        units.every(({ capabilities }) => capabilities.variableStep),
      ),
      !hasDefaultControl(adaptation) && mayRefuse(adaptation),
    ),
    experiment: units.length === 1 ? units[0].experiment : {},
  };
}

/** Bounds of ports belong to the range: `above 0` begins with the smallest number above it. */
function rangeOf(limits: Declaration["limits"] = []): Pick<OutputSpec, "min" | "max"> {
  const bound = (kind: string): number | undefined =>
    limits.find((limit) => limit.kind === kind)?.bound;
  const above = bound("above");
  const below = bound("below");
  const min = bound("min") ?? (above === undefined ? undefined : nextUp(above));
  const max = bound("max") ?? (below === undefined ? undefined : -nextUp(-below));
  return { ...(min !== undefined && { min }), ...(max !== undefined && { max }) };
}

/** The next double above `value`: the bits of doubles of one sign are in their order. */
function nextUp(value: number): number {
  if (value === 0) return Number.MIN_VALUE;
  const bits = new BigInt64Array(new Float64Array([value]).buffer);
  const [now = 0n] = bits;
  bits[0] = now + (value > 0 ? 1n : -1n);
  return new Float64Array(bits.buffer)[0] ?? value;
}

/** An inner input that an own input leads to. */
interface InnerTarget {
  readonly port: Port;
  readonly unit: UnitDescription;
}

/** For every own input, the inner inputs that In and MapIn may make of it. */
function innerTargets(
  adaptation: Adaptation,
  inner: ReadonlyMap<string, UnitDescription>,
): Map<string, InnerTarget[]> {
  const causes = [...inputCauses(adaptation)].flatMap(([key, behind]) => {
    const [name = "", portName] = key.split(/\.(.*)/s);
    const unit = inner.get(name);
    const port = unit?.ports.find((one) => one.name === portName);
    return unit === undefined || port === undefined ? [] : [{ unit, port, behind }];
  });
  return new Map(
    (adaptation.inputs ?? []).map(({ name }) => [
      name,
      causes.filter(({ behind }) => behind.has(`${adaptation.name}.${name}`)),
    ]),
  );
}

function isDeclaredDelayed({ inputKind }: Adaptation, { inheritsKind }: AdaptationPort): boolean {
  return inputKind === "delayed" && inheritsKind === undefined;
}

function isDeclaredReactive({ inputKind }: Adaptation, { inheritsKind }: AdaptationPort): boolean {
  return inputKind === "reactive" && inheritsKind === undefined;
}

/** The highest derivative that rules read of each own input; absent where they read none. */
function derivativesRead({ name, inRules }: Adaptation): Map<string, number> {
  const read = new Map<string, number>();
  for (const { condition, first } of inRules) {
    const take = (expression: Expression): void => {
      const order =
        expression.kind === "call" ? SA_FUNCTIONS.get(expression.callee)?.ofOwnInput : undefined;
      if (order === undefined) return;
      for (const reference of referencesIn(expression))
        if (reference.unit === undefined || reference.unit === name)
          read.set(reference.name, Math.max(order, read.get(reference.name) ?? 0));
    };
    eachExpression(condition, take);
    eachStatement(first, (statement) => {
      for (const one of expressionsOf(statement)) eachExpression(one, take);
    });
  }
  return read;
}

/**
 * As declared, or as what the input leads to: one that is reactive makes it so, and delayed it is
 * where all of them are.
 */
function kindOf(
  { inputKind }: Adaptation,
  { inheritsKind }: AdaptationPort,
  targets: readonly InnerTarget[],
): Pick<Port, "reactive" | "heldFromStart"> {
  if (inputKind !== undefined && inheritsKind === undefined)
    return { reactive: inputKind === "reactive" };
  if (targets.some(({ port }) => port.reactive === true))
    return {
      reactive: true,
      // Rules of a delayed adaptation expect the value of the start; what is passed on does not
      // concern them.
      ...(inputKind === "delayed" && inheritsKind === "followed" && { heldFromStart: true }),
    };
  const isDelayed = targets.length > 0 && targets.every(({ port }) => port.reactive === false);
  return isDelayed ? { reactive: false } : {};
}

/**
 * Up to which order own inputs take derivatives: as far as all units go that follow what these
 * inputs lead to. One that is declared reactive takes slopes in any case, because the value at the
 * end of the step is the one at its beginning and a slope; so does one whose slope the rules read.
 * Rules that read a second derivative take parts of steps, so it is for inner units that can.
 */
function slopeOrder(
  inputs: readonly { readonly order: number; readonly targets: readonly InnerTarget[] }[],
  canTakeParts: boolean,
): number {
  const read = Math.max(0, ...inputs.map(({ order }) => order));
  if (read === 2 && canTakeParts) return read;
  const followers = inputs
    .flatMap(({ targets }) => targets)
    .filter(({ unit, port }) => takesSlopes(unit, port))
    .map(({ unit }) => Math.min(2, unit.capabilities.inputDerivativeOrder));
  if (followers.length > 0) return Math.min(...followers);
  return Math.min(1, read);
}

function capabilitiesOf(
  units: readonly UnitDescription[],
  inputDerivativeOrder: number,
  mayRefuseItself: boolean,
): Capabilities {
  const all = (can: (capabilities: Capabilities) => boolean): boolean =>
    units.every(({ capabilities }) => can(capabilities));
  const some = (is: (capabilities: Capabilities) => boolean): boolean =>
    units.some(({ capabilities }) => is(capabilities));
  return {
    ...NO_CAPABILITIES,
    rollback: all((c) => c.rollback),
    serialize: all((c) => c.rollback && c.serialize),
    variableStep: all((c) => c.variableStep),
    oncePerProcess: some((c) => c.oncePerProcess),
    needsExecutionTool: some((c) => c.needsExecutionTool),
    ...((mayRefuseItself || some((c) => c.refusesSteps === true)) && { refusesSteps: true }),
    inputDerivativeOrder,
  };
}

function isSmooth({ type, variability }: Port): boolean {
  return (type === "float64" || type === "float32") && variability === "continuous";
}

function common(port: AdaptationPort, type: ValueType, twin: Port | undefined): OutputSpec {
  const unit = unitOf(port, twin);
  const sameType = twin !== undefined && saTypeOf(twin) === saTypeOf({ type });
  return {
    type,
    ...(sameType && { variability: twin.variability, nature: twin.nature }),
    ...(port.isDiscrete && { variability: "discrete", nature: "piecewise-constant" }),
    ...(sameType && twin.items !== undefined && { items: twin.items }),
    ...(unit !== undefined && { unit }),
  };
}

/** As declared; a plain copy has the unit of what it copies. */
function unitOf(port: AdaptationPort, twin: Port | undefined): PhysicalUnit | undefined {
  if (port.unit !== undefined) return parseUnit(port.unit) ?? { name: port.unit };
  return twin?.unit;
}

function portType(
  port: AdaptationPort,
  twin: Port | undefined,
  found: SaType | undefined,
): ValueType {
  const isLong = twin?.type === "int64" || twin?.type === "uint64";
  // 64-bit integers pass through doubles inside.
  if (isLong && (port.type === undefined || port.type === "integer")) return "float64";
  if (port.type !== undefined) return valueType(port.type);
  return twin?.type ?? valueType(found ?? "real");
}

/** Initial values of 64-bit integers pass through doubles too. */
function parameterType(type: SaType, value: Value): ValueType {
  const isLong = type === "integer" && Math.abs(Number(value)) > 2 ** 31 - 1;
  return isLong ? "float64" : valueType(type);
}

function valueType(type: SaType): ValueType {
  switch (type) {
    case "real":
      return "float64";
    case "integer":
      return "int32";
    case "boolean":
    case "string":
      return type;
  }
}

function fitting(value: Value, type: ValueType): Value {
  if (type === "boolean") return typeof value === "boolean" ? value : Number(value) !== 0;
  if (type === "string") return String(value);
  return Number(value);
}

/** Names that rules mention after initialization. */
function namesInRules(adaptation: Adaptation): Set<string> {
  const names = new Set<string>();
  const note = (expression: Expression): void => {
    for (const { name } of referencesIn(expression)) names.add(name);
  };
  const { inRules, outRules, controlRules: control = [] } = adaptation;
  for (const { condition } of [...inRules, ...outRules]) note(condition);
  for (const block of [control, ...[...inRules, ...outRules].flatMap((r) => [r.first, r.second])])
    eachStatement(block, (statement) => {
      for (const expression of expressionsOf(statement)) note(expression);
    });
  return names;
}

/** What out rules assign to an own output. */
function assignedTo(adaptation: Adaptation, output: string): Expression[] {
  const values: Expression[] = [];
  for (const { second } of adaptation.outRules)
    eachStatement(second, (statement) => {
      if (statement.kind !== "assign") return;
      const { unit, name } = statement.target;
      if (name === output && (unit === undefined || unit === adaptation.name))
        values.push(statement.value);
    });
  return values;
}
