/**
 * SSD → structure. Every file that the SSD names as text (.ssd, .ssv, .ssm, .ssb) is requested from
 * the host and read on the way; FMUs and packages are only named.
 */
import { FMI_INTERFACES, type FmuChoice } from "../model/integrator.ts";
import type { Approximation, TableColumnDraft, UnitSource } from "../model/scenario.ts";
import type { ValueType } from "../model/value-type.ts";
import { parseBoolean, parseDouble, parseList, parseUnsigned } from "../xml/literals.ts";
import {
  APPROXIMATIONS,
  notesOf,
  readFmuChoice,
  readScenarioNotes,
  readValueNotes,
} from "./annotation.ts";
import { IMPLEMENTATIONS, MEDIA, sourceKindOf, typeOfFile } from "./names.ts";
import {
  applyMapping,
  type Parameter,
  readParameterMapping,
  readParameterSet,
} from "./parameters.ts";
import type { ReadHost } from "./read-host.ts";
import { folderOf, parseSource, type SourceUri } from "./source-path.ts";
import { Definitions, type SspFile, uniqueBy } from "./ssp-file-reader.ts";
import {
  type Binding,
  CONNECTOR_KINDS,
  type ConnectionEnd,
  type Connector,
  type ConnectorKind,
  type Dictionary,
  type SspConnection,
  type SystemElement,
  type SystemMember,
} from "./structure.ts";
import { readTransformation } from "./transformation.ts";
import { attribute, childNamed, childrenNamed, type SspNode } from "./xml-node.ts";

/** Reads the systems of one SSD file. */
export class StructureReader {
  private readonly host: ReadHost;
  private readonly file: SspFile;
  private readonly root: SspNode;
  private readonly definitions: Definitions;
  /** Folder of this file, relative to that of the outermost SSD. */
  private readonly folder: string;
  /** Files and systems around the one that is being read: none of them may occur again inside. */
  private readonly around: readonly string[];

  constructor(
    host: ReadHost,
    file: SspFile,
    root: SspNode,
    folder = "",
    around: readonly string[] = [],
  ) {
    this.host = host;
    this.file = file;
    this.root = root;
    this.definitions = new Definitions(root, file.reporter);
    this.folder = folder;
    this.around = around;
  }

  /** The outermost system; undefined when the file has none. */
  system(): SystemElement | undefined {
    const node = childNamed(this.root, "ssd:System");
    return node && this.readSystem(node, this.around);
  }

  private readSystem(node: SspNode, around: readonly string[]): SystemElement {
    const { reporter } = this.file;
    const id = node.attributes.get("id");
    const inside = id === undefined ? around : [...around, `${this.file.file}#${id}`];
    const elements = new Map<string, SystemMember>();
    const nodes = childNamed(node, "ssd:Elements")?.children ?? [];
    uniqueBy("element", nodes, reporter);
    for (const child of nodes) {
      const member = this.readMember(child, inside);
      if (member !== undefined) elements.set(member.name, member);
    }
    const connections = childrenNamed(
      childNamed(node, "ssd:Connections") ?? NO_NODE,
      "ssd:Connection",
    );
    const step = this.readStep(node);
    return {
      kind: "system",
      ...this.readElement(node),
      ...(step !== undefined && { step }),
      file: this.file,
      elements,
      connections: connections.flatMap((connection) => this.readConnection(connection)),
      dictionaries: this.readDictionaries(node),
      scenario: readScenarioNotes(node, reporter),
    };
  }

  private readElement(
    node: SspNode,
  ): Omit<
    SystemElement,
    "kind" | "file" | "elements" | "connections" | "dictionaries" | "scenario" | "step"
  > {
    const bindings = childrenNamed(
      childNamed(node, "ssd:ParameterBindings") ?? NO_NODE,
      "ssd:ParameterBinding",
    );
    return {
      name: node.attributes.get("name") ?? "",
      connectors: this.readConnectors(node),
      bindings: bindings.flatMap((binding) => this.readBinding(binding)),
      notes: readValueNotes(node, this.file.reporter),
      ...this.readCorner(node),
      place: { file: this.file.file, line: node.line },
    };
  }

  private readCorner(node: SspNode): Pick<SystemElement, "drawnAt"> {
    const box = childNamed(node, "ssd:ElementGeometry");
    if (box === undefined) return {};
    // What is wrong with a drawing changes no run: it is as if there were none.
    const [x1, y1, x2, y2] = ["x1", "y1", "x2", "y2"].map((name) =>
      parseDouble(box.attributes.get(name) ?? ""),
    );
    if (![x1, y1, x2, y2].every(Number.isFinite)) return {};
    return {
      drawnAt: { x: Math.min(x1 as number, x2 as number), y: Math.max(y1 as number, y2 as number) },
    };
  }

  private readMember(node: SspNode, around: readonly string[]): SystemMember | undefined {
    if (!this.host.admits(this.file, node.line)) return undefined;
    switch (node.name) {
      case "ssd:System":
        return this.readSystem(node, around);
      case "ssd:SignalDictionaryReference":
        return {
          kind: "reference",
          ...this.readElement(node),
          dictionary: node.attributes.get("dictionary") ?? "",
        };
      case "ssd:Component":
        return this.readComponent(node, around);
      default:
        return undefined;
    }
  }

  private readComponent(node: SspNode, around: readonly string[]): SystemMember | undefined {
    const { reporter } = this.file;
    const component = node.attributes.get("name") ?? "";
    const source = node.attributes.get("source");
    if (source === undefined) {
      reporter.report("ssp-no-source", { component }, node.line);
      return undefined;
    }
    if (source.startsWith("#")) return this.instance(node, source, around);
    const uri = this.readSource(source, node.line);
    if (uri === undefined) return undefined;
    const type = this.typeOf(node, source, uri.path);
    if (type === MEDIA.definition) return this.definitionFile(node, uri.path, around);
    const unitSource = this.unitSource(node, type, uri.path, uri.fragment);
    if (unitSource === undefined) return undefined;
    const step = this.readStep(node);
    return {
      kind: "component",
      ...this.readElement(node),
      source: unitSource,
      ...(step !== undefined && { step }),
    };
  }

  private readSource(source: string, line: number): SourceUri | undefined {
    const { reporter } = this.file;
    const uri = parseSource(source, this.host.packed);
    if ("why" in uri) {
      reporter.report("ssp-source", { source, why: uri.why }, line);
      return undefined;
    }
    if (uri.isOdd) reporter.report("ssp-source-spelling", { source, path: uri.path }, line);
    return uri;
  }

  /** What the type says, unless it is absent or none of SSP and the ending of the file says it. */
  private typeOf(node: SspNode, source: string, path: string): string {
    const type = node.attributes.get("type") ?? MEDIA.fmu;
    const known = typeOfFile(path);
    const isWrong =
      node.attributes.has("type") && sourceKindOf(type) === undefined && type !== MEDIA.definition;
    const isSilent = !node.attributes.has("type") && known !== MEDIA.fmu;
    if (known === undefined || !(isWrong || isSilent)) return type;
    this.file.reporter.report("ssp-type-assumed", { source, type, known }, node.line);
    return known;
  }

  private unitSource(
    node: SspNode,
    type: string,
    path: string,
    fragment: string | undefined,
  ): Exclude<UnitSource, { kind: "scenario" }> | undefined {
    const kind = sourceKindOf(type);
    switch (kind) {
      case undefined:
        this.file.reporter.report("ssp-media-type", { type, element: node.name }, node.line);
        return undefined;
      case "scenario-file":
        return { kind, path: fragment === undefined ? path : `${path}#${fragment}` };
      case "module": {
        const name = notesOf(node, "cosimo:Unit")[0]?.attributes.get("export");
        return { kind, path, ...(name !== undefined && { export: name }) };
      }
      case "fmu": {
        const prefers = this.readImplementation(node);
        const own = readFmuChoice(node, this.file.reporter);
        return { kind, path, ...(own ?? (prefers !== undefined && { prefers })) };
      }
      case "table":
        return { kind, path, columns: this.readColumns(node) };
      default:
        return { kind, path };
    }
  }

  /** The interface that a component asks for; the FMU decides whether it has it. */
  private readImplementation(node: SspNode): FmuChoice["prefers"] {
    const implementation = node.attributes.get("implementation") ?? "any";
    const known = FMI_INTERFACES.find((name) => IMPLEMENTATIONS[name] === implementation);
    if (known === undefined && implementation !== "any") {
      const component = node.attributes.get("name") ?? "";
      this.file.reporter.report("ssp-implementation", { component, implementation }, node.line);
    }
    return known;
  }

  /** What the connectors say of the columns of a table, which has no types. */
  private readColumns(node: SspNode): Readonly<Record<string, TableColumnDraft>> {
    const nodes = childrenNamed(childNamed(node, "ssd:Connectors") ?? NO_NODE, "ssd:Connector");
    const columns = nodes.map(({ attributes, children }): [string, TableColumnDraft] => {
      const type = children.find((child) => child.name.startsWith("ssc:"));
      const unit = type && this.definitions.units.get(type.attributes.get("unit") ?? "");
      const valueType = COLUMN_TYPES[type?.name ?? ""] ?? "float64";
      return [attributes.get("name") ?? "", { type: valueType, ...(unit && { unit }) }];
    });
    return Object.fromEntries(columns);
  }

  private readStep(node: SspNode): number | undefined {
    const note = notesOf(node, "cosimo:Unit")[0];
    return note && attribute(note, "step", parseDouble, "a number", this.file.reporter);
  }

  /** A component that is another instance of a system in the same file. */
  private instance(
    node: SspNode,
    source: string,
    around: readonly string[],
  ): SystemMember | undefined {
    const { reporter } = this.file;
    const id = source.slice(1);
    const found = systemWithId(this.root, id);
    if (found === undefined) {
      reporter.report("ssp-unknown-id", { id }, node.line);
      return undefined;
    }
    if (around.includes(`${this.file.file}#${id}`)) {
      reporter.report("ssp-reference-loop", { source }, node.line);
      return undefined;
    }
    return this.asMember(node, this.readSystem(found, around));
  }

  /** A component that is the outermost system of another SSD. */
  private definitionFile(
    node: SspNode,
    path: string,
    around: readonly string[],
  ): SystemMember | undefined {
    const opened = this.openText(node, path, "ssd:SystemStructureDescription", around);
    if (opened === undefined) return undefined;
    const { file, root, place } = opened;
    const inside = [...around, `${file.file}#`];
    const reader = new StructureReader(this.host, file, root, folderOf(place), inside);
    const system = reader.system();
    return system && this.asMember(node, system);
  }

  /** The component's bindings come after those of the system, so they win. */
  private asMember(node: SspNode, system: SystemElement): SystemElement {
    const element = this.readElement(node);
    const step = this.readStep(node);
    return {
      ...system,
      name: element.name,
      place: element.place,
      bindings: [...system.bindings, ...element.bindings],
      notes: [...system.notes, ...element.notes],
      ...(step !== undefined && { step }),
    };
  }

  /**
   * Opens a text file that `node` names; reports when it is missing, malformed or around the
   * present one.
   */
  private openText(
    node: SspNode,
    path: string,
    rootName: string,
    around: readonly string[] = [],
  ): { file: SspFile; root: SspNode; place: string } | undefined {
    const { reporter } = this.file;
    const place = `${this.folder}${path}`;
    const text = this.host.resolve(place);
    if (text === undefined) {
      reporter.report("ssp-missing-file", { path }, node.line);
      return undefined;
    }
    const outermost = folderOf(this.host.files[0]?.file ?? "");
    const name = `${outermost}${place}`;
    if (around.includes(`${name}#`)) {
      reporter.report("ssp-reference-loop", { source: path }, node.line);
      return undefined;
    }
    const file = this.host.open(name);
    const root = file.read(text, rootName);
    return root && { file, root, place };
  }

  private readConnectors(node: SspNode): ReadonlyMap<string, Connector> {
    const { reporter } = this.file;
    const nodes = childrenNamed(childNamed(node, "ssd:Connectors") ?? NO_NODE, "ssd:Connector");
    const connectors = new Map<string, Connector>();
    for (const [name, connector] of uniqueBy("connector", nodes, reporter)) {
      const kind = connector.attributes.has("kind")
        ? attribute(connector, "kind", parseKind, KIND_TEXT, reporter)
        : "unspecified";
      const type = connector.children.find((child) => child.name.startsWith("ssc:"));
      const unit = type && this.definitions.unitOf(type);
      if (type?.name === "ssc:Enumeration") this.definitions.checkEnumeration(type);
      if (kind === undefined) continue;
      const { line } = connector;
      const isStated = connector.attributes.has("kind");
      if (isStated && this.file.version === "1.0" && KINDS_OF_2_0.has(kind))
        reporter.report("ssp-newer-content", { what: `the kind '${kind}'` }, line);
      connectors.set(name, { name, kind, ...(unit !== undefined && { unit }), line });
    }
    return connectors;
  }

  private readConnection(node: SspNode): SspConnection[] {
    const { reporter } = this.file;
    const start = this.readEnd(node, "start");
    const end = this.readEnd(node, "end");
    const transformation = readTransformation(node, reporter);
    const suppress =
      attribute(node, "suppressUnitConversion", parseBoolean, "true or false", reporter) ?? false;
    const note = notesOf(node, "cosimo:Connection")[0];
    const approximation =
      note && attribute(note, "approximation", parseApproximation, "an approximation", reporter);
    const kind = note && attribute(note, "kind", parseInputKind, INPUT_KIND_TEXT, reporter);
    if (start === undefined || end === undefined) return [];
    return [
      {
        start,
        end,
        ...(transformation !== undefined && { transformation }),
        suppress,
        ...(approximation !== undefined && { approximation }),
        ...(kind !== undefined && { kind }),
        line: node.line,
      },
    ];
  }

  private readEnd(node: SspNode, side: "start" | "end"): ConnectionEnd | undefined {
    const element = node.attributes.get(`${side}Element`);
    const connector = node.attributes.get(`${side}Connector`);
    const parse = (text: string) => parseList(text, parseUnsigned);
    const indices = attribute(
      node,
      `${side}Indices`,
      parse,
      "a list of indices",
      this.file.reporter,
    );
    if (connector === undefined) return undefined;
    return {
      ...(element !== undefined && { element }),
      connector,
      indices: indices === undefined ? "" : `[${indices.join(",")}]`,
    };
  }

  private readDictionaries(node: SspNode): ReadonlyMap<string, Dictionary> {
    const { reporter } = this.file;
    const nodes = childrenNamed(
      childNamed(node, "ssd:SignalDictionaries") ?? NO_NODE,
      "ssd:SignalDictionary",
    );
    const dictionaries = new Map<string, Dictionary>();
    for (const [name, dictionary] of uniqueBy("signal dictionary", nodes, reporter)) {
      const content = this.content(dictionary, MEDIA.dictionary, "ssb:SignalDictionary");
      if (content === undefined) continue;
      const definitions = new Definitions(content.node, content.file.reporter);
      const entries = childrenNamed(content.node, "ssb:DictionaryEntry");
      for (const entry of entries) {
        const type = entry.children.find((child) => child.name.startsWith("ssc:"));
        if (type !== undefined) definitions.unitOf(type);
        if (type?.name === "ssc:Enumeration") definitions.checkEnumeration(type);
      }
      const names = uniqueBy("dictionary entry", entries, content.file.reporter);
      dictionaries.set(name, { name, entries: new Set(names.keys()) });
    }
    return dictionaries;
  }

  private readBinding(node: SspNode): Binding[] {
    const inline = childNamed(node, "ssd:ParameterValues");
    const set = this.content(node, MEDIA.parameters, "ssv:ParameterSet", inline ?? NO_NODE);
    const mappingNode = childNamed(node, "ssd:ParameterMapping");
    const mapping = mappingNode && this.content(mappingNode, MEDIA.mapping, "ssm:ParameterMapping");
    if (set === undefined || (mappingNode !== undefined && mapping === undefined)) return [];
    const prefix = node.attributes.get("prefix") ?? "";
    let parameters: Parameter[] = readParameterSet(set.node, set.file).map((parameter) => ({
      ...parameter,
      name: `${prefix}${parameter.name}`,
    }));
    const entries = mapping && readParameterMapping(mapping.node, mapping.file);
    // Entries that are wrong are reported as such, and mean the value all the same.
    const mapped = mapping && new Set(mappedNames(mapping.node));
    for (const parameter of parameters)
      this.host.noteValue(set.file, parameter, mapped?.has(parameter.name) ?? true);
    if (mapping !== undefined && entries !== undefined)
      parameters = applyMapping(parameters, entries, mapping.file);
    const note = notesOf(node, "cosimo:Binding")[0];
    const optional = note === undefined || note.attributes.get("optional") === "true";
    return [{ parameters, own: note !== undefined, optional }];
  }

  /**
   * The content of `node`: inline, or in the file that its source names; undefined after reporting.
   */
  private content(
    node: SspNode,
    expectedType: string,
    rootName: string,
    holder: SspNode = node,
  ): { node: SspNode; file: SspFile } | undefined {
    const { reporter } = this.file;
    const type = node.attributes.get("type") ?? expectedType;
    if (type !== expectedType) {
      reporter.report("ssp-media-type", { type, element: node.name }, node.line);
      return undefined;
    }
    const inline = childNamed(holder, rootName);
    const source = node.attributes.get("source");
    const inlineParams = { element: node.name, content: rootName };
    if (source === undefined) {
      if (inline !== undefined) return { node: inline, file: this.file };
      reporter.report("ssp-inline", { ...inlineParams, both: false }, node.line);
      return undefined;
    }
    if (inline !== undefined) {
      reporter.report("ssp-inline", { ...inlineParams, both: true }, node.line);
      return undefined;
    }
    if (node.attributes.get("sourceBase") === "component") {
      const why = "lies inside a component, where Cosimo does not look";
      reporter.report("ssp-source", { source, why }, node.line);
      return undefined;
    }
    const uri = this.readSource(source, node.line);
    if (uri === undefined) return undefined;
    const opened = this.openText(node, uri.path, rootName);
    return opened && { node: opened.root, file: opened.file };
  }
}

function mappedNames(mapping: SspNode): (string | undefined)[] {
  return childrenNamed(mapping, "ssm:MappingEntry").map(({ attributes }) =>
    attributes.get("source"),
  );
}

const NO_NODE: SspNode = { name: "", line: 1, attributes: new Map(), children: [] };
const KINDS_OF_2_0: ReadonlySet<ConnectorKind> = new Set([
  "structuralParameter",
  "constant",
  "local",
  "unspecified",
]);
const KIND_TEXT = `one of ${CONNECTOR_KINDS.join(", ")}`;

function parseKind(text: string): ConnectorKind | undefined {
  return CONNECTOR_KINDS.find((kind) => kind === text);
}

/** Types of connectors that a column of numbers can have. */
const COLUMN_TYPES: Readonly<Record<string, ValueType | undefined>> = {
  "ssc:Integer": "int32",
  "ssc:Int32": "int32",
  "ssc:Boolean": "boolean",
  "ssc:Enumeration": "enumeration",
};

const INPUT_KINDS = ["reactive", "delayed"] as const;
const INPUT_KIND_TEXT = `one of ${INPUT_KINDS.join(", ")}`;

function parseInputKind(text: string): (typeof INPUT_KINDS)[number] | undefined {
  return INPUT_KINDS.find((kind) => kind === text);
}

function parseApproximation(text: string): Approximation | undefined {
  return APPROXIMATIONS.find((approximation) => approximation === text);
}

function systemWithId(node: SspNode, id: string): SspNode | undefined {
  if (node.name === "ssd:System" && node.attributes.get("id") === id) return node;
  for (const child of node.children) {
    const found = systemWithId(child, id);
    if (found !== undefined) return found;
  }
  return undefined;
}
