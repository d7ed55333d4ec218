/**
 * Scenarios written in code: units that are already in memory, connected by name. The same checks
 * as for a scenario.yaml, no file.
 */

import { type Place, unwrap } from "../base/diagnostic.ts";
import { present } from "../base/present.ts";
import { guardedUnit } from "../engine/guarded-unit.ts";
import type { MakeExecutor } from "../engine/run-plan.ts";
import { resolveScenario } from "../model/resolve-scenario.ts";
import type {
  ExposedPortDraft,
  ScenarioDraft,
  UnitDraft,
  UnitSource,
  ValueDraft,
} from "../model/scenario.ts";
import type { Experiment, UnitDescription } from "../model/unit-description.ts";
import type { Value } from "../model/value-type.ts";
import { disposeAll } from "../unit/dispose-all.ts";
import type { Unit } from "../unit/unit.ts";
import {
  type ConnectionModel,
  connectionOf,
  type DeclarationsModel,
  declarationsOf,
} from "./define-declarations.ts";
import { refuseUnknownKeys } from "./known-keys.ts";
import { type OpenUnit, openUnits, type UnitUse } from "./open-units.ts";
import type { RunnableScenario } from "./simulate-scenario.ts";

export interface ScenarioModel extends DeclarationsModel {
  readonly name?: string;
  readonly units: Readonly<Record<string, UnitInScenario | UnitSettings>>;
  /** `"motor.speed -> load.speed"`, or a map when there is more to say. */
  readonly connections?: readonly (string | ConnectionModel)[];
  /** Ports that the scenario shows when it is a unit of another: name → `unit.port`. */
  readonly ports?: Readonly<Record<string, string>>;
  readonly experiment?: Experiment;
  /**
   * Default: the one that `cosimo check` recommends; with options as `{ name: "gauss-seidel",
   * order: ["a", "b"] }`.
   */
  readonly master?: string | { readonly name: string; readonly [option: string]: unknown };
  /** Patterns over `unit.port`; default: all outputs. */
  readonly record?: readonly string[];
}

const MODEL_KEYS: Readonly<Record<keyof ScenarioModel, true>> = {
  name: true,
  units: true,
  connections: true,
  ports: true,
  experiment: true,
  master: true,
  record: true,
  bonds: true,
  constraints: true,
  events: true,
  limits: true,
  faults: true,
  structure: true,
};
const SETTINGS_KEYS: readonly (keyof UnitSettings)[] = ["unit", "step", "set"];

/**
 * A unit, a function that makes one, a unit on disk (`fmu` of `cosimo/node`), or a scenario. A
 * function is called and a unit on disk is opened for every run; a unit is reset before a run where
 * needed and stays yours to dispose.
 */
export type UnitInScenario = Unit | ((name: string) => Unit) | UnitOnDisk | DefinedScenario;

/** A unit that is known before it is opened, and opened and closed with each run. */
export interface UnitOnDisk {
  readonly source: UnitSource;
  /** @param given numbers by port: those of structural parameters shape it. */
  describe(given: ReadonlyMap<string, number>): UnitDescription;
  openUnit(use: UnitUse): Promise<OpenedUnit>;
  /** What executes plans with such units fastest; all executors give the same trace. */
  readonly executor?: MakeExecutor;
}

export interface OpenedUnit {
  readonly unit: Unit;
  /** Disposes the unit and removes what was made for it. Called once or several times. */
  close(): void;
}

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
 * @throws DiagnosticsError that lists everything wrong: unknown ports, types and physical units
 * that do not fit, …
 */
export function defineScenario(model: ScenarioModel): DefinedScenario {
  const place = { file: model.name ?? "scenario" };
  refuseUnknownKeys(model, Object.keys(MODEL_KEYS), "the scenario", place);
  const settings = Object.entries(model.units).map(([name, given]) =>
    settingsOf(given, name, place),
  );
  const parts = settings.map(({ unit }) => unit);
  const units = Object.keys(model.units).map((name, u): UnitDraft => {
    const { unit, step, set = {} } = settings[u];
    const source = isScenario(unit)
      ? ({ kind: "scenario", scenario: unit.draft } as const)
      : isOnDisk(unit)
        ? { ...unit.source }
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
    resolveScenario(draft, (source, _, unit) => descriptionOf(makers.get(source)!, unit)),
  );
  const executor = [...makers.values()].map(executorOf).find((one) => one !== undefined);
  return {
    draft,
    parts,
    scenario,
    ...present({ executor }),
    async open(given, plan, kept) {
      const made: (() => void)[] = [];
      const close = (): unknown[] => disposeAll(made.map((dispose) => ({ dispose })));
      try {
        const make: OpenUnit = ({ source }, use) => unitOf(makers.get(source)!, use, made);
        return { units: await openUnits(given, plan, make, { kept }), close };
      } catch (error) {
        close();
        throw error;
      }
    },
  };
}

/**
 * @param made gets what closes the units that are made here; a unit of the caller stays the
 * caller's.
 */
async function unitOf(maker: Maker, use: UnitUse, made: (() => void)[]): Promise<Unit> {
  if (isOnDisk(maker)) {
    const { unit, close } = await maker.openUnit(use);
    made.push(close);
    return unit;
  }
  if (typeof maker !== "function") {
    if (maker.phase !== "instantiated") maker.reset();
    return guardedUnit(maker, false);
  }
  const unit = guardedUnit(maker(use.name));
  made.push(() => unit.dispose());
  return unit;
}

function executorOf(maker: Maker): MakeExecutor | undefined {
  return isOnDisk(maker) ? maker.executor : undefined;
}

function settingsOf(
  given: UnitInScenario | UnitSettings,
  name: string,
  place: Place,
): UnitSettings {
  if (typeof given === "function" || !("unit" in given)) return { unit: given };
  refuseUnknownKeys(given, SETTINGS_KEYS, `the unit '${name}'`, place);
  return given;
}

function isScenario(unit: UnitInScenario): unit is DefinedScenario {
  return typeof unit !== "function" && "draft" in unit;
}

function isOnDisk(unit: UnitInScenario): unit is UnitOnDisk {
  return typeof unit !== "function" && "openUnit" in unit;
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
function descriptionOf(maker: Maker, { name, values }: UnitDraft): UnitDescription {
  if (isOnDisk(maker))
    return maker.describe(new Map(values.map(({ port, value }) => [port, Number(value)])));
  if (typeof maker !== "function") return maker.description;
  const unit = maker(name);
  const { description } = unit;
  unit.dispose();
  return description;
}
