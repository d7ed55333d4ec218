/**
 * The tables of a generated adaptation: what the runtime (c-runtime/adaptation.h) has to know of
 * its ports, its inner units and the order in which they are executed.
 */

import type { ExposedPort, ExposedPorts } from "../adapt/exposed-ports.ts";
import { integerCell } from "../adapt/integer-range.ts";
import type { Cell, Layout, LinkPort } from "../adapt/layout.ts";
import type { LinkPlan, PlannedInput } from "../adapt/link-plan.ts";
import type { Adaptation } from "../model/adaptation/data.ts";
import { type Port, portSize, type UnitDescription } from "../model/unit-description.ts";
import { bankOf } from "../model/value-type.ts";
import type { AdaptationFields } from "./adaptation-fields.ts";
import { type CUnit, cNumber, cString } from "./c-unit.ts";

/** What tables are made of. */
export interface Tables {
  readonly adaptation: Adaptation;
  /** Without ports that show through. */
  readonly description: UnitDescription;
  readonly layout: Layout;
  readonly plan: LinkPlan;
  readonly fields: AdaptationFields;
  /** Name of the struct. */
  readonly type: string;
  readonly options: {
    readonly maker: string;
    readonly inner: ReadonlyMap<string, CUnit>;
    readonly passing?: ExposedPorts;
    readonly nextEvent?: string;
  };
  ownCell(port: Port): Cell;
  /** Inputs of an inner unit that control rules assign. */
  overridesOf(link: number): readonly unknown[];
}

const TABLE_FUNCTIONS = [
  "start",
  "initialize",
  "conditions_in",
  "rules_in",
  "conditions_out",
  "map_out",
  "rules_out",
];

const BANKS = { f64: "BANK_NUMBER", i64: "BANK_LONG", obj: "BANK_TEXT" } as const;

export function printTables(tables: Tables): string[] {
  const { adaptation, description, plan, type, fields, layout, options } = tables;
  const { ports, capabilities } = options.passing?.description ?? description;
  const { rollback, serialize, inputDerivativeOrder } = capabilities;
  const members = [
    ...["enter_initialization", "exit_initialization", "advance", "terminate", "reset", "free"],
    ...["numbers", "longs", "texts", "binaries"].flatMap((bank) => [`get_${bank}`, `set_${bank}`]),
    ...(inputDerivativeOrder > 0 ? ["set_input_derivatives"] : []),
    ...(rollback ? ["save", "restore", "release"] : []),
    ...(serialize ? ["serialize", "deserialize"] : []),
  ];
  return [
    "/* ---- tables for adaptation.c ---- */",
    "",
    "static const OwnPort PORTS[] = {",
    ...ports.map((port) => ownPort(tables, port)),
    // C knows no empty arrays.
    ...(ports.length === 0 ? ["    {0}"] : []),
    "};",
    "",
    ...layout.links.flatMap((_, link) => innerPorts(tables, link)),
    "static const InnerTable INNER[] = {",
    ...layout.links.flatMap((_, link) => innerTable(tables, link)),
    ...(layout.links.length === 0 ? ["    {0}"] : []),
    "};",
    "",
    ...(plan.order === undefined || plan.order.length === 0
      ? []
      : [
          `static const size_t ORDER[] = {${plan.order.map((link) => fields.units[link].constant).join(", ")}};`,
          "",
        ]),
    "static const AdaptationTable TABLE = {",
    ...[
      `.type = ${cString(adaptation.type)},`,
      `.is_mealy = ${plan.isMealy},`,
      `.needs_previous = ${plan.needsPrevious},`,
      `.has_courses = ${plan.followsOwnInputs},`,
      `.is_settled_by_step = ${plan.isSettledByStep},`,
      ...fields.printRuns(type),
      ".ports = PORTS,",
      `.port_count = ${ports.length},`,
      ".inner = INNER,",
      `.inner_count = ${layout.links.length},`,
      `.order = ${plan.order === undefined || plan.order.length === 0 ? "NULL" : "ORDER"},`,
      ...TABLE_FUNCTIONS.map((name) => `.${name} = ${name},`),
      `.control = ${plan.isDefault ? "NULL" : "control"},`,
    ].map((line) => `    ${line}`),
    "};",
    "",
    ...nextEventFunction(tables),
    "static const UnitClass CLASS = {",
    ...members.map((member) => `    .${member} = adaptation_${member},`),
    ...(options.nextEvent === undefined ? [] : ["    .next_event = next_event,"]),
    "};",
    "",
    `Unit *${options.maker}(const UnitHost *host, const char *name) {`,
    `  return adaptation_make(sizeof(${type}), &CLASS, &TABLE, host, name);`,
    "}",
  ];
}

/** The variable is a number of the struct, where it stays from step to step. */
function nextEventFunction({ options: { nextEvent }, layout, fields, type }: Tables): string[] {
  const cell = nextEvent === undefined ? undefined : layout.variables.get(nextEvent);
  if (cell === undefined) return [];
  return [
    "static double next_event(const Unit *unit) {",
    `  return ((const ${type} *)(const void *)unit)->${fields.at(cell)};`,
    "}",
    "",
  ];
}

function ownPort(tables: Tables, port: Port): string {
  const { options, fields, type } = tables;
  const passed = options.passing?.ports.find(({ own }) => own === port.index);
  const inside = passed === undefined ? [".size = 1"] : insideOf(tables, port, passed);
  const bank = `.bank = ${port.type === "binary" ? "BANK_BINARY" : BANKS[bankOf(port.type)]}`;
  if (passed?.isShared === false)
    return `    {${[".kind = OWN_PASSED", bank, ...inside].join(", ")}},`;
  const kind = `.kind = OWN_${port.direction.toUpperCase()}`;
  const cell = `.cell = ${fields.printCell(type, tables.ownCell(port))}`;
  return `    {${[kind, bank, cell, ...inside].join(", ")}},`;
}

function insideOf(
  { layout, fields }: Tables,
  port: Port,
  { unit, port: index }: ExposedPort,
): string[] {
  const link = layout.links.findIndex(({ name }) => name === unit);
  return [
    ".is_written_inside = true",
    `.inner = ${fields.units[link].constant}`,
    `.port = ${index}`,
    `.size = ${portSize(port)}`,
  ];
}

function innerPorts({ layout, fields, plan, type }: Tables, link: number): string[] {
  const { inputs, outputs } = layout.links[link];
  const { plain } = fields.units[link];
  const planned = plan.inputs[link];
  const list = (
    name: string,
    ports: ReadonlyMap<string, LinkPort>,
    more: (k: number) => string,
  ): string[] =>
    ports.size === 0
      ? []
      : [
          `static const InnerPort ${name}[] = {`,
          ...[...ports.values()].map(({ port, cell }, k) => {
            const bank = BANKS[bankOf(port.type)];
            const at = fields.printCell(type, cell);
            const sign = port.type === "uint64" ? ", .is_unsigned = true" : "";
            return `    {.port = ${port.index}, .bank = ${bank}, .cell = ${at}${sign}${more(k)}},`;
          }),
          "};",
          "",
        ];
  const behind = (k: number): string => `${plain}_input_${k}_behind`;
  return [
    ...planned.flatMap(({ behind: own }, k) =>
      own.length === 0 ? [] : [`static const size_t ${behind(k)}[] = {${own.join(", ")}};`],
    ),
    ...list(
      `${plain}_inputs`,
      inputs,
      (k) => integerText([...inputs.values()][k]) + givenText(planned[k], behind(k)),
    ),
    ...list(`${plain}_outputs`, outputs, () => ""),
  ];
}

/** What an input can hold, where it is an integer. */
function integerText({ port, cell }: LinkPort): string {
  const range = integerCell(port.name, cell.index, port.type);
  if (range === undefined) return "";
  const { least, most, type } = range;
  return [
    `, .name = ${cString(port.name)}`,
    `.integer = "${type}"`,
    `.least = ${cNumber(least)}`,
    `.most = ${cNumber(most)}`,
  ].join(", ");
}

/** How an input is given, as far as that is not the usual way. */
function givenText(
  { delivery, interpolatesAssigned, source, behind }: PlannedInput,
  list: string,
): string {
  return [
    ...(delivery === "now" ? [] : [`.delivery = GIVE_${delivery.toUpperCase()}`]),
    ...(interpolatesAssigned ? [".rules_assign_end = true"] : []),
    ...(source < 0 ? [] : [".has_source = true", `.source = ${source}`]),
    ...(behind.length === 0 ? [] : [`.behind = ${list}`, `.behind_count = ${behind.length}`]),
  ]
    .map((member) => `, ${member}`)
    .join("");
}

function innerTable(tables: Tables, link: number): string[] {
  const { layout, fields, plan, options } = tables;
  const { name, description, inputs, outputs } = layout.links[link];
  const { plain, constant } = fields.units[link];
  const { followsInputs, feedsAtOnce } = plan;
  return [
    `    [${constant}] = {`,
    ...[
      `.name = ${cString(name)},`,
      `.make = ${options.inner.get(name)!.maker},`,
      ...(inputs.size === 0 ? [] : [`.inputs = ${plain}_inputs,`]),
      `.input_count = ${inputs.size},`,
      ...(outputs.size === 0 ? [] : [`.outputs = ${plain}_outputs,`]),
      `.output_count = ${outputs.size},`,
      `.follows_inputs = ${followsInputs[link]},`,
      `.feeds_at_once = ${feedsAtOnce[link]},`,
      `.can_roll_back = ${description.capabilities.rollback},`,
      `.derivative_order = ${Math.min(2, description.capabilities.inputDerivativeOrder)},`,
      `.map_in = map_in_${plain},`,
      `.overrides = ${tables.overridesOf(link).length === 0 ? "NULL" : `overrides_${plain}`},`,
    ].map((line) => `        ${line}`),
    "    },",
  ];
}
