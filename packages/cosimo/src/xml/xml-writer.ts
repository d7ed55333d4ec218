/**
 * Writes XML that reads well and comes back exactly: attributes in the order given, one element a
 * line, and every character that a parser would change written as a reference.
 */

export interface XmlOut {
  readonly name: string;
  /** Undefined ones are left out. */
  readonly attributes: Readonly<Record<string, string | undefined>>;
  readonly children: readonly XmlOut[];
}

export function xml(
  name: string,
  attributes: Readonly<Record<string, string | undefined>> = {},
  children: readonly (XmlOut | undefined)[] = [],
): XmlOut {
  return { name, attributes, children: children.filter((child) => child !== undefined) };
}

/** Like `xml`, but undefined when there would be no children: empty lists are not valid in SSP. */
export function xmlList(name: string, children: readonly XmlOut[]): XmlOut | undefined {
  return children.length === 0 ? undefined : xml(name, {}, children);
}

export function printXml(root: XmlOut): string {
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>'];
  print(root, "", lines);
  return `${lines.join("\n")}\n`;
}

function print({ name, attributes, children }: XmlOut, indent: string, lines: string[]): void {
  let tag = `${indent}<${name}`;
  for (const [key, value] of Object.entries(attributes))
    if (value !== undefined) tag += ` ${key}="${escapeAttribute(value)}"`;
  if (children.length === 0) {
    lines.push(`${tag}/>`);
    return;
  }
  lines.push(`${tag}>`);
  for (const child of children) print(child, `${indent}  `, lines);
  lines.push(`${indent}</${name}>`);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\r": "&#13;",
  "\t": "&#9;",
};

function escapeAttribute(text: string): string {
  return text.replaceAll(/[&<>"\n\r\t]/g, (character) => ESCAPES[character] ?? character);
}

/**
 * Control characters, half surrogate pairs and non-characters: XML 1.0 cannot carry them, not even
 * as references.
 */
const IMPOSSIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: finding control characters is the point
  /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** The first text in the tree that cannot be written. */
export function impossibleText(root: XmlOut): string | undefined {
  for (const value of Object.values(root.attributes))
    if (value !== undefined && IMPOSSIBLE.test(value)) return value;
  for (const child of root.children) {
    const found = impossibleText(child);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A number as XML schema writes doubles, exact. */
export function doubleText(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "INF" : "-INF";
  return Object.is(value, -0) ? "-0" : String(value);
}

export function hexText(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += byte.toString(16).padStart(2, "0");
  return text;
}
