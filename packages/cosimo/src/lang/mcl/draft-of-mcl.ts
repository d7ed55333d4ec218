/**
 * A coordination specification and the interfaces that it loads → a scenario draft: the same data
 * that a scenario.yaml becomes, so that everything behind it (checks, plans, runs) is the same. One
 * connection per interaction; `plant.t` in triggers and synchronizations is the time of the run.
 */
import { type Checked, type Diagnostic, hasErrors, type Place } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { natureProblem } from "../../model/natures.ts";
import { parseSeconds } from "../../model/physical-unit-conversion.ts";
import type {
  ConnectionDraft,
  ScenarioDraft,
  TriggerDraft,
  UnitDraft,
} from "../../model/scenario.ts";
import { sourceAt } from "../../model/source-kind.ts";
import type { Experiment } from "../../model/unit-description.ts";
import { type InterfacePort, type UnitInterface, variableOf } from "../../model/unit-interface.ts";
import type { Mutable } from "../scenario/mutable.ts";
import { withSlashes } from "../text/slashes.ts";
import { report as makeReport, type ReportMcl } from "./diagnostics.ts";
import { exchangeOf, portsOf } from "./exchanges.ts";
import {
  type ConnectorSpec,
  type InteractionSpec,
  type Load,
  type PortName,
  portText,
  type Quantity,
  type Specification,
  unitName,
} from "./specification.ts";

/**
 * What stands behind the path of a load; undefined where it could not be read, which has been
 * reported.
 */
export type LoadedInterface = (load: Load) => UnitInterface | undefined;

export function draftOfMcl(
  specification: Specification,
  file: string,
  loaded: LoadedInterface,
): Checked<ScenarioDraft> {
  const compiler = new Compiler(specification, file, loaded);
  const value = compiler.draft();
  const { diagnostics } = compiler;
  return hasErrors(diagnostics) ? { diagnostics } : { value, diagnostics };
}

interface LoadedUnit {
  readonly load: Load;
  /** Absent where it could not be read. */
  readonly declared?: UnitInterface;
}

class Compiler {
  readonly diagnostics: Diagnostic[] = [];
  private readonly specification: Specification;
  private readonly file: string;
  private readonly units = new Map<string, LoadedUnit>();

  constructor(specification: Specification, file: string, loaded: LoadedInterface) {
    this.specification = specification;
    this.file = file;
    for (const load of specification.loads) {
      const name = unitName(load);
      const first = this.units.get(name);
      if (first !== undefined) {
        const line = first.load.place.line ?? 1;
        this.report("mcl-twice", { what: `the unit '${name}'`, line }, load.place);
        continue;
      }
      const declared = loaded(load);
      this.units.set(name, { load, ...(declared && { declared }) });
    }
    if (this.units.size === 0) this.report("mcl-nothing-loaded", {}, specification.place);
  }

  private readonly report = ((code, params, place) => {
    const finding = makeReport(code, params, place);
    this.diagnostics.push(finding);
    return finding;
  }) satisfies ReportMcl;

  draft(): ScenarioDraft {
    const { place } = this.specification;
    const units = [...this.units].flatMap(([name, unit]) => this.unit(name, unit) ?? []);
    const names = new Map<string, number>();
    const connections = this.specification.connectors.flatMap((connector) => {
      const line = names.get(connector.name);
      if (line === undefined) names.set(connector.name, connector.place.line ?? 1);
      else {
        const params = { what: `the connector '${connector.name}'`, line };
        this.report("mcl-twice", params, connector.place);
      }
      return this.connections(connector);
    });
    return {
      name: unitName({ path: this.file, place }),
      file: this.file,
      units,
      connections,
      ports: [],
      experiment: this.experiment(connections),
      master: { name: "event-driven", options: {}, place: { file: this.file } },
      record: { patterns: this.monitored(), every: 1 },
      place,
    };
  }

  private unit(name: string, { load, declared }: LoadedUnit): UnitDraft | undefined {
    if (declared === undefined) return undefined;
    const { place } = load;
    const path = withSlashes(load.path);
    const { source } = declared;
    if (source === undefined) {
      this.report("mcl-no-unit", { path: load.path }, place);
      return undefined;
    }
    const params = { path: source.path, unit: name };
    if (source.keyword === "GemocExecutablePath") {
      this.report("mcl-not-runnable", params, place);
      return undefined;
    }
    const found = sourceAt(besideFile(path, withSlashes(source.path)));
    if (found === undefined) {
      this.report("mcl-unit-path", params, place);
      return undefined;
    }
    return {
      name,
      source: found,
      values: [],
      interface: { path, content: declared, place },
      place,
    };
  }

  /** Ports that are monitored; where none is, all outputs are recorded. */
  private monitored(): string[] {
    return [...this.units].flatMap(([name, { declared }]) =>
      (declared?.ports ?? [])
        .filter(({ monitored }) => monitored === true)
        .map((port) => `${name}.${variableOf(port)}`),
    );
  }

  /** The step is that of connectors without a trigger: the smallest period, unless it is given. */
  private experiment(connections: readonly ConnectionDraft[]): Experiment {
    const { experiment: block } = this.specification;
    const found: Mutable<Experiment> = {};
    const lines = new Map<string, number>();
    for (const { key, value, place } of block?.settings ?? []) {
      const line = lines.get(key);
      lines.set(key, line ?? place.line ?? 1);
      if (line !== undefined) this.report("mcl-twice", { what: `'${key}'`, line }, place);
      const rule = key === "step" ? ABOVE_ZERO : ANY;
      const seconds = this.seconds(`'${key}'`, value, rule, place);
      if (seconds !== undefined) found[key] = seconds;
    }
    const { start = 0, stop } = found;
    if (block !== undefined && stop !== undefined && !(stop > start)) {
      const params = { what: "'stop'", value: `${stop} s`, expected: `later than ${start} s` };
      this.report("mcl-time", params, block.place);
    }
    const periods = connections.flatMap(({ trigger }) =>
      trigger?.kind === "every" ? [trigger.seconds] : [],
    );
    if (found.step === undefined && periods.length > 0) found.step = Math.min(...periods);
    return found;
  }

  private connections(connector: ConnectorSpec): ConnectionDraft[] {
    this.checkHead(connector);
    this.checkSync(connector);
    const tolerance = connector.sync?.tolerance;
    const seconds =
      tolerance &&
      this.seconds(
        "the tolerance",
        tolerance,
        NOT_NEGATIVE,
        connector.sync?.place ?? connector.place,
      );
    const trigger = this.trigger(connector);
    return connector.interactions.flatMap((interaction) => {
      const draft = this.connection(interaction, connector, trigger);
      if (draft === undefined) return [];
      return seconds === undefined ? [draft] : [{ ...draft, tolerance: seconds }];
    });
  }

  private trigger({ trigger }: ConnectorSpec): TriggerDraft | undefined {
    if (trigger === undefined) return undefined;
    if (trigger.kind === "threshold") {
      const { kind, port, level, direction } = trigger;
      const found = this.find(port);
      return found && { kind, when: referenceText(port, found), level, direction };
    }
    if (trigger.kind !== "every") {
      const found = this.find(trigger.port);
      return found && { kind: trigger.kind, on: referenceText(trigger.port, found) };
    }
    const { period, reference, place } = trigger;
    if (reference !== undefined) this.checkReference(reference);
    const seconds = this.seconds("the period", period, ABOVE_ZERO, place);
    return seconds === undefined ? undefined : { kind: "every", seconds };
  }

  private connection(
    interaction: InteractionSpec,
    connector: ConnectorSpec,
    trigger: TriggerDraft | undefined,
  ): ConnectionDraft | undefined {
    const { target, place, source } = interaction;
    const ports = portsOf(source);
    const found = ports.map((port) => this.find(port));
    const to = this.find(target);
    if (to === undefined || !found.every((port) => port !== undefined)) return undefined;
    if (isToggle(interaction)) return this.toggle(interaction, connector, trigger, to);
    const exchange = exchangeOf(source, (port) => referenceText(port, this.find(port) ?? to));
    if ("why" in exchange) {
      this.report("mcl-expression", exchange, place);
      return undefined;
    }
    ports.forEach((port, p) => {
      this.checkNatures(port, found[p] as InterfacePort, target, to, place);
    });
    const draft = { ...exchange, to: referenceText(target, to), suppress: [], place };
    return trigger === undefined ? draft : { ...draft, trigger: ownTrigger(trigger, draft) };
  }

  /** `not p -> p` when an event occurs: what the input had is turned. The event is the source. */
  private toggle(
    { target, place }: InteractionSpec,
    { trigger: written }: ConnectorSpec,
    trigger: TriggerDraft | undefined,
    to: InterfacePort,
  ): ConnectionDraft | undefined {
    if (written === undefined || (written.kind !== "event" && written.kind !== "updated")) {
      const params = {
        why: "a port is set to its own negation, which needs an event",
        fix: "begin the connector with: when event on <port> occurs",
      };
      this.report("mcl-expression", params, place);
      return undefined;
    }
    const source = this.find(written.port);
    if (source === undefined) return undefined;
    const draft = {
      from: referenceText(written.port, source),
      to: referenceText(target, to),
      suppress: [],
      interaction: "toggle",
      place,
    } as const;
    return trigger === undefined ? draft : { ...draft, trigger: ownTrigger(trigger, draft) };
  }

  private checkNatures(
    from: PortName,
    source: InterfacePort,
    to: PortName,
    target: InterfacePort,
    place: Place,
  ): void {
    if (source.nature === undefined || target.nature === undefined) return;
    const problem = natureProblem(source.nature, target.nature);
    if (problem === undefined) return;
    const params = { from: portText(from), to: portText(to), ...problem };
    this.report("mcl-nature", params, place);
  }

  /** The head repeats an interaction: the ends of one of them. */
  private checkHead({ ends, interactions, trigger }: ConnectorSpec): void {
    if (ends === undefined) return;
    const waited = trigger === undefined || trigger.kind === "every" ? [] : [trigger.port];
    const fits = interactions.some(({ source, target }) => {
      return isOneOf(ends.from, [...portsOf(source), ...waited]) && isOneOf(ends.to, [target]);
    });
    if (fits) return;
    const params = { from: portText(ends.from), to: portText(ends.to) };
    this.report("mcl-head", params, ends.from.place);
  }

  private checkSync({ name, sync, trigger, interactions }: ConnectorSpec): void {
    if (sync === undefined) return;
    const units = new Set(interactions.map(({ target }) => target.unit));
    for (const { source } of interactions) for (const { unit } of portsOf(source)) units.add(unit);
    if (trigger !== undefined && trigger.kind !== "every") units.add(trigger.port.unit);
    for (const side of [sync.left, sync.right]) {
      if (!this.checkReference(side)) continue;
      if (!units.has(side.unit))
        this.report("mcl-sync", { unit: side.unit, connector: name }, side.place);
    }
  }

  /** A reference that counts time. */
  private checkReference(reference: PortName): boolean {
    const { unit, port: name, place } = reference;
    const declared = this.findUnit(reference);
    if (declared === undefined) return false;
    const found = declared.references.find((one) => one.name === name);
    if (found === undefined) {
      const known = declared.references.map((one) => one.name);
      this.report("mcl-unknown-reference", { unit, name, known }, place);
      return false;
    }
    if (found.kind === "time") return true;
    this.report("mcl-reference", { reference: portText(reference), kind: found.kind }, place);
    return false;
  }

  private find(port: PortName): InterfacePort | undefined {
    const declared = this.findUnit(port);
    if (declared === undefined) return undefined;
    const found = declared.ports.find(({ name }) => name === port.port);
    if (found !== undefined) return found;
    const known = declared.ports.map(({ name }) => name);
    const params = {
      unit: port.unit,
      port: port.port,
      nearest: nearest(port.port, known),
      known,
    };
    this.report("mcl-unknown-port", params, port.place);
    return undefined;
  }

  /** Silent where the interface could not be read. */
  private findUnit({ unit, place }: PortName): UnitInterface | undefined {
    const found = this.units.get(unit);
    if (found !== undefined) return found.declared;
    const known = [...this.units.keys()];
    this.report("mcl-unknown-unit", { unit, nearest: nearest(unit, known), known }, place);
    return undefined;
  }

  private seconds(
    what: string,
    { value, unit }: Quantity,
    { accepts, expected }: TimeRule,
    place: Place,
  ): number | undefined {
    const text = unit === undefined ? `${value}` : `${value} ${unit}`;
    const seconds = unit === undefined ? value : parseSeconds(text);
    if (seconds !== undefined && Number.isFinite(seconds) && accepts(seconds)) return seconds;
    this.report("mcl-time", { what, value: text, expected }, place);
    return undefined;
  }
}

/** What waits for an end of its own connection names no port, as in scenario.yaml. */
function ownTrigger(
  trigger: TriggerDraft,
  { from, to }: Pick<ConnectionDraft, "from" | "to">,
): TriggerDraft {
  if (trigger.kind === "every" || trigger.kind === "threshold") return trigger;
  const { kind, on } = trigger;
  return on === (kind === "ready-to-read" ? to : from) ? { kind } : trigger;
}

/** `not p -> p`. */
function isToggle({ source, target }: InteractionSpec): boolean {
  let count = 0;
  let inner = source;
  for (; inner.kind === "unary" && inner.operator === "not"; inner = inner.operand) count++;
  return count % 2 === 1 && inner.kind === "port" && portText(inner.port) === portText(target);
}

interface TimeRule {
  readonly accepts: (seconds: number) => boolean;
  readonly expected: string;
}

const ANY: TimeRule = { accepts: () => true, expected: "a time" };
const ABOVE_ZERO: TimeRule = { accepts: (seconds) => seconds > 0, expected: "a time above 0" };
const NOT_NEGATIVE: TimeRule = {
  accepts: (seconds) => seconds >= 0,
  expected: "a time of 0 or more",
};

function isOneOf(port: PortName, ports: readonly PortName[]): boolean {
  return ports.some((one) => portText(one) === portText(port));
}

/** With the name that the unit gives its variable. */
function referenceText(name: PortName, port: InterfacePort): string {
  return portText({ ...name, port: variableOf(port) });
}

/**
 * A path that is relative to the folder of `file`, relative to the folder that `file` is relative
 * to.
 */
function besideFile(file: string, path: string): string {
  if (/^(?:\/|[a-z]:\/)/i.test(path)) return path;
  return file.slice(0, file.lastIndexOf("/") + 1) + path;
}
