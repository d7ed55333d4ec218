/**
 * One SSP file while it is read: its tree, held to the schema, with the units and enumerations that
 * it defines. They are scoped to the file, so that every file can be understood alone.
 */

import type { Diagnostic } from "../base/diagnostic.ts";
import { nearest } from "../base/nearest.ts";
import { BASE_UNITS, type Dimension, type PhysicalUnit } from "../model/physical-unit.ts";
import { parseUnit } from "../model/physical-unit-parse.ts";
import { parseDouble, parseInteger } from "../xml/literals.ts";
import { Reporter } from "../xml/reporter.ts";
import { ShapeChecker, UnusedList } from "./check-shape.ts";
import type { SspVersion } from "./names.ts";
import { SSP_DIAGNOSTICS, type SspReporter } from "./ssp-diagnostics.ts";
import { attribute, childNamed, childrenNamed, readTree, type SspNode } from "./xml-node.ts";

export class SspFile {
  readonly file: string;
  readonly reporter: SspReporter;
  readonly unused: UnusedList = new UnusedList();
  version: SspVersion = "1.0";

  constructor(file: string) {
    this.file = file;
    this.reporter = new Reporter(file, SSP_DIAGNOSTICS);
  }

  /**
   * The root of `text` when it is `rootName` in a known version; the whole file is checked against
   * the schema.
   */
  read(text: string, rootName: string): SspNode | undefined {
    const root = readTree(text, this.reporter);
    if (root === undefined) return undefined;
    if (root.name !== rootName) {
      const params = { found: root.name, expected: rootName };
      this.reporter.report("wrong-root", params, root.line);
      return undefined;
    }
    const version = root.attributes.get("version") ?? "1.0";
    const major = /^([12])\.\d+(-.*)?$/.exec(version)?.[1];
    if (major === undefined) {
      this.reporter.report("ssp-version", { version }, root.line);
      return undefined;
    }
    this.version = major === "1" ? "1.0" : "2.0";
    new ShapeChecker(this.reporter, this.unused, this.version).check(root);
    return root;
  }

  finish(): readonly Diagnostic[] {
    this.unused.report(this.reporter);
    return this.reporter.finish();
  }
}

/** What a root element (also one that stands inline in another file) defines for its content. */
export class Definitions {
  readonly units: ReadonlyMap<string, PhysicalUnit>;
  private readonly enumerations: ReadonlyMap<string, SspNode>;
  private readonly reporter: SspReporter;

  constructor(root: SspNode, reporter: SspReporter) {
    this.reporter = reporter;
    const child = (local: string) =>
      root.children.find((node) => node.name.slice(node.name.indexOf(":") + 1) === local);
    const units = uniqueBy("unit", childrenNamed(child("Units") ?? EMPTY, "ssc:Unit"), reporter);
    this.units = new Map([...units].map(([name, node]) => [name, readUnit(node, reporter)]));
    const definitions = childrenNamed(child("Enumerations") ?? EMPTY, "ssc:Enumeration");
    this.enumerations = uniqueBy("enumeration", definitions, reporter);
    for (const definition of definitions)
      for (const item of childrenNamed(definition, "ssc:Item"))
        attribute(item, "value", parseInt32, "an integer", reporter);
  }

  /**
   * The unit that the attribute `unit` of `node` names; one that is not defined is the one that its
   * name means, if any.
   */
  unitOf(node: SspNode): PhysicalUnit | undefined {
    const unit = node.attributes.get("unit");
    if (unit === undefined) return undefined;
    const defined = this.units.get(unit);
    if (defined !== undefined) return defined;
    const known = parseUnit(unit);
    const isKnown = known !== undefined;
    const params = { unit, isKnown, nearest: nearest(unit, this.units.keys()) };
    this.reporter.report("ssp-unknown-unit", params, node.line);
    return known;
  }

  checkEnumeration(node: SspNode): void {
    const name = node.attributes.get("name");
    if (name === undefined || this.enumerations.has(name)) return;
    const params = { name, nearest: nearest(name, this.enumerations.keys()) };
    this.reporter.report("ssp-unknown-enumeration", params, node.line);
  }
}

const EMPTY: SspNode = { name: "", line: 1, attributes: new Map(), children: [] };

const parseInt32 = (text: string): number | undefined =>
  parseInteger(text, -2147483648, 2147483647);

/**
 * The nodes by their name attribute; a name that occurs again is reported, and tolerated where it
 * says the same again.
 */
export function uniqueBy(
  what: string,
  nodes: readonly SspNode[],
  reporter: SspReporter,
): Map<string, SspNode> {
  const found = new Map<string, SspNode>();
  for (const node of nodes) {
    const name = node.attributes.get("name");
    if (name === undefined) continue;
    const other = found.get(name);
    if (other === undefined) found.set(name, node);
    else {
      const code = sayTheSame(node, other) ? "ssp-repeated" : "ssp-duplicate-name";
      reporter.report(code, { what, name, line: other.line }, node.line);
    }
  }
  return found;
}

/** Apart from what only concerns drawings. */
function sayTheSame(a: SspNode, b: SspNode): boolean {
  const parts = ({ children }: SspNode): SspNode[] =>
    children.filter(({ name }) => !name.endsWith("Geometry"));
  const [mine, others] = [parts(a), parts(b)];
  return (
    a.name === b.name &&
    a.attributes.size === b.attributes.size &&
    [...a.attributes].every(([name, value]) => b.attributes.get(name) === value) &&
    mine.length === others.length &&
    mine.every((child, i) => sayTheSame(child, others[i] as SspNode))
  );
}

function readUnit(node: SspNode, reporter: SspReporter): PhysicalUnit {
  const name = node.attributes.get("name") ?? "";
  const base = childNamed(node, "ssc:BaseUnit");
  if (base === undefined) return { name };
  const exponents = BASE_UNITS.map(
    (symbol) => attribute(base, symbol, parseInt32, "an integer", reporter) ?? 0,
  );
  const factor = attribute(base, "factor", parseDouble, "a number", reporter) ?? 1;
  const offset = attribute(base, "offset", parseDouble, "a number", reporter) ?? 0;
  return { name, base: { dimension: exponents as unknown as Dimension, factor, offset } };
}
