/**
 * What names mean in the rules of an adaptation: where a name can be read, where it can be
 * assigned, and where locals live. Both compilers of rules (to closures here, to C in an export)
 * use this, so that they agree.
 */
import type { Adaptation, CallExpression, Reference } from "../model/adaptation/data.ts";
import { AdaptationError } from "./adaptation-error.ts";
import type { Cell, Layout } from "./layout.ts";

/** The five sets of rules; names can be assigned in some of them only. */
export type BlockKind = "in" | "map-in" | "control" | "map-out" | "out";

/**
 * Where an assignment goes. `flag` is set beside it. "nowhere": the assignment is not for this
 * block.
 */
export type Target = { readonly cell: Cell; readonly flag?: number } | "nowhere" | undefined;

export class NameScope {
  protected readonly adaptation: Adaptation;
  protected readonly layout: Layout;
  /** The rules that are being read now, and the inner unit that they are read for (MapIn). */
  protected kind: BlockKind = "in";
  protected link = -1;
  private readonly parameters: ReadonlySet<string>;
  private readonly locals: Map<string, Cell>[] = [];
  private nextNumber: number;
  private nextText: number;

  constructor(adaptation: Adaptation, layout: Layout) {
    this.adaptation = adaptation;
    this.layout = layout;
    this.parameters = new Set(adaptation.parameters.map(({ name }) => name));
    this.nextNumber = layout.locals.number;
    this.nextText = layout.locals.text;
  }

  /** The place of a name, or undefined where there is none. */
  cell({ unit, name }: Reference): Cell | undefined {
    const { variables, ownInputs, ownOutputs, links, clock } = this.layout;
    if (unit === undefined) {
      return (
        this.local(name) ??
        variables.get(name) ??
        ownInputs.get(name) ??
        ownOutputs.get(name) ??
        (Object.hasOwn(clock, name) ? clock[name as keyof typeof clock] : undefined)
      );
    }
    const link = links.find((candidate) => candidate.name === unit);
    if (link) return (link.outputs.get(name) ?? link.inputs.get(name))?.cell;
    return unit === this.adaptation.name
      ? (ownInputs.get(name) ?? ownOutputs.get(name))
      : undefined;
  }

  /** @returns undefined where the name cannot be assigned here. */
  target({ unit, name }: Reference): Target {
    const { variables, ownOutputs, links, overrides } = this.layout;
    if (unit === undefined) {
      const local = this.local(name);
      if (local) return { cell: local };
      const variable = this.parameters.has(name) ? undefined : variables.get(name);
      if (variable && this.kind !== "map-in" && this.kind !== "out") return { cell: variable };
    }
    const link = links.findIndex((candidate) => candidate.name === unit);
    if (link >= 0 && this.kind === "control") {
      const override = overrides.get(`${unit}.${name}`);
      return override && { cell: override.value, flag: override.flag };
    }
    if (link >= 0 && this.kind === "map-in") {
      if (link !== this.link) return "nowhere";
      const input = links[link].inputs.get(name);
      return input && { cell: input.cell };
    }
    const output =
      unit === undefined || unit === this.adaptation.name ? ownOutputs.get(name) : undefined;
    return output && this.kind === "out" ? { cell: output } : undefined;
  }

  /**
   * `input_slope(input)`, `input_curve(input)`: the position of the own input among those that can
   * move.
   * @throws AdaptationError where it is none.
   */
  protected ownInputOf({ callee, arguments: given, place }: CallExpression): number {
    if (this.kind !== "in")
      throw new AdaptationError(`'${callee}' is for the first part of in rules only`, place);
    const [input, ...more] = given;
    const isOwn =
      input?.kind === "reference" &&
      (input.unit === undefined || input.unit === this.adaptation.name);
    const at = isOwn ? this.layout.movable.findIndex(({ name }) => name === input.name) : -1;
    if (at < 0 || more.length > 0)
      throw new AdaptationError(`'${callee}' takes an input of the adaptation`, place);
    return at;
  }

  /** Whether `input_curve` gives second derivatives: rules that get one take parts of steps. */
  protected get showsCurves(): boolean {
    return this.layout.links.every(({ description }) => description.capabilities.variableStep);
  }

  /** A place for a new local name; `kind` says in which memory. */
  declare(name: string, kind: "number" | "text"): Cell {
    const cell: Cell =
      kind === "number"
        ? { bank: "number", index: this.nextNumber++, type: "real" }
        : { bank: "text", index: this.nextText++, type: "string" };
    this.locals.at(-1)?.set(name, cell);
    return cell;
  }

  /** Names declared from here on belong to an inner block until `leave`. */
  enter(): void {
    this.locals.push(new Map());
  }
  leave(): void {
    this.locals.pop();
  }

  private local(name: string): Cell | undefined {
    for (let depth = this.locals.length - 1; depth >= 0; depth--) {
      const cell = this.locals[depth].get(name);
      if (cell) return cell;
    }
    return undefined;
  }
}
