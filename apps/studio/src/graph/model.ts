/**
 * What the graph shows of a scenario: boxes with ports, wires between them, and where findings
 * belong. Plain data, made of what the server says of a scenario (describe-graph.ts); the drawing
 * knows nothing of scenarios.
 */
import type { Severity } from "@cosimo/base/diagnostic.ts";
import type { DescribedPort } from "@cosimo/serve/protocol.ts";

export interface Graph {
  readonly units: readonly GraphUnit[];
  readonly wires: readonly GraphWire[];
}

export interface GraphUnit {
  readonly name: string;
  /** One short line under the name: "FMI 3.0 FMU". */
  readonly caption: string;
  readonly inputs: readonly GraphPort[];
  readonly outputs: readonly GraphPort[];
  /** Short marks on the box: "process", "fault", "group". */
  readonly marks: readonly string[];
  /** Where its file draws it, in a scale of its own; y grows upwards. */
  readonly drawnAt?: Position;
  /** It has an inside to look into. */
  readonly isNested: boolean;
  readonly about: readonly string[];
  /** The unit could not be read: its ports are those that connections name. */
  readonly isUnknown: boolean;
  readonly problem?: Problem;
}

export interface GraphPort {
  readonly name: string;
  readonly unit?: string;
  /** Reactive input, output with feed-through: drawn solid. */
  readonly solid: boolean;
  readonly isEvent: boolean;
  readonly about: readonly string[];
  /** Absent where the unit could not be read. */
  readonly port?: DescribedPort;
}

export interface GraphWire {
  readonly id: string;
  readonly from: { readonly unit: string; readonly port: string };
  readonly to: { readonly unit: string; readonly port: string };
  readonly label?: string;
  /** The connection as it stands in the file, where it is not that from `from` to `to`. */
  readonly written?: { readonly from: string; readonly to: string };
  readonly inLoop: boolean;
  readonly late: boolean;
  readonly varying: boolean;
  /** The name of its bond. */
  readonly bond?: string;
  readonly isEvent: boolean;
  readonly about: readonly string[];
  readonly line?: number;
  readonly problem?: Problem;
}

/** What an edit calls the connection of a wire. */
export function writtenEnds({ written, from, to }: GraphWire): {
  readonly from: string;
  readonly to: string;
} {
  return written ?? { from: `${from.unit}.${from.port}`, to: `${to.unit}.${to.port}` };
}

export interface Problem {
  readonly severity: Severity;
  readonly text: string;
}

/** Where a box is. */
export interface Position {
  readonly x: number;
  readonly y: number;
}

/** From the point where a wire leaves to that where it arrives, with its corners. */
export type Route = readonly Position[];

export interface Layout {
  readonly positions: ReadonlyMap<string, Position>;
  readonly routes: ReadonlyMap<string, Route>;
}
