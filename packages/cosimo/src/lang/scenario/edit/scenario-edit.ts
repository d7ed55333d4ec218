/**
 * What a person can change of a scenario in a diagram, as data: the studio sends it, undo keeps it,
 * and `edit-text.ts` makes a change of the text of it.
 *
 * Values and sources are texts as they stand in the file: `5 km/h`, `models/motor.fmu`, `multi-rate
 * { rate: 10 }`.
 */

export type ScenarioEdit =
  /**
   * `source` is what the file would say: a path, relative to the scenario, or a source in the long
   * form (`{ table: a.csv }`).
   */
  | { readonly kind: "add-unit"; readonly name: string; readonly source: string }
  /** With all connections and other lines that name only this unit. */
  | { readonly kind: "remove-unit"; readonly name: string }
  /** Everywhere in the file. */
  | { readonly kind: "rename-unit"; readonly name: string; readonly to: string }
  /** `unit.port` each. */
  | { readonly kind: "connect"; readonly from: string; readonly to: string }
  | { readonly kind: "disconnect"; readonly from: string; readonly to: string }
  /**
   * A parameter, an input without a source, or a start value; without `value` the line is removed.
   */
  | {
      readonly kind: "set-value";
      readonly unit: string;
      readonly port: string;
      readonly value?: string;
    }
  /** Without `name`: Cosimo chooses. Options of the master stay where it stays the same. */
  | { readonly kind: "set-master"; readonly name?: string }
  | {
      readonly kind: "set-experiment";
      readonly key: "start" | "stop" | "step" | "tolerance";
      readonly value?: string;
    }
  /** The unit's own step. */
  | { readonly kind: "set-unit-step"; readonly unit: string; readonly value?: string }
  /**
   * An adaptation of the library or a file (`multi-rate { rate: 10 }`); without it the unit is as
   * it is.
   */
  | { readonly kind: "adapt"; readonly unit: string; readonly adaptation?: string };

/**
 * A part of a text and what replaces it; `from` and `to` are positions in the text before the edit.
 */
export interface TextChange {
  readonly from: number;
  readonly to: number;
  readonly insert: string;
}

export interface EditedText {
  readonly text: string;
  /** In order, not overlapping: what an editor applies so that its cursor stays where it is. */
  readonly changes: readonly TextChange[];
  /** Why the edit could not be made; `text` is then unchanged. */
  readonly problem?: string;
}
