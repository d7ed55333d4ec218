/**
 * Held inputs that get their source's value of the end of the step. Their units are advanced after the sources, so they are
 * written right before their own advance; all other held inputs are written when the step before is over.
 *
 * An array may be fed from several sides: then some of its elements take the end, others the start or a course, and what is
 * written is put together element by element.
 */
import type { Scenario } from "../model/scenario.ts";
import type { InputPlan } from "./input-plan.ts";

/** Whether the source of a connection is read, and its value handed on, as soon as its unit has been advanced. */
export function isEarly({ approximation, takes }: InputPlan): boolean {
  return approximation === "interpolation" || (approximation === "hold" && takes === "end");
}

export class EndInputs {
  /** By unit, the ports with such an element, in ascending order. */
  readonly ports: readonly (readonly number[])[];
  private readonly elements = new Set<string>();

  constructor(scenario: Scenario, inputs: readonly InputPlan[]) {
    const ports = scenario.units.map(() => new Set<number>());
    for (const { connection, approximation, takes } of inputs) {
      if (approximation !== "hold" || takes !== "end") continue;
      const { to, toElement, count } = scenario.connections[connection];
      ports[to.unit].add(to.port);
      for (let i = 0; i < count; i++) this.elements.add(`${to.unit} ${to.port} ${toElement + i}`);
    }
    this.ports = ports.map((set) => [...set].sort((a, b) => a - b));
  }

  has(unit: number, port: number, element: number): boolean {
    return this.elements.has(`${unit} ${port} ${element}`);
  }
}
