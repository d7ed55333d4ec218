/**
 * A system as its SSD states it: elements, connectors, connections, bindings, dictionaries, all
 * names still names. References to other systems (in the same file or another .ssd) are resolved,
 * so that below this there are only systems and units.
 */

import type { Place } from "../base/diagnostic.ts";
import type { InputKind } from "../model/adaptation/data.ts";
import type { PhysicalUnit } from "../model/physical-unit.ts";
import type { Approximation, UnitSource } from "../model/scenario.ts";
import type { ScenarioNotes, ValueNote } from "./annotation.ts";
import type { Parameter } from "./parameters.ts";
import type { SspFile } from "./ssp-file-reader.ts";
import type { Transformation } from "./transformation.ts";

export type ConnectorKind =
  | "input"
  | "output"
  | "parameter"
  | "calculatedParameter"
  | "structuralParameter"
  | "constant"
  | "local"
  | "inout"
  | "unspecified";

export const CONNECTOR_KINDS: readonly ConnectorKind[] = [
  "input",
  "output",
  "parameter",
  "calculatedParameter",
  "structuralParameter",
  "constant",
  "local",
  "inout",
  "unspecified",
];

export interface Connector {
  readonly name: string;
  readonly kind: ConnectorKind;
  /** The unit that the SSD declares. */
  readonly unit?: PhysicalUnit;
  readonly line: number;
}

/** Values for an element and what is below it. */
export interface Binding {
  readonly parameters: readonly Parameter[];
  /** Written by Cosimo: the values belong to the element itself, not to what is inside. */
  readonly own: boolean;
  /** Values that find no port are not a mistake: SSP lets a set serve many elements. */
  readonly optional: boolean;
}

interface ElementBase {
  readonly name: string;
  readonly connectors: ReadonlyMap<string, Connector>;
  readonly bindings: readonly Binding[];
  readonly notes: readonly ValueNote[];
  /** Upper left corner of its box; y grows upwards. */
  readonly drawnAt?: { readonly x: number; readonly y: number };
  readonly place: Place;
}

export interface Component extends ElementBase {
  readonly kind: "component";
  readonly source: Exclude<UnitSource, { kind: "scenario" }>;
  readonly step?: number;
}

export interface DictionaryReference extends ElementBase {
  readonly kind: "reference";
  readonly dictionary: string;
}

export interface SystemElement extends ElementBase {
  readonly kind: "system";
  /** The file that states it: places and reports of its content belong there. */
  readonly file: SspFile;
  readonly step?: number;
  readonly elements: ReadonlyMap<string, SystemMember>;
  readonly connections: readonly SspConnection[];
  readonly dictionaries: ReadonlyMap<string, Dictionary>;
  readonly scenario: ScenarioNotes;
}

export type SystemMember = Component | DictionaryReference | SystemElement;

export interface ConnectionEnd {
  /** Absent: the system itself. */
  readonly element?: string;
  readonly connector: string;
  /** `[2,1]` for one element of an array, else empty. */
  readonly indices: string;
}

export interface SspConnection {
  readonly start: ConnectionEnd;
  readonly end: ConnectionEnd;
  readonly transformation?: Transformation;
  readonly suppress: boolean;
  readonly approximation?: Approximation;
  readonly kind?: InputKind;
  readonly line: number;
}

export interface Dictionary {
  readonly name: string;
  readonly entries: ReadonlySet<string>;
}
