/**
 * Switched systems as people and programs write them: matrices with names, and an automaton that
 * says which may follow which.
 *
 *   matrices: { slow: [[0.9, 0.1], [0, 0.8]], fast: [[0.5, 1], [0, 0.5]] }
 *   automaton: { edges: [[1, 1, slow], [1, 2, fast], [2, 1, slow]] }
 *
 * Without an automaton, any order is allowed. YAML, and so JSON too.
 */
import { type Checked, hasErrors, type Place } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import {
  type Automaton,
  type AutomatonEdge,
  freeAutomaton,
} from "../../model/decision-automaton.ts";
import { type ReportFrom, TextReporter } from "../scenario/diagnostics.ts";
import { type Fields, readFields, wrongType } from "../scenario/fields.ts";
import { describeNode, readYaml, type YamlEntry, type YamlNode } from "../scenario/yaml-tree.ts";
import { SWITCHED_TEXT_RULES } from "./diagnostics.ts";

export interface SwitchedDescription {
  readonly dimension: number;
  /** One per mode, row-major. */
  readonly matrices: readonly Float64Array[];
  readonly names: readonly string[];
  readonly automaton: Automaton;
  readonly nodeNames: readonly string[];
}

/** `guard` belongs to lang/guard, which reads the rest here. */
const KEYS = ["name", "description", "matrices", "automaton", "guard"] as const;
const AUTOMATON_KEYS = ["nodes", "edges"] as const;
const EDGE_KEYS = ["from", "to", "mode"] as const;
const EXAMPLE = "matrices: { slow: [[0.9, 0.1], [0, 0.8]] }";

/**
 * Reads the text of a switched system; `file` is the name in places. Never throws, whatever the
 * text.
 */
export function parseSwitched(text: string, file: string): Checked<SwitchedDescription> {
  const reporter = new TextReporter();
  const reader = new Reader(reporter);
  const root = readYaml(text, file, reporter, EXAMPLE);
  const value = root && reader.system(root);
  const { diagnostics } = reporter;
  return value === undefined || hasErrors(diagnostics) ? { diagnostics } : { value, diagnostics };
}

interface Modes {
  readonly dimension: number;
  readonly names: readonly string[];
  readonly matrices: readonly Float64Array[];
}

class Reader {
  private readonly reporter: TextReporter;
  private readonly report: ReportFrom<typeof SWITCHED_TEXT_RULES>;

  constructor(reporter: TextReporter) {
    this.reporter = reporter;
    this.report = reporter.from(SWITCHED_TEXT_RULES);
  }

  system(root: YamlNode): SwitchedDescription | undefined {
    const required = ["matrices"] as const;
    const shape = { owner: "a switched system", keys: KEYS, required, example: EXAMPLE };
    const fields = readFields(root, shape, this.reporter);
    if (fields === undefined) return undefined;
    const modes = this.modes(fields.matrices);
    if (modes === undefined) return undefined;
    if (fields.automaton === undefined)
      return { ...modes, automaton: freeAutomaton(modes.names.length), nodeNames: ["1"] };
    const automaton = this.automaton(fields.automaton.node, modes);
    return automaton && { ...modes, ...automaton };
  }

  private modes({ node }: YamlEntry): Modes | undefined {
    const named = this.namedNodes(node);
    if (named === undefined) return undefined;
    if (named.length === 0) {
      return this.report("switched-no-matrices", {}, node.place);
    }
    const read = named.map(({ name, node: rows }) => ({
      name,
      matrix: this.matrix(name, rows),
      place: rows.place,
    }));
    const first = read.find(({ matrix }) => matrix !== undefined);
    const expected = Math.sqrt(first?.matrix?.length ?? 0);
    for (const { name, matrix, place } of read) {
      const size = Math.sqrt(matrix?.length ?? expected ** 2);
      const params = { mode: name, size, first: first?.name ?? "", expected };
      if (size !== expected) this.report("switched-size", params, place);
    }
    const matrices = read.flatMap(({ matrix }) => matrix ?? []);
    return { dimension: expected, names: named.map(({ name }) => name), matrices };
  }

  /** A map of names, or a list that is counted from 1. */
  private namedNodes(node: YamlNode): { name: string; node: YamlNode }[] | undefined {
    if (node.kind === "map")
      return node.entries.map(({ key, node: rows }) => ({ name: key, node: rows }));
    if (node.kind === "list")
      return node.items.map((rows, i) => ({ name: String(i + 1), node: rows }));
    wrongType(node, "'matrices'", "a map or a list of matrices", EXAMPLE, this.reporter);
    return undefined;
  }

  private matrix(mode: string, node: YamlNode): Float64Array | undefined {
    const bad = (problem: string, place: Place): undefined => {
      return this.report("switched-matrix", { mode, problem }, place);
    };
    if (node.kind !== "list")
      return bad(`is ${describeNode(node)}, not a list of rows`, node.place);
    const n = node.items.length;
    if (n === 0) return bad("has no rows", node.place);
    const entries: number[] = [];
    for (const [i, row] of node.items.entries()) {
      if (row.kind !== "list")
        return bad(`has ${describeNode(row)} where row ${i + 1} should be`, row.place);
      if (row.items.length !== n)
        return bad(
          `has ${n} row${n === 1 ? "" : "s"}, but ${row.items.length} number${row.items.length === 1 ? "" : "s"} in row ${i + 1}`,
          row.place,
        );
      for (const item of row.items) {
        const value = item.kind === "scalar" ? item.value : undefined;
        if (typeof value === "number" && Number.isFinite(value)) entries.push(value);
        else
          this.report(
            "switched-entry",
            { mode, row: i + 1, found: describeNode(item) },
            item.place,
          );
      }
    }
    return entries.length === n * n ? Float64Array.from(entries) : undefined;
  }

  private automaton(
    node: YamlNode,
    { names: modes, dimension }: Modes,
  ): { automaton: Automaton; nodeNames: readonly string[] } | undefined {
    const example = "automaton: { edges: [[1, 1, slow], [1, 2, fast], [2, 1, slow]] }";
    const required = ["edges"] as const;
    const shape = { owner: "an automaton", keys: AUTOMATON_KEYS, required, example };
    const fields = readFields(node, shape, this.reporter);
    if (fields === undefined) return undefined;
    const list = fields.edges.node;
    if (list.kind !== "list") {
      wrongType(list, "'edges'", "a list of edges", example, this.reporter);
      return undefined;
    }
    const raw = list.items.flatMap((item) => this.edge(item) ?? []);
    const nodeNames = fields.nodes ? this.nodeNames(fields.nodes.node) : namesUsed(raw);
    if (nodeNames === undefined) return undefined;
    const edges = raw.flatMap((edge) => this.resolve(edge, nodeNames, modes) ?? []);
    const numbers = (nodeNames.length + edges.length) * dimension ** 2;
    if (numbers > MAX_NUMBERS) {
      const params = {
        nodes: nodeNames.length,
        edges: edges.length,
        dimension,
        limit: MAX_NUMBERS,
      };
      this.report("switched-too-large", params, node.place);
      return undefined;
    }
    return { automaton: { nodes: nodeNames.length, edges }, nodeNames };
  }

  private edge(node: YamlNode): RawEdge | undefined {
    const parts = node.kind === "list" ? node.items : this.edgeOfMap(node);
    const [from, to, mode] = (parts ?? []).map(writtenName);
    if (parts?.length === 3 && from && to && mode) return { from, to, mode };
    return this.report("switched-edge", { found: describeNode(node) }, node.place);
  }

  private edgeOfMap(node: YamlNode): readonly YamlNode[] | undefined {
    if (node.kind !== "map") return undefined;
    const shape = { owner: "an edge", keys: EDGE_KEYS, example: "{ from: 1, to: 2, mode: slow }" };
    const fields: Fields<"from" | "to" | "mode"> = readFields(node, shape, this.reporter) ?? {};
    return EDGE_KEYS.flatMap((key) => fields[key]?.node ?? []);
  }

  private nodeNames(node: YamlNode): readonly string[] | undefined {
    const count = node.kind === "scalar" ? node.value : undefined;
    if (typeof count === "number" && Number.isInteger(count) && count > 0 && count <= MAX_NODES)
      return Array.from({ length: count }, (_, i) => String(i + 1));
    const names = node.kind === "list" ? node.items.map(scalarText) : [];
    if (names.length > 0 && names.every((name) => name !== undefined)) {
      if (new Set(names).size === names.length) return names;
    }
    const found =
      node.kind === "list" ? "names that are missing or there twice" : describeNode(node);
    return this.report("switched-nodes", { found }, node.place);
  }

  private resolve(
    { from, to, mode }: RawEdge,
    nodes: readonly string[],
    modes: readonly string[],
  ): AutomatonEdge | undefined {
    const node = ({ name, place }: WrittenName): number | undefined => {
      const index = indexOf(name, nodes);
      if (index === undefined)
        this.report("switched-node", { node: name, nearest: nearest(name, nodes), nodes }, place);
      return index;
    };
    const source = node(from);
    const target = node(to);
    const index = indexOf(mode.name, modes);
    if (index === undefined) {
      const params = { mode: mode.name, nearest: nearest(mode.name, modes), modes };
      this.report("switched-mode", params, mode.place);
    }
    if (source === undefined || target === undefined || index === undefined) return undefined;
    return { from: source, to: target, mode: index };
  }
}

const MAX_NODES = 100_000;
/** Searches keep a matrix per node and per edge. */
const MAX_NUMBERS = 20_000_000;

interface WrittenName {
  readonly name: string;
  readonly place: Place;
}

interface RawEdge {
  readonly from: WrittenName;
  readonly to: WrittenName;
  readonly mode: WrittenName;
}

function writtenName(node: YamlNode): WrittenName | undefined {
  const name = scalarText(node);
  return name === undefined ? undefined : { name, place: node.place };
}

function scalarText(node: YamlNode): string | undefined {
  if (node.kind !== "scalar") return undefined;
  const { value } = node;
  return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
}

/**
 * Nodes where none are listed: counted up to the largest number, or by name in the order in which
 * they appear.
 */
function namesUsed(edges: readonly RawEdge[]): readonly string[] | undefined {
  const used = [...new Set(edges.flatMap(({ from, to }) => [from.name, to.name]))];
  const numbers = used.map(Number);
  const counted = numbers.every((k) => Number.isInteger(k) && k > 0 && k <= MAX_NODES);
  if (!counted) return used;
  return Array.from({ length: numbers.reduce((most, k) => Math.max(most, k), 1) }, (_, i) =>
    String(i + 1),
  );
}

/** By name, else counted from 1. */
function indexOf(name: string, names: readonly string[]): number | undefined {
  const named = placesOf(names).get(name);
  if (named !== undefined) return named;
  const counted = Number(name);
  return Number.isInteger(counted) && counted >= 1 && counted <= names.length
    ? counted - 1
    : undefined;
}

const known = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

/** First position of each name, kept because every edge looks up its names. */
function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  const found = known.get(names);
  if (found !== undefined) return found;
  const places = new Map<string, number>();
  names.forEach((name, i) => {
    if (!places.has(name)) places.set(name, i);
  });
  known.set(names, places);
  return places;
}
