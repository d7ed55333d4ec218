/**
 * Names of adaptations as names of C: a field of the generated struct for everything that rules
 * remember, a local for the rest. What a name means is decided where it is decided for Cosimo
 * itself (adapt/name-scope.ts).
 */
import { AdaptationError } from "../adapt/adaptation-error.ts";
import type { Cell, Layout } from "../adapt/layout.ts";
import { type BlockKind, NameScope } from "../adapt/name-scope.ts";
import type { Adaptation, CallExpression, Reference } from "../model/adaptation/data.ts";
import { SA_FUNCTIONS } from "../model/adaptation/functions.ts";
import { C_FUNCTIONS, type CExpression } from "./adaptation-expression.ts";
import { type AdaptationFields, cellKey, MACROS } from "./adaptation-fields.ts";
import { cIdentifier } from "./c-unit.ts";

const PRIMARY = 9;

/** Names of C that locals must not hide. */
const TAKEN: readonly string[] = [
  ...C_FUNCTIONS,
  ...MACROS,
  ..."a u taken fmod strcmp endless was_assigned unit_fail unit_copy_text status_".split(" "),
  ..."UnitStatus UNIT_OK Adaptation".split(" "),
];

export class CNames extends NameScope {
  private readonly fields: AdaptationFields;
  private readonly localNames = new Map<string, string>();
  private taken = new Set<string>();

  constructor(adaptation: Adaptation, layout: Layout, fields: AdaptationFields) {
    super(adaptation, layout);
    this.fields = fields;
  }

  /** What follows is one function of C. */
  begin(kind: BlockKind, link = -1): void {
    this.kind = kind;
    this.link = link;
    this.taken = new Set([...TAKEN, ...this.fields.units.map(({ constant }) => constant)]);
  }

  /** A field or a local. */
  name(reference: Reference): CExpression {
    const cell = this.cell(reference);
    if (cell === undefined) {
      const { unit, name, place } = reference;
      const shown = unit === undefined ? name : `${unit}.${name}`;
      throw new AdaptationError(`'${shown}' means nothing here`, place);
    }
    const kind = cell.bank === "number" ? "number" : "text";
    return { text: this.place(cell), level: PRIMARY, kind, cell: cell.type };
  }

  place(cell: Cell): string {
    return this.localNames.get(cellKey(cell)) ?? `u->${this.fields.at(cell)}`;
  }

  flag(index: number): string {
    return `u->${this.fields.flag(index)}`;
  }

  /** A local of C for numbers; texts last longer than a block of C, so they get fields. */
  override declare(name: string, kind: "number" | "text"): Cell {
    const cell = super.declare(name, kind);
    if (kind === "text") this.fields.addText(cell, `local_${name}`);
    else this.localNames.set(cellKey(cell), this.fresh(name));
    return cell;
  }

  fresh(like: string): string {
    const plain = cIdentifier(like);
    let name = plain;
    for (let n = 2; this.taken.has(name); n++) name = `${plain}_${n}`;
    this.taken.add(name);
    return name;
  }

  /** The derivative of an own input that a call reads. */
  ownDerivative(call: CallExpression, order: 1 | 2): string {
    const input = this.ownInputOf(call);
    if (order === 1) return `a->rates[${input}]`;
    return this.showsCurves ? `a->curves[${input}]` : "0.0";
  }

  /** The constant that stands for the inner unit of a call. */
  innerUnit({ callee, arguments: given, place }: CallExpression): string {
    if (SA_FUNCTIONS.get(callee)?.controlOnly === true && this.kind !== "control")
      throw new AdaptationError(`'${callee}' is for control rules only`, place);
    const [first] = given;
    const name = first?.kind === "reference" && first.unit === undefined ? first.name : "";
    const link = this.layout.links.findIndex((one) => one.name === name);
    if (link < 0) throw new AdaptationError(`'${callee}' takes an inner unit`, place);
    return this.fields.units[link].constant;
  }
}
