/**
 * A scenario draft → the elements of an SSD. Connectors are written for ports that are connected or
 * exposed and for all outputs that a description knows: SSP asks for no more, and some tools do not
 * accept inputs that are not connected.
 */

import type { BackendName } from "../model/backends.ts";
import type { FmiInterfaceName } from "../model/integrator.ts";
import type { DescribeUnit } from "../model/resolve-scenario.ts";
import type { ConnectionDraft, ScenarioDraft, UnitDraft, UnitSource } from "../model/scenario.ts";
import { placesText } from "../model/source-kind.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import type { Value } from "../model/value-type.ts";
import { doubleText, type XmlOut, xml, xmlList } from "../xml/xml-writer.ts";
import {
  boundaryEnds,
  type ConnectorOut,
  componentConnectors,
  FileDefinitions,
  KINDS,
  type Kind,
  repeated,
  usedKind,
  writeConnectors,
} from "./connectors.ts";
import { allConnections, declarationsOf, declarationsText } from "./declarations-note.ts";
import { IMPLEMENTATIONS, MEDIA, type SspVersion } from "./names.ts";
import { splitIndex, splitReference } from "./port-reference.ts";
import { sourceUri } from "./source-path.ts";
import type { SspReporter } from "./ssp-diagnostics.ts";
import { annotation, type WrittenValues, writeValues } from "./write-values.ts";

export interface WriteContext {
  readonly version: SspVersion;
  /** What is known of a unit, when the host has its description. */
  readonly describe: DescribeUnit;
  readonly reporter: SspReporter;
  /** Path in the package for a file that the scenario at `file` names. */
  readonly packaged: (path: string, file: string) => string;
  /** The scenario in a file, to be written in place; undefined: it cannot be loaded. */
  readonly load: (path: string) => ScenarioDraft | undefined;
}

/** A port of a unit, as connections write it. */
interface ConnectionEnd {
  readonly member: UnitDraft;
  /** Its name. */
  readonly unit: string;
  readonly name: string;
  readonly indices: string;
}

export class StructureWriter {
  private readonly context: WriteContext;
  readonly definitions: FileDefinitions = new FileDefinitions();

  constructor(context: WriteContext) {
    this.context = context;
  }

  /**
   * `name` is that of the element: of a nested scenario, the unit's. `outside` says how the system
   * around uses the ports of a nested one.
   */
  system(
    draft: ScenarioDraft,
    name: string,
    unit?: UnitDraft,
    outside?: ReadonlyMap<string, Kind>,
  ): XmlOut {
    const units = new Map(draft.units.map((u) => [u.name, u]));
    const used = new Map<string, Map<string, Kind>>(draft.units.map((u) => [u.name, new Map()]));
    const connections: XmlOut[] = [];
    for (const connection of allConnections(draft)) {
      const from = this.end(connection.from, units, draft, connection.place.line);
      const to = this.end(connection.to, units, draft, connection.place.line);
      if (from === undefined || to === undefined) continue;
      used.get(from.unit)?.set(from.name, "output");
      used.get(to.unit)?.set(to.name, "input");
      connections.push(this.connection(connection, from, to));
    }
    const boundary = new Map<string, ConnectorOut>();
    for (const port of draft.ports) {
      const inner = this.end(port.inner, units, draft, port.place.line);
      if (inner === undefined) continue;
      const known = used.get(inner.unit) ?? new Map<string, Kind>();
      const usage = outside?.get(port.name) ?? known.get(inner.name) ?? repeated(draft, port.name);
      const connector = this.connectorOf(inner.member, inner.name, usage, draft);
      known.set(inner.name, connector.kind);
      if (!boundary.has(port.name)) boundary.set(port.name, connector);
      connections.push(xml("ssd:Connection", boundaryEnds(connector.kind, port.name, inner)));
    }
    const elements = draft.units.map((u) => this.member(u, used.get(u.name) ?? new Map(), draft));
    const values = this.values(unit, undefined);
    return xml("ssd:System", { name }, [
      writeConnectors(name, boundary, this.context.version, this.definitions),
      xmlList("ssd:ParameterBindings", values.bindings),
      xmlList("ssd:Elements", elements),
      xmlList("ssd:Connections", connections),
      annotation([...this.unitNotes(unit), ...values.notes, ...this.notes(draft, name, unit)]),
    ]);
  }

  private end(
    reference: string,
    units: ReadonlyMap<string, UnitDraft>,
    draft: ScenarioDraft,
    line: number | undefined,
  ): ConnectionEnd | undefined {
    const refuse = (why: string): undefined =>
      void this.context.reporter.report("ssp-export-reference", { reference, why }, line ?? 1);
    const split = splitReference(reference, units);
    const unit = split && units.get(split.unit);
    if (split === undefined || unit === undefined)
      return refuse("names no port of a unit of this scenario");
    if (split.port.includes("*")) return refuse("stands for several ports");
    const element = splitIndex(split.port);
    const array =
      this.context.version === "2.0" &&
      this.portOf(unit, split.port, draft) === undefined &&
      (this.portOf(unit, element.name, draft)?.shape.length ?? 0) > 0;
    // In FMI 2, "x[1]" is the name of a variable like any other.
    if (array) return { member: unit, unit: split.unit, ...element };
    return { member: unit, unit: split.unit, name: split.port, indices: "" };
  }

  private connection(draft: ConnectionDraft, start: ConnectionEnd, end: ConnectionEnd): XmlOut {
    const { approximation, kind } = draft;
    return xml(
      "ssd:Connection",
      {
        startElement: start.unit,
        startConnector: start.name,
        startIndices: start.indices || undefined,
        endElement: end.unit,
        endConnector: end.name,
        endIndices: end.indices || undefined,
        suppressUnitConversion: draft.suppress.includes("unit") ? "true" : undefined,
      },
      [
        this.transformation(draft),
        annotation(
          approximation === undefined && kind === undefined
            ? []
            : [xml("cosimo:Connection", { approximation, kind })],
        ),
      ],
    );
  }

  private transformation(draft: ConnectionDraft): XmlOut | undefined {
    const { factor, offset, mapping, from, to } = draft;
    const linear = factor !== undefined || offset !== undefined;
    const refuse = (why: string) => {
      const line = draft.place.line ?? 1;
      this.context.reporter.report("ssp-export-transformation", { from, to, why }, line);
      return undefined;
    };
    if (mapping !== undefined) {
      if (linear) return refuse("has both a factor or offset and a mapping");
      const kind = mappingKind(mapping.flatMap((entry) => [entry.from, entry.to]));
      if (kind === undefined) return refuse("maps values of different or unfit types");
      const entries = mapping.map((entry) =>
        xml("ssc:MapEntry", { source: String(entry.from), target: String(entry.to) }),
      );
      return xmlList(`ssc:${kind}MappingTransformation`, entries);
    }
    if (!linear) return undefined;
    return xml("ssc:LinearTransformation", {
      factor: factor === undefined ? undefined : doubleText(factor),
      offset: offset === undefined ? undefined : doubleText(offset),
    });
  }

  private member(unit: UnitDraft, used: ReadonlyMap<string, Kind>, draft: ScenarioDraft): XmlOut {
    const { source } = unit;
    if (source.kind === "scenario") return this.nested(source.scenario, unit, used);
    if (source.kind === "group") {
      this.context.reporter.report("ssp-export-group", { unit: unit.name }, unit.place.line ?? 1);
      return this.nested(source.scenario, unit, used);
    }
    if (source.kind === "scenario-file" && !/\.(ssp(#.*)?|ssd)$/i.test(source.path)) {
      const scenario = this.context.load(source.path);
      if (scenario !== undefined) return this.nested(scenario, unit, used);
      const params = { unit: unit.name, path: source.path };
      this.context.reporter.report("ssp-export-scenario-file", params, unit.place.line ?? 1);
    }
    if (source.kind === "adapted") {
      const params = { unit: unit.name, adaptation: source.adaptation };
      this.context.reporter.report("ssp-export-adapt", params, source.place.line ?? 1);
      return this.member({ ...unit, source: source.inner }, used, draft);
    }
    if (source.kind === "remote") {
      const params = { unit: unit.name, places: placesText(source) };
      this.context.reporter.report("ssp-export-remote", params, unit.place.line ?? 1);
      return xml("ssd:Component", { name: unit.name, source: "" }, []);
    }
    const code = NOT_OF_SSP[source.kind];
    if (code !== undefined) {
      const params = { unit: unit.name, path: source.path };
      this.context.reporter.report(code, params, unit.place.line ?? 1);
    }
    const description = this.context.describe(source, unit.name, unit, draft);
    const values = this.values(unit, description);
    const [path, fragment] = source.path.split("#", 2) as [string, string?];
    const uri = sourceUri(this.context.packaged(path, draft.file));
    return xml(
      "ssd:Component",
      {
        name: unit.name,
        type: mediaType(source),
        source: fragment === undefined ? uri : `${uri}#${fragment}`,
        implementation: implementation(source, description, this.context.version),
      },
      [
        writeConnectors(
          unit.name,
          componentConnectors(description, used, unit.portUnits),
          this.context.version,
          this.definitions,
        ),
        xmlList("ssd:ParameterBindings", values.bindings),
        annotation([...this.unitNotes(unit), ...values.notes]),
      ],
    );
  }

  /**
   * Ports that the system around uses but the scenario does not show are written too: reading back
   * must find them.
   */
  private nested(
    scenario: ScenarioDraft,
    unit: UnitDraft,
    used: ReadonlyMap<string, Kind>,
  ): XmlOut {
    for (const name of used.keys()) {
      if (scenario.ports.some((port) => port.name === name)) continue;
      const reference = `${unit.name}.${name}`;
      const why = "is not a port that the nested scenario shows";
      this.context.reporter.report(
        "ssp-export-reference",
        { reference, why },
        unit.place.line ?? 1,
      );
    }
    return this.system(scenario, unit.name, unit, used);
  }

  private values(
    unit: UnitDraft | undefined,
    description: UnitDescription | undefined,
  ): WrittenValues {
    const written = writeValues(unit?.values ?? [], description, this.context.version);
    if (unit !== undefined) {
      for (const { port, why } of written.problems) {
        const params = { unit: unit.name, port, why };
        this.context.reporter.report("ssp-export-value", params, unit.place.line ?? 1);
      }
    }
    return written;
  }

  private unitNotes(unit: UnitDraft | undefined): XmlOut[] {
    if (unit === undefined) return [];
    const { source } = unit;
    const said = {
      step: unit.step,
      export: source.kind === "module" ? source.export : undefined,
      ...(source.kind === "fmu" && { interface: source.interface, ...source.integrator }),
    };
    const texts = Object.entries(said).flatMap(([key, value]): [string, string][] =>
      value === undefined ? [] : [[key, typeof value === "number" ? doubleText(value) : value]],
    );
    return texts.length === 0 ? [] : [xml("cosimo:Unit", Object.fromEntries(texts))];
  }

  /** What SSP has no word for; nothing when the scenario says nothing of the kind. */
  private notes(draft: ScenarioDraft, name: string, unit: UnitDraft | undefined): XmlOut[] {
    const nested = unit !== undefined;
    const { start, stop, step, tolerance } = draft.experiment;
    const number = (value: number | undefined) =>
      value === undefined ? undefined : doubleText(value);
    const options = JSON.stringify(draft.master.options);
    const declarations = declarationsOf(draft);
    const what = declarationsText(declarations);
    if (what !== "")
      this.context.reporter.report("ssp-export-extras", { what }, draft.place.line ?? 1);
    const faults = draft.faults?.length ?? 0;
    if (faults > 0)
      this.context.reporter.report("ssp-export-faults", { count: faults }, draft.place.line ?? 1);
    const attributes = {
      name: nested && draft.name !== name ? draft.name : undefined,
      description: nested ? draft.description : undefined,
      start: nested ? number(start) : undefined,
      stop: nested ? number(stop) : undefined,
      step: number(step),
      tolerance: number(tolerance),
      master: draft.master.name === "" ? undefined : draft.master.name,
      options: options === "{}" ? undefined : options,
      every: draft.record.every === 1 ? undefined : String(draft.record.every),
      extras: what === "" ? undefined : JSON.stringify(declarations),
    };
    const patterns = draft.record.patterns.map((pattern) => xml("cosimo:Record", { pattern }));
    const empty = Object.values(attributes).every((value) => value === undefined);
    return empty && patterns.length === 0 ? [] : [xml("cosimo:Scenario", attributes, patterns)];
  }

  private portOf(unit: UnitDraft, name: string, draft: ScenarioDraft): Port | undefined {
    const description = this.context.describe(unit.source, unit.name, unit, draft);
    return description?.ports.find((port) => port.name === name);
  }

  /**
   * What kind of connector a port of `unit` is: as described, as used, or as its nested scenario
   * uses it.
   */
  private connectorOf(
    unit: UnitDraft,
    name: string,
    used: Kind | undefined,
    draft: ScenarioDraft,
  ): ConnectorOut {
    if (unit.source.kind === "scenario") {
      const { scenario } = unit.source;
      const port = scenario.ports.find((p) => p.name === name);
      const units = new Map(scenario.units.map((u) => [u.name, u]));
      const inner = port && splitReference(port.inner, units);
      const member = inner && units.get(inner.unit);
      if (port === undefined || inner === undefined || member === undefined)
        return { kind: used ?? "output" };
      const inside = usedKind(scenario, port.inner) ?? repeated(scenario, name);
      return this.connectorOf(member, inner.port, used ?? inside, scenario);
    }
    const port = this.portOf(unit, name, draft) ?? this.portOf(unit, splitIndex(name).name, draft);
    const kind = port && KINDS[port.direction];
    return { kind: kind ?? used ?? "output", ...(port !== undefined && { port }) };
  }
}

/** The interface that an FMU is driven through, as SSP writes it. */
function implementation(
  source: UnitSource,
  description: UnitDescription | undefined,
  version: SspVersion,
): string | undefined {
  if (source.kind !== "fmu") return undefined;
  const wanted = source.interface ?? (source.integrator && "model-exchange");
  const driven = description ? DRIVEN[description.backend] : source.prefers;
  const used = wanted ?? driven ?? "co-simulation";
  // SSP 1.0 is older than Scheduled Execution.
  return version === "1.0" && used === "scheduled-execution" ? "any" : IMPLEMENTATIONS[used];
}

/** Backends of FMUs that are not driven through Co-Simulation. */
const DRIVEN: Readonly<Partial<Record<BackendName, FmiInterfaceName>>> = {
  "fmi1-exchange": "model-exchange",
  "fmi2-exchange": "model-exchange",
  "fmi3-exchange": "model-exchange",
  "fmi3-scheduled": "scheduled-execution",
};

/** What other tools cannot run. */
const NOT_OF_SSP = {
  module: "ssp-export-module",
  machine: "ssp-export-machine",
  adaptation: "ssp-export-adaptation",
  fmu: undefined,
  table: undefined,
  "scenario-file": undefined,
} as const;

function mediaType(
  source: Exclude<UnitSource, { kind: "scenario" | "adapted" | "group" | "remote" }>,
): string {
  if (source.kind !== "scenario-file") return MEDIA[source.kind];
  const [file = ""] = source.path.split("#", 1);
  return /\.ssd$/i.test(file) ? MEDIA.definition : MEDIA.package;
}

function mappingKind(values: readonly Value[]): "Boolean" | "Integer" | "Enumeration" | undefined {
  if (values.every((value) => typeof value === "boolean")) return "Boolean";
  if (values.every((value) => typeof value === "string")) return "Enumeration";
  return values.every((value) => typeof value === "bigint" || Number.isInteger(value))
    ? "Integer"
    : undefined;
}
