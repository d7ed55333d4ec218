/**
 * Which kind of unit this is, port by port, and why: reactive or delayed inputs, Mealy or Moore
 * outputs. The sentences are for users who decide how to couple the unit.
 */
import { BACKENDS } from "./backends.ts";
import type { Connection, PortRef, Scenario } from "./scenario.ts";
import { portAt } from "./scenario-ports.ts";
import type { Port, UnitDescription } from "./unit-description.ts";

/**
 * Which of its source's values an input uses over a step: that of its end or of its start;
 * undeclared: the master decides.
 */
export type DeclaredKind = "reactive" | "delayed" | "undeclared";

export interface InputKind {
  readonly port: Port;
  readonly kind: DeclaredKind;
  readonly why: string;
}

export interface OutputKind {
  readonly port: Port;
  readonly kind: "Mealy" | "Moore";
  readonly why: string;
}

export interface UnitKind {
  readonly inputs: readonly InputKind[];
  readonly outputs: readonly OutputKind[];
}

export function unitKind(unit: UnitDescription): UnitKind {
  const inputs = unit.ports.filter((port) => port.direction === "input");
  const outputs = unit.ports.filter((port) => port.direction === "output");
  return {
    inputs: inputs.map((port) => inputKind(port, unit)),
    outputs: outputs.map((port) => outputKind(port, unit, inputs.length)),
  };
}

const WHY_DELAYED = "the unit declares that it takes the value of the start of the step";

function inputKind(port: Port, unit: UnitDescription): InputKind {
  const kind = declaredKind(port);
  if (kind === "reactive") return { port, kind, why: BACKENDS[unit.backend].whyReactive };
  const why = kind === "delayed" ? WHY_DELAYED : BACKENDS[unit.backend].whyUndeclared;
  return { port, kind, why };
}

function declaredKind({ reactive }: Port): DeclaredKind {
  if (reactive === undefined) return "undeclared";
  return reactive ? "reactive" : "delayed";
}

/**
 * The kind of a connected input: as its connection says, otherwise as its unit does. Where neither
 * does and the source ends its steps at its own events, its discrete values at the end of a step
 * are those after the event: the step itself has those of its start.
 */
export function connectedKind(
  { units }: Scenario,
  { from, to, kind, approximation }: Connection,
): DeclaredKind {
  if (kind !== undefined) return kind;
  const port = portAt({ units }, to);
  if (approximation === "hold" && port.heldFromStart === true) return "delayed";
  const declared = declaredKind(port);
  return declared === "undeclared" && endsAtEvents({ units }, from) ? "delayed" : declared;
}

function endsAtEvents({ units }: Pick<Scenario, "units">, from: PortRef): boolean {
  const capabilities = units[from.unit]?.description.capabilities;
  return (
    capabilities?.refusesSteps === true && portAt({ units }, from).variability !== "continuous"
  );
}

function outputKind(port: Port, unit: UnitDescription, inputCount: number): OutputKind {
  if (inputCount === 0) return { port, kind: "Moore", why: "the unit has no inputs" };
  if (port.feedThrough === undefined) {
    const why = "its dependencies are not disclosed, so all inputs are assumed";
    return { port, kind: "Mealy", why };
  }
  if (port.feedThrough.length === 0)
    return { port, kind: "Moore", why: "it depends on no input at the same instant" };
  const names = port.feedThrough.map((index) => `'${unit.ports[index]?.name}'`);
  return { port, kind: "Mealy", why: `it depends directly on ${listed(names)}` };
}

const LISTED = 4;

function listed(names: readonly string[]): string {
  if (names.length <= LISTED) return names.join(", ");
  return `${names.slice(0, LISTED).join(", ")} and ${names.length - LISTED} more`;
}
