/**
 * Which own inputs an own output may follow at once, found from the rules without executing them: every name that an assignment or the
 * conditions around it mention may act on what is assigned. Too many rather than too few.
 */
import type { Adaptation, Expression, Rule, Statement } from "../model/adaptation.ts";
import type { UnitDescription } from "../model/unit-description.ts";
import { innerOrder } from "./kinds.ts";
import { keyOf, referencesIn } from "./walk.ts";

/** Names of the own inputs behind `output` in the output function of a Mealy adaptation. */
export function inputsBehind(
  adaptation: Adaptation,
  inner: ReadonlyMap<string, UnitDescription>,
  output: string,
): Set<string> {
  const causes = new Map<string, Set<string>>();
  const own = adaptation.name;
  const add = (target: string, sources: readonly string[]): void => {
    const known = causes.get(target) ?? new Set();
    for (const source of sources) known.add(source);
    causes.set(target, known);
  };
  const block = (statements: readonly Statement[], around: readonly string[]): void => {
    for (const statement of statements) {
      switch (statement.kind) {
        case "assign":
          add(keyOf(statement.target), [...around, ...namesIn(statement.value)]);
          break;
        case "var":
          add(statement.name, [...around, ...namesIn(statement.value)]);
          break;
        case "if": {
          const inside = [...around, ...namesIn(statement.condition)];
          block(statement.then, inside);
          block(statement.otherwise, inside);
          break;
        }
        case "for": {
          const inside = [...around, ...namesIn(statement.from), ...namesIn(statement.to)];
          add(statement.variable, inside);
          block(statement.body, inside);
          break;
        }
        case "while":
          block(statement.body, [...around, ...namesIn(statement.condition)]);
          break;
        default:
      }
    }
  };
  const rules = (list: readonly Rule[], half: "first" | "second"): void => {
    for (const rule of list) block(rule[half], namesIn(rule.condition));
  };
  rules(adaptation.inRules, "first");
  rules(adaptation.outRules, "second");
  if (isResolved(adaptation, inner)) {
    rules(adaptation.inRules, "second");
    rules(adaptation.outRules, "first");
    for (const { from, to } of adaptation.connections)
      add(`${to.unit}.${to.port}`, [`${from.unit}.${from.port}`]);
    for (const [unit, { ports }] of inner)
      for (const port of ports) {
        if (port.direction !== "output") continue;
        const inputs = ports.filter(
          ({ direction, index }) =>
            direction === "input" && (port.feedThrough?.includes(index) ?? true),
        );
        add(
          `${unit}.${port.name}`,
          inputs.map(({ name }) => `${unit}.${name}`),
        );
      }
  }
  // An own port goes by its bare name or with the name of the adaptation.
  for (const { name } of [...(adaptation.inputs ?? []), ...(adaptation.outputs ?? [])]) {
    add(name, [`${own}.${name}`]);
    add(`${own}.${name}`, [name]);
  }
  const reached = new Set([output]);
  for (const name of reached) for (const cause of causes.get(name) ?? []) reached.add(cause);
  return new Set(
    (adaptation.inputs ?? []).map(({ name }) => name).filter((name) => reached.has(name)),
  );
}

/** Where inner units form a circle the output function shows what is stored. */
function isResolved(
  { connections, inner: units }: Adaptation,
  inner: ReadonlyMap<string, UnitDescription>,
): boolean {
  const descriptions = units.map(({ name }) => inner.get(name)!);
  const at = ({ unit, port }: { readonly unit: string; readonly port: string }) => {
    const index = units.findIndex(({ name }) => name === unit);
    return { unit: index, port: descriptions[index]!.ports.findIndex((p) => p.name === port) };
  };
  const wires = connections.map(({ from, to }) => ({ from: at(from), to: at(to) }));
  return innerOrder(descriptions, wires, "instant") !== undefined;
}

function namesIn(expression: Expression): string[] {
  return referencesIn(expression).map(keyOf);
}
