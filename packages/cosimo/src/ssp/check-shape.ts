/**
 * Holds a tree to the shapes of SSP and lists what it contains that is not used. Mistakes of shape
 * are reported in the words that every XML file gets; what is unused is counted by kind, because
 * drawings come by the thousand.
 */

import { nearest } from "../base/nearest.ts";
import { COSIMO_ANNOTATION, type SspVersion } from "./names.ts";
import { SHAPES, type Shape } from "./shapes.ts";
import type { SspReporter } from "./ssp-diagnostics.ts";
import type { SspNode } from "./xml-node.ts";

interface ChildRule {
  readonly shape: string;
  readonly slot: number;
  readonly newer: boolean;
  readonly mayRepeat: boolean;
}

/**
 * A place among the children: the first name that may fill it, whether there are others, and how
 * often.
 */
interface Slot {
  readonly name: string;
  readonly isChoice: boolean;
  readonly mark: string;
}

interface Rules {
  readonly attributes: ReadonlySet<string>;
  readonly required: readonly string[];
  /** Required by the schema, and not needed here. */
  readonly assumed: readonly string[];
  readonly unusedAttributes: ReadonlySet<string>;
  readonly children: ReadonlyMap<string, ChildRule>;
  readonly slots: readonly Slot[];
}

const NO_SHAPE: Shape = { attributes: "", any: true };

const compiled = new Map<Shape, Rules>();

function rulesOf(shape: Shape): Rules {
  let rules = compiled.get(shape);
  if (rules === undefined) {
    rules = compile(shape);
    compiled.set(shape, rules);
  }
  return rules;
}

function compile({ attributes, children: elements = "" }: Shape): Rules {
  const words = attributes.split(" ").filter((word) => word !== "");
  const marked = (mark: RegExp) =>
    words.filter((word) => mark.test(word)).map((word) => word.replace(/[=?~]$/, ""));
  const children = new Map<string, ChildRule>();
  const slots = elements
    .split(" ")
    .filter((word) => word !== "")
    .map((word, slot) => {
      const mark = /[=?*+]$/.exec(word)?.[0] ?? "";
      const [first = "", ...others] = word.slice(0, word.length - mark.length).split("|");
      const named = (alternative: string): string => {
        const newer = alternative.startsWith("@");
        const [name = "", shape = name] = alternative.replace("@", "").split(">");
        children.set(name, { shape, slot, newer, mayRepeat: /[*+]/.test(mark) });
        return name;
      };
      return { name: named(first), isChoice: others.map(named).length > 0, mark };
    });
  return {
    attributes: new Set(marked(/./)),
    required: marked(/[^=?~]$/),
    assumed: marked(/=$/),
    unusedAttributes: new Set(marked(/~$/)),
    children,
    slots,
  };
}

/** Counts what is unused by kind and reports each kind once, where it first occurs. */
export class UnusedList {
  private readonly found = new Map<string, { why: string; count: number; line: number }>();

  add(what: string, why: string, line: number): void {
    const known = this.found.get(what);
    if (known === undefined) this.found.set(what, { why, count: 1, line });
    else known.count++;
  }

  report(reporter: SspReporter): void {
    for (const [what, { why, count, line }] of this.found) {
      const times = count === 1 ? "" : ` (${count} times in this file)`;
      reporter.report("ssp-unused", { what: `${what}${times}`, why }, line);
    }
  }
}

export class ShapeChecker {
  private readonly reporter: SspReporter;
  private readonly unused: UnusedList;
  private readonly version: SspVersion;

  constructor(reporter: SspReporter, unused: UnusedList, version: SspVersion) {
    this.reporter = reporter;
    this.unused = unused;
    this.version = version;
  }

  check(node: SspNode, shapeName: string = node.name): void {
    const shape = SHAPES[shapeName] ?? NO_SHAPE;
    const rules = rulesOf(shape);
    this.checkAttributes(node, rules, shape.unused !== undefined);
    if (shape.unused !== undefined) this.unused.add(`<${node.name}>`, shape.unused, node.line);
    if (node.name === "ssc:Annotation") this.noteAnnotation(node);
    if (shape.any === true) {
      for (const child of node.children) if (Object.hasOwn(SHAPES, child.name)) this.check(child);
      return;
    }
    if (node.textLine !== undefined)
      this.reporter.report("unexpected-text", { element: node.name }, node.textLine);
    this.checkChildren(node, rules);
  }

  private checkAttributes(node: SspNode, rules: Rules, isUnused: boolean): void {
    const element = node.name;
    for (const attribute of node.attributes.keys()) {
      if (!rules.attributes.has(attribute)) {
        const params = { attribute, element, nearest: nearest(attribute, rules.attributes) };
        this.reporter.report("unknown-attribute", params, node.line);
      } else if (rules.unusedAttributes.has(attribute)) {
        const why = "it does not change the simulation";
        this.unused.add(`the attribute '${attribute}' of <${element}>`, why, node.line);
      }
    }
    const isAbsent = (attribute: string): boolean => !node.attributes.has(attribute);
    for (const attribute of rules.required.filter(isAbsent))
      if (isUnused) this.reportAbsent(element, `the attribute '${attribute}'`, node.line);
      else this.reporter.report("missing-attribute", { attribute, element }, node.line);
    for (const attribute of rules.assumed.filter(isAbsent))
      this.reportAbsent(element, `the attribute '${attribute}'`, node.line);
  }

  private reportAbsent(element: string, what: string, line: number): void {
    this.reporter.report("ssp-absent", { what, element }, line);
  }

  private checkChildren(node: SspNode, rules: Rules): void {
    if (node.children.length === 0 && rules.slots.length === 0) return;
    const filled = new Set<number>();
    let reached = 0;
    for (const child of node.children) {
      const rule = rules.children.get(child.name);
      const params = { element: child.name, parent: node.name };
      if (rule === undefined) {
        this.reporter.report("unknown-element", params, child.line);
        continue;
      }
      if (rule.newer && this.version === "1.0")
        this.reporter.report("ssp-newer-content", { what: `<${child.name}>` }, child.line);
      if (rule.slot < reached) this.reporter.report("element-order", params, child.line);
      reached = Math.max(reached, rule.slot);
      if (!rule.mayRepeat && filled.has(rule.slot))
        this.reporter.report("repeated-element", params, child.line);
      filled.add(rule.slot);
      this.check(child, rule.shape);
    }
    let slot = -1;
    for (const { name, isChoice, mark } of rules.slots) {
      slot++;
      if (filled.has(slot)) continue;
      const parent = node.name;
      if (mark === "=") {
        this.reportAbsent(parent, `the element <${name}>`, node.line);
      } else if (mark === "") {
        const element = isChoice ? "type" : name;
        this.reporter.report("missing-element", { element, parent }, node.line);
      } else if (mark === "+") {
        this.reporter.report("empty-list", { element: parent, child: name }, node.line);
      }
    }
  }

  private noteAnnotation(node: SspNode): void {
    const type = node.attributes.get("type") ?? "";
    if (type === COSIMO_ANNOTATION) return;
    this.unused.add(`annotations of type '${type}'`, "they are for another tool", node.line);
  }
}
