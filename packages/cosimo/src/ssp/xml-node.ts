/**
 * An SSP file as a small tree with resolved namespaces. SSP refers forwards, backwards and into
 * itself, and its files are small beside the FMUs they name, so a tree costs little and makes the
 * readers plain functions.
 */

import { respell } from "../xml/literals.ts";
import { readXml } from "../xml/xml.ts";
import type { XmlElement } from "../xml/xml-element.ts";
import { NAMESPACES } from "./names.ts";
import type { SspReporter } from "./ssp-diagnostics.ts";

export interface SspNode {
  /**
   * `ssd:System` for SSP's own namespaces whatever the prefix in the file, `{uri}name` for others.
   */
  readonly name: string;
  readonly line: number;
  /** Without namespace declarations and attributes of other namespaces. */
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly SspNode[];
  /** Line of the first characters that are not white space. */
  readonly textLine?: number;
}

interface OpenNode extends SspNode {
  readonly children: SspNode[];
  textLine?: number;
}

type Scope = ReadonlyMap<string, string>;
const NO_NAMESPACES: Scope = new Map();

const PREFIXES: ReadonlyMap<string, string> = new Map(
  Object.entries(NAMESPACES).map(([prefix, uri]) => [uri, prefix]),
);

/** The root of `text`, or undefined after reporting why there is none. */
export function readTree(text: string, reporter: SspReporter): SspNode | undefined {
  const open: OpenNode[] = [];
  const scopes: Scope[] = [];
  const undeclared = new Set<string>();
  let root: SspNode | undefined;
  const complete = readXml(
    text,
    {
      open(element) {
        const scope = scopeOf(element, scopes.at(-1) ?? NO_NAMESPACES);
        const name = canonical(element, scope, (prefix) => {
          if (undeclared.has(prefix)) return;
          undeclared.add(prefix);
          reporter.report("ssp-namespace", { prefix }, element.line);
        });
        const node: OpenNode = {
          name,
          line: element.line,
          attributes: attributesOf(element, name, reporter),
          children: [],
        };
        open.at(-1)?.children.push(node);
        root ??= node;
        open.push(node);
        scopes.push(scope);
        return true;
      },
      close() {
        open.pop();
        scopes.pop();
      },
      text(line) {
        const node = open.at(-1);
        if (node !== undefined) node.textLine ??= line;
      },
    },
    reporter,
  );
  return complete ? root : undefined;
}

function scopeOf(element: XmlElement, outer: Scope): Scope {
  let scope: Map<string, string> | undefined;
  for (let i = 0; i < element.count; i++) {
    const name = element.nameAt(i);
    if (!name.startsWith("xmlns") || (name.length > 5 && name[5] !== ":")) continue;
    scope ??= new Map(outer);
    scope.set(name === "xmlns" ? "" : name.slice(6), element.valueAt(i));
  }
  return scope ?? outer;
}

function canonical(
  element: XmlElement,
  scope: Scope,
  reportPrefix: (undeclared: string) => void,
): string {
  const colon = element.name.indexOf(":");
  const prefix = colon < 0 ? "" : element.name.slice(0, colon);
  const local = element.name.slice(colon + 1);
  const uri = scope.get(prefix);
  if (uri === undefined) {
    if (prefix !== "") reportPrefix(prefix);
    return element.name;
  }
  const known = PREFIXES.get(uri);
  return known === undefined ? `{${uri}}${local}` : `${known}:${local}`;
}

/** Attributes whose empty value can only mean that they do not apply. */
const ABSENT_WHEN_EMPTY: ReadonlySet<string> = new Set(
  (
    "startElement endElement startIndices endIndices unit implementation type source sourceBase " +
    "suppressUnitConversion startTime stopTime version id generationDateAndTime"
  ).split(" "),
);

/** Entries map texts, which may be empty; annotations are not of SSP. */
const MAY_BE_EMPTY = /Entry$|^(cosimo:|\{)/;

function attributesOf(
  element: XmlElement,
  owner: string,
  reporter: SspReporter,
): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  for (let i = 0; i < element.count; i++) {
    const name = element.nameAt(i);
    if (name === "xmlns" || name.includes(":")) continue;
    const value = element.valueAt(i);
    if (value === "" && ABSENT_WHEN_EMPTY.has(name) && !MAY_BE_EMPTY.test(owner)) {
      const params = { attribute: name, element: owner };
      reporter.report("ssp-empty-attribute", params, element.line);
    } else attributes.set(name, value);
  }
  return attributes;
}

export function childrenNamed(node: SspNode, name: string): readonly SspNode[] {
  return node.children.filter((child) => child.name === name);
}

export function childNamed(node: SspNode | undefined, name: string): SspNode | undefined {
  return node?.children.find((child) => child.name === name);
}

/**
 * The value of an attribute as `parse` reads it; a malformed one is reported and read as absent.
 */
export function attribute<T>(
  node: SspNode,
  name: string,
  parse: (text: string) => T | undefined,
  expected: string,
  reporter: SspReporter,
): T | undefined {
  const text = node.attributes.get(name);
  if (text === undefined) return undefined;
  const parsed = parse(text);
  if (parsed !== undefined) return parsed;
  const respelled = respell(text);
  const meant = respelled === undefined ? undefined : parse(respelled);
  const value = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  const params = { attribute: name, element: node.name, value };
  if (meant !== undefined) reporter.report("odd-literal", params, node.line);
  else reporter.report("malformed-attribute", { ...params, expected }, node.line);
  return meant;
}
