/**
 * What the parts of scenario resolution share: the units found so far, their ports by name, and the
 * report.
 */
import { type Diagnostic, type Place, type ReportFor, reporterFor } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { type Hint, SCENARIO_RULES, type ScenarioParams } from "./resolve-scenario-diagnostics.ts";
import type { Scenario, ScenarioUnit, UnitDraft } from "./scenario.ts";
import {
  type Direction,
  type Port,
  portsByName,
  type UnitDescription,
} from "./unit-description.ts";

/** A unit of the draft with its description, where it could be loaded. */
export interface OpenUnit {
  readonly draft: Omit<UnitDraft, "source"> & Pick<ScenarioUnit, "source">;
  readonly index: number;
  description?: UnitDescription;
  readonly scenario?: Scenario;
}

export class ResolveContext {
  readonly diagnostics: Diagnostic[] = [];
  readonly units: OpenUnit[] = [];
  readonly unitByName: Map<string, OpenUnit> = new Map();
  private readonly portMaps = new Map<UnitDescription, ReadonlyMap<string, Port>>();

  readonly report: ReportFor<ScenarioParams> = reporterFor(SCENARIO_RULES, this.diagnostics);

  /** Ports by name; a description that several units share is indexed once. */
  portsOf(description: UnitDescription): ReadonlyMap<string, Port> {
    let map = this.portMaps.get(description);
    if (map === undefined) {
      map = portsByName(description);
      this.portMaps.set(description, map);
    }
    return map;
  }
}

/** Names that fit come first: a connection needs an output on one side, an input on the other. */
export function hintFor(
  typed: string,
  ports: readonly Port[],
  wanted: (port: Port) => boolean,
): Hint {
  const names = ports.filter(wanted).map(({ name }) => name);
  const all = ports.map(({ name }) => name);
  return { nearest: nearest(typed, names) ?? nearest(typed, all), names };
}

const DIRECTIONS: Readonly<Record<Direction, string>> = {
  input: "an input",
  output: "an output",
  parameter: "a parameter",
  "structural-parameter": "a structural parameter",
  "calculated-parameter": "a calculated parameter",
  local: "a local variable",
  independent: "the time",
};

export function directionText(port: Port): string {
  return DIRECTIONS[port.direction];
}

/** `3 × 2`, or `a scalar`. */
export function shapeText(shape: readonly number[]): string {
  return shape.length === 0 ? "a scalar" : `an array of ${shape.join(" × ")}`;
}

/** How messages about types name a port: `'motor.speed' (float64)`. */
export function typedText(name: string, port: Port): string {
  return `'${name}' (${port.type})`;
}

export function reportUnknownPort(
  context: ResolveContext,
  unit: OpenUnit,
  port: string,
  hint: Hint,
  place: Place,
): undefined {
  const isScenario = unit.scenario !== undefined;
  return context.report("unknown-port", { unit: unit.draft.name, port, hint, isScenario }, place);
}
