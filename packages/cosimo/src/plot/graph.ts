/**
 * What a drawing of coupled units shows: boxes with ports, wires between them. Plain data, so that
 * the caller that knows a scenario fills it in and the drawing knows nothing of plans.
 */

export interface GraphModel {
  readonly title: string;
  /** One line under the title. */
  readonly subtitle: string;
  readonly units: readonly GraphUnit[];
  readonly wires: readonly GraphWire[];
}

export interface GraphUnit {
  readonly name: string;
  /** One short line under the name: "FMI 3.0 FMU". */
  readonly caption: string;
  /** What a hover shows, line by line. */
  readonly about: readonly string[];
  readonly inputs: readonly GraphPort[];
  readonly outputs: readonly GraphPort[];
}

export interface GraphPort {
  readonly name: string;
  /** Physical unit. */
  readonly unit?: string;
  /**
   * Reactive input, output with feed-through: drawn solid. Delayed input, output of states alone:
   * drawn hollow.
   */
  readonly solid: boolean;
  readonly about: readonly string[];
}

export interface GraphWire {
  readonly from: GraphEnd;
  readonly to: GraphEnd;
  /** A conversion. */
  readonly label?: string;
  readonly inLoop: boolean;
  /** The value is one step old. */
  readonly late: boolean;
  /** The input follows its source within the step. */
  readonly varying: boolean;
  readonly about: readonly string[];
}

export interface GraphEnd {
  readonly unit: number;
  /** Index into the unit's inputs or outputs. */
  readonly port: number;
}
