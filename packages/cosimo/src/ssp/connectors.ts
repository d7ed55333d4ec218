/**
 * Connectors of an exported system: what kind a port is in SSP, and the units and enumerations that
 * its type names.
 */

import type { PhysicalUnit } from "../model/physical-unit.ts";
import type { PortUnitDraft, ScenarioDraft } from "../model/scenario.ts";
import type { Direction, Port, UnitDescription } from "../model/unit-description.ts";
import { TYPE_NAMES } from "../model/value-type.ts";
import { type XmlOut, xml, xmlList } from "../xml/xml-writer.ts";
import { allConnections } from "./declarations-note.ts";
import type { SspVersion } from "./names.ts";
import { typeName, writeUnits } from "./write-values.ts";

export type Kind =
  | "input"
  | "output"
  | "parameter"
  | "calculatedParameter"
  | "structuralParameter"
  | "local";

export interface ConnectorOut {
  readonly kind: Kind;
  readonly port?: Port;
}

/** Units and enumerations that connectors name, defined once for the file. */
export class FileDefinitions {
  private readonly units = new Map<string, PhysicalUnit>();
  private readonly enumerations = new Map<string, ReadonlyMap<number, string>>();

  /**
   * The name to use, or undefined when the unit has no definition or its name is taken by another
   * one.
   */
  unit(unit: PhysicalUnit | undefined): string | undefined {
    if (unit?.base === undefined) return undefined;
    const known = this.units.get(unit.name);
    if (known !== undefined && JSON.stringify(known.base) !== JSON.stringify(unit.base))
      return undefined;
    this.units.set(unit.name, unit);
    return unit.name;
  }

  enumeration(wanted: string, items: ReadonlyMap<number, string>): string {
    const same = (other: ReadonlyMap<number, string>) =>
      JSON.stringify([...other]) === JSON.stringify([...items]);
    for (const [name, known] of this.enumerations) if (same(known)) return name;
    let name = wanted;
    for (let n = 2; this.enumerations.has(name); n++) name = `${wanted}${n}`;
    this.enumerations.set(name, items);
    return name;
  }

  write(): readonly (XmlOut | undefined)[] {
    const enumerations = [...this.enumerations].map(([name, items]) =>
      xml(
        "ssc:Enumeration",
        { name },
        [...items].map(([value, item]) => xml("ssc:Item", { name: item, value: String(value) })),
      ),
    );
    return [
      xmlList("ssd:Enumerations", enumerations),
      writeUnits("ssd:Units", this.units.values()),
    ];
  }
}

export const KINDS: Readonly<Partial<Record<Direction, Kind>>> = {
  input: "input",
  output: "output",
  parameter: "parameter",
  "structural-parameter": "structuralParameter",
  "calculated-parameter": "calculatedParameter",
  local: "local",
};

function kindIn10(kind: Kind): Kind {
  if (kind === "structuralParameter") return "parameter";
  return kind === "local" ? "output" : kind;
}

/** A port that leads to several places inside can only be an input. */
export function repeated(scenario: ScenarioDraft, name: string): Kind | undefined {
  return scenario.ports.filter((port) => port.name === name).length > 1 ? "input" : undefined;
}

export function usedKind(scenario: ScenarioDraft, reference: string): Kind | undefined {
  const connections = allConnections(scenario);
  if (connections.some(({ from }) => from === reference)) return "output";
  return connections.some(({ to }) => to === reference) ? "input" : undefined;
}

/** Connected ports in the order of the description, unconnected outputs included. */
export function componentConnectors(
  description: UnitDescription | undefined,
  used: ReadonlyMap<string, Kind>,
  portUnits: readonly PortUnitDraft[] = [],
): ReadonlyMap<string, ConnectorOut> {
  const connectors = new Map<string, ConnectorOut>();
  const declared = new Map(portUnits.map(({ port, unit }) => [port, unit]));
  for (const port of description?.ports ?? []) {
    const kind = KINDS[port.direction];
    if (kind === undefined || (kind !== "output" && !used.has(port.name))) continue;
    const unit = port.unit ?? declared.get(port.name);
    connectors.set(port.name, { kind, port: { ...port, ...(unit && { unit }) } });
  }
  for (const [name, kind] of used) if (!connectors.has(name)) connectors.set(name, { kind });
  return connectors;
}

export function boundaryEnds(
  kind: Kind,
  connector: string,
  inner: { unit: string; name: string; indices: string },
): Readonly<Record<string, string | undefined>> {
  const indices = inner.indices || undefined;
  const inward = kind === "input" || kind === "parameter" || kind === "structuralParameter";
  return inward
    ? {
        startConnector: connector,
        endElement: inner.unit,
        endConnector: inner.name,
        endIndices: indices,
      }
    : {
        startElement: inner.unit,
        startConnector: inner.name,
        startIndices: indices,
        endConnector: connector,
      };
}

function dimensions(port: Port): XmlOut[] {
  return port.shape.map((size) => xml("ssc:Dimension", { size: String(size) }));
}

export function writeConnectors(
  element: string,
  connectors: ReadonlyMap<string, ConnectorOut>,
  version: SspVersion,
  definitions: FileDefinitions,
): XmlOut | undefined {
  const written = [...connectors].map(([name, { kind, port }]) =>
    xml("ssd:Connector", { name, kind: version === "1.0" ? kindIn10(kind) : kind }, [
      port && writeType(element, port, version, definitions),
      ...(version === "1.0" || port === undefined ? [] : dimensions(port)),
    ]),
  );
  return xmlList("ssd:Connectors", written);
}

function writeType(
  element: string,
  port: Port,
  version: SspVersion,
  definitions: FileDefinitions,
): XmlOut | undefined {
  const name = typeName(TYPE_NAMES[port.type], version);
  if (name === undefined) return undefined;
  if (name !== "Enumeration") return xml(`ssc:${name}`, { unit: definitions.unit(port.unit) });
  if (port.items === undefined || port.items.size === 0) return undefined;
  const wanted = `${element}.${port.name}`;
  return xml("ssc:Enumeration", { name: definitions.enumeration(wanted, port.items) });
}
