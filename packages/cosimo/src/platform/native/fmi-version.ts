/**
 * What the FMI versions differ in, as far as native code is concerned: one table per version
 * (fmi2-version.ts, fmi3-version.ts). Everything else follows these tables and never asks for a
 * number.
 */
import type { FmuDescription } from "../../fmi/description.ts";
import type { ValueType } from "../../model/value-type.ts";
import type { CallTable } from "./calls.ts";
import { FMI1_EXCHANGE } from "./fmi1-exchange-version.ts";
import { FMI1 } from "./fmi1-version.ts";
import { FMI2 } from "./fmi2-version.ts";
import { FMI3 } from "./fmi3-version.ts";
import type { WireType } from "./transfer.ts";

export interface FmiVersion {
  /** What the names of its functions begin with. */
  readonly prefix: "fmi" | "fmi2" | "fmi3";
  /** Every function with its arguments (notation in calls.ts). */
  readonly calls: CallTable;
  /** Those without which no run of Co-Simulation comes to its end. */
  readonly essentialCalls: readonly string[];
  /** Functions that both versions have, under names of their own. */
  readonly names: CallNames<string>;
  /** What the function says that names the platform of the C types; default: "default". */
  readonly typesPlatform?: string;
  /** Those of Model Exchange; absent where Cosimo does not drive it. */
  readonly exchange?: ExchangeNames<string>;
  /** By the number of a status. */
  readonly statusNames: readonly string[];
  /** How values of a type are exchanged; types without an entry do not exist in this version. */
  readonly wires: Readonly<Partial<Record<ValueType, WireType>>>;
  /** Functions that exchange values also get the number of elements. */
  readonly countsValues: boolean;
  /** Value references are counted for each family of types, not once for all variables. */
  readonly countsReferencesByFamily: boolean;
  /**
   * How a message of the FMU names a variable: the letter of its family, if any, and its value
   * reference.
   */
  readonly referenceInMessage: RegExp;
  /**
   * Messages are formats of printf, with arguments that follow; and the name of the instance
   * precedes the status.
   */
  readonly logsFormats: boolean;
  /** Symbols of the library have the model identifier before the names of the functions. */
  readonly prefixesSymbols: boolean;
  /** A step hands out flags and the time that it reached, not its status alone. */
  readonly stepHandsOutFlags: boolean;
  /**
   * Folders of binaries are named by platform tuples first ("x86_64-linux"), not by system and bits
   * ("linux64").
   */
  readonly namesBinariesByTuple: boolean;
}

/** The same with the functions of `Table` by their names. */
export interface TypedVersion<Table extends CallTable> extends FmiVersion {
  readonly calls: Table;
  readonly essentialCalls: readonly (keyof Table & string)[];
  readonly names: CallNames<keyof Table & string>;
  readonly exchange?: ExchangeNames<keyof Table & string>;
}

/** Functions of Model Exchange, under the names of a version. */
export interface ExchangeNames<Name> {
  /** Absent where there are no modes. */
  readonly enterEventMode?: Name;
  readonly enterContinuousTime?: Name;
  readonly updateDiscreteStates: Name;
  readonly completedStep: Name;
  readonly setTime: Name;
  readonly setStates: Name;
  readonly getStates: Name;
  readonly derivatives: Name;
  readonly indicators: Name;
  readonly nominals: Name;
  /**
   * Completed steps are never rolled back and cannot end the simulation: the call has one argument,
   * for events.
   */
  readonly completedStepIsFinal?: true;
}

export interface CallNames<Name> {
  readonly version: Name;
  /** The function that names the platform of the C types, where there is one. */
  readonly typesPlatform?: Name;
  /** Of Co-Simulation. */
  readonly instantiate: Name;
  readonly step: Name;
  /** Absent where initialization is one call. */
  readonly exitInitialization?: Name;
  readonly terminate: Name;
  readonly reset: Name;
  readonly free: Name;
  /** Absent where no state can be saved. */
  readonly state?: StateNames<Name>;
  readonly directionalDerivative?: Name;
  readonly adjointDerivative?: Name;
  readonly outputDerivatives: Name;
  /** Absent where input derivatives are given in another way. */
  readonly inputDerivatives?: Name;
}

export interface StateNames<Name> {
  readonly get: Name;
  readonly set: Name;
  readonly free: Name;
  readonly size: Name;
  readonly serialize: Name;
  readonly deserialize: Name;
}

const VERSIONS: Readonly<Record<FmuDescription["major"], FmiVersion>> = {
  1: FMI1,
  2: FMI2,
  3: FMI3,
};

export const ALL_VERSIONS: readonly FmiVersion[] = [...Object.values(VERSIONS), FMI1_EXCHANGE];

/** FMI 1.0 is two standards, and an FMU follows one of them. */
export function versionOf({
  major,
  coSimulation,
}: Pick<FmuDescription, "major" | "coSimulation">): FmiVersion {
  return major === 1 && coSimulation === undefined ? FMI1_EXCHANGE : VERSIONS[major];
}

/** The function that gets or sets values of a family of types ("Real", "UInt16"). */
export function exchangeCall(
  { prefix }: Pick<FmiVersion, "prefix">,
  verb: "Get" | "Set",
  family: string,
): string {
  return `${prefix}${verb}${family}`;
}
