/**
 * A modelDescription.xml as plain data, all versions of FMI in one shape.
 *
 * Nothing is thrown away: what the standards define has a field, what they leave to vendors is kept
 * as text in `annotations`. Every item knows its XML line. References are kept as written
 * (`reference`) and resolved (`variable`, an index into `variables`, -1 when it names nothing) so
 * that rules can report them.
 */

import type { PhysicalUnit } from "../model/physical-unit.ts";
import type { Experiment } from "../model/unit-description.ts";
import type { Value, ValueType } from "../model/value-type.ts";
import type { FmiMajor } from "./versions/table.ts";

export type Causality =
  | "parameter"
  | "structuralParameter"
  | "calculatedParameter"
  | "input"
  | "output"
  | "local"
  | "independent"
  | "dependent";

export type FmiVariability = "constant" | "fixed" | "tunable" | "discrete" | "continuous";
export type Initial = "exact" | "approx" | "calculated";

export interface FmuDescription {
  /** As written: "2.0", "3.0", "3.0.2". */
  readonly fmiVersion: string;
  readonly major: FmiMajor;
  readonly modelName: string;
  /** FMI 2: guid. */
  readonly instantiationToken: string;
  readonly description?: string;
  readonly author?: string;
  readonly version?: string;
  readonly copyright?: string;
  readonly license?: string;
  readonly generationTool?: string;
  readonly generationDateAndTime?: string;
  readonly variableNamingConvention: "flat" | "structured";
  /** FMI 2 only; in FMI 3 the list is in the structure. */
  readonly numberOfEventIndicators?: number;
  /** FMI 1.0, which does not say which variables they are. */
  readonly numberOfContinuousStates?: number;
  readonly coSimulation?: CoSimulationInterface;
  readonly modelExchange?: FmuInterface;
  readonly scheduledExecution?: FmuInterface;
  readonly units: readonly UnitDefinition[];
  readonly types: readonly TypeDefinition[];
  readonly logCategories: readonly LogCategory[];
  readonly experiment: Experiment & { readonly line?: number };
  readonly variables: readonly FmuVariable[];
  readonly structure: ModelStructure;
  readonly annotations: readonly Annotation[];
  readonly line: number;
}

/** Flags that all interface kinds share; absent flags have the standard's default. */
export interface FmuInterface {
  readonly modelIdentifier: string;
  readonly needsExecutionTool: boolean;
  readonly canBeInstantiatedOnlyOncePerProcess: boolean;
  /** FMI 2 only. */
  readonly canNotUseMemoryManagementFunctions: boolean;
  readonly canGetAndSetState: boolean;
  readonly canSerializeState: boolean;
  readonly providesDirectionalDerivatives: boolean;
  readonly providesAdjointDerivatives: boolean;
  readonly providesPerElementDependencies: boolean;
  /** Model Exchange, FMI 2. */
  readonly completedIntegratorStepNotNeeded: boolean;
  /** Model Exchange, FMI 3. */
  readonly needsCompletedIntegratorStep: boolean;
  readonly providesEvaluateDiscreteStates: boolean;
  readonly sourceFiles: readonly string[];
  readonly line: number;
}

export interface CoSimulationInterface extends FmuInterface {
  readonly canHandleVariableCommunicationStepSize: boolean;
  readonly fixedInternalStepSize?: number;
  readonly recommendedIntermediateInputSmoothness: number;
  /** FMI 2: canInterpolateInputs. */
  readonly canInterpolateInputs: boolean;
  readonly maxOutputDerivativeOrder: number;
  /** FMI 2: canRunAsynchronuously (the standard's spelling). */
  readonly canRunAsynchronously: boolean;
  readonly providesIntermediateUpdate: boolean;
  readonly mightReturnEarlyFromDoStep: boolean;
  readonly canReturnEarlyAfterIntermediateUpdate: boolean;
  readonly hasEventMode: boolean;
}

export interface UnitDefinition {
  readonly unit: PhysicalUnit;
  readonly displayUnits: readonly DisplayUnit[];
  readonly line: number;
}

/** `display = factor * value + offset`, or `factor / value` when inverse (FMI 3). */
export interface DisplayUnit {
  readonly name: string;
  readonly factor: number;
  readonly offset: number;
  readonly inverse: boolean;
  readonly line: number;
}

/** Attributes that a variable may state itself or take from its declared type. */
export interface TypeAttributes {
  readonly quantity?: string;
  readonly unit?: string;
  readonly displayUnit?: string;
  readonly relativeQuantity?: boolean;
  readonly unbounded?: boolean;
  readonly min?: number | bigint;
  readonly max?: number | bigint;
  readonly nominal?: number;
  /** Binary. */
  readonly mimeType?: string;
  readonly maxSize?: number;
  /** Clock. */
  readonly clock?: ClockAttributes;
}

export interface ClockAttributes {
  readonly intervalVariability:
    | "constant"
    | "fixed"
    | "tunable"
    | "changing"
    | "countdown"
    | "triggered";
  readonly canBeDeactivated: boolean;
  readonly priority?: number;
  readonly intervalDecimal?: number;
  readonly shiftDecimal: number;
  readonly supportsFraction: boolean;
  readonly resolution?: bigint;
  readonly intervalCounter?: bigint;
  readonly shiftCounter: bigint;
}

export interface TypeDefinition extends TypeAttributes {
  readonly name: string;
  readonly type: ValueType;
  readonly description?: string;
  readonly items?: readonly EnumerationItem[];
  readonly line: number;
}

export interface EnumerationItem {
  readonly name: string;
  readonly value: number;
  readonly description?: string;
  readonly line: number;
}

export interface Dimension {
  /** Fixed size. */
  readonly size?: number;
  /** Value reference of the structural parameter (or constant) that holds the size. */
  readonly reference?: number;
  readonly line: number;
}

export interface FmuVariable extends TypeAttributes {
  readonly name: string;
  readonly valueReference: number;
  readonly type: ValueType;
  readonly description?: string;
  /** With the standard's default filled in. */
  readonly causality: Causality;
  readonly variability: FmiVariability;
  /** FMI 2: not stated, and its default, continuous, is for Real only. */
  readonly assumesVariability?: true;
  /** With the standard's default filled in; absent where no initial is defined. */
  readonly initial?: Initial;
  readonly start?: readonly Value[];
  readonly declaredType?: string;
  readonly dimensions: readonly Dimension[];
  /**
   * FMI 2: 1-based index of the variable this one is the derivative of; FMI 3: its value reference.
   */
  readonly derivativeReference?: number;
  /** `derivativeReference` as an index into `variables`, -1 when it names nothing. */
  readonly derivativeOf?: number;
  readonly reinit: boolean;
  readonly canHandleMultipleSetPerTimeInstant: boolean;
  /** FMI 3. */
  readonly intermediateUpdate: boolean;
  /** FMI 3: value reference of the variable that holds this one's previous value. */
  readonly previous?: number;
  /** FMI 3: value references of the clocks that this variable belongs to. */
  readonly clocks?: readonly number[];
  /** FMI 3: further names of the same variable. */
  readonly aliases: readonly Alias[];
  readonly annotations: readonly Annotation[];
  readonly line: number;
}

export interface Alias {
  readonly name: string;
  readonly description?: string;
  readonly displayUnit?: string;
  readonly line: number;
}

export type DependencyKind = "dependent" | "constant" | "fixed" | "tunable" | "discrete";

export interface Unknown {
  /** FMI 2: 1-based index; FMI 3: value reference; as written. */
  readonly reference: number;
  readonly variable: number;
  /** As written; absent means "depends on everything", empty means "on nothing". */
  readonly dependencyReferences?: readonly number[];
  /** The same as indices into `variables`. */
  readonly dependencies?: readonly number[];
  readonly dependencyKinds?: readonly DependencyKind[];
  readonly line: number;
}

export interface ModelStructure {
  readonly outputs: readonly Unknown[];
  readonly derivatives: readonly Unknown[];
  readonly clockedStates: readonly Unknown[];
  readonly initialUnknowns: readonly Unknown[];
  readonly eventIndicators: readonly Unknown[];
  readonly line: number;
}

export interface LogCategory {
  readonly name: string;
  readonly description?: string;
  readonly line: number;
}

/** Vendor data: skipped by Cosimo, kept as written. */
export interface Annotation {
  /** FMI 2: tool name; FMI 3: annotation type. */
  readonly type: string;
  readonly xml: string;
  readonly line: number;
}
