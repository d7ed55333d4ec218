/**
 * Which own inputs an own output may follow at once, and what inner inputs are made of, found from
 * the rules without executing them: every name that an assignment or the conditions around it
 * mention may act on what is assigned. Too many rather than too few.
 */
import type { Adaptation, Expression, Rule, Statement } from "../model/adaptation/data.ts";
import { innerOrder } from "../model/adaptation/inner-order.ts";
import { keyOf, mentionsOf, referencesIn } from "../model/adaptation/walk.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { named } from "./layout.ts";

/** Who may act on whom, by name. */
class Causes {
  private readonly causes = new Map<string, Set<string>>();
  private readonly own: string;

  constructor({ name, inputs = [], outputs = [] }: Adaptation) {
    this.own = name;
    // An own port goes by its bare name or with the name of the adaptation.
    for (const port of [...inputs, ...outputs]) {
      this.add(port.name, [`${this.own}.${port.name}`]);
      this.add(`${this.own}.${port.name}`, [port.name]);
    }
  }

  add(target: string, sources: readonly string[]): void {
    const known = this.causes.get(target) ?? new Set();
    for (const source of sources) known.add(source);
    this.causes.set(target, known);
  }

  rules(list: readonly Rule[], half: "first" | "second"): void {
    for (const rule of list) this.block(rule[half], namesIn(rule.condition));
  }

  /** Everything that may act on `target`, itself included. */
  behind(target: string): Set<string> {
    const reached = new Set([target]);
    for (const name of reached) for (const cause of this.causes.get(name) ?? []) reached.add(cause);
    return reached;
  }

  private block(statements: readonly Statement[], around: readonly string[]): void {
    for (const statement of statements) {
      switch (statement.kind) {
        case "assign":
          this.add(keyOf(statement.target), [...around, ...namesIn(statement.value)]);
          break;
        case "var":
          this.add(statement.name, [...around, ...namesIn(statement.value)]);
          break;
        case "if": {
          const inside = [...around, ...namesIn(statement.condition)];
          this.block(statement.then, inside);
          this.block(statement.otherwise, inside);
          break;
        }
        case "for": {
          const inside = [...around, ...namesIn(statement.from), ...namesIn(statement.to)];
          this.add(statement.variable, inside);
          this.block(statement.body, inside);
          break;
        }
        case "while":
          this.block(statement.body, [...around, ...namesIn(statement.condition)]);
          break;
        default:
      }
    }
  }
}

/** Names of the own inputs behind `output` in the output function of a Mealy adaptation. */
export function inputsBehind(
  adaptation: Adaptation,
  inner: ReadonlyMap<string, UnitDescription>,
  output: string,
): Set<string> {
  const causes = new Causes(adaptation);
  causes.rules(adaptation.inRules, "first");
  causes.rules(adaptation.outRules, "second");
  if (isResolved(adaptation, inner)) {
    causes.rules(adaptation.inRules, "second");
    causes.rules(adaptation.outRules, "first");
    for (const { from, to } of adaptation.connections)
      causes.add(`${to.unit}.${to.port}`, [`${from.unit}.${from.port}`]);
    for (const [unit, { ports }] of inner)
      for (const port of ports) {
        if (port.direction !== "output") continue;
        const inputs = ports.filter(
          ({ direction, index }) =>
            direction === "input" && (port.feedThrough?.includes(index) ?? true),
        );
        causes.add(
          `${unit}.${port.name}`,
          inputs.map(({ name }) => `${unit}.${name}`),
        );
      }
  }
  const reached = causes.behind(output);
  return new Set(
    (adaptation.inputs ?? []).map(({ name }) => name).filter((name) => reached.has(name)),
  );
}

/**
 * For every inner input that MapIn assigns, as `unit.port`: all names that In and MapIn may make it
 * of.
 */
export function inputCauses(adaptation: Adaptation): Map<string, ReadonlySet<string>> {
  const causes = new Causes(adaptation);
  causes.rules(adaptation.inRules, "first");
  causes.rules(adaptation.inRules, "second");
  const { assigned } = mentionsOf(adaptation.inRules, "second");
  const units = new Set(adaptation.inner.map(({ name }) => name));
  return new Map(
    [...assigned]
      .filter((key) => units.has(key.split(".", 1)[0]) && key.includes("."))
      .map((key) => [key, causes.behind(key)]),
  );
}

/**
 * Whether one of these names refers to the step of an inner unit: its length, or where it begins.
 */
export function speaksOfInnerStep(names: ReadonlySet<string>): boolean {
  return names.has("h") || names.has("dt");
}

/** Where inner units form an algebraic loop, the output function shows what is stored. */
function isResolved(
  { connections, inner: units }: Adaptation,
  inner: ReadonlyMap<string, UnitDescription>,
): boolean {
  const descriptions = units.map(({ name }) => named(inner, name));
  const at = ({ unit, port }: { readonly unit: string; readonly port: string }) => {
    const index = units.findIndex(({ name }) => name === unit);
    return { unit: index, port: descriptions[index].ports.findIndex((p) => p.name === port) };
  };
  const wires = connections.map(({ from, to }) => ({ from: at(from), to: at(to) }));
  return innerOrder(descriptions, wires, "instant") !== undefined;
}

function namesIn(expression: Expression): string[] {
  return referencesIn(expression).map(keyOf);
}
