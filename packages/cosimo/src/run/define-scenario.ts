/**
 * Scenarios written in code: units that are already in memory, connected by name. The same checks as for a scenario.yaml, no file.
 */
import { unwrap } from "../base/diagnostic.ts";
import { guardedUnit } from "../engine/guarded-unit.ts";
import { resolveScenario } from "../model/resolve-scenario.ts";
import type {
  ExposedPortDraft,
  ScenarioDraft,
  UnitDraft,
  UnitSource,
  ValueDraft,
} from "../model/scenario.ts";
import type { Experiment } from "../model/unit-description.ts";
import type { Value } from "../model/value-type.ts";
import type { Unit } from "../unit/unit.ts";
import {
  type ConnectionModel,
  connectionOf,
  type DeclarationsModel,
  declarationsOf,
} from "./define-declarations.ts";
import { type OpenUnit, openUnits } from "./open-units.ts";
import type { RunnableScenario } from "./simulate-scenario.ts";

export interface ScenarioModel extends DeclarationsModel {
  readonly name?: string;
  readonly units: Readonly<Record<string, UnitInScenario | UnitSettings>>;
  /** `"motor.speed -> load.speed"`, or a map when there is more to say. */
  readonly connections?: readonly (string | ConnectionModel)[];
  /** Ports that the scenario shows when it is a unit of another: name → `unit.port`. */
  readonly ports?: Readonly<Record<string, string>>;
  readonly experiment?: Experiment;
  /** Default: the one that `cosimo check` recommends; with options as `{ name: "gauss-seidel", order: ["a", "b"] }`. */
  readonly master?: string | { readonly name: string; readonly [option: string]: unknown };
  /** Patterns over `unit.port`; default: all outputs. */
  readonly record?: readonly string[];
}

/**
 * A unit, a function that makes one, or a scenario. A function is called for every run; a unit is reset before a run where
 * needed and stays yours to dispose.
 */
export type UnitInScenario = Unit | ((name: string) => Unit) | DefinedScenario;

export interface UnitSettings {
  readonly unit: UnitInScenario;
  /** Communication step, seconds, where it differs from the scenario's. */
  readonly step?: number;
  /** Parameters and start values; texts may have a unit: "5 mm". */
  readonly set?: Readonly<Record<string, Value | readonly Value[]>>;
}

export interface DefinedScenario extends RunnableScenario {
  readonly draft: ScenarioDraft;
  /** What stands behind the units, in the scenario's order. */
  readonly parts: readonly UnitInScenario[];
}

/**
 * Checks and connects. Nothing runs yet.
 * @throws DiagnosticsError that lists everything wrong: unknown ports, types and physical units that do not fit, …
 */
export function defineScenario(model: ScenarioModel): DefinedScenario {
  const place = { file: model.name ?? "scenario" };
  const settings = Object.values(model.units).map(settingsOf);
  const parts = settings.map(({ unit }) => unit);
  const units = Object.keys(model.units).map((name, u): UnitDraft => {
    const { unit, step, set = {} } = settings[u];
    const source = isScenario(unit)
      ? ({ kind: "scenario", scenario: unit.draft } as const)
      : ({ kind: "module", path: name } as const);
    const values = Object.entries(set).map(([port, value]): ValueDraft => ({ port, value, place }));
    return { name, source, values, place, ...(step === undefined ? {} : { step }) };
  });
  const { name: master = "", ...options } =
    typeof model.master === "string" ? { name: model.master } : (model.master ?? {});
  const draft: ScenarioDraft = {
    name: place.file,
    file: place.file,
    units,
    connections: (model.connections ?? []).map((one) => connectionOf(one, place)),
    ...declarationsOf(model, place),
    ports: Object.entries(model.ports ?? {}).map(
      ([name, inner]): ExposedPortDraft => ({ name, inner, place }),
    ),
    experiment: model.experiment ?? {},
    master: { name: master, options, place },
    record: { patterns: model.record ?? [], every: 1 },
    place,
  };
  const makers = makersOf(draft, parts);
  const scenario = unwrap(
    resolveScenario(draft, (source, name) => descriptionOf(makers.get(source)!, name)),
  );
  return {
    draft,
    parts,
    scenario,
    async open(given, plan, kept) {
      const made: Unit[] = [];
      const close = (): void => {
        for (const unit of made) unit.dispose();
      };
      try {
        const make: OpenUnit = ({ source }, { name }) => unitOf(makers.get(source)!, name, made);
        return { units: await openUnits(given, plan, make, { kept }), close };
      } catch (error) {
        close();
        throw error;
      }
    },
  };
}

/** @param made gets what is made here; a unit of the caller stays the caller's. */
function unitOf(maker: Maker, name: string, made: Unit[]): Unit {
  if (typeof maker !== "function") {
    if (maker.phase !== "instantiated") maker.reset();
    return guardedUnit(maker, false);
  }
  const unit = maker(name);
  made.push(unit);
  return guardedUnit(unit);
}

function settingsOf(given: UnitInScenario | UnitSettings): UnitSettings {
  return typeof given !== "function" && "unit" in given ? given : { unit: given };
}

function isScenario(unit: UnitInScenario): unit is DefinedScenario {
  return typeof unit !== "function" && "draft" in unit;
}

type Maker = Exclude<UnitInScenario, DefinedScenario>;

/** By their sources: what makes the units of a draft and of the drafts inside it. */
function makersOf(draft: ScenarioDraft, parts: readonly UnitInScenario[]): Map<UnitSource, Maker> {
  const makers = new Map<UnitSource, Maker>();
  for (const [u, part] of parts.entries()) {
    if (!isScenario(part)) makers.set(draft.units[u].source, part);
    else for (const [source, maker] of makersOf(part.draft, part.parts)) makers.set(source, maker);
  }
  return makers;
}

/** What a function makes is known only by making one. */
function descriptionOf(maker: Maker, name: string): Unit["description"] {
  if (typeof maker !== "function") return maker.description;
  const unit = maker(name);
  const { description } = unit;
  unit.dispose();
  return description;
}
