/**
 * The struct of a generated adaptation: a named field for each place of the layout
 * (adapt/layout.ts) that rules can speak of.
 *
 * Numbers are one run of doubles and texts one run of pointers, so that the runtime
 * (c-runtime/adaptation.c) can copy them as such:
 *   t H h dt, own ports, [in variables, in flags, out variables, out flags, ports of inner units], control variables, overrides
 * where the brackets enclose what the output function changes and puts back.
 */
import type { Cell, Layout } from "../adapt/layout.ts";
import type { Adaptation, Declaration, Rule } from "../model/adaptation/data.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import { cComment, cIdentifier } from "./c-unit.ts";

export interface UnitNames {
  /** In names of functions: `window`. */
  readonly plain: string;
  /** Its place among the inner units, as a constant of C. */
  readonly constant: string;
}

interface Field {
  /** As the struct has it: `window.height`. */
  readonly path: string;
  readonly comment: string;
}

export class AdaptationFields {
  readonly units: readonly UnitNames[];
  private readonly lines: string[] = [];
  private readonly paths = new Map<string, string>();
  private readonly flags = new Map<number, string>();
  private readonly numbers: string[] = [];
  private readonly texts: Field[] = [];
  private readonly taken = new Set(["adaptation", ...MACROS]);
  private readonly constants = new Set<string>();
  private ownTexts = 0;
  private passingFrom = 0;
  private takingTo = 0;
  private passingTo = 0;

  constructor(adaptation: Adaptation, layout: Layout, own: UnitDescription) {
    this.heading("time, and sizes of steps");
    for (const name of ["t", "H", "h", "dt"] as const)
      this.addNumber(layout.clock[name], name, CLOCK_COMMENTS[name]);
    this.units = layout.links.map(({ name }) => {
      const plain = this.unique(name);
      const constant = uniqueIn(this.constants, `INNER_${plain.toUpperCase()}`);
      return { plain, constant };
    });
    this.addOwn(layout, own);
    this.passingFrom = this.numbers.length;
    this.addVariables(adaptation.inVariables, layout, "in var");
    this.addFlags(adaptation.inRules, layout.inFlags, "in rule");
    this.takingTo = this.numbers.length;
    this.addVariables(adaptation.outVariables, layout, "out var");
    this.addFlags(adaptation.outRules, layout.outFlags, "out rule");
    this.addInner(layout);
    this.passingTo = this.numbers.length;
    this.addVariables(adaptation.controlVariables, layout, "control var");
    this.addOverrides(layout);
  }

  /** The field of a cell. */
  at(cell: Cell): string {
    const path = this.paths.get(cellKey(cell));
    if (path === undefined) throw new Error(`internal: no field for ${cellKey(cell)}`);
    return path;
  }

  flag(index: number): string {
    return this.flags.get(index)!;
  }

  addText(cell: Cell, name: string, comment = ""): void {
    const path = this.unique(name);
    this.paths.set(cellKey(cell), path);
    this.texts.push({ path, comment });
  }

  /** What is in the struct, line by line, after its first member. */
  print(): readonly string[] {
    const texts = this.texts.map(({ path, comment }) => field(`char *${path};`, comment));
    if (texts.length === 0) return this.lines;
    return [...this.lines, "/* texts */", ...texts];
  }

  /** Where runs are, as members of the table of the adaptation. */
  printRuns(type: string): readonly string[] {
    const first = this.texts[0]?.path;
    const passing = this.numbers[this.passingFrom];
    const hasPassing = passing !== undefined && this.passingTo > this.passingFrom;
    return [
      `.numbers = offsetof(${type}, t),`,
      `.number_count = ${this.numbers.length},`,
      `.texts = ${first === undefined ? "0" : `offsetof(${type}, ${first})`},`,
      `.text_count = ${this.texts.length},`,
      `.own_text_count = ${this.ownTexts},`,
      `.passing = ${hasPassing ? `NUMBER_CELL(${type}, ${passing})` : "0"},`,
      `.passing_count = ${this.passingTo - this.passingFrom},`,
      `.taking_count = ${this.takingTo - this.passingFrom},`,
    ];
  }

  printCell(type: string, cell: Cell): string {
    if (cell.bank === "number") return `NUMBER_CELL(${type}, ${this.at(cell)})`;
    return `TEXT_CELL(${type}, ${this.texts[0].path}, ${this.at(cell)})`;
  }

  private addOwn({ variables, ownInputs, ownOutputs }: Layout, own: UnitDescription): void {
    const cellOf = ({ direction, name }: Port): Cell =>
      (direction === "parameter" ? variables : direction === "input" ? ownInputs : ownOutputs).get(
        name,
      )!;
    this.heading("own ports");
    for (const port of own.ports) {
      const unit = port.unit === undefined ? "" : `, ${port.unit.name}`;
      this.add(cellOf(port), port.name, `${port.direction} ${port.name}: ${port.type}${unit}`);
    }
    this.ownTexts = this.texts.length;
  }

  private addVariables(list: readonly Declaration[], layout: Layout, what: string): void {
    if (list.length > 0) this.heading(what);
    for (const { name } of list) {
      const cell = layout.variables.get(name)!;
      this.add(cell, name, cell.type === "real" ? "" : cell.type);
    }
  }

  private addFlags(rules: readonly Rule[], first: number, what: string): void {
    rules.forEach(({ condition, place }, r) => {
      if (condition.kind === "boolean") return;
      const path = this.unique(`${what.replace(" ", "_")}_${r + 1}_holds`);
      this.flags.set(first + r, path);
      const line = place.line === undefined ? "" : ` of line ${place.line}`;
      this.number(path, `${what} ${r + 1}${line}`);
    });
  }

  private addInner({ links }: Layout): void {
    links.forEach(({ inputs, outputs }, l) => {
      const { plain } = this.units[l];
      const inside = new Set(MACROS);
      const fields: string[] = [];
      const add = (name: string, cell: Cell, port: Port, what: string): void => {
        const unit = port.unit === undefined ? "" : `, ${port.unit.name}`;
        const comment = `${what} ${name}: ${port.type}${unit}`;
        if (cell.bank !== "number") {
          this.addText(cell, `${plain}_${name}`, comment);
          return;
        }
        const own = uniqueIn(inside, name);
        this.paths.set(cellKey(cell), `${plain}.${own}`);
        this.numbers.push(`${plain}.${own}`);
        fields.push(`  ${field(`double ${own};`, comment)}`);
      };
      for (const [name, { cell, port }] of inputs) add(name, cell, port, "input");
      for (const [name, { cell, port }] of outputs) add(name, cell, port, "output");
      if (fields.length === 0) return;
      this.heading("inner unit: inputs that come next, outputs that were read last");
      this.lines.push("struct {", ...fields, `} ${plain};`);
    });
  }

  private addOverrides({ overrides }: Layout): void {
    if (overrides.size > 0) this.heading("inputs that control rules assigned for the next do_step");
    for (const [key, { value, flag }] of overrides) {
      const name = cIdentifier(key);
      this.add(value, `next_${name}`, key);
      const path = this.unique(`has_next_${name}`);
      this.flags.set(flag, path);
      this.number(path, "");
    }
  }

  private add(cell: Cell, name: string, comment: string): void {
    if (cell.bank === "number") this.addNumber(cell, name, comment);
    else this.addText(cell, name, comment);
  }

  private addNumber(cell: Cell, name: string, comment: string): void {
    const path = this.unique(name);
    this.paths.set(cellKey(cell), path);
    this.number(path, comment);
  }

  private number(path: string, comment: string): void {
    this.numbers.push(path);
    this.lines.push(field(`double ${path};`, comment));
  }

  private heading(text: string): void {
    this.lines.push(`/* ${text} */`);
  }

  private unique(name: string): string {
    return uniqueIn(this.taken, name);
  }
}

/** Names that the preprocessor of some compiler takes away; what looks like a function is safe. */
export const MACROS: readonly string[] =
  "MAX_ROUNDS NAN INFINITY HUGE_VAL HUGE M_E M_PI M_LN2 M_LN10 M_SQRT2 DOMAIN SING OVERFLOW UNDERFLOW errno linux unix".split(
    " ",
  );

const CLOCK_COMMENTS = {
  t: "where the step begins",
  H: "the whole step",
  h: "the step of an inner unit",
  dt: "where that begins, counted from t",
} as const;

function uniqueIn(taken: Set<string>, name: string): string {
  const plain = cIdentifier(name);
  let unique = plain;
  for (let n = 2; taken.has(unique); n++) unique = `${plain}_${n}`;
  taken.add(unique);
  return unique;
}

function field(text: string, comment: string): string {
  return comment === "" ? text : `${text} /* ${cComment(comment)} */`;
}

export function cellKey({ bank, index }: Cell): string {
  return `${bank} ${index}`;
}
