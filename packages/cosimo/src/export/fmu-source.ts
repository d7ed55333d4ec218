/**
 * An FMU inside as one C file: a table of what its description says, so that the exported FMU reads
 * no XML.
 */
import type { UnitDescription } from "../model/unit-description.ts";
import { portSize } from "../model/unit-description.ts";
import type { ValueType } from "../model/value-type.ts";
import { type CSource, type CUnit, cComment, cIdentifier, cNumber, cString } from "./c-unit.ts";
import { EXPORT_VERSIONS, type ExportVersion } from "./versions.ts";

/** What the C of an FMU inside needs to know beyond its ports and capabilities. */
export interface InnerFmu {
  readonly version: ExportVersion;
  /** Folder below `resources/` that it is unpacked to. */
  readonly folder: string;
  readonly modelIdentifier: string;
  readonly token: string;
  /** Its library for the machine that exports, relative to its own folder; empty: it has none. */
  readonly library: string;
  readonly hasResources: boolean;
  /** FMI 2: it may take steps in the background. */
  readonly isAsynchronous: boolean;
  /** Value references by port. */
  readonly references: readonly number[];
  /** Log categories that it offers. */
  readonly categories: readonly string[];
  /** Structural parameters by port. */
  readonly structural: ReadonlyMap<number, number>;
  /** FMI 3: inputs that follow slopes inside a step. */
  readonly followed: readonly number[];
}

export interface FmuSource extends CUnit {
  readonly source: CSource;
}

/** Categories of FMI 2 that say why a call did not return OK. */
const STATUS_CATEGORIES = [
  "logStatusWarning",
  "logStatusDiscard",
  "logStatusError",
  "logStatusFatal",
];

export function fmuSource(fmu: InnerFmu, description: UnitDescription, maker: string): FmuSource {
  const path = `${cIdentifier(maker).replaceAll("_", "-")}.c`;
  return { maker, description, source: { path, text: print(fmu, description, maker) } };
}

function print(
  fmu: InnerFmu,
  { name, ports, capabilities }: UnitDescription,
  maker: string,
): string {
  const categories = STATUS_CATEGORIES.filter((one) => fmu.categories.includes(one));
  const structure = [...fmu.structural].map(([port, value]) => `{${port}, ${cNumber(value)}}`);
  const list = (
    type: string,
    constant: string,
    items: readonly string[],
    field: string,
    count: string,
  ): { readonly table: string[]; readonly fields: string[] } => {
    if (items.length === 0) return { table: [], fields: [] };
    return {
      table: [`static const ${type} ${constant}[] = {${items.join(", ")}};`, ""],
      fields: [`    .${field} = ${constant},`, `    .${count} = ${items.length},`],
    };
  };
  const lists = [
    ...(EXPORT_VERSIONS[fmu.version].choosesCategories
      ? [list("char *const", "CATEGORIES", categories.map(cString), "categories", "category_count")]
      : []),
    list("FmuStructure", "STRUCTURE", structure, "structure", "structure_count"),
    list("unsigned", "FOLLOWED", fmu.followed.map(String), "followed", "followed_count"),
  ];
  const lines = [
    `/* The FMU '${cComment(name)}' (FMI ${fmu.version}.0), unpacked in resources/${cComment(fmu.folder)}: made by Cosimo. */`,
    '#include "inner-fmu.h"',
    "",
    `UnitMaker ${maker};`,
    "",
    "/* type, value reference, elements, whether it is an input */",
    "static const FmuPort PORTS[] = {",
    ...ports.map((port, p) => {
      const isInput = port.direction === "input";
      const cells = [cType(port.type), fmu.references[p], portSize(port), isInput];
      return `    {${cells.join(", ")}}, /* ${cComment(port.name)} */`;
    }),
    "};",
    "",
    ...lists.flatMap(({ table }) => table),
    "static const FmuModel MODEL = {",
    `    .folder = ${cString(fmu.folder)},`,
    `    .identifier = ${cString(fmu.modelIdentifier)},`,
    `    .token = ${cString(fmu.token)},`,
    `    .library = ${cString(fmu.library)},`,
    "    .ports = PORTS,",
    `    .port_count = ${ports.length},`,
    `    .has_variable_step = ${capabilities.variableStep},`,
    `    .has_resources = ${fmu.hasResources},`,
    `    .is_asynchronous = ${fmu.isAsynchronous},`,
    ...lists.flatMap(({ fields }) => fields),
    "};",
    "",
    `Unit *${maker}(const UnitHost *host, const char *name) { return make_fmi${fmu.version}_unit(&MODEL, host, name); }`,
  ];
  return `${lines.join("\n")}\n`;
}

/** The constant of c-runtime/inner-fmu.h. */
export function cType(type: ValueType): string {
  return `TYPE_${type.toUpperCase()}`;
}
