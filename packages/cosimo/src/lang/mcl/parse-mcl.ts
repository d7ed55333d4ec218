/**
 * The text of an `.mcl` file → the specification it holds. No name is looked up here:
 * draft-of-mcl.ts does that, once the interfaces are known.
 */
import type { AstNode } from "langium";
import type { Checked, Diagnostic } from "../../base/diagnostic.ts";
import { placeOf } from "../text/text-language.ts";
import type * as ast from "./ast.ts";
import { report } from "./diagnostics.ts";
import { MCL } from "./language.ts";
import { interactionText } from "./print-mcl.ts";
import type {
  ConnectorSpec,
  Expression,
  InteractionSpec,
  PortName,
  Quantity,
  Specification,
  Synchronization,
  TriggerSpec,
} from "./specification.ts";

/** @returns the specification, without a value where the text does not follow the grammar. */
export function parseMcl(text: string, file: string): Checked<Specification> {
  const { value: tree, diagnostics: errors } = MCL.parse(text, file);
  if (tree === undefined) return { diagnostics: errors };
  const reader = new Reader(file);
  return { value: reader.specification(tree), diagnostics: reader.diagnostics };
}

class Reader {
  readonly diagnostics: Diagnostic[] = [];
  private readonly file: string;

  constructor(file: string) {
    this.file = file;
  }

  specification(tree: ast.Specification): Specification {
    const [experiment, ...more] = tree.experiments;
    for (const again of more) {
      const line = experiment === undefined ? 1 : (this.at(experiment).line ?? 1);
      this.diagnostics.push(report("mcl-twice", { what: "'experiment'", line }, this.at(again)));
    }
    return {
      loads: tree.loads.map((one) => ({
        path: one.path,
        ...(one.name !== undefined && { name: one.name }),
        place: this.at(one),
      })),
      ...(experiment && {
        experiment: {
          settings: experiment.settings.map((one) => ({
            key: one.key,
            value: quantity(one.value),
            place: this.at(one),
          })),
          place: this.at(experiment),
        },
      }),
      connectors: tree.connectors.map((one) => this.connector(one)),
      place: this.at(tree),
    };
  }

  private connector(tree: ast.Connector): ConnectorSpec {
    const { from, to, trigger, sync } = tree;
    return {
      name: tree.name,
      ...(from && to && { ends: { from: this.port(from), to: this.port(to) } }),
      ...(trigger && { trigger: this.trigger(trigger) }),
      ...(sync && { sync: this.sync(sync) }),
      interactions: tree.interactions.map((one) => this.interaction(one)),
      place: this.at(tree),
    };
  }

  private trigger(tree: ast.Trigger): TriggerSpec {
    const place = this.at(tree);
    switch (tree.$type) {
      case "Every": {
        const { period, unit, reference } = tree;
        return {
          kind: "every",
          period: { value: Number(period), ...(unit !== undefined && { unit }) },
          ...(reference && { reference: this.port(reference) }),
          place,
        };
      }
      case "Event":
        return { kind: "event", port: this.port(tree.port), place };
      case "Updated":
        return { kind: "updated", port: this.port(tree.port), place };
      case "Threshold":
        return {
          kind: "threshold",
          port: this.port(tree.port),
          direction: tree.direction === "rises" ? "rising" : "falling",
          level: Number(tree.level) * (tree.isNegative ? -1 : 1),
          place,
        };
      default:
        return { kind: "ready-to-read", port: this.port(tree.port), place };
    }
  }

  private sync(tree: ast.Synchronization): Synchronization {
    const { left, right, tolerance } = tree;
    return {
      left: this.port(left),
      right: this.port(right),
      ...(tolerance && { tolerance: quantity(tolerance) }),
      place: this.at(tree),
    };
  }

  /** `target -> not source` (listing 5.4) is turned round. */
  private interaction(tree: ast.Interaction): InteractionSpec {
    const place = this.at(tree);
    const source = this.expression(tree.source);
    const target = this.port(tree.target);
    if (!tree.isNegated) return { source, target, isTargetFirst: false, place };
    const operand: Expression = { kind: "port", port: target, place: target.place };
    const negated: Expression = { kind: "unary", operator: "not", operand, place: target.place };
    if (source.kind !== "port") {
      const params = {
        why: "'not' stands behind the arrow, so a port must stand before it",
        fix: "write the source before the arrow: not a.y -> b.u",
      };
      this.diagnostics.push(report("mcl-expression", params, place));
      return { source, target, isTargetFirst: false, place };
    }
    const turned = { source: negated, target: source.port, isTargetFirst: true, place };
    const written = interactionText(turned);
    this.diagnostics.push(report("mcl-target-first", { written }, place));
    return turned;
  }

  private expression(tree: ast.Expression): Expression {
    const place = this.at(tree);
    switch (tree.$type) {
      case "NumberLiteral":
        return { kind: "number", value: Number(tree.value), place };
      case "PortName":
        return { kind: "port", port: this.port(tree), place };
      case "Unary": {
        const { operator, operand } = tree;
        return { kind: "unary", operator, operand: this.expression(operand), place };
      }
      default: {
        // Sums associate from the left, so their tree is as deep as the sum is long.
        const links: ast.Binary[] = [];
        let first: ast.Expression = tree;
        for (; first.$type === "Binary"; first = first.left) links.push(first);
        let left = this.expression(first);
        for (const link of links.reverse()) {
          const right = this.expression(link.right);
          left = { kind: "binary", operator: link.operator, left, right, place };
        }
        return left;
      }
    }
  }

  private port(tree: ast.PortName): PortName {
    return {
      unit: tree.unit,
      port: tree.port.join("."),
      element: tree.element.map(Number),
      place: this.at(tree),
    };
  }

  private at(node: AstNode): { file: string; line?: number; column?: number } {
    return placeOf(node, this.file);
  }
}

function quantity({ value, unit, isNegative }: ast.Quantity): Quantity {
  const number = Number(value) * (isNegative ? -1 : 1);
  return unit === undefined ? { value: number } : { value: number, unit };
}
