/**
 * Draft → scenario: names are resolved against the descriptions of the units, and everything that
 * can be known to be wrong without running is reported here, with its place and a fix
 * (docs/spec/scenario.md).
 *
 * Nothing is loaded here: the host hands in descriptions and the drafts of nested files, so this
 * works in a browser too.
 */
import {
  append,
  type Checked,
  type Diagnostic,
  formatPlace,
  hasErrors,
} from "../base/diagnostic.ts";
import { present } from "../base/present.ts";
import { applyFaults, withTrackPorts } from "./apply-faults.ts";
import { applyInterface } from "./apply-interface.ts";
import { elementCount, excessOf, MAX_SCENARIO_ELEMENTS } from "./element-limits.ts";
import { inside, wantedPort, withExposed } from "./inner-ports.ts";
import { withPortUnits } from "./port-units.ts";
import { resolveConnections, SourceLedger } from "./resolve-scenario-connections.ts";
import { type OpenUnit, ResolveContext, shapeText, typedText } from "./resolve-scenario-context.ts";
import {
  resolveBonds,
  resolveConstraints,
  resolveEvents,
  resolveLimits,
} from "./resolve-scenario-declarations.ts";
import { resolveFaults } from "./resolve-scenario-faults.ts";
import { describeScenario } from "./resolve-scenario-nested.ts";
import { findReference, type PortReference } from "./resolve-scenario-reference.ts";
import { requirementsOf } from "./resolve-scenario-requirements.ts";
import { showSources } from "./resolve-scenario-sources.ts";
import { resolveValues } from "./resolve-scenario-values.ts";
import { resolveStructure } from "./resolve-structure.ts";
import type {
  ExposedPort,
  ExposedPortDraft,
  PortValue,
  Scenario,
  ScenarioDraft,
  ScenarioUnit,
  StructureDraft,
  UnitDraft,
  UnitSource,
} from "./scenario.ts";
import { isScenarioSource, placesText } from "./source-kind.ts";
import { portSize, type UnitDescription } from "./unit-description.ts";

/**
 * What the host knows of a unit's source, or undefined when it could not be loaded (the host says
 * why). A host that supports structural parameters finds their values in `unit`; paths are relative
 * to the folder of `scenario.file`.
 */
export type DescribeUnit = (
  source: UnitSource,
  unitName: string,
  unit: UnitDraft,
  scenario: ScenarioDraft,
) => UnitDescription | undefined;

/**
 * The draft of a nested scenario file, or undefined when it could not be read (the host says why).
 */
export type OpenNested = (
  path: string,
  unit: UnitDraft,
  scenario: ScenarioDraft,
) => ScenarioDraft | undefined;

/**
 * Resolves `draft`. The value is absent when a unit could not be described; beside other errors it
 * holds what was correct, for tools that explain. Diagnostics are ordered by line, those of a
 * nested scenario before those of its owner.
 */
export function resolveScenario(
  draft: ScenarioDraft,
  describe: DescribeUnit,
  nested: OpenNested = () => undefined,
): Checked<Scenario> {
  return new Resolver(describe, nested).resolve(draft, [], false);
}

class Resolver {
  private readonly describe: DescribeUnit;
  private readonly nested: OpenNested;
  /** Nested drafts resolved so far: two units of one file share the work and the messages. */
  private readonly done = new Map<ScenarioDraft, Scenario | undefined>();

  /** Elements of all units of a scenario that was resolved. */
  private readonly elements = new Map<Scenario, number>();

  constructor(describe: DescribeUnit, nested: OpenNested) {
    this.describe = describe;
    this.nested = nested;
  }

  resolve(
    draft: ScenarioDraft,
    around: readonly ScenarioDraft[],
    isNested: boolean,
  ): Checked<Scenario> {
    if (draft.structure !== undefined)
      return this.resolveStructured(draft, draft.structure, around, isNested);
    const context = new ResolveContext();
    const inner: Diagnostic[] = [];
    for (const unit of draft.units) this.openUnit(context, unit, draft, [...around, draft], inner);
    showSources(context, draft.connections);
    // Before anything is allocated for the elements.
    const elements = this.countElements(context);
    if (elements === undefined) return { diagnostics: inner.concat(inOrder(context.diagnostics)) };
    const values = context.units.map((unit) => resolveValues(context, unit));
    const ledger = new SourceLedger();
    const connections = resolveConnections(context, draft.connections, ledger);
    const bonds = resolveBonds(context, draft.bonds ?? [], connections, ledger);
    const constraints = resolveConstraints(context, draft.constraints ?? [], ledger);
    const events = resolveEvents(context, draft.events ?? []);
    const limits = resolveLimits(context, draft.limits ?? []);
    const faults = resolveFaults(context, draft.faults ?? []);
    const required = requirementsOf(context, draft, faults, isNested);
    const ports = resolvePorts(context, draft.ports, ledger, isNested);
    checkInputs(context, values, ledger);
    const diagnostics = inner.concat(inOrder(context.diagnostics));
    const units = context.units.flatMap((unit, i) => scenarioUnit(unit, values[i] ?? []));
    if (units.length < context.units.length) return { diagnostics };
    const { name, file, shownAs, experiment, master, record } = draft;
    const value: Scenario = {
      name,
      file,
      ...(shownAs !== undefined && { shownAs }),
      units,
      connections,
      ports,
      experiment,
      master,
      record,
      bonds,
      constraints,
      events,
      limits,
      ...(faults.length > 0 && { faults }),
      ...required,
    };
    // Inside another scenario faults act from here on; the one around all others is for the caller.
    const applied = isNested ? withTrackPorts(applyFaults(value)) : value;
    this.elements.set(applied, elements);
    return { value: applied, diagnostics };
  }

  /** Every structure that can occur is a scenario of its own. */
  private resolveStructured(
    draft: ScenarioDraft,
    structure: StructureDraft,
    around: readonly ScenarioDraft[],
    isNested: boolean,
  ): Checked<Scenario> {
    const context = new ResolveContext();
    const inner: Diagnostic[] = [];
    for (const unit of draft.units) this.openUnit(context, unit, draft, [...around, draft], inner);
    if (isNested) context.report("structure-nested", { name: draft.name }, structure.place);
    const units = context.units.flatMap((unit) => scenarioUnit(unit, []));
    const faults = resolveFaults(context, draft.faults ?? []);
    if (units.length < draft.units.length || isNested)
      return { diagnostics: inner.concat(inOrder(context.diagnostics)) };
    // Requirements and faults are about the whole run, not about one structure.
    const { requirements: _, hints: __, faults: ___, ...bare } = draft;
    const required = requirementsOf(context, draft, [], isNested);
    const resolved = resolveStructure(context, bare, structure, units, (one) =>
      this.resolve(one, around, false),
    );
    const value = resolved.value && {
      ...resolved.value,
      ...(faults.length > 0 && { faults }),
      ...required,
    };
    return { ...present({ value }), diagnostics: inOrder(resolved.diagnostics) };
  }

  /** Elements of all units; undefined, with a report, where there are too many. */
  private countElements(context: ResolveContext): number | undefined {
    let total = 0;
    for (const { draft, description, scenario } of context.units) {
      if (description === undefined) continue;
      const { name: unit, place } = draft;
      const excess = excessOf(description.ports);
      if (excess !== undefined) {
        const { port, total: elements } = excess;
        const params = { unit, port: port.name, shape: port.shape, total: elements };
        return context.report("unit-too-large", params, place);
      }
      total += (scenario && this.elements.get(scenario)) ?? elementCount(description);
      if (!(total <= MAX_SCENARIO_ELEMENTS))
        return context.report("scenario-too-large", { unit, total }, place);
    }
    return total;
  }

  private openUnit(
    context: ResolveContext,
    draft: UnitDraft,
    scenario: ScenarioDraft,
    around: readonly ScenarioDraft[],
    inner: Diagnostic[],
  ): void {
    const first = context.unitByName.get(draft.name);
    if (first !== undefined) {
      const params = { unit: draft.name, first: formatPlace(first.draft.place) };
      context.report("unit-name-taken", params, draft.place);
    }
    const opened = this.open(context, draft, scenario, around, inner);
    const unit: OpenUnit = { draft, index: context.units.length, ...opened };
    context.units.push(unit);
    if (first === undefined) context.unitByName.set(draft.name, unit);
  }

  private open(
    context: ResolveContext,
    draft: UnitDraft,
    scenario: ScenarioDraft,
    around: readonly ScenarioDraft[],
    inner: Diagnostic[],
  ): Pick<OpenUnit, "description" | "scenario"> {
    const { source, name, place } = draft;
    if (!isScenarioSource(source)) {
      const description = this.describe(source, name, draft, scenario);
      if (description !== undefined) {
        const known = withPortUnits(context, draft, description);
        return { description: declared(context, draft, known) };
      }
    } else {
      const nested =
        source.kind === "scenario" ? source.scenario : this.nested(source.path, draft, scenario);
      if (nested !== undefined && around.some((outer) => isSame(outer, nested, source))) {
        context.report("scenario-nests-itself", { unit: name, file: nested.file }, place);
        return {};
      }
      const resolved = nested && this.resolveNested(nested, around, inner);
      if (resolved !== undefined) {
        const shown = this.withWanted(resolved, draft, scenario);
        return { scenario: shown, description: declared(context, draft, describeScenario(shown)) };
      }
    }
    context.report("unit-not-loaded", { unit: name, source: sourceText(source) }, place);
    return {};
  }

  /** With the ports inside that the scenario around it sets or records. */
  private withWanted(nested: Scenario, unit: UnitDraft, { record }: ScenarioDraft): Scenario {
    const values = unit.values.map(({ port }) => wantedPort(port));
    const recorded = inside(record.patterns.map(wantedPort), unit);
    const shown = withExposed(nested, [...values, ...recorded]);
    this.elements.set(shown, this.elements.get(nested) ?? 0);
    return shown;
  }

  private resolveNested(
    draft: ScenarioDraft,
    around: readonly ScenarioDraft[],
    inner: Diagnostic[],
  ): Scenario | undefined {
    if (!this.done.has(draft)) {
      const { value, diagnostics } = this.resolve(draft, around, true);
      for (const finding of diagnostics) inner.push(finding);
      this.done.set(draft, hasErrors(diagnostics) ? undefined : value);
    }
    return this.done.get(draft);
  }
}

/** The description with what the unit's interface adds. */
function declared(
  { diagnostics }: ResolveContext,
  draft: UnitDraft,
  description: UnitDescription,
): UnitDescription {
  const content = draft.interface?.content;
  if (content === undefined) return description;
  const applied = applyInterface(description, content, draft.name);
  append(diagnostics, applied.diagnostics);
  return applied.description;
}

/** A file is identified by its name; a scenario written in place shares the file of its owner. */
function isSame(outer: ScenarioDraft, nested: ScenarioDraft, { kind }: UnitSource): boolean {
  return kind === "scenario" ? outer === nested : outer.file === nested.file;
}

function sourceText(source: UnitSource): string {
  if (source.kind === "adapted") return `${sourceText(source.inner)} in '${source.adaptation}'`;
  if (source.kind === "group") return `the group '${source.scenario.name}'`;
  if (source.kind === "remote") return placesText(source);
  return source.kind === "scenario" ? `the scenario '${source.scenario.name}'` : source.path;
}

function scenarioUnit(unit: OpenUnit, values: readonly PortValue[]): ScenarioUnit[] {
  const { draft, description, scenario } = unit;
  if (description === undefined) return [];
  const { name, source, step, isolation, place } = draft;
  return [
    {
      name,
      source,
      description,
      ...(step !== undefined && { step }),
      values,
      ...(scenario !== undefined && { scenario }),
      ...(isolation !== undefined && { isolation }),
      place,
    },
  ];
}

/** Exposed ports. Inside a nested scenario an exposed input has its source outside. */
function resolvePorts(
  context: ResolveContext,
  drafts: readonly ExposedPortDraft[],
  ledger: SourceLedger,
  isNested: boolean,
): ExposedPort[] {
  const firsts = new Map<string, PortReference>();
  const ports: ExposedPort[] = [];
  for (const { name, inner, place } of drafts) {
    const found = findReference(context, inner, "input", place);
    if (found === undefined) continue;
    if (found.kind !== "port" || !found.whole) {
      context.report("exposed-whole", { name, inner }, place);
      continue;
    }
    const first = firsts.get(name);
    if (first !== undefined && !isAlike(first, found)) {
      const params = { name, first: kindText(first), other: kindText(found) };
      context.report("exposed-differs", params, place);
      continue;
    }
    firsts.set(name, first ?? found);
    const { unit, port } = found;
    if (port.direction === "input" && isNested) {
      const taken = ledger.take(unit.index, port.index, 0, portSize(port), place);
      if (taken !== undefined) {
        context.report("connection-two-sources", { to: inner, first: formatPlace(taken) }, place);
        continue;
      }
    }
    ports.push({ name, inner: { unit: unit.index, port: port.index } });
  }
  return ports;
}

/** Two inner ports can share a name when one value suits both. */
function isAlike(a: PortReference, b: PortReference): boolean {
  const takes = a.port.direction === "input" || a.port.direction === "parameter";
  return (
    takes &&
    a.port.direction === b.port.direction &&
    a.port.type === b.port.type &&
    a.port.unit?.name === b.port.unit?.name &&
    a.shape.length === b.shape.length &&
    a.shape.every((size, i) => size === b.shape[i])
  );
}

function kindText({ text, port, shape }: PortReference): string {
  const unit = port.unit === undefined ? "" : ` in ${port.unit.name}`;
  const size = shape.length === 0 ? "" : `, ${shapeText(shape)}`;
  return `${typedText(text, port)}${unit}${size}`;
}

/** An input needs a source for every element, a value, or a start value of its own. */
function checkInputs(
  context: ResolveContext,
  values: readonly (readonly PortValue[])[],
  ledger: SourceLedger,
): void {
  for (const { draft, index, description } of context.units) {
    for (const port of description?.ports ?? []) {
      if (port.direction !== "input" || port.start !== undefined || port.type === "clock") continue;
      if (ledger.count(index, port.index) === portSize(port)) continue;
      if (values[index]?.some((value) => value.port === port.index)) continue;
      context.report("input-missing", { unit: draft.name, port: port.name }, draft.place);
    }
  }
}

/** By line and column; findings at the same place keep their order. */
function inOrder(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  return [...diagnostics].sort(
    ({ place: a }, { place: b }) =>
      (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0),
  );
}
