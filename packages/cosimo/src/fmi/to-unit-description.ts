/**
 * An FMU as a simulation unit: one interface of a description in the words that checks, plans and
 * commands share. Ports are the variables, one for one and with the same index. Of Model Exchange
 * it says what the equations offer, without a solver. Of Scheduled Execution it says what
 * unit/scheduled-unit.ts makes of it: partitions compute when they are activated, so nothing
 * follows an input at once.
 *
 * Kinds follow the rules of the semantic-adaptation work, in order: an output whose dependencies
 * are not disclosed is Mealy; one that depends on an input is Mealy; otherwise it is Moore. An
 * input is reactive when the FMU can interpolate it (FMI 2: canInterpolateInputs; FMI 3: it takes
 * the input in intermediate updates), or where our own annotation says so. Otherwise its kind stays
 * open: FMI has no word for an input that wants the value of the start of a step.
 */

import { present } from "../base/present.ts";
import type { BackendName } from "../model/backends.ts";
import type { FmiInterfaceName } from "../model/integrator.ts";
import type { PhysicalUnit } from "../model/physical-unit.ts";
import {
  type Capabilities,
  type Direction,
  type Experiment,
  type Nature,
  NO_CAPABILITIES,
  type Port,
  type PortClock,
  type UnitDescription,
} from "../model/unit-description.ts";
import { OWN_ANNOTATION } from "../xml/own-annotation.ts";
import type { Causality, ClockAttributes, FmuDescription, FmuVariable } from "./description.ts";
import type { Mutable } from "./description-draft.ts";
import type { FmiVersion } from "./versions/fmi-version.ts";
import { fmiVersion } from "./versions/table.ts";

export interface UnitDescriptionOptions {
  /** Values of structural parameters by name, where they differ from their start values. */
  readonly structural?: ReadonlyMap<string, number>;
  /** What the places of the ports call the file. */
  readonly file?: string;
  /** Default: Co-Simulation. */
  readonly interface?: FmiInterfaceName;
}

export function toUnitDescription(
  fmu: FmuDescription,
  options: UnitDescriptionOptions = {},
): UnitDescription {
  const context = makeContext(fmu, options);
  const version = fmiVersion(fmu);
  const { interface: driven = "co-simulation" } = options;
  return {
    name: fmu.modelName,
    backend: backendOf(version, driven),
    ...(fmu.description !== undefined && { description: fmu.description }),
    ports: fmu.variables.map((variable, index) => portOf(variable, index, context)),
    capabilities: CAPABILITIES[driven](fmu),
    experiment: experimentOf(fmu),
  };
}

function backendOf(version: FmiVersion, driven: FmiInterfaceName): BackendName {
  const { backend, exchangeBackend, scheduledBackend } = version;
  if (driven === "scheduled-execution") return scheduledBackend ?? backend;
  return (driven === "model-exchange" ? exchangeBackend : undefined) ?? backend;
}

/** What an exported FMU says of itself and of its ports that FMI has no word for. */
const REACTIVE = /<Input\b[^>]*\breactive="true"/;
const REFUSES_STEPS = /<Unit\b[^>]*\brefusesSteps="true"/;
const TRANSIENT = /<Port\b[^>]*\bnature="transient"/;

interface Context {
  readonly file: string;
  readonly units: ReadonlyMap<string, PhysicalUnit>;
  readonly relativeUnits: Map<string, PhysicalUnit>;
  readonly items: ReadonlyMap<string, ReadonlyMap<number, string>>;
  readonly feedThrough: ReadonlyMap<number, readonly number[]>;
  /** Outputs may depend on inputs at once. */
  readonly hasInputs: boolean;
  readonly isScheduled: boolean;
  readonly isReactive: (variable: FmuVariable) => boolean;
  readonly sizeOf: (reference: number) => number;
  readonly portsOf: (clock: number) => number[];
}

function makeContext(fmu: FmuDescription, options: UnitDescriptionOptions): Context {
  const isScheduled = options.interface === "scheduled-execution";
  const stepping =
    (options.interface ?? "co-simulation") === "co-simulation" ? fmu.coSimulation : undefined;
  const { canInterpolateInputs = false, providesIntermediateUpdate = false } = stepping ?? {};
  const isReactive = ({ variability, intermediateUpdate, annotations }: FmuVariable): boolean =>
    (canInterpolateInputs && variability === "continuous") ||
    (providesIntermediateUpdate && intermediateUpdate) ||
    hasNote(annotations, REACTIVE);
  return {
    file: options.file ?? "modelDescription.xml",
    units: new Map(fmu.units.map(({ unit }) => [unit.name, unit])),
    relativeUnits: new Map(),
    items: enumerations(fmu),
    feedThrough: isScheduled ? new Map() : feedThroughs(fmu),
    hasInputs: !isScheduled && fmu.variables.some((variable) => variable.causality === "input"),
    isScheduled,
    isReactive,
    sizeOf: dimensionSizes(fmu.variables, options.structural),
    portsOf: clockPorts(fmu),
  };
}

function hasNote(annotations: FmuVariable["annotations"], note: RegExp): boolean {
  return annotations.some(({ type, xml }) => type === OWN_ANNOTATION && note.test(xml));
}

function enumerations(fmu: FmuDescription): Map<string, ReadonlyMap<number, string>> {
  const found = new Map<string, ReadonlyMap<number, string>>();
  for (const { name, items } of fmu.types)
    if (items !== undefined) found.set(name, new Map(items.map((item) => [item.value, item.name])));
  return found;
}

/** Variable → inputs it depends on, where the FMU says so. */
function feedThroughs(fmu: FmuDescription): Map<number, readonly number[]> {
  const found = new Map<number, readonly number[]>();
  const { outputs, derivatives } = fmu.structure;
  for (const { variable, dependencies } of [...derivatives, ...outputs]) {
    if (variable < 0 || dependencies === undefined) continue;
    const inputs = dependencies.filter((i) => fmu.variables[i]?.causality === "input");
    found.set(variable, inputs);
  }
  return found;
}

/** Value reference of a clock → its port. */
function clockPorts(fmu: FmuDescription): (reference: number) => number[] {
  const clocks = new Map<number, number>();
  fmu.variables.forEach((variable, index) => {
    if (variable.type === "clock") clocks.set(variable.valueReference, index);
  });
  return (reference) => {
    const port = clocks.get(reference);
    return port === undefined ? [] : [port];
  };
}

/** The size that a structural parameter (or constant) gives to a dimension. */
export function dimensionSizes(
  variables: readonly FmuVariable[],
  chosen?: ReadonlyMap<string, number>,
): (reference: number) => number {
  const byReference = new Map<number, number>();
  if (variables.some(({ dimensions }) => dimensions.some((d) => d.reference !== undefined))) {
    for (const { valueReference, name, start } of variables) {
      const size = chosen?.get(name) ?? Number(start?.[0] ?? 1);
      byReference.set(valueReference, size);
    }
  }
  return (reference) => byReference.get(reference) ?? 1;
}

const DIRECTIONS: Readonly<Record<Causality, Direction>> = {
  parameter: "parameter",
  structuralParameter: "structural-parameter",
  calculatedParameter: "calculated-parameter",
  dependent: "calculated-parameter",
  input: "input",
  output: "output",
  local: "local",
  independent: "independent",
};

const SCALAR: readonly number[] = [];

function portOf(variable: FmuVariable, index: number, context: Context): Port {
  const { causality, dimensions } = variable;
  const port: Mutable<Port> = {
    index,
    name: variable.name,
    direction: DIRECTIONS[causality],
    type: variable.type,
    shape: dimensions.length === 0 ? SCALAR : shapeOf(variable, context.sizeOf),
    variability: variable.variability,
    nature: natureOf(variable),
    place: { file: context.file, line: variable.line },
  };
  if (variable.aliases.length > 0) port.aliases = variable.aliases.map(({ name }) => name);
  if (variable.description !== undefined) port.description = variable.description;
  const unit = unitOf(variable, context);
  if (unit !== undefined) port.unit = unit;
  if (variable.displayUnit !== undefined) port.displayUnit = variable.displayUnit;
  if (variable.start !== undefined) port.start = variable.start;
  if (variable.min !== undefined) port.min = Number(variable.min);
  if (variable.max !== undefined) port.max = Number(variable.max);
  if (variable.nominal !== undefined) port.nominal = variable.nominal;
  if (variable.type === "enumeration") {
    const items = context.items.get(variable.declaredType ?? "");
    if (items !== undefined) port.items = items;
  }
  const { derivativeOf = -1 } = variable;
  if (derivativeOf >= 0) port.derivativeOf = derivativeOf;
  if (variable.clock !== undefined) port.clock = clockOf(variable, variable.clock, context);
  if (variable.clocks !== undefined) port.clocks = variable.clocks.flatMap(context.portsOf);
  if (causality === "input" && context.isReactive(variable)) port.reactive = true;
  if (causality === "output" || causality === "local") {
    const inputs = context.feedThrough.get(index);
    if (inputs !== undefined) port.feedThrough = inputs;
    else if (causality === "output" && !context.hasInputs) port.feedThrough = [];
  }
  return port;
}

/** A partition without a priority, which the standard asks for, comes last. */
const LEAST_URGENT = Number.MAX_SAFE_INTEGER;

function clockOf(
  { causality }: FmuVariable,
  clock: ClockAttributes,
  { isScheduled }: Context,
): PortClock {
  const {
    priority = LEAST_URGENT,
    intervalVariability,
    intervalDecimal,
    intervalCounter,
    resolution,
    shiftDecimal,
    shiftCounter,
  } = clock;
  const fraction = (counter: bigint): number => Number(counter) / Number(resolution);
  const seconds =
    intervalDecimal ??
    (intervalCounter !== undefined && resolution ? fraction(intervalCounter) : undefined);
  return {
    interval: intervalVariability,
    ...(seconds !== undefined && { seconds }),
    shift: resolution && shiftCounter !== 0n ? fraction(shiftCounter) : shiftDecimal,
    ...(isScheduled && causality === "input" && { priority }),
  };
}

export function shapeOf(
  variable: FmuVariable,
  sizeOf: (reference: number) => number,
): readonly number[] {
  return variable.dimensions.map(({ size, reference }) => {
    if (size !== undefined) return size;
    return reference === undefined ? 1 : sizeOf(reference);
  });
}

/**
 * A clock ticks at instants, and so does a boolean that an exported FMU marks; what hangs on a
 * clock, or is discrete or tunable, keeps its value in between.
 */
function natureOf(variable: FmuVariable): Nature {
  if (variable.type === "clock") return "transient";
  if (variable.type === "boolean" && hasNote(variable.annotations, TRANSIENT)) return "transient";
  switch (variable.variability) {
    case "constant":
    case "fixed":
      return "constant";
    case "tunable":
    case "discrete":
      return "piecewise-constant";
    case "continuous": {
      const isFloat = variable.type === "float64" || variable.type === "float32";
      return isFloat && variable.clocks === undefined ? "continuous" : "piecewise-constant";
    }
  }
}

/**
 * A relative quantity (a temperature difference) has no offset. A unit without definition keeps its
 * name.
 */
function unitOf(variable: FmuVariable, context: Context): PhysicalUnit | undefined {
  const name = variable.unit;
  // An empty name is how many exporters write "none".
  if (name === undefined || name.trim() === "") return undefined;
  const unit = context.units.get(name) ?? { name };
  if (variable.relativeQuantity !== true || !unit.base || unit.base.offset === 0) return unit;
  let relative = context.relativeUnits.get(name);
  if (relative === undefined) {
    relative = { name, base: { ...unit.base, offset: 0 } };
    context.relativeUnits.set(name, relative);
  }
  return relative;
}

function capabilitiesOf(fmu: FmuDescription): Capabilities {
  const cs = fmu.coSimulation;
  if (cs === undefined) return NO_CAPABILITIES;
  const step = positive(cs.fixedInternalStepSize) ?? positive(fmu.experiment.step);
  return {
    rollback: cs.canGetAndSetState,
    serialize: cs.canGetAndSetState && cs.canSerializeState,
    directionalDerivatives: cs.providesDirectionalDerivatives,
    adjointDerivatives: cs.providesAdjointDerivatives,
    outputDerivativeOrder: cs.maxOutputDerivativeOrder,
    // FMI 2 names no highest order; the first is the one that interpolation surely uses. FMI 3 has
    // no such call.
    inputDerivativeOrder: cs.canInterpolateInputs ? 1 : 0,
    variableStep: cs.canHandleVariableCommunicationStepSize,
    eventMode: cs.hasEventMode,
    earlyReturn: cs.mightReturnEarlyFromDoStep || cs.canReturnEarlyAfterIntermediateUpdate,
    intermediateUpdate: cs.providesIntermediateUpdate,
    oncePerProcess: cs.canBeInstantiatedOnlyOncePerProcess,
    needsExecutionTool: cs.needsExecutionTool,
    ...fmiVersion(fmu).capabilities,
    ...(hasNote(fmu.annotations, REFUSES_STEPS) && { refusesSteps: true }),
    predicates: cs.hasEventMode || cs.mightReturnEarlyFromDoStep ? ["event"] : [],
    ...present({ preferredStep: step }),
    ...present({ internalStep: positive(cs.fixedInternalStepSize) }),
  };
}

/** What the equations can do by themselves. */
function exchangeCapabilities({ modelExchange: me, experiment }: FmuDescription): Capabilities {
  if (me === undefined) return NO_CAPABILITIES;
  return {
    ...NO_CAPABILITIES,
    rollback: me.canGetAndSetState,
    serialize: me.canGetAndSetState && me.canSerializeState,
    directionalDerivatives: me.providesDirectionalDerivatives,
    adjointDerivatives: me.providesAdjointDerivatives,
    eventMode: true,
    oncePerProcess: me.canBeInstantiatedOnlyOncePerProcess,
    needsExecutionTool: me.needsExecutionTool,
    ...present({ preferredStep: positive(experiment.step) }),
  };
}

/**
 * What activating partitions can do. Derivatives are left out: between activations nothing depends
 * on anything.
 */
function scheduledCapabilities({
  scheduledExecution: se,
  experiment,
}: FmuDescription): Capabilities {
  if (se === undefined) return NO_CAPABILITIES;
  return {
    ...NO_CAPABILITIES,
    rollback: se.canGetAndSetState,
    serialize: se.canGetAndSetState && se.canSerializeState,
    variableStep: true,
    eventMode: true,
    oncePerProcess: se.canBeInstantiatedOnlyOncePerProcess,
    needsExecutionTool: se.needsExecutionTool,
    ...present({ preferredStep: positive(experiment.step) }),
  };
}

const CAPABILITIES: Readonly<Record<FmiInterfaceName, (fmu: FmuDescription) => Capabilities>> = {
  "co-simulation": capabilitiesOf,
  "model-exchange": exchangeCapabilities,
  "scheduled-execution": scheduledCapabilities,
};

function experimentOf(fmu: FmuDescription): Experiment {
  const { start, stop, tolerance, step } = fmu.experiment;
  return present({ start, stop, tolerance: positive(tolerance), step: positive(step) });
}

/** A tolerance or a step of 0 says that there is none. */
function positive(value: number | undefined): number | undefined {
  return value !== undefined && value > 0 && value < Number.POSITIVE_INFINITY ? value : undefined;
}
