/**
 * A tree of units → the files of an FMU, as data: C sources, description, build description, and
 * which FMUs go where inside. Nothing is read and nothing is compiled here; the host does both
 * (host/export-fmu.ts).
 */
import type { ExposedPorts } from "../adapt/exposed-ports.ts";
import { type Checked, type Diagnostic, diagnose, hasErrors } from "../base/diagnostic.ts";
import type { Adaptation } from "../model/adaptation/data.ts";
import type { Scenario } from "../model/scenario.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import type { Plan } from "../plan/plan.ts";
import { adaptationSource } from "./adaptation-source.ts";
import { type CSource, type CUnit, cIdentifier, cString } from "./c-unit.ts";
import { EXPORT_FMU_RULES } from "./export-diagnostics.ts";
import { buildDescription, type FmuFacts, modelDescription } from "./fmu-description.ts";
import { cType, fmuSource, type InnerFmu } from "./fmu-source.ts";
import { fmuVariables, hasInputDerivatives } from "./fmu-variables.ts";
import { planSource } from "./plan-source.ts";
import { EXPORT_VERSIONS, type ExportVersion } from "./versions.ts";

/** A unit to be exported. What is used twice is the same object, and becomes C once. */
export type ExportNode =
  | {
      readonly kind: "fmu";
      readonly description: UnitDescription;
      readonly fmu: InnerFmu;
    }
  | {
      readonly kind: "adaptation";
      readonly description: UnitDescription;
      /** In explicit form. */
      readonly adaptation: Adaptation;
      readonly inner: ReadonlyMap<string, ExportNode>;
      /** The text of its file, to be quoted. */
      readonly text?: string;
      /** Ports of inner units that show through. */
      readonly passing?: ExposedPorts;
      /**
       * The control variable with the time of the next event, of a unit that changes at events
       * only.
       */
      readonly nextEvent?: string;
    }
  | {
      readonly kind: "plan";
      readonly description: UnitDescription;
      readonly scenario: Scenario;
      readonly plan: Plan;
      /** In the scenario's order. */
      readonly units: readonly ExportNode[];
    };

export interface ExportOptions {
  readonly version: ExportVersion;
  /** The C runtime by file name. */
  readonly runtime: ReadonlyMap<string, string>;
  /** Name and version of the tool, for the description. */
  readonly tool: string;
  /** At least 32 hexadecimal digits that depend on nothing but the text. */
  readonly hash: (text: string) => string;
}

export interface ExportedFmu {
  readonly modelIdentifier: string;
  readonly token: string;
  /** Text by path inside the FMU: modelDescription.xml, sources/… */
  readonly files: ReadonlyMap<string, string>;
  /** Files below `sources/` that have to be compiled. */
  readonly sources: readonly string[];
}

export function exportFmu(root: ExportNode, options: ExportOptions): Checked<ExportedFmu> {
  const diagnostics = checkPorts(root.description, options.version);
  if (hasErrors(diagnostics)) return { diagnostics };
  const { description } = root;
  const tree = new SourceTree();
  const { maker } = tree.add(root, description.name);
  const names = tree.runtimeFiles(options.version, options.runtime.keys());
  const runtime = withHeaders(names, options.runtime);
  const modelIdentifier = cIdentifier(description.name);
  const write = (token: string): Map<string, string> => {
    const generated = [...tree.sources, modelSource(root, maker, token, options.version)];
    const sources = [...generated.map(({ path }) => path), ...names].sort();
    const facts: FmuFacts = {
      description,
      modelIdentifier,
      token,
      sources,
      tool: options.tool,
      ...(root.kind === "plan" && { fixedStep: root.plan.step }),
    };
    const files = new Map([["modelDescription.xml", modelDescription(facts, options.version)]]);
    const put = (name: string, text: string): unknown => files.set(`sources/${name}`, text);
    for (const { path, text } of generated) put(path, text);
    for (const [name, text] of runtime) put(name, text);
    if (EXPORT_VERSIONS[options.version].hasBuildDescription)
      put("buildDescription.xml", buildDescription(facts));
    return files;
  };
  const digits = options.hash([...write("")].flat().join("\n"));
  const token = `{${[8, 12, 16, 20, 32].map((to, i) => digits.slice([0, 8, 12, 16, 20][i], to)).join("-")}}`;
  const files = write(token);
  const sources = [...files.keys()]
    .filter((path) => path.endsWith(".c"))
    .map((path) => path.slice("sources/".length));
  return { value: { modelIdentifier, token, files, sources }, diagnostics };
}

function checkPorts(description: UnitDescription, version: ExportVersion): Diagnostic[] {
  const place = { file: description.name };
  const variables = fmuVariables(description, version);
  if (variables.length === 0) {
    const params = { name: description.name };
    return [diagnose(EXPORT_FMU_RULES, "export-no-ports", params, place)];
  }
  return variables.flatMap(({ port }) => {
    const { name, type, place: at = place } = port;
    if (!EXPORT_VERSIONS[version].lacks.includes(type)) return [];
    return [diagnose(EXPORT_FMU_RULES, "export-type", { port: name, type }, at)];
  });
}

/** Every unit of the tree becomes one C file; makers get names that differ. */
class SourceTree {
  readonly sources: CSource[] = [];
  private readonly known = new Map<ExportNode, CUnit>();
  private readonly taken = new Set<string>();
  private readonly kinds = new Set<string>();

  add(node: ExportNode, name: string): CUnit {
    const known = this.known.get(node);
    if (known) return known;
    const made = this.make(node, name);
    this.sources.push(made.source);
    this.known.set(node, made);
    return made;
  }

  private make(node: ExportNode, name: string): CUnit & { readonly source: CSource } {
    const maker = this.makerFor(`make_${node.kind}_${cIdentifier(name).toLowerCase()}`);
    if (node.kind === "fmu") {
      this.kinds.add(`fmi${node.fmu.version}`);
      return fmuSource(node.fmu, node.description, maker);
    }
    this.kinds.add(node.kind);
    if (node.kind === "adaptation") {
      const inner = new Map(
        [...node.inner].map(([key, unit]) => [key, this.add(unit, `${name}_${key}`)]),
      );
      const { text, passing, nextEvent } = node;
      return adaptationSource(node.adaptation, {
        maker,
        inner,
        ...(text !== undefined && { text }),
        ...(passing !== undefined && { passing }),
        ...(nextEvent !== undefined && { nextEvent }),
      });
    }
    const { scenario, plan, description } = node;
    const units = node.units.map((unit, u) => this.add(unit, scenario.units[u].name));
    return planSource(scenario, plan, { maker, units, description });
  }

  private makerFor(wanted: string): string {
    let maker = wanted;
    for (let k = 2; this.taken.has(maker); k++) maker = `${wanted}_${k}`;
    this.taken.add(maker);
    return maker;
  }

  /** The files of the runtime that this tree needs compiled. */
  runtimeFiles(version: ExportVersion, runtime: Iterable<string>): string[] {
    const parts = [
      "unit",
      "bytes",
      "given",
      "float-state",
      "library",
      "inner-unit",
      "shell",
      `fmi${version}-shell`,
    ];
    for (const kind of this.kinds) parts.push(kind.startsWith("fmi") ? `inner-${kind}` : kind);
    const isWanted = (name: string): boolean =>
      parts.some((part) => name === `${part}.c` || name.startsWith(`${part}-`));
    return [...runtime].filter((name) => name.endsWith(".c") && isWanted(name)).sort();
  }
}

/** Files with all headers that they include, by name. */
function withHeaders(
  names: readonly string[],
  runtime: ReadonlyMap<string, string>,
): Map<string, string> {
  const found = new Map<string, string>();
  const open = ["inner-fmu.h", ...names];
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    const text = runtime.get(name);
    if (text === undefined) throw new Error(`internal: the C runtime has no file '${name}'`);
    if (found.has(name)) continue;
    found.set(name, text);
    for (const match of text.matchAll(/^#include "([^"]+)"/gm)) open.push(match[1]);
  }
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** What the shell needs to know: token, maker, variables by value reference. */
function modelSource(
  { description }: ExportNode,
  maker: string,
  token: string,
  version: ExportVersion,
): CSource {
  const variables = fmuVariables(description, version);
  const { rollback, serialize } = description.capabilities;
  const followed = EXPORT_VERSIONS[version].asksForInputs
    ? description.ports.filter((port) => hasInputDerivatives(port, description))
    : [];
  const hasEventMode = EXPORT_VERSIONS[version].hasEventMode && description.capabilities.eventMode;
  const sizes = variables.map(({ port }) => port.shape.reduce((product, n) => product * n, 1));
  const rows = variables.map(({ name, port, element, count }, v) => {
    const cells = [cType(port.type), port.index, element, count, sizes[v], cString(name)];
    return `    {${cells.join(", ")}},`;
  });
  const lines = [
    "/* The exported FMU: which unit it is, and its variables in the order of their value references. Made by Cosimo. */",
    '#include "shell.h"',
    "",
    `UnitMaker ${maker};`,
    "",
    "/* type, port, first element, elements, elements of the port, name */",
    "static const ShellVariable VARIABLES[] = {",
    ...rows,
    "};",
    "",
    ...(followed.length === 0
      ? []
      : [
          "/* Inputs that follow their sources to the end of a step. */",
          `static const unsigned FOLLOWED[] = {${followed.map(({ index }) => index).join(", ")}};`,
          "",
        ]),
    ...(hasEventMode ? eventPorts(description, "input") : []),
    ...(hasEventMode ? eventPorts(description, "output") : []),
    "const ShellModel SHELL_MODEL = {",
    `    .token = ${cString(token)},`,
    `    .make = ${maker},`,
    "    .variables = VARIABLES,",
    `    .variable_count = ${variables.length},`,
    `    .can_save = ${rollback},`,
    `    .can_serialize = ${rollback && serialize},`,
    `    .largest = ${sizes.reduce((a, b) => Math.max(a, b))},`,
    ...(followed.length === 0
      ? []
      : ["    .followed = FOLLOWED,", `    .followed_count = ${followed.length},`]),
    ...(hasEventMode
      ? [
          "    .has_event_mode = true,",
          ...(["input", "output"] as const).flatMap((direction) => {
            const { length } = eventsOf(description, direction);
            const table = `EVENT_${direction.toUpperCase()}S`;
            if (length === 0) return [];
            const field = `    .event_${direction}`;
            return [`${field}s = ${table},`, `${field}_count = ${length},`];
          }),
        ]
      : []),
    "};",
  ];
  return { path: "model.c", text: `${lines.join("\n")}\n` };
}

/** Booleans that carry events. */
function eventsOf({ ports }: UnitDescription, direction: "input" | "output"): readonly Port[] {
  return ports.filter((port) => port.nature === "transient" && port.direction === direction);
}

function eventPorts(description: UnitDescription, direction: "input" | "output"): string[] {
  const ports = eventsOf(description, direction).map(({ index }) => index);
  if (ports.length === 0) return [];
  const table = `EVENT_${direction.toUpperCase()}S`;
  return [`static const unsigned ${table}[] = {${ports.join(", ")}};`, ""];
}
