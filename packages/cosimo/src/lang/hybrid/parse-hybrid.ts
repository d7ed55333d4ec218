/**
 * hybrid.yaml → description of a bi-modal hybrid system: states, parameters, two modes as formulas,
 * the surface between them, and which analyses are requested. Every mistake is reported with its
 * place; nothing is computed but parameters.
 */
import { type Checked, hasErrors, type Place } from "../../base/diagnostic.ts";
import { nearest } from "../../base/nearest.ts";
import { type Expression, FORMULA_FUNCTIONS } from "../../model/expression.ts";
import type {
  CurveRangeDescription,
  HybridDescription,
  HybridModeDescription,
} from "../../model/hybrid-description.ts";
import { parseExpression } from "../expression/parse-expression.ts";
import { type ReportFrom, TextReporter } from "../scenario/diagnostics.ts";
import {
  type NumberRule,
  POSITIVE,
  readEntries,
  readFields,
  readText,
  readTexts,
  readTime,
  wrongType,
} from "../scenario/fields.ts";
import { readYaml, type YamlEntry, type YamlNode } from "../scenario/yaml-tree.ts";
import { HYBRID_TEXT_RULES } from "./diagnostics.ts";

const KEYS = [
  "name",
  "states",
  "parameters",
  "surface",
  "modes",
  "delay",
  "step",
  "simulate",
] as const;
const NAME = /^[\p{L}_][\p{L}\p{N}_]*$/u;
const DURATION: NumberRule = {
  expected: "a time greater than 0",
  example: "0.002",
  accepts: POSITIVE,
};

/** `evaluate` computes the parameters' formulas; the languages do not compute. */
export function parseHybridYaml(
  text: string,
  file: string,
  evaluate: (expression: Expression, parameters: ReadonlyMap<string, number>) => number,
): Checked<HybridDescription> {
  const reporter = new TextReporter();
  const root = readYaml(text, file, reporter, "states: [x, v]");
  const value = root && new Reader(file, reporter, evaluate).description(root);
  const diagnostics = [...reporter.diagnostics];
  return value === undefined || hasErrors(diagnostics) ? { diagnostics } : { value, diagnostics };
}

class Reader {
  private readonly file: string;
  private readonly reporter: TextReporter;
  private readonly report: ReportFrom<typeof HYBRID_TEXT_RULES>;
  private readonly evaluate: (
    expression: Expression,
    parameters: ReadonlyMap<string, number>,
  ) => number;
  private readonly states: string[] = [];
  private readonly parameters = new Map<string, number>();

  constructor(file: string, reporter: TextReporter, evaluate: Reader["evaluate"]) {
    this.file = file;
    this.reporter = reporter;
    this.report = reporter.from(HYBRID_TEXT_RULES);
    this.evaluate = evaluate;
  }

  description(root: YamlNode): HybridDescription | undefined {
    const { reporter } = this;
    const shape = { owner: "a hybrid system", keys: KEYS, example: "states: [x, v]" };
    const fields = readFields(root, shape, reporter);
    if (fields === undefined) return undefined;
    for (const [key, example] of [
      ["states", "states: [x, v]"],
      ["surface", "surface: x - r"],
      ["modes", "modes: { contact: { derivatives: … }, flight: { derivatives: … } }"],
    ] as const) {
      if (fields[key] === undefined)
        reporter.report(
          "scenario-missing-key",
          { key, owner: "a hybrid system", example },
          root.place,
        );
    }
    if (fields.states) this.readStates(fields.states);
    if (fields.parameters) this.readParameters(fields.parameters);
    const surface = fields.surface && this.formula(fields.surface, "'surface'");
    const modes = fields.modes && this.modes(fields.modes);
    const delay = fields.delay && this.delay(fields.delay);
    const step = fields.step && this.step(fields.step, modes ?? []);
    const simulate = fields.simulate && this.simulation(fields.simulate);
    if (!fields.delay && !fields.step) this.report("hybrid-no-question", {}, root.place);
    const name = (fields.name && readText(fields.name, "bouncing ball", reporter)) ?? this.file;
    const [below, above] = modes ?? [];
    const isPlane = this.states.length === 2 && modes?.length === 2;
    if (surface === undefined || !isPlane || !below || !above) return undefined;
    return {
      name,
      states: this.states,
      parameters: this.parameters,
      surface,
      modes: [below, above],
      ...(delay && { delay }),
      ...(step && { step }),
      ...(simulate && { simulate }),
      place: root.place,
    };
  }

  private readStates(entry: YamlEntry): void {
    for (const { text, place } of readTexts(entry, "[x, v]", this.reporter)) {
      if (this.isFree(text, place)) this.states.push(text);
    }
    if (this.states.length !== 2)
      this.report("hybrid-states", { found: this.states.length }, entry.place);
  }

  private readParameters(entry: YamlEntry): void {
    const shape = { owner: "'parameters'", example: "parameters: { r: 0.25, m: 0.65 }" };
    for (const one of readEntries(entry.node, shape, this.reporter) ?? []) {
      if (!this.isFree(one.key, one.place)) continue;
      const formula = this.formula(one, `parameter '${one.key}'`, [...this.parameters.keys()]);
      const value = formula === undefined ? Number.NaN : this.evaluate(formula, this.parameters);
      if (formula !== undefined && !Number.isFinite(value))
        this.report("hybrid-parameter", { name: one.key, value }, one.node.place);
      // A mistake is reported once, not again for everything that is computed from it.
      this.parameters.set(one.key, Number.isFinite(value) ? value : 1);
    }
  }

  private isFree(name: string, place: Place): boolean {
    const why = !NAME.test(name)
      ? "it is not a word"
      : Object.hasOwn(FORMULA_FUNCTIONS, name)
        ? "it is a function"
        : this.states.includes(name) || this.parameters.has(name)
          ? "there is one already"
          : undefined;
    if (why !== undefined) this.report("hybrid-name", { name, why }, place);
    return why === undefined;
  }

  private modes(entry: YamlEntry): HybridModeDescription[] | undefined {
    const shape = { owner: "'modes'", example: "modes: { contact: …, flight: … }" };
    const entries = readEntries(entry.node, shape, this.reporter);
    if (entries === undefined) return undefined;
    if (entries.length !== 2) this.report("hybrid-modes", { found: entries.length }, entry.place);
    return entries.flatMap((mode) => this.mode(mode) ?? []);
  }

  private mode({ key: name, node, place }: YamlEntry): HybridModeDescription | undefined {
    const { reporter } = this;
    const owner = `mode '${name}'`;
    const keys = ["derivatives", "unit", "energy"] as const;
    const example = "derivatives: { x: v, v: -x }";
    const fields = readFields(node, { owner, keys, example }, reporter);
    if (fields === undefined) return undefined;
    const energy = fields.energy && this.formula(fields.energy, `energy of ${owner}`);
    const rest = { ...(energy && { energy }), place };
    if (fields.unit !== undefined) {
      if (fields.derivatives) this.report("hybrid-dynamics", { mode: name }, fields.unit.place);
      const path = readText(fields.unit, "contact.js", reporter);
      return path === undefined ? undefined : { name, dynamics: { kind: "unit", path }, ...rest };
    }
    if (fields.derivatives === undefined) {
      reporter.report("scenario-missing-key", { key: "derivatives", owner, example }, place);
      return undefined;
    }
    const { place: equations } = fields.derivatives;
    const found = this.byState(fields.derivatives, `derivative in ${owner}`);
    const derivatives = this.states.flatMap((state, i) => {
      if (found[i] === undefined && !found.declared.has(state))
        this.report("hybrid-equation", { mode: name, state }, equations);
      return found[i] ?? [];
    });
    return derivatives.length === this.states.length
      ? { name, dynamics: { kind: "formulas", derivatives }, ...rest }
      : undefined;
  }

  /** Formulas by state; `declared` has the states that were written at all. */
  private byState(
    entry: YamlEntry,
    what: string,
    known?: readonly string[],
  ): (Expression | undefined)[] & { declared: Set<string> } {
    const shape = { owner: `'${entry.key}'`, example: `${entry.key}: { x: 1, v: 0 }` };
    const found = Object.assign(
      this.states.map((): Expression | undefined => undefined),
      { declared: new Set<string>() },
    );
    for (const one of readEntries(entry.node, shape, this.reporter) ?? []) {
      const state = this.state(one.key, one.place);
      if (state < 0) continue;
      found.declared.add(one.key);
      found[state] = this.formula(one, `the ${what} of '${one.key}'`, known);
    }
    return found;
  }

  private state(name: string, place: Place): number {
    const index = this.states.indexOf(name);
    if (index < 0) {
      const params = { name, nearest: nearest(name, this.states), states: this.states };
      this.report("hybrid-no-state", params, place);
    }
    return index;
  }

  private delay(entry: YamlEntry): HybridDescription["delay"] {
    const keys = ["section", "along", "try"] as const;
    const example = "delay: { section: v, along: { x: [0.2, 0.25] } }";
    const shape = { owner: "'delay'", keys, required: ["section"] as const, example };
    const fields = readFields(entry.node, shape, this.reporter);
    if (fields === undefined) return undefined;
    const section = this.formula(fields.section, "'section'");
    const range = this.range(fields.along, "{ x: [0.2, 0.25] }", entry);
    const tries = this.tries(fields.try);
    return section && range && { section, range, tries, place: entry.place };
  }

  private step(
    entry: YamlEntry,
    modes: readonly HybridModeDescription[],
  ): HybridDescription["step"] {
    const keys = ["along", "longest", "try"] as const;
    const example = "step: { along: { v: [-10, 10] }, longest: 0.1 }";
    const shape = { owner: "'step'", keys, required: ["longest"] as const, example };
    const fields = readFields(entry.node, shape, this.reporter);
    if (fields === undefined) return undefined;
    const without = modes.filter(({ energy }) => energy === undefined).map(({ name }) => name);
    if (without.length > 0) this.report("hybrid-no-energy", { modes: without }, entry.place);
    const range = this.range(fields.along, "{ v: [-10, 10] }", entry);
    const longest = readTime(fields.longest, DURATION, this.reporter);
    const tries = this.tries(fields.try);
    return range && longest !== undefined
      ? { range, longest, tries, place: entry.place }
      : undefined;
  }

  private range(
    field: YamlEntry | undefined,
    example: string,
    owner: YamlEntry,
  ): CurveRangeDescription | undefined {
    const bad = (place: Place): undefined =>
      this.report("hybrid-range", { key: "along", example }, place);
    if (field === undefined) return bad(owner.place);
    const entry = field.node.kind === "map" ? field.node.entries[0] : undefined;
    if (entry === undefined || field.node.kind !== "map" || field.node.entries.length !== 1)
      return bad(field.place);
    const along = this.state(entry.key, entry.place);
    const { node } = entry;
    const ends =
      node.kind === "list" ? node.items.map((item) => this.quantity(item, "'along'")) : [];
    const [from = Number.NaN, to = Number.NaN] = ends;
    if (ends.length !== 2 || !(from < to)) return bad(node.place);
    return along < 0 ? undefined : { along, from, to };
  }

  private tries(field: YamlEntry | undefined): number[] {
    if (field === undefined) return [];
    const items = field.node.kind === "list" ? field.node.items : [field.node];
    return items.flatMap((node) => readTime({ ...field, node }, DURATION, this.reporter) ?? []);
  }

  private simulation(entry: YamlEntry): HybridDescription["simulate"] {
    const keys = ["start", "stop"] as const;
    const example = "simulate: { start: { x: 1, v: 0 }, stop: 30 }";
    const shape = { owner: "'simulate'", keys, required: keys, example };
    const fields = readFields(entry.node, shape, this.reporter);
    if (fields === undefined) return undefined;
    const known = [...this.parameters.keys()];
    const start = this.byState(fields.start, "start", known).map((formula) =>
      formula === undefined ? 0 : this.evaluate(formula, this.parameters),
    );
    const stop = readTime(fields.stop, DURATION, this.reporter);
    return stop === undefined ? undefined : { start, stop };
  }

  /** A number, or a formula of parameters. */
  private quantity(node: YamlNode, what: string): number {
    const known = [...this.parameters.keys()];
    const formula = this.formulaOf(node, what, "0.25", known);
    return formula === undefined ? Number.NaN : this.evaluate(formula, this.parameters);
  }

  private formula(
    entry: YamlEntry,
    what: string,
    known?: readonly string[],
  ): Expression | undefined {
    return this.formulaOf(entry.node, what, `${entry.key}: x - r`, known);
  }

  private formulaOf(
    node: YamlNode,
    what: string,
    example: string,
    known: readonly string[] = [...this.states, ...this.parameters.keys()],
  ): Expression | undefined {
    const value = node.kind === "scalar" ? node.value : undefined;
    if (typeof value === "number") return { kind: "number", value };
    if (typeof value !== "string") {
      wrongType(node, what, "a formula", example, this.reporter);
      return undefined;
    }
    const parsed = parseExpression(value, known);
    if ("expression" in parsed) return parsed.expression;
    const { at, message, fix } = parsed.mistake;
    const { place } = node;
    const there = place.column === undefined ? place : { ...place, column: place.column + at };
    this.report("hybrid-formula", { what, text: value, message, fix }, there);
    return undefined;
  }
}
