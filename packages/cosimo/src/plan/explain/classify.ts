/**
 * Where a scenario stands in the feature model of co-simulation approaches (Gomes et al.,
 * Co-simulation: State of the art, 2017, section 6): non-functional requirements, requirements on
 * simulation units, requirements on the framework.
 */

import { BACKENDS } from "../../model/backends.ts";
import { iterates, MASTERS, SCHEMES } from "../../model/masters.ts";
import type { Scenario, UnitSource } from "../../model/scenario.ts";
import { SOURCES } from "../../model/source-kind.ts";
import type { Capabilities, Port } from "../../model/unit-description.ts";
import type { Plan } from "../plan.ts";
import type { ConnectionExplanation, FeatureGroup } from "./explanation.ts";

export function classify(
  scenario: Scenario,
  plan: Plan,
  connections: readonly ConnectionExplanation[],
): FeatureGroup[] {
  const units = scenario.units.map(({ description }) => description);
  const ports = units.flatMap((unit) => unit.ports);
  const some = (has: (c: Capabilities) => boolean): boolean =>
    units.some(({ capabilities }) => has(capabilities));
  const every = (has: (c: Capabilities) => boolean): boolean =>
    units.length > 0 && units.every(({ capabilities }) => has(capabilities));
  const output = (has: (port: Port) => boolean): boolean =>
    ports.some((port) => port.direction === "output" && has(port));
  const sources = scenario.units.flatMap(({ source }) =>
    source.kind === "formula" ? [] : [source],
  );
  const fmus = scenario.units.filter(
    ({ source, description }) =>
      BACKENDS[description.backend].isFmu ||
      (source.kind !== "formula" && SOURCES[unadapted(source).kind].isFmu),
  ).length;
  const adapts = sources.some(({ kind }) => SOURCES[kind].adapts);
  // What an .sa file contains is not known here: it may be an FMU.
  const isPortable = fmus === 0 && sources.every(({ kind }) => SOURCES[kind].adapts !== "own");
  const multiRate = new Set(plan.units.map(({ ticks }) => ticks)).size > 1;
  const shaped = connections.some(({ approximation }) => approximation !== "hold");
  const continuous = ports.some(({ variability }) => variability === "continuous");
  return [
    group("non-functional", [
      ["configuration reusability", true],
      ["performance", multiRate || shaped],
      ["accuracy", shaped],
      ["IP protection", fmus > 0],
      ["hierarchy", adapts || scenario.units.some((unit) => unit.scenario !== undefined)],
      ["platform independence", isPortable && units.length > 0],
    ]),
    group("units", [
      ["causal", true],
      ["local", true],
      ["no time constraints", true],
      [rollbackText(every, some), true],
      ["feed-through", output(({ feedThrough }) => feedThrough !== undefined)],
      ["preferred step size", some((c) => c.preferredStep !== undefined)],
      ["I/O signal kind", ports.some(({ nature }) => nature !== "continuous")],
      ["nominal values of outputs", output(({ nominal }) => nominal !== undefined)],
      ["time derivatives of outputs", some((c) => c.outputDerivativeOrder > 0)],
      ["output Jacobian", some((c) => c.directionalDerivatives)],
      ["serialized state", some((c) => c.serialize)],
      ["micro-step outputs", some((c) => c.intermediateUpdate)],
      ["input extrapolation", ports.some(({ reactive }) => reactive === true)],
    ]),
    group("framework", [
      ["FMI", fmus > 0],
      ["I/O assignments", true],
      ["algebraic constraints", scenario.constraints.length > 0],
      [unitCount(units.length), true],
      ["CT", continuous],
      ["DE", some((c) => c.eventMode)],
      [multiRate ? "multi-rate" : "single rate", true],
      [plan.coupling?.settings.control ? "variable step" : "fixed step", true],
      [couplingText(plan), true],
      ["event location", scenario.events.length > 0],
      ["post-mortem results", true],
      [isParallel(plan) ? "Jacobi" : "Gauss-Seidel", true],
    ]),
  ];
}

function couplingText({ coupling }: Plan): string {
  const isIterated = coupling !== undefined && iterates(coupling.settings);
  if (!isIterated || !coupling.components.some(({ cyclic }) => cyclic)) return "explicit coupling";
  return coupling.settings.iteration.corrections === undefined
    ? "fully implicit coupling"
    : "semi-implicit coupling";
}

/** Whether units use nothing that others have reached in the same step, or the same iteration. */
function isParallel({ master, coupling }: Plan): boolean {
  if (coupling !== undefined && iterates(coupling.settings))
    return coupling.settings.iteration.method === "jacobi";
  const scheme = coupling?.settings.coupling ?? MASTERS[master].scheme;
  return scheme !== undefined && !SCHEMES[scheme].isSequential;
}

function rollbackText(
  every: (has: (c: Capabilities) => boolean) => boolean,
  some: (has: (c: Capabilities) => boolean) => boolean,
): string {
  if (every((c) => c.rollback)) return "rollback";
  return some((c) => c.rollback) ? "rollback of some units" : "no rollback";
}

function unitCount(units: number): string {
  if (units < 2) return "one unit";
  return units === 2 ? "two units" : "three or more units";
}

function group(name: FeatureGroup["group"], features: readonly [string, boolean][]): FeatureGroup {
  return { group: name, features: features.flatMap(([text, applies]) => (applies ? [text] : [])) };
}

function unadapted(source: UnitSource): UnitSource {
  return source.kind === "adapted" ? unadapted(source.inner) : source;
}
