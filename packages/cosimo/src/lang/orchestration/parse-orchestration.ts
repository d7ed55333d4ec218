/**
 * `algorithm.yaml` → an orchestration algorithm and the units that it is for, or the scenario that
 * they are in:
 *
 *   units:
 *     plant: { inputs: { u: reactive }, outputs: { y: [u], x: [] }, mayRefuse: true, rollback: true }
 *   connections: [control.u -> plant.u]
 *   step:
 *     - get plant.y
 *     - repeat: { until: accepted, do: [step plant], retry: [restore plant] }
 */
import {
  type Checked,
  type Diagnostic,
  diagnose,
  hasErrors,
  type Place,
} from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import type {
  Operation,
  OrchestratedConnection,
  OrchestratedSystem,
  OrchestratedUnit,
  Orchestration,
} from "../../model/orchestration.ts";
import { TextReporter } from "../scenario/diagnostics.ts";
import {
  readChoice,
  readEntries,
  readFields,
  readText,
  readTexts,
  wrongType,
} from "../scenario/fields.ts";
import { parseConnections } from "../scenario/parse-connections.ts";
import { readYaml, type YamlEntry, type YamlNode } from "../scenario/yaml-tree.ts";
import { ORCHESTRATION_TEXT_RULES } from "./diagnostics.ts";

export interface OrchestrationFile {
  /**
   * The path of the scenario whose units these are, as written; absent: they are described here.
   */
  readonly scenario?: string;
  readonly system?: OrchestratedSystem;
  /** Absent where the file only describes units. */
  readonly orchestration?: Orchestration;
  readonly place: Place;
}

const KEYS = ["scenario", "description", "units", "connections", "initialization", "step"] as const;
const UNIT_KEYS = ["inputs", "outputs", "mayRefuse", "rollback"] as const;
const LOOP_KEYS = ["until", "do", "retry"] as const;
const KINDS = ["reactive", "delayed", "undeclared"] as const;
const EXAMPLE = "step: [get plant.y, set control.u, step plant, step control]";
const DEPTH = 20;

/**
 * Reads the text of an algorithm; `file` is the name in places. Never throws, whatever the text.
 */
export function parseOrchestration(text: string, file: string): Checked<OrchestrationFile> {
  const reporter = new TextReporter();
  const more: Diagnostic[] = [];
  const root = readYaml(text, file, reporter, EXAMPLE);
  const value = root && new Reader(reporter, more).file(root);
  const diagnostics = [...reporter.diagnostics, ...more];
  return value === undefined || hasErrors(diagnostics) ? { diagnostics } : { value, diagnostics };
}

class Reader {
  private readonly reporter: TextReporter;
  private readonly more: Diagnostic[];

  constructor(reporter: TextReporter, more: Diagnostic[]) {
    this.reporter = reporter;
    this.more = more;
  }

  file(root: YamlNode): OrchestrationFile | undefined {
    const shape = { owner: "an algorithm", keys: KEYS, example: EXAMPLE };
    const fields = readFields(root, shape, this.reporter);
    if (fields === undefined) return undefined;
    const { scenario, units, connections, initialization, step } = fields;
    const path = scenario && readText(scenario, "scenario.yaml", this.reporter);
    if (path === undefined && units === undefined)
      this.reporter.report(
        "scenario-missing-key",
        { owner: "an algorithm", key: "units", example: "scenario: scenario.yaml" },
        root.place,
      );
    const system = units && this.system(units, connections);
    const before = initialization && this.operations(initialization, 0);
    const operations = step && this.operations(step, 0);
    const { place } = root;
    return {
      ...(path !== undefined && { scenario: path }),
      ...(system && { system }),
      ...(operations && {
        orchestration: { step: operations, ...(before && { initialization: before }) },
      }),
      place,
    };
  }

  // ---- units ---------------------------------------------------------------------------------

  private system(units: YamlEntry, connections: YamlEntry | undefined): OrchestratedSystem {
    const shape = { owner: "'units'", example: "units: { plant: { outputs: { y: [] } } }" };
    const found = (readEntries(units.node, shape, this.reporter) ?? []).flatMap(
      (entry) => this.unit(entry) ?? [],
    );
    const drafts = connections ? parseConnections(connections, this.reporter) : [];
    const wires: OrchestratedConnection[] = [];
    for (const { from, to, place } of drafts) {
      this.checkPort(found, from, "outputs", place);
      this.checkPort(found, to, "inputs", place);
      const twice = wires.some((wire) => wire.to === to);
      if (twice) this.wrong(`'${to}'`, "has two sources", "keep one of them", place);
      wires.push({ from, to });
    }
    return { units: found, connections: wires };
  }

  private unit(entry: YamlEntry): OrchestratedUnit | undefined {
    const { key: name, node } = entry;
    const shape = {
      owner: `'${name}'`,
      keys: UNIT_KEYS,
      example: "plant: { inputs: { u: delayed }, outputs: { y: [u] } }",
    };
    const fields = readFields(node, shape, this.reporter);
    if (fields === undefined) return undefined;
    const inputs: Record<string, (typeof KINDS)[number]> = {};
    for (const one of this.entriesOf(fields.inputs, "inputs: { u: reactive }"))
      inputs[one.key] =
        readChoice(one.node, `the kind of '${one.key}'`, KINDS, this.reporter) ?? "undeclared";
    const outputs: Record<string, string[]> = {};
    for (const one of this.entriesOf(fields.outputs, "outputs: { y: [u], x: [] }")) {
      const isEmpty = one.node.kind === "list" && one.node.items.length === 0;
      const texts = isEmpty ? [] : readTexts(one, "u", this.reporter);
      outputs[one.key] = texts.map(({ text, place }) => {
        if (!Object.hasOwn(inputs, text))
          this.wrong(
            `'${name}'`,
            `has no input '${text}', which '${one.key}' is said to depend on`,
            "name one of its inputs",
            place,
          );
        return text;
      });
    }
    return {
      name,
      inputs,
      outputs,
      mayRefuse: this.flag(fields.mayRefuse, false),
      canRollBack: this.flag(fields.rollback, true),
    };
  }

  private entriesOf(entry: YamlEntry | undefined, example: string): readonly YamlEntry[] {
    if (entry === undefined) return [];
    return readEntries(entry.node, { owner: `'${entry.key}'`, example }, this.reporter) ?? [];
  }

  private flag(entry: YamlEntry | undefined, usual: boolean): boolean {
    if (entry === undefined) return usual;
    const { node } = entry;
    if (node.kind === "scalar" && typeof node.value === "boolean") return node.value;
    wrongType(node, `'${entry.key}'`, "true or false", `${entry.key}: true`, this.reporter);
    return usual;
  }

  private checkPort(
    units: readonly OrchestratedUnit[],
    port: string,
    side: "inputs" | "outputs",
    place: Place,
  ): void {
    const [name = ""] = port.split(".", 1);
    const unit = units.find((one) => one.name === name);
    const known = unit
      ? Object.keys(unit[side]).map((one) => `${name}.${one}`)
      : units.map((one) => one.name);
    if (unit !== undefined && known.includes(port)) return;
    const near = nearest(unit ? port : name, known);
    const what = unit ? `'${name}'` : "there";
    const why = unit
      ? `has no ${side === "inputs" ? "input" : "output"} '${port.slice(name.length + 1)}'`
      : `is not a unit '${name}'`;
    this.wrong(
      what,
      why,
      near === undefined ? `there are ${known.join(", ") || "none"}` : `did you mean '${near}'?`,
      place,
    );
  }

  // ---- operations ----------------------------------------------------------------------------

  private operations({ node, key }: Pick<YamlEntry, "node" | "key">, depth: number): Operation[] {
    if (node.kind === "scalar" && node.value === null) return [];
    if (node.kind !== "list") {
      wrongType(node, `'${key}'`, "a list of operations", EXAMPLE, this.reporter);
      return [];
    }
    return node.items.flatMap((item) => this.operation(item, depth) ?? []);
  }

  private operation(node: YamlNode, depth: number): Operation | undefined {
    const { place } = node;
    if (node.kind === "map") return this.loop(node, depth);
    const text = node.kind === "scalar" ? String(node.value ?? "").trim() : "";
    const [, kind, name] = /^(get|set|step|save|restore)\s+(.+)$/.exec(text) ?? [];
    if (kind === "get" || kind === "set") return { kind, port: name ?? "", place };
    if (kind === "step" || kind === "save" || kind === "restore")
      return { kind, unit: name ?? "", place };
    this.more.push(diagnose(ORCHESTRATION_TEXT_RULES, "orchestration-operation", { text }, place));
    return undefined;
  }

  private loop(node: Extract<YamlNode, { kind: "map" }>, depth: number): Operation | undefined {
    const example = "repeat: { until: accepted, do: [step plant], retry: [restore plant] }";
    const outer = readFields(
      node,
      { owner: "an operation", keys: ["repeat"], required: ["repeat"], example },
      this.reporter,
    );
    if (outer === undefined || depth > DEPTH) return undefined;
    const fields = readFields(
      outer.repeat.node,
      { owner: "'repeat'", keys: LOOP_KEYS, required: ["until", "do"], example },
      this.reporter,
    );
    if (fields === undefined) return undefined;
    const until = this.until(fields.until);
    if (until === undefined) return undefined;
    return {
      kind: "repeat",
      until,
      body: this.operations(fields.do, depth + 1),
      retry: fields.retry ? this.operations(fields.retry, depth + 1) : [],
      place: node.place,
    };
  }

  private until(entry: YamlEntry): "accepted" | { agree: string[] } | undefined {
    const { node } = entry;
    if (node.kind === "scalar" && node.value === "accepted") return "accepted";
    const shape = {
      owner: "'until'",
      keys: ["agree"],
      required: ["agree"],
      example: "until: { agree: [plant.y] }",
    } as const;
    if (node.kind !== "map") {
      wrongType(node, "'until'", "accepted, or outputs that agree", shape.example, this.reporter);
      return undefined;
    }
    const fields = readFields(node, shape, this.reporter);
    if (fields === undefined) return undefined;
    return { agree: readTexts(fields.agree, "plant.y", this.reporter).map(({ text }) => text) };
  }

  private wrong(what: string, why: string, fix: string, place: Place): void {
    this.more.push(
      diagnose(ORCHESTRATION_TEXT_RULES, "orchestration-port", { what, why, fix }, place),
    );
  }
}
