/**
 * An adaptation as one C file: a struct with what its rules remember, one function for each set of
 * rules, and the tables that the runtime (c-runtime/adaptation.h) needs to do with them what Cosimo
 * does. People read it beside the `.sa` file, so names are the same and every statement stands
 * under the line that it comes from.
 */
import { AdaptationError } from "../adapt/adaptation-error.ts";
import { describeAdaptation } from "../adapt/describe-adaptation.ts";
import type { ExposedPorts } from "../adapt/exposed-ports.ts";
import { type Cell, type Layout, type LinkPort, layoutOf } from "../adapt/layout.ts";
import { type LinkPlan, planLinks } from "../adapt/link-plan.ts";
import type { BlockKind } from "../adapt/name-scope.ts";
import type { Place } from "../base/diagnostic.ts";
import type { Adaptation } from "../model/adaptation/data.ts";
import type { Conversion } from "../model/physical-unit-conversion.ts";
import type { Port, UnitDescription } from "../model/unit-description.ts";
import { bankOf } from "../model/value-type.ts";
import { printNumber } from "./adaptation-expression.ts";
import { AdaptationFields } from "./adaptation-fields.ts";
import { CNames } from "./adaptation-names.ts";
import { CONTROL_ENDS, FunctionWriter } from "./adaptation-statement.ts";
import { printTables, type Tables } from "./adaptation-tables.ts";
import { type CSource, type CUnit, cComment, cIdentifier, cNumber, cString } from "./c-unit.ts";

export interface AdaptationSourceOptions {
  /** Name of the C function that makes the unit, unique in the FMU. */
  readonly maker: string;
  /** Makers and descriptions of the inner units, by their names in the adaptation. */
  readonly inner: ReadonlyMap<string, CUnit>;
  /** The text of the `.sa` file: its lines become comments. */
  readonly text?: string;
  /** Ports of inner units that show through. */
  readonly passing?: ExposedPorts;
  /**
   * The control variable with the time of the next event, of a unit that changes at events only.
   */
  readonly nextEvent?: string;
}

export interface AdaptationSource extends CUnit {
  readonly source: CSource;
}

/**
 * @param adaptation in explicit form.
 * @throws AdaptationError when the rules have no meaning.
 */
export function adaptationSource(
  adaptation: Adaptation,
  options: AdaptationSourceOptions,
): AdaptationSource {
  for (const { name, place } of adaptation.inner)
    if (!options.inner.has(name))
      throw new AdaptationError(`there is no inner unit '${name}'`, place);
  const inner = new Map([...options.inner].map(([name, unit]) => [name, unit.description]));
  const description = describeAdaptation(adaptation, inner);
  const text = new AdaptationPrinter(adaptation, description, inner, options).print();
  const path = `${cIdentifier(options.maker).replaceAll("_", "-")}.c`;
  const shown = options.passing?.description ?? description;
  return { maker: options.maker, description: shown, source: { path, text } };
}

/** Names of C that the struct must not have. */
const TYPES = new Set(
  "Unit UnitStatus UnitClass UnitHost UnitMaker UnitStop Adaptation AdaptationTable InnerLink InnerTable InnerPort OwnPort Rules Binary Delivery".split(
    " ",
  ),
);

/** Functions of the runtime and of C begin with a small letter; constants and macros have none. */
function isTaken(name: string): boolean {
  return TYPES.has(name) || !/^[A-Z].*[a-z]/.test(name);
}

class AdaptationPrinter implements Tables {
  readonly adaptation: Adaptation;
  readonly options: AdaptationSourceOptions;
  readonly description: UnitDescription;
  readonly layout: Layout;
  readonly plan: LinkPlan;
  readonly fields: AdaptationFields;
  private readonly names: CNames;
  readonly type: string;
  private readonly sourceLines: readonly string[];

  constructor(
    adaptation: Adaptation,
    description: UnitDescription,
    inner: ReadonlyMap<string, UnitDescription>,
    options: AdaptationSourceOptions,
  ) {
    this.adaptation = adaptation;
    this.options = options;
    this.description = description;
    this.layout = layoutOf(adaptation, description, inner);
    this.plan = planLinks(adaptation, this.layout);
    this.fields = new AdaptationFields(adaptation, this.layout, description);
    this.names = new CNames(adaptation, this.layout, this.fields);
    const type = cIdentifier(adaptation.type);
    this.type = isTaken(type) ? `${type}_unit` : type;
    this.sourceLines = options.text?.split("\n") ?? [];
  }

  print(): string {
    const { adaptation, type, options } = this;
    // The functions come first: texts that are local to rules become fields of the struct.
    const functions = this.functions();
    const makers = adaptation.inner.map(({ name }) => options.inner.get(name)!.maker);
    const file = fileName(adaptation.place.file);
    return `${[
      `/* ${cComment(adaptation.type)}: made by Cosimo from ${cComment(file)}, whose lines are quoted. */`,
      '#include "adaptation.h"',
      "",
      ...[...new Set(makers)].map((maker) => `UnitMaker ${maker};`),
      `UnitMaker ${options.maker};`,
      "",
      ...(this.fields.units.length === 0
        ? []
        : [`enum { ${this.fields.units.map(({ constant }) => constant).join(", ")} };`, ""]),
      "typedef struct {",
      "  Adaptation adaptation;",
      ...this.fields.print().map((line) => `  ${line}`),
      `} ${type};`,
      "",
      ...functions,
      ...printTables(this),
    ].join("\n")}\n`;
  }

  // ---- rules ------------------------------------------------------------------------------------

  private functions(): string[] {
    const { adaptation, layout, plan } = this;
    const { inRules, outRules, controlRules: control = [] } = adaptation;
    return [
      ...this.function("start", "in", "Start values of own ports.", (body) => this.start(body)),
      ...this.function("initialize", "in", "Variables as declared.", (body) =>
        this.initialize(body),
      ),
      ...this.function("conditions_in", "in", "Which in rules hold.", (body) =>
        body.conditions(inRules, layout.inFlags),
      ),
      ...this.function("rules_in", "in", "In: from own inputs to storage.", (body) =>
        body.rules(inRules, "first", layout.inFlags),
      ),
      ...layout.links.flatMap((_, link) => this.innerFunctions(link)),
      ...this.function("conditions_out", "map-out", "Which out rules hold.", (body) =>
        body.conditions(outRules, layout.outFlags),
      ),
      ...this.function("map_out", "map-out", "MapOut: from inner units to storage.", (body) =>
        body.rules(outRules, "first", layout.outFlags),
      ),
      ...this.function("rules_out", "out", "Out: from storage to own outputs.", (body) =>
        body.rules(outRules, "second", layout.outFlags),
      ),
      ...(plan.isDefault
        ? []
        : this.function("control", "control", "Control: what a step does.", (body) => {
            body.block(control);
            if (control.at(-1)?.kind !== "return") body.before(CONTROL_ENDS);
          })),
    ];
  }

  private innerFunctions(link: number): string[] {
    const { plain } = this.fields.units[link];
    const { name } = this.layout.links[link];
    const { inRules } = this.adaptation;
    const title = cComment(`What comes next for ${name}: connections, then MapIn.`);
    const overrides = this.overridesOf(link);
    return [
      ...this.function(
        `map_in_${plain}`,
        "map-in",
        title,
        (body) => {
          this.connect(link, body);
          body.rules(inRules, "second", this.layout.inFlags);
        },
        link,
      ),
      ...(overrides.length === 0
        ? []
        : this.function(
            `overrides_${plain}`,
            "control",
            `What control rules assigned for the next step of ${cComment(name)}.`,
            (body) => {
              for (const { input, cell, value, flag } of overrides)
                body.inside(`if (${this.names.flag(flag)} != 0)`, () => {
                  body.before(`${this.names.flag(flag)} = 0.0;`);
                  body.before(`was_assigned(a, ${this.fields.units[link].constant}, ${input});`);
                  this.copy(cell, value, body);
                });
            },
            link,
            false,
          )),
    ];
  }

  /** @param returns whether it is the control function, which returns how far it came. */
  private function(
    name: string,
    kind: BlockKind,
    title: string,
    write: (body: FunctionWriter) => void,
    link = -1,
    returns = kind === "control",
  ): string[] {
    const body = new FunctionWriter(this.names, (place) => this.lineOf(place), kind, link);
    write(body);
    const lines = body.finish();
    const usesFields = lines.some((line) => line.includes("u->"));
    const uses = (word: string): boolean =>
      lines.some((line) => new RegExp(`\\b${word}\\b`).test(line.replace(/\/\*.*\*\//, "")));
    const last = lines.at(-1) ?? "";
    const hasEnded = returns && last.startsWith("return ");
    return [
      `/* ${title} */`,
      `static UnitStatus ${name}(Adaptation *a${returns ? ", double *taken" : ""}) {`,
      ...(usesFields ? [`  ${this.type} *const u = (${this.type} *)a;`] : []),
      ...(usesFields || uses("a") ? [] : ["  (void)a;"]),
      ...(returns && !uses("taken") ? ["  (void)taken;"] : []),
      ...lines.map((line) => `  ${line}`),
      ...(hasEnded ? [] : ["  return UNIT_OK;"]),
      "}",
      "",
    ];
  }

  private start(body: FunctionWriter): void {
    for (const port of this.description.ports) {
      const value = port.start?.[0];
      if (value === undefined) continue;
      const place = this.names.place(this.ownCell(port));
      if (bankOf(port.type) === "obj")
        body.before(`UNIT_TRY(unit_copy_text(&a->unit, &${place}, ${cString(String(value))}));`);
      else if (Number(value) !== 0) body.before(`${place} = ${cNumber(Number(value))};`);
    }
  }

  private initialize(body: FunctionWriter): void {
    const { inVariables, controlVariables, outVariables } = this.adaptation;
    for (const { name, value, place } of [...inVariables, ...controlVariables, ...outVariables]) {
      const cell = this.layout.variables.get(name)!;
      body.comment(place);
      if (cell.bank === "number")
        body.before(`${this.names.place(cell)} = ${printNumber(value, body)};`);
      else body.store(cell, value, place);
    }
  }

  private connect(link: number, body: FunctionWriter): void {
    const { wires, links } = this.layout;
    const at = (ports: ReadonlyMap<string, LinkPort>, index: number): Cell =>
      [...ports.values()].find(({ port }) => port.index === index)!.cell;
    this.layout.wires.forEach(({ from, to, by }, w) => {
      if (to.unit !== link) return;
      body.comment(this.adaptation.connections[w].place);
      const source = at(links[from.unit].outputs, from.port);
      const target = at(links[link].inputs, to.port);
      if (source.bank !== "number" || isIdentity(wires[w].by)) this.copy(target, source, body);
      else body.before(`${this.names.place(target)} = ${converted(this.names.place(source), by)};`);
    });
  }

  private copy(target: Cell, source: Cell, body: FunctionWriter): void {
    const [to, from] = [this.names.place(target), this.names.place(source)];
    if (target.bank === "number") body.before(`${to} = ${from};`);
    else body.before(`UNIT_TRY(unit_copy_text(&a->unit, &${to}, ${from}));`);
  }

  overridesOf(link: number): { input: number; cell: Cell; value: Cell; flag: number }[] {
    const { name, inputs } = this.layout.links[link];
    return [...inputs].flatMap(([port, { cell }], input) => {
      const override = this.layout.overrides.get(`${name}.${port}`);
      return override ? [{ input, cell, ...override }] : [];
    });
  }

  ownCell({ direction, name }: Port): Cell {
    const { variables, ownInputs, ownOutputs } = this.layout;
    const cells =
      direction === "parameter" ? variables : direction === "input" ? ownInputs : ownOutputs;
    return cells.get(name)!;
  }

  private lineOf({ file, line }: Place): string {
    if (line === undefined) return "";
    const text = this.sourceLines[line - 1]?.trim() ?? "";
    return `${fileName(file)}:${line} ${text}`.trimEnd();
  }
}

function isIdentity({ factor, offset }: Conversion): boolean {
  return factor === 1 && offset === 0;
}

/** As `convertValue` does it: dividing by a whole number where that is exact. */
function converted(value: string, { factor, offset }: Conversion): string {
  const divisor = 1 / factor;
  const scaled =
    Math.abs(factor) < 1 && Number.isInteger(divisor)
      ? `${value} / ${cNumber(divisor)}`
      : `${value} * ${cNumber(factor)}`;
  return offset === 0 ? scaled : `${scaled} + ${cNumber(offset)}`;
}

/** Where a file lies is no business of who gets the FMU. */
function fileName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}
