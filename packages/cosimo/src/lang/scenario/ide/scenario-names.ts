/**
 * Names of units and ports in the text of a scenario, with what each stands for: going to
 * definitions, finding uses and renaming follow. Texts hold several of them (`a.y -> b.u`), so they
 * are found by the names of the units that the text declares.
 */

import type { UnitSource } from "../../../model/scenario.ts";
import { FILE_KEYS, sourceAt } from "../../../model/source-kind.ts";
import type { NamedThing } from "../../text/named-things.ts";
import type { Span } from "../../text/span.ts";
import { keyRoleAt, roleAt } from "./roles.ts";
import { scalarsOf, type WrittenScalar } from "./yaml-context.ts";

export interface ScenarioThing extends NamedThing {
  /** Of a port: its unit. */
  readonly unit?: string;
}

/** A file that the text names. */
export interface NamedFile {
  readonly span: Span;
  readonly path: string;
}

export interface ScenarioNames {
  readonly things: readonly ScenarioThing[];
  readonly files: readonly NamedFile[];
  /** What every unit is made of, as far as it is written. */
  readonly sources: ReadonlyMap<string, UnitSource>;
  /** Interfaces that say what the ports of a unit mean. */
  readonly interfaces: ReadonlyMap<string, string>;
  readonly scalars: readonly WrittenScalar[];
}

export function namesOf(text: string): ScenarioNames {
  const scalars = scalarsOf(text);
  const isUnit = ({ isKey, path }: WrittenScalar): boolean =>
    isKey && path.length === 2 && path[0] === "units";
  const units = new Set(scalars.filter(isUnit).map(({ value }) => value));
  const things = scalars.flatMap((scalar): ScenarioThing[] => {
    if (isUnit(scalar)) {
      const { value: name } = scalar;
      return [{ span: insideOf(text, scalar), name, key: `unit ${name}`, isDeclaration: true }];
    }
    return namesIn(text, scalar, units);
  });
  const files = scalars.flatMap((scalar): NamedFile[] => {
    const kind = scalar.isKey ? undefined : roleAt(scalar.path)?.kind;
    const isHints = kind === "formula" && /\.hint$/i.test(scalar.value);
    if (kind !== "file" && !isHints) return [];
    return [{ span: insideOf(text, scalar), path: scalar.value }];
  });
  return { things, files, ...sourcesOf(scalars), scalars };
}

/** Without its quotes. */
function insideOf(text: string, { offset, end }: WrittenScalar): Span {
  const quoted = /^["']/.test(text.slice(offset, end)) ? 1 : 0;
  const isClosed = quoted > 0 && end - offset > 1 && text[end - 1] === text[offset];
  return { offset: offset + quoted, end: end - (isClosed ? 1 : 0) };
}

function namesIn(text: string, scalar: WrittenScalar, units: ReadonlySet<string>): ScenarioThing[] {
  const role = scalar.isKey ? keyRoleAt(scalar.path) : roleAt(scalar.path);
  const span = insideOf(text, scalar);
  const written = text.slice(span.offset, span.end);
  switch (role?.kind) {
    case "unit":
      return units.has(written) ? [unitThing(written, span.offset)] : [];
    case "set": {
      const { unit } = role;
      if (!scalar.isKey) return [];
      return [portThing(unit, written, span.offset)];
    }
    case "formula":
      return portsIn(written, span.offset, units);
    case "ports": {
      const first = /^\S+/.exec(written)?.[0] ?? "";
      // `motor fails at 3 s`: the unit itself.
      const alone =
        scalar.path[0] === "faults" && units.has(first) ? [unitThing(first, span.offset)] : [];
      return [...alone, ...portsIn(written, span.offset, units)];
    }
    default:
      return [];
  }
}

/**
 * `unit.port` wherever it begins a word; a port ends at a blank, a comma or an operator, outside of
 * brackets.
 */
const PORT =
  /(?<![\p{L}\p{N}_.-])([\p{L}_][\p{L}\p{N}_-]*)\.((?:[^\s,<>=+*/"'()[\]{}]|\([^)\n]*\)|\[[^\]\n]*\])*\*?)/gu;

function portsIn(written: string, base: number, units: ReadonlySet<string>): ScenarioThing[] {
  return [...written.matchAll(PORT)].flatMap((match): ScenarioThing[] => {
    const [, unit = "", rest = ""] = match;
    if (!units.has(unit)) return [];
    const at = base + match.index;
    // The arrow may follow without a blank.
    const port = rest.replace(/-$/, "");
    const named = port === "" ? [] : [portThing(unit, port, at + unit.length + 1)];
    return [unitThing(unit, at), ...named];
  });
}

function unitThing(name: string, offset: number): ScenarioThing {
  const span = { offset, end: offset + name.length };
  return { span, name, key: `unit ${name}`, isDeclaration: false };
}

function portThing(unit: string, name: string, offset: number): ScenarioThing {
  const span = { offset, end: offset + name.length };
  return { span, name, key: `port ${unit}.${name}`, isDeclaration: false, unit };
}

/** Units as far as they can be read: a mistake elsewhere in the text does not hide them. */
function sourcesOf(
  scalars: readonly WrittenScalar[],
): Pick<ScenarioNames, "sources" | "interfaces"> {
  const sources = new Map<string, UnitSource>();
  const interfaces = new Map<string, string>();
  for (const { isKey, path, value } of scalars) {
    if (isKey || path[0] !== "units" || path.length < 2 || path.length > 3) continue;
    const unit = String(path[1]);
    const key = path[2];
    const kind = FILE_KEYS.get(String(key));
    const source = key === undefined ? sourceAt(value) : kind && ({ kind, path: value } as const);
    if (source !== undefined) sources.set(unit, source);
    if (key === "interface") interfaces.set(unit, value);
  }
  return { sources, interfaces };
}

/** The units that a text names, however unfinished it is. */
export function unitSources(text: string): ReadonlyMap<string, UnitSource> {
  return sourcesOf(scalarsOf(text)).sources;
}
