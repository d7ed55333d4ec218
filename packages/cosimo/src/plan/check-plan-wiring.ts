/**
 * What the inputs of a scenario are entitled to: for every connected element its source, and
 * whether a loop is broken there. Prepared once, so that the execution with stamps only looks it
 * up.
 */
import { MASTERS, SCHEMES } from "../model/masters.ts";
import type { Connection, ElementRef, Scenario } from "../model/scenario.ts";
import { portAt, portName } from "../model/scenario-ports.ts";
import { connectedKind } from "../model/unit-kind.ts";
import { goesFirst } from "./input-plan.ts";
import { OP_WIDTH, Op, type Plan } from "./plan.ts";

export interface WiredElement extends ElementRef {
  readonly connection: Connection;
  readonly sourceElement: number;
  /** Track that shapes it within a step; -1: it is held. */
  readonly track: number;
  /**
   * Held: entitled to the end's value, since its unit comes after its source and it is not delayed.
   */
  readonly takesEnd: boolean;
  /** A loop is broken here: the value may be one step old. */
  readonly delayed: boolean;
  readonly name: string;
  readonly sourceName: string;
}

export class Wiring {
  /** Connected elements of every unit's inputs. */
  readonly elements: readonly (readonly WiredElement[])[];
  private readonly scenario: Scenario;
  private readonly byInput = new Map<string, WiredElement>();
  private readonly throughs = new Map<string, readonly WiredElement[]>();

  constructor(plan: Plan, scenario: Scenario) {
    this.scenario = scenario;
    const tracks = new Map(plan.tracks.map((t, i) => [key(t.unit, t.port, t.element), i]));
    const delayed = new Set(plan.loops.flatMap((loop) => loop.delayed));
    const sequence = { ticks: plan.units.map(({ ticks }) => ticks), ...positionsIn(plan) };
    const elements: WiredElement[][] = scenario.units.map(() => []);
    for (const connection of scenario.connections) {
      const { from, to } = connection;
      const name = portName(scenario, to);
      const sourceName = portName(scenario, from);
      const takesEnd =
        connectedKind(scenario, connection) !== "delayed" && goesFirst(connection, sequence);
      for (let i = 0; i < connection.count; i++) {
        const element = connection.toElement + i;
        const input = key(to.unit, to.port, element);
        const wired: WiredElement = {
          ...to,
          element,
          connection,
          sourceElement: connection.fromElement + i,
          track: tracks.get(input) ?? -1,
          takesEnd,
          delayed: delayed.has(`${sourceName} → ${name}`),
          name,
          sourceName,
        };
        this.byInput.set(input, wired);
        elements[to.unit].push(wired);
      }
    }
    this.elements = elements;
  }

  input(unit: number, port: number, element: number): WiredElement | undefined {
    return this.byInput.get(key(unit, port, element));
  }

  /** Connected inputs on which a port depends directly. */
  feedThrough(unit: number, port: number): readonly WiredElement[] {
    const output = `${unit} ${port}`;
    let found = this.throughs.get(output);
    if (found === undefined) {
      const { direction, feedThrough } = portAt(this.scenario, { unit, port });
      const isDependent = direction === "output" || direction === "local";
      found = this.elements[unit].filter(
        (e) => isDependent && (feedThrough?.includes(e.port) ?? true),
      );
      this.throughs.set(output, found);
    }
    return found;
  }
}

/**
 * The order in which a plan advances its units, where later ones know what earlier ones have
 * reached.
 */
function positionsIn({ master, coupling, segments, units }: Plan): {
  readonly position?: readonly number[];
} {
  // Under masters that decide at run time the step is only a pattern, with values of the start.
  const { scheme } = MASTERS[master];
  if (scheme === undefined || !SCHEMES[scheme].isSequential || coupling !== undefined) return {};
  const position = units.map(() => -1);
  let place = 0;
  for (let pc = 0; pc < segments.step.length; pc += OP_WIDTH) {
    const unit = segments.step[pc + 1];
    if (segments.step[pc] === Op.Advance && position[unit] === -1) position[unit] = place++;
  }
  return { position };
}

function key(unit: number, port: number, element: number): string {
  return `${unit} ${port} ${element}`;
}
