/**
 * A system as a scenario draft. Nested systems become nested scenarios; what crosses their boundary
 * becomes ports of them.
 *
 * A port of a scenario has no transformation of its own, so one that stands at the boundary of a
 * system moves outwards, to the connection of the system around it. Signals of a dictionary that is
 * defined further out leave through ports that nobody declared, and are connected where the
 * dictionary is.
 */
import { nearest } from "../base/nearest.ts";
import type {
  ConnectionDraft,
  ExposedPortDraft,
  ScenarioDraft,
  ValueDraft,
} from "../model/scenario.ts";
import { inverse, type Role, roleOf } from "./connector-role.ts";
import { withDeclarations } from "./declarations-note.ts";
import {
  describe,
  type Edge,
  Flow,
  type FlowNode,
  isPlain,
  type Link,
  type OutputEnd,
  type Signal,
} from "./flow.ts";
import { type Parameter, transformed } from "./parameters.ts";
import type { SspReporter } from "./ssp-diagnostics.ts";
import type {
  ConnectionEnd,
  Connector,
  Dictionary,
  SspConnection,
  SystemElement,
  SystemMember,
} from "./structure.ts";
import { setValue, type UnitBuild, unitDraft } from "./unit-build.ts";

/** A port of the scenario that takes what the system's connector gets. */
interface InputEnd {
  readonly port: string;
  readonly link: Link;
}

/** A signal on its way to the system that owns its dictionary. */
interface RisingSignal {
  readonly writers: OutputEnd[];
  readonly readers: InputEnd[];
}

export class SystemBuilder {
  readonly system: SystemElement;
  private readonly outer: SystemBuilder | undefined;
  private readonly reporter: SspReporter;
  private readonly units = new Map<string, UnitBuild<SystemBuilder>>();
  private readonly signals = new Map<Dictionary, Map<string, Signal>>();
  private readonly flow: Flow;
  private readonly connections: ConnectionDraft[] = [];
  private readonly ports: ExposedPortDraft[] = [];
  private readonly portNames = new Set<string>();
  private readonly inputs = new Map<string, InputEnd[]>();
  private readonly outputs = new Map<string, OutputEnd[]>();
  private readonly rising = new Map<Signal, RisingSignal>();
  /** Lines of connections by what they say, whichever end they begin at. */
  private readonly said = new Map<string, number>();
  /**
   * Writers of a signal that only pass on an input of their system: known once all connections are.
   */
  private readonly pendingThrough: { from: FlowNode; to: FlowNode; link: Link }[] = [];

  constructor(system: SystemElement, outer?: SystemBuilder) {
    this.system = system;
    this.outer = outer;
    this.reporter = system.file.reporter;
    this.flow = new Flow(this.reporter, (element, connector) => {
      const nested = this.units.get(element)?.nested;
      return nested && (nested.outputs.get(connector) ?? []);
    });
    for (const connector of system.connectors.keys()) this.portNames.add(connector);
    for (const member of system.elements.values()) this.addMember(member);
    for (const connection of system.connections) this.addConnection(connection);
    this.checkWriters();
    for (const edge of [...this.flow.edges]) this.connect(edge);
    this.noteIdleConnectors();
    this.applyBindings();
  }

  private addMember(member: SystemMember): void {
    if (member.kind === "reference") {
      this.checkReference(member.dictionary, member.connectors, member.place.line ?? 1);
      return;
    }
    const nested = member.kind === "system" ? new SystemBuilder(member, this) : undefined;
    const unit = { member, values: new Map<string, ValueDraft>(), ...(nested && { nested }) };
    this.units.set(member.name, unit);
    if (nested === undefined) {
      for (const { parameters, optional } of member.bindings)
        for (const parameter of parameters) setValue(unit, parameter.name, parameter, optional);
    }
    for (const note of member.notes) {
      const { line, ...value } = note;
      unit.values.set(note.port, { ...value, place: { ...member.place, line } });
    }
    for (const [signal, { writers, readers }] of nested?.rising ?? []) {
      const node: FlowNode = { kind: "signal", signal };
      for (const end of writers) {
        const from: FlowNode =
          "port" in end
            ? { kind: "exposed", element: member.name, port: end.port }
            : { kind: "port", element: member.name, port: end.through };
        if ("port" in end) this.flow.add({ ...end.link, from, to: node });
        else this.pendingThrough.push({ from, to: node, link: end.link });
      }
      for (const end of readers)
        this.flow.add({
          ...end.link,
          from: node,
          to: { kind: "exposed", element: member.name, port: end.port },
        });
    }
  }

  private checkReference(
    name: string,
    connectors: ReadonlyMap<string, Connector>,
    line: number,
  ): void {
    const dictionary = this.dictionary(name);
    if (dictionary === undefined) {
      const params = { dictionary: name, nearest: nearest(name, this.dictionaryNames()) };
      this.reporter.report("ssp-unknown-dictionary", params, line);
      return;
    }
    for (const { name: entry, line: at } of connectors.values()) {
      if (dictionary.entries.has(entry)) continue;
      const params = { entry, dictionary: name, nearest: nearest(entry, dictionary.entries) };
      this.reporter.report("ssp-unknown-entry", params, at);
    }
  }

  private dictionary(name: string): Dictionary | undefined {
    return this.system.dictionaries.get(name) ?? this.outer?.dictionary(name);
  }

  private dictionaryNames(): string[] {
    return [...this.system.dictionaries.keys(), ...(this.outer?.dictionaryNames() ?? [])];
  }

  private owns(signal: Signal): boolean {
    for (const signals of this.signals.values())
      for (const own of signals.values()) if (own === signal) return true;
    return false;
  }

  /** The signal `entry` of a dictionary, kept by the system that defines the dictionary. */
  private signal(dictionary: Dictionary, entry: string): Signal {
    if (this.system.dictionaries.get(dictionary.name) !== dictionary && this.outer !== undefined)
      return this.outer.signal(dictionary, entry);
    const signals = this.signals.get(dictionary) ?? new Map<string, Signal>();
    this.signals.set(dictionary, signals);
    const signal = signals.get(entry) ?? { name: `${dictionary.name}.${entry}` };
    signals.set(entry, signal);
    return signal;
  }

  // ---- connections ------------------------------------------------------------------------------

  private addConnection(connection: SspConnection): void {
    const start = this.endOf(connection.start, connection.line);
    const end = this.endOf(connection.end, connection.line);
    if (start === undefined || end === undefined) return;
    if (start.role !== "either" && start.role === end.role) {
      const params = { start: start.name, end: end.name, role: start.role };
      this.reporter.report("ssp-connection-direction", params, connection.line);
      return;
    }
    const backwards = start.role === "sink" || end.role === "source";
    const [from, to] = backwards ? [end, start] : [start, end];
    const { transformation, suppress, approximation, kind, line } = connection;
    const key = keyOf(from.node, to.node, [transformation, suppress, approximation, kind]);
    const first = this.said.get(key);
    if (first !== undefined) {
      const params = { what: "connection", name: `${from.name} → ${to.name}`, line: first };
      this.reporter.report("ssp-repeated", params, line);
      return;
    }
    this.said.set(key, line);
    this.flow.add({
      from: from.node,
      to: to.node,
      ...(transformation !== undefined && { transformation }),
      suppress,
      ...(approximation !== undefined && { approximation }),
      ...(kind !== undefined && { kind }),
      ...(to.unit !== undefined && { unit: to.unit }),
      line,
    });
  }

  private endOf(
    end: ConnectionEnd,
    line: number,
  ): { node: FlowNode; role: Role; name: string; unit: string | undefined } | undefined {
    const { element, connector, indices } = end;
    if (element === undefined) {
      const declared = this.connector(this.system.connectors, connector, "the system", line);
      if (declared === undefined) return undefined;
      const node: FlowNode = { kind: "boundary", connector };
      return { node, role: inverse(roleOf(declared)), name: connector, unit: declared.unit?.name };
    }
    const member = this.system.elements.get(element);
    if (member === undefined) {
      const params = { element, nearest: nearest(element, this.system.elements.keys()) };
      this.reporter.report("ssp-unknown-element", params, line);
      return undefined;
    }
    const name = `${element}.${connector}`;
    const owner = `'${element}'`;
    if (member.kind === "component" && !member.connectors.has(connector)) {
      // The FMU decides whether it has the variable.
      this.reporter.report("ssp-undeclared-connector", { connector, owner }, line);
      const port = `${connector}${indices}`;
      return { node: { kind: "port", element, port }, role: "either", name, unit: undefined };
    }
    const declared = this.connector(member.connectors, connector, owner, line);
    if (declared === undefined) return undefined;
    const role = roleOf(declared);
    const unit = declared.unit?.name;
    if (member.kind === "reference") {
      const dictionary = this.dictionary(member.dictionary);
      if (dictionary === undefined || !dictionary.entries.has(connector)) return undefined;
      const signal = this.signal(dictionary, connector);
      return { node: { kind: "signal", signal }, role: "either", name, unit };
    }
    const port = `${connector}${indices}`;
    return { node: { kind: "port", element, port }, role, name, unit };
  }

  private connector(
    connectors: ReadonlyMap<string, Connector>,
    connector: string,
    owner: string,
    line: number,
  ): Connector | undefined {
    const declared = connectors.get(connector);
    if (declared === undefined) {
      const params = { connector, owner, nearest: nearest(connector, connectors.keys()) };
      this.reporter.report("ssp-unknown-connector", params, line);
    }
    return declared;
  }

  private checkWriters(): void {
    for (const { from, to, link } of this.pendingThrough)
      for (const edge of this.flow.into(from)) {
        const whole = this.flow.chain(edge, link);
        if (whole !== undefined) this.flow.add({ ...whole, from: edge.from, to });
      }
    const checked = new Set<Edge>();
    for (const { to } of this.flow.edges) {
      if (to.kind !== "signal" && to.kind !== "boundary") continue;
      const [first, ...others] = this.flow.into(to);
      if (first === undefined || checked.has(first)) continue;
      checked.add(first);
      for (const other of others) {
        const params = { what: describe(to), line: first.line };
        this.reporter.report("ssp-two-writers", params, other.line);
      }
    }
  }

  /** Turns one edge that ends at a real sink into connections or ports. */
  private connect(edge: Edge): void {
    const { to } = edge;
    if (to.kind === "signal" && this.owns(to.signal)) return;
    for (const { source, link } of this.flow.origins(edge)) {
      const sinks = this.sinks(to, link);
      for (const sink of sinks) this.join(source, sink.link, sink.target, to);
      if (to.kind !== "boundary" && to.kind !== "signal") continue;
      const end = this.outputEnd(source, link, to);
      if (end === undefined) continue;
      if (to.kind === "boundary") append(this.outputs, to.connector, end);
      else this.risingSignal(to.signal).writers.push(end);
    }
  }

  private sinks(to: FlowNode, link: Link): readonly { target: string; link: Link }[] {
    if (to.kind === "boundary" || to.kind === "signal") return [];
    const nested = to.kind === "port" ? this.units.get(to.element)?.nested : undefined;
    if (nested === undefined) return [{ target: `${to.element}.${to.port}`, link }];
    return (nested.inputs.get(to.port) ?? []).flatMap((end) => {
      const whole = this.flow.chain(link, end.link);
      return whole === undefined ? [] : [{ target: `${to.element}.${end.port}`, link: whole }];
    });
  }

  private join(
    source: ReturnType<Flow["origins"]>[number]["source"],
    link: Link,
    target: string,
    to: FlowNode,
  ): void {
    const place = { file: this.system.file.file, line: link.line };
    if (source.kind === "port") {
      const { transformation, approximation, kind } = link;
      this.connections.push({
        from: source.reference,
        to: target,
        ...(transformation?.kind === "linear" && {
          ...(transformation.factor !== undefined && { factor: transformation.factor }),
          ...(transformation.offset !== undefined && { offset: transformation.offset }),
        }),
        suppress: link.suppress ? ["unit"] : [],
        ...(approximation !== undefined && { approximation }),
        ...(kind !== undefined && { kind }),
        ...(transformation?.kind === "mapping" && { mapping: transformation.entries }),
        place,
      });
    } else if (source.kind === "boundary") {
      const { port, rest } = this.expose(source.connector, target, link);
      const ends = this.inputs.get(source.connector) ?? [];
      if (!ends.some((end) => end.port === port)) ends.push({ port, link: rest });
      this.inputs.set(source.connector, ends);
    } else if (this.owns(source.signal)) {
      if (to.kind === "port" || to.kind === "exposed")
        this.reporter.report("ssp-unwritten-signal", { signal: source.signal.name }, link.line);
    } else {
      const { port, rest } = this.expose(this.freeName(source.signal.name), target, link);
      this.risingSignal(source.signal).readers.push({ port, link: rest });
    }
  }

  private outputEnd(
    source: ReturnType<Flow["origins"]>[number]["source"],
    link: Link,
    to: FlowNode & { kind: "boundary" | "signal" },
  ): OutputEnd | undefined {
    if (source.kind === "boundary") return { through: source.connector, link };
    if (source.kind === "signal") {
      const what = "a system output that passes on a signal written outside";
      this.system.file.unused.add(what, "read the signal where it is written", link.line);
      return undefined;
    }
    const name = to.kind === "boundary" ? to.connector : this.freeName(to.signal.name);
    const { port, rest } = this.expose(name, source.reference, link);
    return { port, link: rest };
  }

  /**
   * Makes `inner` a port of the scenario; what happens on the way there stays with the connection
   * to it.
   */
  private expose(wanted: string, inner: string, link: Link): { port: string; rest: Link } {
    const plain = isPlain(link);
    const name = plain || this.outer === undefined ? wanted : this.freeName(`${wanted}#`);
    this.portNames.add(name);
    this.ports.push({ name, inner, place: { file: this.system.file.file, line: link.line } });
    if (this.outer === undefined && link.transformation !== undefined)
      this.reporter.report("ssp-boundary-transformation", { connector: wanted }, link.line);
    return { port: name, rest: link };
  }

  private freeName(wanted: string): string {
    let name = wanted;
    for (let n = 2; this.portNames.has(name); n++) name = `${wanted}${n}`;
    return name;
  }

  private risingSignal(signal: Signal): RisingSignal {
    const rising = this.rising.get(signal) ?? { writers: [], readers: [] };
    this.rising.set(signal, rising);
    return rising;
  }

  private noteIdleConnectors(): void {
    const mentioned = new Set(
      this.system.connections
        .flatMap(({ start, end }) => [start, end])
        .filter(({ element }) => element === undefined)
        .map(({ connector }) => connector),
    );
    for (const { name, line } of this.system.connectors.values()) {
      if (mentioned.has(name)) continue;
      const why = "nothing inside the system is connected to it";
      this.system.file.unused.add(`the connector '${name}' of a system`, why, line);
    }
  }

  // ---- values -----------------------------------------------------------------------------------

  /** Bindings of the system win over those of its elements, later ones over earlier ones. */
  private applyBindings(): void {
    for (const { parameters, own } of this.system.bindings) {
      if (own) continue;
      for (const parameter of parameters) {
        if (this.assign(parameter.name, parameter)) continue;
        const { name, place } = parameter;
        const params = { name, nearest: this.nearestTo(name) };
        this.reporter.report("ssp-parameter-unmatched", params, place.line ?? 1, place.file);
      }
    }
  }

  /** What a name may have meant: the same port of another element, or a connector of the system. */
  private nearestTo(name: string): string | undefined {
    const [, port = ""] = /^[^.]*(\..*)$/s.exec(name) ?? [];
    const elements = [...this.units.keys()].map((element) => `${element}${port}`);
    const others = [...elements, ...this.system.connectors.keys()];
    return nearest(
      name,
      others.filter((other) => other !== name),
    );
  }

  /** Gives the value to everything that `name` means here; false when it means nothing. */
  private assign(name: string, parameter: Parameter): boolean {
    let found = false;
    if (this.system.connectors.has(name)) {
      found = true;
      for (const edge of this.flow.edges) {
        if (edge.from.kind !== "boundary" || edge.from.connector !== name) continue;
        if (edge.to.kind !== "port") continue;
        const { unit, ...rest } = parameter;
        const kept = edge.suppress ? rest : parameter;
        const moved = transformed(kept, edge.transformation, this.reporter, edge.line);
        if (moved !== undefined) this.assignTo(edge.to.element, edge.to.port, moved);
      }
    }
    for (const element of this.units.keys()) {
      if (!name.startsWith(`${element}.`)) continue;
      if (this.assignTo(element, name.slice(element.length + 1), parameter)) found = true;
    }
    return found;
  }

  private assignTo(element: string, name: string, parameter: Parameter): boolean {
    const unit = this.units.get(element);
    if (unit === undefined) return false;
    if (unit.nested !== undefined) return unit.nested.assign(name, parameter);
    setValue(unit, name, parameter, true);
    return true;
  }

  // ---- result -----------------------------------------------------------------------------------

  draft(): ScenarioDraft {
    const { system } = this;
    const { name, description, experiment, master, record, declarations } = system.scenario;
    const draft: ScenarioDraft = {
      name: name ?? system.name,
      ...(description !== undefined && { description }),
      file: system.file.file,
      units: [...this.units.values()].map(unitDraft),
      connections: this.connections,
      ports: this.ports,
      experiment,
      master: { ...master, place: system.place },
      record: { ...record, place: system.place },
      place: system.place,
    };
    const whole = withDeclarations(draft, declarations);
    if (whole !== undefined) return whole;
    const why = "names a connection that the system has not";
    this.reporter.report("ssp-annotation", { why }, system.place.line ?? 1);
    return draft;
  }
}

/** The same for connections that say the same. */
function keyOf(from: FlowNode, to: FlowNode, more: readonly unknown[]): string {
  const isPlain = more.every((one) => one === undefined);
  if (isPlain && from.kind === "port" && to.kind === "port")
    return [from.element, from.port, to.element, to.port].join("\0");
  return JSON.stringify([from, to, ...more], (_, value: unknown) =>
    typeof value === "bigint" ? `${value}n` : value,
  );
}

function append<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
