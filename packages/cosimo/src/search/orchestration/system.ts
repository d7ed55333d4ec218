/**
 * A system of units with what algorithms about it ask for all the time: who feeds an input, what an
 * output needs, whose port it is.
 */
import type { OrchestratedSystem, OrchestratedUnit } from "../../model/orchestration.ts";
import type { Scenario } from "../../model/scenario.ts";
import { portAt, portName } from "../../model/scenario-ports.ts";
import { connectedKind } from "../../model/unit-kind.ts";

export type InputKind = OrchestratedUnit["inputs"][string];

export class System {
  readonly units: ReadonlyMap<string, OrchestratedUnit>;
  /** By input: its source. */
  readonly sourceOf: ReadonlyMap<string, string>;
  /** By output: the inputs that it feeds. */
  readonly targetsOf: ReadonlyMap<string, readonly string[]>;

  constructor({ units, connections }: OrchestratedSystem) {
    this.units = new Map(units.map((unit) => [unit.name, unit]));
    this.sourceOf = new Map(connections.map(({ from, to }) => [to, from]));
    const targets = new Map<string, string[]>();
    for (const { from, to } of connections) targets.set(from, [...(targets.get(from) ?? []), to]);
    this.targetsOf = targets;
  }

  unitOf(port: string): OrchestratedUnit | undefined {
    return this.units.get(unitName(port));
  }

  /** Undefined: there is no such input. */
  kindOf(input: string): InputKind | undefined {
    return this.unitOf(input)?.inputs[portPart(input)];
  }

  isOutput(port: string): boolean {
    return Object.hasOwn(this.unitOf(port)?.outputs ?? {}, portPart(port));
  }

  /** Connected inputs of a unit. */
  inputsOf(unit: string): string[] {
    const inputs = Object.keys(this.units.get(unit)?.inputs ?? {});
    return inputs.map((input) => `${unit}.${input}`).filter((port) => this.sourceOf.has(port));
  }

  /** Connected inputs that an output needs at the same instant. */
  needsOf(output: string): string[] {
    const unit = unitName(output);
    const through = this.units.get(unit)?.outputs[portPart(output)] ?? [];
    return through.map((input) => `${unit}.${input}`).filter((port) => this.sourceOf.has(port));
  }

  /** Outputs that feed something. */
  outputs(): string[] {
    return [...this.targetsOf.keys()];
  }

  /** Inputs that something feeds. */
  inputs(): string[] {
    return [...this.sourceOf.keys()];
  }
}

export function unitName(port: string): string {
  return port.slice(0, port.indexOf("."));
}

function portPart(port: string): string {
  return port.slice(port.indexOf(".") + 1);
}

/** What of a scenario matters to the order of operations. */
export function systemOf(scenario: Scenario): OrchestratedSystem {
  const kinds = new Map(
    scenario.connections.map((connection) => {
      const { approximation = "hold" } = connection;
      const kind = connectedKind(scenario, connection);
      const isBetween = kind === "undeclared" && approximation === "interpolation";
      return [portName(scenario, connection.to), isBetween ? "reactive" : kind];
    }),
  );
  const units = scenario.units.map(({ name, description }, u): OrchestratedUnit => {
    const { ports, capabilities } = description;
    const inputs = ports.filter(({ direction }) => direction === "input");
    const outputs = ports.filter(({ direction }) => direction === "output");
    const named = (index: number): string =>
      portName(scenario, { unit: u, port: index }).slice(name.length + 1);
    return {
      name,
      inputs: Object.fromEntries(
        inputs.map(({ index }) => [
          named(index),
          kinds.get(`${name}.${named(index)}`) ?? "delayed",
        ]),
      ),
      outputs: Object.fromEntries(
        outputs.map(({ index, feedThrough }) => [
          named(index),
          (feedThrough ?? inputs.map((input) => input.index))
            .filter((input) => portAt(scenario, { unit: u, port: input }).direction === "input")
            .map(named),
        ]),
      ),
      // Any FMU of version 2.0 may discard a step as an exception; that ends a run, and is not
      // negotiated.
      mayRefuse: capabilities.refusesSteps === true,
      canRollBack: capabilities.rollback,
    };
  });
  const seen = new Set<string>();
  const connections = scenario.connections.flatMap(({ from, to }) => {
    const wire = { from: portName(scenario, from), to: portName(scenario, to) };
    // Several elements of one array come as several connections.
    if (seen.has(wire.to)) return [];
    seen.add(wire.to);
    return [wire];
  });
  return { units, connections };
}
