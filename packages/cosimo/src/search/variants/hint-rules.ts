/**
 * From hints to a search space: the five rules of section 8.5.6 of Gomes' thesis.
 *
 *   1  Inputs of software, and inputs that software feeds, are extrapolated: software cannot see the future, and its answer is there
 *      only after it was computed.
 *   2  Software of different rates: the communication step is the period of the slowest, the others take several steps in it.
 *   3  Units that share a power bond get the adaptation that gives back what the exchange makes or loses of its energy.
 *   4  Units that no hint is about take more steps per communication step, by orders of magnitude, and their inputs are interpolated or
 *      extrapolated; small steps and interpolation are preferred.
 *   5  Where the communication step is still open, it varies by orders of magnitude; small ones are preferred.
 *
 * Example 26 of the thesis is exactly what they give for its figures 8.2 and 8.6.
 */
import type { PowerBondHint, RateHint } from "../../model/hint.ts";
import type { Connection, Scenario, ScenarioUnit } from "../../model/scenario.ts";
import { portAt, portName } from "../../model/scenario-ports.ts";
import { isCoupled } from "../../plan/master-needs.ts";
import {
  type Choice,
  type Decision,
  type Reasoned,
  type SearchSpace,
  secondsText,
  type VariationPoint,
  type Wire,
} from "./space.ts";

/** Rates of rule 4, and how much smaller the steps of rule 5 are. */
const RATES = [100, 10] as const;
const FINER = 10;

/** What hints say of a scenario, with the connections that they are about. */
export interface HintedScenario {
  readonly scenario: Scenario;
  /** Executions per second of units that are software. */
  readonly software: ReadonlyMap<string, number>;
  readonly bonds: readonly HintedBond[];
  readonly notes: readonly string[];
}

export interface HintedBond {
  readonly name: string;
  /** Of the unit that gives the effort, and of the one that gives the flow. */
  readonly units: readonly [string, string];
  readonly effort: Wire;
  readonly flow: Wire;
}

export function hintedScenario(scenario: Scenario): HintedScenario {
  const notes: string[] = [];
  const software = new Map<string, number>();
  for (const hint of (scenario.hints ?? []).filter(isRate)) {
    const known = software.get(hint.unit);
    if (known !== undefined && known !== hint.hertz)
      notes.push(
        `'${hint.name}' says that '${hint.unit}' runs at ${hint.hertz} Hz, another hint says ${known} Hz; the first one is used`,
      );
    else software.set(hint.unit, hint.hertz);
  }
  const bonds: HintedBond[] = [];
  for (const hint of (scenario.hints ?? []).filter(isBond)) {
    const found = bondOf(scenario, hint);
    if (typeof found === "string") notes.push(found);
    else bonds.push(found);
  }
  return { scenario, software, bonds, notes };
}

const isRate = (hint: { readonly kind: string }): hint is RateHint => hint.kind === "rate";
const isBond = (hint: { readonly kind: string }): hint is PowerBondHint =>
  hint.kind === "power-bond";

/** The two connections between the units of a hint, or why there are none. */
function bondOf(scenario: Scenario, { ports, name }: PowerBondHint): HintedBond | string {
  const [first, second] = ports.map((port) => wiresAt(scenario, port));
  for (const one of first ?? [])
    for (const other of second ?? []) {
      const [a, b] = [one, other].map(({ from }) => scenario.units[from.unit]?.name ?? "");
      if (one.from.unit !== other.to.unit || one.to.unit !== other.from.unit) continue;
      if (a === b || a === undefined || b === undefined) continue;
      const isOdd = [one, other].some(({ count, offset }) => count !== 1 || offset !== 0);
      if (isOdd) return `'${name}': ${ports.join(" and ")} are not two numbers, so it is not used`;
      const [wire, back] = [wireOf(scenario, one), wireOf(scenario, other)];
      return isFlow(scenario, one)
        ? { name, units: [b, a], effort: back, flow: wire }
        : { name, units: [a, b], effort: wire, flow: back };
    }
  return `'${name}': there are no two connections in opposite directions with ${ports.join(" and ")}, so it is not used`;
}

function wiresAt(scenario: Scenario, port: string): Connection[] {
  return scenario.connections.filter(
    ({ from, to }) => portName(scenario, from) === port || portName(scenario, to) === port,
  );
}

export function wireOf(scenario: Scenario, { from, to }: Connection): Wire {
  return { from: portName(scenario, from), to: portName(scenario, to) };
}

/**
 * Velocities, currents, volume flows: what is counted per second. Where units do not tell, the
 * first port is the effort.
 */
function isFlow(scenario: Scenario, { from }: Connection): boolean {
  const unit = portAt(scenario, from).unit?.name ?? "";
  return /^(?:m|mm|rad|deg|m3|l)\/(?:s|min|h)$|^rpm$|^m?A$/.test(unit);
}

/** The space that the five rules give. */
export function spaceFromHints(hinted: HintedScenario): SearchSpace {
  const { scenario, software, bonds } = hinted;
  const notes = [...hinted.notes];
  const fixed: Reasoned[] = [
    {
      decision: { kind: "master", name: "gauss-seidel" },
      why: "the order of operations follows from the kinds of the inputs (definition 49)",
    },
    ...softwareInputs(hinted),
    ...bonds.map(bondDecision),
  ];
  const points: VariationPoint[] = [];
  const own = commonPeriod(software);
  if (own === undefined && software.size > 0) {
    const rates = [...software].map(([unit, hertz]) => `'${unit}' ${hertz} Hz`).join(", ");
    notes.push(`the rates ${rates} are not multiples of the slowest one, so no step fits them all`);
  }
  for (const [unit, hertz] of software)
    fixed.push({
      decision: { kind: "period", unit, seconds: 1 / hertz },
      why: `software that runs at ${hertz} Hz${own?.isOne === false ? " (rule 2)" : ""}`,
    });
  if (own?.isOne === false)
    fixed.push({
      decision: { kind: "step", seconds: own.seconds },
      why: "rule 2: the period of the slowest software",
    });
  else points.push(stepPoint(own?.seconds ?? scenario.experiment.step ?? 1e-3));
  for (const unit of unhinted(hinted)) points.push(...unhintedPoints(hinted, unit, notes));
  return { fixed, points, notes };
}

/** Rule 1. */
function softwareInputs({ scenario, software }: HintedScenario): Reasoned[] {
  return scenario.connections.flatMap((connection): Reasoned[] => {
    const { from, to } = wireOf(scenario, connection);
    const [source, target] = [connection.from, connection.to].map(
      ({ unit }) => scenario.units[unit]?.name ?? "",
    );
    const decision = { kind: "input", from, to, inputKind: "delayed" } as const;
    if (software.has(target ?? ""))
      return [{ decision, why: `rule 1: '${target}' is software, which cannot see the future` }];
    if (!software.has(source ?? "")) return [];
    return [{ decision, why: `rule 1: '${source}' answers when it has computed` }];
  });
}

/** Rule 3. */
export function bondDecision({ name, effort, flow }: HintedBond): Reasoned {
  return {
    decision: { kind: "bond", name, effort, flow },
    why: `rule 3: ${effort.from} and ${flow.from} carry power, and the exchange must not make any`,
  };
}

/**
 * One period for all software, or that of the slowest with the others as whole parts of it;
 * undefined: neither.
 */
function commonPeriod(
  software: ReadonlyMap<string, number>,
): { readonly seconds: number; readonly isOne: boolean } | undefined {
  const rates = [...new Set(software.values())];
  if (rates.length === 0) return undefined;
  const slowest = Math.min(...rates);
  const areWhole = rates.every((rate) => isWhole(rate / slowest));
  return areWhole ? { seconds: 1 / slowest, isOne: rates.length === 1 } : undefined;
}

export function isWhole(ratio: number): boolean {
  return ratio >= 1 - 1e-9 && Math.abs(ratio - Math.round(ratio)) < 1e-9 * ratio;
}

/** Rule 5. */
function stepPoint(seconds: number): VariationPoint {
  return {
    name: "H",
    choices: [seconds, seconds / FINER].map((value, i) => stepChoice(value, 2 * (i + 1))),
  };
}

function stepChoice(seconds: number, weight: number): Choice {
  const decision = { kind: "step", seconds: Number(seconds.toPrecision(12)) } as const;
  const why = "rule 5: steps of different orders of magnitude";
  return { label: secondsText(seconds), weight, decided: [{ decision, why }] };
}

/** Units that neither run as software nor share a bond. */
export function unhinted({ scenario, software, bonds }: HintedScenario): Scenario["units"] {
  const bonded = new Set(bonds.flatMap(({ units }) => units));
  return scenario.units.filter(
    ({ name, source }) => !software.has(name) && !bonded.has(name) && source.kind !== "formula",
  );
}

/** Rule 4. */
function unhintedPoints(
  hinted: HintedScenario,
  { name, description }: ScenarioUnit,
  notes: string[],
): VariationPoint[] {
  const points: VariationPoint[] = [
    {
      name: `R of ${name}`,
      choices: RATES.map((rate, i) => rateChoice(name, rate, 2 * (RATES.length - i) - 1)),
    },
  ];
  const wires = freeInputs(hinted, name);
  const { variableStep, inputDerivativeOrder } = description.capabilities;
  if (wires.length > 0 && !variableStep && inputDerivativeOrder === 0)
    notes.push(
      `inputs of '${name}' are held: it takes neither input derivatives nor steps of another size`,
    );
  else if (wires.length > 0)
    points.push({
      name: `inputs of ${name}`,
      choices: [
        inputChoice("interpolated", wires, { inputKind: "reactive" }, 3),
        inputChoice("extrapolated", wires, { inputKind: "delayed", approximation: "linear" }, 1),
      ],
    });
  return points;
}

export function rateChoice(unit: string, rate: number, weight: number): Choice {
  const decision = { kind: "rate", unit, rate } as const;
  const why = `rule 4: no hint is about '${unit}'`;
  return { label: String(rate), weight, decided: [{ decision, why }] };
}

/** A reactive input is interpolated where its source is stepped before. */
function inputChoice(
  label: string,
  wires: readonly Wire[],
  how: Pick<Extract<Decision, { kind: "input" }>, "inputKind" | "approximation">,
  weight: number,
): Choice {
  const decided = wires.map(({ from, to }) => ({
    decision: { kind: "input", from, to, ...how } as const,
    why: `rule 4: ${label}`,
  }));
  return { label, weight, decided };
}

/**
 * Inputs of continuous signals that rule 1 has not decided: jumps are not approximated by lines.
 */
function freeInputs({ scenario, software }: HintedScenario, unit: string): Wire[] {
  return scenario.connections.flatMap((connection) => {
    const { from, to } = connection;
    if (scenario.units[to.unit]?.name !== unit) return [];
    if (software.has(scenario.units[from.unit]?.name ?? "")) return [];
    return isContinuous(scenario, connection) ? [wireOf(scenario, connection)] : [];
  });
}

/** A signal that is continuous on its way to an input that may follow it. */
export function isContinuous(scenario: Scenario, { from, to }: Connection): boolean {
  const { nature, type, variability } = portAt(scenario, from);
  const isSmooth = nature === "continuous" || nature === "piecewise-continuous";
  return (
    isSmooth &&
    variability === "continuous" &&
    type.startsWith("float") &&
    isCoupled(portAt(scenario, to))
  );
}
