/**
 * Walks an XML file along a grammar that is data: which elements may occur where, how often, in
 * which order, with which attributes. The grammar's `open` and `close` do the reading; everything
 * the schema forbids is reported here, once, in the same words for every file of an FMU.
 */

import { nearest } from "../base/nearest.ts";
import type { ValueType } from "../model/value-type.ts";
import {
  NUMBER_KINDS,
  parseBoolean,
  parseDouble,
  parseInteger,
  parseUnsigned,
  respell,
} from "../xml/literals.ts";
import { readXml, type XmlHandler } from "../xml/xml.ts";
import type { XmlElement } from "../xml/xml-element.ts";
import type { DescriptionReporter } from "./description-diagnostics.ts";

export interface ElementRule {
  readonly attributes: ReadonlySet<string>;
  readonly required: readonly string[];
  /** Required by the schema; what reads the file can do without. */
  readonly assumed: readonly string[];
  /** The schema lets tools add attributes of their own. */
  readonly anyAttribute: boolean;
  readonly children: ReadonlyMap<string, ChildRule>;
  /** Children of which at least one must be there. */
  readonly needs: readonly string[];
  /** The same where what reads the file can do without. */
  readonly assumes: readonly string[];
  /** This child must occur at least once, or the list need not exist. */
  readonly listOf: string | undefined;
  /** Anything may be inside; it is skipped. */
  readonly opaque: boolean;
  readonly open: ((element: AttributeReader) => void) | undefined;
  readonly close: ((end: number) => void) | undefined;
}

export interface ChildRule {
  readonly rule: ElementRule;
  /** Children must come in rising order. */
  readonly order: number;
  /** Alternatives share a slot; what is not `many` may fill its slot once. */
  readonly slot: number;
  readonly many: boolean;
}

/**
 * A rule as it is written in a grammar: attribute names in one string, required ones marked with
 * "!" ("!?": can be done without).
 */
export interface RuleSource {
  readonly attributes?: string;
  readonly anyAttribute?: boolean;
  /**
   * Name → rule, in schema order. Marks before a name: "*" it may occur many times, "=" it may
   * stand before or after the one above, "|" it is an alternative to the one above. "self" is the
   * rule under construction: elements that nest.
   */
  readonly children?: Readonly<Record<string, ElementRule | "self">>;
  readonly needs?: readonly string[];
  readonly assumes?: readonly string[];
  readonly listOf?: string;
  readonly opaque?: boolean;
  readonly open?: (element: AttributeReader) => void;
  readonly close?: (end: number) => void;
}

export function elementRule(source: RuleSource): ElementRule {
  const names = (source.attributes ?? "").split(" ").filter((name) => name !== "");
  const children = new Map<string, ChildRule>();
  const self: ElementRule = {
    attributes: new Set(names.map((name) => name.replace(/!\??$/, ""))),
    required: names.filter((name) => name.endsWith("!")).map((name) => name.slice(0, -1)),
    assumed: names.filter((name) => name.endsWith("!?")).map((name) => name.slice(0, -2)),
    anyAttribute: source.anyAttribute ?? false,
    children,
    needs: source.needs ?? [],
    assumes: source.assumes ?? [],
    listOf: source.listOf,
    opaque: source.opaque ?? false,
    open: source.open,
    close: source.close,
  };
  let order = 0;
  let slot = 0;
  for (const [key, child] of Object.entries(source.children ?? {})) {
    const [marks = ""] = /^[*=|]*/.exec(key) ?? [];
    if (!marks.includes("|")) slot++;
    if (!/[=|]/.test(marks)) order++;
    const rule = child === "self" ? self : child;
    children.set(key.slice(marks.length), { rule, order, slot, many: marks.includes("*") });
  }
  return self;
}

/**
 * Attributes that a run can do without: their defaults are safe, or nothing but messages and
 * pictures depends on them.
 */
const DETAILS: ReadonlySet<string> = new Set([
  ..."min max nominal quantity relativeQuantity unbounded mimeType maxSize".split(" "),
  ..."startTime stopTime tolerance stepSize numberOfEventIndicators".split(" "),
  ..."variableNamingConvention dependencies dependenciesKind derivative reinit".split(" "),
]);

/** Attributes without which an element means nothing. */
const ESSENTIAL: ReadonlySet<string> = new Set(["valueReference", "index", "value"]);

/**
 * Typed access to the attributes of the open element; a malformed value is reported and read as
 * absent.
 */
export class AttributeReader {
  element!: XmlElement;
  readonly reporter: DescriptionReporter;

  constructor(reporter: DescriptionReporter) {
    this.reporter = reporter;
  }

  get name(): string {
    return this.element.name;
  }

  get line(): number {
    return this.element.line;
  }

  get offset(): number {
    return this.element.offset;
  }

  text(attribute: string): string | undefined {
    return this.element.get(attribute);
  }

  /** Those of the attributes that are there. */
  texts<Key extends string>(...attributes: readonly Key[]): Partial<Record<Key, string>> {
    const found: Partial<Record<Key, string>> = {};
    for (const attribute of attributes) {
      const value = this.text(attribute);
      if (value !== undefined) found[attribute] = value;
    }
    return found;
  }

  /** Text that many elements share: names of types, units, quantities. */
  symbol(attribute: string): string | undefined {
    return this.element.symbol(attribute);
  }

  double(attribute: string): number | undefined {
    return this.parsed(attribute, parseDouble, "a number");
  }

  unsigned(attribute: string): number | undefined {
    const quick = this.element.digits(attribute);
    if (quick >= 0) return quick;
    return this.parsed(attribute, parseUnsigned, "an unsigned integer");
  }

  integer(attribute: string, min = -2147483648, max = 2147483647): number | undefined {
    return this.parsed(attribute, (text) => parseInteger(text, min, max), "an integer");
  }

  boolean(attribute: string): boolean | undefined {
    return this.parsed(attribute, parseBoolean, "true or false");
  }

  flag(attribute: string): boolean {
    return this.boolean(attribute) ?? false;
  }

  /** A number of the given type: bigint for 64-bit integers. */
  number(attribute: string, type: ValueType): number | bigint | undefined {
    const kind = NUMBER_KINDS[type];
    return kind && this.parsed(attribute, kind.parse, kind.expected);
  }

  /** @param synonyms words of other versions, and what they mean in this one. */
  oneOf<T extends string>(
    attribute: string,
    allowed: ReadonlySet<T>,
    synonyms: Readonly<Record<string, T>> = {},
  ): T | undefined {
    const value = this.element.symbol(attribute);
    if (value === undefined) return undefined;
    if (allowed.has(value as T)) return value as T;
    const trimmed = value.trim() as T;
    if (allowed.has(trimmed)) return trimmed;
    if (Object.hasOwn(synonyms, trimmed)) {
      this.odd(attribute, value);
      return synonyms[trimmed];
    }
    this.malformed(attribute, value, `one of ${[...allowed].join(", ")}`);
    return undefined;
  }

  parsed<T>(
    attribute: string,
    parse: (text: string) => T | undefined,
    expected: string,
  ): T | undefined {
    const text = this.element.get(attribute);
    if (text === undefined) return undefined;
    const value = parse(text);
    if (value !== undefined) return value;
    const respelled = respell(text);
    const meant = respelled === undefined ? undefined : parse(respelled);
    if (meant === undefined) this.malformed(attribute, text, expected);
    else this.odd(attribute, text);
    return meant;
  }

  /** Not as it should be spelled, but it can mean one thing only. */
  odd(attribute: string, value: string): void {
    this.reporter.report("odd-literal", { attribute, element: this.name, value }, this.line);
  }

  malformed(attribute: string, text: string, expected: string): void {
    const value = text.length > 60 ? `${text.slice(0, 57)}…` : text;
    const params = { attribute, element: this.name, value, expected };
    // What is empty is absent: an FMU knows its start values itself, and flags have defaults.
    const isDetail = DETAILS.has(attribute) || (text.trim() === "" && !ESSENTIAL.has(attribute));
    const code = isDetail ? "ignored-attribute" : "malformed-attribute";
    this.reporter.report(code, params, this.line);
  }
}

export interface WalkOptions {
  /** The rule of the root element, or undefined (after reporting) when the file cannot be read. */
  readonly root: (element: AttributeReader) => ElementRule | undefined;
  /**
   * True once the file has said that it follows a newer minor version: what is unknown is only
   * mentioned.
   */
  readonly lenient?: () => boolean;
}

/** Walks the whole file; false when it could not be read to its end. */
export function walkXml(
  text: string,
  reporter: DescriptionReporter,
  options: WalkOptions,
): boolean {
  const start = text.slice(0, 200);
  if (start.includes("\0")) {
    reporter.report("xml-encoding", { encoding: "UTF-16" }, 1);
    return false;
  }
  reportEncoding(text, start, reporter);
  return readXml(text, new Walker(reporter, options), reporter);
}

function reportEncoding(text: string, start: string, reporter: DescriptionReporter): void {
  const declared = /^\uFEFF?<\?xml[^>]*?encoding\s*=\s*["']([^"']*)["']/.exec(start)?.[1];
  if (declared !== undefined && !/^(utf-?8|us-ascii|ascii)$/i.test(declared))
    reporter.report("xml-encoding-declared", { encoding: declared }, 1);
  const replaced = text.indexOf("\uFFFD");
  if (replaced >= 0) {
    const line = text.slice(0, replaced).split("\n").length;
    reporter.report("xml-replaced-characters", {}, line);
  }
}

const OPAQUE: ElementRule = elementRule({ opaque: true });

/** An open element. Frames are reused: one per depth, not one per element. */
class Frame {
  rule: ElementRule = OPAQUE;
  name = "";
  line = 0;
  /** Of the last child. */
  order = 0;
  /** Bit `slot` is set when a child of that slot was seen. */
  seen = 0;
  /** The one around it; the outermost stands for the document. */
  readonly outer: Frame | undefined;
  private child: Frame | undefined;

  constructor(outer?: Frame) {
    this.outer = outer;
  }

  inner(rule: ElementRule, { name, line }: XmlElement): Frame {
    this.child ??= new Frame(this);
    const frame = this.child;
    frame.rule = rule;
    frame.name = name;
    frame.line = line;
    frame.order = 0;
    frame.seen = 0;
    return frame;
  }
}

class Walker implements XmlHandler {
  private readonly reporter: DescriptionReporter;
  private readonly options: WalkOptions;
  private readonly reader: AttributeReader;
  private frame = new Frame();

  constructor(reporter: DescriptionReporter, options: WalkOptions) {
    this.reporter = reporter;
    this.options = options;
    this.reader = new AttributeReader(reporter);
  }

  open(element: XmlElement): boolean {
    const { reader } = this;
    reader.element = element;
    const isRoot = this.frame.outer === undefined;
    const rule = isRoot ? this.options.root(reader) : this.childRule(element, this.frame);
    if (rule === undefined) return false;
    this.frame = this.frame.inner(rule, element);
    if (rule !== OPAQUE) this.checkAttributes(element, rule);
    rule.open?.(reader);
    return true;
  }

  close(end: number): void {
    const { rule, name, line, outer = this.frame } = this.frame;
    const { seen } = this.frame;
    this.frame = outer;
    const isMissing = (needed: string): boolean =>
      (seen & (1 << (rule.children.get(needed)?.slot ?? 0))) === 0;
    for (const element of rule.needs)
      if (isMissing(element))
        this.reporter.report("missing-element", { element, parent: name }, line);
    for (const element of rule.assumes)
      if (isMissing(element))
        this.reporter.report("absent-element", { element, parent: name }, line);
    if (rule.listOf !== undefined && seen === 0)
      this.reporter.report("empty-list", { element: name, child: rule.listOf }, line);
    rule.close?.(end);
  }

  text(line: number): void {
    const { rule, name } = this.frame;
    if (!rule.opaque) this.reporter.report("unexpected-text", { element: name }, line);
  }

  private childRule(element: XmlElement, parent: Frame): ElementRule {
    if (parent.rule.opaque) return OPAQUE;
    const child = parent.rule.children.get(element.name);
    if (child === undefined) {
      this.unknownElement(element, parent.name);
      return OPAQUE;
    }
    const bit = 1 << child.slot;
    if (child.order < parent.order) this.misplaced("element-order", element, parent);
    else parent.order = child.order;
    if (!child.many && (parent.seen & bit) !== 0) {
      const isList = child.rule.listOf !== undefined;
      this.misplaced(isList ? "repeated-list" : "repeated-element", element, parent);
    }
    parent.seen |= bit;
    return child.rule;
  }

  private misplaced(
    code: "element-order" | "repeated-element" | "repeated-list",
    element: XmlElement,
    parent: Frame,
  ): void {
    const params = { element: element.name, parent: parent.name };
    this.reporter.report(code, params, element.line);
  }

  private unknownElement(element: XmlElement, parent: string): void {
    const { name, line } = element;
    if (this.options.lenient?.())
      this.reporter.report("newer-content", { what: `the element <${name}>` }, line);
    else this.reporter.report("unknown-element", { element: name, parent }, line);
  }

  private checkAttributes(element: XmlElement, rule: ElementRule): void {
    for (let i = 0; i < element.count; i++) {
      const attribute = element.names[i] ?? "";
      if (!rule.attributes.has(attribute)) this.unknownAttribute(element, rule, attribute);
    }
    const { name, line } = element;
    for (const attribute of rule.required)
      if (element.find(attribute) < 0)
        this.reporter.report("missing-attribute", { attribute, element: name }, line);
    for (const attribute of rule.assumed)
      if (element.find(attribute) < 0)
        this.reporter.report("absent-attribute", { attribute, element: name }, line);
  }

  private unknownAttribute(element: XmlElement, rule: ElementRule, attribute: string): void {
    if (rule.anyAttribute || rule.opaque) return;
    // Namespace declarations and schema locations are XML's own business.
    if (attribute.startsWith("xmlns") || attribute.includes(":")) return;
    if (this.options.lenient?.()) {
      const what = `the attribute '${attribute}' of <${element.name}>`;
      this.reporter.report("newer-content", { what }, element.line);
      return;
    }
    const suggestion = nearest(attribute, rule.attributes);
    const params = { attribute, element: element.name, nearest: suggestion };
    this.reporter.report("unknown-attribute", params, element.line);
  }
}
