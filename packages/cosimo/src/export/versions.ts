/**
 * What the versions of FMI that units are exported as differ in, one row each. Only the layout of
 * their descriptions is elsewhere (fmu-description.ts).
 */
import type { ValueType } from "../model/value-type.ts";

export type ExportVersion = 2 | 3;

interface VersionFacts {
  /** The attribute that ties description and binary together. */
  readonly tokenAttribute: string;
  /** How capabilities spell the state. */
  readonly state: "FMUstate" | "FMUState";
  /** Variables may be arrays; otherwise every element is a variable. */
  readonly hasArrays: boolean;
  /** Types that it has no variables for. */
  readonly lacks: readonly ValueType[];
  /** Sources are described by a file of their own. */
  readonly hasBuildDescription: boolean;
  /** An FMU asks for inputs at the end of a step (intermediate updates). */
  readonly asksForInputs: boolean;
  /** Units that change at events only can show them. */
  readonly hasEventMode: boolean;
  /** Importers name the categories of messages that they want. */
  readonly choosesCategories: boolean;
}

export const EXPORT_VERSIONS: Readonly<Record<ExportVersion, VersionFacts>> = {
  2: {
    tokenAttribute: "guid",
    state: "FMUstate",
    hasArrays: false,
    lacks: ["int64", "uint64", "binary"],
    hasBuildDescription: false,
    asksForInputs: false,
    hasEventMode: false,
    choosesCategories: true,
  },
  3: {
    tokenAttribute: "instantiationToken",
    state: "FMUState",
    hasArrays: true,
    lacks: [],
    hasBuildDescription: true,
    asksForInputs: true,
    hasEventMode: true,
    choosesCategories: false,
  },
};
